"""What would leave, before the first sentence of a chat goes to a model server: shown and agreed to."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.chat.destinations import Agreed
from desktop.chat.remote_turn import OutgoingText
from desktop.ui import theme
from desktop.ui.chat.destination import where_words
from desktop.ui.language import plural, tr, without_mark
from desktop.ui.permission.dialog import ARM_MS
from desktop.ui.permission.judgement import TITLE_PX
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.question_dialog import QuestionDialog, QuestionQueue
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import BOX_PX, GAP_PX, ActionRow, CheckBox, action, button
from desktop.ui.widgets.details import ReadText
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import AROUND, ScrollColumn, inset, sized

WIDTH = 520
APART_PX = 6
TEXT_HEIGHT = 72  # at least
LEAST_ABOVE = 72  # of what stands above the text, which scrolls on a low screen
ANSWERED_WITHIN_S = 600.0


class _Above(ScrollColumn):
    """What stands above the text: as high as it is where there is room, and scrolled where there is not."""

    def __init__(self) -> None:
        super().__init__("send_above")
        margins = self.body.contentsMargins()
        self.body.setContentsMargins(AROUND, 0, margins.right(), 0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.body.totalHeightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self.sizeHint().height(), theme.px(LEAST_ABOVE)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()  # its lines wrap in other places


class SendDialog(QuestionDialog):
    """Shows host, what goes along with a tick each, and the very text; its answer is what is agreed to."""

    def __init__(self, leaving: OutgoingText, parent: QWidget | None = None, arm_ms: int = ARM_MS) -> None:
        server = leaving.server
        title = tr("Send this chat to {host}?", host=visible(server.shown))
        super().__init__("send_question", title, WIDTH, parent)
        self._leaving = leaving
        self._above = _Above()
        self.column.addWidget(self._above)
        self._say(title, "send_title", TITLE_PX, bold=True)
        self._say(where_words(server), "send_where", SMALL_PX)
        model = tr("Model: {model}, of the server {name}", model=visible(server.model), name=server.name)
        self._say(model, "send_model", CAPTION_PX, colour="secondary")
        self._say(tr("What goes there"), "send_what", SMALL_PX, apart=True, bold=True)
        self._say(
            tr("Steward's instructions and your questions in this chat, from now on"), "send_always", SMALL_PX
        )
        self._ticks()
        self._add_text()
        stays = breakable(tr("Titles, summaries and every permission stay on this computer."))
        self.column.addWidget(Label(stays, CAPTION_PX, colour="secondary", name="send_stays"))
        self.send = button(tr("Send to {host}", host=visible(server.shown)), "send_yes", self._agree)
        self.no = button(tr("Do not send"), "send_no", lambda: self.answered.emit(None))
        self.column.addLayout(ActionRow(self.no, self.send))
        self.guard((self.send,), self.no, arm_ms, self.text)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Lines that wrap make it taller than Qt takes it to be before it is shown.
        wanted = self.column.totalHeightForWidth(self.width()) + theme.px(TEXT_HEIGHT)
        room = self.screen().availableGeometry().height()
        self.resize(self.width(), min(max(self.height(), wanted), room))

    def _add_text(self) -> None:
        """All of it in a box that scrolls; where it does, its end is read before anything is sent."""
        self._caption = Label("", SMALL_PX, bold=True, name="send_text_label")
        self.column.addLayout(inset(self._caption, top=APART_PX))
        self.text = ReadText("send_text", "")
        self.text.setPlainText(self._leaving.text)
        # What is above keeps its height as long as the text has its least.
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.column.addWidget(sized(self.text, min_height=TEXT_HEIGHT), 1)
        self.hint = Label(
            tr("To send it, read to the end."), SMALL_PX, colour="secondary", name="send_read_hint"
        )
        self.hint.setWordWrap(False)
        self.more = action(tr("&Read on"), "send_more", self.text.read_on, described=tr("Read on"))
        self.more.setAutoDefault(False)
        self.column.addLayout(ActionRow(self.hint, self.more))
        self.text.seen.connect(self._on_seen)
        for box in (self.history, self.memory):
            box.toggled.connect(lambda _on: self._name_text())
        self._name_text()

    def _on_seen(self) -> None:
        self.more.hide()
        self.hint.hide()

    def _name_text(self) -> None:
        """What of the text below goes, as it is ticked."""
        words = tr("All of it, as it would be sent")
        if self._leaving.earlier and not self.history.isChecked():
            words = tr("All of it; the earlier messages in it stay here")
        elif self.memory.isChecked():
            words = tr("As it would be sent, before what is remembered is added")
        self._caption.setText(words)
        self.text.setAccessibleName(words)

    def _ticks(self) -> None:
        leaving = self._leaving
        earlier = plural(
            "{count} earlier message of this chat", "{count} earlier messages of this chat", leaving.earlier
        )
        self.history = self._tick(earlier, "send_history", bool(leaving.earlier), ticked=True)
        files = tr("Files: {names}", names=visible(", ".join(leaving.files)))
        if leaving.files:
            self._say(files, "send_files", CAPTION_PX, of_tick=bool(leaving.earlier), colour="secondary")
        self.tools = self._tick(
            tr("Its model may use tools on this computer"), "send_tools", leaving.tools, ticked=True
        )
        if leaving.tools:
            found = tr("What they find in {folder} goes there too.", folder=visible(leaving.folder))
            self._say(found, "send_folder", CAPTION_PX, of_tick=True, colour="secondary")
        memory = tr("What is remembered about your questions")
        self.memory = self._tick(memory, "send_memory", leaving.memory, ticked=False)
        if leaving.memory:
            kept = tr("Passwords, PINs and codes in it stay here.")
            self._say(kept, "send_secrets", CAPTION_PX, of_tick=True, colour="secondary")

    def _tick(self, words: str, name: str, offered: bool, ticked: bool) -> CheckBox:
        box = CheckBox(words, name)
        box.setChecked(ticked and offered)
        box.setVisible(offered)
        self._above.body.addWidget(box)
        return box

    def _say(
        self, words: str, name: str, size: float, of_tick: bool = False, apart: bool = False, **look: object
    ) -> None:
        """`of_tick`: below the words of the box that it belongs to; `apart`: it begins something else."""
        shown = breakable(without_mark(words))
        label = Label(shown, size, name=name, **look)  # type: ignore[arg-type]
        left, top = BOX_PX + GAP_PX if of_tick else 0, APART_PX if apart else 0
        self._above.body.addLayout(inset(label, left, top))

    def _agree(self) -> None:
        keeps = self.history.isChecked() or not self._leaving.earlier
        since = 0 if keeps else self._leaving.question_id
        self.answered.emit(Agreed(self.memory.isChecked(), self.tools.isChecked(), since))


class SendQuestions(QuestionQueue[OutgoingText, Agreed]):
    """The questions of all chats. `ask` on any thread but the main one."""

    def __init__(
        self, window: Callable[[], QWidget | None], is_wanted: Callable[[int], bool], arm_ms: int = ARM_MS
    ) -> None:
        """`window`: over which it is shown; `is_wanted`: whether the turn of a chat was not stopped."""
        super().__init__(ANSWERED_WITHIN_S)
        self._window = window
        self._is_wanted = is_wanted
        self._arm_ms = arm_ms

    def ask(self, leaving: OutgoingText) -> Agreed | None:
        """What the user agrees to; None for no, for nobody there, and for a turn that was stopped. Blocks."""
        return self.wait(leaving, lambda: self._is_wanted(leaving.conversation_id))

    def make_dialog(self, asked: OutgoingText) -> SendDialog:
        return SendDialog(asked, self._window(), self._arm_ms)

    def present(self, dialog: QuestionDialog, asked: OutgoingText) -> None:
        super().present(dialog, asked)
        # The chat that asks is where the user is.
        dialog.raise_()
        dialog.activateWindow()
