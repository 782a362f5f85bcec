"""The hotkey, chosen by pressing it and tried at once: on the page of Quick-ask and in the first run."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.system.hotkey.global_hotkey import GlobalHotkey, native
from desktop.system.hotkey.grabber import Press
from desktop.system.hotkey.state import HotkeyState
from desktop.ui.labels import Label, button
from desktop.ui.language import later, told, tr
from desktop.ui.quick_ask.hotkey_edit import HotkeyEdit
from desktop.ui.theme import SMALL_PX

TRY = later("Press {keys} now to try it. Nothing opens while this page listens.")
HEARD = later("It works: Steward heard {keys}.")
KEPT = later("Until then {keys} stays.")


class HotkeyTrial(QWidget):
    """Main thread only. Keys are kept once the system has given them."""

    try_changed = Signal(bool)  # while True a press is for this, and Quick-ask should not open

    def __init__(self, hotkey: GlobalHotkey, keep: Callable[[str], None]) -> None:
        """`keep` writes the keys into the settings, "" for off."""
        super().__init__()
        self._hotkey = hotkey
        self._keep = keep
        self._trying = False
        self.edit = HotkeyEdit()
        self.test = button(tr("Test it"), "hotkey_test", described=tr("Test the hotkey"))
        self.test.setCheckable(True)
        self.tried = Label("", SMALL_PX, colour="secondary", name="hotkey_tried")
        self._lay_out()
        self.edit.wanted.connect(self._on_wanted)
        self.edit.listening.connect(hotkey.rest)  # the keys held now must reach the field
        self.test.toggled.connect(self._on_try)
        hotkey.state_changed.connect(self._show)
        hotkey.pressed.connect(self._on_pressed)
        self._show(hotkey.state)

    @property
    def is_trying(self) -> bool:
        """Whether a press is for this."""
        return self._trying

    def refresh(self) -> None:
        """Show what is true now."""
        self._show(self._hotkey.state)

    def hideEvent(self, event: object) -> None:
        """Nobody tries a key on a page that is out of sight."""
        super().hideEvent(event)  # type: ignore[arg-type]
        self.test.setChecked(False)

    def _lay_out(self) -> None:
        self.test.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout()
        row.addWidget(self.test, 0, Qt.AlignmentFlag.AlignLeading)
        row.addWidget(self.tried, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.edit)
        column.addLayout(row)

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

    def _on_try(self, trying: bool) -> None:
        self._trying = trying
        self.tried.show_text(tr(TRY, keys=self.edit.field.text()) if trying else "")
        self.try_changed.emit(trying)

    def _on_pressed(self, _press: Press) -> None:
        if self._trying:
            self.test.setChecked(False)
            self.tried.show_text(tr(HEARD, keys=self.edit.field.text()))
