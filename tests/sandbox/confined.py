"""The native confining client for tests, and lines that run through it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from desktop.paths import Paths
from desktop.sandbox.confiner import Confinement, Confiner


@dataclass(frozen=True)
class Box:
    """A home folder with a profile of Steward's, a project and something outside it."""

    home: Path
    paths: Paths

    @property
    def project(self) -> Path:
        return self.home / "project"

    @property
    def outside(self) -> Path:
        return self.home / "outside"

    def tree(self) -> dict[str, tuple[int, int, bytes]]:
        """Everything in the home folder: permissions, time of change and content."""
        return {str(path): _state(path) for path in sorted(self.home.rglob("*"))}

    def run(
        self,
        command: str,
        confinement: Confinement,
        *,
        call: str = "call",
        folder: Path | None = None,
        after: str = "",
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """As an agent runs it: its shell gets the rewritten line, and then perhaps something of its own."""
        line = Confiner(self.paths).rewritten(command, confinement, call) + after
        return self.shell(line, folder=folder, stdin=stdin, environment=environment)

    def shell(
        self,
        line: str,
        *,
        folder: Path | None = None,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """The agent's own shell, in the project."""
        return subprocess.run(
            ["/bin/bash", "-c", line],
            cwd=folder or self.project,
            env={**os.environ, "HOME": str(self.home), **(environment or {})},
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )


def _state(path: Path) -> tuple[int, int, bytes]:
    found = path.lstat()
    content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    return found.st_mode, found.st_mtime_ns, content
