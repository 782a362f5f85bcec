"""Values from outside of a line, and the places where bash computes with them.

Arithmetic takes a text for an expression: `$((n + 1))` runs a command where `n` holds `a[$(command)]`. So
what a file, the name of a file or another program gives must be a number before the shell computes with it,
or nobody knows what is run. `[ "$n" -gt 3 ]` compares without computing and is not meant here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from desktop.gate.reasons import GateReason
from desktop.gate.shell.reading import shown
from desktop.gate.shell.words import ANY_MARK
from desktop.gate.verdict import Effect

if TYPE_CHECKING:
    from tree_sitter import Node

    from desktop.gate.shell.expansion import Tree
    from desktop.gate.shell.words import Word

NAMED = frozenset({"variable_name", "special_variable_name"})
IN_ARITHMETIC = NAMED | {"word"}  # there a name needs no dollar
# Text that is a number, or is computed by itself when the walk comes to it.
APART = frozenset({"arithmetic_expansion", "command_substitution", "process_substitution"})
COMPARES = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
PATTERN = re.compile(r"[*?\[]")


def comes_from_outside(tree: Tree, value: Node) -> bool:
    """Whether a value is what a file, a file's name or another program gives, and may be no number."""
    return any(_is_outside(tree, part) for part in _parts(tree, value))


def _is_outside(tree: Tree, part: Node) -> bool:
    if part.type == "command_substitution":
        return not prints_numbers(tree, part)
    return tree.text(part) in tree.scope.outside


def _parts(tree: Tree, node: Node, named: frozenset[str] = NAMED) -> Iterator[Node]:
    """The names and substitutions that a node consists of. How long something is, is a number."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if part.type in named or part.type == "command_substitution":
            yield part
        elif part.type not in APART and not tree.text(part).startswith("${#"):
            waiting += part.named_children


def note_value(tree: Tree, name: str, values: Sequence[Node], *, stays: bool = False) -> None:
    """A variable gets a value; `stays`: it may also keep the one that it had."""
    if any(comes_from_outside(tree, value) for value in values):
        _add(tree, name)
    elif not stays:
        tree.scope.outside.discard(name)


def note_loop(tree: Tree, name: str, values: Sequence[Node]) -> None:
    """A loop variable gets one value after the other; a pattern stands for the names of files."""
    if any(PATTERN.search(tree.text(value)) and value.type != "raw_string" for value in values):
        _add(tree, name)
    note_value(tree, name, values, stays=True)


BUILTINS = frozenset({"let", "test", "printf", "unset"})
READERS = frozenset({"read", "mapfile", "readarray"})
OPERANDS = frozenset({"word", "string", "raw_string", "concatenation", "simple_expansion", "expansion"})


def on_builtin(tree: Tree, node: Node, words: Sequence[Word]) -> None:
    """A command of the shell itself that reads variables from its input, or computes with its words."""
    texts = [word.text for word in words]
    if texts[0] in BUILTINS:
        check_builtin(tree, texts, [child for child in node.named_children if child.type in OPERANDS])
    elif texts[0] in READERS:
        for name in ("REPLY", "MAPFILE", *filter(str.isidentifier, texts[1:])):
            _add(tree, name)


def _add(tree: Tree, name: str) -> None:
    """The expression may stand before the value: in a loop, or in a function that is called later."""
    tree.scope.outside.add(name)
    place = tree.scope.computed.get(name)
    if place is not None:
        tree.reading.found(Effect.UNKNOWN, GateReason.EVALUATES_AS_AN_EXPRESSION.of(name=shown(name)), place)


# -- where bash computes ---------------------------------------------------------------------------


def check_arithmetic(tree: Tree, node: Node) -> None:
    """An expression: `$((…))`, `((…))`, a subscript, the loop of C."""
    for child in _computed(tree, node):
        _check(tree, child, IN_ARITHMETIC)


BODIES = frozenset({"do_group", "compound_statement"})


def _computed(tree: Tree, node: Node) -> list[Node]:
    if node.type == "subscript":  # the array's own name is not computed, and keys of tables are not
        name = tree.text(node.named_children[0])
        return [] if is_table(tree, name) else node.named_children[1:]
    if node.type == "c_style_for_statement":  # its body is judged where it stands
        return [child for child in node.named_children if child.type not in BODIES]
    return node.named_children


def is_table(tree: Tree, name: str) -> bool:
    """Whether an array is indexed by texts."""
    declared = rf"\b(?:declare|typeset|local)\s+-\w*A\w*\s[^;\n]*\b{re.escape(name)}\b"
    return bool(re.search(declared, tree.piece.text))


def check_offset(tree: Tree, node: Node) -> None:
    """`${x:n:m}`: all but the first name is computed."""
    text = tree.text(node)
    if re.match(r"\$\{\w+(?:\[[^\]]*\])?:[^-=+?]", text):
        _check_names(tree, node, text.partition(":")[2])


def _check_names(tree: Tree, node: Node, expression: str) -> None:
    for name in re.findall(r"[A-Za-z_]\w*", expression):
        if name in tree.scope.outside:
            _say(tree, node, name)


def check_comparison(tree: Tree, operator: str, test: Node) -> None:
    """`[[ $n -gt 3 ]]` computes, `[ $n -gt 3 ]` does not."""
    outer: Node | None = test
    while outer is not None and outer.type != "test_command":
        outer = outer.parent
    if operator in COMPARES and outer is not None and outer.children[0].type == "[[":
        for operand in test.named_children:
            _check(tree, operand)


def check_builtin(tree: Tree, words: Sequence[str], nodes: Sequence[Node]) -> None:
    """`let`, and builtins that take an argument for a name, which may have a subscript."""
    match words:
        case ["let", *_]:
            evaluated = list(nodes)
        case ["test", "-v" | "-R", *_] | ["printf", "-v", *_]:
            evaluated = list(nodes[1:2])
        case ["unset", *_]:
            evaluated = list(nodes)
        case _:
            return
    for node in evaluated:
        _check(tree, node)
        if words[0] == "let":
            _check_names(tree, node, tree.text(node).partition("=")[2])


def _check(tree: Tree, node: Node, named: frozenset[str] = NAMED) -> None:
    for part in _parts(tree, node, named):
        if _is_outside(tree, part):
            _say(tree, part, tree.text(part))
        elif part.type != "command_substitution":
            tree.scope.computed.setdefault(tree.text(part), tree.word(part))


def _say(tree: Tree, node: Node, name: str) -> None:
    reason = GateReason.EVALUATES_AS_AN_EXPRESSION.of(name=shown(name))
    tree.reading.found(Effect.UNKNOWN, reason, tree.word(node))


# -- commands that print numbers -------------------------------------------------------------------

DIGITS = re.compile(r"\\?[\[\](){}0-9+*?.,^$|-]+|(?:\\d|\[\[:digit:\]\]|\[0-9.,-]*\])[+*?{}0-9,]*")
NOT_DIGITS = re.compile(r"s(.)\[\^0-9.-]*\]\*?\1\1g?")
WHITE = re.compile(r"[ \\tnr]+|\[:space:\]|\[:blank:\]")
CLOCK = re.compile(r"\+(?:%-?[sSNYymdHMIjuUVwWgGzle]|[-:. ])*")
MEASURE = re.compile(r"(?:%[sYXWZbBhigudo]|%[mz]|[ ])+")
COLUMNS = re.compile(r"(?:pid|ppid|pgid|sid|uid|gid|rss|vsz|pcpu|pmem|%cpu|%mem|nlwp|etimes|times|ni|pri)=?")
OF_CURL = re.compile(r"(?:%\{(?:http_code|response_code|time_\w+|size_\w+|speed_\w+|num_\w+)\}|\\n|[ ])+")
# Blanks are not given back: between five things that may all be missing they could be shared out in any way.
SUMS = re.compile(
    r"print\s*+\(?\s*+(?:NR|NF|(\w+)|int\([^()]*\)|length(?:\([^()]*\))?)?\s*+\)?\s*+(?=[;}\n]|$)"
)
UNITS = frozenset({"%", ",", "K", "M", "G"})
FIRST_FIELD = re.compile(r"\{\s*print\s+\$1\s*;?\s*\}")
KERNEL = re.compile(r"/(?:sys|proc/(?:sys|loadavg|uptime|meminfo|stat|cpuinfo))(?:/.*)?")
# They print numbers and nothing else, whatever their options.
COUNTS = frozenset({"nproc", "seq", "pgrep", "pidof", "bc", "ulimit", "getconf", "tput"})
# Lines pass through them as they are.
PASS_ON = frozenset({"head", "tail", "sort", "uniq", "tee", "cat", "xargs"})


def prints_numbers(tree: Tree, substitution: Node) -> bool:
    """Whether a substitution stands for numbers, as far as the names of its commands tell."""
    inner = [child for child in substitution.named_children if child.type != "comment"]
    return bool(inner) and all(_numeric(tree, child) for child in inner)


def _numeric(tree: Tree, node: Node) -> bool:
    node = _without_redirections(node)
    if node.type == "list":  # `grep -c x f || echo 0`
        return all(_numeric(tree, child) for child in node.named_children)
    stages = node.named_children if node.type == "pipeline" else [node]
    is_number, before = False, [""]
    for stage in map(_without_redirections, stages):
        if stage.type != "command":
            return False
        words = [word.text for word in tree.words(stage, tree.scope)] or [""]
        is_number = _stage(words, before, is_number)
        before = words
    return is_number


def _without_redirections(node: Node) -> Node:
    body = node.child_by_field_name("body") if node.type == "redirected_statement" else None
    return body if body is not None else node


def _stage(words: Sequence[str], before: Sequence[str], is_number: bool) -> bool:
    """`before`: the words of the stage before this one; `is_number`: what that one prints."""
    name, options, operands = words[0], _options(words), _operands(words)
    if name in COUNTS:
        return True
    if name in PASS_ON:
        return is_number and (name != "xargs" or len(words) == 1)
    match name:
        case "echo" | "printf" | ":" | "true" | "false" | "cd":
            # What the line itself spells is looked at elsewhere.
            return not any(map(ANY_MARK.search, words))
        case "wc":
            return not operands
        case "tr":
            return _tr(words, is_number)
        case "cut" | "awk" | "gawk" | "mawk":
            return _columns(words, before, is_number)
        case "sed":
            return len(operands) == 1 and bool(NOT_DIGITS.fullmatch(operands[0]))
        case "cat":
            return bool(operands) and all(map(KERNEL.fullmatch, operands))
        case _:
            return _by_options(name, options, operands, words)


def _tr(words: Sequence[str], is_number: bool) -> bool:
    if any(word in ("-cd", "-dc") for word in words):
        return bool(re.fullmatch(r"(?:0-9|\[:digit:\]|[.,\\n-])+", words[-1]))
    return is_number and "-d" in words and bool(WHITE.fullmatch(words[-1]) or words[-1] in UNITS)


def _columns(words: Sequence[str], before: Sequence[str], is_number: bool) -> bool:
    """The first column of what counts, and sums."""
    if words[0] == "cut":
        is_first = any(re.fullmatch(r"-f ?1|1", word) for word in words)
    else:
        program = next((word for word in words[1:] if "{" in word), "")
        if _sums(program):
            return True
        is_first = bool(FIRST_FIELD.fullmatch(program.strip()))
    # A name with a line break in it would make a line of its own; wc quotes such names, du does not.
    is_told = before[0] == "du" and not any(PATTERN.search(word) or ANY_MARK.search(word) for word in before)
    return is_first and (is_number or is_told or before[0] == "wc")


def _sums(program: str) -> bool:
    printed = SUMS.findall(program)
    return 0 < len(printed) == program.count("print") and all(
        re.search(rf"\b{name}\s*(?:\+=|\+\+)", program) for name in printed if name
    )


def _by_options(name: str, options: Sequence[str], operands: Sequence[str], words: Sequence[str]) -> bool:
    short = "".join(option[1:] for option in options if option[1:2] != "-")
    if name in GREPS:
        only_matches = "o" in short and len(operands) >= 1 and bool(DIGITS.fullmatch(operands[0]))
        return only_matches or ("c" in short and len(operands) <= 2 and not set("rRH") & set(short))
    letters, shapes = FORMATS.get(name, ("", ()))
    if letters and not all(letter in short for letter in letters):
        return False
    return any(shape.fullmatch(word) for shape in shapes for word in words[1:])


GREPS = frozenset({"grep", "egrep", "rg", "zgrep"})
# By program: the letters that it needs, and what one of its words looks like.
FORMATS: dict[str, tuple[str, tuple[re.Pattern[str], ...]]] = {
    "date": ("", (CLOCK,)),
    "stat": ("", (MEASURE, re.compile(rf"--format={MEASURE.pattern}"))),
    "id": ("", (re.compile("-[ug]"),)),
    "ps": ("o", (COLUMNS,)),
    "lsof": ("t", (re.compile(".*"),)),
    "curl": ("o", (OF_CURL,)),
    "jq": ("", (re.compile(r"(?:.*\|)?\s*length\s*", re.DOTALL),)),
    "git": ("", (re.compile(r"--count|--(?:format|pretty)=%[ac]t"),)),
    "sysctl": ("n", (re.compile(".*"),)),
}


def _options(words: Sequence[str]) -> list[str]:
    return [word for word in words[1:] if word[:1] == "-" and len(word) > 1]


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words[1:] if word[:1] != "-" or word == "-"]
