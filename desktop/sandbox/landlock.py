"""Landlock: a process gives up the right to write, for itself and all its children, for good.

Numbers from Linux, include/uapi/linux/landlock.h; the meaning of each ABI from
Documentation/userspace-api/landlock.rst. Landlock does not know permission bits, owners, times, extended
attributes nor datagrams: `seccomp` forbids those. Imports nothing of ours: it runs in the supervisor.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS = 38

EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_FOLDER, REMOVE_FILE = 1 << 4, 1 << 5
MAKE = sum(1 << bit for bit in range(6, 13))  # devices, folders, files, sockets, pipes, links
REFER = 1 << 13  # ABI 2: move between folders
TRUNCATE = 1 << 14  # ABI 3
DEVICE_CONTROL = 1 << 15  # ABI 5
WRITES = WRITE_FILE | REMOVE_FOLDER | REMOVE_FILE | MAKE | REFER | TRUNCATE
READS = READ_FILE | READ_FOLDER
TCP = 0b11  # ABI 4: bind and connect
OUTSIDE_THE_FENCE = 0b11  # ABI 6: abstract sockets of, and signals to, processes that are not restricted

# Before ABI 3 a file could still be cut to nothing.
OLDEST_ABI = 3
SINKS = ("/dev/null", "/dev/zero", "/dev/full")


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    # As <linux/landlock.h> declares it: with padding the kernel would read the wrong bytes.
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


_libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


@functools.cache
def abi() -> int:
    """The kernel's version of Landlock; 0 where there is none. Asked once: it is of the kernel."""
    if _libc is None or not sys.platform.startswith("linux"):
        return 0
    return max(0, int(_libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION_FLAG)))


def forbid_writing(writable: Iterable[int] = ()) -> None:
    """From now on this thread and its children write nothing but to the folders of the descriptors
    `writable`. Raises OSError.

    Needs `OLDEST_ABI`. TCP, signals to others and abstract sockets are given up too where the ABI knows them.
    """
    ruleset = _ruleset(WRITES)
    for path in SINKS:
        _allow(ruleset, path, WRITE_FILE | TRUNCATE)
    for folder in writable:
        _allow_beneath(ruleset, folder, WRITES)
    _enforce(ruleset)


def forbid_files(readable: Iterable[str]) -> None:
    """From now on this thread and its children write nothing, start nothing, and open to read only what lies
    below `readable`; what does not exist there is left out. Raises OSError.

    Descriptors that are open stay so. That a path exists, its size and its times can still be asked for:
    Landlock does not know `stat`.
    """
    ruleset = _ruleset(WRITES | READS | EXECUTE)
    for path in readable:
        if os.path.exists(path):
            _allow(ruleset, path, READS if os.path.isdir(path) else READ_FILE)
    _enforce(ruleset)


def _ruleset(rights: int) -> int:
    version = abi()
    # Only what this kernel knows: it refuses a set of rules with any other right
    # (landlock_create_ruleset(2)).
    handled = rights | (DEVICE_CONTROL if version >= 5 else 0)
    rules = _Ruleset(handled, TCP if version >= 4 else 0, OUTSIDE_THE_FENCE if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    return _call(CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), 0)


def _enforce(ruleset: int) -> None:
    no_new_privileges()
    _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def no_new_privileges() -> None:
    """No program started from here on gains rights through set-user-id bits. Raises OSError."""
    assert _libc is not None
    if _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")


def _allow(ruleset: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        _allow_beneath(ruleset, place, rights)
    finally:
        os.close(place)


def _allow_beneath(ruleset: int, place: int, rights: int) -> None:
    rule = _PathBeneath(rights, place)
    _call(ADD_RULE, ruleset, RULE_PATH_BENEATH, ctypes.byref(rule), 0)


def _call(number: int, *arguments: object) -> int:
    assert _libc is not None
    result = int(_libc.syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"landlock call {number}: {os.strerror(ctypes.get_errno())}")
    return result
