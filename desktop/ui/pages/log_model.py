"""The rows of the Log page, a page of records at a time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from desktop.gate.audit import AuditRecord
from desktop.gate.audit_words import kind_words, outcome_words, what_words
from desktop.ui.language import later, told, tr
from desktop.ui.pages.times import moment_words
from desktop.ui.permission.visible import visible

COLUMNS = (later("When"), later("Kind"), later("What"), later("Outcome"))
SHOWN = 300  # characters in a cell; the details have all
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class LogModel(QAbstractTableModel):
    """The newest record first. `more_wanted` comes when the end is scrolled into sight. Main thread only."""

    more_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._records: list[AuditRecord] = []
        self._has_more = False

    @property
    def records(self) -> tuple[AuditRecord, ...]:
        return tuple(self._records)

    def record(self, index: Index) -> AuditRecord | None:
        row = index.row()
        return self._records[row] if index.isValid() and row < len(self._records) else None

    def show_records(self, records: Sequence[AuditRecord], has_more: bool) -> None:
        """Replace all."""
        self.beginResetModel()
        self._records, self._has_more = list(records), has_more
        self.endResetModel()

    def append(self, records: Sequence[AuditRecord], has_more: bool) -> None:
        """Older ones below."""
        self._has_more = has_more
        if records:
            first = len(self._records)
            self.beginInsertRows(ROOT, first, first + len(records) - 1)
            self._records += records
            self.endInsertRows()

    def prepend(self, records: Sequence[AuditRecord]) -> None:
        """Newer ones above."""
        if records:
            self.beginInsertRows(ROOT, 0, len(records) - 1)
            self._records[:0] = records
            self.endInsertRows()

    # -- Qt ---------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._records)

    def columnCount(self, _parent: Index = ROOT) -> int:
        return len(COLUMNS)

    def canFetchMore(self, _parent: Index) -> bool:
        return self._has_more

    def fetchMore(self, _parent: Index) -> None:
        self._has_more = False  # until they are here
        self.more_wanted.emit()

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
        is_title = role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal
        return tr(COLUMNS[section]) if is_title else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        record = self.record(index)
        if record is None or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        return visible(_cell(record, index.column())[:SHOWN])


def _cell(record: AuditRecord, column: int) -> str:
    if column == 0:
        return moment_words(record.at, time.time())
    if column == 1:
        return told(kind_words(record.kind))
    return told(what_words(record.record) if column == 2 else outcome_words(record.record))
