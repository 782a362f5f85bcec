"""Builtins that change what later words of the line mean: they act while the line is walked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from desktop.gate.shell.assign import check, could_be_code
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
            _check_names(tree, words[1:])
        case ["printf", "-v", name, *rest]:
            scope.values[name] = (OPAQUE,) if any(map(could_be_code, rest)) else None
            _check_names(tree, words[2:3])
        case ["getopts", _, name, *_] | ["let", name, *_]:
            scope.values[name.partition("=")[0]] = None
        case _:
            return


def _check_names(tree: Tree, names: Sequence[Word]) -> None:
    """Names that get a value which the line may not show: do they change what programs run?"""
    for word in names:
        check(tree.reading, tree.scope, tree.piece.nesting, word.text, OPAQUE, word)


EVALUATES_NAMES = frozenset({"read", "mapfile", "readarray", "unset", "wait", "getopts"})
DECLARES = frozenset({"declare", "typeset", "local", "export", "readonly"})


def evaluates(name: str, arguments: Sequence[str]) -> bool:
    """Whether a builtin computes with an argument, or takes it for a name that may have a subscript."""
    match name:
        case "let":
            return True
        case "test" | "[":
            return "-v" in arguments or "-R" in arguments
        case "printf":
            return any(argument.startswith("-v") for argument in arguments[:1])
        case _ if name in DECLARES:
            options = [argument for argument in arguments if argument.startswith("-")]
            return any("i" in option or "n" in option for option in options) or any(
                "[" in argument for argument in arguments
            )
        case _:
            return name in EVALUATES_NAMES and any("[" in argument for argument in arguments)


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
