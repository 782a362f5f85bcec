"""Measures of the source that docs/decisions.md compares: sizes, imports, comments, cycles, single users.

    python -m tests.code_metrics [ROOT] [--list]

prints one line for each measure of the package `desktop` below ROOT, which may be a checkout of another
commit; `--list` names what stands behind the counts. The counts are of the text: a module is a file, the
`__init__.py` of a package too.
"""

from __future__ import annotations

import argparse
import ast
import gc
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

PACKAGE = "desktop"
SMALL_LINES = 150
MOST_ARGUMENTS = 6


@dataclass(frozen=True)
class Module:
    """One file of the package. `name` is dotted; of a package's `__init__.py` it is the package's."""

    name: str
    text: str
    is_package: bool = False

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def room(self) -> str:
        """The first name below the package; of a module at the top, its own."""
        return self.name.split(".")[1] if "." in self.name else ""

    @property
    def parent(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def comment_lines(self) -> int:
        """Lines that hold a comment and nothing else."""
        return sum(line.lstrip().startswith("#") for line in self.text.splitlines())

    @property
    def import_lines(self) -> int:
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, ast.Import | ast.ImportFrom))
        return sum(_length(node) for node in nodes)

    @property
    def function_lines(self) -> list[int]:
        nodes = (
            node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )
        return [_length(node) for node in nodes]

    def long_constructors(self) -> Iterator[str]:
        """`__init__` with more than six arguments beside `self`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef):
                for each in node.body:
                    if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                        given = each.args
                        count = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs) - 1
                        if count > MOST_ARGUMENTS:
                            yield f"{self.name}.{node.name} ({count})"


@dataclass
class Source:
    """All modules of the package below `root`, and who imports whom."""

    modules: dict[str, Module] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Path) -> Source:
        """Raises OSError when there is no such folder, SyntaxError for a file that is no Python."""
        modules = {}
        for file in sorted((root / PACKAGE).rglob("*.py")):
            parts = file.relative_to(root).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            modules[name] = Module(name, file.read_text(encoding="utf-8"), is_package)
        return cls(modules)

    def rooms(self) -> dict[str, list[Module]]:
        found = defaultdict(list)
        for module in self.modules.values():
            found[module.room].append(module)
        return dict(found)

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """For each module those of the package that it imports, wherever in its text."""
        with _kept():
            return {
                module.name: set(self._imported(module)) - {module.name} for module in self.modules.values()
            }

    def _imported(self, module: Module) -> Iterator[str]:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.modules)
            elif isinstance(node, ast.ImportFrom) and node.module in self.modules and not node.level:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    yield whole if whole in self.modules else node.module

    def users(self) -> dict[str, set[str]]:
        found = defaultdict(set)
        for user, used in self.imports.items():
            for each in used:
                found[each].add(user)
        return dict(found)

    def single_user(self) -> list[Module]:
        """Small modules that one module alone imports, which lies in the same folder."""
        users = self.users()
        small = (
            module for module in self.modules.values() if not module.is_package and module.lines < SMALL_LINES
        )
        return [
            module
            for module in small
            if len(users.get(module.name, ())) == 1
            and self.modules[next(iter(users[module.name]))].parent == module.parent
        ]

    def cycles(self) -> list[tuple[str, ...]]:
        """Groups of modules inside one room that import each other in a circle, found by Tarjan's way."""
        index: dict[str, int] = {}
        low: dict[str, int] = {}
        stack: list[str] = []
        found: list[tuple[str, ...]] = []

        def visit(name: str) -> None:
            index[name] = low[name] = len(index)
            stack.append(name)
            for used in sorted(self.imports[name]):
                if self.modules[used].room != self.modules[name].room:
                    continue
                if used not in index:
                    visit(used)
                    low[name] = min(low[name], low[used])
                elif used in stack:
                    low[name] = min(low[name], index[used])
            if low[name] == index[name]:
                at = stack.index(name)
                if len(stack) - at > 1:
                    found.append(tuple(sorted(stack[at:])))
                del stack[at:]

        for name in self.modules:
            if name not in index:
                visit(name)
        return found


@contextmanager
def _kept() -> Iterator[None]:
    """Half a million nodes are made within and stay: looking for garbage meanwhile, and ever after, would
    walk them again and again, two thirds of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()


def report(source: Source) -> Iterator[tuple[str, str]]:
    """Each measure and its value, in words."""
    modules = [module for room in source.rooms().values() for module in room]
    lines = sum(module.lines for module in modules)
    functions = [length for module in modules for length in module.function_lines]
    yield "modules", f"{len(modules):,}"
    yield "lines", f"{lines:,}"
    yield "module, median / 90th percentile", _spread([module.lines for module in modules])
    yield (
        "function, median / 90th percentile / mean",
        f"{_spread(functions)} / {statistics.fmean(functions):.1f}",
    )
    yield "import lines in the code", f"{sum(module.import_lines for module in modules) / lines:.1%}"
    comments = sum(module.comment_lines for module in modules)
    yield "own-line comments per 1,000 lines", f"{comments / lines * 1000:.1f}"
    yield "cycles inside rooms", f"{len(source.cycles())}"
    yield f"single-user modules under {SMALL_LINES} lines", f"{len(source.single_user())}"
    long = sum(len(list(module.long_constructors())) for module in modules)
    yield f"constructors with more than {MOST_ARGUMENTS} arguments", f"{long}"


def by_room(source: Source) -> Iterator[str]:
    """`chat: 27 modules, 7,701 lines, 25.4 comments per 1,000`."""
    for room, modules in sorted(source.rooms().items()):
        if len(modules) > 1:
            lines = sum(module.lines for module in modules)
            share = sum(module.comment_lines for module in modules) / lines * 1000
            yield f"{room}: {len(modules)} modules, {lines:,} lines, {share:.1f} comments per 1,000"


def _length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _spread(values: Iterable[int]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.0f} / {ordered[int(len(ordered) * 0.9)]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument(
        "--list", action="store_true", help="name rooms, single users, cycles and constructors"
    )
    options = parser.parse_args()
    source = Source.read(options.root)
    for measure, value in report(source):
        print(f"{measure}: {value}")
    if options.list:
        print("\n" + "\n".join(by_room(source)))
        print("\nsingle users:", *(module.name for module in source.single_user()), sep="\n  ")
        print("\ncycles:", *(" - ".join(cycle) for cycle in source.cycles()), sep="\n  ")
        long = (each for module in source.modules.values() for each in module.long_constructors())
        print("\nlong constructors:", *long, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
