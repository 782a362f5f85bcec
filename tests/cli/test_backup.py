"""`steward backup`, `restore`, `export` and `import`, as a user starts them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.chat.store import Role
from desktop.paths import Paths, ensure
from tests.cli.conftest import Steward


@pytest.fixture
def talked(tmp_path: Path) -> Callable[[str], None]:
    """Say something in the profile that `steward` uses."""

    def say(words: str) -> None:
        core = build_core(Paths.under(tmp_path / "profile"))
        core.store.add(core.store.create(words).id, Role.USER, words)
        core.close()

    return say


def _titles(profile: Path) -> list[str]:
    core = build_core(Paths.under(profile))
    titles = [conversation.title for conversation in core.store.conversations()]
    core.close()
    return titles


def test_a_backup_is_restored_after_a_yes(
    steward: Steward, talked: Callable[[str], None], tmp_path: Path
) -> None:
    """The way there and back; what was there lies aside and is named."""
    talked("first")
    file = tmp_path / "kept.zip"
    made = steward("backup", str(file), "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["bytes"] == file.stat().st_size
    talked("second")
    assert steward("restore", str(file), stdin="n\n").returncode == 1
    assert set(_titles(tmp_path / "profile")) == {"first", "second"}
    restored = steward("restore", str(file), stdin="y\n")
    assert restored.returncode == 0, restored.stderr
    assert "before-restore-" in restored.stdout
    assert _titles(tmp_path / "profile") == ["first"]


def test_what_of_the_skills_is_left_out_is_told(
    steward: Steward, talked: Callable[[str], None], tmp_path: Path
) -> None:
    """By its name, one a line, with nothing in it that acts on the terminal; and in the JSON."""
    talked("first")
    skill = ensure(Paths.under(tmp_path / "profile").skills / "minutes")
    (skill / "SKILL.md").write_text("---\nname: minutes\ndescription: How.\n---\nSo.\n", "utf-8")
    assert "Left out of your skills" not in steward("backup", str(tmp_path / "a.zip")).stdout
    (skill / "at 9:30\x1b.md").write_text("when", "utf-8")
    told = steward("backup", str(tmp_path / "a.zip")).stdout
    assert "Left out of your skills" in told
    assert "  minutes/at 9:30\\x1b.md\n" in told
    found = json.loads(steward("backup", "--json", str(tmp_path / "a.zip")).stdout)
    assert found["skills_left_out"] == ["minutes/at 9:30\x1b.md"]


def test_conversations_go_out_and_come_in(
    steward: Steward, talked: Callable[[str], None], tmp_path: Path
) -> None:
    """JSON with everything; Markdown of what a title names; the same file twice adds nothing."""
    talked("about rivers")
    talked("about lakes")
    out = tmp_path / "all.json"
    assert "2 conversations" in steward("export", str(out)).stdout
    assert (
        "0 conversations with 0 messages were imported; 2 were already here"
        in steward("import", str(out)).stdout
    )
    one = tmp_path / "one.md"
    assert steward("export", str(one), "--chat", "lakes").returncode == 0
    assert one.read_text("utf-8").startswith("# about lakes")
    nothing = steward("export", str(one), "--chat", "nowhere")
    assert (nothing.returncode, nothing.stderr.splitlines()[0]) == (1, "No conversation matches.")


def test_a_file_that_is_none_is_refused_in_words(steward: Steward, tmp_path: Path) -> None:
    """Exit code 1 and a sentence, for both."""
    file = tmp_path / "x"
    file.write_text("hello", "utf-8")
    for verb in ("import", "restore"):
        ended = steward(verb, str(file))
        assert ended.returncode == 1
        assert "Nothing was changed." in ended.stderr
        assert "Traceback" not in ended.stderr
