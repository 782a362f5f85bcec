"""What a setting is edited with: one editor for each kind of value, all used alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QWidget

from desktop.ui.check_box import CheckBox
from desktop.ui.labels import Label, button
from desktop.ui.language import tr
from desktop.ui.pages.choice import Choice
from desktop.ui.pages.rows import small
from desktop.ui.pages.settings_editor import Offers, SettingEditor
from desktop.ui.pages.settings_folders import FoldersEditor
from desktop.ui.pages.settings_known import Kind, Known
from desktop.ui.pages.settings_number import NumberField
from desktop.ui.pages.settings_texts import FolderEditor, LongEditor, TextEditor
from desktop.ui.theme import SMALL_PX, Theme


class SwitchEditor(SettingEditor):
    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__(theme, known)
        ink = "danger" if known.manner.danger else "text"
        self.box = CheckBox(theme, known.title, self.name, ink)
        self.box.toggled.connect(self.wanted.emit)
        self.take(self.box)

    @property
    def control(self) -> QWidget:
        return self.box

    def show_value(self, value: Any) -> None:
        self.box.blockSignals(True)
        self.box.setChecked(bool(value))
        self.box.blockSignals(False)


class NumberEditor(SettingEditor):
    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__(theme, known)
        self.field = NumberField(theme, known, self.name)
        self.box = self.field.box
        self.box.entered.connect(lambda value: self.wanted.emit(self._typed(value)))
        self.box.lineEdit().textEdited.connect(lambda _text: self._on_edited())
        self.take(self.field)

    @property
    def control(self) -> QWidget:
        return self.box

    @property
    def is_edited(self) -> bool:
        return self.box.lineEdit().text() != self.box.textFromValue(self.box.value())

    def show_value(self, value: Any) -> None:
        self.box.show_number(float(value))

    def commit(self) -> None:
        self.box.interpretText()

    def _on_edited(self) -> None:
        value = self.box.typed()
        if value is not None:
            self.typed.emit(self._typed(value))

    def _typed(self, value: float) -> float | int:
        return round(value) if self.known.is_whole else round(value, 4)


class ChoiceEditor(SettingEditor):
    def __init__(self, theme: Theme, known: Known, offers: Offers) -> None:
        super().__init__(theme, known)
        self._offers = offers
        self.box = _Choice(theme, self.name, known.title)
        self.box.activated.connect(lambda _row: self.wanted.emit(self.box.currentData()))
        self.take(self.box)

    @property
    def control(self) -> QWidget:
        return self.box

    def show_value(self, value: Any) -> None:
        plain = str(value)
        choices = list(self.known.choices or self._offers())
        if plain not in [each for _, each in choices]:
            choices.insert(0, (self.known.in_words(value), plain))
        if choices != [(self.box.itemText(n), self.box.itemData(n)) for n in range(self.box.count())]:
            self.box.clear()
            for words, each in choices:
                self.box.addItem(words, each)
        self.box.setCurrentIndex([each for _, each in choices].index(plain))


class ElsewhereEditor(SettingEditor):
    """The value in words, and a button that leads to the page where it is changed."""

    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__(theme, known)
        self.words = Label(theme, "", SMALL_PX, name=f"{self.name}_value")
        self.words.setWordWrap(False)
        self.go = button(tr("Change…"), self.name)
        small(self.go)
        self.go.clicked.connect(lambda _checked: self.page_requested.emit(known.manner.page))
        self.column.addWidget(self.words)
        self.take(self.go)

    @property
    def control(self) -> QWidget:
        return self.go

    def show_value(self, value: Any) -> None:
        self.words.setText(self.known.in_words(value))
        self.go.setAccessibleName(
            tr("Change {title}: {text}", title=self.known.title, text=self.words.text())
        )


class _Choice(Choice):
    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the page; it changes no setting on the way."""
        event.ignore()


def editor(theme: Theme, known: Known, offers: Offers = tuple) -> SettingEditor:
    """The one for this kind of value. `offers` are the names of a setting that takes one of them."""
    if known.kind is Kind.CHOICE:
        return ChoiceEditor(theme, known, offers)
    if known.kind in (Kind.TEXT, Kind.WORDS):
        return TextEditor(theme, known, offers)
    makers: dict[Kind, Callable[[Theme, Known], SettingEditor]] = {
        Kind.SWITCH: SwitchEditor,
        Kind.NUMBER: NumberEditor,
        Kind.FOLDER: FolderEditor,
        Kind.FOLDERS: FoldersEditor,
        Kind.LONG: LongEditor,
        Kind.ELSEWHERE: ElsewhereEditor,
    }
    return makers[known.kind](theme, known)
