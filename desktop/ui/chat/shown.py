"""What is shown of the open conversation: read from the store, kept up to date by what the chat announces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

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
from desktop.chat.store import ChatStore, Conversation, Message, MessageStatus
from desktop.errors import UserFacing
from desktop.qt.relay import Relay
from desktop.tools.calls import ToolAsked, ToolRunning
from desktop.ui.chat.message import Failure
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.error_card import Action

PAGE = 60

ActionsFor = Callable[[int, UserFacing], tuple[Action, ...]]


class ShownConversation(QObject):
    """`current` is the open conversation; 0 or less: one that does not exist yet. Main thread only."""

    turn_started = Signal()

    def __init__(self, store: ChatStore, relay: Relay, pane: ConversationPane, actions: ActionsFor) -> None:
        """`actions`: what can be done about a failure in a conversation."""
        super().__init__()
        self._store = store
        self._pane = pane
        self._transcript = pane.transcript
        self._actions = actions
        self._failures: dict[int, tuple[int, UserFacing]] = {}  # conversation: message, error
        self.current = 0
        self._transcript.older_wanted.connect(self._on_older_wanted)
        self._listen(relay)

    # -- opening ------------------------------------------------------------------------------

    def show(self, conversation: Conversation) -> None:
        """At its end."""
        self.current = conversation.id
        messages = self._store.messages(self.current, limit=PAGE)
        self._pane.show_empty(not messages)
        self._transcript.show_messages(messages, has_older=len(messages) == PAGE)
        self._show_failure(self.current)

    def show_none(self) -> None:
        """A conversation that has no message yet."""
        self.current = 0
        self._transcript.show_messages((), has_older=False)
        self._pane.show_empty(True)

    def jump(self, message_id: int, may_open: bool) -> None:
        """Load as much as is needed to see a message, then show it; `may_open`: also another branch."""
        transcript = self._transcript
        if transcript.message(message_id) is None and transcript.messages:
            first = transcript.messages[0].id
            between = self._store.messages(self.current, before=first, limit=None, since=message_id)
            above = self._store.messages(self.current, before=message_id, limit=PAGE)
            transcript.prepend((*above, *between), has_older=len(above) == PAGE)
        if transcript.message(message_id) is None and may_open:
            self._store.open_branch(message_id)
            messages = self._store.messages(self.current, limit=None, since=message_id)
            above = self._store.messages(self.current, before=message_id, limit=PAGE)
            transcript.show_messages((*above, *messages), has_older=len(above) == PAGE)
        transcript.jump_to(message_id)

    def _on_older_wanted(self, before: int) -> None:
        messages = self._store.messages(self.current, before=before, limit=PAGE)
        self._transcript.prepend(messages, has_older=len(messages) == PAGE)

    def _on_branch_changed(self, event: BranchChanged) -> None:
        """Read anew as far as was read before, and farther where that leaves little."""
        if event.conversation_id != self.current:
            return
        shown = self._transcript.messages
        messages = self._store.messages(self.current, limit=None, since=shown[0].id) if shown else ()
        if len(messages) < PAGE:
            messages = self._store.messages(self.current, limit=PAGE)
        first = messages[0].id if messages else 0
        has_older = bool(self._store.messages(self.current, before=first, limit=1))
        self._pane.show_empty(not messages)
        self._transcript.show_branch(messages, has_older, event.message_id)

    # -- failures -----------------------------------------------------------------------------

    def has_failed(self, conversation_id: int) -> bool:
        """Whether the latest answer failed, and nothing was done about it."""
        return conversation_id in self._failures

    def forget_failure(self, conversation_id: int) -> None:
        """It is being done about."""
        failed = self._failures.pop(conversation_id, None)
        if failed is not None:
            self._transcript.set_failure(failed[0], None)

    def _show_failure(self, conversation_id: int) -> None:
        if conversation_id in self._failures:
            message_id, error = self._failures[conversation_id]
            actions = self._actions(conversation_id, error)
            self._transcript.set_failure(message_id, Failure(error, actions))

    # -- events of the chat -------------------------------------------------------------------

    def _on_turn_started(self, event: TurnStarted) -> None:
        if event.conversation_id != self.current:
            return
        self._pane.show_empty(False)
        transcript = self._transcript
        if event.question is not None and transcript.message(event.question.id) is None:
            transcript.append(event.question)
        if transcript.message(event.answer.id) is None:
            transcript.append(event.answer)
        else:
            transcript.update_message(event.answer)
        transcript.set_failure(event.answer.id, None)
        transcript.jump_to_latest()
        self.turn_started.emit()

    def _on_answer_grew(self, event: AnswerGrew) -> None:
        if event.conversation_id != self.current:
            return
        message = self._transcript.message(event.message_id)
        if message is not None and (grown := grown_by(message, event)) is not None:
            self._transcript.grow(grown)

    def _on_turn_ended(self, event: TurnEnded | SaidBeforeCall) -> None:
        if event.conversation_id == self.current:
            self._transcript.update_message(event.answer)

    def _on_turn_failed(self, event: TurnFailed) -> None:
        self._failures[event.conversation_id] = (event.answer.id, event.error)
        if event.conversation_id == self.current:
            self._transcript.update_message(event.answer)
            self._show_failure(event.conversation_id)

    def _on_notice_added(self, event: NoticeAdded) -> None:
        known = self._transcript.message(event.notice.id) is not None  # it was read with the chat just now
        if event.conversation_id == self.current and not known:
            self._transcript.append(event.notice)

    def _on_call_added(self, event: CallAdded) -> None:
        if event.conversation_id == self.current:
            self._transcript.append(event.message)

    def _on_call_closed(self, event: CallClosed) -> None:
        if event.conversation_id == self.current:
            self._transcript.update_message(event.message)

    def show_asking(self, conversation_id: int, call_id: str, asking: bool) -> None:
        """Whether the card of a call says that its question waits."""
        if conversation_id != self.current:
            return
        for message in reversed(self._transcript.messages):
            if message.tool is not None and message.tool.call_id == call_id:
                record = replace(message.tool, asking=asking)
                self._transcript.update_message(replace(message, tool=record))
                return

    def _on_message_removed(self, event: MessageRemoved) -> None:
        if event.conversation_id == self.current:
            self._transcript.remove(event.message_id)

    def _on_messages_hidden(self, event: MessagesHidden) -> None:
        if event.conversation_id == self.current:
            self._transcript.remove(*event.message_ids)

    def _listen(self, relay: Relay) -> None:
        relay.listen(TurnStarted, self._on_turn_started)
        relay.listen(AnswerGrew, self._on_answer_grew)
        relay.listen(TurnEnded, self._on_turn_ended)
        relay.listen(TurnFailed, self._on_turn_failed)
        relay.listen(NoticeAdded, self._on_notice_added)
        relay.listen(MessageRemoved, self._on_message_removed)
        relay.listen(MessagesHidden, self._on_messages_hidden)
        relay.listen(BranchChanged, self._on_branch_changed)
        relay.listen(SaidBeforeCall, self._on_turn_ended)
        relay.listen(CallAdded, self._on_call_added)
        relay.listen(CallClosed, self._on_call_closed)
        relay.listen(ToolAsked, lambda event: self.show_asking(event.conversation_id, event.call.id, True))
        relay.listen(ToolRunning, lambda event: self.show_asking(event.conversation_id, event.call.id, False))


def grown_by(message: Message, event: AnswerGrew) -> Message | None:
    """`message` with what it does not have yet of `event`; None when it has it all.

    A message that was read a moment after the event was published holds its text already.
    """
    text = message.text + event.text[max(0, len(message.text) - event.text_at) :]
    thinking = message.thinking + event.thinking[max(0, len(message.thinking) - event.thinking_at) :]
    if text == message.text and thinking == message.thinking:
        return None
    return replace(message, text=text, thinking=thinking, status=MessageStatus.STREAMING)
