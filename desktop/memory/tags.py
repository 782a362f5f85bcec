"""By what calls belong together: the program of a command, the first folder of a path, the host of an
address.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from desktop.memory.hindsight.signature import program_of

_PATHS = ("path", "file_path", "source", "notebook_path")


def tag_of(arguments: Mapping[str, Any]) -> str:
    """ "" where nothing says it."""
    if arguments.get("command"):
        return program_of(str(arguments["command"]))
    if arguments.get("url"):
        return _host(str(arguments["url"]))
    path = next((str(arguments[name]) for name in _PATHS if arguments.get(name)), "")
    return _root(path)


def _host(url: str) -> str:
    try:
        return urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:  # no address at all
        return ""


def _root(path: str) -> str:
    """Of a relative path its first folder; of an absolute one the folder that it is in."""
    parts = PurePath(path).parts
    if len(parts) < 2:
        return ""
    return str(PurePath(path).parent) if PurePath(path).is_absolute() else parts[0]
