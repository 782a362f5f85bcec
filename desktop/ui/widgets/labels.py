"""Text, signs, badges and meters that all windows share, in the sizes and colours of the theme."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from desktop.ui import theme
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import BODY_PX, SMALL_PX
from desktop.ui.widgets.layout import is_mirrored, sized


class Label(QLabel):
    """Plain text that wraps, in one of the brief's sizes and one of its colours; follows the theme.

    It begins at the side of the window, beside its sign, in whatever letters it is written.
    """

    def __init__(
        self,
        text: str = "",
        size: float = BODY_PX,
        bold: bool = False,
        colour: str = "text",
        name: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self.setProperty("letters", f"{size:g}")
        self.setProperty("bold", bold)
        self.setProperty("colour", colour)
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)  # names of files and of strangers' models are shown here
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._begin_at_side()
        self.ensurePolished()  # what measures it before it is shown measures the letters of the style sheet

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._begin_at_side()

    def _begin_at_side(self) -> None:
        # Qt itself goes by the letters: a name in Arabic would stand at the far end of its row.
        side = Qt.AlignmentFlag.AlignRight if is_mirrored(self) else Qt.AlignmentFlag.AlignLeft
        self.setAlignment(side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute)

    def minimumSizeHint(self) -> QSize:
        """One line: the height follows from the width, and a guess would make pages scroll for nothing."""
        if not self.wordWrap():
            return super().minimumSizeHint()
        return QSize(super().minimumSizeHint().width(), self.fontMetrics().height())

    def set_colour(self, colour: str) -> None:
        """Another token of the theme."""
        if colour != self.property("colour"):
            self.setProperty("colour", colour)
            self.style().unpolish(self)  # Qt looks at properties again only when it is told to
            self.style().polish(self)

    def show_text(self, text: str) -> None:
        """Set the text, and take no room when there is none."""
        self.setText(text)
        self.setVisible(bool(text))


class SectionHeading(Label):
    """The words above a part of a page, a little away from what stands before it."""

    def __init__(self, text: str, name: str = "section_heading") -> None:
        super().__init__(text, BODY_PX, bold=True, name=name)
        theme.current().rescaled.connect(self._keep_away)
        self._keep_away()

    def _keep_away(self) -> None:
        self.setContentsMargins(0, theme.px(8), 0, 0)


class Sign(QLabel):
    """A small icon in a colour of the theme. Always beside words, never instead of them."""

    def __init__(self, icon: str, colour: str, size: float = SMALL_PX) -> None:
        super().__init__()
        self._picture = theme.icon(icon, colour)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        sized(self, width=size + 3, height=size + 3)

    def show_sign(self, icon: str, colour: str) -> None:
        """Another icon, in another token of the theme."""
        self._picture = theme.icon(icon, colour)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._picture.paint(painter, self.rect())
        painter.end()


class Badge(QFrame):
    """Says one thing: the icon may have a colour, the word has that of the text. Takes no focus."""

    def __init__(
        self,
        icon: str,
        word: str,
        sentence: str = "",
        colour: str = "secondary",
        name: str = "",
    ) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setToolTip(plain_tip(sentence))
        self.setAccessibleName(word)
        self.setAccessibleDescription(sentence)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._word = Label(word, SMALL_PX, name=f"{name}_word", parent=self)
        self._word.setWordWrap(False)
        self._word.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row = theme.space(QHBoxLayout(self), 4, (6, 3, 8, 3))
        row.addWidget(Sign(icon, colour), 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._word)


METER_PX, METER_OUTLINED_PX = 4, 6


def paint_meter(painter: QPainter, left: int, middle: int, width: int, share: float, ink: str) -> None:
    """Paint it from `left`, around the line `middle`; `ink` names the colour of what is filled.

    High contrast has one colour for both parts: there the whole is told by its outline.
    """
    outlined = theme.current().high_contrast
    height = theme.px(METER_OUTLINED_PX if outlined else METER_PX)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    whole = QRectF(left, middle - height // 2, width, height)
    if outlined:
        painter.setPen(QPen(theme.colour("text"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        whole.adjust(0.5, 0.5, -0.5, -0.5)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("hairline"))
    painter.drawRoundedRect(whole, height / 2, height / 2)
    if share > 0:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(ink))
        filled = QRectF(left, whole.top(), max(height, round(width * min(share, 1.0))), whole.height())
        painter.drawRoundedRect(filled, height / 2, height / 2)
