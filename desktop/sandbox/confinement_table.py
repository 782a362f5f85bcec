"""The table resources/confinement.toml: hosts, places and caches that a confined command meets.

Read once, when first asked for; any thread. Apart from what confines, because a build on a worker asks it
too, and starts for every such command.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from desktop.paths import resources


@cache
def table() -> dict[str, dict[str, Any]]:
    """The whole of it; its keys are explained there."""
    return tomllib.loads((resources() / "confinement.toml").read_text(encoding="utf-8"))


def hosts() -> tuple[str, ...]:
    """Names of public package indexes; one that begins with a dot stands for all below it."""
    return tuple(table()["network"]["hosts"])


def protected_paths() -> tuple[str, ...]:
    """Patterns of what a command may not write to in its project, as seen from there: what something outside
    reads later and acts on by itself. `*` is one name."""
    return tuple(table()["protected"]["paths"])


def secret_places() -> tuple[str, ...]:
    """Credentials and private stores as the table names them, `~` for the home folder."""
    return tuple(table()["secrets"]["hidden"])
