"""One command while it is judged, and what its judge may say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.gate.shell.reading import PHRASES, Reading, Scope, Stdin
from desktop.gate.shell.words import ANY_MARK, Word
from desktop.gate.verdict import Effect, Flag


@dataclass(slots=True)
class Call:
    """One command while it is judged."""

    name: str  # without its folder
    word: Word
    arguments: list[Word]
    reading: Reading
    scope: Scope
    nesting: int
    stdin: Stdin | None
    filtered: bool = False

    def found(self, effect: Effect, reason: str, place: Word | None = None) -> None:
        self.reading.found(effect, reason, place or self.word)

    def flag(self, flag: Flag, reason: str, place: Word | None = None) -> None:
        self.reading.flag(flag, reason, place or self.word)

    def shell(self, text: str, place: Word, shell: str = "bash") -> None:
        """A text that a shell will run."""
        self.reading.shell(text, place, self.nesting, self.scope, shell)

    def argv(self, words: Sequence[Word], stdin: Stdin | None = None) -> None:
        """Words that will be run as a command."""
        self.reading.argv(words, self.nesting + 1, self.scope, stdin or self.stdin)

    def writes(self, place: Word, *, append: bool = False) -> Effect:
        again = place.text in self.reading.seen and not ANY_MARK.search(place.text)
        effect = self.reading.writes(place, self.name, append=append or again)
        if effect is not Effect.READ:
            self.reading.seen.add(place.text)
        return effect

    def is_done(self, effect: Effect, what: str = "") -> None:
        """The whole command has this class."""
        self.found(effect, f"{what or self.name} {PHRASES[effect]}")
