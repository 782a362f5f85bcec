"""The rows of the sidebar: headers, conversations, search results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.chat.projects import ChatProject
from desktop.chat.search import BEGIN, END, FoundChat, FoundMessage, SearchResults
from desktop.chat.store import Conversation
from desktop.ui import theme
from desktop.ui.icons import icon
from desktop.ui.language import tr, tr_noop
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.layout import named

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
ROW_ROLE = Qt.ItemDataRole.UserRole
BUSY_ROLE = Qt.ItemDataRole.UserRole + 1
UNSENT_ROLE = Qt.ItemDataRole.UserRole + 2
DROP_ROLE = Qt.ItemDataRole.UserRole + 3
CHAT_MIME = "application/x-steward-chat"  # the number of a conversation, in digits


@dataclass(frozen=True)
class Header:
    """`project_id` is 0 but for a project; `takes_chats` says whether a chat may be dropped there."""

    title: str
    project_id: int = 0
    takes_chats: bool = False

    @property
    def is_project(self) -> bool:
        return bool(self.project_id)


Row = Header | Conversation | FoundChat | FoundMessage
PINNED, TODAY, YESTERDAY = tr_noop("Pinned"), tr_noop("Today"), tr_noop("Yesterday")
WEEK, OLDER = tr_noop("Previous 7 days"), tr_noop("Older")
GROUPS = (PINNED, TODAY, YESTERDAY, WEEK, OLDER)


class ConversationModel(QAbstractListModel):
    """Read by the sidebar's list; renaming in place comes out as `renamed`."""

    renamed = Signal(int, str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[Row, ...] = ()
        self._busy: frozenset[int] = frozenset()
        self._unsent: frozenset[int] = frozenset()
        self._drop: Header | None = None

    def show_drop(self, header: Header | None) -> None:
        """Mark where a chat that is dragged would go."""
        self._drop = header
        self._tell(DROP_ROLE)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace all rows, unless they are the same."""
        # A reset would close the editor of a title that is being renamed, and lose the scroll position.
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
        if role == DROP_ROLE:
            return row == self._drop
        if role == UNSENT_ROLE:
            return isinstance(row, Conversation) and row.id in self._unsent
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return plain(_words(row))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(plain(_words(row)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        # Headers are rows that the arrows pass by and no click selects.
        if row is None or isinstance(row, Header):
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        of_chats = Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled
        return flags | of_chats if isinstance(row, Conversation) else flags

    def setData(self, index: Index, value: Any, _role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row(index)
        if not isinstance(row, Conversation) or not str(value).strip() or value == row.title:
            return False
        self.renamed.emit(row.id, str(value).strip())
        return True

    def header_over(self, index: Index) -> Header | None:
        """That of the group in which a row stands, the row itself where it is one."""
        for number in range(index.row(), -1, -1):
            row = self._rows[number]
            if isinstance(row, Header):
                return row
        return None

    def mimeTypes(self) -> list[str]:
        return [CHAT_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        made = QMimeData()
        rows = [row for each in indexes if isinstance(row := self.row(each), Conversation)]
        if rows:
            made.setData(CHAT_MIME, str(rows[0].id).encode())
        return made

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


def grouped(
    conversations: Sequence[Conversation], today: date, projects: Sequence[ChatProject] = ()
) -> tuple[Row, ...]:
    """Conversations under the headers of the sidebar, the order within a group kept. Projects without
    one have a header all the same: a chat may be dropped there."""
    groups: dict[Header, list[Conversation]] = {Header(tr(PINNED)): []}
    # Projects stand before the days, the one that was used last first.
    groups |= {_of_project(each.project_id, each.project): [] for each in conversations if each.project_id}
    groups |= {_of_days(title): [] for title in GROUPS if title != PINNED}
    # Those that hold nothing come last: two hundred of them would push every chat out of sight.
    for each in projects:
        groups.setdefault(_of_project(each.id, each.name), [])
    for conversation in conversations:
        groups[_group(conversation, today)].append(conversation)
    rows: list[Row] = []
    for header, members in groups.items():
        if members or header.is_project:
            rows += [header, *members]
    return tuple(rows)


def _of_project(number: int, name: str) -> Header:
    return Header(name, number, takes_chats=True)


def _of_days(title: str) -> Header:
    return Header(tr(title), takes_chats=True)


def found(page: SearchResults) -> tuple[Row, ...]:
    """What a search brought: each conversation with its messages under it."""
    rows: list[Row] = []
    for chat in page.chats:
        rows += [chat, *chat.messages]
    if page.capped:
        rows.append(Header(tr("There is more: add a word to narrow it down")))
    return tuple(rows) or (Header(tr("Nothing found")),)


def plain(excerpt: str) -> str:
    """An excerpt without the marks around the found words."""
    return " ".join(excerpt.replace(BEGIN, "").replace(END, "").split())


def _words(row: Row) -> str:
    return row.excerpt if isinstance(row, FoundMessage) else row.title


def _group(conversation: Conversation, today: date) -> Header:
    if conversation.pinned:
        return Header(tr(PINNED))
    if conversation.project_id:
        return _of_project(conversation.project_id, conversation.project)
    day = conversation.updated_at.astimezone().date()
    if day >= today:
        return _of_days(TODAY)
    if day == today - timedelta(days=1):
        return _of_days(YESTERDAY)
    return _of_days(WEEK if day >= today - timedelta(days=7) else OLDER)


ROW = 32
FOUND_LINES, FOUND_MARGIN = 2, 12
BOLD_ROOM = 0.96  # what is marked is a little wider
INDENT = 10  # of what was found, below its conversation


class RowDelegate(QStyledItemDelegate):
    """Draws the rows in the colours of the theme; what was found is bold and underlined."""

    def __init__(self, parent: QListView, has_button: Callable[[Index], bool] = lambda _index: False) -> None:
        """`has_button` says whether a button stands at the end of a row, whose place is then left free."""
        super().__init__(parent)
        self._list = parent
        self._has_button = has_button
        self._pencils: dict[str, QIcon] = {}

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW_ROLE)
        if isinstance(row, FoundMessage):
            return QSize(theme.px(100), self._found_height(row))
        return QSize(theme.px(100), theme.px(ROW))

    def _found_height(self, row: FoundMessage) -> int:
        """One line where its words fit into one."""
        metrics = QFontMetrics(theme.font(CAPTION_PX))
        room = self._list.viewport().width() - theme.px(16 + INDENT)
        lines = 1 if metrics.horizontalAdvance(plain(_said(row))) <= room * BOLD_ROOM else FOUND_LINES
        return theme.px(FOUND_MARGIN) + lines * metrics.lineSpacing()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setLayoutDirection(option.direction)
        if isinstance(row, Header):
            if index.data(DROP_ROLE):
                self._paint_ground(painter, _rect(option), "surface_2", edge="accent")
            self._paint_header(painter, _rect(option), row)
        else:
            self._paint_surface(painter, option)
            self._paint_row(painter, option, index)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        named(editor, "rename", tr("New title"))
        editor.setFont(theme.font(SMALL_PX))
        return editor

    def _paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, FoundMessage):
            self._paint_found(painter, option, row)
        elif isinstance(row, FoundChat):
            self._paint_chat(painter, option, row)
        else:
            self._paint_title(painter, option, index, row.title)

    def _paint_header(self, painter: QPainter, rect: QRect, row: Header) -> None:
        painter.setFont(theme.font(CAPTION_PX))
        painter.setPen(theme.colour("secondary"))
        room = rect.adjusted(theme.px(8), 0, -theme.px(8), -theme.px(4))
        title = row.title
        if row.is_project:
            side = theme.px(14)
            is_mirrored = painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
            x = room.right() - side if is_mirrored else room.left()
            sign = QRect(x, room.bottom() - side, side, side)
            theme.icon("folder", "secondary").paint(painter, sign)
            gap = side + theme.px(6)
            room = room.adjusted(0, 0, -gap, 0) if is_mirrored else room.adjusted(gap, 0, 0, 0)
            title = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeading, title)

    def _paint_surface(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        selected = _is_selected(option)
        if not selected and not _state(option) & QStyle.StateFlag.State_MouseOver:
            return
        self._paint_ground(painter, _rect(option), "selection" if selected else "surface_2")

    def _paint_ground(self, painter: QPainter, rect: QRect, token: str, edge: str = "") -> None:
        radius = theme.px(8)
        painter.setPen(theme.colour(edge) if edge else Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(token))
        painter.drawRoundedRect(rect.toRectF().adjusted(0.5, 1, -0.5, -1), radius, radius)

    def _paint_title(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, title: str) -> None:
        """At the end of the line a dot while it is being answered, a pencil where something is not sent."""
        px = theme.px
        rect = _without_end(_rect(option), px(28) if self._has_button(index) else 0, option)
        ink = "on_selection" if _is_selected(option) else "text"
        busy, unsent = bool(index.data(BUSY_ROLE)), bool(index.data(UNSENT_ROLE))
        room = _without_end(
            rect.adjusted(px(8), 0, -px(8), 0),
            px(16) if unsent else px(12) if busy else 0,
            option,
        )
        self._draw(painter, option, room, title, SMALL_PX, ink)
        end = rect.left() + px(10) if _is_mirrored(option) else rect.right() - px(10)
        if busy:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour(ink if theme.current().high_contrast else "accent"))
            painter.drawEllipse(QPointF(end, rect.center().y() + 0.5), px(4), px(4))
        elif unsent:
            place = QRect(0, 0, px(14), px(14))
            place.moveCenter(QPoint(end, rect.center().y()))
            faint = "on_selection" if _is_selected(option) else "secondary"
            self._pencil(theme.colour(faint).name()).paint(painter, place)

    def _pencil(self, colour: str) -> QIcon:
        """Made once: rows are drawn with every move of the mouse."""
        if colour not in self._pencils:
            self._pencils[colour] = icon("edit", colour)
        return self._pencils[colour]

    def _paint_chat(self, painter: QPainter, option: QStyleOptionViewItem, row: FoundChat) -> None:
        """The title of a conversation, and at the end of its line how many messages are not shown."""
        ink = "on_selection" if _is_selected(option) else "text"
        more = tr("{count} more", count=row.more) if row.more else ""
        width = QFontMetrics(theme.font(CAPTION_PX)).horizontalAdvance(more)
        room = _rect(option).adjusted(theme.px(8), 0, -theme.px(8), 0)
        self._draw(
            painter,
            option,
            _without_end(room, width + theme.px(8), option),
            row.title,
            SMALL_PX,
            ink,
            bold=True,
        )
        painter.setFont(theme.font(CAPTION_PX))
        painter.setPen(theme.colour("on_selection" if _is_selected(option) else "secondary"))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing, more)

    def _paint_found(self, painter: QPainter, option: QStyleOptionViewItem, row: FoundMessage) -> None:
        ink = "on_selection" if _is_selected(option) else "secondary"
        room = _rect(option).adjusted(theme.px(8), theme.px(FOUND_MARGIN // 2), -theme.px(8), 0)
        room = (
            room.adjusted(0, 0, -theme.px(INDENT), 0)
            if _is_mirrored(option)
            else room.adjusted(theme.px(INDENT), 0, 0, 0)
        )
        self._draw(painter, option, room, _said(row), CAPTION_PX, ink, lines=FOUND_LINES)

    def _draw(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        room: QRect,
        text: str,
        size: float,
        token: str,
        lines: int = 1,
        bold: bool = False,
    ) -> None:
        """Up to `lines` lines, the last one shortened; what stands between marks is bold and underlined."""
        font = theme.font(size, bold=bold)
        painter.setPen(theme.colour(token))
        shown, marks = _marks(_fitting(" ".join(text.split()), QFontMetrics(font), room.width(), lines))
        # By hand because QPainter.drawText knows no formats within a text, and a QTextDocument for each row
        # is slow.
        layout = QTextLayout(shown, font)
        layout.setTextOption(_option(option, lines))
        layout.setFormats([_strong(start, length) for start, length in marks])
        height = 0.0
        layout.beginLayout()
        for _ in range(lines):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(room.width())
            line.setPosition(QPointF(0, height))
            height += line.height()
        layout.endLayout()
        top = room.top() + (max(0.0, (room.height() - height) / 2) if lines == 1 else 0)
        layout.draw(painter, QPointF(room.left(), top), clip=QRectF(room))


def _said(row: FoundMessage) -> str:
    return tr("You: {words}", words=row.excerpt) if row.role == "user" else row.excerpt


def _option(option: QStyleOptionViewItem, lines: int) -> QTextOption:
    made = QTextOption(QStyle.visualAlignment(option.direction, Qt.AlignmentFlag.AlignLeading))
    made.setTextDirection(option.direction)
    wrapped = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
    made.setWrapMode(wrapped if lines > 1 else QTextOption.WrapMode.NoWrap)
    return made


def _fitting(text: str, metrics: QFontMetrics, width: int, lines: int) -> str:
    """`text`, with marks, shortened so that it takes about `lines` lines."""
    # Lines break at words, so that two lines hold a little less than twice one.
    room = int(width * lines * (0.92 if lines > 1 else 1.0))
    if metrics.horizontalAdvance(plain(text)) <= room:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        fits = metrics.horizontalAdvance(plain(text[:middle]) + "…") <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return text[:low].rstrip() + "…"


def _marks(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without marks, and where each marked part begins and how long it is."""
    shown = ""
    marks: list[tuple[int, int]] = []
    for number, part in enumerate(text.split(BEGIN)):
        marked, separator, rest = part.partition(END) if number else (part, "", "")
        if number and marked:
            marks.append((len(shown), len(marked)))
        shown += marked + (rest if separator else "")
    return shown, marks


def _strong(start: int, length: int) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length = start, length
    format_ = QTextCharFormat()
    format_.setFontWeight(QFont.Weight.Bold)
    format_.setFontUnderline(True)
    made.format = format_
    return made


def _without_end(room: QRect, width: int, option: QStyleOptionViewItem) -> QRect:
    return room.adjusted(width, 0, 0, 0) if _is_mirrored(option) else room.adjusted(0, 0, -width, 0)


def _is_mirrored(option: QStyleOptionViewItem) -> bool:
    return bool(option.direction == Qt.LayoutDirection.RightToLeft)


def _is_selected(option: QStyleOptionViewItem) -> bool:
    return bool(_state(option) & QStyle.StateFlag.State_Selected)


def _rect(option: QStyleOptionViewItem) -> QRect:
    return option.rect


def _state(option: QStyleOptionViewItem) -> QStyle.StateFlag:
    return option.state
