"""Messages that are typed and not sent yet, kept over the end of the program.

Writing is left to the caller: `set` only remembers, `flush` puts what was remembered on disk, so that a pause
in typing costs one short transaction and not each key.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict

from desktop.chat.attachments import Attached, Attachment, AttachmentKind, Draft
from desktop.database import Connection, Database

NEW_CHAT = 0  # the draft of a conversation that does not exist yet


class Drafts:
    """One draft for each conversation, and one for the next new one (`NEW_CHAT`). Any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._unwritten: dict[int, Draft] = {}
        self._lock = threading.Lock()  # of the dict
        self._writing = threading.Lock()  # what was set first is written first

    def all(self) -> dict[int, Draft]:
        """By the number of their conversation, as they are on disk."""
        rows = self._database.read(lambda c: c.execute("SELECT * FROM drafts").fetchall())
        return {row["conversation_id"]: Draft(row["text"], _read(row["attachments"])) for row in rows}

    def set(self, conversation_id: int, draft: Draft) -> None:
        """To be written with the next `flush`; an empty draft takes away what is there."""
        with self._lock:
            self._unwritten[conversation_id] = draft

    def flush(self) -> None:
        """Returns when all that was set before is on disk. Raises UserFacing; the next one tries again."""
        with self._writing:
            with self._lock:
                drafts, self._unwritten = self._unwritten, {}
            if not drafts:
                return
            try:
                self._database.write(lambda c: _write(c, drafts))
            # What could not be written waits for the next flush; newer keys win over older.
            except BaseException:
                with self._lock:
                    self._unwritten = drafts | self._unwritten
                raise


def _write(connection: Connection, drafts: Mapping[int, Draft]) -> None:
    for conversation_id, draft in drafts.items():
        if draft:
            connection.execute(
                "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)",
                (conversation_id, draft.text, _written(draft.attachments)),
            )
        else:
            connection.execute("DELETE FROM drafts WHERE conversation_id = ?", (conversation_id,))


def _written(attachments: tuple[Attachment, ...]) -> str:
    return json.dumps([{**asdict(each.about), "text": each.text} for each in attachments])


def _read(value: str) -> tuple[Attachment, ...]:
    found = []
    for row in json.loads(value):
        text = row.pop("text")
        found.append(Attachment(Attached(**{**row, "kind": AttachmentKind(row["kind"])}), text))
    return tuple(found)
