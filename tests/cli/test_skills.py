"""`steward skills`: what is there, and what of it would be told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from desktop.app import Services, build_core
from desktop.cli.skills import skills_app
from desktop.errors import UserFacing
from desktop.paths import Paths
from tests.chat.test_skills import LONG, write


@pytest.fixture
def core(paths: Paths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Services]:
    monkeypatch.setenv("HOME", str(tmp_path))  # no skills of the agents that are installed here
    core = build_core(paths)
    yield core
    core.close()


def said(core: Services, *words: str) -> str:
    done = CliRunner().invoke(skills_app, words, obj=core, catch_exceptions=False)
    return "\n".join(line for line in done.stdout.splitlines() if "[info " not in line)


def test_where_one_would_be_put(core: Services) -> None:
    """Before there is any, the answer names the folder."""
    assert str(core.paths.skills) in said(core, "list")
    assert json.loads(said(core, "list", "--json")) == []


def test_what_keeps_a_file_from_being_a_skill_is_told(core: Services) -> None:
    """Whoever wrote it would look for it in vain."""
    bad = core.paths.skills / "bad" / "SKILL.md"
    bad.parent.mkdir(parents=True)
    bad.write_text("Use 80 degrees.\n", encoding="utf-8")
    told = said(core, "list")
    assert f"Not used: {bad}" in told
    assert "needs a head" in told
    assert "There are no skills." not in told


def test_what_is_there_and_what_is_told(core: Services, tmp_path: Path) -> None:
    """Steward's own and an agent's; of a long one the sections that fit; switched off there are none."""
    file = write(core.paths.skills, "brand", "The brand.", LONG)
    write(tmp_path / ".claude" / "skills", "letters", "How letters are written.")
    rows = json.loads(said(core, "list", "--json"))
    assert [(each["name"], each["description"]) for each in rows] == [
        ("brand", "The brand."),
        ("letters", "How letters are written."),
    ]
    assert rows[0]["file"] == str(file)
    assert "## Slides" in said(core, "show", "Brand")
    part = said(core, "show", "brand", "--question", "Which margin has the logo?")
    assert "## Logo" in part
    assert "Left out: Colours" in part
    with pytest.raises(UserFacing) as refused:
        said(core, "show", "nothing")
    assert refused.value.code == "no-skill"
    core.settings.change("chat", "skills", False)
    assert json.loads(said(core, "list", "--json")) == []
