"""The list of conversations, with search above and model and settings below."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.chat.store import Conversation, Hit
from desktop.ui.buttons import IconButton
from desktop.ui.chat.conversation_model import (
    BUSY_ROLE,
    ROW_ROLE,
    ConversationModel,
    Header,
    found,
    grouped,
    plain,
)
from desktop.ui.theme import CAPTION_PX, SMALL_PX, Theme

WIDTH = 264
SEARCH_AFTER_MS = 150

Index = QModelIndex | QPersistentModelIndex


class Sidebar(QFrame):
    """Emits what the user wants. Main thread only."""

    new_chat_wanted = Signal()
    opened = Signal(int)
    hit_opened = Signal(int, int)  # conversation, message
    renamed = Signal(int, str)
    delete_wanted = Signal(int)
    pin_wanted = Signal(int, bool)
    search_wanted = Signal(str)
    models_wanted = Signal()

    def __init__(self, theme: Theme, settings_menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._conversations: tuple[Conversation, ...] = ()
        self._current = 0
        self.setObjectName("sidebar")
        self.model = ConversationModel()
        self.model.renamed.connect(self.renamed)
        self.new_button = self._make_new_button()
        self.search = self._make_search()
        self.list = ConversationList(theme, self.model, self)
        self.model_button = IconButton(
            theme,
            "model",
            "Choose and manage models",
            "model_button",
            self.models_wanted.emit,
            label="Models",
        )
        self.settings_button = IconButton(theme, "settings", "Theme and text size", "settings_button")
        self.settings_button.setMenu(settings_menu)
        self.settings_button.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        self._search_timer = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MS)
        self._search_timer.timeout.connect(self._on_search_time)
        self._lay_out()
        self._connect()
        theme.changed.connect(self._restyle)
        self._restyle()

    # -- what the owner sets ------------------------------------------------------------------

    def show_conversations(self, conversations: Sequence[Conversation], current: int) -> None:
        """Refill the list; `current` is the open one, 0 for none."""
        self._conversations = tuple(conversations)
        self._current = current
        if not self.search.text().strip():
            self.model.show_rows(grouped(self._conversations, date.today()))
        self._select_current()

    def show_current(self, conversation_id: int) -> None:
        self._current = conversation_id
        self._select_current()

    def show_busy(self, conversation_ids: frozenset[int]) -> None:
        self.model.show_busy(conversation_ids)

    def show_hits(self, text: str, hits: Sequence[Hit]) -> None:
        """Results for `text`, unless something else is in the box by now."""
        if text == self.search.text().strip():
            self.model.show_rows(found(hits, self._conversations, text))
            self._select_current()

    def show_model(self, name: str) -> None:
        metrics = self.model_button.fontMetrics()
        room = self._theme.px(WIDTH - 96)
        self.model_button.setText(metrics.elidedText(name or "Models", Qt.TextElideMode.ElideRight, room))
        self.model_button.set_words(
            f"{name}: choose and manage models" if name else "Choose and manage models"
        )

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def rename_current(self) -> None:
        """Edit the title of the selected row in place."""
        index = self.list.currentIndex()
        if isinstance(self.model.row(index), Conversation):
            self.list.edit(index)

    # -- inside -------------------------------------------------------------------------------

    def _make_new_button(self) -> QPushButton:
        button = QPushButton("New chat")
        button.setObjectName("new_chat")
        button.setAccessibleName("New chat")
        button.setToolTip("New chat (Ctrl+N)")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self.new_chat_wanted)
        return button

    def _make_search(self) -> QLineEdit:
        search = QLineEdit()
        search.setObjectName("search")
        search.setAccessibleName("Search chats")
        search.setPlaceholderText("Search (Ctrl+K)")
        search.setClearButtonEnabled(True)
        return search

    def _lay_out(self) -> None:
        bottom = QHBoxLayout()
        bottom.addWidget(self.model_button)
        bottom.addStretch(1)
        bottom.addWidget(self.settings_button)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.new_button)
        self._column.addWidget(self.search)
        self._column.addWidget(self.list, 1)
        self._column.addLayout(bottom)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_search_text)
        self.search.returnPressed.connect(self._on_search_enter)
        self.list.clicked.connect(self._open)
        self.list.activated.connect(self._open)
        self.list.delete_pressed.connect(self._delete)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)

    def _on_search_text(self, text: str) -> None:
        if text.strip():
            self._search_timer.start()
        else:
            self._search_timer.stop()
            self.show_conversations(self._conversations, self._current)

    def _on_search_time(self) -> None:
        if text := self.search.text().strip():
            self.search_wanted.emit(text)

    def _on_search_enter(self) -> None:
        self._search_timer.stop()
        self._on_search_time()
        self.list.setFocus(Qt.FocusReason.TabFocusReason)

    def _open(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if isinstance(row, Conversation):
            self.opened.emit(row.id)
        elif isinstance(row, Hit):
            self.hit_opened.emit(row.conversation_id, row.message_id)

    def _delete(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if isinstance(row, Conversation):
            self.delete_wanted.emit(row.id)

    def _show_menu(self, where: QPoint) -> None:
        index = self.list.indexAt(where)
        row = self.model.row(index)
        if isinstance(row, Conversation):
            menu = self.menu_for(index, row)
            menu.popup(self.list.viewport().mapToGlobal(where))

    def menu_for(self, index: QModelIndex, row: Conversation) -> QMenu:
        """What can be done with one conversation."""
        menu = QMenu(self)
        menu.setObjectName("conversation_menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open", lambda: self.opened.emit(row.id))
        menu.addAction("Rename\tF2", lambda: self.list.edit(index))
        menu.addAction("Unpin" if row.pinned else "Pin", lambda: self.pin_wanted.emit(row.id, not row.pinned))
        menu.addSeparator()
        menu.addAction("Delete\tDel", lambda: self.delete_wanted.emit(row.id))
        return menu

    def _select_current(self) -> None:
        index = self.model.index_of(self._current)
        if index.isValid():
            self.list.setCurrentIndex(index)
        else:
            self.list.clearSelection()

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(px(12), px(12), px(12), px(8))
        self._column.setSpacing(px(8))
        self.new_button.setIcon(self._theme.icon("plus", "text"))
        self.new_button.setIconSize(QSize(px(16), px(16)))
        for widget in (self.new_button, self.search, self.list):
            widget.setFont(self._theme.font(SMALL_PX))


class ConversationList(QListView):
    """Rows of 32 px; F2 renames, Del deletes, Enter opens."""

    delete_pressed = Signal(QModelIndex)

    def __init__(self, theme: Theme, model: ConversationModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("conversations")
        self.setAccessibleName("Conversations")
        self.setModel(model)
        self.setItemDelegate(RowDelegate(theme, self))
        self.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.currentIndex().isValid():
            self.delete_pressed.emit(self.currentIndex())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class RowDelegate(QStyledItemDelegate):
    """Draws the rows in the colours of the theme."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW_ROLE)
        height = 48 if isinstance(row, Hit) else 32
        return QSize(self._theme.px(100), self._theme.px(height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Header):
            self._paint_header(painter, _rect(option), row)
        else:
            self._paint_surface(painter, option)
            if isinstance(row, Hit):
                self._paint_hit(painter, _rect(option), row)
            else:
                self._paint_title(painter, option, row.title, bool(index.data(BUSY_ROLE)))
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        editor.setObjectName("rename")
        editor.setAccessibleName("New title")
        editor.setFont(self._theme.font(SMALL_PX))
        return editor

    def _paint_header(self, painter: QPainter, rect: QRect, row: Header) -> None:
        px = self._theme.px
        painter.setFont(self._theme.font(CAPTION_PX))
        painter.setPen(self._theme.colour("secondary"))
        room = rect.adjusted(px(8), 0, -px(8), -px(4))
        painter.drawText(room, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeading, row.title)

    def _paint_surface(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        state = _state(option)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if not selected and not state & QStyle.StateFlag.State_MouseOver:
            return
        surface = _rect(option).toRectF().adjusted(0, 1, 0, -1)
        radius = self._theme.px(8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("selection" if selected else "surface_2"))
        painter.drawRoundedRect(surface, radius, radius)

    def _paint_title(self, painter: QPainter, option: QStyleOptionViewItem, title: str, busy: bool) -> None:
        px, rect = self._theme.px, _rect(option)
        selected = bool(_state(option) & QStyle.StateFlag.State_Selected)
        ink = "on_selection" if selected else "text"
        room = rect.adjusted(px(8), 0, -px(20 if busy else 8), 0)
        self._draw_line(painter, room, title, SMALL_PX, ink)
        if busy:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(ink if self._theme.high_contrast else "accent"))
            painter.drawEllipse(QPointF(rect.right() - px(10), rect.center().y() + 0.5), px(4), px(4))

    def _paint_hit(self, painter: QPainter, rect: QRect, row: Hit) -> None:
        px = self._theme.px
        half = rect.height() // 2
        room = rect.adjusted(px(8), px(2), -px(8), 0)
        self._draw_line(
            painter, QRect(room.left(), room.top(), room.width(), half), row.title, SMALL_PX, "text"
        )
        lower = QRect(room.left(), room.top() + half - px(4), room.width(), half)
        self._draw_line(painter, lower, plain(row.excerpt), CAPTION_PX, "secondary")

    def _draw_line(self, painter: QPainter, room: QRect, text: str, size: float, token: str) -> None:
        painter.setFont(self._theme.font(size))
        painter.setPen(self._theme.colour(token))
        line = " ".join(text.split())
        elided = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, room.width())
        option = QTextOption(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        painter.drawText(room.toRectF(), elided, option)


def _rect(option: QStyleOptionViewItem) -> QRect:
    return option.rect


def _state(option: QStyleOptionViewItem) -> QStyle.StateFlag:
    return option.state
