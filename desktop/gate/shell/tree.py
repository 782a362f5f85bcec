"""The tree of one bash text, and what is known about its nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from desktop.gate.shell import parse
from desktop.gate.shell.expand import words_of
from desktop.gate.shell.printed import output_of
from desktop.gate.shell.reading import Piece, Reading, Scope, Stdin
from desktop.gate.shell.words import OPAQUE, OUTPUT, Word

if TYPE_CHECKING:
    from tree_sitter import Node

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
        self.filtered: set[int] = set()  # commands whose output only passes a harmless grep
        self.bodies: list[tuple[int, int, str]] = []  # of functions: where they stand, and their names
        self.calls: dict[str, set[str]] = {}  # functions, and what is called in them
        self._printed: dict[int, str] = {}
        self.root = parse.parse(parse.bash(), self.source)

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

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
            text = self.output(inner[0], scope) if len(inner) == 1 else None
            if text is not None:
                text = text.rstrip("\n")
            elif _reads_file_only(node):
                text = OUTPUT
            self._printed[node.id] = OUTPUT if text is None else text
        return self._printed[node.id]

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
        if node.type != "command":
            return None
        fed = next((child for child in node.children if child.type == "herestring_redirect"), None)
        if fed is not None:
            stdin = self.fed_by(fed, scope)
        return output_of(self.words(node, scope), stdin)

    def _redirected_output(self, node: Node, scope: Scope, stdin: str | None) -> str | None:
        body = node.child_by_field_name("body")
        if body is None:
            return None
        for redirect in node.children[1:]:
            if redirect.type == "file_redirect":
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
        return self.source[end : node.start_byte].decode("utf-8", "replace").replace("\\\n", "")

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


def _reads_file_only(node: Node) -> bool:
    return node.named_child_count == 1 and node.named_children[0].type == "file_redirect"
