"""What a desktop is told to run when its own settings bind the keys of Quick-ask."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from desktop.app.windows import command
from desktop.paths import Paths

pytestmark = pytest.mark.skipif(os.name == "nt", reason="desktops that bind commands to keys")


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program of a bundle in a folder that no search path names."""
    program = tmp_path / "my tools" / "steward"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("APPIMAGE", raising=False)
    return program


def test_an_installed_program_is_called_by_its_name(bundle: Path, tmp_path: Path) -> None:
    """A package links it into the search path; an update may move what the link leads to."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "steward").symlink_to(bundle)
    assert command(Paths.default()) == "steward toggle-quick-ask"


def test_another_program_of_that_name_is_not_called(bundle: Path, tmp_path: Path) -> None:
    """A portable copy beside an installed one opens its own window."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "steward").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "steward").chmod(0o755)
    assert shlex.split(command(Paths.default())) == [str(bundle), "toggle-quick-ask"]


def test_an_appimage_is_called_by_its_file(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it mounted is gone when keys are pressed tomorrow."""
    monkeypatch.setenv("APPIMAGE", "/home/ada/Steward.AppImage")
    monkeypatch.setenv("APPDIR", str(bundle.parent))
    assert command(Paths.default()) == "/home/ada/Steward.AppImage toggle-quick-ask"


def test_another_profile_is_named(paths: Paths) -> None:
    """So that the window of the right one opens."""
    assert shlex.split(command(paths))[-3:] == ["--profile", str(paths.profile), "toggle-quick-ask"]
