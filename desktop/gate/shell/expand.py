"""From nodes of the bash tree to words: quoting, variables, braces, and what a substitution prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from desktop.gate.shell.reading import Scope
from desktop.gate.shell.words import (
    HIDE,
    MAX_FIELDS,
    OPAQUE,
    OUTPUT,
    REVEAL,
    VARIABLE,
    Word,
    expand_braces,
    unescape_ansi,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from desktop.gate.shell.tree import Tree

BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
IN_QUOTES = re.compile(r'\\([$`"\\\n])')
BARE_BLANK = re.compile(r"(?<!\\)[ \t\n]+")
BLANKS = re.compile(r"[ \t\n]+")
KNOWN_VARIABLES = {"HOME": "~", "PWD": ".", "IFS": " \t\n"}
SIMPLE = re.compile(r"[\w./,:=@%+~^-]+")

ARITHMETIC = re.compile(r"[\s\d$(){}\w+*/%<>=&|^~!,;?:.\[\]-]*")
PLAIN = frozenset(["word", "number", "extglob_pattern", "regex", "variable_name", "special_variable_name"])
JOINED = PLAIN | {"concatenation", "brace_expression", "command_name", "array"}

Field = tuple[str, bool]  # text, and whether unquoted text in it splits into fields


def words_of(node: Node, tree: Tree, scope: Scope) -> list[Word]:
    """The fields that one word of the line becomes; usually one."""
    place = tree.place(node)
    if node.type == "command_name" and node.child_count == 1:
        node = node.children[0]
    kind = node.type
    if kind in ("word", "number") and not node.child_count:
        raw = tree.text(node)
        if SIMPLE.fullmatch(raw):
            return [Word(raw, *place)]
        if len(BARE_BLANK.split(raw)) > 1:  # the grammar glued words: `{ {`
            return [Word(unescape(part), *place) for part in BARE_BLANK.split(raw) if part]
        pieces: list[Field] = [(unescape(raw), False)]
    else:
        pieces = pieces_of(node, tree, scope)
    quoted = kind in ("string", "raw_string", "ansi_c_string")
    if kind == "string" and not pieces:
        return [] if "[@]" in tree.text(node) or "$@" in tree.text(node) else [Word("", *place, True)]
    texts = split(pieces)
    if not quoted and any("{" in text for text in texts):
        texts = [each for text in texts for each in (expand_braces(text) or [text + OPAQUE])]
    return [Word(text.translate(REVEAL), *place, quoted) for text in texts[:MAX_FIELDS]]


def unescape(raw: str) -> str:
    """An unquoted word without its backslashes."""
    if "\\" not in raw:
        return raw
    raw = raw.replace("\\\r\n", "").replace("\\\n", "")
    return BACKSLASH.sub(lambda found: found[1].translate(HIDE), raw)


def split(pieces: list[Field]) -> list[str]:
    """Join what stands together and cut unquoted expansions at blanks."""
    fields: list[str] = []
    current: str | None = None
    for text, splits in pieces:
        if text == FIELD_END:
            fields.append(current or "")
            current = None
        elif not splits or not BLANKS.search(text):
            current = (current or "") + text if text or not splits else current
        else:
            parts = BLANKS.split(text)
            if parts[0]:
                current = (current or "") + parts[0]
            for part in parts[1:]:
                if current is not None:
                    fields.append(current)
                current = part or None
    if current is not None:
        fields.append(current)
    return fields


FIELD_END = "\x04"


def pieces_of(node: Node, tree: Tree, scope: Scope) -> list[Field]:
    """What a node of a word contributes: texts, and whether blanks in them split."""
    if node.type in PLAIN and not node.child_count:
        return [(unescape(tree.text(node)), False)]
    if node.type in JOINED:
        return children_of(node, tree, scope)
    match node.type:
        case "raw_string":
            return [(tree.text(node)[1:-1].translate(HIDE), False)]
        case "ansi_c_string":
            return [(unescape_ansi(tree.text(node)[2:-1]).translate(HIDE), False)]
        case "string" | "translated_string":
            return quoted_pieces(node, tree, scope)
        case "simple_expansion" | "expansion":
            return [(text, True) for text in expansion(node, tree, scope)] or [("", True)]
        case "command_substitution":
            return [(tree.printed(node, scope), True)]
        case "process_substitution":
            return [("/dev/fd/63", False)]
        case "arithmetic_expansion":
            return [("1" if ARITHMETIC.fullmatch(tree.text(node)) else OPAQUE, False)]
        case _:
            text = tree.text(node)
            return [(unescape(text) if not node.is_named else text + OPAQUE, False)]


def children_of(node: Node, tree: Tree, scope: Scope) -> list[Field]:
    found: list[Field] = []
    end = node.start_byte
    for child in node.children:
        if child.start_byte > end:  # what the grammar passed over
            found.append((unescape(tree.source[end : child.start_byte].decode()), False))
        if not (node.type == "array" and child.type in "()"):
            found += pieces_of(child, tree, scope)
        end = child.end_byte
    if node.end_byte > end:
        found.append((unescape(tree.source[end : node.end_byte].decode()), False))
    return found


def quoted_pieces(node: Node, tree: Tree, scope: Scope) -> list[Field]:
    """Between double quotes nothing splits, except the elements of "${a[@]}"."""
    if node.type == "translated_string":
        node = node.children[-1]
    found: list[Field] = []
    end = node.start_byte + 1
    for child in node.children[1:-1]:
        if child.start_byte > end:
            found.append((in_quotes(tree.source[end : child.start_byte].decode()), False))
        if child.type in ("simple_expansion", "expansion"):
            values = expansion(child, tree, scope)
            if len(values) > 1:
                found += [each for value in values[:-1] for each in ((value, False), (FIELD_END, False))]
            found += [(value.translate(HIDE), False) for value in values[-1:]]
        elif child.type in ("command_substitution", "arithmetic_expansion"):
            found += [(text.translate(HIDE), False) for text, _ in pieces_of(child, tree, scope)]
        else:
            found.append((in_quotes(tree.text(child)), False))
        end = child.end_byte
    if node.end_byte - 1 > end:
        found.append((in_quotes(tree.source[end : node.end_byte - 1].decode()), False))
    return found


def in_quotes(raw: str) -> str:
    if "\\" in raw:
        raw = IN_QUOTES.sub(lambda found: "" if found[1] == "\n" else found[1], raw)
    return raw.translate(HIDE)


NAME = re.compile(r"\$\{?(!?)(#?)(\w+|[@*#?$!-])(\[[^\]]*\])?(.*?)\}?$", re.DOTALL)


def expansion(node: Node, tree: Tree, scope: Scope) -> list[str]:
    """The fields that $name or ${name…} stands for; marks where the line does not tell."""
    raw = tree.text(node)
    found = NAME.match(raw)
    if not found:
        return [OPAQUE]
    indirect, length, name, index, rest = found.groups()
    if length:
        return ["1"]
    known = value_of(name, index, scope)
    if indirect or "@P" in rest:
        return [OPAQUE]
    if not rest:
        return known
    return changed(known, name in scope.values, rest)


def value_of(name: str, index: str | None, scope: Scope) -> list[str]:
    if name in scope.values:
        value = scope.values[name]
        if value is None:
            return [VARIABLE]
        if scope.splits_elsewhere:
            return [OPAQUE]
        if index in ("[@]", "[*]"):
            return list(value)
        if index is None:
            return list(value[:1])
        number = index[1:-1]
        return [value[int(number)]] if number.isdecimal() and int(number) < len(value) else [OPAQUE]
    return [KNOWN_VARIABLES.get(name, VARIABLE)]


def changed(known: list[str], assigned: bool, rest: str) -> list[str]:
    """${name…}: a part of a harmless operand is one too, anything else is not followed."""
    text = "".join(known) + rest
    if rest[0] in "#%:/^," and not rest.startswith((":-", ":=", ":+", ":?")):
        harmless = not assigned or "-" not in text.replace(":-", "")
        return [VARIABLE] if harmless and OPAQUE not in text and OUTPUT not in rest else [OPAQUE]
    default = rest.lstrip(":-=+?").strip("\"'")
    if rest.lstrip(":").startswith("?"):
        return known
    if assigned and VARIABLE not in text:
        return known if "+" not in rest[:2] else [default]
    return [OPAQUE] if re.match(r"-|.*[\s;&|`$(]-?", default, re.DOTALL) and default else [VARIABLE]
