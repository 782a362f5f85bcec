"""A small window with a table of facts: what fills the context, how long the latest answer took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label, paint_meter
from desktop.ui.widgets.layout import clear


@dataclass(frozen=True)
class Fact:
    """`share` of the whole, 0 to 1, is drawn as a bar; None: none is."""

    name: str
    value: str
    share: float | None = None
    strong: bool = False


class FactsDialog(QDialog):
    """A dialog that is not modal; shown again with other facts. Main thread only."""

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self._title = Label(title, bold=True, name=f"{name}_title")
        self._words = Label("", SMALL_PX, colour="secondary", name=f"{name}_words")
        self._grid = QGridLayout()
        self._buttons = QHBoxLayout()
        outer = QVBoxLayout(self)
        margin = theme.px(20)
        outer.setContentsMargins(margin, margin, margin, margin)
        outer.setSpacing(theme.px(12))
        outer.addWidget(self._title)
        outer.addWidget(self._words)
        outer.addLayout(self._grid)
        outer.addStretch(1)
        outer.addLayout(self._buttons)
        self._buttons.addStretch(1)
        self.close_button = button(tr("Close"), f"{name}_close")
        self.close_button.clicked.connect(self.close)
        self._buttons.addWidget(self.close_button)
        self._grid.setHorizontalSpacing(theme.px(16))
        self._grid.setVerticalSpacing(theme.px(6))
        self._grid.setColumnStretch(0, 1)
        self.setMinimumWidth(theme.px(400))
        self._ring = FocusRing(self)

    def add_button(self, words: str, name: str, act: Callable[[], object]) -> None:
        """One more, before Close."""
        made = button(words, name, act)
        self._buttons.insertWidget(self._buttons.count() - 1, made)

    def show_facts(self, facts: Sequence[Fact], words: str = "") -> None:
        """Replace what is shown, and show it."""
        clear(self._grid)
        for row, fact in enumerate(facts):
            self._add(row, fact)
        self._words.show_text(words)
        self.setAccessibleDescription("; ".join(f"{fact.name}: {fact.value}" for fact in facts))

    def _add(self, row: int, fact: Fact) -> None:
        name = Label(fact.name, SMALL_PX, bold=fact.strong)
        value = Label(fact.value, SMALL_PX, bold=fact.strong)
        # Qt otherwise squeezes rows of a grid below the height of their letters.
        for label in (name, value):  # a low screen takes from the distances, not from the words
            label.setWordWrap(False)  # one that wraps asks for two lines before it knows how wide it is
            label.setMinimumHeight(label.sizeHint().height())
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(name, row, 0)
        if fact.share is not None:
            self._grid.addWidget(_Bar(fact.share), row, 1)
        self._grid.addWidget(value, row, 2)


class _Bar(QWidget):
    """How much of the whole; says nothing that the number beside it does not."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = min(max(share, 0.0), 1.0)
        self.setFixedSize(theme.px(96), theme.px(CAPTION_PX))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_meter(painter, 0, self.height() // 2, self.width(), self._share, "secondary")
        painter.end()


LONGEST_SHOWN = 500_000  # characters; what is beyond is said, and copied all the same


class TextViewer(QDialog):
    """Plain text, read-only, never interpreted. Not modal; main thread only."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self.setObjectName("text_viewer")
        self.title = Label("", bold=True, name="text_viewer_title")
        self.words = Label("", SMALL_PX, colour="secondary", name="text_viewer_words")
        self.box = QPlainTextEdit()
        self.box.setObjectName("text_viewer_text")
        self.box.setReadOnly(True)
        self.box.setTabChangesFocus(True)
        copy = button(tr("Copy"), "text_viewer_copy", described=tr("Copy the whole text"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._text))
        close = button(tr("Close"), "text_viewer_close")
        close.clicked.connect(self.close)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(copy)
        row.addWidget(close)
        outer = QVBoxLayout(self)
        margin = theme.px(16)
        outer.setContentsMargins(margin, margin, margin, margin)
        for part in (self.title, self.words):
            outer.addWidget(part)
        outer.addWidget(self.box, 1)
        outer.addLayout(row)
        self._ring = FocusRing(self)
        self.resize(theme.px(680), theme.px(520))

    def show_text(self, title: str, text: str, words: str = "", line: int = 0) -> None:
        """Show `text` under `title`; `words` say what it is, `line`, from 1, where to look first."""
        self._text = text
        self.setWindowTitle(title)
        self.title.setText(title)
        # A plain text box lays out every line before it shows the first.
        if len(text) > LONGEST_SHOWN:
            count = len(text) - LONGEST_SHOWN
            more = tr("{count:,} characters at the end are not shown; Copy takes all of it.", count=count)
            words = f"{words} {more}".strip()
        self.words.show_text(words)
        self.box.setPlainText(text[:LONGEST_SHOWN])
        self.box.setAccessibleName(title)
        self.show()
        self.raise_()
        self.activateWindow()
        self.box.setFocus()
        self._go_to(line)

    def _go_to(self, line: int) -> None:
        block = self.box.document().findBlockByNumber(line - 1)
        if not block.isValid():  # line 0, or the file has become shorter
            return
        cursor = QTextCursor(block)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        self.box.setTextCursor(cursor)
        self.box.centerCursor()
