"""Known fixes for calls that failed: which are offered, and what a press on their button does."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop.chat.store import Message
from desktop.errors import UserFacing
from desktop.memory.events import FixesFound
from desktop.memory.hindsight.suggested import SuggestedFix, suggested
from desktop.qt.background import Background
from desktop.qt.relay import Relay

LookUp = Callable[[Message], SuggestedFix | None]
Try = Callable[[int, SuggestedFix], object]


class FixOffers(QObject):
    """For all transcripts. Main thread only; looking up and trying happen on the pool."""

    changed = Signal(str)  # the call whose offer is another
    refused = Signal(object)  # UserFacing

    def __init__(self, look_up: LookUp, try_fix: Try, relay: Relay, background: Background) -> None:
        """`look_up` finds the fix for a card that was written earlier; `try_fix` makes its call in a
        conversation.
        """
        super().__init__()
        self._look_up = look_up
        self._try_fix = try_fix
        self._background = background
        self._offers: dict[str, SuggestedFix] = {}
        self._asked: set[str] = set()
        relay.listen(FixesFound, self._on_found)

    def offer(self, message: Message) -> SuggestedFix | None:
        """What is offered for a card now; one that knows of a fix from earlier is looked up, which may make
        `changed` come.
        """
        record = message.tool
        if record is None or record.ending is None:
            return None
        if record.hint and record.call_id not in self._asked:
            self._asked.add(record.call_id)
            self._background.run(
                self._look_up, message, done=lambda fix: self._on_looked_up(record.call_id, fix)
            )
        return self._offers.get(record.call_id)

    def try_it(self, message: Message) -> None:
        """Make the call that is offered, with leave asked as for any call; the offer is used up."""
        fix = self._offers.pop(message.tool.call_id, None) if message.tool is not None else None
        if fix is None or message.tool is None:
            return
        call_id = message.tool.call_id
        self.changed.emit(call_id)
        self._background.run(
            self._try_fix,
            message.conversation_id,
            fix,
            failed=lambda error: self._on_refused(call_id, fix, error),
        )

    # -- inside -----------------------------------------------------------------------------------

    def _on_found(self, event: FixesFound) -> None:
        self._asked.add(event.call_id)
        fix = suggested(event.offers) if event.repaired is None else None
        if fix is not None:
            self._offers[event.call_id] = fix
            self.changed.emit(event.call_id)

    def _on_looked_up(self, call_id: str, fix: SuggestedFix | None) -> None:
        if fix is not None:
            self._offers[call_id] = fix
            self.changed.emit(call_id)

    def _on_refused(self, call_id: str, fix: SuggestedFix, error: Exception) -> None:
        """Offered again, with the reason said."""
        if not isinstance(error, UserFacing):
            raise error
        self._offers[call_id] = fix
        self.changed.emit(call_id)
        self.refused.emit(error)
