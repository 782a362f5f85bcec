"""Inline Python that goes through a folder and reads what it finds there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from desktop.gate.shell.reading import Reading

# Functions and methods that give what is in a folder; the folder is the first argument, or before the dot.
GIVES_NAMES = frozenset({"walk", "fwalk", "scandir", "listdir", "glob", "iglob", "rglob", "iterdir"})
READS = frozenset({"open", "read_text", "read_bytes", "read"})
# Of a text turned round, so that it begins at the end: `/*` may stand there a thousand times.
STARS_BACKWARDS = re.compile(r"(?:\*+/)+")


def goes_through_secrets(nodes: Iterable[ast.AST], reading: Reading) -> str:
    """The home folder below which the code reads files that it finds, without naming them; "" for none."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if not any(_called(call) in READS for call in calls):
        return ""
    places = (place for call in calls if _called(call) in GIVES_NAMES for place in _places(call))
    found = (_home(each, reading) for place in places for each in ast.walk(place))
    return next(filter(None, found), "")


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _places(call: ast.Call) -> list[ast.expr]:
    before = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    # A pattern that chooses by name is no folder: `Path.home().glob("*.py")`.
    chooses = before and call.args and _is_told(call.args[0])
    return [] if chooses else [*before, *call.args[:1]]


def _is_told(node: ast.expr) -> bool:
    """Whether a pattern names an ending, as `**/*.py` does, below a folder that stands elsewhere."""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return text[:1] not in ("", "/", "~", ".") and bool(text.rpartition("/")[2].strip("*?."))


def _home(node: ast.AST, reading: Reading) -> str:
    if isinstance(node, ast.Attribute):
        return "~" if node.attr == "home" else ""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node.value in ("", "*"):
        return ""
    stars = STARS_BACKWARDS.match(node.value[::-1])
    folder = node.value[: -stars.end()] if stars else node.value
    return node.value if reading.takes_in_secrets(folder) else ""
