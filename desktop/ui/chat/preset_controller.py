"""Which preset the open chat has: shown in the status line, chosen from its menu or the composer's."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from desktop.chat.presets import Preset, Presets
from desktop.chat.turn import Turns
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.chat.preset_dialog import PresetDialog, shown_name
from desktop.ui.language import told_error, tr
from desktop.ui.theme import Theme
from desktop.ui.toast import Toast


class PresetController(QObject):
    """A chat that does not exist yet gets its preset with its first message. Main thread only."""

    def __init__(
        self,
        presets: Presets,
        turns: Turns,
        background: Background,
        theme: Theme,
        pane: ConversationPane,
        toast: Toast,
        current: Callable[[], int],
    ) -> None:
        super().__init__()
        self._presets = presets
        self._turns = turns
        self._background = background
        self._theme = theme
        self._pane = pane
        self._toast = toast
        self._current = current
        self._waiting: Preset | None = None  # for the chat that does not exist yet
        self._dialog: PresetDialog | None = None
        self.menu = QMenu(pane)
        self.menu.setObjectName("preset_menu")
        self.menu.setTitle(tr("Preset"))
        self.menu.aboutToShow.connect(self.fill_menu)
        pane.status.preset_clicked.connect(self._open_menu)
        pane.composer.menu.addSeparator()
        pane.composer.menu.addMenu(self.menu).setObjectName("add_preset")

    @property
    def chosen(self) -> Preset | None:
        """Of the open chat; None: what is set for all."""
        current = self._current()
        return self._presets.of(current) if current > 0 else self._waiting

    def refresh(self) -> None:
        """Show the preset of the open chat; after another was opened."""
        chosen = self.chosen
        self._pane.status.show_preset(shown_name(chosen) if chosen is not None else "")

    def show_open(self) -> None:
        """Another chat was opened; a new one begins with what is set for all."""
        if self._current() == 0:
            self._waiting = None
        self.refresh()

    def take_up(self, conversation_id: int) -> None:
        """The chat now exists and is about to be asked its first question."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._presets.choose(conversation_id, waiting)

    def choose(self, preset: Preset | None) -> None:
        """For the open chat, from its next answer on; a line in the chat says so."""
        current = self._current()
        if current <= 0:
            self._waiting = preset
            self.refresh()
            return
        self._background.run(
            self._turns.choose_preset,
            current,
            preset,
            done=lambda _none: self.refresh(),
            failed=self._on_refused,
        )

    def edit(self) -> None:
        """The window in which presets are made and changed."""
        if self._dialog is None:
            self._dialog = PresetDialog(self._theme, self._presets, self._background, self._pane.window())
        self._dialog.show_presets()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()

    def fill_menu(self) -> None:
        """What can be chosen now."""
        self.menu.clear()
        chosen = self.chosen
        group = QActionGroup(self.menu)
        self._add(group, tr("As in the settings"), None, chosen is None, "preset_none")
        self.menu.addSeparator()
        for preset in self._presets.all():
            is_chosen = chosen is not None and chosen.key == preset.key
            self._add(group, shown_name(preset), preset, is_chosen, f"preset_{preset.key}")
        self.menu.addSeparator()
        self.menu.addAction(tr("Edit presets…"), self.edit).setObjectName("preset_edit")

    def _add(self, group: QActionGroup, words: str, preset: Preset | None, chosen: bool, name: str) -> None:
        action = self.menu.addAction(words.replace("&", "&&"))
        action.setObjectName(name)
        action.setCheckable(True)
        action.setChecked(chosen)
        action.setToolTip(preset.instructions if preset is not None else "")
        action.triggered.connect(lambda _checked=False: self.choose(preset))
        group.addAction(action)

    def _open_menu(self) -> None:
        """Above the status line, where there is room for it."""
        self.fill_menu()
        button = self._pane.status.preset
        above = QPoint(0, -self.menu.sizeHint().height())
        self.menu.popup(button.mapToGlobal(above))
        self.menu.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_refused(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self._toast.offer(str(told_error(error)))
