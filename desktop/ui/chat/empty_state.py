"""What a new conversation shows: a greeting and four ways to begin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from desktop.ui.flow_layout import FlowLayout
from desktop.ui.language import later, tr
from desktop.ui.theme import SMALL_PX, Theme

GREETING = later("What can I help you with?")


class Along(Enum):
    """What a suggestion takes along."""

    NOTHING = "nothing"
    CLIPBOARD = "clipboard"
    SCREEN = "screen"  # the text in a part of it


@dataclass(frozen=True)
class Suggestion:
    """`opening` goes into the box; one that is `whole` is asked at once."""

    words: str
    opening: str
    along: Along = Along.NOTHING
    whole: bool = False


SUGGESTIONS = (
    Suggestion(
        later("Summarise my clipboard"), later("Summarise this text in a few sentences."), Along.CLIPBOARD
    ),
    Suggestion(
        later("What is in my Downloads?"),
        later("List my Downloads and tell me the biggest file."),
        whole=True,
    ),
    Suggestion(later("Remind me at 3 pm"), later("Remind me at 3 pm to ")),
    Suggestion(later("Read text from the screen"), later("What does this text say, in short?"), Along.SCREEN),
)


class EmptyState(QWidget):
    """The greeting, and the chips that the composer stands above."""

    chosen = Signal(object)  # a Suggestion

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("empty_state")
        self.greeting = QLabel(tr(GREETING), self)
        self.greeting.setObjectName("greeting")
        self.greeting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.greeting.setWordWrap(True)
        self._chip_box = QWidget(self)
        self._flow = FlowLayout(self._chip_box)
        self.chips = tuple(self._chip(suggestion) for suggestion in SUGGESTIONS)
        theme.changed.connect(self._restyle)
        self._restyle()

    def arrange(self, width: int, height: int, composer_height: int) -> tuple[int, int, int]:
        """Place everything in this size; returns left, top and width for the composer."""
        px = self._theme.px
        column = min(width - px(32), max(int(width * 0.6), px(420)), px(768))
        left = (width - column) // 2
        greeting = self.greeting.heightForWidth(column)
        chips = self._flow.heightForWidth(column)
        total = greeting + px(24) + composer_height + px(16) + chips
        top = max(px(16), (height - total) * 2 // 5)
        self.greeting.setGeometry(left, top, column, greeting)
        composer_top = top + greeting + px(24)
        chips_width = min(column, self._flow.sizeHint().width())
        chips_left = (width - chips_width) // 2
        self._chip_box.setGeometry(chips_left, composer_top + composer_height + px(16), chips_width, chips)
        return left, composer_top, column

    def _chip(self, suggestion: Suggestion) -> QPushButton:
        shown = replace(suggestion, words=tr(suggestion.words), opening=tr(suggestion.opening))
        button = QPushButton(shown.words)
        button.setObjectName("suggestion")
        button.setAccessibleName(shown.words)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.chosen.emit(shown))
        self._flow.addWidget(button)
        return button

    def _restyle(self) -> None:
        self.greeting.setFont(self._theme.font(20, bold=True))
        for chip in self.chips:
            chip.setFont(self._theme.font(SMALL_PX))
