"""One conversation at a time, as it is answered: what the chat announces goes into a transcript.

Nothing is decided here about conversations: `Turns` and `ChatStore` are asked.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication

from desktop.chat.events import BranchChanged, CallClosed, TurnEnded, TurnFailed
from desktop.chat.store import ChatStore, Message, Role
from desktop.errors import UserFacing
from desktop.qt.relay import Relay
from desktop.tools.calls import ToolAsked, ToolRunning
from desktop.ui.chat.feed import Feed
from desktop.ui.chat.message import Failure
from desktop.ui.chat.transcript import Transcript
from desktop.ui.error_card import Action


class Following(Feed):
    """Shows what is said in the conversation `current`. Main thread only."""

    ended = Signal(object)  # Message: the answer is whole, or failed
    failed = Signal(object)  # UserFacing
    asking_changed = Signal(bool)  # a question to the user waits

    def __init__(self, relay: Relay, transcript: Transcript, store: ChatStore) -> None:
        super().__init__(relay, transcript)
        self._store = store
        self._asking = ""  # the id of the call that is asked about

    @property
    def is_asking(self) -> bool:
        return bool(self._asking)

    def leave(self) -> None:
        """Show nothing; what is still said in the conversation is for others."""
        self.current = 0
        self._set_asking("")
        self._transcript.show_messages((), has_older=False)
        self.changed.emit()

    def show_failure(self, message_id: int, error: UserFacing, actions: tuple[Action, ...]) -> None:
        self._transcript.set_failure(message_id, Failure(error, actions))
        self.changed.emit()

    def clear_failure(self, message_id: int) -> None:
        self._transcript.set_failure(message_id, None)

    @property
    def answer(self) -> Message | None:
        """The latest answer that has words."""
        messages = reversed(self._transcript.messages)
        return next((each for each in messages if each.role is Role.ASSISTANT and each.text), None)

    def copy_answer(self) -> bool:
        """Put the latest answer on the clipboard; False where there is none."""
        answer = self.answer
        if answer is not None:
            QGuiApplication.clipboard().setText(answer.text)
        return answer is not None

    # -- events -------------------------------------------------------------------------------

    def _on_turn_ended(self, event: TurnEnded) -> None:
        if self._update(event.conversation_id, event.answer):
            self._set_asking("")
            self.ended.emit(event.answer)

    def _on_turn_failed(self, event: TurnFailed) -> None:
        if self._update(event.conversation_id, event.answer):
            self._set_asking("")
            self.failed.emit(event.error)
            self.ended.emit(event.answer)

    def _on_call_closed(self, event: CallClosed) -> None:
        if self._update(event.conversation_id, event.message):
            self._set_asking("")

    def _on_branch_changed(self, event: BranchChanged) -> None:
        """Another version was opened in the main window, or messages were deleted there: it all is read
        again. What was begun here is short, and has no older part that would come later."""
        if event.conversation_id == self.current:
            messages = self._store.messages(self.current, limit=None)
            self._transcript.show_branch(messages, has_older=False, message_id=event.message_id)
            self.changed.emit()

    def _on_tool_asked(self, event: ToolAsked) -> None:
        super()._on_tool_asked(event)
        if event.conversation_id == self.current:
            self._set_asking(event.call.id)

    def _on_tool_running(self, event: ToolRunning) -> None:
        super()._on_tool_running(event)
        if event.conversation_id == self.current:
            self._set_asking("")

    def _set_asking(self, call_id: str) -> None:
        if call_id != self._asking:
            was, self._asking = bool(self._asking), call_id
            if was != bool(call_id):
                self.asking_changed.emit(bool(call_id))
