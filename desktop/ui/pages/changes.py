"""The Changes page: what Steward and its agents changed in files, each with its way back."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from desktop.agents.events import HookDecided, HookRan
from desktop.gate.journal import COMMAND, ChangeKind, EntryState, Journal, JournalEntry
from desktop.gate.undo import UNDO
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.tools.calls import ToolEnded
from desktop.ui import theme
from desktop.ui.language import moment_words, plural, size_text, tr, tr_noop
from desktop.ui.pages.page import Page
from desktop.ui.theme import CAPTION_PX
from desktop.ui.undo import UndoController, UndoState, problem_card
from desktop.ui.widgets.buttons import action
from desktop.ui.widgets.cards import Confirm, Row
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import AROUND, EDGE, ScrollColumn, inset, named, order_tabs
from desktop.ui.widgets.lists import EmptyWords, FilteredList

AT_ONCE = 50  # rows; more on demand
SAYS = tr_noop(
    "Files that were written, moved or deleted, the newest first. Undo puts back what was there before."
)
NOTHING_YET = tr_noop(
    "Steward has not changed any file yet. What it changes with your permission is listed here, with Undo."
)

_ICONS = {
    ChangeKind.WRITE: "edit",
    ChangeKind.MOVE: "move",
    ChangeKind.DELETE: "trash",
    ChangeKind.FOLDER: "folder",
}
_STATES = {
    EntryState.PENDING: tr_noop("may have been interrupted"),
    EntryState.DONE: "",
    EntryState.UNDONE: tr_noop("undone"),
    EntryState.LAPSED: tr_noop("can no longer be undone: the old content made room for newer changes"),
}

_BY = {UNDO.tool: tr_noop("put aside by an undo"), COMMAND: tr_noop("by a command")}


@dataclass(frozen=True)
class ChangeLine:
    """A change and how its undo stands; equal values keep their row."""

    entry: JournalEntry
    undo: UndoState


@dataclass(frozen=True)
class Space:
    """What is kept for undo, in bytes, and for how many changes."""

    used_bytes: int
    limit_bytes: int


class ChangesPage(Page):
    """Reads the journal on the pool. Main thread only."""

    title = tr_noop("Changes")
    icon = "undo"

    def __init__(
        self, journal: Journal, undo_controller: UndoController, relay: Relay, background: Background
    ) -> None:
        super().__init__(tr(SAYS))
        self._journal = journal
        self._undo_controller = undo_controller
        self._background = background
        self._wanted = AT_ONCE
        self._reading = Latest(background)
        self._build()
        timer = self.follow(relay, ToolEnded, HookDecided, HookRan)
        undo_controller.changed.connect(lambda: timer.start() if self.isVisible() else None)
        undo_controller.undone.connect(self._on_undone)

    # -- what is shown ----------------------------------------------------------------------------

    def shown(self) -> None:
        """Read the journal again."""
        self._reading.run(
            self._read, self._wanted + 1, done=lambda found: self._on_read(*found), failed=self.toast.refuse
        )

    def _read(self, limit: int) -> tuple[list[JournalEntry], Space]:
        """On the pool."""
        space = Space(self._journal.used_bytes(), self._journal.limits.total_bytes)
        return self._journal.entries(limit), space

    def _on_read(self, entries: list[JournalEntry], space: Space) -> None:
        shown = entries[: self._wanted]
        # One more than is shown was read, which tells whether there are more without counting the table.
        lines = [ChangeLine(entry, self._undo_controller.state((entry.id,))) for entry in shown]
        self.rows.show_values(lines, has_more=len(entries) > len(shown))
        self._show_space(space)
        order_tabs((*self.rows.stops, self.confirm.no, self.confirm.yes, self.free))

    def _show_space(self, space: Space) -> None:
        self.space.setText(
            tr(
                "Kept for undo: {size} of at most {limit}. When it is full, the oldest go first.",
                size=size_text(space.used_bytes),
                limit=size_text(space.limit_bytes),
            )
        )
        # Bytes of a large store are beyond the int that Qt's progress bar counts in.
        self.meter.setMaximum(1000)
        self.meter.setValue(round(1000 * min(1.0, space.used_bytes / max(1, space.limit_bytes))))
        self.free.setVisible(space.used_bytes > 0)
        self._used_bytes = space.used_bytes

    def _on_undone(self, words: str) -> None:
        if self.isVisible():
            self.toast.offer(words)

    # -- doing ------------------------------------------------------------------------------------

    def _ask_free(self) -> None:
        self.confirm.ask(
            tr(
                "Free {size}? What was overwritten or deleted up to now can then no longer be "
                "undone. The files themselves stay as they are.",
                size=size_text(self._used_bytes),
            ),
            tr("Free the space"),
            tr("Keep it"),
            self._free,
            self.free.setFocus,
        )

    def _free(self) -> None:
        self._background.run(self._journal.free, done=self._on_freed, failed=self.toast.refuse)

    def _on_freed(self, lapsed: int) -> None:
        words = plural(
            "The space is free. {count} change can no longer be undone.",
            "The space is free. {count} changes can no longer be undone.",
            lapsed,
        )
        self.toast.offer(words)
        self.shown()
        self._undo_controller.refresh()
        self._undo_controller.changed.emit()

    def _on_more(self) -> None:
        self._wanted += AT_ONCE
        self.shown()

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self._used_bytes = 0
        self.space: Label = Label("", CAPTION_PX, colour="secondary", name="undo_space")
        self.meter: QProgressBar = QProgressBar()
        self.free: QPushButton = action(
            tr("Free space…"), "undo_free", self._ask_free, described=tr("Free the space kept for undo")
        )
        self.rows: FilteredList[ChangeLine] = FilteredList(
            "changes", self._row, lambda line: line.entry.id, EmptyWords(NOTHING_YET), at_once=AT_ONCE
        )
        self.rows.more_wanted.connect(self._on_more)
        self._scroll = ScrollColumn("changes_scroll")
        self._scroll.body.addWidget(self.rows)
        self._scroll.body.addStretch(1)
        self.confirm = Confirm("free_confirm")
        self.column.addWidget(self._scroll, 1)
        self.column.addLayout(inset(self.confirm, AROUND, 0, EDGE))
        self.column.addLayout(self._space_row())

    def _space_row(self) -> QHBoxLayout:
        named(self.meter, "undo_meter", tr("Space used for undo"))
        self.meter.setTextVisible(False)
        self.free.hide()
        words = QVBoxLayout()
        words.addWidget(self.space)
        words.addWidget(self.meter)
        row = theme.space(QHBoxLayout(), 12, (AROUND, 0, EDGE, 0))  # in line with what scrolls above
        row.addLayout(words, 1)
        row.addWidget(self.free)
        return row

    def _row(self, line: ChangeLine) -> QWidget:
        entry = line.entry
        state = tr("undoing…") if line.undo.is_busy else _state_words(entry)
        tool = entry.origin.tool
        by = tr(_BY[tool]) if tool in _BY else tr("by the assistant")
        about = " · ".join(part for part in (moment_words(entry.at, time.time()), by, state) if part)
        where = tr("In {folder}", folder=entry.root / entry.path).removesuffix(f"/{_name(entry)}")
        buttons = (self._undo_button(line),) if line.undo.is_offered else ()
        icon = "check" if entry.state is EntryState.UNDONE else _ICONS[entry.kind]
        row = Row(icon, "secondary", sentence(entry), (where, about), buttons)
        if line.undo.problem is not None:
            row.column.addWidget(problem_card(self._undo_controller, (entry.id,), line.undo.problem))
        return row

    def _undo_button(self, line: ChangeLine) -> QPushButton:
        return action(
            tr("Undo"),
            f"undo_{line.entry.id}",
            lambda: self._undo_controller.undo((line.entry.id,)),
            described=tr("Undo: {entry}", entry=sentence(line.entry)),
        )


def sentence(entry: JournalEntry) -> str:
    """What was done, "Wrote notes.txt"."""
    name, kind = _name(entry), entry.kind
    if kind is ChangeKind.WRITE:
        return tr("Changed {name}", name=name) if entry.before_sha256 else tr("Created {name}", name=name)
    if kind is ChangeKind.MOVE:
        return tr("Moved {name} to {place}", name=name, place=entry.to_root / entry.to_path)
    return (
        tr("Deleted {name}", name=name)
        if kind is ChangeKind.DELETE
        else tr("Created the folder {name}", name=name)
    )


def _state_words(entry: JournalEntry) -> str:
    if entry.is_of_command and entry.state is EntryState.PENDING:
        return tr("the command had not ended when this was last checked")
    return tr(_STATES[entry.state])


def _name(entry: JournalEntry) -> str:
    return entry.path.rsplit("/", 1)[-1] or entry.root.name
