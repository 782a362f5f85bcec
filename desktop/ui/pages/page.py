"""What all pages of the Steward window have in common."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.scroll import AROUND

HEADING_PX = 20.0
NARROW = 440  # below this the margins are small


class Page(QWidget):
    """A heading, one sentence below it, and `column`, which the page fills. Main thread only.

    A page is made when it is first opened. `title` is its word in the list, `icon` a name of resources/icons.
    """

    title = ""
    icon = ""

    def __init__(self, says: str = "") -> None:
        super().__init__()
        self.setObjectName(f"page_{self.title.lower()}")
        self.setAccessibleName(tr(self.title))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_margins()

    def _set_margins(self) -> None:
        side = theme.px(8 if self.width() < theme.px(NARROW) else 20)
        self.column.setContentsMargins(side + theme.px(AROUND), theme.px(20), side, theme.px(16))
        self.column.setSpacing(theme.px(12))
        for label in (self.heading, self.says):
            label.setContentsMargins(theme.px(AROUND), 0, 0, 0)  # in line with what scrolls below
