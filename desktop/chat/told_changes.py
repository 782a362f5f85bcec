"""What a remark says of a task or of a cell: "jonas hat den müll rausgebracht", "Gérard vient de payer".

Nothing is ordered there, and a small model that may write commands for it takes whatever is near. So only the
lines that speak of the same are looked at (`content_search.py`), and the model writes nothing: it says how
likely a task is done now, or which of the values that other rows have a cell has. What is clear enough
becomes a step, which is shown before it is made like any other; all else is answered as before. Any thread;
blocks while the model reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from desktop.chat.content_search import Mention, mentions
from desktop.chat.file_judgements import (
    DONE_OVER_NOT,
    VALUE_OVER_OLD,
    WANTED_OVER_NOT,
    done_over_not,
    value_over_old,
    wanted_over_not,
)
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import language_of
from desktop.chat.orders import is_order
from desktop.chat.tool_args import Submit
from desktop.tools.table_cells import TASK, cell_edit, is_open, row_names, shared_values, with_mark
from desktop.tools.tables import Table, table_in

MOST_JUDGED = 3  # lines of a file that speak of it; where there are more, none is meant
MOST_VALUES = 2  # of a column that says yes or no; of more a small model takes the wrong one
LONGEST = 160  # characters; a longer remark tells a story


@dataclass(frozen=True)
class ToldChanges:
    """Of one turn. `submit` is the engine's, watched so that Stop reaches it."""

    around: Surroundings
    submit: Submit

    def plan(self, remark: str) -> IntentPlan | None:
        """The change that `remark` tells of; None where it tells of none that is clear."""
        if len(remark) > LONGEST:
            return None
        found = next((each for each in mentions(remark, self.around) if each.lines), None)
        whole = self.around.whole(found.name) if found is not None else ""
        if found is None or not whole:
            return None
        edits = list(self._done(remark, found, whole)) or list(self._cells(remark, found, whole))
        calls = [
            ParsedCall("replace_text", {"path": found.name, "old": old, "new": new}) for old, new in edits
        ]
        return IntentPlan(language_of(remark), tuple(map(Step, calls))) if calls else None

    def is_wanted(self, request: str) -> bool:
        """Whether the text file that speaks of what `request` says is to be changed by it: an order is none
        of the model's to judge."""
        found = next((each for each in mentions(request, self.around) if each.lines), None)
        if found is None or len(request) > LONGEST or not self.around.whole(found.name):
            return False
        if is_order(request):
            return True
        return wanted_over_not(request, found.name, found.lines[0], self.submit) >= WANTED_OVER_NOT

    def _done(self, remark: str, found: Mention, whole: str) -> Iterator[tuple[str, str]]:
        """The open tasks that are done now, each as its line and the line that it becomes."""
        tasks = [task for each in found.lines if (task := TASK.fullmatch(each)) and is_open(task)]
        if len(found.lines) > MOST_JUDGED:
            return
        for task in tasks:
            is_done = done_over_not(task["what"], remark, self.submit) >= DONE_OVER_NOT
            if is_done and whole.count(task[0]) == 1:
                yield task[0], with_mark(task, "x")

    def _cells(self, remark: str, found: Mention, whole: str) -> Iterator[tuple[str, str]]:
        """The cell of the one row spoken of whose value is another now, as the lines of its row."""
        table = table_in(whole)
        if table is None or not table.header or len(found.lines) != 1 or found.lines[0] not in table.lines:
            return
        at = table.lines.index(found.lines[0])
        edits = [edit for column in range(table.width) if (edit := self._cell(remark, table, at, column))]
        if edits:
            yield max(edits)[1]

    def _cell(self, remark: str, table: Table, at: int, column: int) -> tuple[float, tuple[str, str]] | None:
        """By how much another value of `column` is likelier, and the edit that sets it; else None."""
        values, row = shared_values(table, column), table.rows[at]
        own = next((each for each in row_names(table) if each in row), "")
        if not own or not 1 < len(values) <= MOST_VALUES or row[column] not in values:
            return None
        others = (
            f"{name}: {cell}"
            for number, (name, cell) in enumerate(zip(table.header, row, strict=True))
            if number != column
        )
        cell = table.header[column]
        new, over = value_over_old(", ".join(others), cell, row[column], values, remark, self.submit)
        edit = cell_edit(table, own, column, new) if over >= VALUE_OVER_OLD else None
        return (over, edit) if edit is not None else None
