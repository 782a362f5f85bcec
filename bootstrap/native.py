"""The programs written in C that stand beside an agent, for a source checkout: compiled when they changed."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from bootstrap.programs import ROOT, say

FOLDER = ROOT / "build" / "hook_client"
SOURCES = ROOT / "packaging" / "hook_client"
TABLES = (ROOT / "desktop/sandbox/landlock.py", ROOT / "desktop/sandbox/seccomp.py")


def build_native() -> None:
    """Compile what is out of date. Without a C compiler nothing is made: hooks then run the Python client."""
    if sys.platform == "win32" or shutil.which("cc") is None or not SOURCES.is_dir():
        return
    stamp, wanted = FOLDER / "built", _digest()
    if _read(stamp) == wanted:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [sys.executable, SOURCES / "build.py", "--local", "--out", FOLDER]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        say(f"The programs in C could not be compiled, so Python stands in for them.\n{done.stderr}")
        return
    stamp.write_text(wanted, encoding="utf-8")


def _digest() -> str:
    """Of all that goes into the programs."""
    digest = hashlib.sha256(platform.machine().encode())
    for path in (*sorted(SOURCES.glob("*.*")), *TABLES):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(stamp: Path) -> str:
    return stamp.read_text(encoding="utf-8") if stamp.is_file() else ""
