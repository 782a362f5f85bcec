"""What is known while a line is read: findings so far, and what is still to be looked at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from desktop.gate.shell.places import GATE, SECRET, SECRET_VARIABLE, SENDING, effect_of_writing, is_outside
from desktop.gate.shell.tables import Tables
from desktop.gate.shell.words import OPAQUE, OUTPUT, Word
from desktop.gate.verdict import Effect, Flag

MAX_PIECES = 400  # commands and nested texts of one line
MAX_NESTING = 8  # shells within shells


@dataclass(frozen=True, slots=True)
class Stdin:
    """What a program reads from its standard input; `text` where the line spells it out."""

    text: str | None


FROM_ELSEWHERE = Stdin(None)


@dataclass(slots=True)
class Scope:
    """Names that the line itself defines. `values` maps a variable to its fields, None for any value."""

    values: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    splits_elsewhere: bool = False  # IFS was changed
    keeps_aliases: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A text for a shell, still to be read."""

    text: str
    start: int
    end: int
    shell: str  # bash, powershell, cmd
    nesting: int
    scope: Scope
    offset: int | None = None  # where its bytes lie in the outermost line, if they do


@dataclass(frozen=True, slots=True)
class Argv:
    """A command as words, still to be judged."""

    words: Sequence[Word]
    nesting: int
    scope: Scope
    stdin: Stdin | None = None
    filtered: bool = False  # the next stage keeps only what matches a harmless pattern


PHRASES = {
    Effect.READ: "only reads",
    Effect.CREATE: "makes something new",
    Effect.UPDATE: "changes something that exists",
    Effect.UNKNOWN: "runs code that the line does not show",
    Effect.DELETE: "removes something or destroys its content",
}


@dataclass(slots=True)
class Reading:
    """One command line on its way to a verdict. Used by one thread."""

    tables: Tables
    folder: str | None = None
    effect: Effect = Effect.READ
    reason: str = ""
    span: tuple[int, int] = (0, 0)
    flags: dict[Flag, tuple[str, tuple[int, int]]] = field(default_factory=dict)
    waiting: list[Piece | Argv] = field(default_factory=list)
    taken: int = 0
    lenient: bool = False  # cmdlets are another shell's; leave them to its reader
    seen: set[str] = field(default_factory=set)  # paths that exist by the time they are written
    inline_input: bool = False  # `read` may get a text that the line spells out
    source: str = ""
    armed: tuple[str, Word] | None = None  # a variable that changes what later commands run

    def found(self, effect: Effect, reason: str, place: Word) -> None:
        """Something that the line does; the worst is kept, of equals the first."""
        if effect > self.effect or not self.reason:
            self.effect = max(effect, self.effect)
            self.reason = reason
            self.span = (place.start, place.end)

    def flag(self, flag: Flag, reason: str, place: Word) -> None:
        self.flags.setdefault(flag, (reason, (place.start, place.end)))

    def shell(self, text: str, place: Word, nesting: int, scope: Scope, shell: str = "bash") -> None:
        """Read `text` as a shell would; what a command prints or what cannot be followed is not readable."""
        if OPAQUE in text or OUTPUT in text:
            self.found(Effect.UNKNOWN, "runs code that another command prints", place)
            text = text.replace(OPAQUE, " ").replace(OUTPUT, " ")
        self.take(Piece(text, place.start, place.end, shell, nesting + 1, scope), place)

    def argv(self, words: Sequence[Word], nesting: int, scope: Scope, stdin: Stdin | None = None) -> None:
        if words:
            self.take(Argv(words, nesting, scope, stdin), words[0])

    def take(self, piece: Piece | Argv, place: Word) -> None:
        """Queue a piece. Commands within commands are bounded: the rest of such a line is unknown."""
        self.taken += 1
        if self.taken > MAX_PIECES or piece.nesting > MAX_NESTING:
            self.found(Effect.UNKNOWN, "commands are nested too deeply", place)
        else:
            self.waiting.append(piece)

    def writes(self, place: Word, what: str, *, append: bool = False) -> Effect:
        """A file gets new content. Returns the effect that was found."""
        path = place.text
        if SENDING.match(path):
            self.flag(Flag.SENDS, f"{what} sends to {path}", place)
        effect = effect_of_writing(path, append=append)
        if effect is not Effect.READ:
            self.found(effect, f"{what} writes {shown(path)}", place)
            self.touches(place)
        return effect

    def touches(self, place: Word) -> None:
        """A path that is changed: is it outside, is it the gate's own?"""
        if GATE.search(place.text):
            self.flag(Flag.GATE, f"{shown(place.text)} holds hooks or permissions", place)
        if is_outside(place.text, self.folder):
            self.flag(Flag.OUTSIDE, f"{shown(place.text)} is outside the working folder", place)

    def reads(self, place: Word) -> None:
        """A path that is read: is it secret, is it the gate's own?"""
        if SECRET.search(place.text):
            self.flag(Flag.SECRET, f"{shown(place.text)} may hold secrets", place)

    def shows_secret(self, place: Word) -> bool:
        """Whether a variable with a telling name stands in this word."""
        part = self.source.encode()[place.start : place.end].decode("utf-8", "ignore")
        names = re.findall(r"\$\{?(\w+)", part)
        return any(SECRET_VARIABLE.search(name) for name in names)


def shown(text: str, limit: int = 60) -> str:
    """A word for a sentence: marks become …, long ones are cut."""
    for mark in "\x01\x02\x03":
        text = text.replace(mark, "…")
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
