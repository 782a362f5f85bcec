"""Which preset the open chat has: shown in the status line, chosen from its menu or the composer's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import (
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from desktop.chat.presets import Preset, Presets
from desktop.chat.turns import Turns
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.ui import theme
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.language import error_words, tr
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import named
from desktop.ui.widgets.menu import Menu
from desktop.ui.widgets.toast import Toast

LONGEST_NAME = 60
AS_SET = -0.1  # below what a temperature can be: as in the settings


def shown_name(preset: Preset) -> str:
    """In the language in use where it comes with Steward, as the user wrote it where not."""
    return preset.name if preset.is_own else tr(preset.name)


class PresetController(QObject):
    """A chat that does not exist yet gets its preset with its first message. Main thread only."""

    def __init__(
        self,
        presets: Presets,
        turns: Turns,
        background: Background,
        pane: ConversationPane,
        toast: Toast,
        current: Callable[[], int],
    ) -> None:
        super().__init__()
        self._presets = presets
        self._turns = turns
        self._background = background
        self._pane = pane
        self._toast = toast
        self._current = current
        self._waiting: Preset | None = None  # for the chat that does not exist yet
        self._dialog: PresetDialog | None = None
        self.menu = Menu(pane, "preset_menu", tr("Preset"))
        self.menu.aboutToShow.connect(self.fill_menu)
        pane.status.preset_clicked.connect(self._open_menu)
        pane.composer.menu.addSeparator()
        entry = pane.composer.menu.addMenu(self.menu)
        entry.setObjectName("add_preset")
        entry.setIcon(theme.icon("person"))

    @property
    def chosen(self) -> Preset | None:
        """The preset of the open chat; None: what is set for all."""
        current = self._current()
        # A chat that is being made has a negative number and no row for its preset yet.
        return self._presets.of(current) if current > 0 else self._waiting

    def all(self) -> tuple[Preset, ...]:
        """What can be chosen."""
        return self._presets.all()

    def refresh(self) -> None:
        """Show the preset of the open chat; after another was opened."""
        chosen = self.chosen
        self._pane.status.show_preset(shown_name(chosen) if chosen is not None else "")

    def show_open(self) -> None:
        """Another chat was opened; a new one begins with what is set for all."""
        # Not for a negative one: that chat is on its way into being with the preset that was chosen.
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
            failed=self._toast.refuse,
        )

    def edit(self) -> None:
        """The window in which presets are made and changed."""
        if self._dialog is None:
            self._dialog = PresetDialog(self._presets, self._background, self._pane.window())
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
        for preset in self.all():
            is_chosen = chosen is not None and chosen.key == preset.key
            self._add(group, shown_name(preset), preset, is_chosen, f"preset_{preset.key}")
        self.menu.addSeparator()
        self.menu.offer(tr("Edit presets…"), "edit", self.edit, "preset_edit")

    def _add(self, group: QActionGroup, words: str, preset: Preset | None, chosen: bool, name: str) -> None:
        action = self.menu.choice(words, chosen, partial(self.choose, preset), name)
        action.setToolTip(preset.instructions if preset is not None else "")
        group.addAction(action)

    def _open_menu(self) -> None:
        """Above the status line, where there is room for it."""
        self.fill_menu()
        button = self._pane.status.preset
        above = QPoint(0, -self.menu.sizeHint().height())
        self.menu.popup(button.mapToGlobal(above))
        self.menu.setFocus(Qt.FocusReason.PopupFocusReason)


class PresetDialog(QDialog):
    """Not modal. What comes with Steward can be copied, the user's own changed. Main thread only."""

    def __init__(self, presets: Presets, background: Background, parent: QWidget) -> None:
        super().__init__(parent)
        self._presets = presets
        self._background = background
        self._shown: tuple[Preset, ...] = ()
        self._deleted: Preset | None = None
        self.setObjectName("preset_dialog")
        self.setWindowTitle(tr("Presets"))
        self.list = named(QListWidget(), "preset_list", tr("Presets"))
        self.list.currentRowChanged.connect(self._show_current)
        self.form = PresetForm()
        self.form.changed.connect(self._update_buttons)
        self.new_button = button(tr("New"), "preset_new")
        self.copy_button = button(tr("Make a copy"), "preset_copy")
        self.delete_button = button(tr("Delete"), "preset_delete")
        self.save_button = button(tr("Save"), "preset_save", primary=True)
        self.close_button = button(tr("Close"), "preset_close")
        self.note = Label("", SMALL_PX, colour="secondary", name="preset_note")
        self.undo_button = button(tr("Undo"), "preset_undo")
        self._lay_out()
        self._connect()
        self._ring = FocusRing(self)

    def show_presets(self, key: str = "") -> None:
        """Read them again; the one with `key` is chosen, or the one that was, or the first."""
        was = key or (self.current.key if self.current is not None else "")
        self._shown = self._presets.all()
        # Filling the list would choose its first row, and so throw away what stands in the form.
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([shown_name(preset) for preset in self._shown])
        self.list.blockSignals(False)
        row = next((n for n, preset in enumerate(self._shown) if preset.key == was), 0)
        self.list.setCurrentRow(row)
        self._show_current()

    @property
    def current(self) -> Preset | None:
        """The one that is chosen in the list."""
        row = self.list.currentRow()
        return self._shown[row] if 0 <= row < len(self._shown) else None

    # -- what the buttons do --------------------------------------------------------------------

    def _make_new(self) -> None:
        self._save(Preset(tr("New preset"), ""), edit_name=True)

    def _copy(self) -> None:
        if self.current is not None:
            name = tr("Copy of {name}", name=shown_name(self.current))[:LONGEST_NAME]
            # From the form, so that what was changed and not saved goes into the copy.
            self._save(replace(self.form.value(), name=name, key=""), edit_name=True)

    def _save_current(self) -> None:
        self._save(self.form.value())

    def _save(self, preset: Preset, edit_name: bool = False) -> None:
        def saved(stored: Preset) -> None:
            self.show_presets(stored.key)
            if edit_name:
                self.form.name.setFocus(Qt.FocusReason.OtherFocusReason)
                self.form.name.selectAll()

        self._background.run(self._presets.save, preset, done=saved, failed=self._on_failed)

    def _delete(self) -> None:
        preset = self.current
        if preset is None or not preset.is_own:
            return

        def deleted(_none: None) -> None:
            self._deleted = preset
            self.show_presets()

        self._background.run(self._presets.delete, preset.key, done=deleted, failed=self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        """What was typed stays in the form."""
        if not isinstance(error, UserFacing):
            raise error
        self.note.set_colour("danger")
        self.note.show_text(error_words(error))

    def _undo(self) -> None:
        if self._deleted is not None:
            preset, self._deleted = self._deleted, None
            self._save(preset)

    # -- what is shown --------------------------------------------------------------------------

    def _show_current(self) -> None:
        preset = self.current
        if preset is not None:
            self.form.show_preset(preset)
        self._update_buttons()

    def _update_buttons(self) -> None:
        preset = self.current
        own = preset is not None and preset.is_own
        self.delete_button.setEnabled(own)
        changed = self.form.value() != preset and bool(self.form.name.text().strip())
        self.save_button.setEnabled(own and changed)
        self.undo_button.setVisible(self._deleted is not None)
        self.note.set_colour("secondary")
        if self._deleted is not None:
            self.note.show_text(tr("Deleted “{name}”. Chats that use it keep it.", name=self._deleted.name))
        elif own:
            self.note.show_text(tr("Chats that use a preset keep it as it was when it was chosen."))
        else:
            self.note.show_text(tr("This preset comes with Steward. Make a copy to change it."))

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.addWidget(self.list, 1)
        left.addWidget(self.new_button)
        right = QVBoxLayout()
        right.addWidget(self.form, 1)
        note_row = QHBoxLayout()
        note_row.addWidget(self.note, 1)
        note_row.addWidget(self.undo_button)
        right.addLayout(note_row)
        row = QHBoxLayout()
        row.addWidget(self.copy_button)
        row.addWidget(self.delete_button)
        row.addStretch(1)
        row.addWidget(self.close_button)
        row.addWidget(self.save_button)
        right.addLayout(row)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(theme.px(20), theme.px(20), theme.px(20), theme.px(20))
        outer.setSpacing(theme.px(16))
        outer.addLayout(left, 1)
        outer.addLayout(right, 2)
        self.list.setMinimumWidth(theme.px(160))
        self.resize(theme.px(720), theme.px(460))

    def _connect(self) -> None:
        self.new_button.clicked.connect(self._make_new)
        self.copy_button.clicked.connect(self._copy)
        self.delete_button.clicked.connect(self._delete)
        self.save_button.clicked.connect(self._save_current)
        self.close_button.clicked.connect(self.close)
        self.undo_button.clicked.connect(self._undo)


class PresetForm(QWidget):
    """The fields of one preset. `changed`: something was typed."""

    def __init__(self) -> None:
        super().__init__()
        self._preset = Preset("", "")
        self.name = QLineEdit()
        self.name.setObjectName("preset_name")
        self.name.setMaxLength(LONGEST_NAME)
        self.instructions = QPlainTextEdit()
        self.instructions.setObjectName("preset_instructions")
        self.instructions.setTabChangesFocus(True)
        self.instructions.setPlaceholderText(tr("What the model is told before the chat begins"))
        self.temperature = QDoubleSpinBox()
        self.temperature.setObjectName("preset_temperature")
        self.temperature.setRange(AS_SET, 2)
        self.temperature.setSingleStep(0.1)
        self.temperature.setDecimals(1)
        self.top_p = QDoubleSpinBox()
        self.top_p.setObjectName("preset_top_p")
        self.top_p.setRange(0, 1)
        self.top_p.setSingleStep(0.05)
        self.top_p.setDecimals(2)
        self.top_p.setToolTip(tr("Keeps the likeliest tokens up to this probability."))
        self.tokens = QSpinBox()
        self.tokens.setObjectName("preset_tokens")
        self.tokens.setRange(0, 32768)
        self.tokens.setSingleStep(128)
        for spin in self._numbers:
            spin.setGroupSeparatorShown(True)
            # Qt shows these words at the least value, which therefore lies just below what can be meant.
            spin.setSpecialValueText(tr("As in the settings"))
            # A style sheet's padding does not reach the line inside.
            spin.lineEdit().setTextMargins(theme.px(10), 0, theme.px(10), 0)
        rows = QFormLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(theme.px(8))
        rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for words, field in (
            (tr("Name"), self.name),
            (tr("Instructions"), self.instructions),
            (tr("Temperature"), self.temperature),
            (tr("Top p"), self.top_p),
            (tr("Longest answer in tokens"), self.tokens),
        ):
            field.setAccessibleName(words)
            field.setFont(theme.font(SMALL_PX))
            rows.addRow(Label(words, SMALL_PX), field)
        # One signal for all fields: the dialog only asks whether anything is different.
        self.changed = self.name.textChanged
        self.instructions.textChanged.connect(lambda: self.changed.emit(self.name.text()))
        for spin in self._numbers:
            spin.valueChanged.connect(lambda _value: self.changed.emit(self.name.text()))

    @property
    def _numbers(self) -> tuple[QDoubleSpinBox | QSpinBox, ...]:
        return (self.temperature, self.top_p, self.tokens)

    def show_preset(self, preset: Preset) -> None:
        """Fill the fields; what comes with Steward can only be read."""
        self._preset = preset
        self.name.setText(shown_name(preset))
        self.instructions.setPlainText(preset.instructions)
        self.temperature.setValue(AS_SET if preset.temperature is None else preset.temperature)
        self.top_p.setValue(preset.top_p or 0)
        self.tokens.setValue(preset.max_answer_tokens or 0)
        for field in (self.name, self.instructions, *self._numbers):
            field.setReadOnly(not preset.is_own)

    def value(self) -> Preset:
        """The preset as the fields say."""
        temperature = round(self.temperature.value(), 1)
        return replace(
            self._preset,
            name=self.name.text().strip(),
            instructions=self.instructions.toPlainText().strip(),
            temperature=temperature if temperature >= 0 else None,
            top_p=round(self.top_p.value(), 2) or None,
            max_answer_tokens=self.tokens.value() or None,
        )
