"""What would leave, before the first sentence of a chat goes to a model server: shown and agreed to."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from desktop.chat.destinations import Agreed
from desktop.chat.remote_turn import Leaving
from desktop.ui import theme
from desktop.ui.chat.destination import where_words
from desktop.ui.language import plural, tr
from desktop.ui.permission.dialog import ARM_MS, InputGuard
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.actions import ActionRow, button
from desktop.ui.widgets.buttons import CheckBox
from desktop.ui.widgets.details import DetailText
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import sized

WIDTH = 520
TEXT_HEIGHT = 72  # at least: at 200 % the rest needs the room of a small screen
ANSWERED_WITHIN_S = 600.0
LOOKS_EVERY_S = 0.2  # whether the turn was stopped


@dataclass(eq=False)
class SendQuestion:
    """One question and, once it is there, its answer; None is no."""

    leaving: Leaving
    answer: Agreed | None = None
    settled: threading.Event = field(default_factory=threading.Event)

    def settle(self, answer: Agreed | None) -> None:
        self.answer = answer
        self.settled.set()


class SendDialog(QDialog):
    """Shows host, what goes along with a tick each, and the very text. The focus is on not sending; sending
    takes a click after half a second. Main thread only."""

    answered = Signal(object)  # Agreed or None

    def __init__(self, leaving: Leaving, parent: QWidget | None = None, arm_ms: int = ARM_MS) -> None:
        super().__init__(parent)
        self._leaving = leaving
        server = leaving.server
        self.setObjectName("send_question")
        title = tr("Send this chat to {host}?", host=visible(server.shown))
        self.setWindowTitle(title)
        self.setMinimumWidth(theme.px(WIDTH))
        self._column = theme.space(QVBoxLayout(self), 8, (20, 16, 20, 16))
        self._say(title, "send_title", BODY_PX, bold=True)
        self._say(where_words(server), "send_where", SMALL_PX)
        model = tr("Model: {model}, of the server {name}", model=visible(server.model), name=server.name)
        self._say(model, "send_model", CAPTION_PX, colour="secondary")
        self._say(tr("What goes there"), "send_what", SMALL_PX, bold=True)
        self._say(
            tr("Steward's instructions and your questions in this chat, from now on"), "send_always", SMALL_PX
        )
        self._ticks()
        self.text = DetailText("send_text", tr("All of it, as it would be sent"))
        self.text.setPlainText(leaving.text)
        self._column.addWidget(sized(self.text, min_height=TEXT_HEIGHT), 1)
        stays = tr("Titles, summaries and every permission stay on this computer.")
        self._say(stays, "send_stays", CAPTION_PX, colour="secondary")
        self.send = button(tr("Send to {host}", host=visible(server.shown)), "send_yes", self._agree)
        self.no = button(tr("Do not send"), "send_no", lambda: self.answered.emit(None))
        self.send.setAutoDefault(False)
        self.no.setDefault(True)
        self._column.addLayout(ActionRow(self.send, self.no))
        self.no.setFocus(Qt.FocusReason.OtherFocusReason)
        self._ring = FocusRing(self)
        # A click that was meant for something else must not send anything.
        self._guard = InputGuard(self, arm_ms)
        self._guard.changed.connect(self.send.setEnabled)
        self._guard.watch()
        self.send.setEnabled(False)
        # Closing is no answer, and no answer is no.
        self.rejected.connect(lambda: self.answered.emit(None))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Lines that wrap make it taller than Qt takes it to be before it is shown.
        self.resize(self.width(), max(self.height(), self._column.totalHeightForWidth(self.width())))

    def _ticks(self) -> None:
        leaving = self._leaving
        earlier = plural(
            "{count} earlier message of this chat", "{count} earlier messages of this chat", leaving.earlier
        )
        self.history = self._tick(earlier, "send_history", bool(leaving.earlier), ticked=True)
        files = tr("Files: {names}", names=visible(", ".join(leaving.files)))
        if leaving.files:
            self._say(files, "send_files", CAPTION_PX, colour="secondary")
        self.tools = self._tick(
            tr("Its model may use tools on this computer"), "send_tools", leaving.tools, ticked=True
        )
        if leaving.tools:
            found = tr("What they find in {folder} goes there too.", folder=visible(leaving.folder))
            self._say(found, "send_folder", CAPTION_PX, colour="secondary")
        memory = tr("What is remembered about your questions")
        self.memory = self._tick(memory, "send_memory", leaving.memory, ticked=False)

    def _tick(self, words: str, name: str, offered: bool, ticked: bool) -> CheckBox:
        box = CheckBox(words, name)
        box.setChecked(ticked and offered)
        box.setVisible(offered)
        self._column.addWidget(box)
        return box

    def _say(self, words: str, name: str, size: float, **look: object) -> None:
        self._column.addWidget(Label(breakable(words), size, name=name, **look))  # type: ignore[arg-type]

    def _agree(self) -> None:
        keeps = self.history.isChecked() or not self._leaving.earlier
        since = 0 if keeps else self._leaving.question_id
        self.answered.emit(Agreed(self.memory.isChecked(), self.tools.isChecked(), since))


class SendQuestions(QObject):
    """Carries them to the main thread, one open at a time. `ask` on any other thread."""

    _asked = Signal(object)
    _withdrawn = Signal(object)

    def __init__(
        self, window: Callable[[], QWidget | None], is_wanted: Callable[[int], bool], arm_ms: int = ARM_MS
    ) -> None:
        """`window`: over which it is shown; `is_wanted`: whether the turn of a chat was not stopped."""
        super().__init__()
        self._window = window
        self._is_wanted = is_wanted
        self._arm_ms = arm_ms
        self._waiting: deque[SendQuestion] = deque()
        self._open: SendQuestion | None = None
        self.dialog: SendDialog | None = None
        self._is_closed = False
        self._asked.connect(self._on_asked, Qt.ConnectionType.QueuedConnection)
        self._withdrawn.connect(self._on_withdrawn, Qt.ConnectionType.QueuedConnection)

    def ask(self, leaving: Leaving) -> Agreed | None:
        """What the user agrees to; None for no, for nobody there, and for a turn that was stopped. Blocks."""
        question = SendQuestion(leaving)
        if self._is_closed:
            return None
        self._asked.emit(question)
        until = time.monotonic() + ANSWERED_WITHIN_S
        while not question.settled.wait(LOOKS_EVERY_S):
            if not self._is_wanted(leaving.conversation_id) or time.monotonic() >= until:
                self._withdrawn.emit(question)
                return None
        return question.answer

    def close(self) -> None:
        """Nothing is agreed to any more. Main thread."""
        self._is_closed = True
        for question in (*self._waiting, *((self._open,) if self._open else ())):
            question.settle(None)
        self._waiting.clear()
        self._drop()

    def _on_asked(self, question: SendQuestion) -> None:
        if self._is_closed:
            question.settle(None)
            return
        self._waiting.append(question)
        self._show_next()

    def _on_withdrawn(self, question: SendQuestion) -> None:
        if question in self._waiting:
            self._waiting.remove(question)
        elif question is self._open:
            self._drop()
            self._show_next()

    def _show_next(self) -> None:
        if self._open is not None or not self._waiting:
            return
        self._open = self._waiting.popleft()
        self.dialog = SendDialog(self._open.leaving, self._window(), self._arm_ms)
        self.dialog.answered.connect(self._on_answered)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def _on_answered(self, answer: Agreed | None) -> None:
        if self._open is None:
            return
        self._open.settle(answer)
        self._drop()
        # Not at once: the next one must not appear under the same click.
        QTimer.singleShot(0, self, self._show_next)

    def _drop(self) -> None:
        self._open = None
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            dialog.hide()
            dialog.deleteLater()
