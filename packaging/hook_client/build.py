#!/usr/bin/env python3
"""Build the native programs that stand beside an agent: the hook client and, for Linux, the confining client.

  python3 packaging/hook_client/build.py [--out DIR]           for every platform, with the package `ziglang`
  python3 packaging/hook_client/build.py --here [--out DIR]    for this computer's kind, with `ziglang`
  python3 packaging/hook_client/build.py --local [--out DIR]   for this computer, with its own `cc`

A bundle carries its platform's programs in resources/hook_client, where `steward agents install` finds them;
a source checkout has them in build/hook_client. Exit code 1 when one cannot be built or is too large.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import tables  # noqa: E402 - found only by the line above

FLAGS = ("-Os", "-s", "-Wall", "-Wextra", "-Werror")
LIMIT_BYTES = 100_000
TIMEOUT_S = 600
ZIG = [sys.executable, "-m", "ziglang", "cc"]


@dataclass(frozen=True)
class Program:
    """A program and what it is compiled from."""

    name: str
    sources: tuple[str, ...]
    flags: tuple[str, ...]


HOOK = Program("steward-hook", ("hook.c",), ("-std=c99", "-D_POSIX_C_SOURCE=200809L"))
CONFINE = Program(
    "steward-confine",
    (
        "confine.c",
        "confine_options.c",
        "confine_rights.c",
        "confine_filter.c",
        "confine_mounts.c",
        "confine_network.c",
        "confine_guard.c",
    ),
    ("-std=gnu11", "-pthread"),
)


@dataclass(frozen=True)
class Target:
    """One platform: its name in file names, and what zig calls it."""

    name: str
    triple: str
    libraries: tuple[str, ...] = ()

    @property
    def programs(self) -> tuple[Program, ...]:
        return (HOOK, CONFINE) if "linux" in self.triple else (HOOK,)

    def file_name(self, program: Program) -> str:
        return f"{program.name}-{self.name}" + self.suffix

    @property
    def suffix(self) -> str:
        return ".exe" if "windows" in self.triple else ""


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


def build_local(out: Path, program: Program = HOOK) -> Path:
    """With this computer's `cc`. Raises BuildFailed, and FileNotFoundError where there is no compiler."""
    target = out / program.name
    _compile(["cc"], program, target, ())
    return target


def local_programs() -> tuple[Program, ...]:
    """Those that this computer can run."""
    confines = sys.platform == "linux" and platform.machine() in tables.PROCESSORS.values()
    return (HOOK, CONFINE) if confines else (HOOK,)


def build_all(out: Path) -> tuple[Path, ...]:
    """Every platform; macOS gets one file for both processors. Raises BuildFailed."""
    made: dict[str, Path] = {}
    for target in TARGETS:
        for program in target.programs:
            path = out / target.file_name(program)
            _compile([*ZIG, "-target", target.triple], program, path, target.libraries)
            made[path.name] = path
    universal = out / "steward-hook-macos"
    universal.write_bytes(fat(made.pop("steward-hook-macos-x86_64"), made.pop("steward-hook-macos-arm64")))
    universal.chmod(0o755)
    _check_size(universal)
    return (*made.values(), universal)


def build_here(out: Path) -> tuple[Path, ...]:
    """For this computer's kind under the names that a bundle has. Raises BuildFailed.

    On Linux they are linked statically, so that they ask for no library of the system.
    """
    if sys.platform == "darwin":
        universal = next(path for path in build_all(out) if path.name == "steward-hook-macos")
        return (universal.rename(out / "steward-hook"),)
    machine = {"AMD64": "x86_64", "aarch64": "arm64", "ARM64": "arm64"}.get(
        platform.machine(), platform.machine()
    )
    wanted = f"{'windows' if sys.platform == 'win32' else 'linux'}-{machine}"
    target = next((each for each in TARGETS if each.name == wanted), None)
    if target is None:
        raise BuildFailed(f"there is no hook client for {wanted}")
    made = tuple(out / (program.name + target.suffix) for program in target.programs)
    for program, path in zip(target.programs, made, strict=True):
        _compile([*ZIG, "-target", target.triple], program, path, target.libraries)
    return made


def _compile(compiler: list[str], program: Program, target: Path, libraries: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:  # debug files that some targets write land here
        made = Path(folder) / target.name
        (Path(folder) / "tables.h").write_text(tables.header(), encoding="utf-8")
        sources = [str(HERE / name) for name in program.sources]
        command = [*compiler, *FLAGS, *program.flags, "-I", folder, "-o", str(made), *sources, *libraries]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        if done.returncode:
            raise BuildFailed(f"{target.name}: {done.stderr.strip()}")
        _check_size(made)
        made.chmod(0o755)
        draft = target.with_name(f"{target.name}.new")  # a program that runs just now cannot be written to
        shutil.copy(made, draft)
        draft.replace(target)


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
    parser = argparse.ArgumentParser(description="Build the native programs.")
    parser.add_argument("--out", type=Path, default=HERE / "dist")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--local", action="store_true", help="for this computer, with its own cc")
    kind.add_argument("--here", action="store_true", help="for computers of this kind, with ziglang")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        if arguments.local:
            made = tuple(build_local(arguments.out, program) for program in local_programs())
        else:
            made = (build_here if arguments.here else build_all)(arguments.out)
    except (BuildFailed, FileNotFoundError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write("".join(f"{path.stat().st_size:7} {path}\n" for path in made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
