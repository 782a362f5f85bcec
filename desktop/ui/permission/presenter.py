"""Which question is shown when: over its window if the user is there, else announced and kept until then."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop.asking import Answer, Question
from desktop.qt.asker import Prompt, QtAsker
from desktop.ui.permission.dialog import ARM_MS, PermissionDialog
from desktop.ui.permission.queue import Entry


class PermissionPresenter(QObject):
    """Draws the questions of a `QtAsker`: one is open, and beside it stand all that wait. Main thread only.

    `window` gives the window that a chat's question belongs to, or None while there is none. Its question
    opens when that window is active. Until then `attention_wanted` says once, for the tray and a
    notification, that somebody waits, and `entry_changed` gives the question that belongs at the top of the
    chat, or None. An agent's question opens at once in a window of its own; those that come while one is
    open stand in its list, and are announced where nobody looks at it.
    """

    attention_wanted = Signal(object)  # Question
    entry_changed = Signal(object)  # Question or None
    waiting_changed = Signal(int)  # how many questions wait, shown or not

    def __init__(
        self,
        asker: QtAsker,
        window: Callable[[Question], QWidget | None],
        parent: QObject | None = None,
        arm_ms: int = ARM_MS,
    ) -> None:
        super().__init__(parent)
        self._asker = asker
        self._window = window
        self._arm_ms = arm_ms
        self._dialog: PermissionDialog | None = None
        self._open_prompt: Prompt | None = None
        self._opened: list[Prompt] = []  # what the user has seen
        self._announced: list[Question] = []
        self._entry: Question | None = None
        asker.current_changed.connect(self._on_current_changed)
        asker.waiting_changed.connect(self._on_waiting_changed)
        asker.ticked.connect(self._on_ticked)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        # Queued: when it is emitted the widgets do not know yet which window is active.
        app.focusWindowChanged.connect(self._on_focus_window_changed, Qt.ConnectionType.QueuedConnection)

    @property
    def dialog(self) -> PermissionDialog | None:
        """The one that is shown."""
        return self._dialog

    def come(self) -> None:
        """The user clicked the entry or the notification: bring the window, and the question with it."""
        prompt = self._asker.current
        if self._dialog is not None:
            self._dialog.raise_()
            self._dialog.activateWindow()
        elif prompt is not None:
            window = self._window(prompt.question)
            self._bring(window)
            self._show_current(here=window)

    def close(self) -> None:
        """Take the dialog away; the questions are the asker's to cancel."""
        self._drop_dialog()
        self._set_entry(None)

    # -- what the asker says ------------------------------------------------------------------

    def _on_current_changed(self, _prompt: Prompt | None) -> None:
        dialog, prompt = self._dialog, self._asker.current
        if dialog is not None and prompt is not None and self._belongs_in(dialog, prompt.question):
            dialog.show_question(prompt.question)
            self._show_in(dialog, prompt)
            return
        # The window below becomes active again only after the dialog has gone.
        answering = dialog is not None and dialog.isActiveWindow()
        here = dialog.parentWidget() if dialog is not None and answering else None
        self._drop_dialog()
        self._show_current(here)
        if answering and self._dialog is not None:
            self._dialog.activateWindow()  # who answers one of a queue goes on with the next, armed anew

    def _on_waiting_changed(self) -> None:
        pending = self._asker.pending
        self._announced = [known for known in self._announced if known in pending]
        self._list()
        self._announce(pending)
        self.waiting_changed.emit(len(pending))

    def _announce(self, pending: Iterable[Question]) -> None:
        """What has come behind an open question that nobody looks at."""
        dialog = self._dialog
        for question in pending:
            if dialog is None or question is dialog.question or question in self._announced:
                continue
            self._announced.append(question)
            if not dialog.isActiveWindow():
                self.attention_wanted.emit(question)

    def _on_ticked(self, left_s: float | None) -> None:
        if self._dialog is not None:
            self._dialog.set_left(left_s)
            self._list()

    def _list(self) -> None:
        """All that wait, with their clocks, beside the one that is open."""
        if self._dialog is None or self._open_prompt is not self._asker.current:
            return
        prompts = self._asker.prompts
        self._opened = [prompt for prompt in self._opened if prompt in prompts]
        self._dialog.set_queue(
            [
                Entry(prompt.question, self._asker.left_of(prompt), is_new=prompt not in self._opened)
                for prompt in prompts
            ]
        )

    def _on_chosen(self, question: Question) -> None:
        """The user picked another one of the list."""
        chosen = next((each for each in self._asker.prompts if each.question is question), None)
        if chosen is None:
            return
        window = None if question.origin.is_agent else self._window(question)
        if window is not None:
            self._bring(window)
        self._asker.choose(chosen)
        if self._dialog is None and window is not None:
            self._set_entry(None)
            self._open(chosen, window)

    def _on_focus_window_changed(self) -> None:
        if self._entry is not None:
            self._show_current()

    # -- showing ------------------------------------------------------------------------------

    def _show_current(self, here: QWidget | None = None) -> None:
        """`here` is a window at which the user is known to be."""
        prompt = self._asker.current
        if prompt is None or self._dialog is not None:
            self._set_entry(None)
            return
        question = prompt.question
        if question.origin.is_agent:
            self._set_entry(None)
            self._open(prompt, None)
            return
        window = self._window(question)
        if window is not None and window.isVisible() and (window is here or window.isActiveWindow()):
            self._set_entry(None)
            self._open(prompt, window)
        else:
            self._wait_for_the_user(question)

    def _wait_for_the_user(self, question: Question) -> None:
        self._set_entry(question)
        if question not in self._announced:
            self._announced.append(question)
            self.attention_wanted.emit(question)

    def _set_entry(self, question: Question | None) -> None:
        if question is not self._entry:
            self._entry = question
            self.entry_changed.emit(question)

    def _open(self, prompt: Prompt, window: QWidget | None) -> None:
        dialog = PermissionDialog(prompt.question, window, self._arm_ms)
        self._dialog = dialog
        dialog.answered.connect(self._on_answered)
        dialog.deny_all_requested.connect(self._asker.deny_all)
        dialog.attended_changed.connect(self._on_attended)
        dialog.chosen.connect(self._on_chosen)
        self._asker.set_listed(True)
        self._show_in(dialog, prompt)
        dialog.ask()

    def _show_in(self, dialog: PermissionDialog, prompt: Prompt) -> None:
        self._open_prompt = prompt
        self._opened.append(prompt)
        self._asker.mark_shown(prompt)
        self._asker.set_attended(prompt, dialog.attention.is_there)
        dialog.set_left(self._asker.seconds_left)
        self._list()

    def _belongs_in(self, dialog: PermissionDialog, question: Question) -> bool:
        """Whether it can be shown where the one before was."""
        if not dialog.isVisible():
            return False
        window = None if question.origin.is_agent else self._window(question)
        return dialog.parentWidget() is window and (window is not None or question.origin.is_agent)

    def _on_answered(self, answer: Answer) -> None:
        if self._open_prompt is not None:
            self._asker.answer(self._open_prompt, answer)

    def _on_attended(self, attended: bool) -> None:
        if self._open_prompt is not None:
            self._asker.set_attended(self._open_prompt, attended)

    def _drop_dialog(self) -> None:
        dialog, self._dialog = self._dialog, None
        self._open_prompt = None
        if dialog is not None:
            self._asker.set_listed(False)
            dialog.dismiss()
            dialog.deleteLater()

    def _bring(self, window: QWidget | None) -> None:
        if window is not None:
            window.show()
            window.raise_()
            window.activateWindow()
