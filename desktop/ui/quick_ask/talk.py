"""The conversation of Quick-ask: made with the first question; what is sent meanwhile waits its turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from desktop.chat.attachments import Draft
from desktop.chat.events import BranchChanged, CallClosed, TurnEnded, TurnFailed
from desktop.chat.store import ChatStore, Conversation, Message, Role
from desktop.chat.turns import Turns
from desktop.engine.requests import Priority
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.tools.calls import ToolAsked, ToolRunning
from desktop.ui.chat.error_actions import ErrorActions
from desktop.ui.chat.feed import Feed
from desktop.ui.chat.message import Failure
from desktop.ui.chat.transcript import Transcript
from desktop.ui.widgets.error_card import Action


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


@dataclass(frozen=True)
class _Question:
    draft: Draft
    by_rule: bool


class Talk(QObject):
    """Which conversation is open, and whether it is being answered. Main thread only."""

    busy_changed = Signal(bool)
    queue_changed = Signal(object)  # tuple of texts
    refused = Signal(object, object)  # the Draft that could not be sent, UserFacing
    ended = Signal(object)  # Message
    turn_began = Signal(int)
    turn_over = Signal(int)  # the turn's function has returned: the conversation may be asked again

    def __init__(
        self,
        store: ChatStore,
        turns: Turns,
        background: Background,
        following: Following,
        ways_out: ErrorActions,
    ) -> None:
        super().__init__()
        self._store = store
        self._turns = turns
        self._background = background
        self._following = following
        self._error_actions = ways_out
        self._made = 0  # counts down the placeholders of conversations that are being made
        self._queue: list[_Question] = []
        self._running: set[int] = set()
        self._failed: tuple[int, UserFacing] | None = None  # message, error
        following.ended.connect(self._on_ended)
        following.failed.connect(self._on_failed)
        self._error: UserFacing | None = None

    @property
    def conversation_id(self) -> int:
        """0 while there is none, negative while it is being made."""
        return self._following.current

    @property
    def is_busy(self) -> bool:
        current = self._following.current
        return current < 0 or current in self._running

    @property
    def running(self) -> frozenset[int]:
        """Every conversation that is being answered from here, also those that were left."""
        return frozenset(self._running)

    @property
    def queue(self) -> tuple[str, ...]:
        return tuple(question.draft.words for question in self._queue)

    def send(self, draft: Draft, by_rule: bool = True) -> None:
        """Ask, or queue while an answer comes. Without `by_rule` the model is to answer in any case."""
        question = _Question(draft, by_rule)
        if not self._following.current:
            self._create_for(question)
        elif self.is_busy:
            self._queue.append(question)
            self.queue_changed.emit(self.queue)
        else:
            self._start(self._following.current, question)

    def unqueue(self, number: int) -> None:
        """Take back what waits."""
        if number < len(self._queue):
            del self._queue[number]
            self.queue_changed.emit(self.queue)

    def stop(self) -> None:
        """End the answer, keeping what was said."""
        self._turns.stop(self._following.current)

    def again(self) -> None:
        """Answer the latest question anew."""
        self._repeat(self._turns.regenerate)

    def go_on(self) -> None:
        """Go on with a cut answer."""
        self._repeat(self._turns.continue_answer)

    def leave(self) -> int:
        """Begin anew with the next question; returns the conversation that was open, or 0."""
        left = max(0, self._following.current)
        self._queue.clear()
        self._failed = None
        self._following.leave()
        self.queue_changed.emit(())
        self.busy_changed.emit(False)
        return left

    # -- turns --------------------------------------------------------------------------------

    def _create_for(self, question: _Question) -> None:
        self._made -= 1
        placeholder = self._following.current = self._made
        self.busy_changed.emit(True)
        self._background.run(
            self._store.create,
            done=lambda made: self._on_created(placeholder, made, question),
            failed=lambda error: self._on_not_created(placeholder, question.draft, error),
        )

    def _on_created(self, placeholder: int, made: Conversation, question: _Question) -> None:
        if self._following.current == placeholder:
            self._following.current = made.id
        self._start(made.id, question)

    def _on_not_created(self, placeholder: int, draft: Draft, error: Exception) -> None:
        if self._following.current == placeholder:
            self._following.current = 0
            self.busy_changed.emit(False)
        self._give_back(draft, error)

    def _start(self, conversation_id: int, question: _Question) -> None:
        self._set_running(conversation_id, True)
        self._background.run(
            partial(self._turns.run, attachments=question.draft.attachments),
            conversation_id,
            question.draft.text,
            Priority.QUICK_ASK,
            question.by_rule,
            done=lambda _answer: self._on_over(conversation_id),
            failed=lambda error: self._on_broke(conversation_id, question.draft, error),
        )

    def undo_extensions(self, message_id: int, undone: bool) -> None:
        """Have a message count as it was written; a question is answered anew in the user's own words."""
        self._repeat(self._turns.undo_extensions, message_id, undone)

    def _repeat(self, how: Callable[..., Message], *about: Any) -> None:
        """`how` is a method of `Turns` that makes or changes an answer of a conversation."""
        conversation_id = self._following.current
        if conversation_id <= 0 or self.is_busy:
            return
        if self._failed is not None:
            self._following.clear_failure(self._failed[0])
            self._failed = None
        self._set_running(conversation_id, True)
        self._background.run(
            how,
            conversation_id,
            *about,
            done=lambda _answer: self._on_over(conversation_id),
            failed=lambda error: self._on_broke(conversation_id, Draft(), error),
        )

    def _on_over(self, conversation_id: int) -> None:
        self._set_running(conversation_id, False)
        self.turn_over.emit(conversation_id)
        if conversation_id == self._following.current and self._queue and self._failed is None:
            question = self._queue.pop(0)
            self.queue_changed.emit(self.queue)
            self._start(conversation_id, question)

    def _on_broke(self, conversation_id: int, draft: Draft, error: Exception) -> None:
        self._set_running(conversation_id, False)
        self.turn_over.emit(conversation_id)
        self._give_back(draft, error)

    def _give_back(self, draft: Draft, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.refused.emit(draft, error)

    def _set_running(self, conversation_id: int, running: bool) -> None:
        (self._running.add if running else self._running.discard)(conversation_id)
        if running:
            self.turn_began.emit(conversation_id)
        self.busy_changed.emit(self.is_busy)

    # -- ends ---------------------------------------------------------------------------------

    def _on_failed(self, error: UserFacing) -> None:
        self._error = error

    def _on_ended(self, answer: Message) -> None:
        error, self._error = self._error, None
        if error is not None:
            self._failed = (answer.id, error)
            actions = self._error_actions.actions(error, partial(self._again_in, self._following.current))
            self._following.show_failure(answer.id, error, actions)
        self.ended.emit(answer)

    def _again_in(self, conversation_id: int) -> None:
        """Unless it was left meanwhile."""
        if conversation_id == self._following.current:
            self.again()
