"""The rows of the Memory page, a page of memories at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from desktop.memory.item import Item
from desktop.ui.memory.words import caption, quote
from desktop.ui.permission.visible import visible

ITEM = Qt.ItemDataRole.UserRole + 1
CAPTION = Qt.ItemDataRole.UserRole + 2
SHOWN = 400  # characters in a row; the details have all
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(frozen=True)
class Shown:
    """A memory in the list and, of one that was searched for, why it was found and how well it fits."""

    item: Item
    why: str = ""
    score: float | None = None
    note: str = ""  # what the list has to say about it


class ItemModel(QAbstractListModel):
    """The newest or the best first; `more_wanted` comes when the end is in sight. Main thread only."""

    more_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Shown] = []
        self._has_more = False

    @property
    def rows(self) -> tuple[Shown, ...]:
        return tuple(self._rows)

    def at(self, index: Index) -> Shown | None:
        row = index.row()
        return self._rows[row] if index.isValid() and row < len(self._rows) else None

    def row_of(self, item_id: int) -> int:
        """-1 when it is not among those that were read."""
        return next((n for n, row in enumerate(self._rows) if row.item.id == item_id), -1)

    def show(self, rows: Sequence[Shown], has_more: bool) -> None:
        """Replace all; the same rows again change nothing, so that choice and scroll position hold."""
        if list(rows) == self._rows and has_more == self._has_more:
            return
        self.beginResetModel()
        self._rows, self._has_more = list(rows), has_more
        self.endResetModel()

    def append(self, rows: Sequence[Shown], has_more: bool) -> None:
        """Further ones below."""
        self._has_more = has_more
        known = {row.item.id for row in self._rows}
        new = [row for row in rows if row.item.id not in known]
        if new:
            first = len(self._rows)
            self.beginInsertRows(ROOT, first, first + len(new) - 1)
            self._rows += new
            self.endInsertRows()

    def remove(self, ids: Sequence[int]) -> None:
        """Take rows away at once, before the store has been read again."""
        for item_id in ids:
            row = self.row_of(item_id)
            if row >= 0:
                self.beginRemoveRows(ROOT, row, row)
                del self._rows[row]
                self.endRemoveRows()

    # -- Qt ---------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def canFetchMore(self, _parent: Index) -> bool:
        return self._has_more

    def fetchMore(self, _parent: Index) -> None:
        self._has_more = False  # until they are here
        self.more_wanted.emit()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        shown = self.at(index)
        if shown is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _line(shown.item)
        if role == CAPTION:
            return _caption(shown)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_line(shown.item)}. {_caption(shown)}"
        return shown.item if role == ITEM else None


def _line(item: Item) -> str:
    text = f"{item.speaker}: {item.text}" if item.speaker else item.text
    return visible(" ".join(text.split())[:SHOWN])


def _caption(shown: Shown) -> str:
    words = caption(shown.item, shown.why, shown.score)
    more = [each for each in (shown.note, quote(shown.item)) if each]
    return visible(" · ".join((words, *more)))
