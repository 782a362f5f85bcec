"""What is typed or queued in each conversation and not sent: kept when another one is opened, and on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import structlog
from PySide6.QtCore import QObject, QTimer, Signal

from desktop.chat.attachments import Draft, joined
from desktop.chat.drafts import NEW_CHAT, Drafts
from desktop.errors import UserFacing
from desktop.qt.background import Background

log = structlog.get_logger(__name__)
PAUSE_MS = 700  # after the first key that is not on disk yet


class DraftKeeper(QObject):
    """Messages that wait, and what stands in the box while another conversation is open. Main thread only.

    On disk the waiting ones and what is typed are one draft: after a start nothing is sent by itself.
    A conversation that is being made goes by a negative number and counts as the new chat there.
    """

    changed = Signal(frozenset)  # the conversations, apart from the open one, that have something unsent

    def __init__(
        self, drafts: Drafts, background: Background, typed: Callable[[], tuple[int, Draft]], box: QObject
    ) -> None:
        """`typed`: the open conversation and what is in the box; this object ends with the `box`."""
        super().__init__(box)
        self._disk = drafts
        self._background = background
        self._typed = typed
        # Only those that hold something: a conversation in which everything was sent leaves nothing here.
        self._queues: dict[int, list[Draft]] = {}
        self._boxes = drafts.all()  # of those that are not open
        self._written = dict(self._boxes)
        self._touched: set[int] = set()
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._write_soon)

    # -- the box ------------------------------------------------------------------------------

    def touch(self) -> None:
        """Something was typed in the open conversation."""
        self._touch(self._typed()[0])

    def put_away(self) -> None:
        """Another conversation is about to be opened."""
        conversation_id, draft = self._typed()
        if draft:
            self._boxes[conversation_id] = draft
        self._touch(conversation_id)
        self._tell()

    def take_up(self, conversation_id: int) -> Draft:
        """What goes into the box of the conversation that is open now."""
        draft = self._boxes.pop(conversation_id, Draft())
        self._tell()
        return draft

    def begin(self, placeholder: int, conversation_id: int) -> None:
        """The conversation has its number now."""
        self._put(conversation_id, [*self.queued(conversation_id), *self._queues.pop(placeholder, [])])
        if placeholder in self._boxes:
            self._boxes[conversation_id] = self._boxes.pop(placeholder)
        self._touch(placeholder)
        self._touch(conversation_id)

    # -- what waits for its turn --------------------------------------------------------------

    def queued(self, conversation_id: int) -> Sequence[Draft]:
        """What waits, in the order in which it will be sent."""
        return tuple(self._queues.get(conversation_id, ()))

    def enqueue(self, conversation_id: int, draft: Draft, is_first: bool = False) -> None:
        """Let it wait at the end, or before all others."""
        queue = self.queued(conversation_id)
        self._put(conversation_id, [draft, *queue] if is_first else [*queue, draft])
        self._touch(conversation_id)

    def take(self, conversation_id: int, number: int = 0) -> Draft | None:
        """One of those that wait, which then no longer does; None where there is no such one."""
        queue = list(self.queued(conversation_id))
        if number >= len(queue):
            return None
        self._touch(conversation_id)
        taken = queue.pop(number)
        self._put(conversation_id, queue)
        return taken

    def take_all(self, conversation_id: int) -> Sequence[Draft]:
        """All that wait, which then no longer do."""
        self._touch(conversation_id)
        return self._queues.pop(conversation_id, [])

    def put_before(self, conversation_id: int, draft: Draft) -> None:
        """What comes back goes before what was typed in a conversation that is not open."""
        self._boxes[conversation_id] = joined((draft, self._boxes.get(conversation_id, Draft())))
        self._touch(conversation_id)
        self._tell()

    # -- on disk ------------------------------------------------------------------------------

    def keep(self) -> None:
        """Put all of it on disk before this returns: the program may end."""
        self._timer.stop()
        self.touch()
        self._hand_over()
        try:
            # On this thread: the program ends right after, and the pool may not get to it.
            self._disk.flush()
        except UserFacing as error:
            _report(error)

    def _put(self, conversation_id: int, queue: list[Draft]) -> None:
        if queue:
            self._queues[conversation_id] = queue
        else:
            self._queues.pop(conversation_id, None)

    def _touch(self, conversation_id: int) -> None:
        self._touched.add(conversation_id)
        # Started once and not again with each key: whoever types without a pause is kept too.
        if not self._timer.isActive():
            self._timer.start()

    def _write_soon(self) -> None:
        if self._hand_over():
            self._background.run(self._disk.flush, failed=_report)

    def _hand_over(self) -> bool:
        """Whether anything is to be written."""
        changed = False
        # Placeholders are negative and gone after a start: on disk their text belongs to the new chat.
        for conversation_id in {max(each, NEW_CHAT) for each in self._touched}:
            draft = self._unsent(conversation_id)
            # Most pauses in typing change nothing that is not on disk already.
            if draft != self._written.get(conversation_id, Draft()):
                if draft:
                    self._written[conversation_id] = draft
                else:
                    self._written.pop(conversation_id, None)
                self._disk.set(conversation_id, draft)
                changed = True
        self._touched.clear()
        return changed

    def _unsent(self, conversation_id: int) -> Draft:
        """What waits and what is typed, as one draft."""
        current, typed = self._typed()
        if max(current, NEW_CHAT) == conversation_id:
            return joined((*self.queued(current), typed))
        return joined((*self.queued(conversation_id), self._boxes.get(conversation_id, Draft())))

    def _tell(self) -> None:
        self.changed.emit(frozenset(number for number, draft in self._boxes.items() if draft))


def _report(error: Exception) -> None:
    """What is typed is still in the box, and tried again with the next that changes."""
    log.warning("what is typed could not be kept", error=str(error))
