"""What happens before any verb: the streams of a Windows program, and its rights to its own files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def python(code: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}  # as Windows has it for a pipe
    return subprocess.run(
        [sys.executable, "-c", f"from desktop.__main__ import speak_utf8\n{code}"],
        cwd=ROOT,
        env=environment,
        input=given,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_what_is_said_and_read_through_a_pipe_is_utf8() -> None:
    """The old code page of Windows lacks the tick of `steward doctor` and most alphabets."""
    done = python("speak_utf8(); import sys; sys.stdout.write('✓ ' + sys.stdin.read())", "grün 日本".encode())
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, "✓ grün 日本", b"")


def test_half_a_character_is_written_all_the_same() -> None:
    """File names of Windows may hold one; a report with it must not end in a traceback."""
    done = python("speak_utf8(); import sys; sys.stdout.write('a\\ud800b')")
    assert (done.returncode, done.stdout) == (0, b"a\\ud800b")


def test_a_program_without_a_terminal_may_speak_into_nothing() -> None:
    """`steward.exe` was clicked: Python gives it no streams at all."""
    done = python(
        "import sys; sys.stdin = sys.stdout = sys.stderr = None; speak_utf8()\n"
        "sys.stdout.write('✓'); sys.stderr.write('✓')\n"
        "raise SystemExit(sys.stderr.isatty() or len(sys.stdin.read()))"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(os.name != "posix", reason="a umask is POSIX's")
@pytest.mark.parametrize("umask", [0o777, 0o000])  # what lies between takes and gives less
def test_a_umask_without_rights_for_the_owner_ends_nothing(umask: int, tmp_path: Path) -> None:
    """What is made is the owner's to go on with, and nobody else's."""
    profile = tmp_path / "profile"
    steward = [sys.executable, "-m", "desktop", "--profile", str(profile)]
    for words in (["api", "token", "shell"], ["projects", "add", "One"], ["projects", "list"]):
        done = subprocess.run(
            [*steward, *words], cwd=ROOT, umask=umask, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
    assert "One" in done.stdout
    modes = {(each.is_dir(), each.stat().st_mode & 0o777) for each in [profile, *profile.rglob("*")]}
    assert modes == {(True, 0o700), (False, 0o600)}
