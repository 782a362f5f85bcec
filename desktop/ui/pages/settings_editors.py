"""What a setting is edited with: one editor for each kind of value, all used alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QLocale, Qt, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.ui import theme
from desktop.ui.language import group_sign, tr
from desktop.ui.pages.settings_fields import FieldKind, SettingField
from desktop.ui.permission.visible import plain_tip
from desktop.ui.save_dialog import ask_folder
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import ComboBox, IconButton, Switch, button, small
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import clear, is_mirrored, sized

Offers = Callable[[], Sequence[tuple[str, str]]]  # words and value of what may be chosen


class SettingEditor(QWidget):
    """`wanted` brings a value that somebody chose, `typed` one that is being typed. Main thread only."""

    wanted = Signal(object)
    typed = Signal(object)
    page_requested = Signal(str)

    control: QWidget  # what has the focus, the name and the state

    def __init__(self, field: SettingField) -> None:
        super().__init__()
        self.field = field
        self.name = f"edit_{field.section}_{field.name}"
        self.column = QHBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches, in order."""
        return (self.control,)

    @property
    def is_edited(self) -> bool:
        """Whether something is typed here that was not taken yet; no change from elsewhere may lose it."""
        return False

    def show_value(self, value: Any) -> None:
        """Show the value as it is set, without a signal."""
        raise NotImplementedError

    def commit(self) -> None:
        """Want what was typed and not finished yet."""

    def take(self, widget: QWidget) -> None:
        """Put it in, with the words for screen readers."""
        self.column.addWidget(widget)
        self.control.setAccessibleName(self.field.title)
        self.control.setAccessibleDescription(self.field.about())
        self.control.setToolTip(self.field.limits())


def editor(field: SettingField, offers: Offers = tuple) -> SettingEditor:
    """The one for this kind of value. `offers` are the names of a setting that takes one of them."""
    if field.kind is FieldKind.CHOICE:
        return ChoiceEditor(field, offers)
    if field.kind in (FieldKind.TEXT, FieldKind.WORDS):
        return TextEditor(field, offers)
    makers: dict[FieldKind, Callable[[SettingField], SettingEditor]] = {
        FieldKind.SWITCH: SwitchEditor,
        FieldKind.NUMBER: NumberEditor,
        FieldKind.FOLDER: FolderEditor,
        FieldKind.FOLDERS: FoldersEditor,
        FieldKind.LONG: LongEditor,
        FieldKind.ELSEWHERE: ElsewhereEditor,
    }
    return makers[field.kind](field)


class SwitchEditor(SettingEditor):
    def __init__(self, field: SettingField) -> None:
        super().__init__(field)
        self.control = self.box = Switch(self.name)
        self.box.toggled.connect(self.wanted.emit)
        self.take(self.box)
        # Its words stand at the other end of the row.
        self.box.setToolTip(field.title)

    def show_value(self, value: Any) -> None:
        self.box.show_checked(bool(value))


class ChoiceEditor(SettingEditor):
    def __init__(self, field: SettingField, offers: Offers) -> None:
        super().__init__(field)
        self._offers = offers
        self.control = self.box = ComboBox(self.name, field.title)
        self.box.activated.connect(lambda _row: self.wanted.emit(self.box.currentData()))
        self.take(self.box)

    def show_value(self, value: Any) -> None:
        plain = str(value)
        choices = list(self.field.choices or self._offers())
        # What the file says is shown even when it is not on offer, such as a model that was deleted.
        if plain not in [each for _, each in choices]:
            choices.insert(0, (self.field.in_words(value), plain))
        # Filling it again would close the list under the mouse.
        if choices != [(self.box.itemText(n), self.box.itemData(n)) for n in range(self.box.count())]:
            self.box.clear()
            for words, each in choices:
                self.box.addItem(words, each)
        self.box.setCurrentIndex([each for _, each in choices].index(plain))


class ElsewhereEditor(SettingEditor):
    """The value in words, and a button that leads to the page where it is changed."""

    def __init__(self, field: SettingField) -> None:
        super().__init__(field)
        self.words = Label("", SMALL_PX, name=f"{self.name}_value")
        self.words.setWordWrap(False)
        self.control = self.go = button(tr("Change…"), self.name)
        small(self.go)
        self.go.clicked.connect(lambda _checked: self.page_requested.emit(field.display.page))
        self.column.addWidget(self.words)
        self.take(self.go)

    def show_value(self, value: Any) -> None:
        words = self.field.in_words(value)
        self.words.setText(words[:1].upper() + words[1:])  # alone on its line: "Off", as "None" is
        self.go.setAccessibleName(
            tr("Change {title}: {text}", title=self.field.title, text=self.words.text())
        )


class NumberEditor(SettingEditor):
    def __init__(self, field: SettingField) -> None:
        super().__init__(field)
        self.number = NumberField(field, self.name)
        self.control = self.box = self.number.box
        self.box.entered.connect(lambda value: self.wanted.emit(self._typed(value)))
        self.box.lineEdit().textEdited.connect(lambda _text: self._on_edited())
        self.take(self.number)

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
        return round(value) if self.field.is_whole else round(value, 4)


WIDTH_PX, WORDS_WIDTH_PX, BUTTON_PX = 96, 152, 30
NUMBER_PX = 76  # what the number itself takes, with the edges
FAR = 1e9  # beyond all limits: a number outside of them is refused in words, and stays to be corrected


class NumberField(QWidget):
    """The box between a button for less and one for more. The buttons are for the mouse."""

    def __init__(self, field: SettingField, name: str) -> None:
        super().__init__()
        self.box = NumberBox(field, name)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._stepper("minus", tr("Less"), -1))
        self._row.addWidget(self.box)
        self._row.addWidget(self._stepper("plus", tr("More"), 1))
        theme.space(self._row, 4)

    def _stepper(self, icon: str, words: str, by: int) -> IconButton:
        name = f"{self.box.objectName()}_{words.lower()}"
        made = IconButton(icon, words, name, lambda: self.box.stepBy(by), size=BUTTON_PX)
        # One stop for Tab instead of three.
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the arrow keys do the same in the box
        made.setAutoRepeat(True)
        return made


class NumberBox(QDoubleSpinBox):
    """`entered` brings each number that was typed or stepped to. The least may stand there in words.

    The unit stands behind the number and within the box, as people write it, so that all boxes of a page end
    at one edge.
    """

    entered = Signal(float)

    def __init__(self, field: SettingField, name: str) -> None:
        super().__init__()
        self._known = field
        self.setObjectName(name)
        self.unit = Label(field.display.unit, SMALL_PX, colour="secondary", name=f"{name}_unit", parent=self)
        self.unit.setWordWrap(False)
        self.unit.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAlignment(Qt.AlignmentFlag.AlignTrailing)
        # Qt's own reading of numbers is not used: `_parsed` takes comma and point for the decimal sign.
        self.setLocale(QLocale.c())
        self.setDecimals(0 if field.is_whole else 4)
        self.setRange(-FAR, FAR)
        # Half a number on the way to a whole one would be saved.
        self.setKeyboardTracking(False)
        self.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToPreviousValue)
        # Not by the wheel, which scrolls the page.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self.entered)
        theme.current().changed.connect(self._fit_unit)
        # The box sets its text without a signal of the line, typing comes without one of the value.
        self.lineEdit().textChanged.connect(lambda _text: self._fit_unit())
        self.valueChanged.connect(lambda _value: self._fit_unit())
        self._fit_unit()

    def show_number(self, value: float) -> None:
        """Show a number without telling that somebody entered it."""
        self.blockSignals(True)
        self.setValue(value)
        self.lineEdit().setText(self.textFromValue(value))  # a typed text of the same value stays otherwise
        self.blockSignals(False)
        self._fit_unit()

    def typed(self) -> float | None:
        """The number that stands there now, entered or not; None while it is none."""
        try:
            return self._parsed(self.lineEdit().text())
        except ValueError:
            return None

    # -- what QDoubleSpinBox asks for -------------------------------------------------------------

    def textFromValue(self, value: float) -> str:
        field = self._known
        if field.display.least and value == field.least:
            return field.display.least
        return field.number(value)

    def valueFromText(self, text: str) -> float:
        try:
            return self._parsed(text)
        except ValueError:
            return self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        try:
            self._parsed(text)
        except ValueError:
            words = self._known.display.least.casefold()
            unfinished = text.strip() in ("", "-", ".", ",", "-.") or words.startswith(text.casefold())
            state = QValidator.State.Intermediate if unfinished else QValidator.State.Invalid
            return state, text, position
        return QValidator.State.Acceptable, text, position

    def stepBy(self, steps: int) -> None:
        """Within the limits, on the grid of the step, and never past the least by mistake."""
        field = self._known
        # What an extension declares has no limits of its own.
        least = field.least if field.least is not None else -FAR
        most = field.most if field.most is not None else FAR
        wanted = self.value() + steps * field.display.step
        self.setValue(min(max(wanted, least), most))
        self.selectAll()

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        return (
            QAbstractSpinBox.StepEnabledFlag.StepUpEnabled | QAbstractSpinBox.StepEnabledFlag.StepDownEnabled
        )

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.selectAll()  # words for the least number are replaced by what is typed

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the page; it changes no setting on the way."""
        event.ignore()

    def _parsed(self, text: str) -> float:
        words = self._known.display.least
        if words and text.strip().casefold() == words.casefold():
            return float(self._known.least or 0)
        whole = self._known.is_whole
        # Not only where groups are whole: a digit that is taken away leaves "16,38" of "16,384".
        digits = text.strip().replace(group_sign(), "") if whole else text.strip().replace(",", ".")
        if not all(letter in ("0123456789-" if whole else "0123456789.-") for letter in digits):
            raise ValueError(text)
        value = float(digits)
        if abs(value) > FAR:
            raise ValueError(text)
        return value

    def _fit_unit(self) -> None:
        """Room for the unit behind the number; beside words for the least there is none."""
        is_number = bool(self._known.display.unit) and self.lineEdit().text() != self._known.display.least
        self.unit.setVisible(is_number)
        self.unit.ensurePolished()
        beside = self.unit.sizeHint().width() if self._known.display.unit else 0
        least = theme.px(WORDS_WIDTH_PX if self._known.display.least else WIDTH_PX)
        self.setFixedWidth(max(least, theme.px(NUMBER_PX) + beside))
        # A style sheet's padding does not reach the line inside.
        margin, end = theme.px(10), theme.px(10) + (beside if is_number else 0)
        mirrored = is_mirrored(self)
        self.lineEdit().setTextMargins(end if mirrored else margin, 0, margin if mirrored else end, 0)
        self._place_unit()

    def _place_unit(self) -> None:
        size = self.unit.sizeHint()
        x = theme.px(8) if is_mirrored(self) else self.width() - theme.px(8) - size.width()
        self.unit.setGeometry(x, (self.height() - size.height()) // 2, size.width(), size.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_unit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._fit_unit()


class FoldersEditor(SettingEditor):
    """Main thread only."""

    def __init__(self, field: SettingField) -> None:
        super().__init__(field)
        self._shown: list[str] | None = None
        self._lines = QVBoxLayout()
        self._removes: list[QWidget] = []
        self.control = self.add = button(tr("Add a folder…"), self.name)
        small(self.add)
        self.add.clicked.connect(lambda _checked: self._open())
        inside = QVBoxLayout()
        inside.addLayout(self._lines)
        row = QHBoxLayout()
        row.addWidget(self.add)
        row.addStretch(1)
        inside.addLayout(row)
        self.column.addLayout(inside, 1)
        self.add.setAccessibleName(field.title)
        self.add.setAccessibleDescription(field.about())

    @property
    def stops(self) -> tuple[QWidget, ...]:
        return (*self._removes, self.add)

    def show_value(self, value: Any) -> None:
        folders = [str(each) for each in value]
        # Making the lines anew would take the keyboard from the button that has it.
        if folders == self._shown:
            return
        self._shown = folders
        self._clear()
        for number, folder in enumerate(folders):
            self._lines.addWidget(self._line(number, folder))
        for first, second in zip(self._removes, (*self._removes[1:], self.add), strict=False):
            QWidget.setTabOrder(first, second)

    def choose_folder(self, folder: str) -> None:
        """What the dialog brings."""
        if folder and folder not in (self._shown or []):
            self.wanted.emit([*(self._shown or []), folder])

    def _line(self, number: int, folder: str) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        words = Label(folder, SMALL_PX, name=f"{self.name}_{number}")
        remove = button(
            tr("Remove"), f"{self.name}_remove_{number}", described=tr("Remove {folder}", folder=folder)
        )
        small(remove)
        remove.clicked.connect(partial(self._remove, folder))
        row.addWidget(words, 1)
        row.addWidget(remove)
        self._removes.append(remove)
        return line

    def _remove(self, folder: str, _checked: bool = False) -> None:
        self.wanted.emit([each for each in self._shown or [] if each != folder])

    def _clear(self) -> None:
        self._removes.clear()
        clear(self._lines)

    def _open(self) -> None:
        ask_folder(self, self.field.title, self.choose_folder)


LEAST_WIDTH_PX, LONG_HEIGHT_PX = 140, 88


class TextEditor(SettingEditor):
    """One line: a text, or words between commas."""

    def __init__(self, field: SettingField, offers: Offers = tuple) -> None:
        super().__init__(field)
        self._shown = ""
        self.control = self.line = QLineEdit()
        self.line.setObjectName(self.name)
        self.line.setPlaceholderText(field.display.empty)
        self.line.editingFinished.connect(self.commit)
        names = ", ".join(value for _, value in offers())
        self._names = tr("Separated by commas: {names}.", names=names) if names else ""
        self.take(self.line)
        self.line.setToolTip(plain_tip(self._names))
        self.line.setAccessibleDescription(" ".join(filter(None, (field.about(), self._names))))
        small(self.line)
        sized(self.line, min_width=LEAST_WIDTH_PX)

    @property
    def is_edited(self) -> bool:
        return self.line.text().strip() != self._shown.strip()

    def show_value(self, value: Any) -> None:
        self._shown = ", ".join(value) if self.field.kind is FieldKind.WORDS else str(value)
        self.line.setText(self._shown)
        self.line.setCursorPosition(0)

    def commit(self) -> None:
        text = self.line.text().strip()
        if self.is_edited:
            self._shown = text
            self.wanted.emit(_words(text) if self.field.kind is FieldKind.WORDS else text)


class FolderEditor(TextEditor):
    """A line, and a button that lets a folder be looked for."""

    def __init__(self, field: SettingField) -> None:
        super().__init__(field)
        self.choose = button(
            tr("Choose…"), f"{self.name}_choose", described=tr("Choose a folder: {title}", title=field.title)
        )
        small(self.choose)
        self.choose.clicked.connect(lambda _checked: self._open())
        self.column.addWidget(self.choose)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        return (self.line, self.choose)

    def _open(self) -> None:
        ask_folder(self, self.field.title, self.choose_folder, self.line.text())

    def choose_folder(self, folder: str) -> None:
        """What the dialog brings."""
        self.line.setText(folder)
        self.commit()


class LongEditor(SettingEditor):
    """Several lines; saved when the focus goes elsewhere."""

    def __init__(self, field: SettingField) -> None:
        super().__init__(field)
        self._shown = ""
        self.control = self.text = _LongText(self.commit)
        self.text.setObjectName(self.name)
        self.text.setPlaceholderText(field.display.empty)
        self.take(self.text)
        sized(self.text, height=LONG_HEIGHT_PX)

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


class _LongText(QPlainTextEdit):
    def __init__(self, left: Callable[[], None]) -> None:
        super().__init__()
        self._left = left
        self.setProperty("setting", True)
        self.setTabChangesFocus(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._left()


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
