"""A tool card: one line that says what was called and what came of it, opens to all of it, and undoes it.

Open it shows what was changed, what was called with what, what came back, and its file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from desktop.chat.sources import file_of
from desktop.chat.store import Message
from desktop.errors import UserFacing
from desktop.gate.past_changes import PastChange
from desktop.gate.undo import UndoStatus
from desktop.memory.events import FixesFound
from desktop.memory.hindsight.hindsight import SuggestedFix, suggested
from desktop.qt.background import Background, only_logged
from desktop.qt.relay import Relay
from desktop.ui import theme
from desktop.ui.chat.answer import Dots
from desktop.ui.chat.disclosure import Disclosure
from desktop.ui.chat.message import MessageView
from desktop.ui.chat.tool_words import RUNNING, arguments_of, line_of, origin_of, reason_of, state_of
from desktop.ui.language import day_words, tr
from desktop.ui.permission.shown_text import ShownText, counts, read_change
from desktop.ui.permission.visible import plain_tip, visible
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.undo import UndoController, UndoState, problem_card
from desktop.ui.widgets.buttons import ActionRow, IconButton, action, small
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import clear, let_go, sized

if TYPE_CHECKING:
    from desktop.ui.chat.check_card import CheckJobs, CheckPanel

PADDING = 12
SIGN_PX = 23  # what the sign takes before the words of the line
MOST_CARDS = 500  # of which it is known what is offered


class ToolCard(MessageView):
    """Closed at first. The result is plain text, whatever it says."""

    group_toggled = Signal()  # the line above several cards was pressed
    file_wanted = Signal(str)  # a path as the tool was given it
    folder_wanted = Signal(str)

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(message, parent)
        self._undo_controller: UndoController | None = None
        self._undo_state = UndoState()
        self.problem: ErrorCard | None = None
        self._top = 0  # of the frame: below the line of a group
        self._folded_away = False  # with the others of its group, behind the group's line
        self.folding = Disclosure(
            "tool_card",
            tr("Show or hide what was called and what came back"),
            tr("Arguments and result"),
            0,
            self,
        )
        self.folding.use_content(self._make_details)
        self.details: ToolDetails | None = None  # once it was opened
        self.button = self.folding.button
        self.folding.toggled.connect(self.resized)
        self.group = Disclosure("tool_group", tr("Show or hide what was done"), "", 0, self)
        # It opens other cards, not a text of its own: whether they are open the transcript knows.
        self.group.button.setCheckable(False)
        self.group.button.clicked.connect(lambda _checked: self.group_toggled.emit())
        self.group.hide()
        self.reason = Label("", SMALL_PX, colour="secondary", name="tool_reason", parent=self)
        self._fixes: FixOffers | None = None
        self._jobs: CheckJobs | None = None
        self.panel: CheckPanel | None = None  # of a check that is made to pass
        self.fix_button = FixButton(self)
        self.fix_button.clicked.connect(lambda _checked: self._try_fix())
        self.undo_button = IconButton(
            "undo", tr("Undo this change"), "tool_undo", self._undo, parent=self
        ).labelled(tr("Undo"))
        self.undone = IconButton("check", tr("This change was undone"), "tool_undone", parent=self).labelled(
            tr("Undone")
        )
        self.undone.setEnabled(False)
        self.undone.hide()
        self.undo_button.hide()
        self.dots = Dots(self)  # while it runs, once one begins to wonder
        self.dots.hide()
        self._show()

    def show_message(self, message: Message) -> None:
        super().show_message(message)
        self._show()
        self._show_undo()
        self._show_fix()
        self._show_job()

    def use(self, undo_controller: UndoController) -> None:
        """Offer to undo what the call changed."""
        self._undo_controller = undo_controller
        undo_controller.changed.connect(self._on_undo_changed)
        self._show_undo()

    def use_fixes(self, fixes: FixOffers) -> None:
        """Offer what worked when such a call failed before."""
        self._fixes = fixes
        fixes.changed.connect(self._on_fix_changed)
        self._show_fix()

    def use_jobs(self, jobs: CheckJobs) -> None:
        """Show the tries of a check that is made to pass, and offer to apply what came of them."""
        from desktop.ui.chat.check_card import CheckPanel

        self._jobs = jobs
        self.panel = CheckPanel(lambda: jobs.apply(self._call_id), self)
        jobs.changed.connect(self._on_job_changed)
        self._show_job()

    def set_waiting(self, words: str) -> None:
        """What a call that runs waits for, "Waiting for the network …"; empty until one begins to wonder."""
        if words != self.dots.words:
            self.dots.set_words(words)
            self._show_dots()
            self.resized.emit()

    def show_group(self, words: str, is_open: bool) -> None:
        """This card stands first of several: show their line above it; no words, no line."""
        self._folded_away = bool(words) and not is_open
        self.group.setVisible(bool(words))
        self.group.show_line(words, "check", "success")
        self.group.show_open(is_open)
        self.folding.setVisible(not self._folded_away)

    def arrange(self, width: int) -> int:
        height = self.group.arrange(width) if not self.group.isHidden() else 0
        # The group's line stands on its first card, which is hidden behind it like the others.
        if self._folded_away:
            self.resize(width, height)
            return height
        self._top = height
        inner = width - 2 * theme.px(PADDING)
        height = self._arrange_line(inner, height + theme.px(6))
        for extra in (self.reason, self.problem, self.panel):
            if extra is not None and not extra.isHidden():
                height += self._arrange_below(extra, inner, height)
        if not self.fix_button.isHidden():
            size = self.fix_button.fit(inner)
            left = self._at(width, size.width())
            self.fix_button.setGeometry(left, height + theme.px(4), size.width(), size.height())
            height += size.height() + theme.px(8)
        height += theme.px(6)
        self.resize(QSize(width, height))
        return height

    def _arrange_below(self, part: Label | ErrorCard | CheckPanel, width: int, top: int) -> int:
        """Place it over the whole width, or below the words of the line; returns the height that it takes."""
        aside = theme.px(SIGN_PX) if part is self.reason else 0
        width -= aside
        left = theme.px(PADDING) + (0 if self._is_mirrored else aside)
        if isinstance(part, (Label, ErrorCard)):
            tall = part.heightForWidth(width)
            tall = tall if tall >= 0 else part.sizeHint().height()
        else:
            tall = part.fitted(width)
        part.setGeometry(left, top + theme.px(2), width, tall)
        return tall + theme.px(4)

    def _at(self, width: int, part: int) -> int:
        """Where a part of that width stands at the beginning of the line."""
        return width - theme.px(PADDING) - part if self._is_mirrored else theme.px(PADDING)

    def has_selection(self) -> bool:
        return self.details is not None and self.details.has_selection()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A frame around what belongs together; the line of a group stands above it."""
        super().paintEvent(event)
        if self._folded_away:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("hairline"), 1))
        painter.setBrush(theme.colour("surface_1"))
        frame = QRectF(0, self._top, self.width(), self.height() - self._top).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, theme.px(8), theme.px(8))

    # -- inside -----------------------------------------------------------------------------------

    def _arrange_line(self, width: int, top: int) -> int:
        """The line, and what can be done about it beside it; returns where the next part begins."""
        ends = (self.undo_button, self.undone, self.dots)
        beside = next((part for part in ends if not part.isHidden()), None)
        room = beside.sizeHint().width() + theme.px(8) if beside is not None else 0
        self.folding.move(theme.px(PADDING), top)
        line = self.button.sizeHint().height()
        # Open, what is below has the whole width; the line itself leaves room for what stands beside it.
        height = self.folding.arrange(width, room)
        if beside is not None:
            size = beside.sizeHint()
            # At the end of the card: there it stands below that of the card above.
            left = theme.px(PADDING) + (0 if self._is_mirrored else width - size.width())
            beside.setGeometry(left, top + (line - size.height()) // 2, size.width(), size.height())
            beside.raise_()
        return top + height

    @property
    def _is_mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _show(self) -> None:
        state = state_of(self.message)
        self.folding.show_line(line_of(self.message), state.icon, state.ink)
        if self.details is not None:
            self.details.show_message(self.message)
        self.reason.show_text(reason_of(self.message))
        self._show_dots()

    def _show_dots(self) -> None:
        self.dots.setVisible(bool(self.dots.words) and state_of(self.message) is RUNNING)

    def _make_details(self) -> ToolDetails:
        """Make them with the first opening: most cards are never opened."""
        self.details = ToolDetails(self.folding)
        self.details.file_wanted.connect(self.file_wanted)
        self.details.folder_wanted.connect(self.folder_wanted)
        self.details.show_message(self.message)
        self._show_changes()
        return self.details

    def _show_changes(self) -> None:
        """The difference of what the call wrote, once it is read."""
        if self.details is None or self._undo_controller is None or not self._changes:
            return
        details = self.details
        self._undo_controller.look_back(self._changes, lambda found: self._on_looked_back(details, found))

    def _on_looked_back(self, details: ToolDetails, found: tuple[PastChange, ...]) -> None:
        # The card may have been let go of, or its details made anew, while the disk was read.
        if details is self.details and details.show_changes(found):
            self.resized.emit()

    def _show_fix(self) -> bool:
        """True when it looks another way than before."""
        return self.fix_button.show_fix(self._fixes.offer(self.message) if self._fixes is not None else None)

    def _on_fix_changed(self, call_id: str) -> None:
        if self.message.tool is not None and self.message.tool.call_id == call_id and self._show_fix():
            self.resized.emit()

    def _try_fix(self) -> None:
        if self._fixes is not None:
            self._fixes.try_it(self.message)

    def _on_job_changed(self, call_id: str) -> None:
        if call_id == self._call_id:
            self._show_job()
            self._show_undo()
            self.resized.emit()

    def _show_job(self) -> None:
        record = self.message.tool
        if self._jobs is not None and self.panel is not None and record is not None:
            is_over = record.ending is not None
            self.panel.show_view(self._jobs.view(record.call_id, is_over), is_over)

    @property
    def _changes(self) -> tuple[int, ...]:
        if self.message.tool is None:
            return ()
        # What was applied later was no part of the call.
        applied = self._jobs.view(self._call_id, is_over=False).record if self._jobs is not None else None
        return (applied.change,) if applied is not None and applied.change else self.message.tool.changes

    @property
    def _call_id(self) -> str:
        return self.message.tool.call_id if self.message.tool is not None else ""

    def _undo(self) -> None:
        if self._undo_controller is None:
            return
        if self._changes:
            self._undo_controller.undo(self._changes)
        else:
            self._undo_controller.undo_copy(self._call_id)

    def _on_undo_changed(self) -> None:
        if self._show_undo():
            self.resized.emit()

    def _undo_state_now(self) -> UndoState:
        if self._undo_controller is None:
            return UndoState()
        if self._changes:
            return self._undo_controller.state(self._changes)
        return self._undo_controller.copy_state(self._call_id)

    def _show_undo(self) -> bool:
        """True when it looks another way than before."""
        state = self._undo_state_now()
        # The signal is for all changes of the journal; most of them are of other cards.
        if state == self._undo_state:
            return False
        self._undo_state = state
        self.undo_button.setVisible(state.is_offered)
        self.undo_button.set_words(tr("Undo: {line}", line=line_of(self.message)))
        self.undone.setVisible(state.standing is UndoStatus.UNDONE)
        self._show_problem(state)
        return True

    def _show_problem(self, state: UndoState) -> None:
        if self.problem is not None:
            let_go(self.problem)
            self.problem = None
        if state.problem is not None and self._undo_controller is not None:
            self.problem = problem_card(
                self._undo_controller, self._changes or (self._call_id,), state.problem
            )
            self.problem.setParent(self)
            self.problem.show()


SHORTEST_PX = 120  # of the call, before something else is left out


class FixButton(QPushButton):
    """Hidden until there is a fix. One line; the whole call stands in its tooltip and its description."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._fix: SuggestedFix | None = None
        self.setObjectName("tool_fix")
        self.setProperty("small", True)
        self.setIcon(theme.icon("again", "text"))
        sized(self, icon=16)
        self.hide()

    def show_fix(self, fix: SuggestedFix | None) -> bool:
        """Offer this one; True when it looks another way than before."""
        if fix == self._fix:
            return False
        self._fix = fix
        self.setVisible(fix is not None)
        if fix is not None:
            whole = _words(fix, visible(" ".join(fix.line.split())))
            self.setToolTip(plain_tip(fix.line))
            self.setAccessibleName(whole)
            self.setAccessibleDescription(
                tr("Makes this call, and asks first where such a call needs permission.")
            )
        return True

    def fit(self, width: int) -> QSize:
        """Leave out the day, then the figures, then the middle of the call, until the button is no wider."""
        fix = self._fix
        if fix is None:
            return QSize()
        line = visible(" ".join(fix.line.split()))
        # What tells most stays longest: the call that will be made.
        for words in (_words, _without_day, _call_alone):
            self.setText(words(fix, line))
            spare = self.sizeHint().width() - width
            whole = self.fontMetrics().horizontalAdvance(line)
            if spare <= 0:
                break
            if words is _call_alone or whole - spare >= theme.px(SHORTEST_PX):
                middle = Qt.TextElideMode.ElideMiddle
                self.setText(words(fix, self.fontMetrics().elidedText(line, middle, max(whole - spare, 0))))
                break
        hint = self.sizeHint()
        return QSize(min(hint.width(), width), hint.height())


def _words(fix: SuggestedFix, line: str) -> str:
    """ "Try: git push --force — worked 4 of 5 times, last 12 November"."""
    day = day_words(datetime.fromtimestamp(fix.last_at).date())
    return _shown(
        tr(
            "Try: {call} — worked {successes} of {count} times, last {day}",
            call=line,
            successes=fix.successes,
            count=fix.applications,
            day=day,
        )
    )


def _without_day(fix: SuggestedFix, line: str) -> str:
    count, successes = fix.applications, fix.successes
    words = tr(
        "Try: {call} — worked {successes} of {count} times", call=line, successes=successes, count=count
    )
    return _shown(words)


def _call_alone(_fix: SuggestedFix, line: str) -> str:
    return _shown(tr("Try: {call}", call=line))


def _shown(words: str) -> str:
    """An & is no mnemonic."""
    return words.replace("&", "&&")


LookUp = Callable[[Message], SuggestedFix | None]
Try = Callable[[int, SuggestedFix], object]


class FixOffers(QObject):
    """Known fixes for all transcripts. Main thread only; looking up and trying happen on the pool."""

    changed = Signal(str)  # the call whose offer is another
    refused = Signal(object)  # UserFacing

    def __init__(self, look_up: LookUp, try_fix: Try, relay: Relay, background: Background) -> None:
        """`look_up` finds the fix for a card that was written earlier; `try_fix` makes its call in a
        conversation.
        """
        super().__init__()
        self._look_up = look_up
        self._try_fix = try_fix
        self._background = background
        self._offers: dict[str, SuggestedFix] = {}
        self._asked: dict[str, None] = {}  # in the order in which they were
        relay.listen(FixesFound, self._on_found)

    def offer(self, message: Message) -> SuggestedFix | None:
        """What is offered for a card now; one that knows of a fix from earlier is looked up, which may make
        `changed` come.
        """
        record = message.tool
        if record is None or record.ending is None:
            return None
        # Once for each card: a card is drawn again and again while an answer grows.
        if record.hint and record.call_id not in self._asked:
            self._note_asked(record.call_id)
            self._background.run(
                self._look_up,
                message,
                done=lambda fix: self._on_looked_up(record.call_id, fix),
                failed=only_logged,  # a card of long ago is shown without its offer
            )
        return self._offers.get(record.call_id)

    def try_it(self, message: Message) -> None:
        """Make the call that is offered, with leave asked as for any call; the offer is used up."""
        # Taken away before the call is made, so that a second press cannot make it twice.
        fix = self._offers.pop(message.tool.call_id, None) if message.tool is not None else None
        if fix is None or message.tool is None:
            return
        call_id = message.tool.call_id
        self.changed.emit(call_id)
        self._background.run(
            self._try_fix,
            message.conversation_id,
            fix,
            failed=lambda error: self._on_refused(call_id, fix, error),
        )

    # -- inside -----------------------------------------------------------------------------------

    def _note_asked(self, call_id: str) -> None:
        """A card of long ago that is drawn again is looked up again."""
        self._asked[call_id] = None
        while len(self._asked) > MOST_CARDS:
            oldest = next(iter(self._asked))
            del self._asked[oldest]
            self._offers.pop(oldest, None)

    def _on_found(self, event: FixesFound) -> None:
        self._note_asked(event.call_id)
        # Where the call was repaired by itself nothing is left to press.
        fix = suggested(event.offers) if event.repaired is None else None
        if fix is not None:
            self._offers[event.call_id] = fix
            self.changed.emit(event.call_id)

    def _on_looked_up(self, call_id: str, fix: SuggestedFix | None) -> None:
        if fix is not None:
            self._offers[call_id] = fix
            self.changed.emit(call_id)

    def _on_refused(self, call_id: str, fix: SuggestedFix, error: Exception) -> None:
        """Offered again, with the reason said."""
        if not isinstance(error, UserFacing):
            raise error
        self._offers[call_id] = fix
        self.changed.emit(call_id)
        self.refused.emit(error)


TALLEST = 240  # of one box; the rest is reached by scrolling in it


class ToolDetails(QWidget):
    """Boxes in the fixed-width font. The owner gives the width. Main thread only."""

    file_wanted = Signal(str)
    folder_wanted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tool_details")
        self._file = ""
        self._column = theme.space(QVBoxLayout(self), 6, (0, 4, 0, 4))
        self.changes: list[ShownText] = []
        self._changes = theme.space(QVBoxLayout(), 6)
        self._column.addLayout(self._changes)
        self.arguments_caption = self._caption("tool_arguments_caption")
        self.arguments = self._box("tool_arguments", tr("What it was called with"))
        self.output_caption = self._caption("tool_output_caption")
        self.output = self._box("tool_output", tr("What came back"))
        self.origin = self._caption("tool_origin")
        self.open_button = action(tr("Open file"), "tool_open_file", self._on_open)
        self.folder_button = action(tr("Show in folder"), "tool_show_folder", self._on_show)
        for each in (self.open_button, self.folder_button):
            small(each)
        self._column.addLayout(ActionRow(self.open_button, self.folder_button))

    @property
    def boxes(self) -> tuple[ShownText, ...]:
        return tuple(each for each in (*self.changes, self.arguments, self.output) if not each.isHidden())

    def show_message(self, message: Message) -> None:
        """Show everything but the changes, which are read from the disk first."""
        record = message.tool
        called = arguments_of(record) if record is not None else ""
        self._fill(self.arguments, self.arguments_caption, tr("Called with"), called)
        self._fill(self.output, self.output_caption, tr("Result"), message.text.rstrip())
        self.origin.show_text(origin_of(record) if record is not None else "")
        self._file = file_of(record) if record is not None else ""
        for each in (self.open_button, self.folder_button):
            each.setVisible(bool(self._file))

    def show_changes(self, changes: Sequence[PastChange]) -> bool:
        """The difference of each file; True when there are any."""
        clear(self._changes)
        self.changes = [self._change(number, each) for number, each in enumerate(changes)]
        # The difference says what the arguments would say once more.
        if self.changes:
            self._fill(self.arguments, self.arguments_caption, "", "")
        return bool(self.changes)

    def fitted(self, width: int) -> int:
        """The height that it needs at this width."""
        for box in self.boxes:
            box.fit(width, theme.px(TALLEST))
        self._column.invalidate()
        self._column.activate()
        tall = self._column.totalHeightForWidth(width) if self._column.hasHeightForWidth() else -1
        return tall if tall >= 0 else self._column.totalSizeHint().height()

    def has_selection(self) -> bool:
        return any(box.textCursor().hasSelection() for box in self.boxes)

    def _on_open(self) -> None:
        self.file_wanted.emit(self._file)

    def _on_show(self) -> None:
        self.folder_wanted.emit(self._file)

    def _change(self, number: int, change: PastChange) -> ShownText:
        lines = read_change(change.diff)
        added, removed = counts(lines)
        words = tr(
            "{name} · +{added} −{removed}", name=visible(change.path.name), added=added, removed=removed
        )
        caption = self._caption(f"tool_change_caption_{number}", words, self._changes)
        box = ShownText(f"tool_change_{number}", words)
        caption.setBuddy(box)
        box.show_change(lines)
        self._changes.addWidget(box)
        # Qt would show them with the next turn of the loop, after the card was measured.
        for part in (caption, box):
            part.show()
        return box

    def _fill(self, box: ShownText, caption: Label, words: str, text: str) -> None:
        caption.show_text(words if text else "")
        box.show_output(text)
        box.setVisible(bool(text))

    def _box(self, name: str, words: str) -> ShownText:
        box = ShownText(name, words)
        self._column.addWidget(box)
        return box

    def _caption(self, name: str, words: str = "", column: QVBoxLayout | None = None) -> Label:
        caption = Label(words, CAPTION_PX, colour="secondary", name=name, parent=self)
        (column or self._column).addWidget(caption)
        return caption
