"""One bash text as a tree, and its nodes as words: quotes, variables, braces, what substitutions print."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from desktop.gate.shell import parser
from desktop.gate.shell.data_words import keeps_lines, lists_names
from desktop.gate.shell.parameters import PRINT_FOLDERS, changed_value, printed_folder, with_own_folders
from desktop.gate.shell.reading import Passed, Piece, Reading, Scope, Stdin
from desktop.gate.shell.words import (
    ANY_MARK,
    GIVEN,
    LOOSE,
    MAX_FIELDS,
    NAMES,
    OPAQUE,
    OUTPUT,
    VARIABLE,
    Word,
    expand_braces,
    hide,
    reveal,
    unescape_ansi,
)

if TYPE_CHECKING:
    from tree_sitter import Node

BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
IN_QUOTES = re.compile(r'\\([$`"\\\n])')
BARE_BLANK = re.compile(r"(?<!\\)[ \t\n]+")
BLANKS = re.compile(r"[ \t\n]+")
# The three whose values every shell sets by itself; of all others the line has to tell.
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
        # Most words are such, and everything below costs ten times as much.
        if SIMPLE.fullmatch(raw):
            if raw[0] == "~":
                raw = with_own_folders(raw, tree.reading.here(), tree.reading.before)
            return [Word(raw, *place)]
        if len(BARE_BLANK.split(raw)) > 1:  # the grammar glued words: `{ {`
            return [Word(unescape(part), *place) for part in BARE_BLANK.split(raw) if part]
        pieces: list[Field] = [(unescape(raw), False)]
    else:
        pieces = pieces_of(node, tree, scope)
    quoted = kind in ("string", "raw_string", "ansi_c_string")
    if kind == "string" and not pieces:
        # An empty array between quotes is no word at all; any other empty string is an empty word.
        return [] if "[@]" in tree.text(node) or "$@" in tree.text(node) else [Word("", *place, True)]
    texts = split(pieces)
    if texts and texts[0][:1] == "~" and not quoted:
        texts[0] = with_own_folders(texts[0], tree.reading.here(), tree.reading.before)
    if not quoted and any("{" in text for text in texts):
        texts = [each for text in texts for each in (expand_braces(text) or [text + OPAQUE])]
    return [Word(reveal(text), *place, quoted) for text in texts[:MAX_FIELDS]]


def unescape(raw: str) -> str:
    """An unquoted word without its backslashes."""
    if "\\" not in raw:
        return raw
    # A continued line is no blank: its two halves are one word.
    raw = raw.replace("\\\r\n", "").replace("\\\n", "")
    return BACKSLASH.sub(lambda found: hide(found[1]), raw)


def split(pieces: list[Field]) -> list[str]:
    """Join what stands together and cut unquoted expansions at blanks."""
    fields: list[str] = []
    current: str | None = None
    for text, splits in pieces:
        if text == FIELD_END:
            fields.append(current or "")
            current = None
        elif not splits or not BLANKS.search(text):
            one = GIVEN.sub(OUTPUT + LOOSE, text) if splits and OUTPUT in text else text
            current = (current or "") + one if text or not splits else current
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
            return [(hide(tree.text(node)[1:-1]), False)]
        case "ansi_c_string":
            return [(hide(unescape_ansi(tree.text(node)[2:-1])), False)]
        case "string" | "translated_string":
            return quoted_pieces(node, tree, scope)
        case "simple_expansion" | "expansion":
            return [(text, True) for text in expansion(node, tree, scope)] or [("", True)]
        case "command_substitution":
            return [(tree.printed(node, scope), True)]
        case "process_substitution":
            # What bash puts there is the name of a pipe.
            return [("/dev/fd/63", False)]
        case "arithmetic_expansion":
            # A number is harmless whichever it is; text that is no plain arithmetic may run commands.
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
        # The brackets of an array are its form and no element.
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
            found += [(hide(value), False) for value in values[-1:]]
        elif child.type in ("command_substitution", "arithmetic_expansion"):
            found += [(hide(text), False) for text, _ in pieces_of(child, tree, scope)]
        else:
            found.append((in_quotes(tree.text(child)), False))
        end = child.end_byte
    if node.end_byte - 1 > end:
        found.append((in_quotes(tree.source[end : node.end_byte - 1].decode()), False))
    return found


def in_quotes(raw: str) -> str:
    if "\\" in raw:
        raw = IN_QUOTES.sub(lambda found: "" if found[1] == "\n" else found[1], raw)
    return hide(raw)


NAME = re.compile(r"\$\{?(!?)(#?)(\w+|[@*#?$!-])(\[[^\]]*\])?(.*?)\}?$", re.DOTALL)


def expansion(node: Node, tree: Tree, scope: Scope) -> list[str]:
    """The fields that $name or ${name…} stands for; marks where the line does not tell."""
    raw = tree.text(node)
    found = NAME.match(raw)
    if not found:
        return [OPAQUE]
    indirect, length, name, index, rest = found.groups()
    # ${#x} is a number.
    if length:
        return ["1"]
    known = _own_folder(name, tree.reading) if name in FOLDERS and name not in scope.values else None
    known = known or value_of(name, index, scope)
    # The value names another variable, or is expanded as a prompt, which may run commands.
    if indirect or "@P" in rest:
        return [OPAQUE]
    if not rest:
        return known
    told = changed_value(known[0], rest) if len(known) == 1 else None
    if told is not None:
        return [told]
    return changed(known, name in scope.values, rest)


FOLDERS = frozenset({"PWD", "OLDPWD"})


def _own_folder(name: str, reading: Reading) -> list[str]:
    """Where the shell is, and where it was before."""
    folder = reading.here() if name == "PWD" else reading.before
    return [folder] if folder else []


def value_of(name: str, index: str | None, scope: Scope) -> list[str]:
    if name in scope.values:
        value = scope.values[name]
        if value is None:
            return [VARIABLE]
        # With another IFS the fields are cut where nobody expects it.
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
    # ${x?text}: the value, or the shell ends.
    if rest.lstrip(":").startswith("?"):
        return known
    if assigned and VARIABLE not in text:
        return known if "+" not in rest[:2] else [default]
    return [OPAQUE] if re.match(r"-|.*[\s;&|`$(]-?", default, re.DOTALL) and default else [VARIABLE]


# -- the tree of one text --------------------------------------------------------------------------

REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
NO_WORDS = REDIRECTS | {"variable_assignment", "comment"}


class Tree:
    """The tree of one text, and what is known about its nodes."""

    def __init__(self, piece: Piece, reading: Reading) -> None:
        self.source = piece.text.encode("utf-8", "surrogatepass")
        self.piece = piece
        self.reading = reading
        self.scope = piece.scope
        self.stdin: dict[int, Stdin] = {}
        self.later: dict[int, list[Node]] = {}  # words behind a redirection belong to the command before it
        self.passed: dict[int, Passed] = {}  # of commands whose output the next stage picks from
        self.bodies: list[tuple[int, int, str]] = []  # of functions: where they stand, and their names
        self.calls: dict[str, set[str]] = {}  # functions, and what is called in them
        self._printed: dict[int, str] = {}
        self.root = parser.parse(parser.bash(), self.source)
        # Where each letter is one byte, the grammar's places are those of the text.
        self._letters = piece.text if len(self.source) == len(piece.text) else ""

    def text(self, node: Node) -> str:
        if self._letters:
            return self._letters[node.start_byte : node.end_byte]
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> str:
        """The text from one byte to another."""
        if self._letters:
            return self._letters[start:end]
        return self.source[start:end].decode("utf-8", "replace")

    def place(self, node: Node) -> tuple[int, int]:
        """Where a node stands in the outermost line; a nested text stands where its word does."""
        if self.piece.offset is None:
            return self.piece.start, self.piece.end
        return node.start_byte + self.piece.offset, node.end_byte + self.piece.offset

    def word(self, node: Node) -> Word:
        return Word(self.text(node), *self.place(node))

    def printed(self, node: Node, scope: Scope) -> str:
        """What a substitution stands for; OUTPUT where the line does not tell."""
        if node.id not in self._printed:
            self._printed[node.id] = OUTPUT  # while it is computed
            inner = [child for child in node.named_children if child.type != "comment"]
            text = self.output(inner[0], scope) if len(inner) == 1 else self._gone_to(inner, scope)
            if text is not None:
                text = text.rstrip("\n")
            if text is None:
                text = OUTPUT + NAMES if self.lists_names(node) else OUTPUT
            self._printed[node.id] = text
        return self._printed[node.id]

    def lists_names(self, node: Node, *, is_fed: bool = False) -> bool:
        """Whether lines that a statement prints begin with no dash; `is_fed` with such lines itself."""
        if node.type == "command_substitution":
            inner = [child for child in node.named_children if child.type != "comment"]
            return len(inner) == 1 and self.lists_names(inner[0])
        if node.type == "redirected_statement":
            body = node.child_by_field_name("body")
            is_file = any(self.text(child)[:1] == "<" for child in node.children[1:])
            return body is not None and self.lists_names(body, is_fed=is_fed and not is_file)
        if node.type == "pipeline":
            for stage in node.named_children:
                is_fed = self.lists_names(stage, is_fed=is_fed)
            return is_fed
        if node.type != "command":
            return False
        words = [word.text for word in self.words(node, self.scope)]
        return bool(words) and (lists_names(words) or (is_fed and keeps_lines(words)))

    def output(self, node: Node, scope: Scope, stdin: str | None = None) -> str | None:
        """The standard output of a statement, where the line spells it out."""
        if node.type == "pipeline":
            for stage in node.named_children:
                stdin = self.output(stage, scope, stdin)
                if stdin is None:
                    return None
            return stdin
        if node.type == "redirected_statement":
            return self._redirected_output(node, scope, stdin)
        if node.type == "list" and [each.type for each in node.children if not each.is_named] == ["&&"]:
            return self._gone_to(node.named_children, scope)
        if node.type != "command":
            return None
        fed = next((child for child in node.children if child.type == "herestring_redirect"), None)
        if fed is not None:
            stdin = self.fed_by(fed, scope)
        words = self.words(node, scope)
        folder = self._printed_folder(words)
        return f"{folder}\n" if folder is not None else output_of(words, stdin)

    def _printed_folder(self, words: Sequence[Word]) -> str | None:
        name = words[0].text.rpartition("/")[2] if words else ""
        if name not in PRINT_FOLDERS or words[0].text in self.scope.functions:
            return None
        return printed_folder([word.text for word in words], self.reading.here(), self.reading.project())

    def _gone_to(self, statements: Sequence[Node], scope: Scope) -> str | None:
        """`cd x && pwd` prints where x is."""
        if len(statements) != 2 or any(each.type != "command" for each in statements):
            return None
        first, second = ([word.text for word in self.words(each, scope)] for each in statements)
        is_told = second == ["pwd"] and first[:1] == ["cd"] and len(first) == 2 and first[1] not in ("", "-")
        return f"{first[1]}\n" if is_told and not ANY_MARK.search(first[1]) else None

    def _redirected_output(self, node: Node, scope: Scope, stdin: str | None) -> str | None:
        body = node.child_by_field_name("body")
        if body is None:
            return None
        for redirect in node.children[1:]:
            if redirect.type == "file_redirect":
                # Output that goes to a file is not what the substitution stands for.
                if not self.text(redirect).startswith("2>"):
                    return None
            else:
                stdin = self.fed_by(redirect, scope)
        return self.output(body, scope, stdin)

    def fed_by(self, redirect: Node, scope: Scope) -> str | None:
        """The text of a here-document or here-string."""
        if redirect.type == "herestring_redirect":
            words = [word.text for child in redirect.named_children for word in words_of(child, self, scope)]
            return " ".join(words) + "\n"
        body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
        start = next((child for child in redirect.children if child.type == "heredoc_start"), None)
        if body is None or start is None:
            return None
        # A quoted end mark switches expansion off for the whole document.
        literal = any(quote in self.text(start) for quote in "'\"\\")
        return self.text(body) if literal else self._document(body, scope)

    def _document(self, body: Node, scope: Scope) -> str:
        text, end = "", body.start_byte
        for child in body.named_children:
            text += self.source[end : child.start_byte].decode("utf-8", "replace")
            if child.type == "heredoc_content":
                text += self.text(child)
            else:
                text += " ".join(word.text for word in words_of(child, self, scope))
            end = child.end_byte
        text += self.source[end : body.end_byte].decode("utf-8", "replace")
        return re.sub(r"\\([$`\\\n])", lambda found: "" if found[1] == "\n" else found[1], text)

    def gap(self, end: int, node: Node) -> str:
        """What the grammar passed over between a place and a node, without continued lines."""
        return self.between(end, node.start_byte).replace("\\\n", "")

    def words(self, node: Node, scope: Scope) -> list[Word]:
        """The words of a command node, without assignments and redirections."""
        words: list[Word] = []
        end, skipped = -1, True
        later = self.later.get(node.id, ())
        for child in (*node.children, *later):
            gap = self.gap(end, child) if end >= 0 and child not in later else " "
            end = child.end_byte
            if child.type in NO_WORDS:
                skipped = True
                # What the grammar took for a comment may be a word to the shell.
                if child.type == "comment" and words:
                    words.append(Word(OPAQUE, *self.place(child)))
                continue
            new = words_of(child, self, scope)
            if gap.strip(" \t\n") == "" and gap:
                words += new
            elif skipped or not words or not new or ESCAPED_BLANKS.fullmatch(gap) is None:
                words += [
                    *new,
                    Word(OPAQUE, *self.place(child)),
                ]  # a word that the grammar cut at a wrong place
            else:
                whole = words[-1].text + gap.replace("\\", "") + new[0].text
                words[-1:] = [words[-1].but(whole), *new[1:]]
            skipped = False
        return words


ESCAPED_BLANKS = re.compile(r"(?:\\[ \t])*")


# -- what programs print whose whole input the line shows ------------------------------------------

MAX_TEXT = 8000
FORMAT = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?([sdibcqxXuof]))")


def output_of(words: Sequence[Word], stdin: str | None) -> str | None:
    """The standard output of a simple command, None where the line does not tell."""
    # Attackers hide commands in echo, base64 and tr; what these print is worked out and read as the shell
    # would read it.
    program = PROGRAMS.get(words[0].text.rpartition("/")[2]) if words else None
    if program is None:
        return None
    text = program([word.text for word in words[1:]], stdin)
    return text if text is None or len(text) <= MAX_TEXT else None


def echo(arguments: list[str], _stdin: str | None) -> str:
    escapes = newline = None
    # Only these are options of echo; any other word that begins with a dash is printed.
    while arguments and re.fullmatch(r"-[neE]+", arguments[0]):
        option = arguments.pop(0)
        newline = "" if "n" in option else newline
        escapes = True if "e" in option else escapes
    text = " ".join(arguments)
    return (unescape_ansi(text) if escapes else text) + ("\n" if newline is None else newline)


def printf(arguments: list[str], _stdin: str | None) -> str | None:
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    # -v writes into a variable and prints nothing.
    if not arguments or arguments[0].startswith("-v"):
        return None
    form, values = unescape_ansi(arguments[0]), arguments[1:]
    if not FORMAT.search(form.replace("%%", "")):
        return form.replace("%%", "%")
    printed = ""
    while True:
        before = len(values)

        def one(found: re.Match[str]) -> str:
            if found[1] is None:
                return "%"
            value = values.pop(0) if values else ""
            return unescape_ansi(value) if found[1] == "b" else value[:1] if found[1] == "c" else value

        printed += FORMAT.sub(one, form)
        # A format is used again until the values are used up; one that takes none would never end.
        if not values or len(values) == before or len(printed) > MAX_TEXT:
            return printed


def cat(arguments: list[str], stdin: str | None) -> str | None:
    return stdin if all(each == "-" or each.startswith("-u") for each in arguments) else None


def decode_base64(arguments: list[str], stdin: str | None) -> str | None:
    decodes = any(re.fullmatch(r"-[di]*[dD][di]*|--decode", each) for each in arguments)
    if stdin is None or ANY_MARK.search(stdin):
        return None
    if not decodes:
        return base64.b64encode(stdin.encode()).decode() + "\n"
    try:
        # Too much padding does no harm, and shells accept text without it.
        return base64.b64decode(stdin + "==").decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None


def decode_hexadecimal(arguments: list[str], stdin: str | None) -> str | None:
    options = "".join(arguments)
    if stdin is None or "r" not in options or "p" not in options:
        return None
    try:
        return bytes.fromhex("".join(stdin.split())).decode()
    except ValueError:
        return None


def rev(arguments: list[str], stdin: str | None) -> str | None:
    return None if stdin is None or arguments else "\n".join(line[::-1] for line in stdin.split("\n"))


def tr(arguments: list[str], stdin: str | None) -> str | None:
    if stdin is None or ANY_MARK.search(stdin):
        return None
    if arguments[:1] == ["-d"] and len(arguments) == 2:
        gone = set(_letters(arguments[1]))
        return "".join(letter for letter in stdin if letter not in gone)
    if len(arguments) != 2 or arguments[0].startswith("-"):
        return None
    old, new = _letters(arguments[0]), _letters(arguments[1])
    return stdin.translate({ord(a): new[min(i, len(new) - 1)] for i, a in enumerate(old)}) if new else None


CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:space:]": " \\t\\n", "[:digit:]": "0-9"}


def _letters(text: str) -> str:
    for name, letters in CLASSES.items():
        text = text.replace(name, letters)
    text = unescape_ansi(text)

    def spread(found: re.Match[str]) -> str:
        return "".join(map(chr, range(ord(found[1]), min(ord(found[2]), ord(found[1]) + 256) + 1)))

    return re.sub(r"(.)-(.)", spread, text, flags=re.DOTALL)


def rot13(arguments: list[str], stdin: str | None) -> str | None:
    return None if stdin is None or arguments else codecs.encode(stdin, "rot13")


def same(arguments: list[str], stdin: str | None) -> str | None:
    """Programs that pass a short text on whole, in their usual use."""
    return stdin if not arguments else None


def unknown_number(_arguments: list[str], _stdin: str | None) -> str:
    return VARIABLE


PROGRAMS: dict[str, Callable[[list[str], str | None], str | None]] = {
    "echo": echo, "printf": printf, "cat": cat, "tac": same, "sort": same, "base64": decode_base64,
    "xxd": decode_hexadecimal, "rev": rev, "tr": tr, "rot13": rot13,
    "date": unknown_number,
    "uname": unknown_number, "arch": unknown_number, "nproc": unknown_number, "mktemp": unknown_number,
}  # fmt: skip
