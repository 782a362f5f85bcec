"""The header of the confining client: filters and rights, from the modules that the program itself uses."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from desktop.sandbox import landlock, seccomp  # noqa: E402 - found only by the line above

PROCESSORS = {"__x86_64__": "x86_64", "__aarch64__": "aarch64"}
RIGHTS = {
    "RIGHT_WRITE_FILE": landlock.WRITE_FILE,
    "RIGHT_READ_FILE": landlock.READ_FILE,
    "RIGHT_TRUNCATE": landlock.TRUNCATE,
    "RIGHT_DEVICE_CONTROL": landlock.DEVICE_CONTROL,
    "RIGHTS_TO_WRITE": landlock.WRITES,
    "NET_TCP": landlock.TCP,
    "SCOPE_OUTSIDE": landlock.OUTSIDE_THE_FENCE,
    "LANDLOCK_OLDEST_ABI": landlock.OLDEST_ABI,
    "CALL_CREATE_RULESET": landlock.CREATE_RULESET,
    "CALL_ADD_RULE": landlock.ADD_RULE,
    "CALL_RESTRICT_SELF": landlock.RESTRICT_SELF,
}


def header() -> str:
    """C source: a number for each right, and each filter as an array of the kernel's instructions."""
    return "".join(_lines())


def _lines() -> Iterator[str]:
    yield "/* Written by packaging/hook_client/tables.py from modules of desktop/sandbox. */\n"
    for name, value in RIGHTS.items():
        yield f"#define {name} {value}ULL\n"
    for macro, machine in PROCESSORS.items():
        yield f"#ifdef {macro}\n"
        for purpose in seccomp.OF_COMMANDS:
            yield from _filter(f"filter_to_{purpose.value.replace(' ', '_')}", purpose, machine)
        yield "#endif\n"


def _filter(name: str, purpose: seccomp.Purpose, machine: str) -> Iterator[str]:
    text = seccomp.program(purpose, machine)
    yield f"static const struct sock_filter {name}[] = {{\n"
    for code, on_true, on_false, value in seccomp.instructions(text):
        yield f"    {{{code:#x}, {on_true}, {on_false}, {value:#x}}},\n"
    yield "};\n"
