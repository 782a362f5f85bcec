"""What the chat announces of one conversation, put into a transcript as it comes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from desktop.chat.conversation_memory import WordsForgotten
from desktop.chat.events import (
    AnswerGrew,
    BranchChanged,
    CallAdded,
    CallClosed,
    MessageChanged,
    MessageRemoved,
    MessagesHidden,
    NoticeAdded,
    SaidBeforeCall,
    TextsChanged,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from desktop.chat.store import Message, MessageStatus
from desktop.qt.relay import Relay
from desktop.tools.calls import ToolAsked, ToolRunning
from desktop.ui.chat.transcript import Transcript


class Feed(QObject):
    """`current` is the conversation that is shown; 0 or less: none that exists yet. Main thread only.

    A window overrides what it does more, and says itself how another branch is read.
    """

    turn_started = Signal()
    changed = Signal()  # the transcript may need another height

    def __init__(self, relay: Relay, transcript: Transcript) -> None:
        super().__init__()
        self.current = 0
        self._transcript = transcript
        relay.listen(TurnStarted, self._on_turn_started)
        relay.listen(AnswerGrew, self._on_answer_grew)
        relay.listen(SaidBeforeCall, self._on_said_before_call)
        relay.listen(TurnEnded, self._on_turn_ended)
        relay.listen(TurnFailed, self._on_turn_failed)
        relay.listen(NoticeAdded, self._on_notice_added)
        relay.listen(CallAdded, self._on_call_added)
        relay.listen(CallClosed, self._on_call_closed)
        relay.listen(TextsChanged, self._on_texts_changed)
        relay.listen(MessageChanged, self._on_message_changed)
        relay.listen(WordsForgotten, self._on_words_forgotten)
        relay.listen(MessageRemoved, self._on_message_removed)
        relay.listen(MessagesHidden, self._on_messages_hidden)
        relay.listen(BranchChanged, self._on_branch_changed)
        relay.listen(ToolAsked, self._on_tool_asked)
        relay.listen(ToolRunning, self._on_tool_running)

    def show_asking(self, conversation_id: int, call_id: str, asking: bool) -> None:
        """Whether the card of a call says that its question waits."""
        if conversation_id != self.current:
            return
        # From the end, where the call that asks nearly always stands.
        for message in reversed(self._transcript.messages):
            if message.tool is not None and message.tool.call_id == call_id:
                record = replace(message.tool, asking=asking)
                self._transcript.update_message(replace(message, tool=record))
                return

    def _on_turn_started(self, event: TurnStarted) -> None:
        if event.conversation_id != self.current:
            return
        for message in (event.question, event.answer):
            if message is not None:
                self._put(message)
        self._transcript.set_failure(event.answer.id, None)
        self._transcript.jump_to_latest()
        self.turn_started.emit()
        self.changed.emit()

    def _on_answer_grew(self, event: AnswerGrew) -> None:
        if event.conversation_id != self.current:
            return
        message = self._transcript.message(event.message_id)
        # None where the answer is written on another branch than the one that is shown.
        if message is not None and (grown := grown_by(message, event)) is not None:
            self._transcript.grow(grown)
            self.changed.emit()

    def _on_said_before_call(self, event: SaidBeforeCall) -> None:
        self._update(event.conversation_id, event.answer)

    def _on_turn_ended(self, event: TurnEnded) -> None:
        self._update(event.conversation_id, event.answer)

    def _on_turn_failed(self, event: TurnFailed) -> None:
        self._update(event.conversation_id, event.answer)

    def _on_notice_added(self, event: NoticeAdded) -> None:
        self._append(event.conversation_id, event.notice)

    def _on_call_added(self, event: CallAdded) -> None:
        self._append(event.conversation_id, event.message)

    def _on_call_closed(self, event: CallClosed) -> None:
        self._update(event.conversation_id, event.message)

    def _on_texts_changed(self, event: TextsChanged) -> None:
        # Only what extensions made of it: its own words may have grown since the event was published.
        message = self._transcript.message(event.message.id)
        if message is not None:
            self._update(event.conversation_id, replace(message, changed=event.message.changed))

    def _on_message_changed(self, event: MessageChanged) -> None:
        # No word of the answer comes before its last part is read.
        self._update(event.conversation_id, event.message)

    def _on_words_forgotten(self, event: WordsForgotten) -> None:
        for message_id, text in event.texts.items():
            message = self._transcript.message(message_id)
            if message is not None:
                self._update(message.conversation_id, replace(message, text=text))

    def _on_message_removed(self, event: MessageRemoved) -> None:
        self._remove(event.conversation_id, event.message_id)

    def _on_messages_hidden(self, event: MessagesHidden) -> None:
        self._remove(event.conversation_id, *event.message_ids)

    def _on_branch_changed(self, event: BranchChanged) -> None:
        raise NotImplementedError

    def _on_tool_asked(self, event: ToolAsked) -> None:
        self.show_asking(event.conversation_id, event.call.id, asking=True)

    def _on_tool_running(self, event: ToolRunning) -> None:
        self.show_asking(event.conversation_id, event.call.id, asking=False)

    # -- into the transcript ------------------------------------------------------------------

    def _put(self, message: Message) -> None:
        # Whoever opened the conversation after the turn began has read both from the store.
        if self._transcript.message(message.id) is None:
            self._transcript.append(message)
        else:
            self._transcript.update_message(message)

    def _append(self, conversation_id: int, message: Message) -> None:
        """One that was read with the conversation a moment ago is there already."""
        if conversation_id == self.current and self._transcript.message(message.id) is None:
            self._transcript.append(message)
            self.changed.emit()

    def _update(self, conversation_id: int, message: Message) -> bool:
        """Whether it is of the conversation that is shown."""
        if conversation_id != self.current:
            return False
        self._transcript.update_message(message)
        self.changed.emit()
        return True

    def _remove(self, conversation_id: int, *message_ids: int) -> None:
        if conversation_id == self.current:
            self._transcript.remove(*message_ids)
            self.changed.emit()


def grown_by(message: Message, event: AnswerGrew) -> Message | None:
    """`message` with what it does not have yet of `event`; None when it has it all.

    A message that was read a moment after the event was published holds its text already.
    """
    text = message.text + event.text[max(0, len(message.text) - event.text_at) :]
    thinking = message.thinking + event.thinking[max(0, len(message.thinking) - event.thinking_at) :]
    if text == message.text and thinking == message.thinking:
        return None
    return replace(message, text=text, thinking=thinking, status=MessageStatus.STREAMING)
