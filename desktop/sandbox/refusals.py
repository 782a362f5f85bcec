"""Why a path or a program was refused. Every refusal names the reason and changes nothing."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from desktop.errors import UserFacing
from desktop.reasons import Reason, ReasonCode


class SandboxReason(ReasonCode):
    """What a path, a file or a command was refused for; worded in messages/*/sandbox.toml."""

    A_PIPE = "sandbox.a-pipe"
    A_SOCKET = "sandbox.a-socket"
    A_DEVICE = "sandbox.a-device"
    CONFINED_ONLY_ON_LINUX = "sandbox.confined-only-on-linux"
    CONFINED_BY_NOTHING = "sandbox.confined-by-nothing"
    CONFINED_BY_NO_CLIENT = "sandbox.confined-by-no-client"
    CONFINED_TO_NO_PROJECT = "sandbox.confined-to-no-project"
    APPARMOR_FORBIDS = "sandbox.apparmor-forbids"
    APPARMOR_INSTALL_AGAIN = "sandbox.apparmor-install-again"
    APPARMOR_PROFILE = "sandbox.apparmor-profile"
    READS_FREE_ON_WINDOWS = "sandbox.reads-free-on-windows"
    READS_FREE = "sandbox.reads-free"
    READS_HELD_BY_LANDLOCK = "sandbox.reads-held-by-landlock"
    READS_HELD_BY_BUBBLEWRAP = "sandbox.reads-held-by-bubblewrap"
    READS_HELD_BY_NAME = "sandbox.reads-held-by-name"
    PATH_OUTSIDE = "sandbox.path-outside"
    PATH_OTHER_NAMES = "sandbox.path-other-names"
    PATH_EMPTY = "sandbox.path-empty"
    PATH_TOO_LONG = "sandbox.path-too-long"
    PATH_NUL = "sandbox.path-nul"
    PATH_INVISIBLE = "sandbox.path-invisible"
    PATH_SLASH_LOOK_ALIKE = "sandbox.path-slash-look-alike"
    PATH_DOTS_LOOK_ALIKE = "sandbox.path-dots-look-alike"
    PATH_SHARE = "sandbox.path-share"
    PATH_WINDOWS_DEVICE = "sandbox.path-windows-device"
    PATH_OF_SYSTEM = "sandbox.path-of-system"
    PATH_BACKSLASH = "sandbox.path-backslash"
    PATH_UP = "sandbox.path-up"
    PATH_RESOURCE_FORK = "sandbox.path-resource-fork"
    PATH_COLON = "sandbox.path-colon"
    PATH_ENDS_IN_DOT = "sandbox.path-ends-in-dot"
    PATH_ROOT = "sandbox.path-root"
    PATH_NOT_PLAIN = "sandbox.path-not-plain"
    PATH_LINK = "sandbox.path-link"
    PATH_OWN_FILES = "sandbox.path-own-files"
    PATH_MISSING = "sandbox.path-missing"
    PATH_DENIED = "sandbox.path-denied"
    PATH_READ_ONLY_DRIVE = "sandbox.path-read-only-drive"
    PATH_IS_FOLDER = "sandbox.path-is-folder"
    PATH_NOT_FOLDER = "sandbox.path-not-folder"
    PATH_NOT_EMPTY = "sandbox.path-not-empty"
    PATH_EXISTS = "sandbox.path-exists"
    PATH_NAME_TOO_LONG = "sandbox.path-name-too-long"
    PATH_OTHER_DRIVE = "sandbox.path-other-drive"
    DISK_FULL = "sandbox.disk-full"
    QUOTA_USED_UP = "sandbox.quota-used-up"
    PATH_CLOSED = "sandbox.path-closed"
    PATH_NO_FILE = "sandbox.path-no-file"
    PATH_FAILED = "sandbox.path-failed"
    PROGRAM_MISSING = "sandbox.program-missing"
    NOT_CONFINED = "sandbox.not-confined"
    CONFINE_TOO_WIDE = "sandbox.confine-too-wide"
    NO_CONFINEMENT = "sandbox.no-confinement"
    CONFINE_TOO_LONG = "sandbox.confine-too-long"


class OutsideWorkspace(UserFacing):
    """An absolute path outside every open folder. `path` is resolved: the user may be asked about it."""

    def __init__(self, path: Path, code: SandboxReason = SandboxReason.PATH_OUTSIDE) -> None:
        super().__init__(code.of(path=str(path)))
        self.path = path


class OtherNames(OutsideWorkspace):
    """A file in an open folder that has another name elsewhere: what it holds may belong outside."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, SandboxReason.PATH_OTHER_NAMES)


def bad_path(code: SandboxReason, text: str, **values: str | int) -> UserFacing:
    """The text of a path cannot be used; `values` are those that the sentence of `code` names beside it."""
    return UserFacing(code.of(path=visible(text), **values))


def not_plain(shown: str, found: Reason) -> UserFacing:
    """Something that is neither a file nor a folder stands there; `found` names it."""
    return UserFacing(SandboxReason.PATH_NOT_PLAIN.of(path=visible(shown), found=found))


def link(shown: str) -> UserFacing:
    return UserFacing(SandboxReason.PATH_LINK.of(path=visible(shown)))


def own_files(shown: str) -> UserFacing:
    return UserFacing(SandboxReason.PATH_OWN_FILES.of(path=visible(shown)))


_BY_ERRNO = {
    errno.ENOENT: SandboxReason.PATH_MISSING,
    errno.EACCES: SandboxReason.PATH_DENIED,
    errno.EPERM: SandboxReason.PATH_DENIED,
    errno.EROFS: SandboxReason.PATH_READ_ONLY_DRIVE,
    errno.EISDIR: SandboxReason.PATH_IS_FOLDER,
    errno.ENOTDIR: SandboxReason.PATH_NOT_FOLDER,
    errno.ENOTEMPTY: SandboxReason.PATH_NOT_EMPTY,
    errno.EEXIST: SandboxReason.PATH_EXISTS,
    errno.ENAMETOOLONG: SandboxReason.PATH_NAME_TOO_LONG,
    errno.EXDEV: SandboxReason.PATH_OTHER_DRIVE,
    errno.ENOSPC: SandboxReason.DISK_FULL,
    errno.EDQUOT: SandboxReason.QUOTA_USED_UP,
    errno.EBADF: SandboxReason.PATH_CLOSED,
    errno.ENXIO: SandboxReason.PATH_NO_FILE,
}


def from_os(error: OSError, shown: str) -> UserFacing:
    """What the system refused, about the path that the user knows as `shown`."""
    # Both ways of opening answer a link in the way with ELOOP; there need be no loop.
    if error.errno == errno.ELOOP:
        return link(shown)
    code = _BY_ERRNO.get(error.errno or 0)
    if code is None:
        why = os.strerror(error.errno or 0)
        return UserFacing(SandboxReason.PATH_FAILED.of(path=visible(shown), why=why))
    return UserFacing(code.of(path=visible(shown)))


def visible(text: str) -> str:
    """`text` with everything that cannot be seen, or reorders what can, written as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
