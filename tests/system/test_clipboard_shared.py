"""The clipboard of a real (virtual) screen, between programs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="the clipboard is Qt's")
from tests.flows.desktop_session import DesktopSession, desktop_session, missing_programs, stop

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def session() -> Iterator[DesktopSession]:
    missing = missing_programs()
    if missing:
        pytest.skip(f"a virtual desktop needs {', '.join(missing)}")
    with desktop_session(tray=False) as made:
        yield made


def _start(session: DesktopSession, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.system.clipboard_process", *words],
        cwd=ROOT,
        env=session.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@contextmanager
def _held(session: DesktopSession, *words: str) -> Iterator[None]:
    process = _start(session, *words)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield
    stop(process)


def _read(session: DesktopSession) -> dict[str, object]:
    found: dict[str, object] = json.loads(_start(session, "read").communicate(timeout=60)[0])
    return found


@pytest.mark.desktop
def test_another_programs_text_is_read(session: DesktopSession) -> None:
    """And what the assistant writes is read by another program."""
    with _held(session, "hold", "Grüße"):
        assert _read(session) == {"text": "Grüße", "kind": "", "is_secret": False}
    with _held(session, "write", "written"):
        assert _read(session)["text"] == "written"


@pytest.mark.desktop
def test_another_programs_secret_is_not(session: DesktopSession) -> None:
    """A password manager that marks as KDE's do."""
    with _held(session, "hold", "hunter2", "secret"):
        assert _read(session) == {"text": None, "kind": "", "is_secret": True}
