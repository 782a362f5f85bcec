"""What a card shows while a check is made to pass, and afterwards: the tries, the difference, and Apply.

How it ended, and where a person would look, is the answer below the card, which also is where no card is
(Quick-ask, a terminal, an export); here it is not said a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.builder.job import CheckProgress, CheckRecorded, Improvement, LoopState, Round, Stage, TestStatus
from desktop.builder.proposals import JobRecord, RoundRecord
from desktop.builder.tool import CheckFixing
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.ui import theme
from desktop.ui.language import tr, tr_noop, words_of
from desktop.ui.permission.shown_text import ShownText, read_change
from desktop.ui.permission.visible import visible
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import action
from desktop.ui.widgets.labels import Label

FAILURE_LINES = 3  # of a try: what failed stands at the end of what a test says
LONGEST_LINE = 160  # characters

_STAGES = {
    Stage.COPYING: tr_noop("Making a copy of the project"),
    Stage.CHECKING: tr_noop("Running the check as it is, twice"),
    Stage.WRITING: tr_noop("Try {number} of {rounds}: the model writes {function}"),
    Stage.BUILDING: tr_noop("Building"),
    Stage.TESTING: tr_noop("Running the check"),
}
_IMPROVEMENTS = {
    Improvement.RETRY: tr_noop("{number}. Corrected"),
    Improvement.REFINE: tr_noop("{number}. Tried again"),
    Improvement.ESCALATE: tr_noop("{number}. Rewritten"),
}
_STATUSES = {
    TestStatus.PASSED: tr_noop("the check passes"),
    TestStatus.FAILED: tr_noop("the check fails"),
    TestStatus.TIMED_OUT: tr_noop("the check did not end in time"),
    TestStatus.CUT_OFF: tr_noop("the check was ended: it used too much"),
    TestStatus.NOT_BUILT: tr_noop("it cannot be built"),
    TestStatus.CHEATED: tr_noop("it proves nothing: tests or the file were changed, or tests left out"),
    TestStatus.NOT_RUN: tr_noop("not run: nothing new was written"),
}


@dataclass(frozen=True)
class JobView:
    """What is known of a call: how far it is, and what is kept of it once it is over."""

    state: LoopState | None = None
    record: JobRecord | None = None
    problem: UserFacing | None = None
    is_busy: bool = False


class CheckJobs(QObject):
    """For all transcripts. Main thread only; what is kept is read and applied on the pool."""

    changed = Signal(str)  # the call

    def __init__(self, fixing: Callable[[], CheckFixing], relay: Relay, background: Background) -> None:
        """`fixing` is asked with the first card of this kind, on the pool."""
        super().__init__()
        self._fixing = fixing
        self._background = background
        self._views: dict[str, JobView] = {}
        self._asked: set[str] = set()
        relay.listen(CheckProgress, self._on_progress)
        relay.listen(CheckRecorded, lambda event: self._look_up(event.call_id))

    def view(self, call_id: str, is_over: bool) -> JobView:
        """What is known now. A card from earlier is looked up once, and so is the state of a call that had
        begun before anybody listened; then `changed` comes.
        """
        known = self._views.get(call_id)
        if is_over and call_id not in self._asked and (known is None or known.record is None):
            self._look_up(call_id)
        elif not is_over and known is None:
            self._views[call_id] = JobView()
            self._background.run(
                lambda: self._fixing().state(call_id),
                done=lambda state: self._on_begun(call_id, state),
                failed=lambda error: self._on_failed(call_id, error),
            )
        return self._views.get(call_id, JobView())

    def apply(self, call_id: str) -> None:
        """The user has pressed it. Once: a second press while it is written finds it busy."""
        view = self._views.get(call_id, JobView())
        if view.is_busy:
            return
        self._put(call_id, JobView(view.state, view.record, None, is_busy=True))
        self._background.run(
            lambda: self._fixing().apply(call_id),
            done=lambda _change: self._look_up(call_id),
            failed=lambda error: self._on_failed(call_id, error),
        )

    # -- inside -----------------------------------------------------------------------------------

    def _on_progress(self, event: CheckProgress) -> None:
        self._put(event.call_id, JobView(event.state))

    def _on_begun(self, call_id: str, state: LoopState | None) -> None:
        # An event that has come since knows more.
        if state is not None and self._views[call_id].state is None:
            self._put(call_id, JobView(state))

    def _look_up(self, call_id: str) -> None:
        self._asked.add(call_id)
        self._background.run(
            lambda: self._fixing().record(call_id),
            done=lambda record: self._on_found(call_id, record),
            failed=lambda error: self._on_failed(call_id, error),
        )

    def _on_found(self, call_id: str, record: JobRecord | None) -> None:
        self._put(call_id, JobView(self._views.get(call_id, JobView()).state, record))

    def _on_failed(self, call_id: str, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        view = self._views.get(call_id, JobView())
        self._put(call_id, JobView(view.state, view.record, error))

    def _put(self, call_id: str, view: JobView) -> None:
        self._views[call_id] = view
        self.changed.emit(call_id)


class CheckPanel(QWidget):
    """Below the line of a card. Main thread only."""

    def __init__(self, apply: Callable[[], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("check_panel")
        self.now = Label("", SMALL_PX, colour="secondary", name="check_now")
        self.tries = Label("", SMALL_PX, name="check_tries")
        self.change = ShownText("check_change", tr("What would be changed"))
        self.problem = Label("", SMALL_PX, colour="danger", name="check_problem")
        self.apply_button = action(
            tr("Apply"),
            "check_apply",
            apply,
            described=tr("Write this change into your file; it can be undone"),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(4), 0, theme.px(4))
        column.setSpacing(theme.px(4))
        for each in (self.now, self.tries, self.change, self.problem):
            column.addWidget(each)
        column.addWidget(self.apply_button, 0, Qt.AlignmentFlag.AlignLeading)
        self.hide()

    def show_view(self, view: JobView, is_over: bool = False) -> None:
        """All of it anew; hidden while there is nothing to show. A call that was stopped is over before its
        job has come to its end and says so.
        """
        record, state = view.record, view.state
        is_running = record is None and not is_over
        self.now.show_text(now_words(state) if state is not None and is_running else "")
        rounds = record.rounds if record is not None else state.done if state is not None else ()
        self.tries.show_text("\n".join(map(round_words, rounds)))
        proposal = record.proposal if record is not None else None
        self.change.setVisible(proposal is not None)
        if proposal is not None:
            self.change.show_change(read_change(proposal.diff))
        self.problem.show_text(words_of(view.problem.reason) if view.problem is not None else "")
        self.apply_button.setVisible(record is not None and record.may_be_applied)
        self.apply_button.setEnabled(not view.is_busy)
        shown = (self.now, self.tries, self.problem)
        self.setVisible(proposal is not None or any(each.text() for each in shown))

    def fitted(self, width: int) -> int:
        """The height that it needs at this width."""
        if not self.change.isHidden():
            self.change.fit(width)
        layout = self.layout()
        assert layout is not None
        layout.activate()
        tall = layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else -1
        return tall if tall >= 0 else layout.totalSizeHint().height()


def now_words(state: LoopState) -> str:
    """What is being done at the moment; "" at the end."""
    if state.stage not in _STAGES:
        return ""
    function = state.place.function if state.place is not None else ""
    words = tr(_STAGES[state.stage], number=state.iteration, rounds=state.rounds, function=visible(function))
    return f"{words}…"


def round_words(done: Round | RoundRecord) -> str:
    """One try: what it was, how the check ended, how many tests pass, and what failed."""
    if isinstance(done, Round):
        status, passed, failed = done.test.status, done.test.passed, done.test.failed
    else:
        status, passed, failed = TestStatus(done.status), done.passed, done.failed
    what = tr(_IMPROVEMENTS[Improvement(done.improvement)], number=done.number)
    counted = ""
    if passed is not None and failed:
        counted = tr(", {passed} of {total} tests pass", passed=passed, total=passed + failed)
    line = f"{what}: {tr(_STATUSES[status])}{counted}"
    # What was expected and what came stands at the end of what a test says.
    failure = [each for each in done.failure.splitlines() if each.strip(" ^~|-_=")][-FAILURE_LINES:]
    return "\n".join([line, *(f"    {visible(' '.join(each.split()))[:LONGEST_LINE]}" for each in failure)])
