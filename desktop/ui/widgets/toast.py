"""A short message at the bottom of the window with one thing to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from desktop.errors import UserFacing
from desktop.ui import theme
from desktop.ui.language import error_words
from desktop.ui.theme import SMALL_PX

SHOWN_MS = 8_000


class Toast(QFrame):
    """Stays for eight seconds, longer while the pointer or the focus is on it. Takes no focus."""

    def __init__(self, parent: QWidget, above: QWidget | None = None) -> None:
        """`above`: what it leaves free at the lower edge, such as the box in which is written."""
        super().__init__(parent)
        self._above = above
        self._act: Callable[[], None] | None = None
        self.setObjectName("toast")
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.button = QPushButton(self)
        self.button.setObjectName("toast_action")
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(self._on_clicked)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self.label, 1)
        self._row.addWidget(self.button)
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self._on_time)
        self.hide()

    def offer(self, words: str, label: str = "", act: Callable[[], None] | None = None) -> None:
        """Show `words` and, with a label, a button that does `act`."""
        self._act = act
        self.label.setText(words)
        self.label.setFont(theme.font(SMALL_PX))
        self.button.setFont(theme.font(SMALL_PX))
        self.button.setText(label)
        self.button.setAccessibleName(label)
        self.button.setVisible(bool(label))
        self.place()
        self.show()
        self.raise_()
        self._timer.start()

    def refuse(self, error: Exception) -> None:
        """Show why it was refused. Anything else is raised: a bug."""
        if not isinstance(error, UserFacing):
            raise error
        self.offer(error_words(error))

    def place(self) -> None:
        """Centred near the lower edge of the parent, or above what it is to leave free there."""
        parent = self.parentWidget()
        assert parent is not None
        bottom = parent.height() - theme.px(24)
        if self._above is not None and self._above.isVisible():
            bottom = min(bottom, self._above.y() - theme.px(12))
        self._row.setContentsMargins(theme.sides(self, theme.px(16), theme.px(8), theme.px(8), theme.px(8)))
        width, height = self._size_within(parent.width() - theme.px(32))
        self.setGeometry((parent.width() - width) // 2, max(bottom - height, 0), width, height)

    def _size_within(self, widest: int) -> tuple[int, int]:
        """One line where there is room for it; else the words wrap beside the button."""
        button = self.button.sizeHint() if not self.button.isHidden() else QSize(0, 0)
        around = button.width() + self._row.spacing() + theme.px(16) + theme.px(8)
        words = self.label.fontMetrics().horizontalAdvance(self.label.text()) + theme.px(8)
        width = min(words + around, widest)
        edges = self.height() - self.contentsRect().height()
        tall = max(self.label.heightForWidth(width - around - edges), button.height())
        return width, tall + 2 * theme.px(8) + edges

    def _on_time(self) -> None:
        if self.underMouse() or self.button.hasFocus():
            self._timer.start()
        else:
            self.hide()

    def _on_clicked(self) -> None:
        self.hide()
        if self._act is not None:
            self._act()
