"""The parts of the status line that are more than a button with words: the model and the context."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyleOptionToolButton, QStylePainter, QToolButton, QWidget

from desktop.chat.context_use import NEARLY_FULL
from desktop.ui.buttons import WordsButton
from desktop.ui.chat.status_words import LineFacts, context_help, context_words, model_words
from desktop.ui.language import tr
from desktop.ui.theme import Theme

METER_WIDTH = 32
SHORTEST_NAME = 88  # of a model; before it is cut further, other parts give way


class ModelPart(WordsButton):
    """The model's name, cut at its end where the row has no room for all of it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts = LineFacts()
        self.setObjectName("status_model")

    def show_model(self, facts: LineFacts) -> None:
        self._facts = facts
        fill(self, model_words(facts), tr("Choose and manage models"))

    @property
    def whole_width(self) -> int:
        """With the whole name, in pixels."""
        return self._width_of(model_words(self._facts))

    @property
    def least_width(self) -> int:
        """With as much of the name as must be seen."""
        name = self._facts.model_name
        spare = self.fontMetrics().horizontalAdvance(name) - self._theme.px(SHORTEST_NAME)
        return self.whole_width - max(0, spare)

    def fit(self, width: int) -> None:
        """Show as much as `width` has room for."""
        whole, name = model_words(self._facts), self._facts.model_name
        over = self.whole_width - width
        if over > 0:
            room = self.fontMetrics().horizontalAdvance(name or whole) - over
            cut = self.fontMetrics().elidedText(name or whole, Qt.TextElideMode.ElideRight, max(0, room))
            whole = model_words(replace(self._facts, model_name=cut)) if name else cut
        self.setText(whole)

    def _width_of(self, words: str) -> int:
        advance = self.fontMetrics().horizontalAdvance
        return self.sizeHint().width() + advance(words) - advance(self.text())


class ContextPart(WordsButton):
    """ "context 1.2k/8k" with a small meter that turns when the context is nearly full."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts = LineFacts()
        self.setObjectName("status_context")

    def show_context(self, facts: LineFacts) -> None:
        self._facts = facts
        full = facts.context_share >= NEARLY_FULL
        self.setIcon(self._theme.icon("warning", "warning") if full else QIcon())
        fill(self, context_words(facts, full), context_help(facts))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + self._theme.px(METER_WIDTH + 8), hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        px = self._theme.px
        painter = QStylePainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.rect.setRight(option.rect.right() - px(METER_WIDTH + 8))  # the words keep clear of the meter
        self.paint_in(painter, option)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        width, height = px(METER_WIDTH), px(4)
        left, top = self.width() - width - px(4), (self.height() - height) // 2
        painter.setBrush(self._theme.colour("hairline"))
        painter.drawRoundedRect(left, top, width, height, height / 2, height / 2)
        share = min(1.0, self._facts.context_share)
        full = self._facts.context_share >= NEARLY_FULL
        painter.setBrush(self._theme.colour("warning" if full else "secondary"))
        painter.drawRoundedRect(left, top, max(height, round(width * share)), height, height / 2, height / 2)


def fill(part: QToolButton, words: str, tip: str) -> None:
    """Have a part say `words`; one without any is not shown."""
    part.setText(words)
    part.setToolTip(tip)
    part.setAccessibleName(words)
    part.setAccessibleDescription(tip)
