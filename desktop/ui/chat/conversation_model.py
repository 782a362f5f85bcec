"""The rows of the sidebar: headers, conversations, search results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from desktop.chat.search import BEGIN, END, FoundChat, FoundMessage, Page
from desktop.chat.store import Conversation
from desktop.ui.language import later, tr

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
ROW_ROLE = Qt.ItemDataRole.UserRole
BUSY_ROLE = Qt.ItemDataRole.UserRole + 1
UNSENT_ROLE = Qt.ItemDataRole.UserRole + 2


@dataclass(frozen=True)
class Header:
    title: str


Row = Header | Conversation | FoundChat | FoundMessage


class ConversationModel(QAbstractListModel):
    """Read by the sidebar's list; renaming in place comes out as `renamed`."""

    renamed = Signal(int, str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[Row, ...] = ()
        self._busy: frozenset[int] = frozenset()
        self._unsent: frozenset[int] = frozenset()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace all rows, unless they are the same."""
        if tuple(rows) == self._rows:
            return
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def show_busy(self, conversation_ids: frozenset[int]) -> None:
        """Mark the conversations that are being answered."""
        self._busy = conversation_ids
        self._tell(BUSY_ROLE)

    def show_unsent(self, conversation_ids: frozenset[int]) -> None:
        """Mark the conversations in which something is typed and not sent."""
        self._unsent = conversation_ids
        self._tell(UNSENT_ROLE)

    def row(self, index: Index) -> Row | None:
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def index_of(self, conversation_id: int) -> QModelIndex:
        """The row of a conversation, or an invalid index."""
        for number, row in enumerate(self._rows):
            if isinstance(row, Conversation) and row.id == conversation_id:
                return self.index(number)
        return QModelIndex()

    # -- Qt -----------------------------------------------------------------------------------

    def rowCount(self, _parent: Index = ROOT) -> int:
        return len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if role == ROW_ROLE:
            return row
        if role == BUSY_ROLE:
            return isinstance(row, Conversation) and row.id in self._busy
        if role == UNSENT_ROLE:
            return isinstance(row, Conversation) and row.id in self._unsent
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            return plain(_words(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        if row is None or isinstance(row, Header):
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if isinstance(row, Conversation) else flags

    def setData(self, index: Index, value: Any, _role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row(index)
        if not isinstance(row, Conversation) or not str(value).strip() or value == row.title:
            return False
        self.renamed.emit(row.id, str(value).strip())
        return True

    def next_row(self, after: int, step: int) -> QModelIndex:
        """The next row from number `after` that can be chosen; an invalid index where there is none."""
        number = after + step
        while 0 <= number < len(self._rows) and isinstance(self._rows[number], Header):
            number += step
        return self.index(number) if 0 <= number < len(self._rows) else QModelIndex()

    def _tell(self, role: int) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1), [role])

    def _spoken(self, row: Row) -> str:
        if isinstance(row, FoundMessage):
            who = tr("You") if row.role == "user" else "Steward"
            return f"{who}: {plain(row.excerpt)}"
        if isinstance(row, Conversation) and row.id in self._busy:
            return tr("{title}, answering", title=row.title)
        if isinstance(row, Conversation) and row.id in self._unsent:
            return tr("{title}, with a message not sent", title=row.title)
        return plain(_words(row))


PINNED, TODAY, YESTERDAY = later("Pinned"), later("Today"), later("Yesterday")
WEEK, OLDER = later("Previous 7 days"), later("Older")
GROUPS = (PINNED, TODAY, YESTERDAY, WEEK, OLDER)


def grouped(conversations: Sequence[Conversation], today: date) -> tuple[Row, ...]:
    """Conversations under the headers of the sidebar, the order within a group kept."""
    groups: dict[str, list[Conversation]] = {title: [] for title in GROUPS}
    for conversation in conversations:
        groups[_group(conversation, today)].append(conversation)
    rows: list[Row] = []
    for title, members in groups.items():
        if members:
            rows += [Header(tr(title)), *members]
    return tuple(rows)


def found(page: Page) -> tuple[Row, ...]:
    """What a search brought: each conversation with its messages under it."""
    rows: list[Row] = []
    for chat in page.chats:
        rows += [chat, *chat.messages]
    if page.capped:
        rows.append(Header(tr("There is more: add a word")))
    return tuple(rows) or (Header(tr("Nothing found")),)


def plain(excerpt: str) -> str:
    """An excerpt without the marks around the found words."""
    return " ".join(excerpt.replace(BEGIN, "").replace(END, "").split())


def _words(row: Row) -> str:
    return row.excerpt if isinstance(row, FoundMessage) else row.title


def _group(conversation: Conversation, today: date) -> str:
    if conversation.pinned:
        return PINNED
    day = _local_day(conversation.updated_at)
    if day >= today:
        return TODAY
    if day == today - timedelta(days=1):
        return YESTERDAY
    return WEEK if day >= today - timedelta(days=7) else OLDER


def _local_day(moment: datetime) -> date:
    return moment.astimezone().date()
