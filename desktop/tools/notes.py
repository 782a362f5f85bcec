"""Notes that the assistant keeps for the user: added, never changed by it; the user sees and edits them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from desktop.database import Connection, Migration
from desktop.errors import UserFacing
from desktop.gate.verdict import Effect
from desktop.memory.item import Item, MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.memory.search import Search
from desktop.memory.store import MemoryStore, View
from desktop.tools.reasons import ToolReason
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.reminder_words import time_named_in
from desktop.tools.time_translations import in_english
from desktop.tools.times import full_date, local_now
from desktop.tools.tool import Plan, Running, Tool, ToolHint, tool

SHOWN = 10
NO_NOTES = "There are no notes yet."
LONGEST = 4000  # characters of one note
LOOKED_AT = 100  # notes that are read for the days that they name
LANGUAGES = ("en", "fr", "es")  # German is read with English
_TODAY = frozenset({"today", "heute", "aujourd'hui", "aujourd’hui", "hoy", "this day"})

SAVE_NOTE_HINT = ToolHint(
    r"\b(remember|note down|a note|note that|keep in mind|don.?t forget|merke?|notiere?|bitte merken"
    r"|vergiss nicht)\b",
)
RECALL_NOTES_HINT = ToolHint(
    r"\b(ask(ed)?|told|tell|gave) (me|you)\b.*\b(remember|note)|\bmy notes\b|\byou know about my"
    r"\b|\bmeine notizen\b|\b(solltest|sollst|gesagt|gemerkt)\b.*\b(merken|notier\w*)|\b(merken"
    r"|gemerkt)\b.*\b(solltest|sollst)|\bhast du dir gemerkt\b|\bremind(ed)? me what\b",
)


def _notes(connection: Connection) -> None:
    for statement in (
        """
        CREATE TABLE notes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at REAL NOT NULL,
            text TEXT NOT NULL
        )
        """,
        """
        CREATE VIRTUAL TABLE notes_words USING fts5 (
            text, content = 'notes', content_rowid = 'id', tokenize = 'porter unicode61'
        )
        """,
        """
        CREATE TRIGGER notes_words_insert AFTER INSERT ON notes BEGIN
            INSERT INTO notes_words (rowid, text) VALUES (new.id, new.text);
        END
        """,
        """
        CREATE TRIGGER notes_words_delete AFTER DELETE ON notes BEGIN
            INSERT INTO notes_words (notes_words, rowid, text) VALUES ('delete', old.id, old.text);
        END
        """,
        """
        CREATE TRIGGER notes_words_update AFTER UPDATE OF text ON notes BEGIN
            INSERT INTO notes_words (notes_words, rowid, text) VALUES ('delete', old.id, old.text);
            INSERT INTO notes_words (rowid, text) VALUES (new.id, new.text);
        END
        """,
    ):
        connection.execute(statement)


# Notes live in memory's own tables since its third step, which takes over what these hold.
MIGRATIONS = (Migration(1, "notes", _notes, room="tools"),)


@dataclass(frozen=True)
class Note:
    """`at` in seconds since 1970."""

    id: int
    at: float
    text: str

    @property
    def line(self) -> str:
        return f"{datetime.fromtimestamp(self.at).astimezone():%Y-%m-%d %H:%M}  {self.text}"


class Notes:
    """Notes in the one store of memory. All methods may be called on any thread."""

    def __init__(self, store: MemoryStore, search: Search, now: Callable[[], datetime] = local_now) -> None:
        self._store = store
        self._search = search
        self._now = now

    def tools(self) -> tuple[Tool, ...]:
        return (
            tool(
                self.save_note,
                Effect.CREATE,
                verb=ToolReason.VERB_SAVE_NOTE,
                plan=self._plan_save,
                hint=SAVE_NOTE_HINT,
            ),
            tool(self.recall_notes, Effect.READ, verb=ToolReason.VERB_RECALL_NOTES, hint=RECALL_NOTES_HINT),
        )

    def save_note(self, content: str, running: Running) -> str:
        """Store a fact that the user tells you to remember.

        content: the text to remember
        """
        # The model wrote these words: they are known, and never instruct. After it has read texts of others
        # they may be theirs, and are kept and told as a quotation.
        source, origin = theirs(running.untrusted) or (MemorySource.MODEL, "")
        note = self._store.add(NewItem(_checked(content), source=source, origin=origin))
        return f"Noted: {note.text}"

    def recall_notes(self, query: str = "") -> str:
        """Recall the facts that the user told you to remember.

        query: words to look for, or a day; empty for the latest
        """
        day = _day_in(query, self._now())
        if day is not None:
            return self._for_day(day)
        found = self.find(query) if query.strip() else self.latest()
        if not found and query.strip():
            found = self.latest()
        return "\n".join(note.line for note in found) or NO_NOTES

    def _for_day(self, day: date) -> str:
        """The notes that name `day`; where none does that is said, and the latest follow."""
        latest = self.latest(LOOKED_AT)
        named = [note for note in latest if _names_day(note, day)]
        wanted = full_date(day)
        if named:
            return "\n".join((f"Notes for {wanted}:", *(note.line for note in named[:SHOWN])))
        if not latest:
            return NO_NOTES
        return "\n".join((f"No note names {wanted}. The latest:", *(note.line for note in latest[:SHOWN])))

    def latest(self, limit: int = SHOWN) -> tuple[Note, ...]:
        """The newest first."""
        return tuple(map(_note, self._store.latest(_SEEN, (MemoryKind.NOTE,), _RECALLED, limit)))

    def find(self, query: str, limit: int = SHOWN) -> tuple[Note, ...]:
        """Notes with any of the words, best first; one that was replaced comes with its date, as it is."""
        question = self._search.question(query, _SEEN, (MemoryKind.NOTE,))
        return tuple(_note(hit.item) for hit in self._search.hits(question, limit))

    def _plan_save(self, content: str) -> Plan:
        says = ToolReason.ADDS_NOTE.of()
        return Plan(ToolReason.ASK_NOTE.of(), says, Effect.CREATE, parts=(content,), own_notes=True)


def _day_in(query: str, now: datetime) -> date | None:
    """The day that all of `query` names: "today", "Friday", "le 3 mai"; None where it names none."""
    words = " ".join(query.casefold().split()).removeprefix("for ")
    if words in _TODAY:
        return now.date()
    if not words or re.fullmatch(r"\d+", words):
        return None
    for language in LANGUAGES:
        try:
            moment = read_when(in_english(words, language), now, thorough=False)
        except UserFacing:  # in this language it is no time
            continue
        return None if moment.repeats is not None else moment.at.date()
    return None


def _names_day(note: Note, day: date) -> bool:
    """Whether its words name `day`, read as they were meant when it was written: "tomorrow" is the day
    after."""
    written = datetime.fromtimestamp(note.at).astimezone()
    if written.date() == day and any(word in note.text.casefold() for word in _TODAY):
        return True
    for language in LANGUAGES:
        named = time_named_in(in_english(note.text, language), written)
        if named is not None:
            moment = read_when(named, written, thorough=False)
            return moment.repeats.falls_on(day) if moment.repeats is not None else moment.at.date() == day
    return False


def theirs(untrusted: Sequence[str]) -> tuple[MemorySource, str] | None:
    """As whose words a text is kept that was written after reading texts of others; None where none was."""
    if not untrusted:
        return None
    is_web = any(each.startswith(("http://", "https://")) for each in untrusted)
    return (MemorySource.WEB if is_web else MemorySource.TOOL), untrusted[0]


_SEEN = View.of()
_RECALLED = (MemoryStatus.KEPT, MemoryStatus.PINNED)


def _note(item: Item) -> Note:
    return Note(item.id, item.at, item.text)


def _checked(content: str) -> str:
    text = content.strip()
    if not text:
        raise UserFacing(ToolReason.NOTE_EMPTY.of())
    if len(text) > LONGEST:
        raise UserFacing(ToolReason.NOTE_TOO_LONG.of(length=len(text), limit=LONGEST))
    return text
