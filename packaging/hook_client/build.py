#!/usr/bin/env python3
"""Build the native hook client.

  python3 packaging/hook_client/build.py [--out DIR]           for every platform, with the package `ziglang`
  python3 packaging/hook_client/build.py --here [--out DIR]    for this computer's kind, with `ziglang`
  python3 packaging/hook_client/build.py --local [--out DIR]   for this computer, with its own `cc`

A bundle carries its platform's program as resources/hook_client/steward-hook (.exe on Windows), where
`steward agents install` finds it. Exit code 1 when one cannot be built or is too large.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "hook.c"
FLAGS = ["-Os", "-s", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror"]
LIMIT_BYTES = 100_000
TIMEOUT_S = 600
ZIG = [sys.executable, "-m", "ziglang", "cc"]


@dataclass(frozen=True)
class Target:
    """One platform: its name in file names, and what zig calls it."""

    name: str
    triple: str
    libraries: tuple[str, ...] = ()

    @property
    def file_name(self) -> str:
        return f"steward-hook-{self.name}" + (".exe" if "windows" in self.triple else "")


TARGETS = (
    Target("linux-x86_64", "x86_64-linux-musl"),  # musl links statically: one file for every distribution
    Target("linux-arm64", "aarch64-linux-musl"),
    Target("windows-x86_64", "x86_64-windows-gnu", ("-lws2_32",)),
    Target("windows-arm64", "aarch64-windows-gnu", ("-lws2_32",)),
    Target("macos-x86_64", "x86_64-macos"),
    Target("macos-arm64", "aarch64-macos"),
)


class BuildFailed(Exception):
    """What the compiler said."""


def build_local(out: Path) -> Path:
    """With this computer's `cc`. Raises BuildFailed, and FileNotFoundError where there is no compiler."""
    target = out / "steward-hook"
    _compile(["cc"], target, ())
    return target


def build_all(out: Path) -> tuple[Path, ...]:
    """Every platform; macOS gets one file for both processors. Raises BuildFailed."""
    made = {target.name: out / target.file_name for target in TARGETS}
    for target in TARGETS:
        _compile([*ZIG, "-target", target.triple], made[target.name], target.libraries)
    universal = out / "steward-hook-macos"
    universal.write_bytes(fat(made.pop("macos-x86_64"), made.pop("macos-arm64")))
    universal.chmod(0o755)
    _check_size(universal)
    return (*made.values(), universal)


def build_here(out: Path) -> Path:
    """For this computer's kind under the name that a bundle has; on Linux it is linked statically, so that it
    asks for no library of the system. Raises BuildFailed."""
    if sys.platform == "darwin":
        universal = next(path for path in build_all(out) if path.name == "steward-hook-macos")
        return universal.rename(out / "steward-hook")
    machine = {"AMD64": "x86_64", "aarch64": "arm64", "ARM64": "arm64"}.get(
        platform.machine(), platform.machine()
    )
    wanted = f"{'windows' if sys.platform == 'win32' else 'linux'}-{machine}"
    target = next((each for each in TARGETS if each.name == wanted), None)
    if target is None:
        raise BuildFailed(f"there is no hook client for {wanted}")
    made = out / ("steward-hook" + Path(target.file_name).suffix)
    _compile([*ZIG, "-target", target.triple], made, target.libraries)
    return made


def _compile(compiler: list[str], target: Path, libraries: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:  # debug files that some targets write land here
        made = Path(folder) / target.name
        command = [*compiler, *FLAGS, "-o", str(made), str(SOURCE), *libraries]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        if done.returncode:
            raise BuildFailed(f"{target.name}: {done.stderr.strip()}")
        _check_size(made)
        target.write_bytes(made.read_bytes())
        target.chmod(0o755)


def _check_size(program: Path) -> None:
    if program.stat().st_size > LIMIT_BYTES:
        raise BuildFailed(f"{program.name} has {program.stat().st_size} bytes, more than {LIMIT_BYTES}")


@dataclass(frozen=True)
class Part:
    """One program in a universal file: CPU type and subtype of <mach/machine.h>, and its page."""

    cpu: tuple[int, int]
    page_bits: int


FAT_MAGIC = 0xCAFEBABE  # <mach-o/fat.h>: a big-endian header, then five words for each part
X86_64 = Part((0x01000007, 3), 12)
ARM64 = Part((0x0100000C, 0), 14)


def fat(x86_64: Path, arm64: Path) -> bytes:
    """Both programs in one file, each at a page of its own."""
    parts = ((X86_64, x86_64.read_bytes()), (ARM64, arm64.read_bytes()))
    head = FAT_MAGIC.to_bytes(4) + len(parts).to_bytes(4)
    body = bytes(1 << X86_64.page_bits)  # where the header will stand
    for part, content in parts:
        body += bytes(-len(body) % (1 << part.page_bits))
        words = (*part.cpu, len(body), len(content), part.page_bits)
        head += b"".join(word.to_bytes(4) for word in words)
        body += content
    return head + body[len(head) :]


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the native hook client.")
    parser.add_argument("--out", type=Path, default=HERE / "dist")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--local", action="store_true", help="for this computer, with its own cc")
    kind.add_argument("--here", action="store_true", help="for computers of this kind, with ziglang")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        if arguments.local:
            made = (build_local(arguments.out),)
        else:
            made = (build_here(arguments.out),) if arguments.here else build_all(arguments.out)
    except (BuildFailed, FileNotFoundError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write("".join(f"{path.stat().st_size:7} {path}\n" for path in made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
