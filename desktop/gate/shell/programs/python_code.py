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
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeGuard
from urllib.parse import urlsplit

from desktop.gate.reasons import GateReason
from desktop.gate.shell.places import SECRET_VARIABLE, holds_secrets
from desktop.gate.shell.programs import sql
from desktop.gate.shell.programs.python_folders import goes_through_secrets
from desktop.gate.shell.programs.python_values import Values, is_untold
from desktop.gate.shell.reading import FROM_ELSEWHERE, Stdin, shown
from desktop.gate.shell.tables import vocabulary
from desktop.gate.shell.variables import check
from desktop.gate.shell.words import ANY_MARK, OPAQUE, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import Effect, Flag, Network
from desktop.reasons import Reason

if TYPE_CHECKING:
    from desktop.gate.shell.reading import Call


WORDS = vocabulary("python")
READS = vocabulary("python_reads")
ATTRIBUTES = READS.words("attributes")
ABOUT = frozenset({"__version__", "__file__", "__name__", "__doc__", "__path__"})
OPENERS = WORDS.words("openers")
SHELLS = WORDS.words("shells")
RUNS = WORDS.words("runs")
FETCHES = WORDS.words("fetches")
BY_ARGUMENTS = (
    OPENERS
    | SHELLS
    | RUNS
    | FETCHES
    | {"getattr", "type", "sqlite3.connect", "logging.basicConfig"}
    | {"importlib.util.find_spec"}
)
READ_MODE = re.compile(r"[rbtU]+|r[:|](?:\w*|\*)")
ONLY_READ = re.compile(r"[?&](?:mode=ro|immutable=1)(?:&|$)")
WRITES = re.compile(r"[wax+]")
# Keywords of subprocess that change neither what runs nor what it gets.
QUIET = WORDS.words("quiet_keywords")
FETCH_WORDS = WORDS.words("fetch_keywords")
LOOKS_UP = WORDS.words("looks_up")
MAX_PARTS = 50  # of a text that is put together, one within the other
HANDLES = ("io.StringIO", "io.BytesIO")


def constant(node: ast.AST | None) -> str | None:
    """The text of a literal or of a sum of such, None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if not (isinstance(node.right, ast.Constant) and isinstance(node.right.value, str)):
            return None
        parts.append(node.right.value)
        node = node.left
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return None
    return "".join([node.value, *reversed(parts)])


class Calls:
    """Judges single calls. `full` tells the dotted name of an expression."""

    def __init__(self, call: Call, place: Word, full: Callable[[ast.AST], str]) -> None:
        self._call = call
        self._place = place
        self._full = full
        self._handles: set[str] = set()  # names of files that were opened here
        self._static: set[str] = set()  # names whose values are all spelled out
        self._texts: dict[str, str] = {}  # names that are one text
        self._leaks = False  # the class of paths may be a value
        self.values = Values((), full)

    def found(self, effect: Effect, what: Reason) -> None:
        self._call.found(effect, GateReason.PYTHON_CODE.of(name=self._call.name, what=what), self._place)

    def flag(self, flag: Flag, what: Reason) -> None:
        self._call.flag(flag, GateReason.PYTHON_CODE.of(name=self._call.name, what=what), self._place)

    def look_at(self, full: str, node: ast.Call) -> None:
        """A function that is known to do what its arguments say."""
        is_spread = any(isinstance(each, ast.Starred) for each in node.args) or any(
            each.arg is None for each in node.keywords
        )
        if is_spread:
            self.found(Effect.UNKNOWN, GateReason.CODE_CALLS_WITH_DYNAMIC_ARGUMENTS.of(text=full))
        elif full in OPENERS:
            self._opens(node)
        elif full in SHELLS:
            self._shell(node.args[0] if node.args else None)
        elif full in RUNS:
            self._runs(full, node)
        elif full in FETCHES:
            self._fetches(node)
        else:
            self._other(full, node)

    def _other(self, full: str, node: ast.Call) -> None:
        if full == "getattr":
            name = constant(node.args[1]) if len(node.args) > 1 else None
            is_of_module = bool(self._full(node.args[0])) if node.args else True
            if name not in ABOUT and (is_of_module or name not in ATTRIBUTES):
                self.found(Effect.UNKNOWN, GateReason.CODE_PICKS_AN_ATTRIBUTE_AT_RUN_TIME.of())
        elif full == "type":
            if len(node.args) != 1 or node.keywords:
                self.found(Effect.UNKNOWN, GateReason.CODE_MAKES_A_CLASS_AT_RUN_TIME.of())
        elif full == "sqlite3.connect":
            self._connects(node)
        elif full == "logging.basicConfig":
            if any(
                each.arg not in ("level", "format", "datefmt", "style", "stream", "force")
                for each in node.keywords
            ):
                self.found(Effect.CREATE, GateReason.CODE_WRITES_A_LOG_FILE.of())
        elif not re.fullmatch(r"\w+", constant(node.args[0] if node.args else None) or ""):
            self.found(Effect.UNKNOWN, GateReason.CALLS_TEXT.of(text=full))

    def _opens(self, node: ast.Call) -> None:
        """open and its kin: the mode is the second argument."""
        self._mode(
            node, node.args[1] if len(node.args) > 1 else None, constant(node.args[0] if node.args else None)
        )

    def _mode(self, node: ast.Call, mode: ast.AST | None, name: str | None) -> None:
        for keyword in node.keywords:
            if keyword.arg in ("mode", "flag"):
                mode = keyword.value
            elif keyword.arg in ("opener", None):
                self.found(Effect.UNKNOWN, GateReason.CODE_OPENS_IN_A_DYNAMIC_MODE.of())
        text = "r" if mode is None else constant(mode)
        if text is not None and WRITES.search(text) and not READ_MODE.fullmatch(text):
            is_added = "a" in text or "+" in text
            self._call.writes(self._place.but(name if name is not None else VARIABLE), append=is_added)
        elif text is None or not READ_MODE.fullmatch(text):
            self.found(Effect.UNKNOWN, GateReason.CODE_OPENS_IN_A_DYNAMIC_MODE.of())

    def _connects(self, node: ast.Call) -> None:
        """sqlite3.connect makes its file, unless it is in memory or opened for reading."""
        place = node.args[0] if node.args else None
        is_uri = False
        for keyword in node.keywords:
            if keyword.arg == "database":
                place = keyword.value
            elif keyword.arg == "uri":
                is_uri = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        if constant(place) == ":memory:" or (is_uri and ONLY_READ.search(_last_part(place))):
            return
        name = constant(place)
        self._call.writes(self._place.but(name if name is not None else VARIABLE))

    def _shell(self, command: ast.AST | None) -> None:
        text = constant(command)
        if text is None:
            self.found(Effect.UNKNOWN, GateReason.CODE_RUNS_A_COMMAND_MADE_AT_RUN_TIME.of())
        else:
            self._call.shell(text, self._place)

    def _runs(self, full: str, node: ast.Call) -> None:
        words = {each.arg: each.value for each in node.keywords}
        if set(words) - QUIET or len(node.args) > 1 or not node.args:
            self.found(Effect.UNKNOWN, GateReason.CODE_RUNS_A_COMMAND_MADE_AT_RUN_TIME.of())
            return
        shell = words.get("shell")
        is_shell = isinstance(shell, ast.Constant) and shell.value is True
        first = node.args[0]
        if isinstance(first, ast.List | ast.Tuple) and first.elts and not is_shell:
            stdin = self._fed(full, words)
            self._call.argv([self._place.but(self._argument(each)) for each in first.elts], stdin)
        elif is_shell or (shell is None and constant(first) is not None):
            self._shell(first)
        else:
            self.found(Effect.UNKNOWN, GateReason.CODE_RUNS_A_COMMAND_MADE_AT_RUN_TIME.of())

    def _fed(self, full: str, words: dict[str | None, ast.expr]) -> Stdin | None:
        if "input" in words:
            return Stdin(constant(words["input"]))
        return FROM_ELSEWHERE if "stdin" in words or full.endswith("Popen") else None

    def _argument(self, node: ast.AST) -> str:
        """One word of a command; what the text does not begin might be an option."""
        if self._full(node) == "sys.executable":
            return "python3"
        text = self._spelled(node)
        if OUTPUT in text:
            made = [str(each) for each in self.values.of(node)]
            text = made[0] if len(made) == 1 and not ANY_MARK.search(made[0]) else text
        known = text.partition(OUTPUT)[0]
        return text if known == text or (known and (known[0] != "-" or "=" in known)) else OPAQUE

    def _spelled(self, node: ast.AST, depth: int = 0) -> str:
        """A text as far as it is spelled out; the rest may be an operand, never code."""
        match node:
            case _ if depth > MAX_PARTS:
                return OUTPUT
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name):
                return self._texts.get(name, OUTPUT)
            case ast.JoinedStr(values=parts):
                return "".join(self._spelled(part, depth + 1) for part in parts)
            case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
                return self._spelled(inner, depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._spelled(left, depth + 1) + self._spelled(right, depth + 1)
        return OUTPUT

    def _fetches(self, node: ast.Call) -> None:
        target = node.args[0] if node.args else None
        words = {each.arg for each in node.keywords}
        if isinstance(target, ast.Call) and self._full(target.func) == "urllib.request.Request":
            words |= {each.arg for each in target.keywords} - {"headers"}
            target = target.args[0] if len(target.args) == 1 else None
        self._call.reading.connects(Network.USES, _hosts(constant(target)))
        if len(node.args) > 1 or words & {"data", "json", "files"}:
            self.found(Effect.CREATE, GateReason.CODE_POSTS_DATA.of())
            self.flag(Flag.SENDS, GateReason.CODE_POSTS_DATA.of())
        elif words - FETCH_WORDS:
            self.found(Effect.UNKNOWN, GateReason.CODE_SENDS_A_REQUEST.of())
        elif target is None or not self.is_static(target):
            self.flag(Flag.SENDS, GateReason.CODE_SENDS_DATA.of())

    def is_static(self, node: ast.AST, depth: int = 0) -> bool:
        """Whether a value is spelled out, or put together from such values and numbers."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name in self._static
            case ast.JoinedStr(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                pass
            case ast.FormattedValue(value=inner):
                parts = [inner]
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.Call(func=ast.Name(id="range"), args=parts):
                pass
            case _:
                return False
        return depth < MAX_PARTS and all(self.is_static(part, depth + 1) for part in parts)

    def looks_up(self, full: str, node: ast.Call) -> None:
        """A name is sent to be looked up: whoever answers for it reads what it was made of."""
        names = [*node.args[:1], *(each.value for each in node.keywords if each.arg in ("host", "name"))]
        if full in LOOKS_UP and not all(map(self._is_of_the_line, names)):
            self.flag(Flag.SENDS, GateReason.CODE_SENDS_DATA.of())

    def _is_of_the_line(self, node: ast.AST) -> bool:
        """Whether a name is spelled out, this computer's, or one that the line gives the code."""
        inner = node
        while isinstance(inner, ast.Attribute | ast.Subscript | ast.Call):
            full = self._full(inner.func if isinstance(inner, ast.Call) else inner)
            if full in ("sys.argv", "socket.gethostname", "socket.getfqdn"):
                return True
            if isinstance(inner, ast.Call) and inner.args:  # urlparse("https://…").hostname
                return full.startswith("urllib.parse.") and all(map(self._is_of_the_line, inner.args))
            inner = inner.func if isinstance(inner, ast.Call) else inner.value
        return self.is_static(inner)

    def method(self, node: ast.Call, function: ast.Attribute) -> bool:
        """A method whose arguments decide. True when there is nothing left to say about it."""
        name = function.attr
        judge = METHODS_BY_ARGUMENTS.get(name)
        if judge is None:
            return False
        if any(isinstance(each, ast.Starred) for each in node.args) or any(
            each.arg is None for each in node.keywords
        ):
            self.found(Effect.UNKNOWN, GateReason.CODE_CALLS_METHOD_WITH_DYNAMIC_ARGUMENTS.of(text=name))
            return True
        return judge(self, node, function)

    def _executes(self, node: ast.Call, _function: ast.Attribute) -> bool:
        text = constant(node.args[0] if node.args else None)
        if text is None:
            self.found(Effect.UNKNOWN, GateReason.CODE_RUNS_SQL_MADE_AT_RUN_TIME.of())
        else:
            sql.read_sql(self._call, text, self._place)
        return True

    def _replaces(self, node: ast.Call, _function: ast.Attribute) -> bool:
        """A text is replaced with two arguments, a date with none but names, a file with one."""
        names = {each.arg for each in node.keywords}
        if (len(node.args) >= 2 and not self._leaks) or (not node.args and names and "target" not in names):
            return True
        self.found(Effect.UPDATE, GateReason.CODE_RENAMES_A_FILE.of())
        return True

    def _copies(self, node: ast.Call, _function: ast.Attribute) -> bool:
        return not node.args and not any(each.arg != "deep" for each in node.keywords)

    def _opened(self, node: ast.Call, _function: ast.Attribute) -> bool:
        """path.open(mode)."""
        if len(node.args) > 1:
            return False
        self._mode(node, node.args[0] if node.args else None, None)
        return True

    def _writes(self, _node: ast.Call, function: ast.Attribute) -> bool:
        """What is written to a file that was opened here was told when it was opened."""
        target = function.value
        if isinstance(target, ast.Name) and target.id in self._handles:
            return True
        if isinstance(target, ast.Call):
            return self._is_handle(target)
        return self._full(target) in ("sys.stdout", "sys.stderr", "sys.stdout.buffer", "sys.stderr.buffer")

    def _queries(self, node: ast.Call, _function: ast.Attribute) -> bool:
        """An expression about a table's columns, which may call what they and the code's own names have."""
        text = self._spelled(node.args[0]) if node.args else ""
        called = {name.rpartition(".")[2] for name in QUERY_CALLS.findall(text)}
        if text == OUTPUT or "__" in text or QUERY_REACHES.search(text) or called - QUERY_FUNCTIONS:
            self.found(Effect.UNKNOWN, GateReason.CODE_CALLS_METHOD.of(text="query"))
        return True

    def prepare(self, nodes: Sequence[ast.AST]) -> None:
        """Which names hold nothing but files that this code opened, or what is spelled out."""
        self.values = Values(nodes, self._full)
        values = dict(_bindings(nodes))
        kept: dict[str, list[ast.AST | None]] = {}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                kept.setdefault(node.id, []).append(values.get(id(node)))
            elif isinstance(node, ast.arg):
                kept.setdefault(node.arg, []).append(None)
        self._handles = {
            name for name, given in kept.items() if all(each and self._is_handle(each) for each in given)
        }
        for name, given in kept.items():
            if all(each and self.is_static(each) for each in given):
                self._static.add(name)
            text = constant(given[0]) if len(given) == 1 else None
            if text is not None:
                self._texts[name] = text
        self._leaks = self._hands_path_around(nodes)

    def _hands_path_around(self, nodes: Sequence[ast.AST]) -> bool:
        """Whether the class of paths may be a value here: its `replace` takes two arguments."""
        plain = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        plain |= {
            id(node.value)
            for node in nodes
            if isinstance(node, ast.Attribute) and node.attr in ("home", "cwd", "__name__")
        }
        for node in nodes:
            if isinstance(node, ast.Call) and self._full(node.func) == "isinstance":
                plain |= {id(each) for arg in node.args for each in ast.walk(arg)}
        names = [node for node in nodes if isinstance(node, ast.Name | ast.Attribute)]
        if not any(self._full(node).startswith("pathlib") for node in names):
            return False
        return any(
            self._full(node).startswith("pathlib.") and id(node) not in plain for node in names
        ) or any(
            isinstance(node, ast.Call) and self._full(node.func) == "type" and id(node) not in plain
            for node in nodes
        )

    def _is_handle(self, value: ast.AST) -> bool:
        if not isinstance(value, ast.Call):
            return False
        full = self._full(value.func)
        is_method = isinstance(value.func, ast.Attribute) and value.func.attr == "open"
        return full in OPENERS or full in HANDLES or is_method


QUERY_CALLS = re.compile(r"(?<![\w.])([\w.]{1,200})\s{0,20}\(")
QUERY_REACHES = re.compile(r"@\w+\s*[.(\[]")
QUERY_FUNCTIONS = WORDS.words("query_functions")


def _bindings(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, ast.AST]]:
    """Names by the number of their node, and what they are given there."""
    for node in nodes:
        match node:
            case ast.withitem(context_expr=value, optional_vars=ast.Name() as name):
                yield id(name), value
            case ast.Assign(targets=[ast.Name() as name], value=value):
                yield id(name), value
            case ast.For(target=ast.Name() as name, iter=value):
                yield id(name), value
            case ast.comprehension(target=ast.Name() as name, iter=value):
                yield id(name), value


def _last_part(node: ast.AST | None) -> str:
    """The text at the end of a literal, of an f-string or of a sum."""
    match node:
        case ast.JoinedStr(values=[*_, last]) | ast.BinOp(right=last):
            return constant(last) or ""
    return constant(node) or ""


def _hosts(url: str | None) -> list[str] | None:
    host = urlsplit(url).hostname if url else None
    return [host] if host else None


METHODS_BY_ARGUMENTS: dict[str, Callable[[Calls, ast.Call, ast.Attribute], bool]] = {
    "execute": Calls._executes,
    "executemany": Calls._executes,
    "executescript": Calls._executes,
    "sql": Calls._executes,
    "replace": Calls._replaces,
    "copy": Calls._copies,
    "open": Calls._opened,
    "query": Calls._queries,
    "write": Calls._writes,
    "writelines": Calls._writes,
    "writestr": Calls._writes,
}


# -- what code holds -------------------------------------------------------------------------------

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
