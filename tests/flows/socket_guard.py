"""A guard before every connection of a real program and its children; see socket_guard.c."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")


def missing() -> str:
    """What this machine lacks for the guard, or nothing."""
    return "" if shutil.which("cc") else "a C compiler"


@dataclass(frozen=True)
class SocketGuard:
    """`environment` puts a program behind it; `attempts` are the addresses and names that were refused."""

    library: Path
    log: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "STEWARD_SOCKET_GUARD": str(self.log)}

    @property
    def attempts(self) -> list[str]:
        """Lines `connect ADDRESS`, `send ADDRESS` or `name HOST`, in their order."""
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


def socket_guard(folder: Path) -> SocketGuard:
    """Build it into `folder`."""
    library = folder / "socket_guard.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return SocketGuard(library, folder / "attempts")
