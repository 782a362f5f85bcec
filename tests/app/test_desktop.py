"""Starting anew after everything is closed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from desktop.app.desktop import start_again
from desktop.paths import Paths


def test_an_appimage_starts_its_file(tmp_path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it mounted goes away with the process that asks; the profile is handed on."""
    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_options: started.append(list(words)))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "mount" / "steward"))
    monkeypatch.setenv("APPIMAGE", "/home/ada/Steward.AppImage")
    monkeypatch.setenv("APPDIR", str(tmp_path / "mount"))
    start_again(paths)
    assert started == [["/home/ada/Steward.AppImage", "--profile", str(paths.profile)]]


# -- PySide at every import --------------------------------------------------------------------

PROGRAM = """
import linecache, sys
from desktop.app.desktop import read_no_sources
assert {call}
before = set(linecache.cache)
assert "{call}" == "True" or not before  # what PySide read until then is given back
import desktop.ui.application, json.tool, PySide6.QtWidgets
print(len([name for name in set(linecache.cache) - before if "desktop" in name or "json" in name]))
# Signals, properties and enumerations are as ever.
from PySide6.QtCore import QObject, Qt, Signal
class Sender(QObject):
    sent = Signal(int)
sender, got = Sender(), []
sender.sent.connect(got.append)
sender.sent.emit(3)
sender.setObjectName("a")
assert (got, sender.objectName(), Qt.Orientation.Vertical.name) == ([3], "a", "Vertical")
"""


def sources_read(call: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(find_spec("PySide6") is None, reason="what PySide reads is held back")
def test_no_source_is_read_at_an_import() -> None:
    """With PySide's own way it is read, or this test would show nothing; all else works as before."""
    assert sources_read("read_no_sources()") == 0
    assert sources_read("True") > 0
