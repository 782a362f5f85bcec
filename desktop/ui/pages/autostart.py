"""Starting with the computer: asked once, and a switch; the session's own entry is what counts."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.settings import SettingsFile
from desktop.system.autostart import Autostart
from desktop.ui import theme
from desktop.ui.check_box import BOX_PX, GAP_PX, CheckBox
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label, button
from desktop.ui.language import later, told_error, tr
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.rows import small

HEADING, TITLE = later("Start"), later("Start with the computer")
QUESTION = later(
    "Start Steward with the computer? It then waits in the tray. You can change this in the settings."
)
HELP = later("Steward then waits in the tray after you log in, without a window. Default: off.")


class AutostartGroup(QWidget):
    """Looks like a section of settings. Read and switched on the pool. Main thread only."""

    def __init__(self, autostart: Autostart, background: Background) -> None:
        super().__init__()
        self._autostart = autostart
        self._background = background
        self.setObjectName("settings_start")
        self.setAccessibleName(tr(HEADING))
        self.heading = Label(tr(HEADING), BODY_PX, bold=True, name="settings_heading")
        self.box = CheckBox(tr(TITLE), "autostart")
        self.box.setAccessibleName(tr(TITLE))
        self.box.setAccessibleDescription(tr(HELP))
        self.box.setToolTip(autostart.place())
        self.box.toggled.connect(self._on_toggled)
        self.help = Label(tr(HELP), CAPTION_PX, colour="secondary", name="help_autostart")
        self.error = Label("", CAPTION_PX, colour="danger", name="error_autostart")
        self.error.hide()
        self._lay_out()
        theme.current().changed.connect(self._restyle)
        self._restyle()

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches."""
        return (self.box,)

    def refresh(self) -> None:
        """Look again: people also switch this in the system's own settings."""
        self._background.run(self._autostart.is_on, done=self._show)

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
        if not isinstance(error, UserFacing):
            raise error
        self.error.show_text(str(told_error(error)))

    def _show(self, on: bool) -> None:
        self.box.blockSignals(True)
        self.box.setChecked(on)
        self.box.blockSignals(False)

    def _lay_out(self) -> None:
        card = QFrame()
        card.setObjectName("settings_card")
        card.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._inside = QVBoxLayout(card)
        for widget in (self.box, self.help, self.error):
            self._inside.addWidget(widget)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.heading)
        self._column.addWidget(card)

    def _restyle(self) -> None:
        self._column.setContentsMargins(0, theme.px(8), 0, theme.px(8))
        self._column.setSpacing(theme.px(8))
        self._inside.setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(10))
        self._inside.setSpacing(theme.px(2))
        for label in (self.help, self.error):
            label.setContentsMargins(theme.px(BOX_PX + GAP_PX), 0, 0, 0)


class AutostartOffer(QFrame):
    """The question, asked once in the life of a profile; hidden unless it has to be asked. Main thread only.

    `answered` comes with the answer, once that is kept; whatever happens, it is not asked again.
    """

    answered = Signal(bool)

    def __init__(self, autostart: Autostart, settings_file: SettingsFile, background: Background) -> None:
        super().__init__()
        self._autostart = autostart
        self._file = settings_file
        self._background = background
        self.setObjectName("settings_card")
        self.setAccessibleName(tr(QUESTION))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = Label(tr(QUESTION), SMALL_PX, name="autostart_question")
        self.no = button(
            tr("Not now"), "autostart_no", described=tr("Not now. {question}", question=tr(QUESTION))
        )
        self.yes = button(tr(TITLE), "autostart_yes", described=f"{tr(TITLE)}. {tr(QUESTION)}")
        self.no.clicked.connect(lambda _checked: self._answer(False))
        self.yes.clicked.connect(lambda _checked: self._answer(True))
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.words)
        row = FlowLayout()
        for each in (self.no, self.yes):
            small(each)
            row.addWidget(each)
        self._column.addLayout(row)
        theme.current().changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def ask_once(self) -> None:
        """Show it, unless it was asked before or Steward starts with the computer already."""
        if not self._file.current.window.asked_about_autostart:
            self._background.run(self._autostart.is_on, done=lambda on: self.setVisible(not on))

    def _answer(self, on: bool) -> None:
        self.no.setEnabled(False)
        self.yes.setEnabled(False)
        self._background.run(self._keep, on, done=lambda _none: self._on_kept(on), failed=self._on_failed)

    def _keep(self, on: bool) -> None:
        """On the pool."""
        self._file.change("window", "asked_about_autostart", True)
        if on:
            self._autostart.switch(True)

    def _on_kept(self, on: bool) -> None:
        self.hide()
        self.answered.emit(on)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.words.setText(str(told_error(error)))
        self.no.setEnabled(True)

    def _restyle(self) -> None:
        self._column.setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(10))
        self._column.setSpacing(theme.px(8))
