"""Text, signs and badges that all windows share, in the sizes and colours of the theme."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from desktop.ui import theme
from desktop.ui.theme import BODY_PX, SMALL_PX


class Label(QLabel):
    """Plain text that wraps, in one of the brief's sizes and one of its colours; follows the theme."""

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
        self._size, self._bold, self._colour = size, bold, colour
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)  # names of files and of strangers' models are shown here
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.current().changed.connect(self.restyle)
        self.restyle()

    def minimumSizeHint(self) -> QSize:
        """One line: the height follows from the width, and a guess would make pages scroll for nothing."""
        if not self.wordWrap():
            return super().minimumSizeHint()
        return QSize(super().minimumSizeHint().width(), self.fontMetrics().height())

    def set_colour(self, colour: str) -> None:
        """Another token of the theme."""
        self._colour = colour
        self.restyle()

    def restyle(self) -> None:
        """Take size and colour from the theme as it is now."""
        weight = 600 if self._bold else 400
        rules = [f"font-size: {theme.px(self._size)}px", f"font-weight: {weight}"]
        rules += ["background: transparent", "border: none", "padding: 0"]
        if not theme.current().high_contrast:
            rules.append(f"color: {getattr(theme.tokens(), self._colour)}")
        self.setStyleSheet("; ".join(rules))

    def show_text(self, text: str) -> None:
        """Set the text, and take no room when there is none."""
        self.setText(text)
        self.setVisible(bool(text))


def button(text: str, name: str, primary: bool = False, described: str = "") -> QPushButton:
    """A push button with its test hook; `described` is spoken where the label alone says too little."""
    result = QPushButton(text)
    result.setObjectName(name)
    result.setAccessibleName(described or text.rstrip("…"))
    result.setProperty("primary", primary)
    result.setAutoDefault(True)  # Enter presses the button that has the focus, in a dialog too
    result.setDefault(primary)
    return result


def relabel(made: QPushButton, text: str) -> None:
    """Another label for a button of `button`, seen and spoken."""
    made.setText(text)
    made.setAccessibleName(text.rstrip("…"))


class Sign(QLabel):
    """A small icon in a colour of the theme. Always beside words, never instead of them."""

    def __init__(self, icon: str, colour: str, size: float = SMALL_PX) -> None:
        super().__init__()
        self._icon, self._colour, self._size = icon, colour, size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.current().changed.connect(self.restyle)
        self.restyle()

    def show_sign(self, icon: str, colour: str) -> None:
        """Another icon, in another token of the theme."""
        self._icon, self._colour = icon, colour
        self.restyle()

    def restyle(self) -> None:
        side = theme.px(self._size + 3)
        self.setFixedSize(side, side)
        picture = theme.icon(self._icon, self._colour).pixmap(QSize(side, side), self.devicePixelRatio())
        self.setPixmap(picture)


RADIUS = 6


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
        self.setToolTip(sentence)
        self.setAccessibleName(word)
        self.setAccessibleDescription(sentence)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._word = Label(word, SMALL_PX, name=f"{name}_word", parent=self)
        self._word.setWordWrap(False)
        self._word.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.addWidget(Sign(icon, colour), 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._word)
        theme.current().changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        """Take sizes and colours from the theme again."""
        self._row.setContentsMargins(theme.px(6), theme.px(3), theme.px(8), theme.px(3))
        self._row.setSpacing(theme.px(4))
        edge = "palette(window-text)" if theme.current().high_contrast else theme.tokens().control_border
        self.setStyleSheet(f"Badge {{ border: 1px solid {edge}; border-radius: {theme.px(RADIUS)}px; }}")
