"""The Activity page: what coding agents wanted to do, how it was answered, and why."""

from __future__ import annotations

import csv
import json
import math
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Protocol

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QVBoxLayout,
)

from desktop.agents.action import HookChoice
from desktop.agents.events import DecidedBy, HookAsked, HookDecided, HookRan, PauseChanged
from desktop.errors import UserFacing
from desktop.gate.projects import Projects
from desktop.gate.redaction import Redactor
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.ui.language import plural, tr, tr_noop
from desktop.ui.pages.activity_model import KEPT, ActivityModel, FilteredActivity, Row, agent_title, row_words
from desktop.ui.pages.activity_table import ActivityDetails, ActivityFilter, ActivityTable
from desktop.ui.pages.page import Page
from desktop.ui.pages.permission_sections import ProjectModes
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.reasons import WindowReason
from desktop.ui.save_dialog import ask_where
from desktop.ui.theme import CAPTION_PX
from desktop.ui.undo import UndoController
from desktop.ui.widgets.buttons import ActionRow, action, relabel
from desktop.ui.widgets.cards import Notice, OutcomeLine
from desktop.ui.widgets.details import ListWithDetails
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import ScrollColumn, sized
from desktop.ui.widgets.lists import EmptyState, FirstStep, copy_text

FLUSH_MS = 80  # many hooks a second become one change of the table
SAYS = tr_noop("What coding agents wanted to do since Steward started, how it was answered, and why.")
TALLIES = {"asked": tr_noop("{count:,} asked"), "denied": tr_noop("{count:,} denied")}
NOT_FOUND = tr_noop("No line matches. Choose another agent, class or answer, or search for something else.")
FORMATS = (tr_noop("Table (*.csv)"), tr_noop("JSON lines (*.jsonl)"))


class Hooks(Protocol):
    """What the page needs of the handler of hooks. Any thread."""

    @property
    def recent(self) -> tuple[HookDecided, ...]: ...

    @property
    def waiting(self) -> tuple[HookAsked, ...]: ...

    @property
    def paused_until(self) -> float | None: ...

    def pause(self, seconds: float) -> None: ...

    def resume(self) -> None: ...


class ActivityPage(Page):
    """Listens from the moment it is made. Main thread only."""

    title = tr_noop("Activity")
    icon = "activity"

    question_requested = Signal()  # bring the question that waits
    permissions_requested = Signal()
    changes_requested = Signal()

    def __init__(
        self,
        hooks: Hooks,
        relay: Relay,
        background: Background,
        redactor: Redactor,
        projects: Projects | None = None,
        undo_controller: UndoController | None = None,
    ) -> None:
        """`undo_controller` takes back what a command changed; None: nothing is taken back here."""
        super().__init__(tr(SAYS))
        self.projects = ProjectModes(projects, relay, background) if projects is not None else None
        self._hooks = hooks
        self._background = background
        self._redactor = redactor
        self._coming: list[Row] = []
        self._agents: Counter[str] = Counter()
        self._tallies: Counter[tuple[str, str]] = Counter()
        self._newer = 0
        self.model = ActivityModel()
        self.chosen = FilteredActivity(self.model)
        self._build(undo_controller)
        self._timer = QTimer(self, singleShot=True, interval=FLUSH_MS)
        self._timer.timeout.connect(self.flush)
        relay.listen(HookAsked, self._on_row)
        relay.listen(HookDecided, self._on_row)
        relay.listen(HookRan, self._on_ran)
        relay.listen(PauseChanged, lambda event: self._show_pause(event.until))
        sized(self.splitter, min_height=240)
        self._take_in([*hooks.recent, *hooks.waiting])
        self._show_pause(hooks.paused_until)

    def shown(self) -> None:
        """Bring the clock and the list up to date."""
        self._show_pause(self._hooks.paused_until)
        self.flush()

    def flush(self) -> None:
        """Show what has come in since the last time."""
        rows, self._coming = self._coming, []
        if rows:
            self._take_in(rows)

    # -- what comes in ----------------------------------------------------------------------------

    def _on_row(self, row: Row) -> None:
        self._coming.append(row)
        # A page out of sight still collects, so that opening it shows what happened meanwhile.
        del self._coming[:-KEPT]  # hidden for days, it needs no more than it shows
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    def _on_ran(self, event: HookRan) -> None:
        """A confined command has ended: its row tells how."""
        # The row may still be among those that wait for the next change of the table.
        self.flush()
        before = self.details.row
        self.model.tell_end(event)
        if before is not None and before.id == event.id:
            self._on_current(self.table.currentIndex(), QModelIndex())

    def _take_in(self, rows: list[Row]) -> None:
        before = self.chosen.rowCount()
        reading = self.table.is_read
        decided: list[HookDecided] = []
        self.table.keep_place(lambda: decided.extend(self.model.take_in(rows)))
        # Counted by what is shown: lines that the filter leaves out are not announced as newer.
        if reading:
            self._newer += max(0, self.chosen.rowCount() - before)
        for row in decided:
            self._count(row)
        self.filter.offer_agents(row.agent for row in rows)
        self._show_shown()
        self._on_current(self.table.currentIndex(), QModelIndex())

    def _count(self, row: HookDecided) -> None:
        self._agents[row.agent] += 1
        # A question that nobody answered was asked all the same.
        if row.by in (DecidedBy.USER, DecidedBy.NOBODY):
            self._tallies[row.agent, "asked"] += 1
        if row.choice is HookChoice.DENY:
            self._tallies[row.agent, "denied"] += 1

    def _tally(self, agent: str) -> str:
        parts = [tr("{count:,} checked", count=self._agents[agent])]
        numbers = {words: self._tallies[agent, name] for name, words in TALLIES.items()}
        parts += [tr(words, count=number) for words, number in numbers.items() if number]
        return f"{agent_title(agent)}: {', '.join(parts)}"

    def _show_shown(self) -> None:
        """How many lines there are, which of the three faces is shown, and what came above."""
        shown, known = self.chosen.rowCount(), self.model.rowCount()
        lines = plural("{count} line", "{count:,} lines", shown)
        shown_words = lines if self.chosen.is_open else tr("{lines} of {known:,}", lines=lines, known=known)
        tallies = [breakable(self._tally(agent)) for agent in sorted(self._agents)]
        self.counts.show_text(" · ".join([shown_words, *tallies]) if known else "")
        self.nothing.setVisible(not known)
        self.empty.show_text(tr(NOT_FOUND) if known and not shown else "")
        self.splitter.setVisible(bool(shown))
        for widget in (self.filter, self.export_button):
            widget.setVisible(bool(known))
        self.pause_button.setVisible(bool(known) and self.bar.until is None)
        self.newest.setVisible(self._newer > 0 and bool(shown))
        relabel(self.newest, tr("Show {count:,} newer", count=self._newer))

    # -- what the user does -----------------------------------------------------------------------

    def _on_filter(self) -> None:
        self._newer = 0
        self.chosen.choose(*self.filter.wanted)
        self.table.scrollToTop()
        self._show_shown()

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self.details.show_row(self.chosen.row(current))

    def _on_activated(self, index: QModelIndex) -> None:
        # Only a question that waits leads anywhere; a verdict is told in the details already.
        if isinstance(self.chosen.row(index), HookAsked):
            self.question_requested.emit()

    def _on_scrolled(self, value: int) -> None:
        if value == 0 and self._newer:
            self._newer = 0
            self._show_shown()

    def _show_newest(self) -> None:
        self._newer = 0
        self.table.clearSelection()
        # A chosen line counts as reading, and would hold the table where it is.
        self.table.setCurrentIndex(QModelIndex())
        self.table.scrollToTop()
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_shown()

    def _copy(self) -> None:
        row = self.chosen.row(self.table.currentIndex())
        if row is not None:
            copy_text(row_words(row))
            self.outcome.say(tr("The line was copied."))

    def _pause(self) -> None:
        self._background.run(self._hooks.pause, PAUSE_S, failed=self.outcome.refuse)

    def _resume(self) -> None:
        self._background.run(self._hooks.resume, failed=self.outcome.refuse)

    def _show_pause(self, until: float | None) -> None:
        had_focus = self.bar.button.hasFocus()
        self.bar.show_pause(until)
        self._show_shown()
        # The button that had the keyboard is gone with the bar; its opposite takes its place.
        if had_focus and self.bar.until is None:
            self.pause_button.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- exporting --------------------------------------------------------------------------------

    def _choose_file(self) -> None:
        kinds = tuple(tr(words) for words in FORMATS)
        self.dialog = ask_where(self, tr("Export the lines"), "steward-activity.csv", kinds, self.export)

    def export(self, path: Path) -> None:
        """Write what is chosen, secrets replaced, to a file: CSV or, by any other ending, JSON lines."""
        self._background.run(
            export_to,
            path,
            self.chosen.rows,
            self._redactor,
            done=lambda count: self._on_exported(path, count),
            failed=self.outcome.refuse,
        )

    def _on_undone(self, words: str) -> None:
        if self.isVisible():
            self.outcome.say(breakable(words))

    def _on_exported(self, path: Path, count: int) -> None:
        words = plural(
            "{count} line was written to {path}. Secrets were left out.",
            "{count:,} lines were written to {path}. Secrets were left out.",
            count,
            path=visible(str(path)),
        )
        self.outcome.say(breakable(words))

    # -- building ---------------------------------------------------------------------------------

    def _build(self, undo_controller: UndoController | None) -> None:
        self.bar = PauseBar()
        self.bar.acted.connect(self._resume)
        self.filter = ActivityFilter()
        self.filter.changed.connect(self._on_filter)
        self.counts = Label("", CAPTION_PX, colour="secondary", name="activity_counts")
        self.empty = EmptyState("activity_not_found")
        self.nothing = FirstStep("activity_empty", "shield", tr(EMPTY_SAYS), tr(HOW), COMMAND)
        self._make_list(undo_controller)
        self.outcome = OutcomeLine("activity_result")
        self._scroll = ScrollColumn("activity_scroll")  # where a window is too low for all of it
        body = self._scroll.body
        body.addWidget(self.bar)
        if self.projects is not None:
            ended = tr("Project mode has ended. Agents ask again.")
            self.projects.ended.connect(lambda _project: self.outcome.say(ended))
            self.projects.failed.connect(self.outcome.refuse)
            body.addWidget(self.projects)
        for widget in (self.filter, self.empty, self.nothing):
            body.addWidget(widget)
        body.addWidget(self.splitter, 1)
        body.addLayout(self.outcome)
        body.addLayout(self._lower_row())
        body.addStretch(0)
        self.column.addWidget(self._scroll, 1)

    def _make_list(self, undo_controller: UndoController | None) -> None:
        self.table = ActivityTable(self.chosen)
        self.details = ActivityDetails(undo_controller)
        if undo_controller is not None:
            undo_controller.undone.connect(self._on_undone)
        self.details.question_requested.connect(self.question_requested)
        self.details.changes_requested.connect(self.changes_requested)
        self.splitter = ListWithDetails("activity", self.table, self.details, (1, 1))
        self.splitter.setSizes([500, 500])
        self.table.selectionModel().currentChanged.connect(self._on_current)
        self.table.activated.connect(self._on_activated)
        self.table.copied.connect(self._copy)
        self.table.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def _lower_row(self) -> QVBoxLayout:
        self.newest = action("", "activity_newest", self._show_newest)
        self.pause_button = action(tr("Pause for ten minutes"), "activity_pause", self._pause)
        grants = action(tr("Show permissions"), "activity_grants", self.permissions_requested.emit)
        self.export_button = action(tr("Export…"), "activity_export", self._choose_file)
        lower = QVBoxLayout()
        lower.addWidget(self.counts)
        lower.addLayout(ActionRow(self.newest, self.pause_button, grants, self.export_button))
        return lower


PAUSE_S = 600.0
TICK_MS = 500


class PauseBar(Notice):
    """Hidden unless the gate pauses. `Resume` is its only button. Main thread only."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        resume = action(tr("Resume"), "activity_resume", described=tr("Start checking agents again"))
        super().__init__("activity_pause", "", resume)
        self._now = now
        # When the pause ends, in seconds since 1970; None while there is none.
        self.until: float | None = None
        # Only while the bar is shown: nothing ticks in an idle window.
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._tick)

    def show_pause(self, until: float | None) -> None:
        """Count down to `until`, or go away."""
        self.until = until if until is not None and until > self._now() else None
        if self.until is None:
            self._timer.stop()
        else:
            self._timer.start()
        self.setVisible(self.until is not None)
        self._tick()

    def _tick(self) -> None:
        if self.until is None:
            return
        # Rounded up, so that 0:01 is the last thing shown and never 0:00.
        left_s = math.ceil(self.until - self._now())
        if left_s <= 0:
            self.show_pause(None)
            return
        clock = f"{datetime.fromtimestamp(self.until):%H:%M}"
        self.words.setText(
            tr(
                "Paused until {clock}, {left} left. Steward has no opinion until then: agents follow "
                "their own rules.",
                clock=clock,
                left=f"{left_s // 60}:{left_s % 60:02d}",
            )
        )


COMMAND = "steward agents install"
EMPTY_SAYS = tr_noop("No coding agent has asked yet.")
HOW = tr_noop("Protect the agents on this computer with one command in a terminal:")

COLUMNS = (
    "time",
    "agent",
    "session",
    "folder",
    "tool",
    "command",
    "class",
    "flags",
    "reason",
    "tier",
    "answer",
    "by",
    "ms",
)

# A spreadsheet takes a cell that begins so for a formula (OWASP, "CSV injection").
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_to(path: Path, rows: Iterable[Row], redactor: Redactor) -> int:
    """Write the decided ones, the oldest first, secrets replaced; returns how many.

    The file's ending says how: `.csv`, else JSON lines. It is there whole or not at all. Raises UserFacing.
    """
    # The oldest first, as logs are read; what still waits has no verdict to be written.
    records = [_record(row, redactor) for row in reversed(list(rows)) if isinstance(row, HookDecided)]
    write = _write_csv if path.suffix.lower() == ".csv" else _write_json
    try:
        _replace(path, lambda file: write(file, records))
    except OSError as error:
        raise UserFacing(WindowReason.EXPORT_FAILED.of(error=error.strerror or str(error))) from error
    return len(records)


def _record(row: HookDecided, redactor: Redactor) -> dict[str, Any]:
    at = datetime.fromtimestamp(row.at, UTC).isoformat(timespec="milliseconds")
    values = (
        at,
        row.agent,
        row.session,
        row.folder,
        row.tool,
        redactor.text(row.text),
        row.classed,
        list(row.flags),
        redactor.text(str(row.reason or "")),
        row.tier,
        row.choice.value,
        row.by.value,
        round(row.ms, 3),
    )
    return dict(zip(COLUMNS, values, strict=True))


def _write_csv(file: IO[str], records: Iterable[dict[str, Any]]) -> None:
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for record in records:
        writer.writerow([_cell(value) for value in record.values()])


def _cell(value: Any) -> str:
    text = " ".join(value) if isinstance(value, list) else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _write_json(file: IO[str], records: Iterable[dict[str, Any]]) -> None:
    for record in records:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _replace(path: Path, write: Callable[[IO[str]], None]) -> None:
    # In the same folder, because a rename is atomic only within one file system.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    part = Path(name)
    try:
        # Commands may hold halves of surrogate pairs, which UTF-8 refuses.
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            write(file)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
