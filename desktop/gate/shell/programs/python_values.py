"""What texts a piece of inline Python may give to a function that reads files.

A value is a set of texts. Where the code gets a part of one from elsewhere, a mark stands for it: VARIABLE
for data, OUTPUT for a name that it finds in a folder, OPAQUE for what it makes in a way that is not followed.
All values that a name is ever given count, whatever the order.
"""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from desktop.gate.shell.parameters import dirname
from desktop.gate.shell.words import ANY_MARK, OPAQUE, OUTPUT, VARIABLE

Value = frozenset[str | int]
DATA: Value = frozenset({VARIABLE})
UNTOLD: Value = frozenset({OPAQUE})
NOTHING: Value = frozenset()

MOST = 64  # values of one expression
MOST_STEPS = 4_000
LONGEST = 1_024
ANCESTORS = 8

PATHS = frozenset(
    [
        *["os.path.expanduser", "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath"],
        *["os.fsdecode", "os.fsencode", "os.path.normcase", "str", "pathlib.Path", "pathlib.PurePath"],
        *["pathlib.PosixPath", "pathlib.PurePosixPath", "os.path.join", "repr"],
    ]
)
FIXED = {
    "os.sep": "/",
    "os.path.sep": "/",
    "os.curdir": ".",
    "os.pardir": "..",
    "os.path.pardir": "..",
    "os.path.curdir": ".",
    "os.extsep": ".",
}
CURRENT = frozenset({"os.getcwd", "pathlib.Path.cwd", "os.getcwdb"})
HOMES = frozenset({"pathlib.Path.home"})
VARIABLES = {"HOME": "~", "USERPROFILE": "~", "PWD": "."}
# They give some of what they get, as it is.
PASSES = frozenset(
    [
        *[
            "list",
            "tuple",
            "set",
            "frozenset",
            "sorted",
            "iter",
            "next",
            "enumerate",
            "zip",
            "filter",
            "max",
            "min",
        ],
        *[
            "reversed",
            "dict",
            "random.choice",
            "random.sample",
            "itertools.chain",
            "dict.fromkeys",
            "itertools.islice",
        ],
    ]
)
PASSING_METHODS = frozenset(
    [
        *[
            "get",
            "items",
            "keys",
            "values",
            "pop",
            "copy",
            "resolve",
            "absolute",
            "expanduser",
            "as_posix",
            "encode",
        ],
        *["decode", "__str__", "popitem", "setdefault", "relative_to", "readlink", "cwd"],
    ]
)
TEXT_MODULES = frozenset(
    [
        *[
            "base64",
            "binascii",
            "codecs",
            "zlib",
            "gzip",
            "bz2",
            "lzma",
            "struct",
            "urllib",
            "html",
            "string",
        ],
        *[
            "textwrap",
            "re",
            "json",
            "ast",
            "unicodedata",
            "itertools",
            "functools",
            "operator",
            "quopri",
            "str",
        ],
        *["bytes", "bytearray", "int", "array", "encodings", "locale", "shlex", "difflib"],
    ]
)
TEXT_BUILTINS = frozenset({"format", "ascii", "hex", "bin", "oct", "sum", "eval"})
LISTS = frozenset({"walk", "fwalk", "scandir", "listdir", "iterdir"})
MATCHES = frozenset({"glob", "iglob", "rglob"})
GIVE_SEVERAL = LISTS | MATCHES | {"split", "splitlines", "partition", "rsplit", "items", "keys", "values"}
TEXT_METHODS: Mapping[str, Callable[..., str]] = {
    name: getattr(str, name)
    for name in (
        *(
            "replace",
            "lower",
            "upper",
            "strip",
            "lstrip",
            "rstrip",
            "removeprefix",
            "removesuffix",
            "swapcase",
        ),
        *("title", "capitalize", "casefold", "format"),
    )
}
WHOLE_LINES = frozenset(
    {"strip", "rstrip", "lstrip", "removesuffix", "removeprefix", "replace", "lower", "upper"}
)
_TWO_MARKS = re.compile(f"[{VARIABLE}{OUTPUT}]{{2}}")


def is_untold(text: str) -> bool:
    """Whether a text is made in a way that is not followed, or of pieces of data without anything between."""
    return OPAQUE in text or bool(_TWO_MARKS.search(text))


class Values:
    """The values of expressions of one piece of code; `full` tells the dotted name of what is imported."""

    def __init__(self, nodes: Sequence[ast.AST], full: Callable[[ast.AST], str]) -> None:
        self._full = full
        self._given: dict[str, list[tuple[ast.AST, bool]]] = {}  # by name, and whether it is one of several
        self._open: set[tuple[str, bool]] = set()  # names that are being looked up
        self._left = MOST_STEPS
        self._known: dict[tuple[str, bool], Value] = {}
        self._returned: dict[str, list[ast.AST]] = {}  # by functions of the code itself
        for node in nodes:
            for name, value, is_element in _bindings(node):
                self._given.setdefault(name, []).append((value, is_element))
        for name, function in _functions(nodes):
            self._returned.setdefault(name, []).extend(_returns(function))
        self._parameters(nodes)

    def of(self, node: ast.AST) -> Value:
        """All that an expression may be."""
        return self._value(node, {})

    # -- names -------------------------------------------------------------------------------------

    def _parameters(self, nodes: Sequence[ast.AST]) -> None:
        """What a function is called with, or what is handed to whoever calls it."""
        functions: dict[str, list[ast.FunctionDef | ast.Lambda]] = {}
        for name, function in _functions(nodes):
            functions.setdefault(name, []).append(function)
        for call in nodes:
            if not isinstance(call, ast.Call):
                continue
            for function in _meant(call.func, functions):
                self._binds_arguments(function, call)
            for handed in [*call.args, *(each.value for each in call.keywords)]:
                others = [each for each in call.args if each is not handed]
                others += [call.func.value] if isinstance(call.func, ast.Attribute) else []
                for function in _meant(handed, functions):
                    for parameter in _parameters_of(function):
                        self._given.setdefault(parameter, []).extend((each, True) for each in others)

    def _binds_arguments(self, function: ast.FunctionDef | ast.Lambda, call: ast.Call) -> None:
        names = _parameters_of(function)
        for name, value in zip(names, call.args, strict=False):
            self._given.setdefault(name, []).append((value, isinstance(value, ast.Starred)))
        for keyword in call.keywords:
            if keyword.arg in names:
                self._given.setdefault(keyword.arg, []).append((keyword.value, False))

    def _name(self, name: str, env: Mapping[str, Value], *, is_element: bool = False) -> Value:
        if name in env:
            return env[name]
        if name not in self._given:
            return DATA
        key = (name, is_element)
        if key in self._known:
            return self._known[key]
        if key in self._open:
            return NOTHING  # through itself: what is put to it is not followed, see `_joined`
        self._open.add(key)
        found: set[str | int] = set()
        for value, is_one in self._given[name]:
            found |= self._element(value, env) if is_one or is_element else self._value(value, env)
        self._open.discard(key)
        kept = frozenset(found) if len(found) <= MOST else UNTOLD
        if not self._open:
            self._known[key] = kept
        return kept

    def _element(self, node: ast.AST, env: Mapping[str, Value]) -> Value:
        """One of what an expression holds: of a text a letter, which is not followed."""
        match node:
            case ast.Name(id=name):
                return self._name(name, env, is_element=True)
            case ast.Starred(value=inner):
                return self._element(inner, env)
            case ast.Call(func=function, args=[first, *_]) if self._full(function) in PASSES:
                return self._element(first, env)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.ListComp() | ast.SetComp():
                return self._value(node, env)
            case ast.GeneratorExp() | ast.DictComp() | ast.IfExp() | ast.Subscript():
                return self._value(node, env)
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in GIVE_SEVERAL:
                return self._value(node, env)
        found = self._value(node, env)
        is_text = any(isinstance(each, str) and not ANY_MARK.search(each) for each in found)
        return UNTOLD if is_text else found

    # -- expressions -------------------------------------------------------------------------------

    def _value(self, node: ast.AST, env: Mapping[str, Value]) -> Value:
        self._left -= 1
        if self._left < 0:
            return UNTOLD
        look = LOOKS.get(type(node))
        if look is not None:
            return look(self, node, env)
        return self._made([each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)], env)

    def _constant(self, node: ast.Constant, _env: Mapping[str, Value]) -> Value:
        match node.value:
            case str(text):
                return frozenset({text}) if len(text) <= LONGEST and not ANY_MARK.search(text) else UNTOLD
            case bytes(raw):
                return frozenset({raw.decode("latin-1")}) if len(raw) <= LONGEST else UNTOLD
            case bool():
                return NOTHING
            case int(number) if abs(number) < 2**31:
                return frozenset({number})
        return NOTHING

    def _named(self, node: ast.Name, env: Mapping[str, Value]) -> Value:
        full = self._full(node)
        return frozenset({FIXED[full]}) if full in FIXED else self._name(node.id, env)

    def _formatted(self, node: ast.JoinedStr, env: Mapping[str, Value]) -> Value:
        return self._joined("", [self._value(part, env) for part in node.values])

    def _inserted(self, node: ast.FormattedValue, env: Mapping[str, Value]) -> Value:
        is_plain = node.conversion == -1 and node.format_spec is None
        return self._value(node.value, env) if is_plain else self._made([node.value], env)

    def _inner(self, node: ast.NamedExpr | ast.Starred, env: Mapping[str, Value]) -> Value:
        return self._value(node.value, env)

    def _either(self, node: ast.IfExp, env: Mapping[str, Value]) -> Value:
        return self._any([node.body, node.orelse], env)

    def _several(self, node: ast.List | ast.Tuple | ast.Set, env: Mapping[str, Value]) -> Value:
        return self._any(node.elts, env)

    def _one_of(self, node: ast.BoolOp, env: Mapping[str, Value]) -> Value:
        return self._any(node.values, env)

    def _table(self, node: ast.Dict, env: Mapping[str, Value]) -> Value:
        return self._any([*(key for key in node.keys if key is not None), *node.values], env)

    def _listed(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, env: Mapping[str, Value]) -> Value:
        return self._value(node.elt, env)

    def _no_text(self, _node: ast.AST, _env: Mapping[str, Value]) -> Value:
        return NOTHING

    def _any(self, nodes: Sequence[ast.AST], env: Mapping[str, Value]) -> Value:
        found = frozenset().union(*(self._value(each, env) for each in nodes)) if nodes else NOTHING
        return found if len(found) <= MOST else UNTOLD

    def _made(self, nodes: Sequence[ast.AST], env: Mapping[str, Value]) -> Value:
        """In a way that is not followed: of data it is data, of what is spelled out it may be any text."""
        found = [each for value in (self._value(node, env) for node in nodes) for each in value]
        texts = [each for each in found if isinstance(each, str)]
        if any(OPAQUE in text or _TWO_MARKS.search(text) for text in texts):
            return UNTOLD
        return DATA if not texts or any(map(ANY_MARK.search, texts)) else UNTOLD

    def _joined(self, between: str, parts: Sequence[Value]) -> Value:
        """Texts one behind the other; UNTOLD for a name that grows by itself."""
        if any(not part for part in parts) or len(parts) > LONGEST:
            return UNTOLD
        count = 1
        for part in parts:
            count *= len(part)
        if count > MOST:
            return UNTOLD
        made = {between.join(map(str, each)) for each in product(*parts)}
        return frozenset(made) if all(len(each) <= LONGEST for each in made) else UNTOLD

    def _binary(self, node: ast.BinOp, env: Mapping[str, Value]) -> Value:
        left, op, right = node.left, node.op, node.right
        first, second = self._value(left, env), self._value(right, env)
        numbers = [each for each in (*first, *second) if isinstance(each, int)]
        if numbers and len(numbers) == len(first) + len(second):
            return _computed(first, op, second)
        match op:
            case ast.Add():
                return self._joined("", [first, second])
            case ast.Div():
                return self._path([first, second])
            case ast.Mod() if isinstance(left, ast.Constant) and isinstance(left.value, str):
                values = right.elts if isinstance(right, ast.Tuple) else [right]
                pieces = re.split(r"%[sd]", left.value)
                if "%" in "".join(pieces) or len(pieces) != len(values) + 1:
                    return UNTOLD
                filled: list[Value] = [frozenset({pieces[0]})]
                for value, piece in zip(values, pieces[1:], strict=True):
                    filled += [self._value(value, env), frozenset({piece})]
                return self._joined("", filled)
        return self._made([left, right], env)

    def _path(self, parts: Sequence[Value]) -> Value:
        joined = self._joined("\n", parts)
        return frozenset(_in_folder(str(each).split("\n")) for each in joined)

    def _subscript(self, node: ast.Subscript, env: Mapping[str, Value]) -> Value:
        if self._full(node.value) == "os.environ":
            return _variable(node.slice)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "parents":
            return self._above(node.value.value, env)
        found = self._value(node.value, env)
        if isinstance(node.value, ast.List | ast.Tuple | ast.Dict) or not found:
            return found or DATA
        texts = [each for each in found if isinstance(each, str) and not ANY_MARK.search(each)]
        if not texts:
            turns = isinstance(node.slice, ast.Slice) and node.slice.step is not None
            return UNTOLD if turns else found
        if _holds_several(node.value) or (
            isinstance(node.value, ast.Name) and not self._is_text(node.value.id)
        ):
            return found
        try:
            place = (
                ast.literal_eval(node.slice)
                if not isinstance(node.slice, ast.Slice)
                else slice(*(None if each is None else ast.literal_eval(each) for each in _ends(node.slice)))
            )
            return frozenset(text[place] for text in texts)
        except (ValueError, TypeError, IndexError, SyntaxError):
            return UNTOLD

    def _is_text(self, name: str) -> bool:
        """Whether a name is given texts, and not lists of such."""
        return not any(_holds_several(value) for value, _ in self._given.get(name, ()))

    def _above(self, node: ast.AST, env: Mapping[str, Value]) -> Value:
        found: set[str | int] = set()
        for each in self._value(node, env):
            place = str(each).partition(OUTPUT)[0].rstrip("/") if OUTPUT in str(each) else str(each)
            for _ in range(ANCESTORS):
                place = (
                    dirname(place)
                    if place not in ("", ".") and not place.endswith("..")
                    else f"{place or '.'}/.."
                )
                found.add(posixpath.normpath(place))
        return frozenset(found)

    def _attribute(self, node: ast.Attribute, env: Mapping[str, Value]) -> Value:
        full = self._full(node)
        if full in FIXED:
            return frozenset({FIXED[full]})
        if node.attr == "pw_dir":
            return frozenset({"~"})
        if full:
            return DATA
        if node.attr == "parents":
            return self._above(node.value, env)
        found = self._value(node.value, env)
        if node.attr == "parent":
            return frozenset(_parent(str(each)) for each in found)
        if node.attr in ("name", "stem"):
            return frozenset(posixpath.basename(str(each)) for each in found)
        return found

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, env: Mapping[str, Value]) -> Value:
        full = self._full(node.func)
        arguments = [self._value(each, env) for each in node.args]
        told = self._place_of(full, node, arguments)
        if told is not None:
            return told
        if full in ("chr", "ord", "bytes", "bytearray") or full in DECODERS:
            return self._letters(full, node, env)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else full
        if name in LISTS or name in MATCHES:
            return self._found(name, node, arguments, env)
        if full in PASSES:
            return self._any(node.args, env) or DATA
        if full == "map" and len(node.args) == 2:
            return self._mapped(node, env)
        if isinstance(node.func, ast.Attribute) and (not full or full.partition(".")[0] in ("str", "bytes")):
            return self._method(node, node.func, arguments, env)
        if isinstance(node.func, ast.Name) and node.func.id in self._returned:
            return self._given_back(node.func.id, env)
        if isinstance(node.func, ast.Lambda):
            return self._value(node.func.body, env)
        # What is opened, measured or asked for is data; what only turns texts into others may be any text.
        if full and full.partition(".")[0] not in TEXT_MODULES and full not in TEXT_BUILTINS:
            return UNTOLD if any(OPAQUE in str(each) for value in arguments for each in value) else DATA
        return self._made(node.args, env)

    def _place_of(self, full: str, node: ast.Call, arguments: Sequence[Value]) -> Value | None:
        """What is known to make paths, or to give a folder or a variable."""
        if full in HOMES or full in CURRENT:
            return frozenset({"~" if full in HOMES else "."})
        if full in PATHS:
            return self._path(arguments) if arguments else frozenset({"."})
        if full in ("os.getenv", "os.environ.get") and node.args:
            return _variable(node.args[0])
        if full in PATH_FUNCTIONS and arguments:
            return frozenset(PATH_FUNCTIONS[full](str(each)) for each in arguments[0])
        return None

    def _given_back(self, name: str, env: Mapping[str, Value]) -> Value:
        key = (f"{name}()", False)
        if key in self._open:
            return NOTHING
        self._open.add(key)
        found = self._any(self._returned[name], env)
        self._open.discard(key)
        return found or DATA

    def _mapped(self, node: ast.Call, env: Mapping[str, Value]) -> Value:
        function = self._full(node.args[0])
        several = self._element(node.args[1], env)
        if function in PATHS or function in ("len", "int"):
            return several
        return self._made([node.args[1]], env)

    def _found(
        self, name: str, node: ast.Call, arguments: Sequence[Value], env: Mapping[str, Value]
    ) -> Value:
        """Names in a folder; of a pattern the pattern itself."""
        before = isinstance(node.func, ast.Attribute) and not self._full(node.func)
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        start = self._value(inner, env) if before and inner is not None else frozenset({"."})
        if name in MATCHES:
            wanted = arguments[0] if arguments else frozenset({"*"})
            deep: list[Value] = [frozenset({"**"})] if name == "rglob" else []
            return self._path([start, *deep, wanted])
        place = arguments[0] if arguments and not before else start
        # Names alone, as `listdir` gives them, are joined with the folder by the code.
        return frozenset(
            {OUTPUT} if name == "listdir" else {posixpath.join(str(each), OUTPUT) for each in place}
        ) | (frozenset(place) if name in ("walk", "fwalk") else NOTHING)

    def _letters(self, full: str, node: ast.Call, env: Mapping[str, Value]) -> Value:
        """Texts that are made of numbers or of other texts."""
        if not node.args:
            return NOTHING
        first = self._value(node.args[0], env)
        try:
            if full == "chr":
                return frozenset(chr(each) for each in first if isinstance(each, int)) or UNTOLD
            if full == "ord":
                return frozenset(ord(str(each)) for each in first)
            if full in ("bytes", "bytearray"):
                parts = self._elements(node.args[0], env)
                if parts is None:
                    return first if first and all(isinstance(each, str) for each in first) else UNTOLD
                letters = [frozenset(chr(each) for each in part if isinstance(each, int)) for part in parts]
                return self._joined("", letters)
            told = [str(each) for each in first if not ANY_MARK.search(str(each))]
            if len(told) != len(first):
                return UNTOLD
            return frozenset(DECODERS[full](each, node) for each in told)
        except (ValueError, TypeError, OverflowError, binascii.Error, LookupError):
            return UNTOLD

    def _method(
        self, node: ast.Call, function: ast.Attribute, arguments: Sequence[Value], env: Mapping[str, Value]
    ) -> Value:
        name, before = function.attr, self._value(function.value, env)
        if name == "join" and node.args:
            return self._join(before, node.args[0], env)
        if name == "joinpath":
            return self._path([before, *arguments])
        if name in ("with_name", "with_suffix") and len(arguments) == 1:
            stem = frozenset(posixpath.splitext(str(each))[0] for each in before)
            beside = frozenset(_parent(str(each)) for each in before)
            return (
                self._joined("", [stem, *arguments])
                if name == "with_suffix"
                else self._path([beside, *arguments])
            )
        if name in PASSING_METHODS:
            return before | (
                self._any(node.args[1:], env) if name in ("get", "setdefault", "pop") else NOTHING
            )
        if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
            return (
                frozenset(
                    piece for each in before for piece in (_pieces(str(each), name, node) if before else ())
                )
                or DATA
            )
        texts = [str(each) for each in before]
        if name in TEXT_METHODS and not node.keywords:
            if any(map(ANY_MARK.search, texts)):
                # Of data it is data; a text with a part from elsewhere may become any.
                return (
                    before
                    if name in WHOLE_LINES and all(each in MARKS for each in texts)
                    else self._made([function.value, *node.args], env)
                )
            try:
                made = {TEXT_METHODS[name](text, *each) for text in texts for each in product(*arguments)}
            except (TypeError, ValueError, IndexError, KeyError, AttributeError):
                return UNTOLD
            return frozenset(made) if len(made) <= MOST else UNTOLD
        return self._made([function.value, *node.args], env)

    def _join(self, between: Value, node: ast.AST, env: Mapping[str, Value]) -> Value:
        parts = self._elements(node, env)
        marks = [str(each) for each in between]
        if parts is not None and len(marks) == 1:
            return self._joined(marks[0], parts) if parts else frozenset({""})
        found = self._element(node, env)
        is_data = all(ANY_MARK.search(str(each)) and OPAQUE not in str(each) for each in found)
        # One letter behind the other is a name that nobody sees.
        return DATA if is_data and found and all(mark.strip(" ,") for mark in marks) else UNTOLD

    def _elements(self, node: ast.AST, env: Mapping[str, Value]) -> list[Value] | None:
        """What an expression holds, one after the other; None where that is not spelled out."""
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                if any(isinstance(part, ast.Starred) for part in parts):
                    return None
                return [self._value(part, env) for part in parts]
            case ast.Constant(value=str(text)) if len(text) <= LONGEST:
                return [frozenset({letter}) for letter in text]
            case ast.Constant(value=bytes(raw)) if len(raw) <= LONGEST:
                return [frozenset({number}) for number in raw]
            case ast.Name(id=name):
                given = self._given.get(name, [])
                if len(given) != 1 or given[0][1] or name in env:
                    return None
                return self._elements(given[0][0], env)
            case ast.Call(func=function, args=[inner]) if self._full(function) in SAME_ORDER:
                parts_of = self._elements(inner, env)
                return parts_of[::-1] if parts_of and self._full(function) == "reversed" else parts_of
            case ast.Call(func=function, args=[ast.Name(id="chr"), inner]) if self._full(function) == "map":
                numbers = self._elements(inner, env)
                return (
                    None
                    if numbers is None
                    else [
                        frozenset(
                            chr(each) for each in part if isinstance(each, int) and 0 <= each < 0x110000
                        )
                        for part in numbers
                    ]
                )
            case ast.ListComp(elt=inner, generators=[one]) | ast.GeneratorExp(elt=inner, generators=[one]):
                return self._gone_through(inner, one, env)
        return None

    def _gone_through(
        self, inner: ast.expr, one: ast.comprehension, env: Mapping[str, Value]
    ) -> list[Value] | None:
        several = self._elements(one.iter, env) if not one.ifs else None
        if several is None or len(several) > MOST or not isinstance(one.target, ast.Name):
            return None
        return [self._value(inner, {**env, one.target.id: part}) for part in several]


SAME_ORDER = frozenset({"list", "tuple", "iter", "reversed"})
LOOKS: Mapping[type[ast.AST], Callable[..., Value]] = {
    ast.Constant: Values._constant,
    ast.Name: Values._named,
    ast.JoinedStr: Values._formatted,
    ast.FormattedValue: Values._inserted,
    ast.NamedExpr: Values._inner,
    ast.Starred: Values._inner,
    ast.IfExp: Values._either,
    ast.BoolOp: Values._one_of,
    **dict.fromkeys((ast.List, ast.Tuple, ast.Set), Values._several),
    ast.Dict: Values._table,
    ast.BinOp: Values._binary,
    ast.Subscript: Values._subscript,
    ast.Attribute: Values._attribute,
    ast.Call: Values._call,
    **dict.fromkeys((ast.ListComp, ast.GeneratorExp, ast.SetComp), Values._listed),
    **dict.fromkeys((ast.Compare, ast.UnaryOp), Values._no_text),
}
MARKS = frozenset({VARIABLE, OUTPUT})


def _in_folder(parts: Sequence[str]) -> str:
    """As `os.path.join`, with the home folder by its sign."""
    first = max((number for number, part in enumerate(parts) if part[:1] in ("/", "~")), default=0)
    return posixpath.join(*parts[first:])


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.AST, bool]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target, value, is_element=False)
        case (
            ast.AnnAssign(target=target, value=ast.AST() as value) | ast.NamedExpr(target=target, value=value)
        ):
            yield from _targets(target, value, is_element=False)
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            yield name, ast.BinOp(ast.Name(name, ast.Load()), op, value), False
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield from _targets(target, value, is_element=True)
        case ast.withitem(context_expr=value, optional_vars=ast.AST() as target):
            yield from _targets(target, value, is_element=False)
        case ast.FunctionDef(args=arguments) | ast.Lambda(args=arguments):
            positional = [*arguments.posonlyargs, *arguments.args]
            given = zip(reversed(positional), reversed(arguments.defaults), strict=False)
            named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            for argument, default in (*given, *named):
                if default is not None:
                    yield argument.arg, default, False


def _targets(target: ast.AST, value: ast.AST, *, is_element: bool) -> Iterator[tuple[str, ast.AST, bool]]:
    match target:
        case ast.Name(id=name):
            yield name, value, is_element
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            several = value.elts if isinstance(value, ast.Tuple | ast.List) and not is_element else []
            for number, part in enumerate(parts):
                if len(several) == len(parts):
                    yield from _targets(part, several[number], is_element=False)
                else:
                    yield from _targets(part, value, is_element=True)
        case ast.Starred(value=inner):
            yield from _targets(inner, value, is_element=True)


def _functions(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, ast.FunctionDef | ast.Lambda]]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            yield from ((name.id, node.value) for name in node.targets if isinstance(name, ast.Name))


def _returns(function: ast.FunctionDef | ast.Lambda) -> list[ast.AST]:
    if isinstance(function, ast.Lambda):
        return [function.body]
    given = [each.value for each in ast.walk(function) if isinstance(each, ast.Return | ast.Yield)]
    return [each for each in given if each is not None]


def _meant(
    node: ast.AST, functions: Mapping[str, list[ast.FunctionDef | ast.Lambda]]
) -> Sequence[ast.FunctionDef | ast.Lambda]:
    """The functions of the code that an expression stands for."""
    if isinstance(node, ast.Lambda):
        return [node]
    return functions.get(node.id, ()) if isinstance(node, ast.Name) else ()


def _parameters_of(function: ast.FunctionDef | ast.Lambda) -> list[str]:
    arguments = function.args
    rest = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *rest)]


def _holds_several(node: ast.AST) -> bool:
    is_split = (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and "split" in node.func.attr
    )
    return is_split or isinstance(
        node, ast.List | ast.Tuple | ast.Dict | ast.Set | ast.ListComp | ast.DictComp
    )


def _ends(node: ast.Slice) -> tuple[ast.expr | None, ...]:
    return node.lower, node.upper, node.step


def _variable(node: ast.AST) -> Value:
    name = node.value if isinstance(node, ast.Constant) else ""
    return frozenset({VARIABLES[name]}) if name in VARIABLES else DATA


def _expanded(text: str) -> str:
    return re.sub(r"\$\{?(HOME|PWD)\}?", lambda found: VARIABLES[found[1]], text)


def _parent(place: str) -> str:
    """Of a name that was found it is the folder, or one below that."""
    if place in (".", ""):
        return ".."
    return dirname(place) if not place.endswith("..") else f"{place}/.."


def _pieces(text: str, name: str, node: ast.Call) -> list[str]:
    if ANY_MARK.search(text):
        return [VARIABLE if OPAQUE not in text else OPAQUE]
    first = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    if name == "splitlines":
        return text.splitlines()
    if not node.args:
        return text.split()
    return text.split(first) if isinstance(first, str) and first else [OPAQUE]


def _computed(first: Value, op: ast.operator, second: Value) -> Value:
    made: set[str | int] = set()
    for one, other in product(first, second):
        if not isinstance(one, int) or not isinstance(other, int):
            return UNTOLD
        match op:
            case ast.Add():
                made.add(one + other)
            case ast.Sub():
                made.add(one - other)
            case ast.Mult():
                made.add(one * other % 2**31)
            case ast.BitXor():
                made.add(one ^ other)
            case _:
                return UNTOLD
    return frozenset(made) if len(made) <= MOST else UNTOLD


def _unhex(text: str, _node: ast.Call) -> str:
    return bytes.fromhex(text).decode("latin-1")


def _unbase64(text: str, _node: ast.Call) -> str:
    return base64.b64decode(text).decode("latin-1")


def _uncoded(text: str, node: ast.Call) -> str:
    name = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else ""
    if name in ("rot13", "rot_13"):
        return codecs.decode(text, "rot13")
    if name in ("hex", "hex_codec"):
        return bytes.fromhex(text).decode("latin-1")
    raise LookupError(name)


DECODERS: Mapping[str, Callable[[str, ast.Call], str]] = {
    "bytes.fromhex": _unhex,
    "bytearray.fromhex": _unhex,
    "binascii.unhexlify": _unhex,
    "base64.b64decode": _unbase64,
    "base64.urlsafe_b64decode": _unbase64,
    "codecs.decode": _uncoded,
}
PATH_FUNCTIONS: Mapping[str, Callable[[str], str]] = {
    "os.path.dirname": _parent,
    "os.path.basename": posixpath.basename,
    "os.path.expandvars": _expanded,
}
