"""Which hook client an agent's settings name."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from desktop.agents import settings_file
from desktop.agents.settings_file import hook_client
from desktop.errors import UserFacing
from desktop.paths import resources

NAME = "steward-hook.exe" if sys.platform == "win32" else "steward-hook"


def test_a_checkout_without_a_compiler_uses_the_python_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With this interpreter, alone: no site packages, no variables of the user."""
    monkeypatch.setattr(settings_file, "native_programs", lambda: tmp_path)
    words = hook_client(tmp_path).words
    assert words[:3] == (sys.executable, "-I", "-S")
    assert words[3].endswith("client.py")


@pytest.fixture
def native(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client inside a bundle that is the program now, mounted from an AppImage."""
    mount = tmp_path / "mount"
    client = mount / "resources" / "hook_client" / NAME
    client.parent.mkdir(parents=True)
    client.write_bytes(b"#!/bin/sh\necho one\n")
    # A bundle also has the sentences of its errors.
    (mount / "resources" / "messages").symlink_to(resources() / "messages")
    monkeypatch.setattr(sys, "_MEIPASS", str(mount), raising=False)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(mount / "steward"))
    monkeypatch.setenv("APPIMAGE", "/home/ada/Steward.AppImage")
    monkeypatch.setenv("APPDIR", str(mount))
    return client


def test_an_appimage_keeps_its_client_where_it_stays(native: Path, tmp_path: Path) -> None:
    """An agent whose hook cannot be started runs unprotected; the copy is that of the newest version."""
    kept = tmp_path / "data" / "hook_client"
    assert hook_client(kept).words == (str(kept / NAME),)
    assert (kept / NAME).read_bytes() == native.read_bytes()
    assert os.access(kept / NAME, os.X_OK)
    native.write_bytes(b"#!/bin/sh\necho two\n")
    assert hook_client(kept).words == (str(kept / NAME),)
    assert (kept / NAME).read_bytes() == native.read_bytes()
    assert [path.name for path in kept.iterdir()] == [NAME]


def test_a_copy_that_cannot_be_written_is_told(native: Path, tmp_path: Path) -> None:
    """In words, before an agent's settings are touched."""
    (tmp_path / "data").write_text("no folder")
    with pytest.raises(UserFacing) as refused:
        hook_client(tmp_path / "data")
    assert refused.value.code == "no-hook-client"


def test_a_bundle_names_its_own_client(native: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the terminal of an editor that is an AppImage; nothing is copied."""
    monkeypatch.setenv("APPDIR", "/tmp/.mount_editor")
    assert hook_client(tmp_path / "data").words == (str(native),)
    assert not (tmp_path / "data").exists()


def test_a_bundle_without_its_client_says_so(native: Path, tmp_path: Path) -> None:
    """Nothing that is not there is written into an agent's settings."""
    native.unlink()
    with pytest.raises(UserFacing, match="lacks its hook client"):
        hook_client(tmp_path)
