"""An error in the place where it happened: cause, what was not lost, and what to do now."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.ui import theme
from desktop.ui.language import error_parts, tr
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.layout import FlowLayout

Action = tuple[str, Callable[[], object]]

DANGER_ON_LIGHT = QColor("#b91c1c")
DANGER_ON_DARK = QColor("#f87171")


class ErrorCard(QFrame):
    """Shows one `UserFacing` error. Never a window, never modal; main thread only.

    `actions` are (label, what to do) in order of importance; the first is the primary one. `write` is what a
    sentence goes through before it is shown, for places where a path must break. Each button has
    the objectName `error_action_<n>`, n counting from 0. Colours come from the palette, so the card follows
    light and dark without a theme.
    """

    def __init__(
        self,
        error: UserFacing,
        actions: Sequence[Action] = (),
        parent: QWidget | None = None,
        write: Callable[[str], str] = str,
    ) -> None:
        super().__init__(parent)
        self.error = error
        self.setObjectName("error_card")
        self._write = write
        cause, *others = error_parts(error)
        self.setAccessibleName(tr("Error: {cause}", cause=cause))
        self.setAccessibleDescription(" ".join(part for part in others if part))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._row, self._words = QHBoxLayout(self), QVBoxLayout()
        self.buttons = tuple(_button(number, action) for number, action in enumerate(actions))
        self._lay_out()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A quiet surface with a hairline; the sign alone carries the danger colour."""
        palette = self.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        border = QColor(palette.windowText().color())
        if not theme.is_high_contrast():
            border.setAlphaF(0.25)
        painter.setPen(QPen(border, 1))
        painter.setBrush(palette.alternateBase())
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_gaps()

    def showEvent(self, event: QShowEvent) -> None:
        """Tell a screen reader, since nothing takes the focus."""
        super().showEvent(event)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def _lay_out(self) -> None:
        words, (cause, not_lost, action) = self._words, error_parts(self.error)
        words.addWidget(_label(self._write(cause), "error_cause", bold=True))
        for text, name in ((not_lost, "error_not_lost"), (action, "error_what_to_do")):
            if text:
                words.addWidget(_label(self._write(text), name))
        if self.buttons:
            words.addLayout(self._button_row())
        self._row.addWidget(WarningSign(), 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(words, 1)
        self._set_gaps()

    def _set_gaps(self) -> None:
        """Gaps grow with the text, since zoom reaches this card through its font alone."""
        unit = max(4, round(self.fontMetrics().height() * 0.22))
        self._words.setSpacing(unit)
        self._row.setContentsMargins(4 * unit, 3 * unit, 4 * unit, 3 * unit)
        self._row.setSpacing(3 * unit)

    def _button_row(self) -> FlowLayout:
        flow = FlowLayout()
        flow.setContentsMargins(0, 8, 0, 0)
        for button in self.buttons:
            flow.addWidget(button)
        return flow


def placed_card(error: UserFacing, actions: Sequence[Action], parent: QWidget) -> ErrorCard:
    """A card in small letters, shown in `parent`, which places it by hand and measures it at once."""
    card = ErrorCard(error, actions, parent)
    card.setFont(theme.font(SMALL_PX))
    for part in (card, *card.findChildren(QWidget)):
        part.ensurePolished()  # sizes of the style sheet count from here on
    card.show()
    return card


class WarningSign(QWidget):
    """A triangle with an exclamation mark, as tall as a line of text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Error"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = max(20, round(self.fontMetrics().height() * 1.2))
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = float(min(self.width(), self.height()))
        pen = QPen(self._colour(), side * 0.09)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        corners = ((0.5, 0.1), (0.94, 0.88), (0.06, 0.88))
        painter.drawPolygon(QPolygonF([QPointF(x * side, y * side) for x, y in corners]))
        painter.drawLine(QPointF(0.5 * side, 0.4 * side), QPointF(0.5 * side, 0.58 * side))
        painter.drawPoint(QPointF(0.5 * side, 0.73 * side))

    def _colour(self) -> QColor:
        if theme.is_high_contrast():
            return self.palette().windowText().color()
        dark = self.palette().window().color().lightnessF() < 0.5
        return DANGER_ON_DARK if dark else DANGER_ON_LIGHT


def _label(text: str, name: str, bold: bool = False) -> QLabel:
    label = QLabel(text)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)  # a cause may quote a file name or a server's words
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if bold:
        font = label.font()
        font.setBold(True)
        label.setFont(font)
    return label


def _button(number: int, action: Action) -> QPushButton:
    text, act = action
    button = QPushButton(text)
    button.setObjectName(f"error_action_{number}")
    button.setAccessibleName(text)
    button.setProperty("primary", number == 0)
    button.setAutoDefault(True)  # Enter presses the button that has the focus, in a dialog too
    button.clicked.connect(lambda _checked: act())
    return button
