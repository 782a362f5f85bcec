"""Words in a box of the desktop's own, shown by whichever program is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.system import message_box

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has a box of its own")

WORDS = "It lacks <b>SSE4.2</b>, 100 % of it.\nNothing was changed."


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are looked for."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":1")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return tmp_path


def add(folder: Path, name: str, code: int = 0) -> None:
    """A program that writes down what it is told."""
    program = folder / name
    told = "".join(
        f"{line}\n" for line in ("#!/bin/sh", f"printf '%s\\n' \"$@\" > '{program}.told'", f"exit {code}")
    )
    program.write_text(told)
    program.chmod(0o755)


def told(folder: Path, name: str) -> str | None:
    file = folder / f"{name}.told"
    return file.read_text() if file.exists() else None


@pytest.mark.parametrize("name", [each[0] for each in message_box.PROGRAMS])
def test_each_program_is_given_title_and_words_as_they_are(programs: Path, name: str) -> None:
    """The only one there is; braces, signs and new lines reach it unchanged."""
    add(programs, name)
    assert message_box.show("Steward", WORDS)
    said = told(programs, name)
    assert said is not None
    assert WORDS in said
    assert "Steward" in said


def test_one_box_is_enough(programs: Path) -> None:
    """The first program that is there, also where it ends with 1 because its box was closed by its corner."""
    add(programs, "zenity", 1)
    add(programs, "kdialog")
    assert message_box.show("Steward", WORDS)
    assert told(programs, "kdialog") is None


def test_a_program_that_cannot_show_it_is_followed_by_the_next(programs: Path) -> None:
    """As zenity without its libraries."""
    add(programs, "zenity", 127)
    add(programs, "notify-send")
    assert message_box.show("Steward", WORDS)
    assert told(programs, "notify-send") is not None


def test_without_a_display_or_a_program_nothing_happens(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words are on stderr anyway."""
    assert not message_box.show("Steward", WORDS)
    add(programs, "zenity")
    monkeypatch.delenv("DISPLAY")
    assert not message_box.show("Steward", WORDS)
    assert told(programs, "zenity") is None


SAY = "import sys; sys.argv[1:] = {arguments}; from desktop.__main__ import _say; _say('Too old.')"


@pytest.mark.parametrize(("arguments", "shown"), [([], True), (["run"], True), (["ask", "x"], False)])
def test_only_a_clicked_icon_gets_a_box(programs: Path, arguments: list[str], shown: bool) -> None:
    """A command is answered where it was typed."""
    add(programs, "zenity")
    done = subprocess.run(
        [sys.executable, "-c", SAY.format(arguments=arguments)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "Too old."
    assert (told(programs, "zenity") is not None) == shown
