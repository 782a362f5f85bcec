"""A box for a number that lets anything be typed and says what is wrong, instead of cutting it silently."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QFocusEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QHBoxLayout, QWidget

from desktop.ui.buttons import IconButton
from desktop.ui.labels import Label
from desktop.ui.language import tr
from desktop.ui.pages.settings_known import Known
from desktop.ui.theme import SMALL_PX, Theme

WIDTH_PX, WORDS_WIDTH_PX, BUTTON_PX = 96, 152, 30
FAR = 1e9  # beyond all limits: a number outside of them is refused in words, and stays to be corrected


class NumberBox(QDoubleSpinBox):
    """`entered` brings each number that was typed or stepped to. The least may stand there in words."""

    entered = Signal(float)

    def __init__(self, theme: Theme, known: Known, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._known = known
        self.setObjectName(name)
        self.setLocale(QLocale.c())
        self.setDecimals(0 if known.is_whole else 4)
        self.setRange(-FAR, FAR)
        self.setKeyboardTracking(False)
        self.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToPreviousValue)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self.entered)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_number(self, value: float) -> None:
        """Without telling that somebody entered it."""
        self.blockSignals(True)
        self.setValue(value)
        self.lineEdit().setText(self.textFromValue(value))  # a typed text of the same value stays otherwise
        self.blockSignals(False)

    def typed(self) -> float | None:
        """The number that stands there now, entered or not; None while it is none."""
        try:
            return self._parsed(self.lineEdit().text())
        except ValueError:
            return None

    # -- what QDoubleSpinBox asks for -------------------------------------------------------------

    def textFromValue(self, value: float) -> str:
        known = self._known
        if known.manner.least and value == known.least:
            return known.manner.least
        return known.number(value)

    def valueFromText(self, text: str) -> float:
        try:
            return self._parsed(text)
        except ValueError:
            return self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        try:
            self._parsed(text)
        except ValueError:
            words = self._known.manner.least.casefold()
            unfinished = text.strip() in ("", "-", ".", ",", "-.") or words.startswith(text.casefold())
            state = QValidator.State.Intermediate if unfinished else QValidator.State.Invalid
            return state, text, position
        return QValidator.State.Acceptable, text, position

    def stepBy(self, steps: int) -> None:
        """Within the limits, on the grid of the step, and never past the least by mistake."""
        known = self._known
        assert known.least is not None
        assert known.most is not None
        wanted = self.value() + steps * known.manner.step
        self.setValue(min(max(wanted, known.least), known.most))
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
        words = self._known.manner.least
        if words and text.strip().casefold() == words.casefold():
            return float(self._known.least or 0)
        digits = text.strip().replace(",", ".")
        if not all(letter in "0123456789.-" for letter in digits):
            raise ValueError(text)
        value = float(digits)
        if (self._known.is_whole and "." in digits) or abs(value) > FAR:
            raise ValueError(text)
        return value

    def _restyle(self) -> None:
        self.setFont(self._theme.font(SMALL_PX))
        margin = self._theme.px(10)  # a style sheet's padding does not reach the line inside
        self.lineEdit().setTextMargins(margin, 0, margin, 0)
        self.setFixedWidth(self._theme.px(WORDS_WIDTH_PX if self._known.manner.least else WIDTH_PX))


class NumberField(QWidget):
    """The box between a button for less and one for more, and the unit. The buttons are for the mouse."""

    def __init__(self, theme: Theme, known: Known, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.box = NumberBox(theme, known, name)
        self.unit = Label(theme, known.manner.unit, SMALL_PX, colour="secondary", name=f"{name}_unit")
        self.unit.setWordWrap(False)
        if not known.manner.unit:
            self.unit.hide()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._stepper("minus", tr("Less"), -1))
        self._row.addWidget(self.box)
        self._row.addWidget(self._stepper("plus", tr("More"), 1))
        self._row.addWidget(self.unit)
        theme.changed.connect(self._restyle)
        self._restyle()

    def _stepper(self, icon: str, words: str, by: int) -> IconButton:
        name = f"{self.box.objectName()}_{words.lower()}"
        made = IconButton(self._theme, icon, words, name, lambda: self.box.stepBy(by), size=BUTTON_PX)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the arrow keys do the same in the box
        made.setAutoRepeat(True)
        return made

    def _restyle(self) -> None:
        self._row.setSpacing(self._theme.px(4))
