"""A question in the place where it arose: never a window, never modal."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout

from desktop.ui import theme
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.labels import Label, button
from desktop.ui.widgets.layout import FlowLayout
from desktop.ui.widgets.rows import small


class Confirm(QFrame):
    """Hidden until `ask`. The answer that changes nothing stands first, has the focus, and is Esc."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._act: Callable[[], None] = lambda: None
        self._refused: Callable[[], None] = lambda: None
        self.setObjectName(name)
        self.setProperty("confirm", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = Label("", SMALL_PX, name=f"{name}_words")
        self.no = button("", f"{name}_no")
        self.yes = button("", f"{name}_yes")
        self.yes.setProperty("danger", True)
        self.no.clicked.connect(lambda _checked: self.answer(False))
        self.yes.clicked.connect(lambda _checked: self.answer(True))
        for each in (self.no, self.yes):
            small(each)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.words)
        row = FlowLayout()
        row.addWidget(self.no)
        row.addWidget(self.yes)
        self._column.addLayout(row)
        theme.space(self._column, 8, (12, 10, 12, 10))
        self.hide()

    def ask(
        self,
        words: str,
        yes: str,
        no: str,
        act: Callable[[], None],
        refused: Callable[[], None] = lambda: None,
    ) -> None:
        """Show the question; `act` is called for yes, `refused` for no. Asking again replaces it."""
        self._act, self._refused = act, refused
        self.words.setText(words)
        self.setAccessibleName(words)
        for each, text in ((self.no, no), (self.yes, yes)):
            each.setText(text)
            each.setAccessibleName(text)
            each.setAccessibleDescription(words)
        self.show()
        # Enter right after a click must not do what cannot be taken back.
        self.no.setFocus(Qt.FocusReason.OtherFocusReason)

    def answer(self, agreed: bool) -> None:
        """What a click on a button does."""
        self.hide()
        (self._act if agreed else self._refused)()

    def event(self, event: QEvent) -> bool:
        """Esc is an answer here before it closes the window."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.answer(False)
        else:
            super().keyPressEvent(event)
