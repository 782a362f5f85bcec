"""Which hook client is started here: the native one of a bundle, or the Python file with this interpreter."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from desktop.agents import client
from desktop.errors import UserFacing
from desktop.paths import resources


@dataclass(frozen=True)
class Client:
    """The words that start it, absolute."""

    words: tuple[str, ...]
    windows: bool = False


def hook_client() -> Client:
    """Raises UserFacing in a bundle that lacks its client, and in one that is gone when it does not run."""
    if os.environ.get("APPIMAGE") and getattr(sys, "frozen", False):
        raise UserFacing(
            "An AppImage is unpacked only while it runs, so coding agents could not start its hook client.",
            "Nothing was changed.",
            "Unpack it with --appimage-extract and start Steward from there, or install a package.",
            code="no-hook-client",
        )
    windows = sys.platform == "win32"
    native = resources() / "hook_client" / ("steward-hook.exe" if windows else "steward-hook")
    if native.is_file():
        return Client((str(native),), windows)
    if getattr(sys, "frozen", False):
        raise UserFacing(
            f"This copy of Steward lacks its hook client ({native}).",
            "Nothing was changed.",
            "Install Steward again.",
            code="no-hook-client",
        )
    return Client((sys.executable, "-I", "-S", str(Path(client.__file__).resolve())), windows)
