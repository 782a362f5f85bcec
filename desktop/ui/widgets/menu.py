"""The menus of the windows: rounded, with icons. That of the tray is drawn by the desktop, in its colours."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QBitmap, QPainter, QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from desktop.ui import theme
from desktop.ui.widgets.layout import named

RADIUS = 8  # that of QMenu in shape.qss


def close_up(menu: QMenu) -> None:
    """Let the entries of a menu that is higher than its screen stand closer. Called before it is shown."""
    _set_dense(menu, False)
    # One below the other: where they do not fit Qt makes columns, or lets the last ones be scrolled to.
    height = sum(menu.actionGeometry(each).height() for each in menu.actions() if each.isVisible())
    if height + 2 * theme.px(RADIUS) > menu.screen().availableGeometry().height():
        _set_dense(menu, True)


def _set_dense(menu: QMenu, dense: bool) -> None:
    if bool(menu.property("dense")) is dense:
        return
    menu.setProperty("dense", dense)
    # Qt looks at properties again only when it is told to, and a menu keeps the places of its entries.
    menu.style().unpolish(menu)
    menu.style().polish(menu)
    QApplication.sendEvent(menu, QEvent(QEvent.Type.StyleChange))


class TrayMenu(QMenu):
    """Where no desktop draws it, it stands at the icon, mostly in a corner of the screen."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # It grows while it is open, when what can be undone has been read; Qt places it once.
        room = self.screen().geometry()
        self.move(
            max(room.left(), min(self.x(), room.right() - self.width() + 1)),
            max(room.top(), min(self.y(), room.bottom() - self.height() + 1)),
        )


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

    def heading(self, words: str) -> QAction:
        """What the entries below are about. Not Qt's section, of which a style sheet leaves only the line."""
        self.addSeparator()
        made = self.addAction(words)
        made.setEnabled(False)
        return made

    def choice(self, words: str, chosen: bool, act: Callable[[], object], name: str = "") -> QAction:
        """One of several, with a tick where it is the one that is valid. `words` may be anybody's."""
        made = self.addAction(words.replace("&", "&&"))  # an ampersand in a name is no key
        made.setObjectName(name)
        made.setCheckable(True)
        made.setChecked(chosen)
        made.triggered.connect(lambda _checked: act())
        return made
