"""`steward chat`, with the real small model on a pipe."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from desktop.app.single_question import forgotten_store
from tests.cli.conftest import Steward

pytestmark = pytest.mark.model


def test_questions_clear_and_quit(steward: Steward, with_model: Path) -> None:
    """Each answer has its line of figures; clear starts over; quit ends; what follows is not asked."""
    done = steward("chat", stdin="Say hello.\nclear\nSay goodbye.\nquit\nNever asked.\n")
    assert done.returncode == 0
    figures = re.findall(r"^\d+ tokens · [\d.]+ tok/s · [\d.]+ seconds", done.stderr, re.MULTILINE)
    assert len(figures) == 2
    assert "A new conversation." in done.stderr


def test_the_banner_names_what_runs(steward: Steward, with_model: Path) -> None:
    """Backend, file, size, context and GPU layers stand in one line and in the log."""
    done = steward("chat", stdin="Say hello.\nexit\n")
    banner = next(line for line in done.stderr.splitlines() if "llama.cpp on" in line)
    for part in (with_model.name, "98 MB", "context 1024", "0 GPU layers"):
        assert part in banner


def test_a_session_file_is_kept_and_gone_on_with(steward: Steward, with_model: Path, tmp_path: Path) -> None:
    """The file has both turns after two runs, and the second run says how many messages it found."""
    session = tmp_path / "talk.json"
    steward("chat", "--session", str(session), stdin="Say hello.\n")
    first = json.loads(session.read_text(encoding="utf-8"))["messages"]
    assert [message["role"] for message in first] == ["user", "assistant"]
    again = steward("chat", "--session", str(session), stdin="And goodbye.\n")
    assert "2 earlier messages" in again.stderr
    second = json.loads(session.read_text(encoding="utf-8"))["messages"]
    assert second[:2] == first
    assert len(second) == 4


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of our own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_nothing_is_left_at_the_end(temporary: Path) -> None:
    """The history is a real one while the command runs, and no file of it stays."""
    with forgotten_store() as store:
        store.create("Dentist")
        assert list(temporary.iterdir())
    assert list(temporary.iterdir()) == []


@pytest.mark.children
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is not of Windows")
def test_what_a_killed_command_left_goes_with_the_next(temporary: Path) -> None:
    """Of a living one nothing is taken."""
    code = (
        "import os, signal; from desktop.app.single_question import forgotten_store\n"
        "with forgotten_store() as store: os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(temporary)})
    (left,) = temporary.iterdir()
    with forgotten_store():
        assert not left.exists()
        (ours,) = temporary.iterdir()
        with forgotten_store():
            assert ours.exists()
