"""When something told later takes the place of something told earlier, without asking a model.

Two ways: both name the same thing that one has one of (`resources/memory/facts.toml`), or the later one says
that it corrects and shares most of its words with one earlier note. In doubt both stay: they have their
dates.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from desktop.database import Connection
from desktop.memory.item import MemoryKind, MemorySource, NewItem
from desktop.memory.text import Vocabulary

LOOKED_AT = 400  # of the latest notes, for a correction
SHARED = 0.5  # of the shorter one's words

_WORD = re.compile(r"[\w'’-]+")
_IS = re.compile(
    r"^(?P<what>.{2,60}?)\s+(?:is|are|was|will be|has (?:been )?(?:moved|changed)|moved|changed"
    r"|ist|sind|heißt|wurde|liegt|findet)\b(?:\s+(?:now|jetzt))?",
    re.I,
)
_OPENING = re.compile(
    r"^(?:actually|correction|no|well|ok|sorry|please|also|that|dass|eigentlich|korrektur|nein|bitte)\b[\s,:]*",
    re.I,
)
_ARTICLES = frozenset({"the", "a", "an", "der", "die", "das", "ein", "eine", "our", "unser", "unsere"})
_OWNERS = {"mein": "my", "meine": "my", "my": "my", "i": "i", "i'm": "i", "ich": "i", "im": "i"}


@dataclass(frozen=True)
class Facts:
    """What `resources/memory/facts.toml` says, and what follows from it."""

    vocabulary: Vocabulary
    single: frozenset[str]
    ones: frozenset[str]
    verbs: frozenset[str]
    corrections: tuple[str, ...]

    def topic(self, text: str) -> str:
        """What a note is the one answer to ("my dentist", "i live"); "" where there may be several."""
        line = _without_openings(text.strip().splitlines()[0] if text.strip() else "")
        return self._subject(line) or self._verb(line)

    def replaced(self, connection: Connection, new: NewItem, topic: str) -> int | None:
        """The id of the note that `new` takes the place of."""
        if topic:
            row = connection.execute(
                "SELECT id FROM memory_items WHERE layer = ? AND scope = ? AND topic = ?"  # noqa: S608
                f" AND superseded_by IS NULL AND source IN {_replaceable(new)} ORDER BY id DESC LIMIT 1",
                (new.layer.value, new.scope, topic),
            ).fetchone()
            if row is not None:
                return int(row["id"])
        return self._corrected(connection, new) if self.corrects(new.text) else None

    def corrects(self, text: str) -> bool:
        """Whether it says of itself that something earlier is wrong."""
        line = f" {' '.join(_WORD.findall(text.casefold()))} "
        return any(f" {phrase} " in line for phrase in self.corrections)

    def _subject(self, line: str) -> str:
        match = _IS.match(line)
        if match is None:
            return ""
        words = [word for word in _folded(match["what"]) if word not in _ARTICLES]
        if not words or len(words) > 6 or words == ["i"]:
            return ""
        # “My dentist” names one thing, “my meetings” may be many.
        one = words[-1] in self.single or any(_begins(word, self.ones) for word in words)
        named = len(words) > 1 or words[-1] in self.single
        return " ".join(words) if one and named else ""

    def _verb(self, line: str) -> str:
        words = _folded(line)
        if words[:1] == ["i"] and (verb := next((w for w in words[1:5] if w in self.verbs), "")):
            return f"i {_SAME.get(verb, verb)}"
        return ""

    def _corrected(self, connection: Connection, new: NewItem) -> int | None:
        rows = connection.execute(
            "SELECT id, text FROM memory_items WHERE kind = ? AND layer = ? AND scope = ?"  # noqa: S608
            f" AND superseded_by IS NULL AND source IN {_replaceable(new)} ORDER BY id DESC LIMIT ?",
            (MemoryKind.NOTE.value, new.layer.value, new.scope, LOOKED_AT),
        ).fetchall()
        mine = self._content(new.text)
        shares = [(_share(mine, self._content(row["text"])), int(row["id"])) for row in rows]
        # In doubt both stay: a wrong replacement hides what was right.
        best = max(shares, default=(0.0, 0))
        return best[1] if best[0] >= SHARED else None

    def _content(self, text: str) -> frozenset[str]:
        # “Actually” says that it corrects, not what.
        marks = {word for phrase in self.corrections for word in phrase.split()}
        words = (stem(word) for word in _WORD.findall(text.casefold()) if word not in self.vocabulary.stop)
        return frozenset(word for word in words if word not in marks)


# Words of one place in life.
_SAME = {
    **dict.fromkeys(("lives", "living", "moved", "wohne", "wohnt", "umgezogen"), "live"),
    **dict.fromkeys(("works", "working", "arbeite", "arbeitet"), "work"),
    **dict.fromkeys(("heiße", "heißt"), "called"),
    **dict.fromkeys(("studies", "studiere"), "study"),
    **dict.fromkeys(("drives", "fahre"), "drive"),
}


def read_facts(path: Path, vocabulary: Vocabulary) -> Facts:
    """Raises where the file is wrong, which is a bug."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    single, ones, verbs = (frozenset(table[name].split()) for name in ("single", "ones", "verbs"))
    return Facts(vocabulary, single, ones, verbs, tuple(table["corrections"]))


def stem(word: str) -> str:
    """Enough to see that "meetings" and "meeting's" are a meeting."""
    return re.sub(r"(?:['’]s|s|en|n)$", "", word) if len(word) > 4 else word


def _without_openings(line: str) -> str:
    shorter = _OPENING.sub("", line)
    return line if shorter == line else _without_openings(shorter)


def _folded(text: str) -> list[str]:
    return list(_words(text.casefold().replace("’", "'")))


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        yield _OWNERS.get(word, word)


def _begins(word: str, ones: frozenset[str]) -> bool:
    """German writes the noun right after it: Lieblingsfarbe."""
    return word in ones or (word.startswith("lieblings") and "lieblings" in ones)


def _replaceable(new: NewItem) -> str:
    """What the assistant noted does not replace what the user typed."""
    sources = (MemorySource.USER, MemorySource.MODEL) if new.source is MemorySource.USER else (new.source,)
    return f"({', '.join(repr(source.value) for source in sources)})"


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    shorter = min(len(one), len(other))
    return len(one & other) / shorter if shorter > 1 else 0.0
