"""Whoever uses the network says why, so that the Network page can."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop import paths

ROOT = Path(paths.__file__).parents[1]
ASKING = {"stream", "get_text", "get_json", "page", "ask", "run_pip"}
# A transfer is one step of a download, which has said what it downloads; tests/models look at that.
SAID_BEFORE = {"desktop/models/transfer.py: self._network.stream"}


def unexplained(file: Path) -> Iterator[str]:
    """Calls of the network outside `with because(...)`."""
    name, text = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
    if "network." in text:  # most modules ask for nothing, and parsing all of them takes seconds
        yield from (f"{name}: {call}" for call in _bare(ast.parse(text), False))


def _bare(node: ast.AST, explained: bool) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        explained = False  # it may be called at another time
    if isinstance(node, ast.With):
        said = [ast.unparse(item.context_expr).startswith("because(") for item in node.items]
        for number, item in enumerate(node.items):
            yield from _bare(item.context_expr, explained or any(said[:number]))
        for child in node.body:
            yield from _bare(child, explained or any(said))
        return
    if isinstance(node, ast.Call) and _asks(node.func) and not explained:
        yield ast.unparse(node.func)
    for child in ast.iter_child_nodes(node):
        yield from _bare(child, explained)


def _asks(called: ast.expr) -> bool:
    if not isinstance(called, ast.Attribute) or called.attr not in ASKING:
        return False
    return ast.unparse(called.value).rpartition(".")[2] in ("network", "_network")


def test_no_request_is_without_a_reason() -> None:
    """Every call of the network in the program stands inside `because`."""
    files = [file for file in (ROOT / "desktop").rglob("*.py") if "network" not in file.parent.name]
    assert {call for file in files for call in unexplained(file)} == SAID_BEFORE


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("network.get_text(url)", 1),
        ("with because('x'):\n    network.get_text(url)", 0),
        ("with because('x'), self._network.stream('GET', url) as answer:\n    pass", 0),
        ("with self._network.stream('GET', url) as answer, because('x'):\n    pass", 1),
        ("with because('x'):\n    def later():\n        core.network.page(url)", 1),
        ("window.page(url)", 0),
    ],
)
def test_what_counts_as_a_reason(source: str, found: int) -> None:
    """It has to be given around the call, in the same function and before it."""
    assert len(list(_bare(ast.parse(source), False))) == found
