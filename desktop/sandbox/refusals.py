"""Why a path or a program was refused, in words. Every refusal names the reason and changes nothing."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from desktop.errors import UserFacing

NOTHING_TOUCHED = "Nothing was read or changed."


class OutsideWorkspace(UserFacing):
    """An absolute path outside every open folder. `path` is resolved: the user may be asked about it."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is outside the folders that Steward may use.",
            NOTHING_TOUCHED,
            "Put the file into the workspace, or grant its folder.",
            code="path-outside",
        )
        self.path = path


class OtherNames(OutsideWorkspace):
    """A file in an open folder that has another name elsewhere: what it holds may belong outside."""

    def __init__(self, path: Path) -> None:
        UserFacing.__init__(
            self,
            f"{path} has another name elsewhere (a hard link), so it may be a file outside the workspace.",
            NOTHING_TOUCHED,
            "Make a copy of it in the workspace, or read it when you are asked.",
            code="path-other-names",
        )
        self.path = path


def bad_name(text: str, reason: str, code: str) -> UserFacing:
    """`reason` completes the sentence "The path … was refused: "."""
    return UserFacing(
        f"The path {visible(text)} was refused: {reason}.",
        NOTHING_TOUCHED,
        "Write the plain path of a file inside the workspace.",
        code=code,
    )


def not_plain(shown: str, found: str) -> UserFacing:
    """Something that is neither a file nor a folder stands there; `found` names it."""
    return UserFacing(
        f"{visible(shown)} was refused: it is {found}, not an ordinary file or folder.",
        NOTHING_TOUCHED,
        "Name an ordinary file or folder.",
        code="path-not-plain",
    )


def link(shown: str) -> UserFacing:
    return UserFacing(
        f"{visible(shown)} was refused: it is, or goes through, a symbolic link.",
        NOTHING_TOUCHED,
        "Name the file that the link points to, if it is inside the workspace.",
        code="path-link",
    )


def own_files(shown: str) -> UserFacing:
    return UserFacing(
        f"{visible(shown)} was refused: Steward's own data and settings are kept there.",
        NOTHING_TOUCHED,
        "Change settings in the settings window.",
        code="path-own-files",
    )


def exists(shown: str) -> UserFacing:
    return UserFacing(
        f"{visible(shown)} exists already.",
        "It was left as it is.",
        "Choose another name.",
        code="path-exists",
    )


def too_large(shown: str, limit_bytes: int) -> UserFacing:
    return UserFacing(
        f"{visible(shown)} is larger than {limit_bytes:,} bytes.",
        NOTHING_TOUCHED,
        "Read it in pieces.",
        code="path-too-large",
    )


# errno to code, cause (after the name), action.
_TABLE = {
    errno.ENOENT: ("path-missing", "does not exist", "Check the spelling, or list the folder."),
    errno.EACCES: ("path-denied", "may not be used by this user account", "Check its permissions."),
    errno.EPERM: ("path-denied", "may not be used by this user account", "Check its permissions."),
    errno.EROFS: ("path-denied", "is on a drive that cannot be written to", "Choose another folder."),
    errno.EISDIR: ("path-is-folder", "is a folder, not a file", "Name a file in it."),
    errno.ENOTDIR: ("path-not-folder", "leads through something that is no folder", "Check the spelling."),
    errno.ENOTEMPTY: ("path-not-empty", "is a folder with files in it", "Empty the folder first."),
    errno.EEXIST: ("path-exists", "exists already", "Choose another name."),
    errno.ENAMETOOLONG: ("path-name", "has a name that is too long", "Choose a shorter name."),
    errno.EXDEV: ("path-other-drive", "is on another drive than its destination", "Copy it instead."),
    errno.ENOSPC: ("disk-full", "could not be written because the disk is full", "Free some space."),
    errno.EDQUOT: ("disk-full", "could not be written because the quota is used up", "Free some space."),
    errno.EBADF: ("path-closed", "is in a folder that is no longer open to Steward", "Grant it again."),
    errno.ENXIO: ("path-not-plain", "is a pipe, socket or device", "Name an ordinary file."),
}


def from_os(error: OSError, shown: str) -> UserFacing:
    """What the system refused, about the path that the user knows as `shown`."""
    if error.errno == errno.ELOOP:
        return link(shown)
    unknown = ("path-failed", f"could not be used ({os.strerror(error.errno or 0)})", "Try again.")
    code, cause, action = _TABLE.get(error.errno or 0, unknown)
    return UserFacing(f"{visible(shown)} {cause}.", "Nothing was changed.", action, code=code)


def visible(text: str) -> str:
    """`text` with everything that cannot be seen, or reorders what can, written as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
