"""Which version of an agent is installed, by where its program lies; nothing is started."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

_VERSION = re.compile(r"\d+\.\d+\.\d+(?:[-+.][\w.]+)?")
LOOKED_UP_EVERY_S = 10.0
_HIGHEST = 4  # folders between a program and the package.json of its package


def version_at(program: Path) -> str:
    """The version of the program that `program` leads to; "" where its place does not tell.

    The registry's packages have a package.json above their program; the vendors' own installers and
    Homebrew name a folder or the file after the version.
    """
    try:
        real = program.resolve(strict=True)
    except (OSError, RuntimeError):
        return ""
    for folder in list(real.parents)[:_HIGHEST]:
        if folder.name == "node_modules":
            break
        found = _of_package(folder / "package.json")
        if found:
            return found
    return next((part for part in reversed(real.parts) if _VERSION.fullmatch(part)), "")


class Versions:
    """The installed versions, looked up now and then: an agent may be updated meanwhile. Any thread."""

    def __init__(
        self, program: Callable[[str], str | None], now: Callable[[], float] = time.monotonic
    ) -> None:
        """`program` gives the path of an agent's program on PATH."""
        self._program = program
        self._now = now
        self._found: dict[str, tuple[float, str]] = {}

    def of(self, agent: str) -> str:
        """ "" where it cannot be told."""
        known = self._found.get(agent)
        now = self._now()
        if known is None or now - known[0] > LOOKED_UP_EVERY_S:
            path = self._program(agent)
            known = self._found[agent] = (now, version_at(Path(path)) if path else "")
        return known[1]


def _of_package(file: Path) -> str:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    version = value.get("version") if isinstance(value, dict) else None
    return version if isinstance(version, str) and _VERSION.fullmatch(version) else ""
