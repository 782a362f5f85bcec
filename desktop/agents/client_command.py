"""Which hook client is started here: the native one, or the Python file where no C compiler was at hand."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from desktop.agents import client
from desktop.errors import UserFacing
from desktop.paths import native_programs, own_appimage, write_atomically


@dataclass(frozen=True)
class Client:
    """The words that start it, absolute."""

    words: tuple[str, ...]
    windows: bool = False


def hook_client(folder: Path) -> Client:
    """A program that is there also while Steward is not: an AppImage puts its own into `folder`.

    Raises UserFacing in a bundle that lacks its client, and where a copy cannot be written.
    """
    windows = sys.platform == "win32"
    native = native_programs() / ("steward-hook.exe" if windows else "steward-hook")
    if native.is_file():
        lasting = native if own_appimage() is None else _kept(native, folder / native.name)
        return Client((str(lasting),), windows)
    if getattr(sys, "frozen", False):
        raise UserFacing(
            f"This copy of Steward lacks its hook client ({native}).",
            "Nothing was changed.",
            "Install Steward again.",
            code="no-hook-client",
        )
    return Client((sys.executable, "-I", "-S", str(Path(client.__file__).resolve())), windows)


def _kept(native: Path, copy: Path) -> Path:
    """`copy`, the same as `native`; replaced whole, because an agent may be starting it just now."""
    content = native.read_bytes()
    try:
        if not copy.is_file() or copy.read_bytes() != content:
            write_atomically(copy, content)
        copy.chmod(0o700)
    except OSError as error:
        raise UserFacing(
            f"The hook client could not be written to {copy.parent}: {error}.",
            "Nothing was changed.",
            "Make room there, or give yourself the right to write, then try again.",
            code="no-hook-client",
        ) from error
    return copy
