"""A seccomp filter for commands that only read: no socket, and none of the writes that Landlock cannot see.

Numbers from Linux, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h; the
program is classic BPF as in Documentation/userspace-api/seccomp_filter.rst. A refused call fails with EPERM,
so that programs say so and go on. Imports nothing of ours: it runs in the supervisor.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

# name: (x86-64, AArch64); NOWHERE where the architecture never had the call.
NOWHERE = -1
CALLS: dict[str, tuple[int, int]] = {
    # Every socket but a pair: TCP and UDP, netlink, and the sockets of D-Bus and Docker, whose servers would
    # do for a program what it may not do itself.
    "socket": (41, 198),
    # Rings of calls that pass by every filter.
    "io_uring_setup": (425, 425),
    # Permission bits, owners, times, attributes.
    "chmod": (90, NOWHERE),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, NOWHERE),
    "fchown": (93, 55),
    "lchown": (94, NOWHERE),
    "fchownat": (260, 54),
    "utime": (132, NOWHERE),
    "utimes": (235, NOWHERE),
    "futimesat": (261, NOWHERE),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    # What outlives the process elsewhere than on a disk.
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Other processes and their descriptors.
    "ptrace": (101, 117),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "open_by_handle_at": (304, 265),
    # The computer itself, for an administrator's account.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "quotactl": (179, 60),
    "acct": (163, 89),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
}
IOCTL = (16, 29)
SET_FILE_FLAGS = (0x40086602, 0x401C5820)  # FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR: work on files open to read

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7), "arm64": (1, 0xC00000B7)}
X32_BIT = 0x40000000  # a second numbering on x86-64

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE, SECOND_ARGUMENT = 0, 4, 24  # offsets in struct seccomp_data, little endian
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM
PR_SET_SECCOMP, FILTER_MODE = 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def is_available() -> bool:
    """Whether the filter can be written for this processor and the kernel takes filters."""
    return platform.machine() in ARCHITECTURES and os.path.exists("/proc/sys/kernel/seccomp")


def program() -> bytes:
    """The filter as the kernel, and `bwrap --seccomp`, read it."""
    column, architecture = ARCHITECTURES[platform.machine()]
    refused = sorted(number for calls in CALLS.values() if (number := calls[column]) != NOWHERE)
    lines = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, NUMBER),
        (JUMP_AT_LEAST, 0, 1, X32_BIT),
        (RETURN, 0, 0, REFUSE),
    ]
    for number in refused:
        lines += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    lines += [(JUMP_EQUAL, 0, 2 * len(SET_FILE_FLAGS) + 1, IOCTL[column]), (LOAD, 0, 0, SECOND_ARGUMENT)]
    for request in SET_FILE_FLAGS:
        lines += [(JUMP_EQUAL, 0, 1, request), (RETURN, 0, 0, REFUSE)]
    lines += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("<HBBI", *line) for line in lines)


def apply() -> None:
    """Filter this thread and its children, for good; needs no_new_privs before. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    text = program()
    filled = _Program(len(text) // 8, text)
    if libc.prctl(PR_SET_SECCOMP, FILTER_MODE, ctypes.byref(filled), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
