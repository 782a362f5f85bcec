"""One conversation at a time, as it is answered: what the chat announces goes into a transcript.

Nothing is decided here about conversations: `Turns` and `ChatStore` are asked.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from desktop.chat.events import (
    AnswerGrew,
    BranchChanged,
    CallAdded,
    CallClosed,
    MessageRemoved,
    MessagesHidden,
    NoticeAdded,
    SaidBeforeCall,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from desktop.chat.store import ChatStore, Message, Role
from desktop.errors import UserFacing
from desktop.qt.relay import Relay
from desktop.tools.calls import ToolAsked, ToolRunning
from desktop.ui.chat.message import Failure
from desktop.ui.chat.shown import grown_by
from desktop.ui.chat.transcript import Transcript
from desktop.ui.error_card import Action


class Following(QObject):
    """Shows what is said in the conversation `current`. Main thread only."""

    changed = Signal()  # the transcript may need another height
    ended = Signal(object)  # Message: the answer is whole, or failed
    failed = Signal(object)  # UserFacing
    asking_changed = Signal(bool)  # a question to the user waits

    def __init__(self, relay: Relay, transcript: Transcript, store: ChatStore) -> None:
        super().__init__()
        self._store = store
        self._transcript = transcript
        self.current = 0
        self._asking = ""  # the id of the call that is asked about
        relay.listen(TurnStarted, self._on_started)
        relay.listen(AnswerGrew, self._on_grew)
        relay.listen(SaidBeforeCall, self._on_updated)
        relay.listen(TurnEnded, self._on_ended)
        relay.listen(TurnFailed, self._on_failed)
        relay.listen(NoticeAdded, self._on_notice)
        relay.listen(CallAdded, self._on_call)
        relay.listen(CallClosed, self._on_call_closed)
        relay.listen(MessageRemoved, self._on_removed)
        relay.listen(MessagesHidden, self._on_hidden)
        relay.listen(BranchChanged, self._on_branch_changed)
        relay.listen(ToolAsked, self._on_asked)
        relay.listen(ToolRunning, self._on_running)

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

    def _on_started(self, event: TurnStarted) -> None:
        if event.conversation_id != self.current:
            return
        transcript = self._transcript
        for message in (event.question, event.answer):
            if message is None:
                continue
            if transcript.message(message.id) is None:
                transcript.append(message)
            else:
                transcript.update_message(message)
        transcript.jump_to_latest()
        self.changed.emit()

    def _on_grew(self, event: AnswerGrew) -> None:
        if event.conversation_id != self.current:
            return
        message = self._transcript.message(event.message_id)
        if message is not None and (grown := grown_by(message, event)) is not None:
            self._transcript.grow(grown)
            self.changed.emit()

    def _on_updated(self, event: SaidBeforeCall) -> None:
        self._update(event.conversation_id, event.answer)

    def _on_ended(self, event: TurnEnded) -> None:
        if self._update(event.conversation_id, event.answer):
            self._set_asking("")
            self.ended.emit(event.answer)

    def _on_failed(self, event: TurnFailed) -> None:
        if self._update(event.conversation_id, event.answer):
            self._set_asking("")
            self.failed.emit(event.error)
            self.ended.emit(event.answer)

    def _on_notice(self, event: NoticeAdded) -> None:
        self._append(event.conversation_id, event.notice)

    def _on_call(self, event: CallAdded) -> None:
        self._append(event.conversation_id, event.message)

    def _on_call_closed(self, event: CallClosed) -> None:
        if self._update(event.conversation_id, event.message):
            self._set_asking("")

    def _on_removed(self, event: MessageRemoved) -> None:
        if event.conversation_id == self.current:
            self._transcript.remove(event.message_id)
            self.changed.emit()

    def _on_hidden(self, event: MessagesHidden) -> None:
        if event.conversation_id == self.current:
            self._transcript.remove(*event.message_ids)
            self.changed.emit()

    def _on_branch_changed(self, event: BranchChanged) -> None:
        """Another version was opened in the main window, or messages were deleted there: it all is read
        again. What was begun here is short, and has no older part that would come later."""
        if event.conversation_id == self.current:
            messages = self._store.messages(self.current, limit=None)
            self._transcript.show_branch(messages, has_older=False, message_id=event.message_id)
            self.changed.emit()

    def _on_asked(self, event: ToolAsked) -> None:
        if event.conversation_id == self.current:
            self._mark(event.call.id, asking=True)
            self._set_asking(event.call.id)

    def _on_running(self, event: ToolRunning) -> None:
        if event.conversation_id == self.current:
            self._mark(event.call.id, asking=False)
            self._set_asking("")

    # -- inside -------------------------------------------------------------------------------

    def _append(self, conversation_id: int, message: Message) -> None:
        if conversation_id == self.current:
            self._transcript.append(message)
            self.changed.emit()

    def _update(self, conversation_id: int, message: Message) -> bool:
        if conversation_id != self.current:
            return False
        self._transcript.update_message(message)
        self.changed.emit()
        return True

    def _mark(self, call_id: str, asking: bool) -> None:
        for message in reversed(self._transcript.messages):
            if message.tool is not None and message.tool.call_id == call_id:
                record = replace(message.tool, asking=asking)
                self._transcript.update_message(replace(message, tool=record))
                return

    def _set_asking(self, call_id: str) -> None:
        if call_id != self._asking:
            was, self._asking = bool(self._asking), call_id
            if was != bool(call_id):
                self.asking_changed.emit(bool(call_id))
