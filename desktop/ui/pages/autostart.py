"""Starting with the computer: asked once, and a switch; the session's own entry is what counts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.system.autostart import Autostart
from desktop.ui import theme
from desktop.ui.language import error_words, tr, tr_noop
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import Switch
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import named

HEADING, TITLE = tr_noop("Start"), tr_noop("Start with the computer")
HELP = tr_noop("Steward then waits in the tray after you log in, without a window.")


class AutostartGroup(QWidget):
    """Looks like a group of settings. Read and switched on the pool. Main thread only."""

    section = "general"  # of the settings' page

    def __init__(self, autostart: Autostart, background: Background) -> None:
        super().__init__()
        self._autostart = autostart
        self._background = background
        named(self, "settings_start", tr(HEADING))
        self.heading = Label(tr(HEADING), BODY_PX, bold=True, name="settings_heading")
        self.box = Switch("autostart")
        self.box.setAccessibleName(tr(TITLE))
        self.box.setAccessibleDescription(tr(HELP))
        # Where the entry is, for people who want to see what Steward put into their system.
        self.box.setToolTip(plain_tip(autostart.place()))
        self.box.toggled.connect(self._on_toggled)
        self.help = Label(tr(HELP), CAPTION_PX, colour="secondary", name="help_autostart")
        self.error = Label("", CAPTION_PX, colour="danger", name="error_autostart")
        self.error.hide()
        self._lay_out()
        theme.space(self._column, 8, (0, 8, 0, 8))
        theme.space(self._inside, 2)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches."""
        return (self.box,)

    def refresh(self) -> None:
        """Look again: people also switch this in the system's own settings."""
        self._background.run(self._autostart.is_on, done=self._show, failed=self._tell)

    def search(self, text: str) -> bool:
        """Hide it unless it holds every word of `text`."""
        everything = f"{tr(TITLE)} {tr(HELP)} autostart login".casefold()
        found = all(word in everything for word in text.casefold().split())
        self.setVisible(found)
        return found

    def _on_toggled(self, on: bool) -> None:
        self.error.show_text("")
        self._background.run(
            self._autostart.switch, on, done=lambda _none: self.refresh(), failed=self._on_failed
        )

    def _on_failed(self, error: Exception) -> None:
        self.refresh()
        self._tell(error)

    def _tell(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.error.show_text(error_words(error))

    def _show(self, on: bool) -> None:
        # What is shown is no wish: a signal would switch it again.
        self.box.show_checked(on)

    def _lay_out(self) -> None:
        card = QFrame()
        card.setObjectName("settings_card")
        card.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._inside = QVBoxLayout()
        for label in (Label(tr(TITLE), SMALL_PX, name="title_autostart"), self.help, self.error):
            self._inside.addWidget(label)
        row = QHBoxLayout(card)
        row.addLayout(self._inside, 1)
        row.addWidget(self.box, 0, Qt.AlignmentFlag.AlignVCenter)
        theme.space(row, 12, (12, 10, 12, 10))
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.heading)
        self._column.addWidget(card)
