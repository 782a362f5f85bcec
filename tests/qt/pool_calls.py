"""Every call that asks something of the pool, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PoolCall:
    """Where it is made, and what takes its error; "" where nothing is named."""

    line: int
    inside: str
    failed: str


def pool_calls(file: Path) -> tuple[PoolCall, ...]:
    """Those of one file, of `Background` and of `Latest` by whatever name it is kept there."""
    text = file.read_text(encoding="utf-8")
    # Most modules know of no pool, and parsing all of them takes seconds.
    if "background" not in text and "Latest" not in text:
        return ()
    tree = ast.parse(text)
    return tuple(_calls(tree, "", {"background", "_background", *_latest(tree)}))


def _latest(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _is_latest(node.value):
            yield from (_last_name(target) for target in node.targets)


def _is_latest(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and _last_name(value.func) == "Latest"


def _last_name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _calls(node: ast.AST, inside: str, owners: set[str]) -> Iterator[PoolCall]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        inside = node.name
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("run", "more")
        and _last_name(node.func.value) in owners
    ):
        failed = next((ast.unparse(each.value) for each in node.keywords if each.arg == "failed"), "")
        yield PoolCall(node.lineno, inside, failed)
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, inside, owners)
