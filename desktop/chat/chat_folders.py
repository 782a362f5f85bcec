"""A folder that a chat may look into: indexed by words, the passages that fit a question told with it.

The folder is only read, through a `Workspace`, so that no link leads out of it. What `.gitignore` names, what
a name or place marks as a secret, hidden files, binaries and large files are left out. The index lies in the
profile, beside the conversation that it belongs to, and goes with it. At each question the files that have
changed since are read anew.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from desktop import cancellation
from desktop.chat.attachments import Attached, Attachment, AttachmentKind, estimated_tokens
from desktop.chat.events import FolderChanged, FolderRead
from desktop.chat.messages import Message
from desktop.chat.passages import Passage, passages
from desktop.chat.reasons import ChatReason
from desktop.database import Connection, Database
from desktop.engine.engine import Engine
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.shell.places import holds_secrets
from desktop.memory.text import LONGEST_QUERY, Vocabulary, any_of, spaced, stem
from desktop.sandbox.folder import Entry, EntryKind
from desktop.sandbox.workspace import HeldPath, Workspace
from desktop.tools.ignore_rules import walk
from desktop.tools.text import SNIFFED_BYTES, encoding_of

MOST_NAMES = 20_000  # looked at; a home folder has millions
MOST_FILES = 2_000
LARGEST_BYTES = 1_000_000  # of one file
MOST_BYTES = 50_000_000  # of all together
FOUND = 24  # passages that are weighed for one question
MOST_FOUND_FILES = 4
ROOM_SHARE, MOST_TOKENS = 4, 1_500  # of the context, for what is found
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class FolderContent:
    """What of a folder is indexed. `left_out`: files that were too large or too many. `is_gone`: it is not
    there now, so that nothing goes along."""

    folder: str
    files: int = 0
    left_out: int = 0
    is_gone: bool = False


@dataclass(frozen=True)
class _File:
    name: str
    size_bytes: int
    modified_ns: int
    place: HeldPath


class ChatFolders:
    """Any thread; one folder is indexed at a time."""

    def __init__(
        self, database: Database, bus: Bus, forbidden: Sequence[Path], vocabulary: Vocabulary
    ) -> None:
        """`forbidden`: where nothing is read, such as Steward's own data."""
        self._database = database
        self._bus = bus
        self._forbidden = tuple(forbidden)
        self._vocabulary = vocabulary
        self._indexing = threading.Lock()

    def of(self, conversation_id: int) -> FolderContent | None:
        """The folder of a conversation as far as it is indexed; None for most."""
        row = self._database.read(
            lambda c: c.execute(
                "SELECT folder, left_out, (SELECT count(*) FROM folder_files f"
                " WHERE f.conversation_id = conversation_folders.conversation_id) AS files"
                " FROM conversation_folders WHERE conversation_id = ?",
                (conversation_id,),
            ).fetchone()
        )
        if row is None:
            return None
        is_gone = not _is_there(row["folder"])
        return FolderContent(row["folder"], row["files"], row["left_out"], is_gone)

    def choose(self, conversation_id: int, folder: str) -> None:
        """Give a conversation a folder, "" takes it away with all that was indexed. Raises UserFacing where
        it is none, or nothing in it may be read."""
        if folder:
            chosen = Path(folder).expanduser().resolve()
            if not chosen.is_dir():
                raise UserFacing(ChatReason.CHAT_FOLDER_GONE.of(folder=chosen))
            is_own = any(chosen.is_relative_to(each) for each in self._forbidden)
            if is_own or holds_secrets(f"{chosen}/"):
                raise UserFacing(ChatReason.CHAT_FOLDER_CLOSED.of(folder=chosen))
            folder = str(chosen)

        def write(connection: Connection) -> None:
            connection.execute(
                "DELETE FROM conversation_folders WHERE conversation_id = ? AND folder <> ?",
                (conversation_id, folder),
            )
            if folder:
                connection.execute(
                    "INSERT OR IGNORE INTO conversation_folders (conversation_id, folder) VALUES (?, ?)",
                    (conversation_id, folder),
                )

        self._database.write(write)
        self._bus.publish(FolderChanged(conversation_id))

    def index(self, conversation_id: int, folder: str) -> FolderContent | None:
        """Index what is new or has changed, forget what is gone; announces how far it is. None where the
        folder was taken away meanwhile. Blocks. Raises UserFacing where it cannot be read."""
        if not _is_there(folder):
            self._bus.publish(FolderChanged(conversation_id))
            raise UserFacing(ChatReason.CHAT_FOLDER_GONE.of(folder=folder))
        with self._indexing:
            try:
                workspace = Workspace(Path(folder), forbidden=self._forbidden)
            except OSError as error:  # it may be there and closed to this user
                raise UserFacing(ChatReason.CHAT_FOLDER_GONE.of(folder=folder)) from error
            try:
                # Looked at again once it is held: a link may have taken its place in between.
                if workspace.root != Path(folder):
                    raise UserFacing(ChatReason.CHAT_FOLDER_GONE.of(folder=folder))
                self._index(conversation_id, workspace)
            finally:
                workspace.close()
        self._bus.publish(FolderChanged(conversation_id))
        return self.of(conversation_id)

    def look(self, question: Message, folder: str, engine: Engine) -> tuple[Attachment, ...]:
        """What the folder has on `question` now, as much as the context has ample room for. Blocks, and
        announces how far it is. Raises UserFacing where the folder cannot be read."""
        number = question.conversation_id
        self.index(number, folder)

        def count(text: str) -> int:
            counted = engine.count_tokens(text)
            return estimated_tokens(text) if counted is None else counted

        room = min(engine.context_tokens // ROOM_SHARE, MOST_TOKENS)
        return self.found(number, question.sent, room, count)

    def found(
        self, conversation_id: int, question: str, room: int, count: Callable[[str], int]
    ) -> tuple[Attachment, ...]:
        """The passages that speak of `question` and have room together, file by file, the best first."""
        left = room
        chosen: dict[tuple[str, str], list[Passage]] = {}
        for row in self._matching(conversation_id, question):
            told = f"[lines {row.first} to {row.last}]\n{row.text.rstrip()}"
            tokens = count(told) + 1  # for the empty line between two
            file = (row.folder, row.name)
            is_more = file not in chosen and len(chosen) >= MOST_FOUND_FILES
            if tokens <= left and not is_more:
                left -= tokens
                chosen.setdefault(file, []).append(Passage(row.first, row.last, told))
        return tuple(_attachment(*file, parts, count) for file, parts in chosen.items())

    # -- inside -------------------------------------------------------------------------------

    def _index(self, conversation_id: int, workspace: Workspace) -> None:
        files, left_out = _readable(workspace)
        known = self._database.read(
            lambda c: {
                row["name"]: (row["size_bytes"], row["modified_ns"])
                for row in c.execute(
                    "SELECT name, size_bytes, modified_ns FROM folder_files WHERE conversation_id = ?",
                    (conversation_id,),
                )
            }
        )
        names = {each.name for each in files}
        gone = [name for name in known if name not in names]
        changed = [each for each in files if known.get(each.name) != (each.size_bytes, each.modified_ns)]
        self._database.write(lambda c: _forget(c, conversation_id, gone, left_out))
        for number, each in enumerate(changed):
            cancellation.check()
            self._bus.publish(FolderRead(conversation_id, number, len(changed)))
            found = tuple(passages(_text_of(each)))
            # One file at a time: whoever writes meanwhile does not wait for a whole folder.
            if not self._database.write(partial(_keep, conversation_id, each, found)):
                return

    def _matching(self, conversation_id: int, question: str) -> list[_Row]:
        vocabulary = self._vocabulary
        said = _words(question)
        # Small words are in every passage: "how are you?" speaks of none.
        telling = [word for word in said if word not in vocabulary.stop and word not in vocabulary.requests]
        if not telling:
            return []
        return self._database.read(lambda c: _ranked(c, conversation_id, [stem(word) for word in telling]))


def _is_there(folder: str) -> bool:
    """It was kept as it is without links: one in its place by now leads where nobody agreed to."""
    return Path(folder).is_dir() and Path(folder).resolve() == Path(folder)


@dataclass(frozen=True)
class _Row:
    """A passage that was found, with its file and its folder."""

    folder: str
    name: str
    first: int
    last: int
    text: str


def _ranked(connection: Connection, conversation_id: int, words: Sequence[str]) -> list[_Row]:
    found = connection.execute(
        "SELECT folder, name, first, last, p.text FROM folder_words w"
        " JOIN folder_passages p ON p.id = w.rowid"
        " JOIN folder_files f ON f.id = p.file_id JOIN conversation_folders c"
        " ON c.conversation_id = f.conversation_id"
        " WHERE folder_words MATCH ? AND f.conversation_id = ? ORDER BY bm25(folder_words) LIMIT ?",
        (any_of(words[:LONGEST_QUERY]), conversation_id, FOUND),
    )
    return [_Row(*row) for row in found]


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(spaced(text).casefold()) if len(word) > 1]


def _readable(workspace: Workspace) -> tuple[list[_File], int]:
    """The files whose text may be looked into, and how many were left out for their size or number."""
    files: list[_File] = []
    left_out = size = 0
    for place, entry in walk(workspace.place("."), MOST_NAMES):
        if not _is_wanted(place, entry):
            continue
        size += entry.facts.size_bytes
        if entry.facts.size_bytes > LARGEST_BYTES or len(files) >= MOST_FILES or size > MOST_BYTES:
            size -= entry.facts.size_bytes
            left_out += 1
            continue
        name = "/".join(place.parts)
        files.append(_File(name, entry.facts.size_bytes, entry.facts.modified_ns, place))
    return files, left_out


def _is_wanted(place: HeldPath, entry: Entry) -> bool:
    is_file = entry.facts.kind is EntryKind.FILE and entry.facts.size_bytes > 0
    # Another name of a file elsewhere would be a way around the folder's edge.
    if not is_file or entry.facts.has_other_names or any(part.startswith(".") for part in place.parts):
        return False
    return not holds_secrets(str(place.path))


def _text_of(file: _File) -> str:
    """What is in it; "" for what is no text, or cannot be read, which is kept all the same: else it would be
    read at each question."""
    try:
        data = file.place.read(limit_bytes=LARGEST_BYTES)
        text = encoding_of(data[:SNIFFED_BYTES], file.name).decode(data)
    except (UserFacing, UnicodeDecodeError):
        return ""
    return text.replace("\r\n", "\n")


def _forget(connection: Connection, conversation_id: int, names: Sequence[str], left_out: int) -> None:
    connection.execute(
        "UPDATE conversation_folders SET left_out = ? WHERE conversation_id = ?", (left_out, conversation_id)
    )
    connection.executemany(
        "DELETE FROM folder_files WHERE conversation_id = ? AND name = ?",
        [(conversation_id, name) for name in names],
    )


def _keep(conversation_id: int, file: _File, found: Sequence[Passage], connection: Connection) -> bool:
    """False where the folder was taken away meanwhile."""
    connection.execute(
        "DELETE FROM folder_files WHERE conversation_id = ? AND name = ?", (conversation_id, file.name)
    )
    made = connection.execute(
        "INSERT INTO folder_files (conversation_id, name, size_bytes, modified_ns)"
        " SELECT conversation_id, ?, ?, ? FROM conversation_folders WHERE conversation_id = ?",
        (file.name, file.size_bytes, file.modified_ns, conversation_id),
    )
    if not made.rowcount:
        return False
    file_id = made.lastrowid
    for each in found:
        passage = connection.execute(
            "INSERT INTO folder_passages (file_id, first, last, text) VALUES (?, ?, ?, ?)",
            (file_id, each.first, each.last, each.text),
        )
        # The name counts too: "what is in the contract?" means contract.txt.
        words = " ".join(stem(word) for word in _words(f"{file.name} {each.text}"))
        connection.execute(
            "INSERT INTO folder_words (rowid, words) VALUES (?, ?)", (passage.lastrowid, words)
        )
    return True


def _attachment(folder: str, name: str, parts: Sequence[Passage], count: Callable[[str], int]) -> Attachment:
    parts = sorted(parts, key=lambda each: each.first)
    text = "\n\n".join(each.text for each in parts)
    lines = ", ".join(str(each.first) for each in parts)
    about = Attached(
        f"{name}:{lines}",
        AttachmentKind.FOLDER,
        str(Path(folder, *name.split("/"))),
        tainted_by=name,
        tokens=count(text),
        is_estimate=False,
    )
    return Attachment(about, text)
