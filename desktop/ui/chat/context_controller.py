"""How full the context of the open conversation is, what is offered about it, and what fills it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, SignalInstance

from desktop.chat.context_use import ContextUse
from desktop.chat.events import BranchChanged, NoticeAdded, NoticeChanged, TurnEnded, TurnFailed, TurnStarted
from desktop.chat.messages import Summary
from desktop.engine.events import ModelLoaded, ModelUnloaded
from desktop.errors import Cancelled, UserFacing
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged
from desktop.ui.chat.info_windows import Fact, FactsDialog
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.chat.services import ChatServices
from desktop.ui.chat.status_line import automatic_words
from desktop.ui.language import plural, tr
from desktop.ui.widgets.toast import Toast


class Conversations(Protocol):
    """What is needed of the chat's controller."""

    conversation_shown: SignalInstance

    @property
    def current(self) -> int: ...

    def set_answering(self, conversation_id: int, answering: bool) -> None: ...


class ContextController(QObject):
    """Asks `Turns` whenever an event says that the context is another. Main thread only."""

    def __init__(
        self,
        services: ChatServices,
        conversations: Conversations,
        pane: ConversationPane,
        toast: Toast,
        show_use: Callable[[ContextUse], None],
    ) -> None:
        """`show_use` puts it into the status line."""
        super().__init__()
        self._turns = services.turns
        self._background = services.background
        self._conversations = conversations
        self._pane = pane
        self._toast = toast
        self._show_use = show_use
        self._asked = self._again = False
        self._working: int | None = None  # the conversation that is being summarised
        self._hidden: set[tuple[int, str]] = set()  # notes that were put away
        self.use: ContextUse | None = None  # what was measured last
        self._dialog: FactsDialog | None = None
        pane.status.context_clicked.connect(self.show_breakdown)
        pane.composer.note.summarise_wanted.connect(self.summarise)
        pane.composer.note.dismissed.connect(self._on_dismissed)
        pane.transcript.maker.undo_summary_wanted.connect(self.undo)
        conversations.conversation_shown.connect(self.refresh)
        self._listen(services.relay)
        self.refresh()

    def refresh(self) -> None:
        """Measure anew, in the background; one measurement at a time."""
        # Events come in bursts when a turn ends. One measurement tokenizes the whole prompt, so they are
        # not stacked up.
        if self._asked:
            self._again = True
            return
        self._asked, self._again = True, False
        conversation_id = self._conversations.current
        self._background.run(
            self._turns.context_use,
            # A chat that is being made has a negative number, which the store does not know.
            conversation_id if conversation_id > 0 else None,
            done=lambda use: self._on_measured(conversation_id, use),
            failed=self._on_not_measured,
        )

    def summarise(self) -> None:
        """Have the model tell the older messages of the open conversation in few words."""
        conversation_id = self._conversations.current
        if conversation_id <= 0 or self._working is not None:
            return
        # A summary begun now would leave out the answer that is still being written.
        if self._turns.is_running(conversation_id):
            self._toast.offer(tr("This chat is being answered. Wait for the answer or stop it first."))
            return
        self._working = conversation_id
        self._pane.composer.note.set_working(True)
        # Summarising uses the model as an answer does: what is sent meanwhile waits its turn.
        self._conversations.set_answering(conversation_id, True)
        self._background.run(
            partial(_unless_cancelled, self._turns.summarise, conversation_id),
            done=lambda _summary: self._on_over(conversation_id),
            failed=lambda error: self._on_over(conversation_id, error),
        )

    def undo(self, summary: Summary) -> None:
        """Have the model read the messages themselves again."""
        self._background.run(
            self._turns.undo_summary, self._conversations.current, summary, failed=self._toast.refuse
        )

    def show_breakdown(self) -> None:
        """What fills the context, in a window of its own."""
        if self.use is None:
            return
        if self._dialog is None:
            self._dialog = FactsDialog("context_breakdown", tr("What fills the context"), self._pane.window())
            self._dialog.add_button(tr("Summarise older messages"), "context_summarise", self.summarise)
        self._dialog.show_facts(facts_of(self.use), words_of(self.use))
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()

    # -- inside -------------------------------------------------------------------------------

    def _on_measured(self, conversation_id: int, use: ContextUse) -> None:
        self._asked = False
        # Measured for a chat that is no longer open, or before the last change: not shown even for a moment.
        if self._again or conversation_id != self._conversations.current:
            self.refresh()
            return
        self.use = use
        self._show_use(use)
        self._pane.composer.set_room(use.room)
        self._show_note()
        if self._dialog is not None and self._dialog.isVisible():
            self._dialog.show_facts(facts_of(use), words_of(use))

    def _on_not_measured(self, error: Exception) -> None:
        """Pass over it, as of a conversation that was deleted meanwhile."""
        self._asked = False
        if not isinstance(error, UserFacing | LookupError):
            raise error

    def _show_note(self) -> None:
        assert self.use is not None
        words = note_of(self.use)
        # Put away by its words: another warning, as of a context that is nearly full, is shown again.
        if (self._conversations.current, words) in self._hidden:
            words = ""
        self._pane.composer.note.show_words(words, can_summarise=self.use.questions > 1)

    def _on_dismissed(self) -> None:
        if self.use is not None:
            self._hidden.add((self._conversations.current, note_of(self.use)))

    def _on_over(self, conversation_id: int, error: Exception | None = None) -> None:
        self._working = None
        self._pane.composer.note.set_working(False)
        self._conversations.set_answering(conversation_id, False)
        self.refresh()
        if error is not None:
            self._toast.refuse(error)

    def _listen(self, relay: Relay) -> None:
        relay.listen(TurnStarted, lambda event: self._on_changed(event.conversation_id))
        relay.listen(TurnEnded, lambda event: self._on_changed(event.conversation_id))
        relay.listen(TurnFailed, lambda event: self._on_changed(event.conversation_id))
        relay.listen(NoticeAdded, lambda event: self._on_changed(event.conversation_id))
        relay.listen(BranchChanged, lambda event: self._on_changed(event.conversation_id))
        for other in (ModelLoaded, ModelUnloaded, SettingsChanged):
            relay.listen(other, lambda _event: self.refresh())
        relay.listen(NoticeChanged, self._on_notice_changed)

    def _on_changed(self, conversation_id: int) -> None:
        if conversation_id == self._conversations.current:
            self.refresh()

    def _on_notice_changed(self, event: NoticeChanged) -> None:
        if event.conversation_id == self._conversations.current:
            self._pane.transcript.update_message(event.notice)
            self.refresh()


def note_of(use: ContextUse) -> str:
    """What is offered before anything is left out; "" while there is room."""
    if use.is_over:
        return tr(
            "The chat no longer fits in the context. From the next question on the model may no longer "
            "see the oldest messages; a line in the chat says which."
        )
    if use.is_nearly_full:
        return tr(
            "The context is nearly full. Once it is, the model no longer sees the oldest messages, and a "
            "line in the chat says which."
        )
    if use.cuts_next:
        return tr(
            "With the next question the model no longer sees the oldest messages: it reads {limit} earlier "
            "questions, as the setting History says.",
            limit=use.questions_limit,
        )
    return ""


def facts_of(use: ContextUse) -> tuple[Fact, ...]:
    """The rows of the breakdown."""

    def fact(name: str, tokens: int, strong: bool = False) -> Fact:
        sign = "≈ " if use.is_estimate else ""
        value = plural("{sign}1 token", "{sign}{count:,} tokens", tokens, sign=sign)
        return Fact(name, value, tokens / use.limit if use.limit else 0.0, strong)

    summary = (fact(tr("Summary"), use.summary),) if use.summary else ()
    return (
        fact(tr("System prompt"), use.instructions),
        fact(tr("Tools"), use.tools),
        fact(tr("Memory"), use.memory),
        *summary,
        fact(tr("Messages"), use.messages),
        fact(tr("Attachments"), use.attachments),
        fact(tr("Used"), use.used, strong=True),
        fact(tr("Left"), use.left, strong=True),
    )


def words_of(use: ContextUse) -> str:
    """What the numbers are about."""
    words = tr("The model reads up to {limit:,} tokens at once, its answer included.", limit=use.limit)
    if use.is_automatic:
        words += " " + automatic_words()
    if use.is_estimate:
        words += " " + tr("Estimated: no model is loaded to count with.")
    if use.is_over:
        words += " " + tr("The chat is longer: the next question may leave the oldest messages out.")
    elif use.is_nearly_full:
        words += " " + tr("It is nearly full.")
    return words


def _unless_cancelled(summarise: Callable[[int], Summary], conversation_id: int) -> Summary | None:
    try:
        return summarise(conversation_id)
    except Cancelled:
        return None
