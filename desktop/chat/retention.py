"""Deleting old conversations, where the user has asked for that; never before it was said once.

Pinned ones stay, and so does what is open or being answered. The first time that something would be deleted
under a number of days it is only said; a day later it is done.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from desktop.chat.store import ChatStore, Conversation
from desktop.database import Connection, Database

DAY_S = 86_400.0
WARNING_S = DAY_S  # between saying and doing


@dataclass(frozen=True)
class Warned:
    """Under which number of days it was said, and when, in seconds since 1970; kept as one word of JSON."""

    days: int = 0
    at: float = 0.0

    @classmethod
    def read(cls, text: str) -> Warned:
        """What was kept; nothing for a text that is none."""
        try:
            days, at = json.loads(text)
            return cls(int(days), float(at))
        except (ValueError, TypeError):
            return cls()

    def kept(self) -> str:
        return json.dumps([self.days, self.at])


@dataclass(frozen=True)
class Outcome:
    """What there is to say: `due` will be deleted in a day, or `deleted` were just now."""

    due: int = 0
    deleted: int = 0


class Retention:
    """`days` 0 keeps everything. `remember` keeps what was said. Called on a pool thread."""

    def __init__(
        self,
        database: Database,
        store: ChatStore,
        days: Callable[[], int],
        warned: Callable[[], str],
        remember: Callable[[str], object],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._store = store
        self._days = days
        self._warned = warned
        self._remember = remember
        self._clock = clock

    def due(self, keep: frozenset[int] = frozenset()) -> tuple[Conversation, ...]:
        """What is older than the days that were asked for."""
        days = self._days()
        if days <= 0:
            return ()
        before = self._clock() - days * DAY_S
        listed = self._store.conversations(limit=-1)
        return tuple(
            each
            for each in listed
            if not each.pinned and each.id not in keep and each.updated_at.timestamp() < before
        )

    def apply(self, keep: frozenset[int] = frozenset()) -> Outcome:
        """Say it or do it; `keep` names what is open."""
        if self._days() <= 0 and self._warned():
            self._remember("")  # asked for again one day, it is said again
        due = self.due(keep)
        if not due:
            return Outcome()
        now, warned = self._clock(), Warned.read(self._warned())
        if warned.days == 0 or warned.days > self._days():
            self._remember(Warned(self._days(), now).kept())
            return Outcome(due=len(due))
        if now - warned.at < WARNING_S:
            return Outcome()
        self._database.write(lambda connection: _delete(connection, [each.id for each in due]))
        return Outcome(deleted=len(due))


def _delete(connection: Connection, ids: list[int]) -> None:
    """With all that belongs to them; `forgetting.py` takes their words out of the indexes."""
    connection.executemany("DELETE FROM conversations WHERE id = ?", [(each,) for each in ids])
