"""What all pages of the Steward window have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.events import Event
from desktop.qt.file_watch import FileWatch
from desktop.qt.relay import Relay
from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import AROUND, EDGE, named
from desktop.ui.widgets.toast import Toast

HEADING_PX = 20.0
AFTER_EVENT_MS = 200  # many events a second become one reading
AFTER_FILE_MS = 1000  # while an answer is written the database is, too
NARROW = 440  # below this the margins are small


class Page(QWidget):
    """A heading, one sentence below it, and `column`, which the page fills. Main thread only.

    A page is made when it is first opened. `title` is its word in the list, `icon` a name of resources/icons.
    """

    title = ""
    icon = ""

    def __init__(self, says: str = "") -> None:
        super().__init__()
        named(self, f"page_{self.title.lower()}", tr(self.title))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._in_sight = False  # as `isVisible`, for other threads
        self.heading = Label(tr(self.title), HEADING_PX, bold=True, name="page_heading")
        self.says = Label(says, SMALL_PX, colour="secondary", name="page_says")
        self.column = QVBoxLayout(self)
        self.column.addWidget(self.heading)
        self.column.addWidget(self.says)
        self.says.setVisible(bool(says))  # only here: without a parent it would appear as a window
        theme.current().changed.connect(self._set_margins)
        self._set_margins()

    def shown(self) -> None:
        """Called each time the page comes into sight: read again what may be another by now."""

    def show_part(self, key: str) -> None:
        """Bring what is called `key` into sight; a page that is one part does nothing."""

    def follow(self, relay: Relay, *kinds: type[Event], read: Callable[[], None] | None = None) -> QTimer:
        """Read again, by `shown` or `read`, a moment after each of these events while the page is in sight.

        The timer that is returned may be started for what is told in other ways.
        """
        timer = QTimer(self, singleShot=True, interval=AFTER_EVENT_MS)
        timer.timeout.connect(read or self.shown)

        def on_event(_event: Event) -> None:
            # Not started again while it runs: events without a pause would put the reading off for ever.
            if self.isVisible() and not timer.isActive():
                timer.start()

        for kind in kinds:
            # Out of sight nothing of it crosses: an agent's hooks would wake the main thread once for each
            # page that was ever opened.
            relay.listen(kind, on_event, when=lambda _event: self._in_sight)
        return timer

    def follow_files(self, files: Iterable[Path]) -> None:
        """Read again by `shown`, a moment after another process has written one of these, while the page is
        in sight. What this program writes is heard too, and costs one reading more."""
        watch = FileWatch(files, self)
        timer = QTimer(self, singleShot=True, interval=AFTER_FILE_MS)
        timer.timeout.connect(self.shown)

        def on_change() -> None:
            if self.isVisible() and not timer.isActive():
                timer.start()

        watch.changed.connect(on_change)

    @cached_property
    def toast(self) -> Toast:
        """What was done, with its Undo; made when it is first needed."""
        return Toast(self)

    def take_focus(self) -> None:
        """Give the focus to what is worked with first."""
        # Found by the chain and not named by each page: what comes first depends on what is shown.
        first = self.nextInFocusChain()
        while first is not None and first is not self:
            if (
                self.isAncestorOf(first)
                and first.isVisible()
                and first.focusPolicy() & Qt.FocusPolicy.TabFocus
            ):
                first.setFocus(Qt.FocusReason.TabFocusReason)
                return
            first = first.nextInFocusChain()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._in_sight = self.isVisible()
        # Its Undo belongs to what was done before the page was left.
        if "toast" in self.__dict__:
            self.toast.hide()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._in_sight = self.isVisible()  # a window that is made an icon stays visible to Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_margins()
        if "toast" in self.__dict__ and self.toast.isVisible():
            self.toast.place()

    def _set_margins(self) -> None:
        side = theme.px(8 if self.width() < theme.px(NARROW) else 20)
        self.column.setContentsMargins(
            theme.sides(self, side + theme.px(AROUND), theme.px(20), side, theme.px(16))
        )
        self.column.setSpacing(theme.px(12))
        end = theme.px(EDGE)
        for label in (self.heading, self.says):
            # In line with what scrolls below, at both ends.
            label.setContentsMargins(theme.sides(self, theme.px(AROUND), 0, end, 0))
        # What is worked with may have less room than it wants; the sentence above it is read whole.
        self.says.setMinimumHeight(0)  # it counts in what is asked next
        inner = self.width() - side - theme.px(AROUND) - side  # with the margins of the label itself
        self.says.setMinimumHeight(max(self.says.heightForWidth(inner), 0))
