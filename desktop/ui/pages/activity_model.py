"""The rows of the Activity page, the newest first, and what is chosen of them."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt

from desktop.agents.action import HookChoice
from desktop.agents.agent_list import agent_named
from desktop.agents.events import ConfinedOutcome, DecidedBy, HookAsked, HookDecided, HookRan
from desktop.agents.verdict_log import MOST
from desktop.ui import theme
from desktop.ui.language import date_words, number_words, tr, tr_noop
from desktop.ui.permission.visible import visible
from desktop.ui.permission.words import class_mark, marks_words

Row = HookAsked | HookDecided
_SHELLS = ("bash", "shell", "terminal", "command", "exec")  # in the names of agents' tools
SEPARATOR = " · "
LONGEST_SHOWN = 300  # characters of a command in a cell
LONGEST_TOOLTIP = 1500


@dataclass(frozen=True)
class AnswerSign:
    """An answer as it is shown: `colour` is that of the icon alone."""

    icon: str
    words: str
    colour: str


ANSWERS = {
    HookChoice.ALLOW: AnswerSign("check", tr_noop("Allowed"), "success"),
    HookChoice.DENY: AnswerSign("close", tr_noop("Denied"), "danger"),
    HookChoice.ASK: AnswerSign("question", tr_noop("Left to agent"), "warning"),
    HookChoice.NO_OPINION: AnswerSign("pause", tr_noop("No opinion"), "secondary"),
}

WAITING = AnswerSign("shield", tr_noop("Waits for you"), "warning")
BY = {
    DecidedBy.READING: tr_noop("only reads"),
    DecidedBy.GRANT: tr_noop("permission"),
    DecidedBy.RULE: tr_noop("a rule"),
    DecidedBy.SETTING: tr_noop("a setting"),
    DecidedBy.JUDGE: tr_noop("the model"),
    DecidedBy.USER: tr_noop("you"),
    DecidedBy.NOBODY: tr_noop("no answer"),
    DecidedBy.PAUSE: tr_noop("paused"),
    DecidedBy.ERROR: tr_noop("an error"),
}

TIERS = {
    0: tr_noop("remembered, or too long to be read"),
    1: tr_noop("the syntax"),
    2: tr_noop("the programs that it runs"),
    3: tr_noop("the folder, permissions and rules"),
    4: tr_noop("the model's opinion"),
}

RAN = {
    ("read only", ConfinedOutcome.CONFINED): tr_noop("ran read only"),
    ("read only", ConfinedOutcome.UNTOLD): tr_noop("to run read only"),
    ("read only", ConfinedOutcome.UNCONFINED): tr_noop("did not report that it ran read only"),
    ("project", ConfinedOutcome.CONFINED): tr_noop("ran inside the project"),
    ("project", ConfinedOutcome.UNTOLD): tr_noop("to run inside the project"),
    ("project", ConfinedOutcome.UNCONFINED): tr_noop("did not report that it ran inside the project"),
}

REFUSED = {
    "connection": tr_noop("a connection to {what}"),
    "taken away": tr_noop("{what}, put back"),
}


def agent_title(name: str) -> str:
    """`Claude Code` for `claude-code`; one that is not known by its own name."""
    known = agent_named(name)
    return known.title if known is not None else visible(name)


def shell_of(tool: str) -> str:
    """Which language the text of a tool's call is in; "" where it is no command line."""
    name = tool.lower()
    # Before the others: its name holds "shell" too.
    if "powershell" in name:
        return "powershell"
    return "bash" if any(word in name for word in _SHELLS) else ""


def answer_sign(row: Row) -> AnswerSign:
    """How it was answered, or that it waits."""
    return ANSWERS[row.choice] if isinstance(row, HookDecided) else WAITING


def by_words(row: Row) -> str:
    """Who answered; nothing while nobody has."""
    return tr(BY[row.by]) if isinstance(row, HookDecided) else ""


def answer_words(row: Row) -> str:
    """`Allowed · you`, `Allowed · ran read only`."""
    return SEPARATOR.join(
        part for part in (tr(answer_sign(row).words), ran_words(row) or by_words(row)) if part
    )


def ran_words(row: Row) -> str:
    """How a command ran that was held to something; "" for every other."""
    if not isinstance(row, HookDecided) or row.choice is not HookChoice.ALLOW:
        return ""
    if row.worker:
        return tr("ran on {worker}", worker=visible(row.worker))
    words = RAN.get((row.confined, row.ran))
    return tr(words) if words else ""


def saved_words(row: Row) -> str:
    """What a worker spent in this computer's place; "" for what ran here."""
    if not isinstance(row, HookDecided) or not row.worker:
        return ""
    return tr("{seconds} s of this computer's processor", seconds=number_words(row.saved_s, 1))


def refused_words(row: Row) -> str:
    """What a confined command was kept from."""
    if not isinstance(row, HookDecided):
        return ""
    parts = ((REFUSED.get(each.kind), visible(each.what)) for each in row.refused)
    return "; ".join(tr(words, what=what) if words else what for words, what in parts)


def class_words(row: Row) -> str:
    """`Deletes, outside the folder`; nothing while it waits."""
    return marks_words(row.classed, row.flags) if isinstance(row, HookDecided) else ""


def class_word(row: Row) -> str:
    return tr(class_mark(row.classed).word) if isinstance(row, HookDecided) else ""


def clock_words(at: float) -> str:
    """`09:30:05`, local time."""
    return f"{datetime.fromtimestamp(at):%H:%M:%S}"


def moment_words(at: float) -> str:
    """`20 Nov 2026, 09:30:05`."""
    moment = datetime.fromtimestamp(at)
    return f"{date_words(moment)}, {moment:%H:%M:%S}"


def took_words(row: Row) -> str:
    """`0.4 ms`, `120 ms`, `3.2 s`, `4 min`: from the arrival of the hook to its answer."""
    if not isinstance(row, HookDecided):
        return ""
    ms = row.ms
    # Compared after rounding, so that 999.7 ms is told as 1.0 s and not as 1000 ms.
    for limit, divisor, digits, unit in ((10, 1, 1, "ms"), (1000, 1, 0, "ms"), (60_000, 1000, 1, "s")):
        if round(ms / divisor, digits) * divisor < limit:
            return f"{number_words(ms / divisor, digits)} {unit}"
    return tr("{ms:.0f} min", ms=ms / 60_000)


def short_text(text: str) -> str:
    """In one line, everything unseen written out, and the middle of a long one left out."""
    if len(text) > LONGEST_SHOWN:
        # The middle goes: what a command is stands at its beginning, and what it does it to often at its end.
        half = LONGEST_SHOWN // 2
        text = f"{text[:half]} … {text[-half:]}"
    return visible(text).replace("\n", " ")


def tooltip_text(text: str) -> str:
    """Complete unless it is very long; the details show all of it in any case."""
    if len(text) <= LONGEST_TOOLTIP:
        return visible(text)
    return tr(
        "{text} … ({count:,} characters, complete in the details)",
        text=visible(text[:LONGEST_TOOLTIP]),
        count=len(text),
    )


def row_words(row: Row) -> str:
    """One line for the clipboard, what cannot be seen written out, values apart by tabs."""
    return "\t".join(
        (
            moment_words(row.at),
            agent_title(row.agent),
            visible(row.text).replace("\n", " "),
            class_words(row),
            answer_words(row),
            took_words(row),
        )
    )


def searched(row: Row) -> str:
    """What the search looks through, in lower case."""
    parts = [row.text, row.folder, row.tool, row.session, agent_title(row.agent), answer_words(row)]
    if isinstance(row, HookDecided):
        parts += [
            row.classed,
            *row.flags,
            str(row.reason or ""),
            class_words(row),
            ran_words(row),
            refused_words(row),
        ]
    return "\n".join(parts).casefold()


KEPT = MOST  # no more than a page that is opened later is told
HEADINGS = (
    tr_noop("Time"),
    tr_noop("Agent"),
    tr_noop("What"),
    tr_noop("Class"),
    tr_noop("Answer"),
    tr_noop("Took"),
)
TIME, AGENT, WHAT, CLASS, ANSWER, TOOK = range(6)
Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
ICON_NAME = Role.UserRole + 1  # for who draws it in another colour
ROOT = QModelIndex()

_SHOWN: Mapping[int, Callable[[Row], str]] = {
    TIME: lambda row: clock_words(row.at),
    AGENT: lambda row: agent_title(row.agent),
    WHAT: lambda row: short_text(row.text),
    CLASS: class_word,
    ANSWER: answer_words,
    TOOK: took_words,
}

_TOLD: Mapping[int, Callable[[Row], str]] = {
    TIME: lambda row: moment_words(row.at),
    AGENT: lambda row: (
        tr("{agent}, session {session}", agent=agent_title(row.agent), session=row.session)
        if row.session
        else ""
    ),
    WHAT: lambda row: tooltip_text(row.text),
    CLASS: class_words,
    ANSWER: lambda row: str(row.reason or "") if isinstance(row, HookDecided) else "",
}


class ActivityModel(QAbstractTableModel):
    """At most `KEPT` rows; the oldest go. A question that is answered keeps its place. Main thread only."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []  # the newest first
        self._cells: dict[tuple[int, int], str] = {}  # by number of the verdict and column
        theme.current().changed.connect(self._on_theme_changed)

    def row(self, index: Index) -> Row | None:
        """The row of `index`, if there is one."""
        return self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None

    def take_in(self, rows: Iterable[Row]) -> list[HookDecided]:
        """Add what is new, and put answers in the place of their questions; returns the new answers."""
        # By the number of the verdict: question and answer carry the same one.
        places = {row.id: place for place, row in enumerate(self.rows)}
        new: dict[int, Row] = {}
        answers = []
        for row in rows:
            known = self.rows[places[row.id]] if row.id in places else new.get(row.id)
            # Events and the list read at the start overlap; an answer is final, and a question does not
            # come after it.
            if isinstance(known, HookDecided) or (known is not None and isinstance(row, HookAsked)):
                continue
            if isinstance(row, HookDecided):
                answers.append(row)
            if row.id in places:
                self._replace(places[row.id], row)
            else:
                new[row.id] = row
        self._insert(sorted(new.values(), key=lambda row: row.id, reverse=True)[:KEPT])
        return answers

    def tell_end(self, ended: HookRan) -> None:
        """A command that was to run confined has ended."""
        for place, row in enumerate(self.rows):
            if row.id == ended.id and isinstance(row, HookDecided):
                # What ran confined reports its changes only at its end; some may be known from before.
                changes = tuple(dict.fromkeys((*row.changes, *ended.changes)))
                updated = replace(row, ran=ended.ran, refused=ended.refused, changes=changes)
                self._replace(place, replace(updated, worker=ended.worker, saved_s=ended.saved_s))
                return

    # -- Qt ---------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(HEADINGS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Role.DisplayRole:
            return tr(HEADINGS[section])
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        column = index.column()
        if role == Role.DisplayRole:
            return self._cell(row, column)
        if role == Role.ToolTipRole:
            return _plain(_TOLD[column](row)) if column in _TOLD else None
        if role in (Role.DecorationRole, ICON_NAME):
            name, colour = _icon(row, column)
            return name if role == ICON_NAME else theme.icon(name, colour) if name else None
        if role == Role.AccessibleTextRole:
            return f"{HEADINGS[column]}: {class_words(row) if column == CLASS else self._cell(row, column)}"
        if role == Role.TextAlignmentRole and column == TOOK:
            return Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter
        return None

    # -- inside -----------------------------------------------------------------------------------

    def _cell(self, row: Row, column: int) -> str:
        key = (row.id, column)
        # Tables ask for the same words with every repaint, and making them visible goes over each letter.
        if key not in self._cells:
            self._cells[key] = _SHOWN[column](row)
        return self._cells[key]

    def _replace(self, place: int, row: Row) -> None:
        self.rows[place] = row
        self._forget(row)
        self.dataChanged.emit(self.index(place, 0), self.index(place, TOOK))

    def _insert(self, rows: list[Row]) -> None:
        if rows:
            self.beginInsertRows(ROOT, 0, len(rows) - 1)
            self.rows[:0] = rows
            self.endInsertRows()
        # The newest are kept: what is older stands in the Log, which reads from disk.
        if len(self.rows) > KEPT:
            self.beginRemoveRows(ROOT, KEPT, len(self.rows) - 1)
            for row in self.rows[KEPT:]:
                self._forget(row)
            del self.rows[KEPT:]
            self.endRemoveRows()

    def _forget(self, row: Row) -> None:
        for column in range(len(HEADINGS)):
            self._cells.pop((row.id, column), None)

    def _on_theme_changed(self) -> None:
        if self.rows:
            last = self.index(len(self.rows) - 1, TOOK)
            self.dataChanged.emit(self.index(0, 0), last, [Role.DecorationRole])


class FilteredActivity(QSortFilterProxyModel):
    """The rows that fit agent, class, answer and text; "" and None take all. Main thread only."""

    def __init__(self, model: ActivityModel) -> None:
        super().__init__()
        self._model = model
        self._wanted: tuple[str, str, HookChoice | str | None, str] = ("", "", None, "")
        self.setSourceModel(model)

    @property
    def is_open(self) -> bool:
        """Whether nothing is left out."""
        return self._wanted == ("", "", None, "")

    @property
    def rows(self) -> list[Row]:
        """What is chosen, the newest first."""
        places = (self.mapToSource(self.index(number, 0)) for number in range(self.rowCount()))
        return [row for row in map(self._model.row, places) if row is not None]

    def row(self, index: QModelIndex) -> Row | None:
        """That of `index`, if there is one."""
        return self._model.row(self.mapToSource(index))

    def choose(self, agent: str, classed: str, answer: HookChoice | str | None, text: str) -> None:
        """`answer` is a HookChoice, or any word for what still waits."""
        self.beginFilterChange()
        self._wanted = (agent, classed, answer, text.strip().casefold())
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, source_row: int, _source_parent: Index) -> bool:
        row = self._model.rows[source_row]
        agent, classed, answer, text = self._wanted
        decided = row if isinstance(row, HookDecided) else None
        if agent and row.agent != agent:
            return False
        if classed and (decided is None or decided.classed != classed):
            return False
        if answer is not None and answer != (decided.choice if decided is not None else ""):
            return False
        # Last, because it is by far the dearest of the four.
        return not text or text in searched(row)


def _icon(row: Row, column: int) -> tuple[str, str]:
    """Name and colour; nothing for most columns."""
    if column == ANSWER:
        return answer_sign(row).icon, answer_sign(row).colour
    if column == CLASS and isinstance(row, HookDecided):
        return class_mark(row.classed).icon, class_mark(row.classed).colour
    return "", ""


def _plain(text: str) -> str:
    """A tooltip would read anything that looks like HTML as such."""
    return f"<qt>{html.escape(text)}</qt>" if text else ""
