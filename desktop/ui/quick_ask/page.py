"""The page "Quick-ask": its hotkey, whether that works here, and how to bind the command by hand."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit

from desktop.system.hotkey.global_hotkey import GlobalHotkey
from desktop.ui import theme
from desktop.ui.labels import Label, button
from desktop.ui.language import later, tr
from desktop.ui.pages.page import Page
from desktop.ui.quick_ask.hotkey_trial import HotkeyTrial
from desktop.ui.theme import BODY_PX, SMALL_PX
from desktop.ui.toast import Toast
from desktop.ui.widgets.scroll import ScrollColumn

SAYS = later("A small window over everything: ask, read the answer, and go back to what you were doing.")


class QuickAskPage(Page):
    """Main thread only. Keys are kept once the system has given them."""

    title = later("Quick-ask")
    icon = "quick"

    try_changed = Signal(bool)  # while True a press is for this page, and Quick-ask should not open

    def __init__(self, hotkey: GlobalHotkey, keep: Callable[[str], None]) -> None:
        """`keep` writes the keys into the settings, "" for off."""
        super().__init__(tr(SAYS))
        self._hotkey = hotkey
        self._trial = HotkeyTrial(hotkey, keep)
        self.edit, self.test, self.tried = self._trial.edit, self._trial.test, self._trial.tried
        self._build()
        self._trial.try_changed.connect(self.try_changed)
        self.copy.clicked.connect(self._on_copy)

    @property
    def is_trying(self) -> bool:
        """Whether a press is for this page."""
        return self._trial.is_trying

    def shown(self) -> None:
        self._trial.refresh()

    # -- inside -------------------------------------------------------------------------------

    def _build(self) -> None:
        self.heading_keys = Label(tr("Hotkey"), BODY_PX, bold=True, name="section_heading")
        self.heading_command = Label(tr("Command"), BODY_PX, bold=True, name="section_heading")
        self.about = Label(
            tr(
                "This command opens Quick-ask, too. Where Steward can have no hotkey of its own, bind it to "
                "keys in the keyboard settings of your desktop."
            ),
            SMALL_PX,
            colour="secondary",
            name="hotkey_about",
        )
        self.command = QLineEdit(self._hotkey.command)
        self.command.setObjectName("hotkey_command")
        self.command.setAccessibleName(tr("Command that opens Quick-ask"))
        self.command.setReadOnly(True)
        self.command.setFont(theme.mono_font())
        self.copy = button(tr("Copy"), "hotkey_copy", described=tr("Copy the command"))
        scroll = ScrollColumn("quick_ask_scroll")
        body = scroll.body
        below = QHBoxLayout()
        below.addWidget(self.command, 1)
        below.addWidget(self.copy)
        body.addWidget(self.heading_keys)
        body.addWidget(self._trial)
        body.addSpacing(theme.px(16))
        body.addWidget(self.heading_command)
        body.addWidget(self.about)
        body.addLayout(below)
        body.addStretch(1)
        self.column.addWidget(scroll, 1)
        self.toast = Toast(self)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.command.text())
        self.toast.offer(tr("Copied."))
        self.command.setFocus(Qt.FocusReason.OtherFocusReason)
        self.command.selectAll()
