"""`steward api`: switched on, a token made, listed and revoked, what was used told."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from desktop.app import Services, build_core
from desktop.cli.api import api_app
from desktop.errors import UserFacing
from desktop.paths import Paths


@pytest.fixture
def core(paths: Paths) -> Iterator[Services]:
    core = build_core(paths)
    yield core
    core.close()


def said(core: Services, *words: str) -> str:
    done = CliRunner().invoke(api_app, words, obj=core)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_it_is_off_until_somebody_switches_it_on(core: Services) -> None:
    """And off again afterwards; the address is told either way."""
    assert "The API is off" in said(core, "status")
    assert "http://127.0.0.1:47615/v1" in said(core, "status")
    assert "The API is on" in said(core, "on")
    assert core.settings.current.api.enabled
    said(core, "off")
    assert not core.settings.current.api.enabled


def test_a_token_is_printed_once_and_ends_when_it_is_revoked(core: Services) -> None:
    """The token alone stands on standard output, so that it can be piped."""
    token = said(core, "token", "llm").strip()
    assert core.program_tokens.name_of(token) == "llm"
    assert said(core, "list") == "llm\n"
    assert "llm" in said(core, "status")
    said(core, "revoke", "llm")
    assert core.program_tokens.name_of(token) is None
    with pytest.raises(UserFacing) as refused:
        said(core, "revoke", "llm")
    assert refused.value.code == "program-unknown"


def test_what_was_used_is_told_in_words_and_as_json(core: Services) -> None:
    """Requests, tokens and the time of the last one."""
    core.program_tokens.make("llm")
    core.program_tokens.make("idle")
    core.program_log.answered("llm", 20, 7)
    words = said(core, "status")
    assert "1 answered, 0 refused, 20 tokens read, 7 written" in words
    assert "has not asked yet" in words
    assert "was refused" not in words
    core.program_log.refused("llm", "context_length_exceeded")
    assert "the last request was refused: context_length_exceeded" in said(core, "status")
    told = json.loads(said(core, "status", "--json"))
    assert told["programs"]["llm"]["answer_tokens"] == 7
    assert told["programs"]["idle"] is None
