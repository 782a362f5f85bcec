"""The conversation's side of the window: messages or greeting, composer, status line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QWidget

from desktop.asking import Question
from desktop.ui import theme
from desktop.ui.chat.composer import Composer
from desktop.ui.chat.destination import DestinationBanner, DestinationFrame
from desktop.ui.chat.status_line import StatusLine
from desktop.ui.chat.transcript import COLUMN, MARGIN, MARGIN_NARROW, NARROW, Transcript
from desktop.ui.language import tr, tr_noop
from desktop.ui.permission.queue import WaitingEntry
from desktop.ui.permission.visible import plain_tip
from desktop.ui.shortcuts import with_keys
from desktop.ui.theme import BODY_PX
from desktop.ui.widgets.buttons import IconButton, action
from desktop.ui.widgets.cards import Banner
from desktop.ui.widgets.labels import Sign
from desktop.ui.widgets.layout import FlowLayout, is_mirrored, mirror, named

BAR_PX = 120


class FolderBanner(Banner):
    """Main thread only."""

    removal_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("folder", Sign("folder", "secondary", BODY_PX), "secondary", parent)
        theme.space(self.row, 8, (12, 4, 8, 4))
        self.bar = named(QProgressBar(), "folder_bar", tr("How much of the folder is indexed"))
        self.bar.setTextVisible(False)
        self.remove = action(
            tr("Remove"),
            "folder_remove",
            self.removal_wanted.emit,
            described=tr("Stop this chat looking into the folder, and delete its index"),
        )
        self.row.addWidget(self.bar)
        self.row.addWidget(self.remove)
        theme.current().changed.connect(self._size)
        self._size()

    def show_progress(self, words: str, done: int = 0, total: int = 0) -> None:
        """Empty words take it away; with a `total` a bar tells how many files are done."""
        self.bar.setVisible(total > 0)
        self.bar.setMaximum(max(total, 1))
        self.bar.setValue(done)
        self.show_words(words)

    def show_place(self, folder: str) -> None:
        """Where the folder is: many have the same name."""
        self.words.setToolTip(plain_tip(folder))

    def _size(self) -> None:
        self.bar.setFixedSize(theme.px(BAR_PX), theme.px(6))


class ConversationPane(QWidget):
    """Places its parts by hand, because the composer stands in the middle of an empty conversation and at
    the lower end of all others. Main thread only.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_empty = True
        self.setObjectName("conversation")
        self.transcript = Transcript(self, revisable=True)
        self.empty = Greeting(self)
        self.composer = Composer(self)
        self.status = StatusLine(self)
        self.sidebar_button = IconButton(
            "sidebar",
            with_keys(tr("Show the list of chats"), "sidebar"),
            "show_sidebar",
            size=32,
            parent=self,
        )
        self.waiting = WaitingEntry(self)
        self.destination = DestinationBanner(self)
        self.folder = FolderBanner(self)
        self.frame = DestinationFrame(self)
        self.transcript.hide()
        self.composer.height_changed.connect(self.arrange)
        theme.current().changed.connect(self.arrange)
        self.setTabOrder(self.sidebar_button, self.composer.text)

    def show_waiting(self, question: Question | None) -> None:
        """The line that says that a question waits; None takes it away."""
        self.waiting.show_question(question)
        self.arrange()

    def show_destination(self, host: str, words: str) -> None:
        """That the words of this chat go to `host`, on all sides; "" takes the signs away."""
        self.destination.show_words(words)
        self.frame.setVisible(bool(words))
        self.composer.show_destination(host)
        self.arrange()

    def show_empty(self, empty: bool) -> None:
        """The greeting or the messages."""
        self.is_empty = empty
        self.empty.setVisible(empty)
        self.transcript.setVisible(not empty)
        self.arrange()

    def arrange(self) -> None:
        """Place everything for the present size."""
        width, height = self.width(), self.height()
        margin = theme.px(MARGIN_NARROW if width < theme.px(NARROW) else MARGIN)
        # The messages leave room for their scroll bar, and everything stands in line with them.
        room = width if self.is_empty else width - self.transcript.verticalScrollBar().sizeHint().width()
        column = min(theme.px(COLUMN), room - 2 * margin)
        left = (room - column) // 2 + (width - room if is_mirrored(self) else 0)
        # From the lower edge up: the status line has its height, the composer what its text needs, the
        # messages the rest.
        status = self.status.row_height
        status_top = height - status - theme.px(6)
        self.status.setGeometry(left - theme.px(6), status_top, column + theme.px(12), status)
        self.sidebar_button.move(theme.px(8), theme.px(8))
        mirror(self, width, self.sidebar_button)
        top = self._arrange_banner(width)
        if self.is_empty:
            self._arrange_empty(top, status_top)
        else:
            self._arrange_messages(left, column, (top, status_top))
        self.sidebar_button.move(self.sidebar_button.x(), top + theme.px(8))
        self.sidebar_button.raise_()
        self.waiting.setGeometry(left, top + theme.px(8), column, self.waiting.sizeHint().height())
        self.waiting.raise_()
        self.frame.setGeometry(self.rect())
        self.frame.raise_()

    def _arrange_banner(self, width: int) -> int:
        """Over everything else; returns where that begins."""
        top = 0
        for banner in (self.destination, self.folder):
            if not banner.isHidden():
                height = max(banner.sizeHint().height(), banner.heightForWidth(width))
                banner.setGeometry(0, top, width, height)
                top += height
        return top

    def _arrange_empty(self, above: int, bottom: int) -> None:
        width = self.width()
        self.empty.setGeometry(0, above, width, bottom - above)
        # Height and width of the composer depend on each other through its wrapped text, so it is placed
        # once with a guess.
        guess = self.composer.height_for(int(width * 0.6), self.height())
        left, top, column = self.empty.arrange(width, bottom - above, guess)
        height = self.composer.height_for(column, self.height())
        if height != guess:
            left, top, column = self.empty.arrange(width, bottom - above, height)
        self.composer.setGeometry(left, above + top, column, height)
        self.composer.raise_()

    def _arrange_messages(self, left: int, column: int, between: tuple[int, int]) -> None:
        first, status_top = between
        height = self.composer.height_for(column, self.height())
        top = status_top - theme.px(4) - height
        self.composer.setGeometry(left, top, column, height)
        above = (
            theme.px(44)
            if not self.sidebar_button.isHidden() and self.width() < theme.px(COLUMN + 120)
            else 0
        )
        if not self.waiting.isHidden():
            above = self.waiting.sizeHint().height() + theme.px(16)
        above += first
        self.transcript.setGeometry(QRect(0, above, self.width(), top - theme.px(8) - above))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def event(self, event: QEvent) -> bool:
        # Parts without a layout of ours ask for another size by this event alone.
        if event.type() == QEvent.Type.LayoutRequest:
            self.arrange()
        return super().event(event)


GREETING = tr_noop("What can I help you with?")


class SuggestedContent(Enum):
    """What a suggestion takes along."""

    NOTHING = "nothing"
    CLIPBOARD = "clipboard"
    SCREEN = "screen"  # the text in a part of it


@dataclass(frozen=True)
class Suggestion:
    """`opening` goes into the box; one that is `whole` is asked at once."""

    words: str
    opening: str
    along: SuggestedContent = SuggestedContent.NOTHING
    whole: bool = False


SUGGESTIONS = (
    Suggestion(
        tr_noop("Summarise my clipboard"),
        tr_noop("Summarise this text in a few sentences."),
        SuggestedContent.CLIPBOARD,
    ),
    Suggestion(
        tr_noop("What is in my Downloads?"),
        tr_noop("List my Downloads and tell me the biggest file."),
        whole=True,
    ),
    Suggestion(tr_noop("Remind me at 3 pm"), tr_noop("Remind me at 3 pm to ")),
    Suggestion(
        tr_noop("Read text from the screen"),
        tr_noop("What does this text say, in short?"),
        SuggestedContent.SCREEN,
    ),
)


class Greeting(QWidget):
    """The greeting, and the chips that the composer stands above."""

    chosen = Signal(object)  # a Suggestion

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("empty_state")
        self.greeting = QLabel(tr(GREETING), self)
        self.greeting.setObjectName("greeting")
        self.greeting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.greeting.setWordWrap(True)
        self._chip_box = QWidget(self)
        self._flow = FlowLayout(self._chip_box)
        self.chips = tuple(self._chip(suggestion) for suggestion in SUGGESTIONS)

    def arrange(self, width: int, height: int, composer_height: int) -> tuple[int, int, int]:
        """Place everything in this size; returns left, top and width for the composer."""
        column = min(width - theme.px(32), max(int(width * 0.6), theme.px(420)), theme.px(768))
        left = (width - column) // 2
        greeting = self.greeting.heightForWidth(column)
        chips = self._flow.heightForWidth(column)
        total = greeting + theme.px(24) + composer_height + theme.px(16) + chips
        # A little above the middle, where the eye takes the middle to be.
        top = max(theme.px(16), (height - total) * 2 // 5)
        self.greeting.setGeometry(left, top, column, greeting)
        composer_top = top + greeting + theme.px(24)
        chips_width = min(column, self._flow.sizeHint().width())
        chips_left = (width - chips_width) // 2
        self._chip_box.setGeometry(
            chips_left, composer_top + composer_height + theme.px(16), chips_width, chips
        )
        return left, composer_top, column

    def _chip(self, suggestion: Suggestion) -> QPushButton:
        shown = replace(suggestion, words=tr(suggestion.words), opening=tr(suggestion.opening))
        button = named(QPushButton(shown.words), "suggestion", shown.words)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.chosen.emit(shown))
        self._flow.addWidget(button)
        return button
