"""What is in the workspace by name, for requests that name a file in words of their own."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256

from desktop.errors import UserFacing
from desktop.sandbox.folder import EntryKind
from desktop.sandbox.workspace import Workspace
from desktop.tools.ignore_rules import walk
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.reminders import Reminders
from desktop.tools.text import SNIFFED_BYTES, encoding_of
from desktop.tools.time_translations import in_english
from desktop.tools.times import local_now

SAME_S = 60
LOOKED_AT = 2000  # names; a request in words is about what a person can have in mind
DOCUMENT_BYTES = 4_000_000  # of a document that is taken apart while somebody waits
MOST_DOCUMENTS = 32  # whose texts are kept
READ_BYTES = 64 * 1024  # of a file that a passage is looked for in, as much as may be written


class DocumentTexts:
    """The texts of the documents that were read last, each by the hash of its bytes. Any thread."""

    def __init__(self, read: Callable[[bytes], str]) -> None:
        """`read` gives the text of one, blocks, and raises UserFacing."""
        self._read = read
        self._texts: OrderedDict[bytes, str] = OrderedDict()
        self._lock = threading.Lock()

    def text(self, data: bytes) -> str:
        """The text of a file; "" where it cannot be read. Blocks where it was not read before."""
        key = sha256(data).digest()
        with self._lock:
            known = self._texts.get(key)
        if known is None:
            try:
                known = self._read(data)
            except UserFacing:  # the call that follows says why, in its own words
                known = ""
        with self._lock:
            self._texts[key] = known
            self._texts.move_to_end(key)
            while len(self._texts) > MOST_DOCUMENTS:
                self._texts.popitem(last=False)
        return known


class WorkspaceNames:
    """Any thread. `worked_out` gives the result of a sum, "" for what is none; `is_looked_up` says whether
    a question is one for a tool that asks the computer."""

    def __init__(
        self,
        workspace: Workspace,
        reminders: Reminders,
        worked_out: Callable[[str], str],
        is_looked_up: Callable[[str], bool],
        documents: DocumentTexts,
    ) -> None:
        self._workspace = workspace
        self._documents = documents
        self._reminders = reminders
        self.worked_out = worked_out
        self.is_looked_up = is_looked_up

    def files(self) -> Sequence[str]:
        """Each as its path from the workspace."""
        return tuple(self._names(EntryKind.FILE))

    def folders(self) -> Sequence[str]:
        return tuple(self._names(EntryKind.FOLDER))

    def text(self, name: str) -> str:
        """What is in a text file; "" where that cannot be read, or is no text."""
        try:
            data = self._workspace.place(name).read(limit_bytes=READ_BYTES)
            return encoding_of(data[:SNIFFED_BYTES], name).decode(data)
        except UserFacing:  # the call that follows says why, in its own words
            return ""

    def whole(self, name: str) -> str:
        """All that is in a text file; "" where it is no text, or more than may be written."""
        try:
            data = self._workspace.place(name).read(limit_bytes=READ_BYTES + 1)
            whole = encoding_of(data[:SNIFFED_BYTES], name).decode(data) if data else ""
        except UserFacing:  # told by the one who asked: only a whole text can be copied or sorted
            return ""
        return whole if len(data) <= READ_BYTES else ""

    def document(self, name: str) -> str:
        """The text of a document; "" where it has none, or is too large to wait for."""
        try:
            data = self._workspace.place(name).read(limit_bytes=DOCUMENT_BYTES + 1)
        except UserFacing:  # the call that follows says why, in its own words
            return ""
        if not data or len(data) > DOCUMENT_BYTES:
            return ""
        return self._documents.text(data)

    def reminders(self) -> Sequence[tuple[int, str]]:
        """The open reminders, the one that was set last at the end."""
        return [(each.id, each.text) for each in sorted(self._reminders.open(), key=lambda each: each.id)]

    def due(self, number: int) -> datetime | None:
        """When an open reminder is shown, in local time; None for one that is not there, or that repeats."""
        found = [each for each in self._reminders.open() if each.id == number and each.repeats is None]
        return found[0].due.astimezone() if found else None

    def is_due_at(self, number: int, words: str) -> bool:
        """Whether it is the time that an open reminder has already, to the minute."""
        due = self.due(number)
        try:
            when = read_when(words, local_now(), thorough=False).at
        except UserFacing:
            return False
        return due is not None and abs((when - due).total_seconds()) < SAME_S

    def time_in(self, words: str, language: str) -> str:
        """The time that all of `words` name, in words that a reminder takes; "" where they name none."""
        english = in_english(words, language)
        try:
            read_when(english, local_now(), thorough=False)
        except UserFacing:
            return ""
        return english

    def _names(self, kind: EntryKind) -> Iterator[str]:
        for place, entry in walk(self._workspace.place("."), LOOKED_AT):
            if entry.facts.kind is kind:
                yield "/".join(place.parts)
