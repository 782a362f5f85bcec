"""What a call in inline Python does, as far as its arguments tell: files, processes, queries, the network.

Whatever is not told by the line, because it is put together at run time or handed in from elsewhere, asks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from desktop.gate.reasons import GateReason
from desktop.gate.shell.programs import sql
from desktop.gate.shell.programs.python_values import Values
from desktop.gate.shell.reading import FROM_ELSEWHERE, Stdin
from desktop.gate.shell.tables import vocabulary
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
