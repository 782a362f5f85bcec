"""The model's words in the transcript, with what it was thinking, how it ended and what it cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from PySide6.QtCore import QObject, QPointF, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from desktop.chat.fixed_answers import examples_in
from desktop.chat.messages import FilePart
from desktop.chat.sources import AnswerSource
from desktop.chat.store import Message, MessageStatus
from desktop.chat.turns import CAN_CONTINUE
from desktop.ui import theme
from desktop.ui.chat.blocks import CodeBlock, TableBlock
from desktop.ui.chat.chips import ChipRow, changed_facts, example_facts, used_facts
from desktop.ui.chat.disclosure import Disclosure
from desktop.ui.chat.markdown import Block, BlockSplitter, Code, Prose, Table
from desktop.ui.chat.message import AnswerFailure, MessageActions, MessageView, set_colour
from desktop.ui.chat.rich_text import ProseView
from desktop.ui.language import number_words, plural, tr
from desktop.ui.permission.visible import visible
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.error_card import ErrorCard, placed_card
from desktop.ui.widgets.layout import let_go, mirror, named


class AnswerView(MessageView):
    """The model's words over the full column, with what it was thinking and how it ended."""

    read_wanted = Signal(int)  # aloud, or no more

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(message, parent)
        self.thinking = ThinkingView(self)
        self.thinking.toggled.connect(self.resized)
        self.parts = PartsView(self)
        self.parts.toggled.connect(self.resized)
        self.blocks = BlockStack(self)
        self.blocks.link_clicked.connect(self.link_clicked)
        self.blocks.resized.connect(self.resized)
        self.dots = Dots(self)
        self.used = ChipRow("used", tr("Used"), self)
        self.used.opened.connect(self.source_opened)
        self.changed = ChipRow("changed", "", self)
        self.changed.opened.connect(lambda undone: self.extensions_undone.emit(self.message.id, undone))
        self.examples = ChipRow("example", "", self)
        self.examples.opened.connect(self.example_wanted.emit)
        self._sources: Callable[[], tuple[AnswerSource, ...]] = tuple
        self.footer = Footer(self)
        self.row = self.footer.row
        self._card: ErrorCard | None = None
        self._shows_thinking = True
        self.footer.copy_button.clicked.connect(self.copy)
        self.footer.again_button.clicked.connect(lambda: self.regenerate_wanted.emit(self.message.id))
        self.row.read_button.clicked.connect(lambda: self.read_wanted.emit(self.message.id))
        self.row.delete_button.clicked.connect(lambda: self.delete_wanted.emit(self.message.id))
        self.row.versions.step_wanted.connect(self._on_step)
        self.row.focus_left.connect(self.show_actions)
        self.footer.continue_button.clicked.connect(lambda: self.continue_wanted.emit(self.message.id))
        self.show_message(message)

    def show_message(self, message: Message) -> None:
        super().show_message(message)
        streaming = message.status is MessageStatus.STREAMING
        thinking = message.thinking if self._shows_thinking else ""
        # A model thinks before it answers: with the first word of the answer its thinking is over.
        self.thinking.show_thinking(thinking, message.thinking_s, streaming and not message.text)
        self.parts.show_parts(message.parts, streaming)
        self._show_words(message)
        self.dots.setVisible(streaming and not message.text)
        self._show_used()
        self.changed.show_chips([] if streaming else changed_facts(message))
        self._show_footer()

    def set_shows_thinking(self, shown: bool) -> None:
        """Whether what the model thought can be opened."""
        if shown != self._shows_thinking:
            self._shows_thinking = shown
            self.show_message(self.message)

    def set_reads_aloud(self, offered: bool, is_read: bool) -> None:
        """Whether it can be read aloud, and whether it is being read."""
        self.footer.reads_aloud = offered
        button = self.footer.row.read_button
        button.set_icon("stop" if is_read else "speaker")
        button.set_words(tr("Stop reading") if is_read else tr("Read aloud"))
        self._show_footer()

    def follow_sources(self, sources: Callable[[], tuple[AnswerSource, ...]]) -> None:
        """`sources` tells what the answer drew on; it is asked whenever the answer has changed."""
        self._sources = sources
        self._show_used()

    def set_waiting(self, words: str) -> None:
        """What the wait for the first token is about ("Loading model 43 %")."""
        self.dots.set_words(words)

    def show_failure(self, failure: AnswerFailure | None) -> None:
        """An error card under what there is of the answer."""
        if self._card is not None:
            let_go(self._card)
            self._card = None
        if failure is not None:
            self._card = placed_card(failure.error, failure.actions, self)
        self._show_footer()

    def set_last(self, last: bool) -> None:
        super().set_last(last)
        self._show_footer()

    def arrange(self, width: int) -> int:
        # Laid out by hand, as all messages are: the transcript must know a height before it shows anything,
        # and Qt's layouts settle too late for a view that never jumps.
        y = 0
        if not self.thinking.isHidden():
            self.thinking.move(0, y)
            y += self.thinking.arrange(width) + theme.px(8)
        if not self.parts.isHidden():
            self.parts.move(0, y)
            y += self.parts.arrange(width) + theme.px(8)
        self.blocks.move(0, y)
        y += self.blocks.arrange(width)
        if not self.dots.isHidden():
            self.dots.setGeometry(0, y, width, theme.px(24))
            y += theme.px(24)
        if self._card is not None:
            height = self._card.heightForWidth(width)
            # Qt answers -1 where nothing in the card wraps.
            height = height if height >= 0 else self._card.sizeHint().height()
            y += theme.px(8) if y else 0
            self._card.setGeometry(0, y, width, height)
            y += height
        for row in (self.examples, self.used, self.changed):
            if not row.isHidden():
                y += row.arrange(width, y + theme.px(8)) + theme.px(8)
        y += self.footer.arrange(width, y)
        self.resize(width, y)
        return y

    def has_selection(self) -> bool:
        return any(each.has_selection() for each in (self.blocks, self.thinking, self.parts))

    def focus_actions(self) -> bool:
        return self.footer.focus_first()

    def _show_words(self, message: Message) -> None:
        """The answer; where it ends with examples of what can be asked, these are buttons instead."""
        examples = None
        # Made by rule it has no figures, and is there at once.
        if message.status is MessageStatus.COMPLETE and not message.answer_tokens:
            examples = examples_in(message.shown)
        self.blocks.set_text(message.shown if examples is None else examples.lead)
        requests = examples.requests if examples is not None else ()
        self.examples.show_chips([example_facts(each) for each in requests])

    def _show_used(self) -> None:
        """Once the answer is there: while it grows, nothing moves under it."""
        if self.message.status is not MessageStatus.STREAMING:
            self.used.show_chips([used_facts(source) for source in self._sources()])

    def _show_footer(self) -> None:
        self.footer.show_state(
            self.message, self._last, failed_with_card=self._card is not None, revisable=self.revisable
        )
        self.show_actions()


class Footer(QWidget):
    """What stands below an answer. Its room is always kept, so that nothing moves when it appears."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("message_footer")
        self.status = QLabel(self)
        self.status.setFont(theme.font(CAPTION_PX))
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        set_colour(self.status, "warning")
        self.sign = QLabel(self)
        self.sign.setPixmap(theme.icon("warning", "warning").pixmap(theme.px(14), theme.px(14)))
        self.reads_aloud = False
        self.row = MessageActions(self, tr("Copy answer"))
        self.copy_button = self.row.copy_button
        self.again_button = self.row.again_button
        self.caption = self.row.caption
        row = self.row  # the versions stand first here
        order = (
            row.versions.previous,
            row.versions.next,
            row.copy_button,
            row.read_button,
            row.again_button,
            row.delete_button,
        )
        # Tab order is the order of making in Qt, and the row makes its versions last.
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)
        set_colour(self.caption, "secondary")
        self.continue_button = IconButton(
            "play", tr("Continue this answer"), "continue_answer", parent=self
        ).labelled(tr("Continue"))

    def show_state(self, message: Message, last: bool, failed_with_card: bool, revisable: bool) -> None:
        """What is offered for `message` as it stands."""
        # The card says already that the answer failed, and holds the way to ask again.
        words = "" if failed_with_card else status_words(message.status)
        for part in (self.status, self.sign):
            part.setVisible(bool(words))
        self.status.setText(words)
        has_begun = bool(message.text or message.parts)
        self.continue_button.setVisible(last and has_begun and message.status in CAN_CONTINUE)
        self.caption.setText(caption_of(message))
        self.row.offer(*self._offered(message, last, failed_with_card, revisable))

    def _offered(
        self, message: Message, last: bool, failed_with_card: bool, revisable: bool
    ) -> list[QWidget]:
        if message.status is MessageStatus.STREAMING:
            return []
        offered: list[QWidget] = [self.copy_button] if message.text else []
        if self.reads_aloud and message.text:
            offered.append(self.row.read_button)
        if (last or revisable) and not failed_with_card:
            offered.append(self.again_button)
        if revisable:
            offered.append(self.row.delete_button)
        return [*offered, self.caption] if self.caption.text() else offered

    def focus_first(self) -> bool:
        """Give the focus to the first action."""
        if not self.continue_button.isHidden():
            self.continue_button.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return self.row.focus_first()

    def arrange(self, width: int, y: int) -> int:
        """Place everything for `width` at `y`; returns the height."""
        top = theme.px(4)
        if self.status.text():
            top = self._arrange_status(theme.px(28))
            mirror(self, width, self.sign, self.status, self.continue_button)
        row = self.row.arrange(width)
        self.row.setGeometry(0, top, width, row)
        self.setGeometry(0, y, width, top + row)
        return top + row

    def _arrange_status(self, row: int) -> int:
        top = theme.px(8)
        self.sign.setGeometry(0, top, theme.px(18), row)
        size = self.status.sizeHint()
        self.status.setGeometry(theme.px(20), top, size.width(), row)
        hint = self.continue_button.sizeHint()
        self.continue_button.setGeometry(theme.px(28) + size.width(), top, hint.width(), row)
        return top + row


def status_words(status: MessageStatus) -> str:
    """How an answer ended, where that has to be said."""
    return {
        MessageStatus.STOPPED: tr("Stopped by you"),
        MessageStatus.SUPERSEDED: tr("Ended for your newer message"),
        MessageStatus.LENGTH: tr("Stopped at the length limit"),
        MessageStatus.CONTEXT_FULL: tr("Stopped because the context is full"),
        MessageStatus.REPEATED: tr("Stopped because it repeated itself"),
        MessageStatus.INTERRUPTED: tr("Interrupted when Steward ended"),
        MessageStatus.FAILED: tr("This answer failed"),
    }.get(status, "")


def caption_of(message: Message) -> str:
    """What an answer cost: "512 tokens · 11 tok/s · 46 s", and which model on which host wrote it, where that
    was not on this computer."""
    # Answers by rule, and those of older versions, have no figures.
    where = visible(message.model) if message.host else ""
    if not message.answer_tokens:
        return where
    tokens = plural("{count} token", "{count} tokens", message.answer_tokens)
    rate, time = number_words(message.tokens_per_s, 1), number_words(message.total_s, 1)
    speed = tr("{speed} tok/s", speed=rate) if message.tokens_per_s else ""
    parts = (tokens, speed, tr("{seconds} s", seconds=time), where)
    return " · ".join(part for part in parts if part)


TALLEST = 192
MINUTE_S = 60


class ThinkingView(Disclosure):
    """Hidden where there was no thinking."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "thinking",
            tr("Show or hide what the model was thinking"),
            tr("What the model was thinking"),
            TALLEST,
            parent,
        )
        self.hide()

    def show_thinking(self, thinking: str, seconds: float | None, going_on: bool) -> None:
        """What there is of it up to now, and how long it took."""
        self.setVisible(bool(thinking))
        self.show_line(tr("Thinking…") if going_on else _words(seconds))
        self.show_text(thinking)


def _words(seconds: float | None) -> str:
    return tr("Thought") if seconds is None else tr("Thought for {seconds} s", seconds=max(1, round(seconds)))


class PartsView(Disclosure):
    """How much of a text was read for an answer; open, every part with its lines and its summary."""

    def __init__(self, parent: QWidget | None = None) -> None:
        tip = tr("Show or hide what was read, part by part")
        super().__init__("read_parts", tip, tr("Summaries of the parts"), TALLEST, parent)
        self.hide()

    def show_parts(self, parts: Sequence[FilePart], going_on: bool) -> None:
        """`going_on`: the next one is being read."""
        self.setVisible(bool(parts))
        if parts:
            self.show_line(parts_words(parts, going_on))
            self.show_text("\n\n".join(f"{_lines(part)}\n{part.text}" for part in parts if part.text))


def parts_words(parts: Sequence[FilePart], going_on: bool) -> str:
    """ "Part 3 of 12, about 2 min", "All 12 parts were read", "3 of 12 parts read: …"."""
    last = parts[-1]
    done = [part for part in parts if part.text]
    if going_on and not last.text:
        words = tr("Part {number} of {parts}", number=last.number, parts=last.of)
        return f"{words}, {left_words(done, last)}" if done else words
    if done and done[-1].number >= done[-1].of:
        return plural("The one part was read", "All {count} parts were read", len(done))
    return tr(
        "{count} of {parts} parts read: lines 1 to {line:,} of {lines:,}",
        parts=last.of,
        count=len(done),
        line=done[-1].last if done else 0,
        lines=last.lines,
    )


def left_words(done: Sequence[FilePart], current: FilePart) -> str:
    """About how long the parts that are left take, by those that are done."""
    each_s = sum(part.seconds for part in done) / len(done)
    left_s = each_s * (current.of - current.number + 1)
    if left_s < MINUTE_S:
        return tr("less than a minute")
    return plural("about {count} min", "about {count} min", round(left_s / MINUTE_S))


def _lines(part: FilePart) -> str:
    return tr(
        "Part {number}: lines {first:,} to {last:,}", number=part.number, first=part.first, last=part.last
    )


STEP_MS = 300


class Dots(QWidget):
    """One dot after the other is darker; all are still where the system asks for less motion."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ""
        self._step = 0
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.timeout.connect(self._on_step)
        named(self, "waiting", tr("Waiting for the answer"))

    def set_words(self, words: str) -> None:
        """What is being waited for; empty for the dots alone."""
        self.words = words
        self.setAccessibleName(words or tr("Waiting for the answer"))
        self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetrics(theme.font(SMALL_PX)).horizontalAdvance(self.words)
        return QSize(theme.px(40) + words, theme.px(24))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not theme.current().reduced_motion:
            self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle = self.height() / 2
        for number in range(3):
            lit = number == self._step % 3
            painter.setBrush(theme.colour("text" if lit else "control_border"))
            painter.drawEllipse(
                QPointF(theme.px(4) + number * theme.px(10), middle), theme.px(3), theme.px(3)
            )
        painter.setPen(theme.colour("secondary"))
        painter.setFont(theme.font(SMALL_PX))
        left = theme.px(40)
        room = QRect(left, 0, self.width() - left, self.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.words)

    def _on_step(self) -> None:
        self._step += 1
        self.update()


Part = ProseView | CodeBlock | TableBlock
Run = tuple[
    Block, ...
]  # blocks that share a widget: one code block, one table, or prose that stands together


class BlockStack(QWidget):
    """Shows markdown that may grow. The owner gives the width. Main thread only."""

    link_clicked = Signal(str)
    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._splitter = BlockSplitter()
        self._runs: list[Run] = []
        self._parts: list[Part] = []
        self._heights: list[int] = []
        self._width = -1

    def set_text(self, text: str) -> None:
        """Show `text`; what was already shown of it is not drawn again."""
        if text == self._text:
            return
        # A streamed answer only grows. Anything else, such as another version, is split from the beginning.
        if text.startswith(self._text):
            self._splitter.append(text[len(self._text) :])
        else:
            self._splitter = BlockSplitter(text)
        self._text = text
        self._show(runs_of(self._splitter.blocks))

    def arrange(self, width: int) -> int:
        """Take `width` and return the height."""
        y = 0
        for number, part in enumerate(self._parts):
            y += theme.px(12) if number else 0
            if width != self._width or self._heights[number] < 0:
                self._heights[number] = part.arrange(width)
            # A table takes the width that it needs, from the side where its reading begins.
            from_right = isinstance(part, TableBlock) and part.view.is_from_right
            part.move(width - part.width() if from_right else 0, y)
            y += self._heights[number]
        self._width = width
        self.resize(width, y)
        return y

    def has_selection(self) -> bool:
        return any(part.has_selection() for part in self._parts)

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(self._parts)

    def _on_part_resized(self) -> None:
        self._heights = [-1] * len(self._parts)
        self.resized.emit()

    def _show(self, runs: Sequence[Run]) -> None:
        for number, run in enumerate(runs):
            # Parts that are done keep their widget: a selection in them holds while the answer grows on
            # below.
            if number < len(self._runs) and self._runs[number] == run:
                continue
            if number < len(self._parts) and _fits(self._parts[number], run):
                _fill(self._parts[number], run)
            else:
                self._put(number, run)
            self._heights[number] = -1
        for part in self._parts[len(runs) :]:
            _remove(part)
        del self._parts[len(runs) :], self._heights[len(runs) :]
        self._runs = list(runs)

    def _put(self, number: int, run: Run) -> None:
        """A new part, in the place of an old one of another kind if there is one."""
        part = self._make(run)
        part.show()
        if number < len(self._parts):
            _remove(self._parts[number])
            self._parts[number] = part
        else:
            self._parts.append(part)
            self._heights.append(-1)

    def _make(self, run: Run) -> Part:
        first = run[0]
        if isinstance(first, Code):
            code = CodeBlock(first, self)
            code.resized.connect(self._on_part_resized)
            return code
        if isinstance(first, Table):
            table = TableBlock(first.text, self)
            table.view.link_clicked.connect(self.link_clicked)
            table.view.resized.connect(self._on_part_resized)
            return table
        prose = ProseView(self)
        prose.link_clicked.connect(self.link_clicked)
        prose.resized.connect(self._on_part_resized)
        _fill(prose, run)
        return prose


def runs_of(blocks: Sequence[Block]) -> list[Run]:
    """Neighbouring prose together, so that a selection can span paragraphs."""
    runs: list[Run] = []
    for block in blocks:
        if isinstance(block, Prose) and runs and isinstance(runs[-1][0], Prose):
            runs[-1] = (*runs[-1], block)
        else:
            runs.append((block,))
    return runs


def _fits(part: Part, run: Run) -> bool:
    kinds = {Code: CodeBlock, Table: TableBlock, Prose: ProseView}
    return isinstance(part, kinds[type(run[0])])


def _fill(part: Part, run: Run) -> None:
    first = run[0]
    if isinstance(part, CodeBlock) and isinstance(first, Code):
        part.set_code(first)
    elif isinstance(part, TableBlock):
        part.set_source(first.text)
    elif isinstance(part, ProseView):
        part.set_pieces([block.text for block in run])


def _remove(part: QObject) -> None:
    assert isinstance(part, QWidget)
    let_go(part)
