"""A section of settings on the page: heading, what it is about, a card of rows, and More."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.ui.labels import Label
from desktop.ui.pages.settings_known import Group
from desktop.ui.pages.settings_more import MoreButton
from desktop.ui.pages.settings_row import SettingRow
from desktop.ui.theme import BODY_PX, CAPTION_PX, Theme


class SettingsGroup(QWidget):
    """Shows what a search leaves of it, or all but what is folded away. Main thread only.

    Nothing is chosen to be shown before `search` is called, once the group is in its page: a widget without
    a parent would appear as a window.
    """

    def __init__(
        self, theme: Theme, group: Group, rows: Sequence[SettingRow], refreshed: Callable[[], None]
    ) -> None:
        super().__init__()
        self._theme = theme
        self._refreshed = refreshed
        self._text = ""
        self.rows = tuple(sorted(rows, key=lambda row: row.known.manner.more))
        self.setObjectName(f"settings_{group.name}")
        self.setAccessibleName(group.title)
        self.heading = Label(theme, group.title, BODY_PX, bold=True, name="settings_heading")
        self._help = Label(theme, group.help, CAPTION_PX, colour="secondary", name="settings_about")
        self._card = QFrame()
        self._card.setObjectName("settings_card")
        self._card.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        inside = QVBoxLayout(self._card)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        self.more = MoreButton(theme, group.title, f"more_{group.name}")
        self.more.toggled.connect(lambda _on: self._show_rows())
        usual = [row for row in self.rows if not row.known.manner.more]
        for widget in (*usual, self.more, *self.rows[len(usual) :]):
            inside.addWidget(widget)
        self._column = QVBoxLayout(self)
        for widget in (self.heading, self._help, self._card):
            self._column.addWidget(widget)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches, in order."""
        usual = [stop for row in self.rows if not row.known.manner.more for stop in row.stops]
        rare = [stop for row in self.rows if row.known.manner.more for stop in row.stops]
        return (*usual, self.more, *rare)

    def search(self, text: str) -> bool:
        """Show what `text` finds, folded away or not; False when that is nothing."""
        self._text = text.strip()
        return self._show_rows()

    def _show_rows(self) -> bool:
        is_found = False
        for row in self.rows:
            found = row.known.contains(self._text) if self._text else self._is_open(row)
            row.is_first = found and not is_found
            row.setVisible(found)
            is_found = is_found or found
        self.more.setVisible(not self._text and any(row.known.manner.more for row in self.rows))
        self.setVisible(is_found)
        self._refreshed()
        return is_found

    def _is_open(self, row: SettingRow) -> bool:
        return not row.known.manner.more or self.more.isChecked()

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(0, px(8), 0, px(8))
        self._column.setSpacing(px(4))
        self._help.setContentsMargins(0, 0, 0, px(4))
