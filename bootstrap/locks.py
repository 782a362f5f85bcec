"""Lock files of pip: a package is one line with its version, and indented lines with its hashes."""

from __future__ import annotations

import re
from pathlib import Path

from bootstrap.programs import Stop


def pinned(lock: Path, name: str) -> str:
    """The version of a package in a lock file."""
    found = re.search(rf"^{re.escape(name)}==(\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise Stop(f"{lock.name} names no version of {name}. Restore it, then start again.")
    return found[1]


def locked(text: str) -> list[str]:
    """Names of the packages that a lock file pins."""
    return re.findall(r"^([\w.-]+)==", text, flags=re.MULTILINE)


def without(text: str, names: frozenset[str]) -> str:
    """A lock file less some of its packages."""
    blocks = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    return "".join(block for block in blocks if block.partition("==")[0].lower() not in names)


def only(text: str, names: frozenset[str]) -> str:
    """Those packages of a lock file."""
    return without(text, frozenset(name.lower() for name in locked(text)) - names)
