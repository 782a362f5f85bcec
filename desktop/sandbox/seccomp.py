"""Seccomp filters: what Landlock cannot see, for commands that only read and those that work in a project.

Numbers from Linux, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h; the
program is classic BPF as in Documentation/userspace-api/seccomp_filter.rst. A refused call fails with EPERM,
so that programs say so and go on. The native confining client carries the same filters: its build writes them
into a header (packaging/hook_client/tables.py). Imports nothing of ours: it runs in the supervisor.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

# name: (x86-64, AArch64); NOWHERE where the architecture never had the call.
NOWHERE = -1
CALLS: dict[str, tuple[int, int]] = {
    # Rings of calls that pass by every filter.
    "io_uring_setup": (425, 425),
    # Keys of the session.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "pidfd_getfd": (438, 438),
    "open_by_handle_at": (304, 265),
    # The computer itself, for an administrator's account.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "setns": (308, 268),
    "chroot": (161, 51),
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
# Other processes. Landlock keeps those outside out of reach; debuggers and sanitizers trace their own.
TRACING: dict[str, tuple[int, int]] = {
    "ptrace": (101, 117),
    "process_vm_writev": (311, 271),
}
# Permission bits, owners, times, attributes: Landlock lets them pass, a mount that is read-only does not.
METADATA: dict[str, tuple[int, int]] = {
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
    "file_setattr": (469, 469),
}
# What outlives the process elsewhere than on a disk. Memory, semaphores and queues of other programs are
# used by numbers that /proc/sysvipc tells, without having been asked for.
LASTING: dict[str, tuple[int, int]] = {
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    # A queue that stands in /dev/mqueue can be opened as a file.
    "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184),
}
# By call: which argument says what is to be done, and what only tells how it stands.
TELLS: dict[str, tuple[int, tuple[int, ...]]] = {
    "shmctl": (1, (2, 3, 13, 14, 15)),  # IPC_STAT, IPC_INFO, SHM_STAT, SHM_INFO, SHM_STAT_ANY
    "semctl": (2, (2, 3, 11, 12, 13, 14, 15, 18, 19, 20)),  # also GETPID to GETZCNT
    "msgctl": (1, (2, 3, 11, 12, 13)),
}

# What one process can do to another, and what starts one; for a process that only answers on a pipe.
ALONE: dict[str, tuple[int, int]] = {
    "fork": (57, NOWHERE),
    "vfork": (58, NOWHERE),
    "clone": (56, 220),
    "clone3": (435, 435),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "process_vm_readv": (310, 270),
    "kcmp": (312, 272),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "get_robust_list": (274, 100),
    # Of another process of the same user just as of its own.
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    # Tells which files somebody opens and makes, without opening them.
    "inotify_init": (253, NOWHERE),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    # Memory that no limit of the address space counts.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # Would take back that it ends with the program.
    "prctl": (157, 167),
    "setsid": (112, 157),
    "setpgid": (109, 154),
}

SOCKET, SOCKETPAIR, CONNECT = (41, 198), (53, 199), (42, 203)
SENDTO, SENDMSG, SENDMMSG = (44, 206), (46, 211), (307, 269)
IOCTL, PRLIMIT = (16, 29), (302, 261)
CLONE, CLONE3, UNSHARE = (56, 220), (435, 435), (272, 97)
# Work on files and folders that are open to read; the kind of device and the number, whatever their size.
SET_FILE_FLAGS = (
    *(0x6602, 0x5820, 0x7602, 0x6604),  # FS_IOC_SETFLAGS, FSSETXATTR, SETVERSION, an older one of ext4
    *(0x6613, 0x6617, 0x6618, 0x6619, 0x6685),  # encryption of folders, its keys, FS_IOC_ENABLE_VERITY
    *(0x6609, 0x660C, 0x6611),  # of ext4: how a file is stored
    *(
        0x9401,
        0x9402,
        0x940E,
        0x940F,
        0x9410,
        0x9413,
        0x9417,
        0x9418,
        0x941A,
        0x9425,
        0x9432,
        0x943F,
    ),  # of btrfs
    *(0xBC10, 0xBC11),  # of bcachefs: volumes below others are made and removed
)
BY_KIND_AND_NUMBER = 0xFFFF
TYPE_INTO_TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS to CLONE_NEWNET; CLONE_NEWTIME is a bit of clone's signal
NEW_TIME = 0x80
UNIX, INET, INET6, NETLINK = (1,), (2,), (10,), (16,)
STREAM, DGRAM, SEQPACKET = 1, 2, 5
KIND = 0xF  # of a socket's type, beside SOCK_NONBLOCK and SOCK_CLOEXEC
FAST_OPEN = 0x20000000  # MSG_FASTOPEN: connects while it sends
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7), "arm64": (1, 0xC00000B7)}
X32_BIT = 0x40000000  # a second numbering on x86-64

LOAD, AND, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data, little endian
ANY = 0xFFFFFFFF
ALLOW = 0x7FFF0000
ASK = 0x7FC00000  # SECCOMP_RET_USER_NOTIF: the supervisor of the native client does it
REFUSE = 0x00050000 | errno.EPERM
MISSING = 0x00050000 | errno.ENOSYS  # glibc then takes the older call, whose flags can be seen here
PR_SET_SECCOMP, FILTER_MODE = 22, 2


class Purpose(StrEnum):
    """What a command that is filtered may do."""

    READ = "read"
    READ_NETWORK = "read network"  # reads, and may open connections over IP
    PROJECT = "project"  # writes where mounts let it; connections are made by the supervisor
    ALONE = "alone"  # no other process, no socket: one that answers on a pipe


# Those of the native confining client, which carries their filters.
OF_COMMANDS = (Purpose.READ, Purpose.READ_NETWORK, Purpose.PROJECT)


@dataclass(frozen=True)
class Test:
    """An argument of a call, less the bits outside `mask`, is one of `values`."""

    argument: int
    values: tuple[int, ...]
    mask: int = ANY


@dataclass(frozen=True)
class SyscallRule:
    """What becomes of a call that passes all tests; the first rule that fits counts."""

    call: tuple[int, int]
    action: int
    tests: tuple[Test, ...] = ()


# How much of the computer a process gets: what says of which kind the number is that names it, and where that
# stands. 0 is whoever calls; a command has no say over the processes of others, which could not take it back.
SHARES: tuple[tuple[tuple[int, int], tuple[Test, ...], int], ...] = (
    (ALONE["setpriority"], (Test(0, (0,)),), 1),  # PRIO_PROCESS, and no group or user
    (ALONE["ioprio_set"], (Test(0, (1,)),), 1),  # IOPRIO_WHO_PROCESS
    *((ALONE[f"sched_set{name}"], (), 0) for name in ("affinity", "param", "scheduler", "attr")),
)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


@functools.cache
def is_available() -> bool:
    """Whether the filter can be written for this processor and the kernel takes filters. Looked at once."""
    return platform.machine() in ARCHITECTURES and os.path.exists("/proc/sys/kernel/seccomp")


def rules(purpose: Purpose) -> Iterator[SyscallRule]:
    """The rules in the order in which they are tried; a call without one passes."""
    if purpose is Purpose.ALONE:
        yield from (SyscallRule(call, REFUSE) for call in ALONE.values())
        yield from (SyscallRule(call, REFUSE) for call in (SOCKETPAIR, UNSHARE))
    yield from _socket_rules(purpose)
    yield from (SyscallRule(IOCTL, REFUSE, (Test(1, (request,)),)) for request in TYPE_INTO_TERMINAL)
    for call, kind, at in SHARES:
        yield SyscallRule(call, ALLOW, (*kind, Test(at, (0,))))
        if purpose is Purpose.PROJECT:  # its supervisor knows which processes are the command's
            yield SyscallRule(call, ASK, kind)
        yield SyscallRule(call, REFUSE)
    yield SyscallRule(PRLIMIT, ALLOW, (Test(0, (0,)),))  # its own limits, nobody else's
    yield SyscallRule(PRLIMIT, REFUSE)
    yield SyscallRule(UNSHARE, ALLOW, (Test(0, (0,), NEW_NAMESPACES | NEW_TIME),))
    yield SyscallRule(UNSHARE, REFUSE)
    yield SyscallRule(CLONE, ALLOW, (Test(0, (0,), NEW_NAMESPACES),))
    yield SyscallRule(CLONE, REFUSE)
    yield SyscallRule(CLONE3, MISSING)
    refused = dict(CALLS)
    if purpose is not Purpose.PROJECT:
        yield SyscallRule(IOCTL, REFUSE, (Test(1, SET_FILE_FLAGS, BY_KIND_AND_NUMBER),))
        yield from (
            SyscallRule(LASTING[name], ALLOW, (Test(at, known),)) for name, (at, known) in TELLS.items()
        )
        refused |= METADATA | LASTING | TRACING
    yield from (SyscallRule(call, REFUSE) for call in refused.values())


def _socket_rules(purpose: Purpose) -> Iterator[SyscallRule]:
    """No socket to a service of this computer (D-Bus, Docker), which would do for a program what it may not.

    A pair of sockets that keeps apart what it is sent has no other address; one of datagrams could name one.
    """
    yield SyscallRule(SOCKETPAIR, REFUSE, (Test(1, (DGRAM,), KIND),))
    if purpose in (Purpose.READ, Purpose.ALONE):
        yield SyscallRule(SOCKET, REFUSE)
        return
    routes = SyscallRule(
        SOCKET, ALLOW, (Test(0, NETLINK), Test(2, (0,)))
    )  # which addresses this computer has
    yield routes
    if purpose is Purpose.READ_NETWORK:
        yield SyscallRule(SOCKET, ALLOW, (Test(0, INET + INET6),))
    else:
        streams = (Test(0, UNIX), Test(1, (STREAM, SEQPACKET), KIND))
        yield SyscallRule(SOCKET, ALLOW, streams)
        yield SyscallRule(SOCKET, ASK, (Test(0, INET + INET6), Test(1, (STREAM,), KIND), Test(2, (0, 6))))
        yield SyscallRule(SOCKET, ALLOW, (Test(0, INET + INET6), Test(1, (DGRAM,), KIND), Test(2, (0, 17))))
        yield SyscallRule(CONNECT, ASK)
        for call, argument in ((SENDTO, 3), (SENDMSG, 2), (SENDMMSG, 3)):
            yield SyscallRule(call, REFUSE, (Test(argument, (FAST_OPEN,), FAST_OPEN),))
    yield SyscallRule(SOCKET, REFUSE)


def program(purpose: Purpose = Purpose.READ, machine: str = "") -> bytes:
    """The filter as the kernel, and `bwrap --seccomp`, read it; for `machine`, or for this computer."""
    column, architecture = ARCHITECTURES[machine or platform.machine()]
    lines = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, NUMBER),
        (JUMP_AT_LEAST, 0, 1, X32_BIT),
        (RETURN, 0, 0, REFUSE),
    ]
    for rule in rules(purpose):
        if rule.call[column] != NOWHERE:
            lines += _compiled(rule, rule.call[column])
    lines += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("<HBBI", *line) for line in lines)


def _compiled(rule: SyscallRule, number: int) -> list[tuple[int, int, int, int]]:
    """Instructions that end with the number of the call loaded, as they found it."""
    lines: list[tuple[int, int, int, int]] = [(RETURN, 0, 0, rule.action)]
    for test in reversed(rule.tests):
        skip = len(lines)
        compare = [
            (JUMP_EQUAL, len(test.values) - 1 - place, 0, value) for place, value in enumerate(test.values)
        ]
        compare[-1] = (JUMP_EQUAL, 0, skip, test.values[-1])
        lines = [(LOAD, 0, 0, ARGUMENTS + 8 * test.argument), (AND, 0, 0, test.mask), *compare, *lines]
    if not rule.tests:
        return [(JUMP_EQUAL, 0, 1, number), *lines]
    return [(JUMP_EQUAL, 0, len(lines) + 1, number), *lines, (LOAD, 0, 0, NUMBER)]


def instructions(text: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Code, the two jumps and the value of each line of a `program`."""
    return struct.iter_unpack("<HBBI", text)


def apply() -> None:
    """Filter this thread and its children, for good; needs no_new_privs before. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    text = program()
    filled = _Program(len(text) // 8, text)
    if libc.prctl(PR_SET_SECCOMP, FILTER_MODE, ctypes.byref(filled), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
