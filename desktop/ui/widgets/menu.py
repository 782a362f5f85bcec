"""The menus of the windows: rounded, with icons. That of the tray is drawn by the desktop, in its colours."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QBitmap, QPainter, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from desktop.ui import theme
from desktop.ui.widgets.layout import named

RADIUS = 8  # that of QMenu in shape.qss


class Menu(QMenu):
    """Entries with an icon or with a tick, never both: Qt paints the tick where the icon stands.

    Main thread only.
    """

    def __init__(self, parent: QWidget, name: str, title: str = "") -> None:
        super().__init__(title, parent)
        named(self, name, title)
        # The shadow that a system draws is that of a rectangle.
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        self.setWindowFlag(Qt.WindowType.NoDropShadowWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Without a compositor what is translucent is black, so the corners are cut off as well.
        shape = QBitmap(self.size())
        shape.clear()
        painter = QPainter(shape)
        painter.setPen(Qt.GlobalColor.color1)
        painter.setBrush(Qt.GlobalColor.color1)
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), theme.px(RADIUS), theme.px(RADIUS))
        painter.end()
        self.setMask(shape)

    def offer(self, words: str, icon: str, act: Callable[[], object], name: str = "") -> QAction:
        """One more entry: what it says, its sign in resources/icons, what it does."""
        made = self.addAction(theme.icon(icon), words)
        made.setObjectName(name)
        # Qt hands on whether an entry is ticked, which nobody here wants to know.
        made.triggered.connect(lambda _checked: act())
        return made

    def choice(self, words: str, chosen: bool, act: Callable[[], object], name: str = "") -> QAction:
        """One of several, with a tick where it is the one that is valid. `words` may be anybody's."""
        made = self.addAction(words.replace("&", "&&"))  # an ampersand in a name is no key
        made.setObjectName(name)
        made.setCheckable(True)
        made.setChecked(chosen)
        made.triggered.connect(lambda _checked: act())
        return made
