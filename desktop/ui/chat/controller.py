"""Between the chat and its widgets: signals of the widgets go down, events of the core come up.

Nothing is decided here about conversations: `Turns` and `ChatStore` are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import structlog
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from desktop.chat.attachments import Draft, joined
from desktop.chat.drafts import NEW_CHAT, Drafts
from desktop.chat.events import BranchChanged, TurnFailed, TurnStarted
from desktop.chat.messages import MessageStatus
from desktop.chat.store import ChatStore, Conversation, Deleted, Role
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged, SettingsFile
from desktop.ui.chat.error_actions import ErrorActions
from desktop.ui.chat.feed import Feed
from desktop.ui.chat.list_controller import ConversationSearch, ListController
from desktop.ui.chat.message import AnswerFailure
from desktop.ui.chat.pane import ConversationPane, SuggestedContent, Suggestion
from desktop.ui.chat.services import ChatServices
from desktop.ui.chat.sidebar import Sidebar
from desktop.ui.chat.status_controller import StatusController
from desktop.ui.chat.transcript import Transcript
from desktop.ui.language import error_words, plural, tr
from desktop.ui.widgets.error_card import Action
from desktop.ui.widgets.toast import Toast

if TYPE_CHECKING:
    from desktop.chat.fixed_answers import Danger


Begin = Callable[..., bool]

NO_PROJECT = (0, "")


class ChatController(QObject):
    """Which conversation is open, what waits to be sent, and who is told what. Main thread only."""

    models_requested = Signal()
    title_changed = Signal(str)
    conversation_shown = Signal()
    created = Signal(int)  # a conversation has its number, and is about to be asked its first question
    busy_changed = Signal(bool)  # any conversation is being answered

    def __init__(
        self,
        services: ChatServices,
        pane: ConversationPane,
        sidebar: Sidebar,
        toast: Toast,
    ) -> None:
        super().__init__()
        self._store = services.store
        self._turns = services.turns
        self._error_actions = ErrorActions(services, self.models_requested.emit)
        self._background = services.background
        self._pane = pane
        self._sidebar = sidebar
        self._toast = toast
        self._shown = ShownConversation(services.store, services.relay, pane, self._actions_for)
        self._list = ListController(services, sidebar, toast)
        self._revisions = RevisionController(
            services, pane.transcript, toast, lambda: self.current, self._begin
        )
        self._project = 0  # in which the next conversation is made
        self._made = 0  # counts down the placeholders of conversations that are being made
        self._busy: set[int] = set()
        self._unsent = DraftKeeper(
            Drafts(services.store.database), services.background, self._typed, pane.composer
        )
        self.status = StatusController(services.engine, services.settings, services.relay, pane, sidebar)
        self._search = ConversationSearch(services.store.search, services.background, self)
        services.relay.listen(SettingsChanged, lambda _event: self._take_settings(services.settings))
        self._take_settings(services.settings)
        self._connect_widgets()
        pane.composer.set_draft(self._unsent.take_up(NEW_CHAT))
        self.refresh_conversations()

    # -- what the window calls ----------------------------------------------------------------

    @property
    def current(self) -> int:
        """The open conversation; 0 for one that does not exist yet."""
        return self._shown.current

    @property
    def is_busy(self) -> bool:
        """Whether any conversation is being answered."""
        return bool(self._busy)

    def open_conversation(self, conversation_id: int, message_id: int | None = None) -> None:
        """Show a conversation at its end, or at one message. One that is gone is ignored."""
        # Opening what is open again would lose its place and what is selected.
        is_open = conversation_id == self.current and not self._pane.is_empty
        if not is_open and not self._show_conversation(conversation_id):
            return
        if message_id is not None:
            self._shown.jump(message_id, may_open=conversation_id not in self._busy)
        self.conversation_shown.emit()

    def new_chat(self, question: str = "", project: tuple[int, str] = NO_PROJECT) -> None:
        """An empty conversation; it comes into being with its first message, such as `question`, in a
        project where the id and name of one are given."""
        self._unsent.put_away()
        self._shown.show_none()
        self._project = project[0]
        self._take_up_conversation(tr("New chat in {project}", project=project[1]) if project[0] else "")
        if question:
            self.send(Draft(question))
        self.conversation_shown.emit()

    def send(self, draft: Draft) -> None:
        """Ask in the open conversation, or queue while it is being answered."""
        if not self.current:
            self._create_for(draft)
        # Below 0 the conversation has no number yet; its first question is on the way to the store.
        elif self.current in self._busy or self.current < 0:
            self._wait_with(draft)
        else:
            self._start(self.current, draft)

    def set_answering(self, conversation_id: int, answering: bool) -> None:
        """A turn that was begun elsewhere is under way, or has returned: until then what is sent waits."""
        if answering:
            self._set_busy(conversation_id, True)
        elif conversation_id in self._busy:
            self._on_turn_over(conversation_id)

    def stop(self) -> None:
        """Stop the answer of the open conversation."""
        self._turns.stop(self.current)

    def stop_all(self) -> None:
        """Stop every answer."""
        self._turns.stop_all()

    def keep_unsent(self) -> None:
        """Put what is typed and not sent on disk before the program ends."""
        self._unsent.keep()

    def refresh_conversations(self) -> None:
        """Read the list again, in the background."""
        self._list.refresh()

    def _take_settings(self, settings_file: SettingsFile) -> None:
        self._pane.transcript.set_shows_thinking(settings_file.current.chat.show_thinking)

    # -- opening ------------------------------------------------------------------------------

    def _show_conversation(self, conversation_id: int) -> bool:
        try:
            conversation = self._store.get(conversation_id)
        except KeyError:
            return False
        self._unsent.put_away()
        self._shown.show(conversation)
        self._take_up_conversation(conversation.title)
        return True

    def _take_up_conversation(self, title: str) -> None:
        self._pane.composer.set_draft(self._unsent.take_up(self.current))
        self._list.show_current(self.current)
        self._show_queue()
        self._show_busy()
        self.title_changed.emit(title)

    def _typed(self) -> tuple[int, Draft]:
        """The open conversation and what stands in the box."""
        return self.current, self._pane.composer.whole_draft()

    # -- turns --------------------------------------------------------------------------------

    def _create_for(self, draft: Draft) -> None:
        """Make a conversation; until it has its number it goes by a negative one, and what is sent waits."""
        # Negative, so that it can never be taken for a row of the database.
        self._made -= 1
        placeholder = self._shown.current = self._made
        self._background.run(
            partial(self._store.create, project_id=self._project),
            done=lambda made: self._on_created(placeholder, made, draft),
            failed=lambda error: self._on_refused(placeholder, draft, error),
        )

    def _on_created(self, placeholder: int, conversation: Conversation, draft: Draft) -> None:
        if self.current == placeholder:
            self._shown.current = conversation.id
            self._list.show_current(conversation.id)
        self._unsent.begin(placeholder, conversation.id)
        self.created.emit(conversation.id)
        self._start(conversation.id, draft)

    def _wait_with(self, draft: Draft) -> None:
        """Queue it behind what waits already; whoever is in danger waits for nobody."""
        danger = _danger_in(draft)
        self._unsent.enqueue(self.current, draft, is_first=danger is not None)
        if danger is not None and danger.is_clear:
            self._turns.stop(self.current, MessageStatus.SUPERSEDED)
        self._show_queue()

    def _start(self, conversation_id: int, draft: Draft) -> None:
        self._set_busy(conversation_id, True)
        self._background.run(
            partial(self._turns.run, attachments=draft.attachments),
            conversation_id,
            draft.text,
            done=lambda _answer: self._on_turn_over(conversation_id),
            failed=lambda error: self._on_not_asked(conversation_id, draft, error),
        )

    def _begin(
        self, turn: Callable[..., object], *arguments: object, broke: Callable[[], object] = lambda: None
    ) -> bool:
        """Another answer in the open conversation: `turn` is called with its id and `arguments`. False where
        one is under way. `broke` is called where it could not be begun or stored."""
        conversation_id = self.current
        if conversation_id in self._busy:
            self._toast.offer(tr("This chat is being answered. Wait for the answer or stop it first."))
            return False

        def failed(error: Exception) -> None:
            self._on_turn_broke(conversation_id, error)
            broke()

        self._shown.forget_failure(conversation_id)
        self._set_busy(conversation_id, True)
        self._background.run(
            turn,
            conversation_id,
            *arguments,
            done=lambda _answer: self._on_turn_over(conversation_id),
            failed=failed,
        )
        return True

    def _on_regenerate(self, message_id: int) -> None:
        """`message_id` 0: the latest question has no answer."""
        self._begin(self._turns.regenerate, *((message_id,) if message_id else ()))

    def _on_turn_over(self, conversation_id: int) -> None:
        """The turn's function has returned: only now may the next one begin."""
        self._set_busy(conversation_id, False)
        # What waits stays in the queue: it would run into the same failure and bury it. The answer to a
        # danger needs nothing that can have failed.
        waiting = self._unsent.queued(conversation_id)
        if self._shown.has_failed(conversation_id) and not (waiting and _danger_in(waiting[0])):
            return
        if (draft := self._unsent.take(conversation_id)) is not None:
            self._show_queue()
            self._start(conversation_id, draft)

    def _on_turn_broke(self, conversation_id: int, error: Exception) -> None:
        self._set_busy(conversation_id, False)
        if isinstance(error, UserFacing):
            self._toast.offer(error_words(error))

    def _on_not_asked(self, conversation_id: int, draft: Draft, error: Exception) -> None:
        """The question could not be stored; a bug, which comes after that, leaves it where it stands."""
        self._on_turn_broke(conversation_id, error)
        if isinstance(error, UserFacing):
            self._give_back(conversation_id, draft)

    def _on_refused(self, placeholder: int, draft: Draft, error: Exception) -> None:
        """The conversation could not be stored."""
        self._unsent.begin(placeholder, NEW_CHAT)
        if self.current == placeholder:
            self._shown.current = NEW_CHAT
        self._give_back(NEW_CHAT, draft)
        self._toast.refuse(error)

    def _give_back(self, conversation_id: int, draft: Draft) -> None:
        """A message and what waits behind it go back into the box, before what is typed there."""
        composer = self._pane.composer
        # All of them, in their order: the second question seldom makes sense without the first.
        waiting = (draft, *self._unsent.take_all(conversation_id))
        if conversation_id == self.current:
            composer.put_before(joined(waiting))
            self._show_queue()
        else:
            self._unsent.put_before(conversation_id, joined(waiting))

    def _set_busy(self, conversation_id: int, busy: bool) -> None:
        (self._busy.add if busy else self._busy.discard)(conversation_id)
        self._sidebar.show_busy(frozenset(self._busy))
        self._show_busy()
        self.busy_changed.emit(bool(self._busy))

    def _show_busy(self) -> None:
        self._pane.composer.set_busy(self.current in self._busy)
        self._pane.transcript.set_held(self.current in self._busy)

    def _show_queue(self) -> None:
        self._pane.composer.show_queue([draft.words for draft in self._unsent.queued(self.current)])

    def _on_unqueue(self, number: int) -> None:
        self._unsent.take(self.current, number)
        self._show_queue()

    def _on_edit_queued(self, number: int) -> None:
        """Back into the box, before what is typed there."""
        composer = self._pane.composer
        queued = self._unsent.take(self.current, number)
        if queued is None:
            return
        composer.put_before(queued)
        composer.text.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_queue()

    # -- failures -----------------------------------------------------------------------------

    def _actions_for(self, conversation_id: int, error: UserFacing) -> tuple[Action, ...]:
        def again() -> None:
            if conversation_id == self.current:
                self._begin(self._turns.regenerate)

        if self._turns.destination(conversation_id) is None:
            return self._error_actions.actions(error, again, edit=self._pane.transcript.edit_last_question)

        def here() -> None:
            # Pressed and never by itself: the user chose that another computer answers.
            self._background.run(
                self._turns.choose_server,
                conversation_id,
                "",
                done=lambda _none: again(),
                failed=self._toast.refuse,
            )

        return ((tr("Try again"), again), (tr("Answer on this computer"), here))

    # -- the composer -------------------------------------------------------------------------

    def _on_suggestion(self, suggestion: Suggestion) -> None:
        if suggestion.whole:
            self.send(Draft(suggestion.opening))
            return
        composer = self._pane.composer
        typed = composer.whole_draft()
        composer.put_before(Draft(suggestion.opening))
        if suggestion.along is SuggestedContent.SCREEN:
            composer.screen_wanted.emit()
        elif suggestion.along is SuggestedContent.CLIPBOARD:
            before = composer.pending
            composer.clipboard_wanted.emit()
            if composer.pending == before:
                composer.set_draft(typed)  # there is nothing on the clipboard, as is being said
        composer.text.setFocus()

    # -- the sidebar --------------------------------------------------------------------------

    def _on_deleting(self, conversation_id: int) -> None:
        """What was typed there comes back with it; what waited there would be sent unseen."""
        # Restored from Undo, the conversation would otherwise begin to answer by itself.
        self._unsent.take_all(conversation_id)
        self._turns.stop(conversation_id)
        if conversation_id == self.current:
            self.new_chat()

    # -- connections --------------------------------------------------------------------------

    def _connect_widgets(self) -> None:
        pane, sidebar = self._pane, self._sidebar
        pane.composer.sent.connect(self.send)
        pane.composer.text.textChanged.connect(self._unsent.touch)
        pane.composer.attachments_changed.connect(self._unsent.touch)
        self._unsent.changed.connect(sidebar.show_unsent)
        pane.composer.stop_wanted.connect(self.stop)
        pane.composer.recall_wanted.connect(pane.transcript.edit_last_question)
        pane.composer.unqueue_wanted.connect(self._on_unqueue)
        pane.composer.edit_queued_wanted.connect(self._on_edit_queued)
        pane.empty.chosen.connect(self._on_suggestion)
        pane.transcript.regenerate_wanted.connect(self._on_regenerate)
        pane.transcript.continue_wanted.connect(lambda _id: self._begin(self._turns.continue_answer))
        sidebar.new_chat_wanted.connect(self.new_chat)
        sidebar.new_in_project_wanted.connect(lambda number, name: self.new_chat(project=(number, name)))
        sidebar.opened.connect(self.open_conversation)
        sidebar.hit_opened.connect(self.open_conversation)
        self._list.deleting.connect(self._on_deleting)
        self._list.restored.connect(self.open_conversation)
        self._list.title_changed.connect(self.title_changed)
        self._shown.turn_started.connect(self.status.refresh)
        sidebar.search_wanted.connect(self._search.ask)
        self._search.found.connect(sidebar.show_page)
        sidebar.models_wanted.connect(self.models_requested)


def _danger_in(draft: Draft) -> Danger | None:
    # Its table is read when the first message has to wait, and not at the start.
    from desktop.chat.fixed_answers import danger_in

    return danger_in(draft.text)


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
        """Show a conversation at its end."""
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
        # First by reading further up on the same branch, which keeps the place of what is shown.
        if transcript.message(message_id) is None and transcript.messages:
            first = transcript.messages[0].id
            between = self._store.messages(self.current, before=first, limit=None, since=message_id)
            above = self._store.messages(self.current, before=message_id, limit=PAGE)
            transcript.prepend((*above, *between), has_older=len(above) == PAGE)
        # Else it lies on another branch. Not while an answer is being written there: it would go on out of
        # sight.
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
        # After a deletion at the top little may be left, and the view would have nothing to scroll.
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
        """Take the error away: something is being done about it."""
        failed = self._failures.pop(conversation_id, None)
        if failed is not None:
            self._transcript.set_failure(failed[0], None)

    def _show_failure(self, conversation_id: int) -> None:
        if conversation_id in self._failures:
            message_id, error = self._failures[conversation_id]
            actions = self._actions(conversation_id, error)
            self._transcript.set_failure(message_id, AnswerFailure(error, actions))

    # -- events of the chat -------------------------------------------------------------------

    def _on_turn_started(self, event: TurnStarted) -> None:
        if event.conversation_id == self.current:
            self._pane.show_empty(False)
        super()._on_turn_started(event)

    def _on_turn_failed(self, event: TurnFailed) -> None:
        # Kept for conversations that are not open too: the card is shown when the user comes back.
        self._failures[event.conversation_id] = (event.answer.id, event.error)
        super()._on_turn_failed(event)
        if event.conversation_id == self.current:
            self._show_failure(event.conversation_id)


class RevisionController(QObject):
    """Passes the wishes of the messages on to `Turns`. Main thread only."""

    def __init__(
        self,
        services: ChatServices,
        transcript: Transcript,
        toast: Toast,
        current: Callable[[], int],
        begin: Begin,
    ) -> None:
        """`current`: the open conversation; `begin(turn, *arguments, broke=...)` starts an
        answer in it, and says whether that was possible."""
        super().__init__()
        self._store = services.store
        self._turns = services.turns
        self._background = services.background
        self._toast = toast
        self._current = current
        self._begin = begin
        self._transcript = transcript
        maker = transcript.maker
        maker.edited.connect(self._on_edited)
        maker.version_wanted.connect(self._on_version_wanted)
        maker.delete_wanted.connect(self._on_delete_wanted)
        maker.extensions_undone.connect(self._on_extensions_undone)

    def _on_edited(self, message_id: int, text: str) -> None:
        def again() -> None:
            self._transcript.edit_question(message_id, text)  # what was written is not lost

        if not self._begin(self._turns.edit, message_id, text, broke=again):
            again()

    def _on_version_wanted(self, message_id: int, step: int) -> None:
        conversation_id = self._current()

        def show() -> None:
            # Versions hang on the first message of an answer, which may have been a call of a tool.
            head = self._store.head(message_id)
            versions = self._store.versions(head)
            number = versions.index(head) + step
            if 0 <= number < len(versions):
                self._turns.open_branch(conversation_id, versions[number])

        self._background.run(show, failed=self._toast.refuse)

    def _on_extensions_undone(self, message_id: int, undone: bool) -> None:
        # Of a question that is another answer, of an answer only another look at it.
        self._begin(self._turns.undo_extensions, message_id, undone)

    def _on_delete_wanted(self, message_id: int) -> None:
        conversation_id = self._current()
        self._background.run(
            self._turns.delete,
            conversation_id,
            message_id,
            done=lambda deleted: self._on_deleted(conversation_id, deleted),
            failed=self._toast.refuse,
        )

    def _on_deleted(self, conversation_id: int, deleted: Deleted) -> None:
        def undo() -> None:
            message_id = deleted.message.id
            self._background.run(self._turns.restore, conversation_id, message_id, failed=self._toast.refuse)

        self._toast.offer(deleted_words(deleted), tr("Undo"), undo)


def deleted_words(deleted: Deleted) -> str:
    """What went: "Deleted your message and the 3 messages that followed"."""
    if deleted.message.role is Role.USER:
        if not deleted.after:
            return tr("Deleted your message")
        return plural(
            "Deleted your message and the message that followed",
            "Deleted your message and the {count} messages that followed",
            deleted.after,
        )
    if not deleted.after:
        return tr("Deleted the answer")
    return plural(
        "Deleted the answer and the message that followed",
        "Deleted the answer and the {count} messages that followed",
        deleted.after,
    )


# -- drafts ------------------------------------------------------------------------------------

# What is typed or queued in each conversation and not sent: kept when another one is opened, and on disk.

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
