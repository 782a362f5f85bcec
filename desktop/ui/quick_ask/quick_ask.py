"""Quick-ask: a small window over everything that answers at once, and its life from key to key.

Text that is selected in another program can be rewritten, shortened, translated or explained at once. The
result stands in a window with the difference; nothing is changed elsewhere. It can be copied, or taken
along: put on the clipboard, with the focus back in the other program, where the user's own paste puts it
in the place of what is selected there. No key is pressed for the user.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit

from desktop.chat.attachments import Attachment, AttachmentReader, Draft
from desktop.chat.events import BranchChanged, CallClosed, TurnEnded, TurnFailed
from desktop.chat.rules import AnswerRule, RuleAnswer
from desktop.chat.store import ChatStore, Conversation, Message, Role
from desktop.chat.text_actions import TextAction, begin, result_of
from desktop.chat.turns import Turns
from desktop.engine.engine import Engine
from desktop.engine.events import ModelFailed, ModelLoaded, ModelLoading, ModelUnloaded
from desktop.engine.requests import Priority
from desktop.errors import UserFacing
from desktop.qt.background import Background, only_logged
from desktop.qt.relay import Relay
from desktop.system.hotkey.grabber import HotkeyPress
from desktop.system.hotkey.previous_window import PreviousWindow
from desktop.tools.calls import ToolAsked, ToolRunning
from desktop.ui.chat.error_actions import ErrorActions
from desktop.ui.chat.feed import Feed
from desktop.ui.chat.info_windows import TextViewer
from desktop.ui.chat.message import AnswerFailure
from desktop.ui.chat.opener import SourceOpener
from desktop.ui.chat.rich_text import open_link
from desktop.ui.chat.selection_bar import ResultWindow
from desktop.ui.chat.services import ChatServices, ToolFiles
from desktop.ui.chat.transcript import Transcript
from desktop.ui.language import language_in_use, tr
from desktop.ui.quick_ask.context import ContextSources
from desktop.ui.quick_ask.suggestions import Suggestion
from desktop.ui.quick_ask.window import QuickAskWindow
from desktop.ui.widgets.error_card import Action


class SelectedTextActions(QObject):
    """One result at a time. Main thread only."""

    taken = Signal()  # on the clipboard, for the program that the text came from

    def __init__(self, engine: Engine, background: Background, field: QPlainTextEdit) -> None:
        """`field` is the one of Quick-ask, beside which the result stands."""
        super().__init__()
        self._engine = engine
        self._background = background
        self._field = field
        self.window: ResultWindow | None = None

    @property
    def is_open(self) -> bool:
        return self.window is not None and self.window.isVisible()

    def start(self, chosen: TextAction, text: str) -> None:
        """Ask the model about `text`, and show what it says."""
        if self.window is not None:
            self.window.close()
        self.window = window = ResultWindow(chosen, text, None, self._field, self._field, self._take)
        window.open_beside()
        try:
            window.stream = begin(self._engine, chosen, text, language_in_use())
        except UserFacing as error:
            window.refuse(error)
            return
        self._background.run(result_of, window.stream, text, done=window.show_result, failed=window.refuse)

    def _take(self, written: str) -> None:
        QGuiApplication.clipboard().setText(written)
        self.taken.emit()


KEPT_S = 600.0  # a hidden draft and conversation are taken up again within this time
SETTLED_S = 0.3  # focus that is lost sooner was never really had: some panels take it back for a moment
SHOWN = 120  # characters of an answer in a notification

Answer = Callable[[str], RuleAnswer | None]


class QuickAsk(QObject):
    """Made by the composition root before the first press. Main thread only."""

    window_requested = Signal(int, object)  # conversation (0: none yet), Draft: to go on in the main window
    page_requested = Signal(str)  # a page of ours, as `desktop.chat.rules` names it
    models_requested = Signal()
    finished_hidden = Signal(str, str)  # title, text: an answer came while nobody looked
    turn_began = Signal(int)  # a conversation is being answered from here,
    turn_over = Signal(int)  # and may now be asked again elsewhere
    visible_changed = Signal(bool)

    def __init__(
        self,
        services: ChatServices,
        answer: Answer,
        surroundings: ContextSources,
        previous: PreviousWindow,
        files: ToolFiles | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`answer` is what rules make of a text, within a few milliseconds."""
        super().__init__()
        files = files or ToolFiles()
        store, background = services.store, services.background
        self._engine = services.engine
        self._answer = answer
        self._surroundings = surroundings
        self._previous = previous
        self._clock = clock
        self._shown_at = self._hidden_at = -KEPT_S
        self._unseen = False
        self.window = QuickAskWindow(surroundings.is_composited)
        if files.undo_controller is not None:
            self.window.transcript.use(files.undo_controller)
        self._attacher = AttachmentReader(count=services.engine.count_tokens)
        self._background = background
        self.selected = SelectedTextActions(services.engine, background, self.window.field)
        self._settings = services.settings
        self._viewer: TextViewer | None = None
        self._opening = SourceOpener(
            store,
            background,
            self.window.transcript.maker,
            self._text_viewer,
            self.window.footer.say,
            lambda where: files.locate(where, self.conversation_id),
        )
        self._following = ConversationFeed(services.relay, self.window.transcript, store)
        ways_out = ErrorActions(services, self.models_requested.emit)
        self.talk = OpenConversation(store, services.turns, background, self._following, ways_out)
        self._connect()
        self._listen(services.relay)
        self.window.chips.show_screen(surroundings.has_screen)
        self.window.show_footer()
        # What rules are made of is loaded before the first key.
        background.run(answer, "1 + 1", failed=only_logged)

    # -- what the composition root calls ------------------------------------------------------

    @property
    def conversation_id(self) -> int:
        """The conversation that is open here; 0 for none."""
        return max(0, self.talk.conversation_id)

    def is_showing(self, conversation_id: int) -> bool:
        """Whether the user sees this conversation here."""
        return self.window.isVisible() and self.conversation_id == conversation_id

    def prepare(self) -> None:
        """Have the system make the window, so that the first press shows it as fast as any."""
        self.window.winId()
        self.window.ensurePolished()
        self.window.place()

    def toggle(self, press: HotkeyPress | None = None) -> None:
        """The hotkey: show it, or hide it where it has the focus. The model is warmed first."""
        if self.window.isVisible() and self.window.isActiveWindow():
            self.hide()
            return
        self._engine.preload()
        self.show(press)

    def show(self, press: HotkeyPress | None = None) -> None:
        """Show it in front of everything, with the focus, on the screen of the pointer."""
        window = self.window
        if not window.isVisible():
            self._forget_old()
            self._previous.remember(int(window.winId()))
            window.place()
        self._unseen = False
        self._shown_at = self._clock()
        window.show()
        window.raise_()
        self._previous.bring(int(window.winId()), press.activation_token if press else "")
        window.activate()
        window.field.setFocus()
        window.field.selectAll()
        QTimer.singleShot(0, self, self._look_around)  # shown first: the clipboard's owner may be slow
        self.visible_changed.emit(True)

    def hide(self, give_back: bool = True) -> None:
        """Draft and conversation are kept; the focus goes back to where it was."""
        window = self.window
        if not window.isVisible():
            return
        if give_back and window.isActiveWindow():
            self._previous.give_back()
        self._hidden_at = self._clock()
        window.hide()
        self.visible_changed.emit(False)

    def new(self) -> None:
        """Another conversation; what is being answered goes on in the list of chats."""
        self.talk.leave()
        self.window.show_talk(False)
        self.window.show_problem(None)

    # -- what the user does -------------------------------------------------------------------

    def _on_send(self) -> None:
        chosen = self.window.suggestions.selected
        if chosen is not None:
            self._on_suggestion(chosen)
        else:
            self._ask()

    def _ask(self, by_rule: bool = True) -> None:
        draft = self.window.draft()
        if not draft:
            return
        self.window.clear()
        self.window.show_problem(None)
        self.talk.send(draft, by_rule)
        self.window.show_talk(True)

    def _on_suggestion(self, suggestion: Suggestion) -> None:
        if suggestion.key == "answer":
            QGuiApplication.clipboard().setText(suggestion.value)
            self.window.footer.say(tr("Copied"))
        elif suggestion.key == "page":
            self.window.field.clear()
            self.hide(give_back=False)
            self.page_requested.emit(suggestion.value)
        else:
            self._ask(by_rule=suggestion.key == "offer")

    def _on_escape(self) -> None:
        """Stop comes before hide; a menu closes by itself before either."""
        if self.talk.is_busy:
            self.talk.stop()
        else:
            self.hide()

    def _on_window_wanted(self) -> None:
        """Open the same conversation, with what was typed, in the main window."""
        draft = self.window.draft()
        conversation_id = self.talk.leave()
        self.window.clear()
        self.window.show_talk(False)
        self.hide(give_back=False)
        self.window_requested.emit(conversation_id, draft)

    def _on_copy(self) -> None:
        if self._following.copy_answer():
            self.window.footer.say(tr("Copied"))

    def _on_new(self) -> None:
        self.new()
        self.window.field.setFocus()

    def _on_blurred(self) -> None:
        held = self.window.footer.pin.isChecked() or self.talk.is_busy or self._following.is_asking
        held = held or self.selected.is_open
        if not held and self._clock() - self._shown_at >= SETTLED_S:
            self.hide(give_back=False)

    def _on_text_changed(self) -> None:
        """Rules answer while it is typed; they are quick enough for the main thread."""
        text = self.window.field.toPlainText()
        found = self._answer(text) if text.strip() and not self.window.chips.attached else None
        self.window.suggestions.show_these(_suggestions(found))
        self.window.field.steps = found is not None

    # -- context ------------------------------------------------------------------------------

    def _look_around(self) -> None:
        wanted = self._settings.current.window.selected_text
        self.window.chips.show_lengths(*self._surroundings.lengths(wanted))
        self.window.fit()

    def _on_picking(self, picking: bool) -> None:
        """The window is not in the picture, and comes back whatever was marked."""
        self.hide(give_back=False) if picking else self.show()

    def _on_reading(self, reading: bool) -> None:
        self.window.chips.show_screen(self._surroundings.has_screen, reading)
        self.window.fit()

    def _on_selection_wanted(self) -> None:
        self._with_selection(lambda text: self._attach("selection", text))

    def _on_action_wanted(self, chosen: TextAction) -> None:
        self._with_selection(lambda text: self.selected.start(chosen, text))

    def _with_selection(self, use: Callable[[str], None]) -> None:
        """Where it has to be copied, the other program gets the focus for a moment."""
        around = self._surroundings

        def found(text: str) -> None:
            if text:
                use(text)
            else:
                self.window.footer.say(tr("Nothing was selected"))

        def copied(text: str) -> None:
            self.show()
            found(text)

        if not around.copies_selection:
            found(around.selection())
            return
        self.hide()
        around.copy_selection(copied, self._on_selection_refused)

    def _on_taken(self) -> None:
        """On the clipboard; what is selected there is replaced by the user's own paste."""
        self._previous.give_back()  # while one of our windows still has the focus to give
        self.hide(give_back=False)

    def _on_selection_refused(self, error: UserFacing) -> None:
        self.show()
        self.window.show_problem(error)

    def _attach(self, source: str, text: str) -> None:
        attached = self.window.chips.attach(source, text)
        if attached is not None:
            self._count(attached)
        self._on_text_changed()
        self.window.show_footer()
        self.window.field.setFocus()

    def _count(self, attachment: Attachment) -> None:
        """With the tokenizer of the loaded model, where one is loaded."""
        self._background.run(
            self._attacher.sized_anew,
            attachment,
            done=lambda counted: self.window.chips.show_counted(attachment, counted),
            failed=only_logged,  # the chip says that it is an estimate
        )

    def _text_viewer(self) -> TextViewer:
        """A window of this one, so that it does not go away under what was opened from it."""
        if self._viewer is None:
            self._viewer = TextViewer(self.window)
        return self._viewer

    # -- what comes ---------------------------------------------------------------------------

    def _on_ended(self, answer: Message) -> None:
        if not self.window.isVisible():
            self._unseen = True
            self._hidden_at = self._clock()
            line = " ".join(answer.text.split())
            text = line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
            title = tr("Steward has answered") if text else tr("Steward could not answer")
            self.finished_hidden.emit(title, text or tr("Open Quick-ask to see why."))
        self.window.show_footer()

    def _on_example(self, request: str) -> None:
        """Not sent: a name or a number in it is another one for whoever reads it."""
        self.window.field.setPlainText(request)
        self.window.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_refused(self, draft: Draft, error: UserFacing) -> None:
        """Not sent: it goes back into the field, unless something else was begun there."""
        if draft and not self.window.draft():
            self.window.field.setPlainText(draft.text)
            self.window.chips.put_back(draft.attachments)
        self.window.show_talk(bool(self.conversation_id))
        self.window.show_problem(error)

    def _on_loading(self, event: ModelLoading) -> None:
        self.window.show_waiting(tr("Loading model {share:.0%}", share=event.fraction))

    def _forget_old(self) -> None:
        """After a while a press means something new; an answer that nobody saw yet stays."""
        if self._clock() - self._hidden_at < KEPT_S or self._unseen or self.talk.is_busy:
            return
        self.window.clear()
        self.new()

    # -- connections --------------------------------------------------------------------------

    def _connect(self) -> None:
        window, talk, around = self.window, self.talk, self._surroundings
        window.send_wanted.connect(self._on_send)
        window.escape_pressed.connect(self._on_escape)
        window.window_wanted.connect(self._on_window_wanted)
        window.copy_wanted.connect(self._on_copy)
        window.new_wanted.connect(self._on_new)
        window.text_changed.connect(self._on_text_changed)
        window.blurred.connect(self._on_blurred)
        window.suggestions.chosen.connect(self._on_suggestion)
        window.chips.clipboard_wanted.connect(lambda: self._attach("clipboard", around.clipboard()))
        window.chips.selection_wanted.connect(self._on_selection_wanted)
        window.chips.action_wanted.connect(self._on_action_wanted)
        self.selected.taken.connect(self._on_taken)
        window.chips.screen_wanted.connect(around.pick)
        window.field.long_text_pasted.connect(lambda text: self._attach("", text))
        window.chips.unqueue_wanted.connect(talk.unqueue)
        window.chips.removed.connect(lambda _number: window.text_changed.emit())
        window.transcript.link_clicked.connect(open_link)
        self._opening.link_clicked.connect(open_link)
        self._opening.page_requested.connect(self.page_requested)
        window.transcript.regenerate_wanted.connect(lambda _id: talk.again())
        window.transcript.continue_wanted.connect(lambda _id: talk.go_on())
        window.transcript.maker.extensions_undone.connect(talk.undo_extensions)
        window.transcript.maker.example_wanted.connect(self._on_example)
        around.picking.connect(self._on_picking)
        around.reading.connect(self._on_reading)
        around.found.connect(lambda text: self._attach("screen", text))
        around.refused.connect(window.show_problem)
        talk.busy_changed.connect(window.show_busy)
        talk.queue_changed.connect(window.chips.show_queue)
        talk.refused.connect(self._on_refused)
        talk.turn_began.connect(self.turn_began)
        talk.turn_over.connect(self.turn_over)
        talk.ended.connect(self._on_ended)
        self._following.changed.connect(window.fit)

    def _listen(self, relay: Relay) -> None:
        relay.listen(ModelLoading, self._on_loading)
        for over in (ModelLoaded, ModelFailed, ModelUnloaded):
            relay.listen(over, lambda _event: self.window.show_waiting(""))


def _suggestions(found: RuleAnswer | None) -> tuple[Suggestion, ...]:
    """The rule's row and the model's; none where no rule knows."""
    if found is None:
        return ()
    ask = Suggestion("ask", "model", tr("Ask the model"), tr("Ask"))
    if found.page:
        return Suggestion("page", "settings", found.text, tr("Open"), found.page), ask
    if found.tool:
        return Suggestion("offer", "bell", found.text, tr("Set")), ask
    value = found.text.rpartition(" = ")[2] if found.rule is AnswerRule.SUM else found.text
    return Suggestion("answer", "check", found.text, tr("Copy"), value), ask


# -- a talk in the small window ----------------------------------------------------------------

# The conversation of Quick-ask: made with the first question; what is sent meanwhile waits its turn.


class ConversationFeed(Feed):
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
        self._transcript.set_failure(message_id, AnswerFailure(error, actions))
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


class OpenConversation(QObject):
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
        following: ConversationFeed,
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
