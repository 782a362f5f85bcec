"""A column that scrolls when it is longer than its page, and follows the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from desktop.ui import theme

AROUND = 4  # room for the focus ring, which the scroll area would cut


class ScrollColumn(QScrollArea):
    """Widgets go into `body`. Main thread only."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # The keyboard goes to what is in it, and the area follows.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Nothing on a page is wider than the page; a bar at the side would hide a mistake in a layout.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = QWidget()
        self._content.setObjectName(f"{name}_content")
        self.body = QVBoxLayout(self._content)
        self.setWidget(self._content)
        theme.space(self.body, 8, (AROUND, AROUND, 12, AROUND))
        QGuiApplication.instance().focusObjectChanged.connect(self._on_focus_changed)  # type: ignore[union-attr]

    def reveal(self, widget: QWidget) -> None:
        """Scroll until `widget` is in sight, once the layout knows where it is."""
        # A widget that was just shown has its place only after the layout.
        QTimer.singleShot(0, widget, lambda: self.ensureWidgetVisible(widget, 0, theme.px(40)))

    def _on_focus_changed(self, focused: QObject | None) -> None:
        if isinstance(focused, QWidget) and self._content.isAncestorOf(focused):
            self.reveal(focused)


class Framed(QFrame):
    """Has `inner` and shows its focus ring. Main thread only."""

    def __init__(self, inner: QWidget, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        inner.setProperty("ring_on_parent", True)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(AROUND, AROUND, AROUND, AROUND)
        inside.addWidget(inner)
