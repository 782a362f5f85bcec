"""Where the window was, kept as a small JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import structlog

from desktop.paths import write_atomically
from desktop.state_file import put_aside, read_object

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class WindowState:
    """Sizes in logical pixels. `x` and `y` None: never placed."""

    x: int | None = None
    y: int | None = None
    width: int = 1080
    height: int = 760
    maximised: bool = False
    sidebar: bool = True
    page: str = ""  # of a window that has several


def load(path: Path) -> WindowState:
    """What `save` wrote; the default where there is nothing that can be read."""
    values = read_object(path, "The place of a window")
    try:
        return WindowState(
            **{key: _checked(key, values[key]) for key in values if key in WindowState.__annotations__}
        )
    except (ValueError, TypeError) as error:
        put_aside(path, "The place of a window", str(error))
        return WindowState()


def save(path: Path, state: WindowState) -> None:
    """Write `state`; a disk that refuses is logged, because nothing the user made is lost by it."""
    try:
        write_atomically(path, json.dumps(asdict(state)).encode())
    except OSError as error:
        log.warning("the window's place could not be kept", path=str(path), error=str(error))


def _checked(key: str, value: Any) -> Any:
    if key in ("maximised", "sidebar"):
        return bool(value)
    if key == "page":
        return str(value)
    if value is None and key in ("x", "y"):
        return None
    if not isinstance(value, int) or abs(value) > 100_000:
        raise ValueError(f"{key} is {value!r}")
    return value
