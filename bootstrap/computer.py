"""This computer: its processor, its display, and the system packages that Steward needs on it."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bootstrap.programs import ROOT, WINDOWS, Stop, step

LINUX = sys.platform == "linux"
SYSTEM_PACKAGES = ROOT / "requirements" / "system.toml"
INSTALLERS = {  # program: its column in system.toml, and how it installs
    "apt-get": ("apt", "apt-get install -y --no-install-recommends"),
    "dnf": ("dnf", "dnf install -y"),
    "pacman": ("pacman", "pacman -S --needed"),
    "zypper": ("zypper", "zypper install -y"),
}
COMPILER_ADVICE = {
    "darwin": "xcode-select --install",
    "win32": "winget install Microsoft.VisualStudio.2022.BuildTools --override "
    '"--passive --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"',
}
NOT_ON_THE_PATH = (
    "/usr/sbin",
    "/usr/libexec",
    "/usr/lib",
    "/usr/lib/at-spi2-core",
)  # programs that other programs start
# The display is outermost: what the session bus starts must see it.
VIRTUAL_SCREEN = ("xvfb-run", "-a", "-s", "-screen 0 1280x800x24", "dbus-run-session", "--")
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
# What llama.cpp uses when it compiles for the processor at hand, as /proc/cpuinfo names it. Not all flags:
# those that a kernel update adds or removes must not compile everything anew.
INSTRUCTION_SETS = re.compile(
    r"\b(?:s?sse|avx|fma|f16c|bmi|abm|movbe|popcnt|gfni|vaes|vpclmul|sha|amx|asimd|fphp|sve|sme[2fi]|i8mm|bf16)\w*"
)


def has_display() -> bool:
    return not LINUX or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@functools.cache
def processor() -> str:
    """What a native build depends on: the instruction sets of this processor."""
    if LINUX:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            first = file.read(16384).partition("\n\n")[0]
        flags = re.search(r"^(?:flags|Features)\s*:(.*)$", first, re.MULTILINE)
        return " ".join([platform.machine(), *INSTRUCTION_SETS.findall(flags[1] if flags else "")])
    if sys.platform == "darwin":
        brand = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        return (
            platform.machine()
            + " "
            + subprocess.run(brand, capture_output=True, text=True, check=True).stdout
        )
    return f"{platform.machine()} {platform.processor()}"


def need_from_system(*groups: str) -> None:
    """Install what `groups` of system.toml ask for, or stop with the command that does (exit code 3)."""
    if not LINUX:
        return
    program = next((name for name in INSTALLERS if shutil.which(name)), "apt-get")
    manager, install = INSTALLERS[program]
    packages = missing_packages(groups, manager)
    if not packages:
        return
    if manager != "apt" or os.geteuid() != 0 or not shutil.which(program):
        command = f"sudo {install} {' '.join(packages)}"
        raise Stop(f"System packages are missing. Install them, then start again:\n\n  {command}\n", 3)
    step("Reading the list of system packages", ["apt-get", "update"])
    title = f"Installing system packages: {' '.join(packages)}"
    # An ssh or Redis server that comes along is not started: what is tested starts its own.
    step(title, [*install.split(), *packages], DEBIAN_FRONTEND="noninteractive", RUNLEVEL="1")


def missing_packages(groups: Sequence[str], manager: str) -> list[str]:
    """Packages, named as `manager` names them, for everything in `groups` that this computer lacks."""
    import tomllib  # only here, so that an older Python gets as far as being told that it is too old

    table = tomllib.loads(SYSTEM_PACKAGES.read_text(encoding="utf-8"))
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return sorted(
        {
            packages[manager].format(python=version)
            for group in groups
            for kind, entries in table[group].items()
            for name, packages in entries.items()
            if not PROBES[kind](name)
        }
    )


def has_library(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def has_program(name: str) -> bool:
    return shutil.which(name) is not None or any((Path(place) / name).exists() for place in NOT_ON_THE_PATH)


def has_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def has_font(word: str) -> bool:
    return any(word in name for name in font_names())


@functools.cache
def font_names() -> frozenset[str]:
    """Lower-case names of the installed font files."""
    return frozenset(
        path.name.lower()
        for folder in FONT_FOLDERS
        for path in Path(folder).expanduser().rglob("*")
        if path.suffix.lower() in {".ttf", ".otf", ".ttc"}
    )


def has_typelib(name: str) -> bool:
    """What the system's own Python calls a library through."""
    return any(Path("/").glob(f"usr/lib*/{below}girepository-1.0/{name}.typelib") for below in ("", "*/"))


PROBES = {
    "libraries": has_library,
    "programs": has_program,
    "fonts": has_font,
    "modules": has_module,
    "typelibs": has_typelib,
}


def need_compiler() -> None:
    """A C++ compiler; CMake and Ninja come with the build's own Python packages."""
    need_from_system("compiler")
    if not LINUX and not has_compiler():
        advice = COMPILER_ADVICE[sys.platform]
        raise Stop(f"llama.cpp needs a C++ compiler. Install it, then start again:\n\n  {advice}\n", 3)


def has_compiler() -> bool:
    if WINDOWS:
        programs = Path(os.environ.get("PROGRAMFILES(X86)", ""))
        vswhere = programs / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
        return vswhere.exists() or shutil.which("cl") is not None
    return subprocess.run(["/usr/bin/xcode-select", "-p"], capture_output=True, check=False).returncode == 0
