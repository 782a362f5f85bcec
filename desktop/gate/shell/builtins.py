"""Builtins that change what later words of the line mean: they act while the line is walked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from desktop.gate.shell.reading import Scope, Stdin
from desktop.gate.shell.words import OPAQUE, Word

if TYPE_CHECKING:
    from desktop.gate.shell.tree import Tree


def change_scope(tree: Tree, words: Sequence[Word], stdin: Stdin | None) -> None:
    """`set --`, `read`, `mapfile`, `printf -v`, `getopts`: names get values."""
    texts = [word.text for word in words]
    scope = tree.scope
    match texts:
        case ["set", *rest] if "--" in rest:
            set_parameters(scope, tuple(rest[rest.index("--") + 1 :]))
        case ["set", first, *rest] if not first.startswith(("-", "+")):
            set_parameters(scope, (first, *rest))
        case ["read" | "mapfile" | "readarray", *rest]:
            spelled_out = (stdin is not None and stdin.text is not None) or tree.reading.inline_input
            read_into(scope, rest, spelled_out=spelled_out)
        case ["printf", "-v", name, *rest]:
            scope.values[name] = (OPAQUE,) if any("-" in text for text in rest) else None
        case ["getopts", _, name, *_] | ["let", name, *_]:
            scope.values[name.partition("=")[0]] = None
        case _:
            return


def set_parameters(scope: Scope, values: tuple[str, ...]) -> None:
    scope.values["@"] = scope.values["*"] = values
    for number, value in enumerate(values, 1):
        scope.values[str(number)] = (value,)


def read_into(scope: Scope, names: Sequence[str], *, spelled_out: bool) -> None:
    value = (OPAQUE,) if spelled_out else None
    for name in names:
        if name.isidentifier():
            scope.values[name] = value
    scope.values["REPLY"] = scope.values["MAPFILE"] = value
