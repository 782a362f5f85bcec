"""The page "Quick-ask": its hotkey, whether that works here, and how to bind the command by hand."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy

from desktop.system.hotkey.global_hotkey import GlobalHotkey, native
from desktop.system.hotkey.grabber import Press
from desktop.system.hotkey.state import HotkeyState
from desktop.ui.labels import Label, button
from desktop.ui.language import later, told, tr
from desktop.ui.pages.page import Page
from desktop.ui.pages.scroll import ScrollColumn
from desktop.ui.quick_ask.hotkey_edit import HotkeyEdit
from desktop.ui.theme import BODY_PX, SMALL_PX, Theme
from desktop.ui.toast import Toast

SAYS = later("A small window over everything: ask, read the answer, and go back to what you were doing.")
TRY = later("Press {keys} now to try it. Nothing opens while this page listens.")
HEARD = later("It works: Steward heard {keys}.")
KEPT = later("Until then {keys} stays.")


class QuickAskPage(Page):
    """Main thread only. Keys are kept once the system has given them."""

    title = later("Quick-ask")
    icon = "quick"

    try_changed = Signal(bool)  # while True a press is for this page, and Quick-ask should not open

    def __init__(self, theme: Theme, hotkey: GlobalHotkey, keep: Callable[[str], None]) -> None:
        """`keep` writes the keys into the settings, "" for off."""
        super().__init__(theme, tr(SAYS))
        self._hotkey = hotkey
        self._keep = keep
        self._trying = False
        self._build(theme)
        self.edit.wanted.connect(self._on_wanted)
        self.edit.listening.connect(self._on_listening)
        self.test.toggled.connect(self._on_try)
        self.copy.clicked.connect(self._on_copy)
        hotkey.state_changed.connect(self._show)
        hotkey.pressed.connect(self._on_pressed)
        self._show(hotkey.state)

    @property
    def is_trying(self) -> bool:
        """Whether a press is for this page."""
        return self._trying

    def shown(self) -> None:
        self._show(self._hotkey.state)

    def hideEvent(self, event: object) -> None:
        """Nobody tries a key on a page that is out of sight."""
        super().hideEvent(event)  # type: ignore[arg-type]
        self.test.setChecked(False)

    # -- inside -------------------------------------------------------------------------------

    def _build(self, theme: Theme) -> None:
        self.heading_keys = Label(theme, tr("Hotkey"), BODY_PX, bold=True, name="section_heading")
        self.edit = HotkeyEdit(theme)
        self.test = button(tr("Test it"), "hotkey_test", described=tr("Test the hotkey"))
        self.test.setCheckable(True)
        self.tried = Label(theme, "", SMALL_PX, colour="secondary", name="hotkey_tried")
        self.heading_command = Label(theme, tr("Command"), BODY_PX, bold=True, name="section_heading")
        self.about = Label(
            theme,
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
        scroll = ScrollColumn(theme, "quick_ask_scroll")
        body = scroll.body
        row = QHBoxLayout()
        self.test.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row.addWidget(self.test, 0, Qt.AlignmentFlag.AlignLeading)
        row.addWidget(self.tried, 1)
        below = QHBoxLayout()
        below.addWidget(self.command, 1)
        below.addWidget(self.copy)
        body.addWidget(self.heading_keys)
        body.addWidget(self.edit)
        body.addLayout(row)
        body.addSpacing(theme.px(16))
        body.addWidget(self.heading_command)
        body.addWidget(self.about)
        body.addLayout(below)
        body.addStretch(1)
        self.column.addWidget(scroll, 1)
        self.toast = Toast(theme, self)

    def _show(self, state: HotkeyState) -> None:
        self.edit.show_state(state)
        self.test.setEnabled(state.works)
        if not state.works:
            self.test.setChecked(False)
        self.tried.show_text("")

    def _on_wanted(self, keys: str) -> None:
        """Written only once the system has given them: a restart must not begin with what does not work."""
        before = self._hotkey.state
        self._hotkey.use(keys)
        state = self._hotkey.state
        if state.is_problem and before.works:
            self._hotkey.use(before.keys)
            self.edit.show_state(state)  # why the old ones stay
            self.edit.step.show_text(f"{told(state.next_step)} {tr(KEPT, keys=native(before.keys))}")
        elif not state.is_problem or state.command:
            self._keep(keys)

    def _on_listening(self, listening: bool) -> None:
        """The keys that are held now must reach the field, to be chosen again."""
        self._hotkey.rest(listening)

    def _on_try(self, trying: bool) -> None:
        self._trying = trying
        keys = self.edit.field.text()
        self.tried.show_text(tr(TRY, keys=keys) if trying else "")
        self.try_changed.emit(trying)

    def _on_pressed(self, _press: Press) -> None:
        if self._trying:
            self.test.setChecked(False)
            self.tried.show_text(tr(HEARD, keys=self.edit.field.text()))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.command.text())
        self.toast.offer(tr("Copied."))
        self.command.setFocus(Qt.FocusReason.OtherFocusReason)
        self.command.selectAll()
