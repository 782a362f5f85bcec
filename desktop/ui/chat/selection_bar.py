"""The small bar at a selection: rewrite, shorten, translate, explain; and the window with what came of it.

What a message says cannot be changed: there the result can be copied or put into the message box. In the
message box it takes the place of the selection, after the difference was seen. Main thread only.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.chat.text_actions import TextAction, begin, result_of
from desktop.engine.engine import Engine
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.ui import theme
from desktop.ui.chat.rich_text import ProseView
from desktop.ui.language import error_words, language_in_use, tr, tr_noop
from desktop.ui.permission.shown_text import ShownText, read_change
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import action, button
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import named

if TYPE_CHECKING:
    from desktop.engine.requests import Stream

SETTLED_MS = 250  # after the selection changed last
WORDS = {
    TextAction.REWRITE: tr_noop("Rewrite"),
    TextAction.SHORTEN: tr_noop("Shorten"),
    TextAction.TRANSLATE: tr_noop("Translate"),
    TextAction.EXPLAIN: tr_noop("Explain"),
}

Text = QTextEdit | QPlainTextEdit


class SelectionBar(QFrame):
    """Appears at what is selected in `home`, and goes with the selection. Takes no focus by itself."""

    def __init__(self, home: QWidget, chosen: Callable[[TextAction, Text], None]) -> None:
        super().__init__(home)
        self._chosen = chosen
        self._text: Text | None = None
        named(self, "selection_bar", tr("What to do with the selected text"))
        row = QHBoxLayout(self)
        margin = theme.px(4)
        row.setContentsMargins(margin, margin, margin, margin)
        row.setSpacing(margin)
        self.buttons = [
            action(tr(words), f"selection_{each.value}", partial(self._choose, each))
            for each, words in WORDS.items()
        ]
        for made in self.buttons:
            # A click must leave the selection where it is.
            made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(made)
        self._timer = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._timer.timeout.connect(self._look)
        self.hide()
        # One connection to the text in use, and none to the hundreds that only show something.
        QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]  # there is one

    def focus(self) -> bool:
        """Give the keyboard to the bar; False where nothing is selected."""
        self._look()
        if self.isHidden():
            return False
        self.buttons[0].setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def event(self, event: QEvent) -> bool:
        # Esc would stop an answer, by a key of the window, before it came here.
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            event.setAccepted(event.key() == Qt.Key.Key_Escape)
            return event.isAccepted()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._text is not None:
            self._text.setFocus(Qt.FocusReason.OtherFocusReason)
            self.hide()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.focusNextPrevChild((event.key() == Qt.Key.Key_Right) != self.isRightToLeft())
        else:
            super().keyPressEvent(event)

    def _on_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is self._text or (new is not None and self.isAncestorOf(new)):
            return
        if self._text is not None:
            self._text.selectionChanged.disconnect(self._on_changed)
            self._text.destroyed.disconnect(self._on_gone)
            self._text = None
        home = self.parentWidget()
        if isinstance(new, QTextEdit | QPlainTextEdit) and home is not None and home.isAncestorOf(new):
            self._text = new
            new.selectionChanged.connect(self._on_changed)
            new.destroyed.connect(self._on_gone)
        self._on_changed()

    def _on_gone(self) -> None:
        self._text = None
        self.hide()

    def _on_changed(self) -> None:
        if self._text is None or not self._text.textCursor().hasSelection():
            self._timer.stop()
            self.hide()
        else:
            self._timer.start()

    def _look(self) -> None:
        # While the mouse still drags, the bar would be in its way.
        if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._timer.start()
            return
        if self._text is None or not selected_in(self._text).strip():
            self.hide()
            return
        self._place(self._text)
        self.show()
        self.raise_()

    def _place(self, text: Text) -> None:
        """Above the beginning of the selection, or below its end where there is no room."""
        home = self.parentWidget()
        assert home is not None
        self.adjustSize()
        cursor = text.textCursor()
        first, last = _caret(text, cursor.selectionStart()), _caret(text, cursor.selectionEnd())
        gap = theme.px(6)
        below = text.viewport().mapTo(home, last.bottomLeft()) + QPoint(0, gap)
        above = text.viewport().mapTo(home, first.topLeft()) - QPoint(0, gap + self.height())
        frame = text.parentWidget()
        if text.property("ring_on_parent") and frame is not None:
            above.setY(frame.mapTo(home, QPoint(0, -gap - self.height())).y())  # clear of the ring around it
        at = above if above.y() >= gap else below
        room = home.rect().adjusted(gap, gap, -gap - self.width(), -gap - self.height())
        self.move(
            min(max(at.x(), room.left()), max(room.right(), room.left())),
            min(max(at.y(), room.top()), max(room.bottom(), room.top())),
        )

    def _choose(self, chosen: TextAction) -> None:
        text = self._text
        self.hide()
        if text is not None:
            text.setFocus(Qt.FocusReason.OtherFocusReason)
            self._chosen(chosen, text)


def _caret(text: Text, position: int) -> QRect:
    cursor = QTextCursor(text.document())
    cursor.setPosition(position)
    return text.cursorRect(cursor)


def selected_in(text: Text) -> str:
    """What is selected, formulas as they were written."""
    if isinstance(text, ProseView):
        return text.selected_text()
    return text.textCursor().selectedText().replace("\u2029", "\n").replace("\u2028", "\n")


class SelectionActions:
    """Asks the model about what is selected and shows what it says. Main thread only."""

    def __init__(self, home: QWidget, engine: Engine, background: Background, box: QPlainTextEdit) -> None:
        """`box` is where the user writes: the one text of which a part can be replaced."""
        self._home = home
        self._engine = engine
        self._background = background
        self._box = box
        self.bar = SelectionBar(home, self._start)
        self.window: ResultWindow | None = None

    def _start(self, chosen: TextAction, text: Text) -> None:
        if self.window is not None:
            self.window.close()
        cursor = QTextCursor(text.textCursor()) if text is self._box else None
        self.window = window = ResultWindow(chosen, selected_in(text), cursor, self._box, self._home)
        window.open_beside()
        try:
            window.stream = begin(self._engine, chosen, window.text, language_in_use())
        except UserFacing as error:
            window.refuse(error)
            return
        self._background.run(
            result_of, window.stream, window.text, done=window.show_result, failed=window.refuse
        )


class ResultWindow(QDialog):
    """What the model made of a text, beside what was there, and what to do with it. Not modal."""

    def __init__(
        self,
        chosen: TextAction,
        text: str,
        cursor: QTextCursor | None,
        box: QPlainTextEdit,
        home: QWidget,
        take_along: Callable[[str], None] | None = None,
    ) -> None:
        """`cursor`: the selection in `box` that may be replaced; None where the text is a message's.
        `take_along` takes the result to the program that the text came from, None for a text of ours."""
        super().__init__(home.window())
        self.text = text
        self.stream: Stream | None = None
        self.written = ""
        self._home = home
        self._chosen = chosen
        self._cursor = cursor
        self._box = box
        self._take_along = take_along
        title = tr(WORDS[chosen])
        self.setObjectName("text_result")
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        self.state = Label(tr("Writing…"), SMALL_PX, colour="secondary", name="text_result_state")
        self.shown = ShownText("text_result_text", tr("The result"))
        self.shown.hide()
        can_replace = cursor is not None and chosen is not TextAction.EXPLAIN
        words = tr("Replace") if can_replace else tr("Put into the message box")
        if take_along is not None:
            words = tr("Copy and go back")
        self.take = button(words, "text_result_take", self._take)
        self.copy = button(tr("Copy"), "text_result_copy", self._copy)
        self.leave = button(tr("Close"), "text_result_close", self.close)
        row = QHBoxLayout()
        row.addStretch(1)
        for made in (self.take, self.copy, self.leave):
            row.addWidget(made)
        for made in (self.take, self.copy):
            made.setEnabled(False)
        outer = QVBoxLayout(self)
        margin = theme.px(20)
        outer.setContentsMargins(margin, margin, margin, margin)
        outer.setSpacing(theme.px(12))
        outer.addWidget(Label(title, bold=True, name="text_result_title"))
        outer.addWidget(self.state)
        outer.addWidget(self.shown, 1)
        outer.addLayout(row)
        self._can_replace = can_replace
        self.finished.connect(self._on_finished)
        self.ring = FocusRing(self)

    def open_beside(self) -> None:
        """Show it; the text behind stays usable."""
        self.setMinimumWidth(min(theme.px(520), self._home.window().width()))
        self.show()
        self.leave.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_result(self, result: str) -> None:
        """The end of the wait; "" where it was given up."""
        if not result:
            return
        self.written = result
        self.setAccessibleDescription(result)
        if result == self.text:
            self.state.show_text(tr("The text is as it was."))
            self.adjustSize()
            return  # no empty box, and nothing to put anywhere
        self.shown.show()
        if self._chosen.gives_same_text:
            diff = difflib.unified_diff(self.text.splitlines(), result.splitlines(), lineterm="", n=100)
            # Without the head of a diff, which names files.
            self.shown.show_change([line for line in read_change("\n".join(diff)) if line.mark])
        else:
            self.shown.show_prose(result)
        self.shown.fit(self.width() - theme.px(40))
        self.state.show_text("")
        self.take.setEnabled(True)
        self.copy.setEnabled(True)
        self.adjustSize()

    def refuse(self, error: Exception) -> None:
        """Why nothing came of it. Anything but a UserFacing is a bug, and raised."""
        if not isinstance(error, UserFacing):
            raise error
        self.state.show_text(error_words(error))
        self.setAccessibleDescription(self.state.text())

    def _take(self) -> None:
        if self._take_along is not None:
            self.close()
            self._take_along(self.written)
            return
        if not self._can_replace or self._cursor is None:
            self._put_in()
        elif self._cursor.selectedText().replace("\u2029", "\n") != self.text:
            # It was typed on meanwhile: what stands there now was not what the model read.
            self.state.show_text(tr("The text was changed in the meantime. Nothing was replaced."))
            self.take.setEnabled(False)
            return
        else:
            self._cursor.insertText(self.written)  # one step, which Ctrl+Z takes back
        self.close()
        self._box.setFocus(Qt.FocusReason.OtherFocusReason)

    def _put_in(self) -> None:
        """Into the message box; behind what is selected there, of whose replacement nothing was said."""
        cursor = self._box.textCursor()
        if cursor.hasSelection():
            cursor.setPosition(cursor.selectionEnd())
            following = "" if cursor.atBlockEnd() else "\n\n"
            cursor.insertText(f"\n\n{self.written}{following}")
        else:
            cursor.insertText(self.written)
        self._box.setTextCursor(cursor)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.written)
        self.state.show_text(tr("Copied"))

    def _on_finished(self) -> None:
        if self.stream is not None:
            self.stream.cancel()
