"""Between the chat and its widgets: signals of the widgets go down, events of the core come up.

Nothing is decided here about conversations: `Turns` and `ChatStore` are asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from desktop.chat.events import (
    AnswerGrew,
    CallAdded,
    CallClosed,
    ConversationsChanged,
    MessageRemoved,
    NoticeAdded,
    SaidBeforeCall,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from desktop.chat.store import ChatStore, Conversation, Message, MessageStatus, Role
from desktop.chat.turn import Turns
from desktop.engine.engine import Engine
from desktop.errors import UserFacing
from desktop.network import Traffic
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsFile
from desktop.tools.calls import ToolAsked, ToolRunning
from desktop.ui.chat.empty_state import Suggestion
from desktop.ui.chat.message import Failure
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.chat.searching import Searching
from desktop.ui.chat.sidebar import Sidebar
from desktop.ui.chat.status_controller import StatusController
from desktop.ui.error_card import Action
from desktop.ui.toast import Toast

PAGE = 60
MODEL_ERRORS = frozenset(
    {"no-model", "model-load-failed", "crashed-while-loading", "model-file-refused", "model-file-missing"}
)


class ChatController(QObject):
    """Which conversation is open, what waits to be sent, and who is told what. Main thread only."""

    models_requested = Signal()
    title_changed = Signal(str)
    conversation_shown = Signal()
    busy_changed = Signal(bool)  # any conversation is being answered

    def __init__(
        self,
        store: ChatStore,
        turns: Turns,
        engine: Engine,
        settings_file: SettingsFile,
        relay: Relay,
        background: Background,
        pane: ConversationPane,
        sidebar: Sidebar,
        toast: Toast,
    ) -> None:
        super().__init__()
        self._store = store
        self._turns = turns
        self._background = background
        self._pane = pane
        self._sidebar = sidebar
        self._toast = toast
        self._current = 0  # 0: a conversation that does not exist yet
        self._made = 0  # counts down the placeholders of conversations that are being made
        self._conversations: tuple[Conversation, ...] = ()
        self._busy: set[int] = set()
        self._queues: defaultdict[int, list[str]] = defaultdict(list)
        self._drafts: dict[int, str] = {}
        self._failures: dict[int, tuple[int, UserFacing]] = {}  # conversation: message, error
        self._status = StatusController(engine, settings_file, relay, pane, sidebar)
        self._listings = 0
        self._searching = Searching(store.search, background, self)
        self._connect_widgets()
        self._listen(relay)
        self.refresh_conversations()

    # -- what the window calls ----------------------------------------------------------------

    @property
    def current(self) -> int:
        """The open conversation; 0 for one that does not exist yet."""
        return self._current

    @property
    def is_busy(self) -> bool:
        """Whether any conversation is being answered."""
        return bool(self._busy)

    def open_conversation(self, conversation_id: int, message_id: int | None = None) -> None:
        """Show a conversation at its end, or at one message. One that is gone is ignored."""
        is_open = conversation_id == self._current and not self._pane.is_empty
        if not is_open and not self._show_conversation(conversation_id):
            return
        if message_id is not None:
            self._jump(message_id)
        self.conversation_shown.emit()

    def new_chat(self, text: str | None = None, send: bool = False) -> None:
        """An empty conversation; it comes into being with its first message."""
        self._keep_draft()
        self._current = 0
        self._pane.transcript.show_messages((), has_older=False)
        self._pane.show_empty(True)
        self._take_up_conversation("")
        if text is not None:
            self._pane.composer.set_text(text)
        if send and text:
            self._pane.composer.clear()
            self.send(text)
        self.conversation_shown.emit()

    def send(self, text: str) -> None:
        """Ask in the open conversation, or queue while it is being answered."""
        if not self._current:
            self._create_for(text)
        elif self._current in self._busy or self._current < 0:
            self._queues[self._current].append(text)
            self._show_queue()
        else:
            self._start(self._current, text)

    def set_answering(self, conversation_id: int, answering: bool) -> None:
        """A turn that was begun elsewhere is under way, or has returned: until then what is sent waits."""
        if answering:
            self._set_busy(conversation_id, True)
        elif conversation_id in self._busy:
            self._on_turn_over(conversation_id)

    def stop(self) -> None:
        """Stop the answer of the open conversation."""
        self._turns.stop(self._current)

    def stop_all(self) -> None:
        """Stop every answer."""
        self._turns.stop_all()

    def show_note(self, words: str, explanation: str) -> None:
        """A standing remark in the status line."""
        self._status.show_note(words, explanation)

    def show_report(self, words: str) -> None:
        """That there is a report of a crash; empty words take it away."""
        self._status.show_report(words)

    def follow_traffic(self, traffic: Callable[[], Traffic]) -> None:
        """Tell what has left this computer."""
        self._status.follow_traffic(traffic)

    def refresh_conversations(self) -> None:
        """Read the list again, in the background."""
        self._listings += 1
        number = self._listings
        self._background.run(self._store.conversations, done=lambda found: self._on_listed(number, found))

    # -- opening ------------------------------------------------------------------------------

    def _show_conversation(self, conversation_id: int) -> bool:
        try:
            conversation = self._store.get(conversation_id)
        except KeyError:
            return False
        self._keep_draft()
        self._current = conversation_id
        messages = self._store.messages(conversation_id, limit=PAGE)
        self._pane.show_empty(not messages)
        self._pane.transcript.show_messages(messages, has_older=len(messages) == PAGE)
        self._show_failure(conversation_id)
        self._take_up_conversation(conversation.title)
        return True

    def _take_up_conversation(self, title: str) -> None:
        self._pane.composer.clear()
        self._pane.composer.set_text(self._drafts.pop(self._current, ""))
        self._sidebar.show_current(self._current)
        self._show_queue()
        self._show_busy()
        self.title_changed.emit(title)

    def _keep_draft(self) -> None:
        draft = self._pane.composer.draft()
        if draft:
            self._drafts[self._current] = draft
        else:
            self._drafts.pop(self._current, None)

    def _jump(self, message_id: int) -> None:
        """Load as much as is needed to see a message, then show it."""
        transcript = self._pane.transcript
        if transcript.message(message_id) is None and transcript.messages:
            first = transcript.messages[0].id
            between = self._store.messages(self._current, before=first, limit=None, since=message_id)
            above = self._store.messages(self._current, before=message_id, limit=PAGE)
            transcript.prepend((*above, *between), has_older=len(above) == PAGE)
        if transcript.message(message_id) is None and self._current not in self._busy:
            self._open_version(message_id)
        transcript.jump_to(message_id)

    def _open_version(self, message_id: int) -> None:
        """What is to be seen is on another branch than the open one."""
        self._store.open_branch(message_id)
        messages = self._store.messages(self._current, limit=None, since=message_id)
        above = self._store.messages(self._current, before=message_id, limit=PAGE)
        self._pane.transcript.show_messages((*above, *messages), has_older=len(above) == PAGE)

    def _on_older_wanted(self, before: int) -> None:
        messages = self._store.messages(self._current, before=before, limit=PAGE)
        self._pane.transcript.prepend(messages, has_older=len(messages) == PAGE)

    def _on_listed(self, number: int, conversations: tuple[Conversation, ...]) -> None:
        if number != self._listings:
            return  # a newer reading is on its way
        self._conversations = conversations
        self._sidebar.show_conversations(conversations, self._current)
        title = next((c.title for c in conversations if c.id == self._current), None)
        if title is not None:
            self.title_changed.emit(title)

    # -- turns --------------------------------------------------------------------------------

    def _create_for(self, text: str) -> None:
        """Make a conversation; until it has its number it goes by a negative one, and what is sent waits."""
        self._made -= 1
        placeholder = self._current = self._made
        self._background.run(
            self._store.create,
            done=lambda made: self._on_created(placeholder, made, text),
            failed=lambda error: self._on_refused(text, error),
        )

    def _on_created(self, placeholder: int, conversation: Conversation, text: str) -> None:
        if self._current == placeholder:
            self._current = conversation.id
        self._queues[conversation.id] = self._queues.pop(placeholder, [])
        self._start(conversation.id, text)

    def _start(self, conversation_id: int, text: str) -> None:
        self._set_busy(conversation_id, True)
        self._background.run(
            self._turns.run,
            conversation_id,
            text,
            done=lambda _answer: self._on_turn_over(conversation_id),
            failed=lambda error: self._on_turn_broke(conversation_id, error),
        )

    def _again(self, conversation_id: int, how: str) -> None:
        """`how` is "regenerate" or "continue_answer"."""
        if conversation_id in self._busy:
            return
        self._forget_failure(conversation_id)
        self._set_busy(conversation_id, True)
        self._background.run(
            getattr(self._turns, how),
            conversation_id,
            done=lambda _answer: self._on_turn_over(conversation_id),
            failed=lambda error: self._on_turn_broke(conversation_id, error),
        )

    def _on_turn_over(self, conversation_id: int) -> None:
        """The turn's function has returned: only now may the next one begin."""
        self._set_busy(conversation_id, False)
        queue = self._queues[conversation_id]
        if queue and conversation_id not in self._failures:
            text = queue.pop(0)
            self._show_queue()
            self._start(conversation_id, text)

    def _on_turn_broke(self, conversation_id: int, error: Exception) -> None:
        self._set_busy(conversation_id, False)
        if isinstance(error, UserFacing):
            self._toast.offer(str(error))

    def _on_refused(self, text: str, error: Exception) -> None:
        """The conversation could not be stored: the message goes back into the box."""
        self._current = 0
        self._pane.composer.set_text(text)
        if not isinstance(error, UserFacing):
            raise error
        self._toast.offer(str(error))

    def _set_busy(self, conversation_id: int, busy: bool) -> None:
        (self._busy.add if busy else self._busy.discard)(conversation_id)
        self._sidebar.show_busy(frozenset(self._busy))
        self._show_busy()
        self.busy_changed.emit(bool(self._busy))

    def _show_busy(self) -> None:
        self._pane.composer.set_busy(self._current in self._busy)

    def _show_queue(self) -> None:
        self._pane.composer.show_queue(self._queues[self._current])

    def _on_unqueue(self, number: int) -> None:
        queue = self._queues[self._current]
        if number < len(queue):
            del queue[number]
        self._show_queue()

    # -- events of the chat -------------------------------------------------------------------

    def _on_turn_started(self, event: TurnStarted) -> None:
        if event.conversation_id != self._current:
            return
        self._pane.show_empty(False)
        transcript = self._pane.transcript
        if event.question is not None and transcript.message(event.question.id) is None:
            transcript.append(event.question)
        if transcript.message(event.answer.id) is None:
            transcript.append(event.answer)
        else:
            transcript.update_message(event.answer)
        transcript.set_failure(event.answer.id, None)
        transcript.jump_to_latest()
        self._status.refresh()

    def _on_answer_grew(self, event: AnswerGrew) -> None:
        if event.conversation_id != self._current:
            return
        message = self._pane.transcript.message(event.message_id)
        if message is not None and (grown := grown_by(message, event)) is not None:
            self._pane.transcript.grow(grown)

    def _on_turn_ended(self, event: TurnEnded | SaidBeforeCall) -> None:
        if event.conversation_id == self._current:
            self._pane.transcript.update_message(event.answer)

    def _on_turn_failed(self, event: TurnFailed) -> None:
        self._failures[event.conversation_id] = (event.answer.id, event.error)
        if event.conversation_id == self._current:
            self._pane.transcript.update_message(event.answer)
            self._show_failure(event.conversation_id)

    def _on_notice_added(self, event: NoticeAdded) -> None:
        if event.conversation_id == self._current:
            self._pane.transcript.append(event.notice)

    def _on_call_added(self, event: CallAdded) -> None:
        if event.conversation_id == self._current:
            self._pane.transcript.append(event.message)

    def _on_call_closed(self, event: CallClosed) -> None:
        if event.conversation_id == self._current:
            self._pane.transcript.update_message(event.message)

    def _on_tool_asked(self, event: ToolAsked) -> None:
        self._show_asking(event.conversation_id, event.call.id, asking=True)

    def _on_tool_running(self, event: ToolRunning) -> None:
        self._show_asking(event.conversation_id, event.call.id, asking=False)

    def _show_asking(self, conversation_id: int, call_id: str, asking: bool) -> None:
        if conversation_id != self._current:
            return
        for message in reversed(self._pane.transcript.messages):
            if message.tool is not None and message.tool.call_id == call_id:
                record = replace(message.tool, asking=asking)
                self._pane.transcript.update_message(replace(message, tool=record))
                return

    def _on_message_removed(self, event: MessageRemoved) -> None:
        if event.conversation_id == self._current:
            self._pane.transcript.remove(event.message_id)

    # -- failures -----------------------------------------------------------------------------

    def _show_failure(self, conversation_id: int) -> None:
        if conversation_id in self._failures:
            message_id, error = self._failures[conversation_id]
            actions = self._actions_for(conversation_id, error)
            self._pane.transcript.set_failure(message_id, Failure(error, actions))

    def _actions_for(self, conversation_id: int, error: UserFacing) -> tuple[Action, ...]:
        def again() -> None:
            self._again(conversation_id, "regenerate")

        if error.code in MODEL_ERRORS:
            return (("Choose a model", self.models_requested.emit), ("Try again", again))
        if error.code == "message-too-long":
            return (("Edit the message", self._recall),)
        return (("Try again", again),)

    def _forget_failure(self, conversation_id: int) -> None:
        failed = self._failures.pop(conversation_id, None)
        if failed is not None:
            self._pane.transcript.set_failure(failed[0], None)

    # -- the composer -------------------------------------------------------------------------

    def _recall(self) -> None:
        """The latest question back into the box."""
        for message in reversed(self._pane.transcript.messages):
            if message.role is Role.USER:
                self._pane.composer.set_text(message.text)
                self._pane.composer.text.setFocus()
                return

    def _on_suggestion(self, suggestion: Suggestion) -> None:
        composer = self._pane.composer
        composer.clear()
        composer.set_text(suggestion.opening)
        if suggestion.clipboard:
            self._add_clipboard()
        composer.text.setFocus()

    def _add_clipboard(self) -> None:
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self._pane.composer.add_attachment(text)
        else:
            self._pane.composer.clear()
            self._toast.offer("There is no text on the clipboard. Copy some and try again.")

    def _on_new_chat(self) -> None:
        self.new_chat()

    # -- the sidebar --------------------------------------------------------------------------

    def _on_delete(self, conversation_id: int) -> None:
        self._queues.pop(conversation_id, None)
        self._turns.stop(conversation_id)
        title = next((c.title for c in self._conversations if c.id == conversation_id), "Chat")
        if conversation_id == self._current:
            self._pane.composer.clear()
            self.new_chat()
        self._background.run(
            self._store.delete, conversation_id, done=lambda _none: self._on_deleted(conversation_id, title)
        )

    def _on_deleted(self, conversation_id: int, title: str) -> None:
        self.refresh_conversations()
        short = title if len(title) <= 40 else f"{title[:39]}…"
        self._toast.offer(f"Deleted “{short}”", "Undo", lambda: self._restore(conversation_id))

    def _restore(self, conversation_id: int) -> None:
        def restored(_none: None) -> None:
            self.refresh_conversations()
            self.open_conversation(conversation_id)

        self._background.run(self._store.restore, conversation_id, done=restored)

    def _on_renamed(self, conversation_id: int, title: str) -> None:
        self._background.run(
            self._store.rename, conversation_id, title, done=lambda _none: self.refresh_conversations()
        )

    def _on_pin(self, conversation_id: int, pinned: bool) -> None:
        self._background.run(
            self._store.set_pinned, conversation_id, pinned, done=lambda _none: self.refresh_conversations()
        )

    # -- connections --------------------------------------------------------------------------

    def _connect_widgets(self) -> None:
        pane, sidebar = self._pane, self._sidebar
        pane.composer.sent.connect(self.send)
        pane.composer.stop_wanted.connect(self.stop)
        pane.composer.recall_wanted.connect(self._recall)
        pane.composer.unqueue_wanted.connect(self._on_unqueue)
        pane.empty.chosen.connect(self._on_suggestion)
        pane.transcript.older_wanted.connect(self._on_older_wanted)
        pane.transcript.regenerate_wanted.connect(lambda _id: self._again(self._current, "regenerate"))
        pane.transcript.continue_wanted.connect(lambda _id: self._again(self._current, "continue_answer"))
        pane.status.model_clicked.connect(self.models_requested)
        pane.status.device_clicked.connect(self.models_requested)
        sidebar.new_chat_wanted.connect(self._on_new_chat)
        sidebar.opened.connect(self.open_conversation)
        sidebar.hit_opened.connect(self.open_conversation)
        sidebar.renamed.connect(self._on_renamed)
        sidebar.delete_wanted.connect(self._on_delete)
        sidebar.pin_wanted.connect(self._on_pin)
        sidebar.search_wanted.connect(self._searching.ask)
        self._searching.found.connect(sidebar.show_page)
        sidebar.models_wanted.connect(self.models_requested)

    def _listen(self, relay: Relay) -> None:
        relay.listen(TurnStarted, self._on_turn_started)
        relay.listen(AnswerGrew, self._on_answer_grew)
        relay.listen(TurnEnded, self._on_turn_ended)
        relay.listen(TurnFailed, self._on_turn_failed)
        relay.listen(NoticeAdded, self._on_notice_added)
        relay.listen(MessageRemoved, self._on_message_removed)
        relay.listen(SaidBeforeCall, self._on_turn_ended)
        relay.listen(CallAdded, self._on_call_added)
        relay.listen(CallClosed, self._on_call_closed)
        relay.listen(ToolAsked, self._on_tool_asked)
        relay.listen(ToolRunning, self._on_tool_running)
        relay.listen(ConversationsChanged, lambda _event: self.refresh_conversations())


def grown_by(message: Message, event: AnswerGrew) -> Message | None:
    """`message` with what it does not have yet of `event`; None when it has it all.

    A message that was read a moment after the event was published holds its text already.
    """
    text = message.text + event.text[max(0, len(message.text) - event.text_at) :]
    thinking = message.thinking + event.thinking[max(0, len(message.thinking) - event.thinking_at) :]
    if text == message.text and thinking == message.thinking:
        return None
    return replace(message, text=text, thinking=thinking, status=MessageStatus.STREAMING)
