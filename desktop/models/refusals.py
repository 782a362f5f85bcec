"""What can go wrong with a model file on this computer, in the user's words."""

from __future__ import annotations

import errno
from pathlib import Path

from desktop.errors import UserFacing
from desktop.reasons import size_text

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def disk_full(folder: Path) -> UserFacing:
    """The disk ran full while the file was arriving."""
    return UserFacing(
        f"The disk that holds {folder} is full.",
        "What has arrived so far is kept.",
        "Free some space and start the download again; it goes on from there.",
        code="disk-full",
    )


def no_room(folder: Path, needed_bytes: int, free_bytes: int) -> UserFacing:
    """Seen before anything was fetched."""
    return UserFacing(
        f"The download needs {size_text(needed_bytes)} more in {folder}, "
        f"and {size_text(free_bytes)} are free.",
        "Nothing was downloaded.",
        "Free some space, or choose a smaller model.",
        code="disk-full",
    )


def not_written(path: Path, error: OSError) -> UserFacing:
    """The operating system refused a file for another reason than space."""
    return UserFacing(
        f"{path} could not be written: {error.strerror or error}.",
        "What has arrived so far is kept.",
        "Check that the folder may be written to, then try again.",
        code="disk-refused",
    )


def from_os(error: OSError, path: Path) -> UserFacing:
    """The refusal for an error met while writing `path`."""
    return disk_full(path.parent) if error.errno in FULL else not_written(path, error)


def wrong_hash(name: str, kept_at: Path) -> UserFacing:
    return UserFacing(
        f"{name} arrived, but it is not the file that its maker published: the SHA-256 is different.",
        f"The file was moved to {kept_at} and will not be used.",
        "Try again; if it happens again, choose another source or tell the maker.",
        code="wrong-hash",
    )


def wrong_size(name: str, expected: int, found: int, kept_at: Path) -> UserFacing:
    return UserFacing(
        f"{name} should have {expected:,} bytes, and {found:,} arrived.",
        f"The file was moved to {kept_at} and will not be used.",
        "Try again, or choose another source.",
        code="wrong-size",
    )


def other_file(name: str, expected: int, offered: int, host: str) -> UserFacing:
    """The server announced another size: seen before a byte was taken."""
    return UserFacing(
        f"{host} offers another file for {name}: {offered:,} bytes instead of {expected:,}.",
        "What has arrived so far is kept.",
        "A sign-in page of this network may be in the way; otherwise choose another source.",
        code="wrong-size",
    )


def no_source(name: str) -> UserFacing:
    return UserFacing(
        f"There is no address for {name}.",
        "Nothing was changed.",
        "Choose another model, or import a file that you have.",
        code="no-source",
    )
