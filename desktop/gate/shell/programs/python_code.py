"""Python code by its syntax tree: what is proven to compute, read and print is a read, the rest asks.

The proof is a closed world. Only what is listed as harmless can be reached: a module may only stand before a
dot, and a function that may do more only where it is called, so that its arguments can be looked at. Whatever
the code then calls, stores or hands around is harmless too.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

from desktop.gate.shell.assign import check
from desktop.gate.shell.places import SECRET_VARIABLE
from desktop.gate.shell.programs.python_calls import ABOUT, ATTRIBUTES, BY_ARGUMENTS, READS, Calls, constant
from desktop.gate.shell.reading import shown
from desktop.gate.shell.secret_places import holds_secrets
from desktop.gate.shell.vocabulary import vocabulary
from desktop.gate.shell.words import OPAQUE, Word
from desktop.gate.verdict import Effect, Flag, Network

if TYPE_CHECKING:
    from desktop.gate.shell.call import Call

MAX_NODES = 20_000
NODES_BETWEEN_CHECKS = 200
MAX_PATH = 300  # characters of a text that may be a path
WORDS = vocabulary("python")
INSTALLED = WORDS.words("installed")
CALLS = WORDS.section("calls").effects()  # functions by full name that are known to do more
METHODS = WORDS.section("methods").effects()  # methods of any object that are known to do more
BUILTINS = READS.words("builtins")
HARMLESS = READS.section("modules").names()
PACKAGES = frozenset(name.rpartition(".")[0] for name in HARMLESS) | {
    name.partition(".")[0] for name in HARMLESS | CALLS.keys()
}
ACTS_WHEN_IMPORTED = frozenset({"antigravity", "idlelib", "test", "turtledemo", "__main__", "ctypes", "pip"})
NAMES_ALL = frozenset(
    {"math", "cmath", "statistics", "itertools", "collections", "decimal", "fractions", "datetime", "typing"}
)
NOT_FOR_ALL = frozenset(dir(builtins)) - BUILTINS
SENDING = frozenset({"post", "put", "patch", "send", "sendall", "sendmail", "sendto", "send_message"})
SHOW_ALL = frozenset(f"os.environ{way}" for way in ("", ".items", ".values", ".copy", ".keys"))
# Functions that only tell about a module that they get.
TELL = frozenset({"print", "dir", "repr", "str", "type", "hasattr", "bool", "help", "id"})
KNOWN = (
    *(
        ast.Module,
        ast.Expr,
        ast.Assign,
        ast.AugAssign,
        ast.AnnAssign,
        ast.NamedExpr,
        ast.For,
        ast.While,
        ast.If,
    ),
    *(
        ast.IfExp,
        ast.With,
        ast.withitem,
        ast.Try,
        ast.ExceptHandler,
        ast.Raise,
        ast.Assert,
        ast.Pass,
        ast.Break,
    ),
    *(ast.Continue, ast.Return, ast.Delete, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.alias),
    *(ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Yield, ast.YieldFrom, ast.Call, ast.keyword),
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.Constant, ast.JoinedStr),
    *(ast.FormattedValue, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp),
    *(ast.GeneratorExp, ast.comprehension, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare),
    *(ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop),
)


class CodeReader:
    """Finds what a piece of code does. Bounded by the number of its nodes."""

    def __init__(self, call: Call, place: Word) -> None:
        self._call = call
        self._place = place
        self._modules: dict[str, str] = {}  # local name to full name of what is imported
        self._bound: set[str] = set()  # names that the code itself gives a value
        self._settled: set[int] = set()  # nodes that the one around them has spoken for
        self._calls = Calls(call, place, self._full)

    def read(self, tree: ast.AST) -> None:
        nodes = list(ast.walk(tree))
        if len(nodes) > MAX_NODES:
            self._found(Effect.UNKNOWN, "is too long to be followed")
            return
        nothing = {id(target) for node in nodes if _is_none(node) for target in node.targets}
        for node in nodes:
            if id(node) not in nothing:
                self._binds(node)
        for name in self._bound & (self._modules.keys() | NOT_FOR_ALL):
            self._found(Effect.UNKNOWN, f"gives {name} more than one meaning")
        self._calls.prepare(nodes)
        for number, node in enumerate(nodes):
            if number % NODES_BETWEEN_CHECKS == 0:
                self._call.reading.check_budget()
            self._look_at(node)
        self._found(Effect.READ, "only computes and prints")

    def _found(self, effect: Effect, what: str) -> None:
        self._call.found(effect, f"{self._call.name} -c: {what}", self._place)

    def _flag(self, flag: Flag, what: str) -> None:
        self._call.flag(flag, f"{self._call.name} -c: {what}", self._place)

    def _binds(self, node: ast.AST) -> None:
        """Names and what they stand for, before anything is judged."""
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                self._bound.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.FunctionDef(name=name):
                self._bound.add(name)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        is_relative = isinstance(node, ast.ImportFrom) and node.level > 0
        for alias in node.names:
            full = f"{module}.{alias.name}" if module else alias.name
            root = full.partition(".")[0]
            if is_relative or (root not in sys.stdlib_module_names and root not in INSTALLED):
                self._found(Effect.UNKNOWN, f"imports {shown(full)}, which may be the project's own")
            elif root in ACTS_WHEN_IMPORTED:
                self._found(Effect.UNKNOWN, f"imports {root}")
            elif alias.name == "*":
                self._import_all(module)
                continue
            name = alias.asname or (alias.name if module else root)
            full = full if module or alias.asname else root
            if self._modules.setdefault(name, full) != full:
                self._found(Effect.UNKNOWN, f"gives {name} more than one meaning")

    def _import_all(self, root: str) -> None:
        if root not in NAMES_ALL:
            self._found(Effect.UNKNOWN, f"imports all of {root}")
        for name in HARMLESS:
            before, _, last = name.rpartition(".")
            if before == root:
                self._modules.setdefault(last, name)

    def _full(self, node: ast.AST) -> str:
        """The dotted name of something imported or built in, "" for any other expression."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self._bound:
            return ""
        first = self._modules.get(node.id, node.id)
        return ".".join([first, *reversed(parts)]).removeprefix("builtins.")

    def _look_at(self, node: ast.AST) -> None:
        match node:
            case ast.Call():
                self._look_at_call(node)
            case ast.Attribute() if id(node) not in self._settled:
                self._look_at_attribute(node)
            case ast.Name(ctx=ast.Load()) if id(node) not in self._settled:
                self._look_at_name(node)
            case ast.Constant(value=str(text)) if len(text) <= MAX_PATH and holds_secrets(text):
                self._call.reading.reads(self._place.but(text))
            case ast.Subscript(value=inner) if self._full(inner) == "os.environ":
                self._settle(inner)
                self._variable(node, node.slice)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[inner]):
                self._settle_if(inner, "os.environ", "sys.path", "sys.modules")
            case ast.If(test=ast.Name(id=name) as inner) | ast.IfExp(test=ast.Name(id=name) as inner):
                self._settle_if(inner, self._modules.get(name, ""))
            case (
                ast.For(iter=inner)
                | ast.comprehension(iter=inner)
                | ast.Subscript(value=inner, ctx=ast.Load())
            ):
                self._settle_if(inner, "sys.path")
            case _ if not isinstance(node, KNOWN):
                self._found(Effect.UNKNOWN, f"uses {type(node).__name__}")

    def _look_at_call(self, node: ast.Call) -> None:
        full = self._full(node.func)
        self._look_at_arguments(full, node)
        if full in ("os.getenv", "os.environ.get"):
            self._settle(node.func)
            self._variable(node, node.args[0] if node.args else None)
        elif full in BY_ARGUMENTS:
            self._settle(node.func)
            self._calls.look_at(full, node)
        elif full in CALLS:
            self._settle(node.func)
            self._found(CALLS[full], f"calls {full}")
            self._sends(full.rpartition(".")[2])
        elif isinstance(node.func, ast.Attribute) and self._is_of_value(full):
            self._look_at_method_call(node, node.func)

    def _look_at_method_call(self, node: ast.Call, function: ast.Attribute) -> None:
        name = function.attr
        if self._calls.method(node, function):
            self._settled.add(id(function))
        elif name in METHODS:
            self._settled.add(id(function))
            self._found(METHODS[name], f"calls .{name}()")
            self._sends(name)

    def _look_at_arguments(self, full: str, node: ast.Call) -> None:
        for each in node.args[:2]:
            text = constant(each)
            if text is not None and len(text) <= MAX_PATH:
                self._call.reading.reads(self._place.but(text))
        for each in node.args:
            if full in TELL and self._full(each) in PACKAGES | INSTALLED:
                self._settle(each)
            elif full in TELL or full in ("len", "list", "enumerate") or not full:
                self._settle_if(each, "sys.path")

    def _sends(self, name: str) -> None:
        if name in SENDING:
            self._call.reading.connects(Network.USES)
            self._flag(Flag.SENDS, "sends data")

    def _settle(self, node: ast.AST) -> None:
        """A dotted name has been judged as a whole."""
        while isinstance(node, ast.Attribute):
            self._settled.add(id(node))
            node = node.value
        self._settled.add(id(node))

    def _settle_if(self, node: ast.AST, *names: str) -> None:
        """Here these may stand: they are only looked at."""
        if self._full(node) in names:
            self._settle(node)

    def _is_of_value(self, full: str) -> bool:
        """Whether a dotted name is an attribute of a value, not of a module."""
        if not full or full.partition(".")[0] in BUILTINS:
            return True
        return full not in HARMLESS and any(prefix in HARMLESS for prefix in _prefixes(full))

    def _look_at_attribute(self, node: ast.Attribute) -> None:
        full = self._full(node)
        if not isinstance(node.ctx, ast.Load):
            self._found(Effect.UNKNOWN, "changes an attribute of something")
        if self._is_of_value(full):
            self._look_at_method(node)
        elif full in HARMLESS:
            self._settle(node)
        elif full in CALLS or full in BY_ARGUMENTS:
            self._settle(node)
            self._found(Effect.UNKNOWN, f"hands {full} around")
        elif full in SHOW_ALL:
            self._settle(node)
            self._flag(Flag.SECRET, "shows all variables, also tokens")
        elif full == "sys.path":
            self._settle(node)
            self._found(Effect.UNKNOWN, "changes where modules are looked for")
        elif node.attr in ABOUT:
            self._settle(node)
        else:
            self._settle(node)
            self._found(Effect.UNKNOWN, f"uses {shown(full)}")

    def _look_at_method(self, node: ast.Attribute) -> None:
        """An attribute of a value: harmless by its name, whatever the value."""
        if node.attr in ATTRIBUTES:
            return
        if node.attr in ("__name__", "__qualname__", "__doc__", "__version__", "__file__"):
            if isinstance(node.value, ast.Attribute) and node.value.attr == "__class__":
                self._settled.add(id(node.value))
            return
        self._found(Effect.UNKNOWN, f"uses .{shown(node.attr)}")

    def _look_at_name(self, node: ast.Name) -> None:
        name = node.id
        full = self._modules.get(name, name)
        if name in self._bound:
            return
        if name not in self._modules and name in BUILTINS:
            return
        if name in self._modules and full in HARMLESS:
            return
        if full == "os.environ":
            self._flag(Flag.SECRET, "shows all variables, also tokens")
            return
        self._found(Effect.UNKNOWN, f"hands {shown(full)} around")

    def _variable(self, node: ast.AST, key: ast.AST | None) -> None:
        """One variable of the environment, read or set."""
        name = constant(key)
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if name is None:
                self._found(Effect.UNKNOWN, "changes a variable that is chosen at run time")
            else:
                check(self._call.reading, self._call.scope, self._call.nesting, name, OPAQUE, self._place)
        elif name is None or SECRET_VARIABLE.search(name):
            self._flag(Flag.SECRET, "shows a secret variable")


def _is_none(node: ast.AST) -> TypeGuard[ast.Assign]:
    """`x = None`, as it stands where an import may fail."""
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None


def _prefixes(full: str) -> Iterator[str]:
    while "." in full:
        full = full.rpartition(".")[0]
        yield full
