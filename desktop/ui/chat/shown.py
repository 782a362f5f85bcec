"""What is shown of the open conversation: read from the store, kept up to date by what the chat announces."""

from __future__ import annotations

from collections.abc import Callable

from desktop.chat.events import BranchChanged, TurnFailed, TurnStarted
from desktop.chat.store import ChatStore, Conversation
from desktop.errors import UserFacing
from desktop.qt.relay import Relay
from desktop.ui.chat.feed import Feed
from desktop.ui.chat.message import Failure
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.error_card import Action

PAGE = 60

ActionsFor = Callable[[int, UserFacing], tuple[Action, ...]]


class ShownConversation(Feed):
    """The open conversation of the main window, with its failures. Main thread only."""

    def __init__(self, store: ChatStore, relay: Relay, pane: ConversationPane, actions: ActionsFor) -> None:
        """`actions`: what can be done about a failure in a conversation."""
        super().__init__(relay, pane.transcript)
        self._store = store
        self._pane = pane
        self._actions = actions
        self._failures: dict[int, tuple[int, UserFacing]] = {}  # conversation: message, error
        self._transcript.older_wanted.connect(self._on_older_wanted)

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
        if event.conversation_id == self.current:
            self._pane.show_empty(False)
        super()._on_turn_started(event)

    def _on_turn_failed(self, event: TurnFailed) -> None:
        self._failures[event.conversation_id] = (event.answer.id, event.error)
        super()._on_turn_failed(event)
        if event.conversation_id == self.current:
            self._show_failure(event.conversation_id)
