"""Starting anew after everything is closed."""

from __future__ import annotations

import subprocess
import sys
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
