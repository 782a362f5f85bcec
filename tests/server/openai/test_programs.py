"""Tokens of programs and what they have used, on real files."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable

import pytest

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.server.openai.programs import WRITTEN_EVERY_S, ProgramLog, ProgramTokens, ProgramUse


def test_only_the_hash_of_a_token_is_kept(paths: Paths) -> None:
    """The file can be read by its owner alone, and does not hold the token."""
    token = ProgramTokens(paths).make("llm")
    assert token not in paths.program_tokens.read_text("utf-8")
    if os.name != "nt":
        assert stat.S_IMODE(paths.program_tokens.stat().st_mode) == 0o600
    assert ProgramTokens(paths).name_of(token) == "llm"
    assert ProgramTokens(paths).name_of(token[:-1]) is None


@pytest.mark.parametrize("name", ["", "a b", "../x", "-x", "ü", "a" * 41, "a\n"])
def test_a_name_is_a_plain_word(paths: Paths, name: str) -> None:
    """What would be confusing in a list or a file is no name."""
    with pytest.raises(UserFacing) as refused:
        ProgramTokens(paths).make(name)
    assert refused.value.code == "program-name"
    assert not paths.program_tokens.exists()


def test_names_are_listed_in_order(paths: Paths) -> None:
    """Until they are revoked."""
    tokens = ProgramTokens(paths)
    for name in ("opencode", "continue"):
        tokens.make(name)
    assert tokens.names() == ("continue", "opencode")
    assert tokens.revoke("continue")
    assert tokens.names() == ("opencode",)


def test_what_was_used_outlives_the_program(paths: Paths, bus: Bus) -> None:
    """Counts add up over runs, and close writes what had waited."""
    log = ProgramLog(paths, bus)
    log.answered("llm", 10, 3)
    log.answered("llm", 5, 2)
    log.refused("llm")
    log.close()
    use = ProgramLog(paths, bus).uses()["llm"]
    assert (use.requests, use.refused, use.prompt_tokens, use.answer_tokens) == (2, 1, 15, 5)


def test_the_file_is_not_written_for_each_request(paths: Paths, bus: Bus) -> None:
    """A program that asks a hundred times a second costs one write in five seconds."""
    now = [100.0]
    log = ProgramLog(paths, bus, lambda: now[0])
    log.answered("llm", 1, 1)
    log.answered("llm", 1, 1)
    assert json.loads(paths.program_use.read_bytes())["llm"]["requests"] == 1
    now[0] += WRITTEN_EVERY_S
    log.answered("llm", 1, 1)
    assert json.loads(paths.program_use.read_bytes())["llm"]["requests"] == 3
    log.close()


def test_the_last_requests_of_many_are_written_too(paths: Paths, bus: Bus) -> None:
    """By a timer, one for all of them: `steward api status` reads the file, and nobody may ask again."""
    due: list[tuple[float, Callable[[], None]]] = []

    def later(after_s: float, act: Callable[[], None]) -> Callable[[], None]:
        due.append((after_s, act))
        return due.clear

    log = ProgramLog(paths, bus, lambda: 100.0, later)
    for _ in range(5):
        log.answered("llm", 1, 1)
    assert ProgramLog(paths, bus).uses()["llm"].requests == 1
    ((after_s, write),) = due
    assert after_s == WRITTEN_EVERY_S
    write()
    assert ProgramLog(paths, bus).uses()["llm"].requests == 5
    log.answered("llm", 1, 1)
    assert len(due) == 2
    log.close()
    assert due == []


def test_a_damaged_file_begins_anew(paths: Paths, bus: Bus) -> None:
    """Rows of another kind count nothing and end nothing."""
    paths.data.mkdir(parents=True)
    paths.program_use.write_text('{"llm": {"requests": "many", "answer_tokens": 3, "x": 1}, "y": 5}', "utf-8")
    assert ProgramLog(paths, bus).uses() == {"llm": ProgramUse(answer_tokens=3)}


def test_why_the_latest_request_was_refused_is_kept_until_one_is_answered(paths: Paths, bus: Bus) -> None:
    """So that whoever looks is told what the program may not say."""
    log = ProgramLog(paths, bus)
    log.refused("codex", "context_length_exceeded")
    assert log.uses()["codex"].refused_for == "context_length_exceeded"
    log.answered("codex", 1, 1)
    assert (log.uses()["codex"].refused_for, log.uses()["codex"].refused) == ("", 1)
    log.close()
