"""What an agent's edit would make of a file, as a difference to the file on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from desktop.agents.action import Action, ActionKind
from desktop.gate.past_changes import LARGEST_BYTES, unified
from desktop.paths import read_regular

_OLD = ("old_string", "oldString", "old_str")

_NEW = ("new_string", "newString", "new_str")

_ALL = ("replace_all", "replaceAll", "allow_multiple")

_CONTENT = ("content", "contents", "file_text")


def diff_of(action: Action) -> str:
    """The whole change as a unified diff; "" where it cannot be made out."""
    if action.diff:
        return action.diff
    if action.kind not in (ActionKind.WRITE, ActionKind.EDIT) or not action.path:
        return ""
    path = action.folder / action.path
    if "notebook_path" in action.arguments:
        return _of_notebook(path, action.arguments)
    before = _text(path)
    if before is None:
        return ""
    after = _after(before, action.arguments)
    return "" if after is None else unified(before, after, path.name)


def _text(path: Path) -> str | None:
    """The file's text; "" where there is none, None where it cannot be compared."""
    try:
        # The question waits for this; a large file is shown by its arguments, and a pipe has no end.
        return read_regular(path, LARGEST_BYTES).decode()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None


def _after(before: str, arguments: Mapping[str, Any]) -> str | None:
    content = _first(arguments, _CONTENT)
    if isinstance(content, str):
        return content
    edits = arguments.get("edits")
    return _edited(before, edits if isinstance(edits, list) else [arguments])


def _edited(text: str, edits: Iterable[Any]) -> str | None:
    for edit in edits:
        if not isinstance(edit, Mapping):
            return None
        old, new = _first(edit, _OLD), _first(edit, _NEW)
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        # What the agent makes of that is not known; its arguments are shown then, and no diff of a guess.
        if old and old not in text:
            return None
        every = _first(edit, _ALL) is True
        text = (text.replace(old, new) if every else text.replace(old, new, 1)) if old else new + text
    return text


def _first(arguments: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((arguments[name] for name in names if name in arguments), None)


def _of_notebook(path: Path, arguments: Mapping[str, Any]) -> str:
    """The change of one cell, compared with the cell on disk."""
    mode, cell = arguments.get("edit_mode", "replace"), arguments.get("cell_id")
    source = arguments.get("new_source", "")
    if not isinstance(source, str):
        return ""
    before = "" if mode == "insert" else _cell(path, cell)
    if before is None:
        return ""
    return unified(before, "" if mode == "delete" else source, f"{path.name}, cell {cell or 'at the top'}")


def _cell(path: Path, wanted: object) -> str | None:
    """The source of a cell by its id, or by its place as in `cell-3`."""
    try:
        cells = json.loads(_text(path) or "{}")["cells"]
        found = [c for n, c in enumerate(cells) if wanted in (c.get("id"), f"cell-{n}")]
        source = found[0]["source"]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        return None
    return "".join(source) if isinstance(source, list) else str(source)
