"""What `ask` and `chat` know is gone with them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from desktop.cli.forgotten import forgotten_store


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
        "import os, signal; from desktop.cli.forgotten import forgotten_store\n"
        "with forgotten_store() as store: os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(temporary)})
    (left,) = temporary.iterdir()
    with forgotten_store():
        assert not left.exists()
        (ours,) = temporary.iterdir()
        with forgotten_store():
            assert ours.exists()
