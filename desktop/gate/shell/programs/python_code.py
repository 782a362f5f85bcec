"""Python code by its syntax tree: computing, reading and printing is a read, the rest is what it calls."""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from desktop.gate.shell.programs import sql
from desktop.gate.shell.reading import shown
from desktop.gate.shell.vocabulary import vocabulary
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Effect, Flag

if TYPE_CHECKING:
    from desktop.gate.shell.call import Call

WORDS = vocabulary("python")
INSTALLED = WORDS.words("installed")

CALLS = WORDS.section("calls").effects()  # full names, as imported

OPENERS = WORDS.words("openers")
SHELL_CALLS = WORDS.words("shells")
RUN_CALLS = WORDS.words("runs")
METHODS = WORDS.section("methods").effects()  # of any object
READS_OBJECT = frozenset(["sys.stdout", "sys.stderr", "sys.stdout.buffer", "sys.stderr.buffer"])
DANGER_NAMES = frozenset(
    [
        "eval",
        "exec",
        "compile",
        "open",
        "__import__",
        "globals",
        "locals",
        "vars",
        "setattr",
        "delattr",
        "breakpoint",
        "__builtins__",
        "getattr",
    ]
)


class CodeReader:
    """Finds what code of one -c does. Bounded by the length of the line."""

    def __init__(self, call: Call, place: Word) -> None:
        self._call = call
        self._place = place
        self._names: dict[str, str] = {}  # local name to full name
        self._called: set[int] = set()  # nodes that stand where a function is called

    def read(self, tree: ast.AST) -> None:
        nodes = list(ast.walk(tree))
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
        for node in nodes:
            if isinstance(node, ast.Call):
                self._called.add(id(node.func))
                self._look_at_call(node)
        for node in nodes:
            if isinstance(node, ast.Name | ast.Attribute) and id(node) not in self._called:
                self._look_at_name(node)
            elif isinstance(node, ast.Delete):
                pass
        self._found(Effect.READ, "only computes and prints")

    def _found(self, effect: Effect, what: str) -> None:
        self._call.found(effect, f"{self._call.name} -c: {what}", self._place)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            full = f"{module}.{alias.name}" if module else alias.name
            root = full.partition(".")[0]
            is_relative = isinstance(node, ast.ImportFrom) and node.level
            if is_relative or (root not in sys.stdlib_module_names and root not in INSTALLED):
                self._found(Effect.UNKNOWN, f"imports {shown(full)}, which may be the project's own")
            if alias.name == "*" and root in ("os", "subprocess", "shutil", "pathlib", "ctypes", "pty"):
                self._found(Effect.UNKNOWN, f"imports all of {root}")
            if root in ("antigravity", "ctypes", "this", "code", "pty", "cffi") and root != "this":
                self._found(Effect.UNKNOWN, f"imports {root}")
            local = alias.asname or (full if module else root)
            self._names[alias.asname or (alias.name if module else root)] = (
                full if (alias.asname or module) else root
            )
            del local

    def _full(self, node: ast.AST) -> str:
        """The dotted name that an expression spells, "" when it is more than a name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        first = self._names.get(node.id, node.id)
        return ".".join([first, *reversed(parts)]).replace("np.", "numpy.").replace("pd.", "pandas.")

    def _look_at_name(self, node: ast.Name | ast.Attribute) -> None:
        """A dangerous function that is handed around, not called."""
        full = self._full(node)
        if isinstance(node, ast.Name) and full in DANGER_NAMES:
            self._found(Effect.UNKNOWN, f"hands {full} around")
        elif full in CALLS or full in SHELL_CALLS:
            self._found(max(CALLS.get(full, Effect.UNKNOWN), Effect.UNKNOWN), f"hands {full} around")
        elif (
            isinstance(node, ast.Attribute)
            and node.attr in METHODS
            and METHODS[node.attr] in (Effect.UNKNOWN, Effect.DELETE)
        ):
            if full and full.partition(".")[0] in ("sys", "platform"):
                return
            self._found(METHODS[node.attr], f"uses .{node.attr}")
        if full == "os.environ" and re.search(r"environ\s*\)|environ\.items", self._place.text):
            self._call.flag(Flag.SECRET, "shows all variables, also tokens", self._place)

    def _look_at_call(self, node: ast.Call) -> None:
        full = self._full(node.func)
        for each in node.args[:2]:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                self._call.reading.reads(self._place.but(each.value))
        if full in OPENERS or full.endswith(".open"):
            self._opens(node, full)
        elif full in SHELL_CALLS:
            self._shell(node)
        elif full in RUN_CALLS:
            self._runs(node)
        elif full in ("getattr",):
            self._gets(node)
        elif full in ("json.dump", "pickle.dump", "yaml.dump", "print"):
            return
        elif full in CALLS:
            self._found(CALLS[full], f"calls {full}")
        elif full in ("urllib.request.urlopen", "requests.get", "httpx.get", "requests.head"):
            self._fetches(node)
        else:
            self._calls_other(node, full)

    def _calls_other(self, node: ast.Call, full: str) -> None:
        """A function that is not listed: harmless by name, a method by its own."""
        if isinstance(node.func, ast.Attribute):
            self._method(node, node.func, full)
        elif not isinstance(node.func, ast.Name | ast.Lambda):
            self._found(Effect.UNKNOWN, "calls what an expression gives")

    def _gets(self, node: ast.Call) -> None:
        name = node.args[1] if len(node.args) > 1 else None
        if (
            not (isinstance(name, ast.Constant) and isinstance(name.value, str))
            or name.value in METHODS
            or (
                name.value.startswith("__")
                and name.value not in ("__version__", "__file__", "__name__", "__doc__")
            )
        ):
            self._found(Effect.UNKNOWN, "picks an attribute at run time")

    def _fetches(self, node: ast.Call) -> None:
        if len(node.args) > 1 or any(each.arg == "data" for each in node.keywords):
            self._found(Effect.CREATE, "posts data")
            self._call.flag(Flag.SENDS, "posts data", self._place)
        inner = node.args[0] if node.args else None
        if isinstance(inner, ast.Call) and any(each.arg in ("data", "method") for each in inner.keywords):
            self._found(Effect.UPDATE, "sends a request")

    def _opens(self, node: ast.Call, full: str) -> None:
        is_path = full not in OPENERS
        mode = node.args[0 if is_path else 1] if len(node.args) > (0 if is_path else 1) else None
        for keyword in node.keywords:
            if keyword.arg in ("mode", "flag"):
                mode = keyword.value
            if keyword.arg is None:
                self._found(Effect.UNKNOWN, "opens a file in a mode made at run time")
        if full in ("webbrowser.open", "os.open", "fitz.open") or full.startswith(("PIL.", "Image.")):
            if full in CALLS:
                self._found(CALLS[full], f"calls {full}")
            return
        if mode is None:
            return
        if not (isinstance(mode, ast.Constant) and isinstance(mode.value, str)):
            self._found(Effect.UNKNOWN, "opens a file in a mode made at run time")
        elif re.search(r"[wax+cn]", mode.value):
            target = node.args[0] if node.args and not is_path else None
            name = (
                target.value if isinstance(target, ast.Constant) and isinstance(target.value, str) else "\x01"
            )
            self._call.writes(self._place.but(name), append="a" in mode.value or "+" in mode.value)

    def _shell(self, node: ast.Call) -> None:
        command = node.args[0] if node.args else None
        if isinstance(command, ast.Constant) and isinstance(command.value, str):
            self._call.shell(command.value, self._place)
        else:
            self._found(Effect.UNKNOWN, "runs a command made at run time")

    def _runs(self, node: ast.Call) -> None:
        first = node.args[0] if node.args else None
        if isinstance(first, ast.List | ast.Tuple) and first.elts:
            texts = [
                each.value if isinstance(each, ast.Constant) and isinstance(each.value, str) else "\x01"
                for each in first.elts
            ]
            self._call.argv([self._place.but(text) for text in texts])
        elif isinstance(first, ast.Constant) and isinstance(first.value, str):
            self._call.shell(first.value, self._place)
        else:
            self._found(Effect.UNKNOWN, "runs a command made at run time")

    def _method(self, node: ast.Call, function: ast.Attribute, full: str) -> None:
        name = function.attr
        if name in ("execute", "executemany", "executescript", "sql", "query") and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                if (
                    name != "query"
                    or sql.BY_KEYWORD.get(first.value.strip().split(" ")[0].lower()) is not None
                ):
                    sql.read_sql(self._call, first.value, self._place)
            elif name.startswith("execute"):
                self._found(Effect.UNKNOWN, "runs SQL made at run time")
            return
        if name == "write" and full.rpartition(".")[0] in READS_OBJECT:
            return
        if name == "replace" and len(node.args) < 2:  # str.replace has two, Path.replace one
            self._found(Effect.UPDATE, "renames a file")
        elif name in ("remove", "pop", "get", "copy", "move", "write", "update"):
            return
        elif name in METHODS and not (
            name in ("save", "send", "kill", "extract", "put", "link_to", "rename")
            and full.partition(".")[0] in ("re", "pandas")
        ):
            self._found(METHODS[name], f"calls .{name}()")
            if name in ("post", "send", "sendall", "sendmail"):
                self._call.flag(Flag.SENDS, "sends data", self._place)
