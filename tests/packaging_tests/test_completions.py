"""Completions: the files are those of today's verbs, and the shells themselves take them."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bootstrap.package import deb
from tests.packaging_tests.test_release import script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what packages of Linux carry")

# What is typed, and how the line goes on.
CASES = (
    ("steward rem", "steward reminders"),
    ("steward models ver", "steward models verify"),
    ("steward --profile /tmp agents uninst", "steward --profile /tmp agents uninstall"),
    ("steward agents install claude-", "steward agents install claude-code"),
    ("steward audit list --kind dec", "steward audit list --kind decision"),
    ("steward ask --prompt", "steward ask --prompt-file"),
    ("steward purge --dry", "steward purge --dry-run"),
    ("steward restore ba", "steward restore backup.zip"),
    ("steward mod", "steward models"),  # no slash, though there is a folder of that name
)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the shells are started."""
    (tmp_path / "backup.zip").touch()
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def needed(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is missing")


def test_they_are_written_from_the_program() -> None:
    """Every verb and option of today, in words that are told today; else: python packaging/completions.py"""
    for file, text in script("packaging/completions.py").written().items():
        assert file.read_text(encoding="utf-8") == text, file.name


@pytest.mark.parametrize(("typed", "wanted"), CASES)
def test_fish_completes(typed: str, wanted: str, shell: Path) -> None:
    needed("fish")
    command = f"source {deb.PARTS / 'steward.fish'}; complete -C '{typed}'"
    done = subprocess.run(["fish", "-c", command], capture_output=True, text=True, check=True, timeout=60)
    found = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert wanted.split()[-1] in found, done.stdout


def test_bash_completes(shell: Path) -> None:
    """Typed into a real one, with the tabulator key."""
    needed("bash")
    typed_into(["bash", "--norc", "--noprofile", "-i"], f"source {deb.PARTS / 'steward.bash'}", CASES)


def test_zsh_completes(shell: Path) -> None:
    needed("zsh")
    load = f"PS1='> '; fpath=({deb.PARTS} $fpath); autoload -U compinit; compinit -u -D"
    typed_into(["zsh", "-f", "-i"], load, CASES)


def typed_into(command: list[str], first: str, cases: Any) -> None:
    """Each case is a line that Tab completes; a function of that name then tells what it was called with."""
    child, line = pty.fork()
    if child == 0:
        os.environ.update(TERM="dumb", PS1="> ", HISTFILE="/dev/null")
        os.execvp(command[0], command)
    try:
        send(
            line,
            f"{first}; steward() {{ printf 'typed:%s\\n' \"$*\"; }}; printf 'rea%s\\n' dy\r",
            "ready\r\n",
        )
        for typed, wanted in cases:
            told = send(line, f"{typed}\t\r", "typed:")
            told += until(line, "\r\n")
            assert told.rpartition("typed:")[2].strip() == wanted.removeprefix("steward "), told
    finally:
        os.close(line)
        os.waitpid(child, 0)


def send(line: int, words: str, wanted: str) -> str:
    os.write(line, words.encode())
    return until(line, wanted)


def until(line: int, wanted: str) -> str:
    """What the shell writes up to and with these words."""
    told, deadline = "", time.monotonic() + 30
    while wanted not in told:
        assert select.select([line], [], [], deadline - time.monotonic())[0], told
        told += os.read(line, 1).decode("utf-8", "replace")
    return told
