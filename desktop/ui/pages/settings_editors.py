"""What a setting is edited with: one editor for each kind of value, all used alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QWheelEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPlainTextEdit, QWidget

from desktop.ui.check_box import CheckBox
from desktop.ui.labels import Label, button
from desktop.ui.pages.choice import Choice
from desktop.ui.pages.rows import small
from desktop.ui.pages.settings_known import Kind, Known
from desktop.ui.pages.settings_number import NumberField
from desktop.ui.theme import SMALL_PX, Theme

TEXT_WIDTH_PX, LONG_HEIGHT_PX = 280, 88
Offers = Callable[[], Sequence[tuple[str, str]]]  # words and value of what may be chosen


class SettingEditor(QWidget):
    """`wanted` brings a value that somebody chose, `typed` one that is being typed. Main thread only."""

    wanted = Signal(object)
    typed = Signal(object)
    page_requested = Signal(str)

    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__()
        self.theme = theme
        self.known = known
        self.name = f"edit_{known.section}_{known.name}"
        self.column = QHBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)

    @property
    def control(self) -> QWidget:
        """What has the focus, the name and the state."""
        raise NotImplementedError

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches, in order."""
        return (self.control,)

    @property
    def is_edited(self) -> bool:
        """Whether something is typed here that was not taken yet; no change from elsewhere may lose it."""
        return False

    def show_value(self, value: Any) -> None:
        """As it is set; tells nobody."""
        raise NotImplementedError

    def commit(self) -> None:
        """Want what was typed and not finished yet."""

    def take(self, widget: QWidget) -> None:
        """Put it in, with the words for screen readers."""
        self.column.addWidget(widget)
        self.control.setAccessibleName(self.known.title)
        self.control.setAccessibleDescription(self.known.about())
        self.control.setToolTip(self.known.limits())


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


class TextEditor(SettingEditor):
    """One line: a text, or words between commas."""

    def __init__(self, theme: Theme, known: Known, offers: Offers = tuple) -> None:
        super().__init__(theme, known)
        self._shown = ""
        self.line = QLineEdit()
        self.line.setObjectName(self.name)
        self.line.setPlaceholderText(known.manner.empty)
        self.line.editingFinished.connect(self.commit)
        names = ", ".join(value for _, value in offers())
        self._names = f"Between commas: {names}." if names else ""
        self.take(self.line)
        self.line.setToolTip(self._names)
        self.line.setAccessibleDescription(" ".join(filter(None, (known.about(), self._names))))
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def control(self) -> QWidget:
        return self.line

    @property
    def is_edited(self) -> bool:
        return self.line.text().strip() != self._shown.strip()

    def show_value(self, value: Any) -> None:
        self._shown = ", ".join(value) if self.known.kind is Kind.WORDS else str(value)
        self.line.setText(self._shown)
        self.line.setCursorPosition(0)

    def commit(self) -> None:
        text = self.line.text().strip()
        if self.is_edited:
            self._shown = text
            self.wanted.emit(_words(text) if self.known.kind is Kind.WORDS else text)

    def _restyle(self) -> None:
        self.line.setFont(self.theme.font(SMALL_PX))
        self.line.setMinimumWidth(self.theme.px(TEXT_WIDTH_PX / 2))


class FolderEditor(TextEditor):
    """A line, and a button that lets a folder be looked for."""

    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__(theme, known)
        self.choose = button("Choose…", f"{self.name}_choose", described=f"Choose a folder: {known.title}")
        small(self.choose)
        self.choose.clicked.connect(lambda _checked: self._open())
        self.column.addWidget(self.choose)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        return (self.line, self.choose)

    def _open(self) -> None:
        dialog = QFileDialog(self, self.known.title, self.line.text())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.choose_folder)
        dialog.open()

    def choose_folder(self, folder: str) -> None:
        """What the dialog brings."""
        self.line.setText(folder)
        self.commit()


class LongEditor(SettingEditor):
    """Several lines; saved when the focus goes elsewhere."""

    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__(theme, known)
        self._shown = ""
        self.text = _LongText(self.commit)
        self.text.setObjectName(self.name)
        self.text.setPlaceholderText(known.manner.empty)
        self.take(self.text)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def control(self) -> QWidget:
        return self.text

    @property
    def is_edited(self) -> bool:
        return self.text.toPlainText().strip() != self._shown.strip()

    def show_value(self, value: Any) -> None:
        self._shown = str(value)
        if self.text.toPlainText() != self._shown:  # which would move the cursor
            self.text.setPlainText(self._shown)

    def commit(self) -> None:
        text = self.text.toPlainText().strip()
        if self.is_edited:
            self._shown = text
            self.wanted.emit(text)

    def _restyle(self) -> None:
        self.text.setFont(self.theme.font(SMALL_PX))
        self.text.setFixedHeight(self.theme.px(LONG_HEIGHT_PX))


class ElsewhereEditor(SettingEditor):
    """The value in words, and a button that leads to the page where it is changed."""

    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__(theme, known)
        self.words = Label(theme, "", SMALL_PX, name=f"{self.name}_value")
        self.words.setWordWrap(False)
        self.go = button("Change…", self.name)
        small(self.go)
        self.go.clicked.connect(lambda _checked: self.page_requested.emit(known.manner.page))
        self.column.addWidget(self.words)
        self.take(self.go)

    @property
    def control(self) -> QWidget:
        return self.go

    def show_value(self, value: Any) -> None:
        self.words.setText(self.known.in_words(value))
        self.go.setAccessibleName(f"Change {self.known.title}: {self.words.text()}")


class _LongText(QPlainTextEdit):
    def __init__(self, left: Callable[[], None]) -> None:
        super().__init__()
        self._left = left
        self.setProperty("setting", True)
        self.setTabChangesFocus(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._left()


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
        Kind.LONG: LongEditor,
        Kind.ELSEWHERE: ElsewhereEditor,
    }
    return makers[known.kind](theme, known)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
