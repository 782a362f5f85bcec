"""Python code by its syntax tree: what is proven to compute, read and print is a read, the rest asks.

The proof is a closed world. Only what is listed as harmless can be reached: a module may only stand before a
dot, and a function that may do more only where it is called, so that its arguments can be looked at. Whatever
the code then calls, stores or hands around is harmless too.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeGuard

from desktop.gate.reasons import GateReason
from desktop.gate.shell.places import SECRET_VARIABLE, holds_secrets
from desktop.gate.shell.programs.python_calls import (
    ABOUT,
    ATTRIBUTES,
    BY_ARGUMENTS,
    LOOKS_UP,
    OPENERS,
    READS,
    WORDS,
    Calls,
    constant,
)
from desktop.gate.shell.programs.python_values import Values, is_untold
from desktop.gate.shell.reading import Reading, shown
from desktop.gate.shell.variables import check
from desktop.gate.shell.words import ANY_MARK, OPAQUE, OUTPUT, Word
from desktop.gate.verdict import Effect, Flag, Network

if TYPE_CHECKING:
    from desktop.gate.shell.reading import Call


MAX_NODES = 12_000  # operators and the like left out
NODES_BETWEEN_CHECKS = 200
MAX_PATH = 300  # characters of a text that may be a path

INSTALLED = WORDS.words("installed")
CALLS = WORDS.section("calls").effects()  # functions by full name that are known to do more
METHODS = WORDS.section("methods").effects()  # methods of any object that are known to do more
BUILTINS = READS.words("builtins")
HARMLESS = READS.section("modules").names()
PACKAGES = frozenset(name.rpartition(".")[0] for name in HARMLESS) | {
    name.partition(".")[0] for name in HARMLESS | CALLS.keys()
}
# Methods of a path and functions that read the file which they are given.
READ_BY_PATH = frozenset({"read_text", "read_bytes", "open"})
READ_BY_NAME = READ_BY_PATH | WORDS.words("reads_file")
PLACE_WORDS = WORDS.words("file_keywords")
FOUND = re.compile(f"[*?{OUTPUT}]")
ACTS_WHEN_IMPORTED = WORDS.words("acts_when_imported")
NAMES_ALL = WORDS.words("may_be_imported_whole")
NOT_FOR_ALL = frozenset(dir(builtins)) - BUILTINS
SENDING = WORDS.words("sending_methods")
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


# Half of all nodes say nothing by themselves, and a look at their kind costs less than the table of cases.
BINDS = frozenset({ast.Import, ast.ImportFrom, ast.Name, ast.arg, ast.ExceptHandler, ast.FunctionDef})
NEVER_LOOKED_AT = frozenset(KNOWN) - {
    *(ast.Call, ast.Attribute, ast.Name, ast.Constant, ast.Subscript, ast.Compare, ast.If, ast.IfExp),
    *(ast.For, ast.comprehension),
}
# In these stands no node, or one that has no parts: of a name whether it is read or written, of a sum which.
NO_PARTS = frozenset(
    {"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment", "module", "level", "conversion"}
)
PARTS = {
    kind: tuple(name for name in kind._fields if name not in NO_PARTS)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """All that have parts or say something, the outer ones first, as `ast.walk` has them."""
    found = [tree]
    for node in found:  # which grows meanwhile
        for name in PARTS[type(node)]:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found.extend(each for each in value if isinstance(each, ast.AST))
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


class CodeReader:
    """Finds what a piece of code does. Bounded by the number of its nodes."""

    def __init__(self, call: Call, place: Word) -> None:
        self._call = call
        self._place = place
        self._modules: dict[str, str] = {}  # local name to full name of what is imported
        self._bound: set[str] = set()  # names that the code itself gives a value
        self._settled: set[int] = set()  # nodes that the one around them has spoken for
        self._calls = Calls(call, place, self._full)
        self._found, self._flag = self._calls.found, self._calls.flag
        self._values = Values((), self._full)

    def read(self, tree: ast.AST) -> None:
        nodes = nodes_of(tree)
        if len(nodes) > MAX_NODES:
            self._found(Effect.UNKNOWN, GateReason.CODE_IS_TOO_LONG_TO_BE_FOLLOWED.of())
            return
        home = goes_through_secrets(nodes, self._call.reading)
        if home:
            self._flag(Flag.SECRET, GateReason.READS_ALL_BELOW.of(name=self._call.name, text=shown(home)))
        # `x = None` before a real value is no second meaning.
        nothing = {id(target) for node in nodes if _is_none(node) for target in node.targets}
        for node in nodes:
            if id(node) not in nothing:
                self._binds(node)
        # `os = x` or `open = exec`: the name is no longer what it says.
        for name in self._bound & (self._modules.keys() | NOT_FOR_ALL):
            self._found(Effect.UNKNOWN, GateReason.CODE_GIVES_MORE_THAN_ONE_MEANING.of(text=name))
        # Before anything is judged: a handle may be used above the line that opens it, in a function.
        self._calls.prepare(nodes)
        self._values = self._calls.values
        for number, node in enumerate(nodes):
            if number % NODES_BETWEEN_CHECKS == 0:
                self._call.reading.check_budget()
            if type(node) not in NEVER_LOOKED_AT:
                self._look_at(node)
        self._found(Effect.READ, GateReason.ONLY_COMPUTES_AND_PRINTS.of())

    def _binds(self, node: ast.AST) -> None:
        """Names and what they stand for, before anything is judged."""
        if type(node) not in BINDS:
            return
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
            # Anything else comes from the project, whose code may do what it likes.
            if is_relative or (root not in sys.stdlib_module_names and root not in INSTALLED):
                self._found(Effect.UNKNOWN, GateReason.CODE_IMPORTS_THE_PROJECTS_OWN.of(text=shown(full)))
            elif root in ACTS_WHEN_IMPORTED:
                self._found(Effect.UNKNOWN, GateReason.CODE_IMPORTS.of(text=root))
            elif alias.name == "*":
                self._import_all(module)
                continue
            name = alias.asname or (alias.name if module else root)
            full = full if module or alias.asname else root
            if self._modules.setdefault(name, full) != full:
                self._found(Effect.UNKNOWN, GateReason.CODE_GIVES_MORE_THAN_ONE_MEANING.of(text=name))

    def _import_all(self, root: str) -> None:
        if root not in NAMES_ALL:
            self._found(Effect.UNKNOWN, GateReason.CODE_IMPORTS_ALL_OF.of(text=root))
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
                self._found(Effect.UNKNOWN, GateReason.CODE_USES.of(text=type(node).__name__))

    def _look_at_call(self, node: ast.Call) -> None:
        full = self._full(node.func)
        self._look_at_arguments(full, node)
        self._look_at_places(full, node)
        if full in LOOKS_UP:
            self._settle(node.func)
        if full in ("os.getenv", "os.environ.get"):
            self._settle(node.func)
            self._variable(node, node.args[0] if node.args else None)
        elif full in BY_ARGUMENTS:
            self._settle(node.func)
            self._calls.look_at(full, node)
        elif full in CALLS:
            self._settle(node.func)
            self._found(CALLS[full], GateReason.CALLS_TEXT.of(text=full))
            self._sends(full.rpartition(".")[2])
        elif isinstance(node.func, ast.Attribute) and self._is_of_value(full):
            self._look_at_method_call(node, node.func)

    def _look_at_places(self, full: str, node: ast.Call) -> None:
        """The files that it reads, by all that their names may be."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else full
        if name not in READ_BY_NAME and full not in OPENERS:
            return
        place: ast.AST | None = next((each.value for each in node.keywords if each.arg in PLACE_WORDS), None)
        if full:
            place = node.args[0] if node.args else place
        elif name in READ_BY_PATH and isinstance(node.func, ast.Attribute):
            place = node.func.value
        if place is None or isinstance(place, ast.Constant):
            return
        texts = sorted(str(each) for each in self._values.of(place))
        # An address that is put together from what was read takes it along.
        is_address = any("://" in ANY_MARK.split(text, maxsplit=1)[0] for text in texts)
        if is_address and not self._calls.is_static(place):
            self._flag(Flag.SENDS, GateReason.CODE_SENDS_DATA.of())
        for text in texts:
            self._reads_place(text)

    def _reads_place(self, text: str) -> None:
        reading = self._call.reading
        if is_untold(text):
            self._flag(Flag.SECRET, GateReason.CODE_READS_A_FILE_NAMED_AT_RUN_TIME.of())
            return
        last = text.rpartition("/")[2]
        found = FOUND.search(text)
        if found is None or last.strip(f"*?.{OUTPUT}"):
            reading.reads(self._place.but(text.replace(OUTPUT, "*")))
            return
        # Whatever lies below: that it is called otherwise than a secret nobody knows.
        start = text[: found.start()].rpartition("/")[0] or ("/" if text[:1] == "/" else ".")
        reading.reads_below(start)
        if reading.takes_in_secrets(start):
            self._flag(Flag.SECRET, GateReason.READS_ALL_BELOW.of(name=self._call.name, text=shown(start)))

    def _look_at_method_call(self, node: ast.Call, function: ast.Attribute) -> None:
        name = function.attr
        if self._calls.method(node, function):
            self._settled.add(id(function))
        elif name in METHODS:
            self._settled.add(id(function))
            self._found(METHODS[name], GateReason.CODE_CALLS_METHOD.of(text=name))
            self._sends(name)

    def _look_at_arguments(self, full: str, node: ast.Call) -> None:
        self._calls.looks_up(full, node)
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
            self._flag(Flag.SENDS, GateReason.CODE_SENDS_DATA.of())

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
            self._found(Effect.UNKNOWN, GateReason.CODE_CHANGES_AN_ATTRIBUTE_OF_SOMETHING.of())
        if self._is_of_value(full):
            self._look_at_method(node)
        elif full in HARMLESS:
            self._settle(node)
            self._hands_around(full)
        elif full in CALLS or full in BY_ARGUMENTS:
            self._settle(node)
            self._found(Effect.UNKNOWN, GateReason.CODE_HANDS_AROUND.of(text=full))
        elif full in SHOW_ALL:
            self._settle(node)
            self._flag(Flag.SECRET, GateReason.CODE_SHOWS_ALL_VARIABLES_ALSO_TOKENS.of())
        elif full == "sys.path":
            self._settle(node)
            self._found(Effect.UNKNOWN, GateReason.CODE_CHANGES_THE_MODULE_PATH.of())
        elif node.attr in ABOUT:
            self._settle(node)
        else:
            self._settle(node)
            self._found(Effect.UNKNOWN, GateReason.CODE_USES.of(text=shown(full)))

    def _hands_around(self, full: str) -> None:
        """`map(socket.gethostbyname, open("x"))`: what it is called with is not followed."""
        if full in LOOKS_UP:
            self._flag(Flag.SENDS, GateReason.CODE_HANDS_AROUND.of(text=full))

    def _look_at_method(self, node: ast.Attribute) -> None:
        """An attribute of a value: harmless by its name, whatever the value."""
        if node.attr in ATTRIBUTES:
            return
        if node.attr in ("__name__", "__qualname__", "__doc__", "__version__", "__file__"):
            if isinstance(node.value, ast.Attribute) and node.value.attr == "__class__":
                self._settled.add(id(node.value))
            return
        self._found(Effect.UNKNOWN, GateReason.CODE_USES_ATTRIBUTE.of(text=shown(node.attr)))

    def _look_at_name(self, node: ast.Name) -> None:
        name = node.id
        full = self._modules.get(name, name)
        if name in self._bound:
            return
        if name not in self._modules and name in BUILTINS:
            return
        if name in self._modules and full in HARMLESS:
            self._hands_around(full)
            return
        if full == "os.environ":
            self._flag(Flag.SECRET, GateReason.CODE_SHOWS_ALL_VARIABLES_ALSO_TOKENS.of())
            return
        self._found(Effect.UNKNOWN, GateReason.CODE_HANDS_AROUND.of(text=shown(full)))

    def _variable(self, node: ast.AST, key: ast.AST | None) -> None:
        """One variable of the environment, read or set."""
        name = constant(key)
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if name is None:
                self._found(Effect.UNKNOWN, GateReason.CODE_CHANGES_A_DYNAMIC_VARIABLE.of())
            else:
                check(self._call.reading, self._call.scope, self._call.nesting, name, OPAQUE, self._place)
        elif name is None or SECRET_VARIABLE.search(name):
            self._flag(Flag.SECRET, GateReason.CODE_SHOWS_A_VARIABLE_WITH_SECRETS.of())


def _is_none(node: ast.AST) -> TypeGuard[ast.Assign]:
    """`x = None`, as it stands where an import may fail."""
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None


def _prefixes(full: str) -> Iterator[str]:
    while "." in full:
        full = full.rpartition(".")[0]
        yield full


# -- folders that are gone through ----------------------------------------------------------------

# Functions and methods that give what is in a folder; the folder is the first argument, or before the dot.
GIVES_NAMES = frozenset({"walk", "fwalk", "scandir", "listdir", "glob", "iglob", "rglob", "iterdir"})
READS_FILES = frozenset({"open", "read_text", "read_bytes", "read"})
# Of a text turned round, so that it begins at the end: `/*` may stand there a thousand times.
STARS_BACKWARDS = re.compile(r"(?:\*+/)+")


def goes_through_secrets(nodes: Iterable[ast.AST], reading: Reading) -> str:
    """The home folder below which the code reads files that it finds, without naming them; "" for none."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if not any(_called(call) in READS_FILES for call in calls):
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
