"""What rules make of the words so far, above the offer to ask the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QEnterEvent,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import BODY_PX, CAPTION_PX
from desktop.ui.widgets.layout import let_go, named

MOST_LINES = 4


@dataclass(frozen=True)
class Suggestion:
    """`key` is for whoever handles it with `value`; `does` says what Enter does with it."""

    key: str
    icon: str
    text: str
    does: str
    value: str = ""


class SuggestionRow(QAbstractButton):
    """One line: sign, words, and what Enter does."""

    entered = Signal()

    def __init__(self, suggestion: Suggestion, parent: QWidget) -> None:
        super().__init__(parent)
        self.suggestion = suggestion
        self._selected = False
        named(self, f"suggestion_{suggestion.key}", f"{suggestion.text}. {suggestion.does}")
        self.setToolTip(plain_tip(suggestion.text))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard stays in the text, arrows choose
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_selected(self, selected: bool) -> None:
        self._selected = selected
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        words = self._words_rect(QRect(0, 0, width, 0))
        flags = Qt.TextFlag.TextWordWrap
        tall = self.fontMetrics().boundingRect(
            0, 0, max(words.width(), 1), 10_000, flags, self.suggestion.text
        )
        return max(
            theme.px(40), min(tall.height(), MOST_LINES * self.fontMetrics().lineSpacing()) + theme.px(18)
        )

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.entered.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = "on_selection" if self._selected else "text"
        if self._selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("selection"))
            painter.drawRoundedRect(self.rect(), theme.px(8), theme.px(8))
        side = theme.px(18)
        sign = QRect(theme.px(12), (self.height() - side) // 2, side, side)
        theme.icon(self.suggestion.icon, ink).paint(painter, self._mirrored(sign))
        painter.setPen(QPen(theme.colour(ink)))
        painter.setFont(self.font())
        flags = Qt.AlignmentFlag.AlignLeading.value | Qt.AlignmentFlag.AlignVCenter.value
        flags |= Qt.TextFlag.TextWordWrap.value
        place = self._mirrored(self._words_rect(self.rect()))
        painter.drawText(place, flags, self.suggestion.text)
        self._draw_hint(painter, ink)

    def _draw_hint(self, painter: QPainter, ink: str) -> None:
        painter.setFont(theme.font(CAPTION_PX))
        painter.setPen(QPen(theme.colour(ink if self._selected else "secondary")))
        width = self._hint_width()
        place = QRect(self.width() - width - theme.px(12), 0, width, self.height())
        painter.drawText(self._mirrored(place), Qt.AlignmentFlag.AlignCenter, self._hint)

    @property
    def _hint(self) -> str:
        return f"{self.suggestion.does}  ↵" if self._selected else self.suggestion.does

    def _hint_width(self) -> int:
        return QFontMetrics(theme.font(CAPTION_PX)).horizontalAdvance(f"{self.suggestion.does}  ↵")

    def _words_rect(self, rect: QRect) -> QRect:
        return rect.adjusted(theme.px(42), 0, -(self._hint_width() + theme.px(28)), 0)

    def _mirrored(self, rect: QRect) -> QRect:
        if self.layoutDirection() == Qt.LayoutDirection.LeftToRight:
            return rect
        return QRect(self.width() - rect.right() - 1, rect.y(), rect.width(), rect.height())


class Suggestions(QWidget):
    """The rows, of which one is chosen. Main thread only."""

    chosen = Signal(object)  # Suggestion

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: list[SuggestionRow] = []
        self._at = 0
        named(self, "suggestions", tr("Suggestions"))
        self.hide()

    @property
    def rows(self) -> tuple[SuggestionRow, ...]:
        return tuple(self._rows)

    @property
    def selected(self) -> Suggestion | None:
        """What Enter would do, or None where there is nothing to choose."""
        return self._rows[self._at].suggestion if self._rows else None

    def show_these(self, suggestions: Sequence[Suggestion]) -> None:
        """The first one is chosen; the same again keeps what was chosen."""
        if [row.suggestion for row in self._rows] == list(suggestions):
            return
        for row in self._rows:
            let_go(row)
        self._rows = [self._row(number, each) for number, each in enumerate(suggestions)]
        self._at = 0
        self.setVisible(bool(self._rows))
        self._mark()
        if self._rows:
            self._announce()

    def step(self, by: int) -> bool:
        """Choose the row above (-1) or below (1); False where there is none."""
        at = self._at + by
        if not 0 <= at < len(self._rows):
            return False
        self._at = at
        self._mark()
        self._announce()
        return True

    def arrange(self, width: int) -> int:
        """Place the rows for `width`; the height they take."""
        y = 0
        for row in self._rows:
            height = row.heightForWidth(width)
            row.setGeometry(0, y, width, height)
            y += height
        return y

    def _row(self, number: int, suggestion: Suggestion) -> SuggestionRow:
        row = SuggestionRow(suggestion, self)
        row.setFont(theme.font(BODY_PX))
        row.clicked.connect(lambda _checked=False: self.chosen.emit(suggestion))
        row.entered.connect(lambda: self._choose(number))
        row.show()
        return row

    def _choose(self, number: int) -> None:
        self._at = number
        self._mark()

    def _mark(self) -> None:
        for number, row in enumerate(self._rows):
            row.set_selected(number == self._at)

    def _announce(self) -> None:
        """The focus stays in the text, so a screen reader is told."""
        words = self._rows[self._at].accessibleName()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self.update()
        return super().event(event)
