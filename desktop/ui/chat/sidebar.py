"""The list of conversations, with search above and the ways to models and pages below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QFontMetrics,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.chat.projects import ChatProject
from desktop.chat.search import FoundChat, FoundMessage, SearchResults
from desktop.chat.store import Conversation
from desktop.ui import theme
from desktop.ui.chat.conversation_list import (
    CHAT_MIME,
    ROW,
    ROW_ROLE,
    ConversationModel,
    Header,
    RowDelegate,
    found,
    grouped,
)
from desktop.ui.language import tr, tr_noop
from desktop.ui.shortcuts import beside_keys, with_keys
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.layout import from_its_side, named, sized
from desktop.ui.widgets.lists import StepField
from desktop.ui.widgets.menu import Menu

WIDTH = 264
DAY_CHECK_MS = 60_000  # a timer set for midnight would miss a night that the computer slept through
# At the foot, with icon and shortcut: what everybody needs in the first week. The palette has all pages.
PAGES = (
    (tr_noop("Activity"), "activity", ""),
    (tr_noop("Memory"), "memory", "memory"),
    (tr_noop("Settings"), "settings", "settings"),
)

PROJECTS = tr_noop("Projects")
NO_PROJECT = Header("", takes_chats=True)


class Sidebar(QFrame):
    """Emits what the user wants. Main thread only."""

    new_chat_wanted = Signal()
    opened = Signal(int)
    hit_opened = Signal(int, int)  # conversation, message
    renamed = Signal(int, str)
    delete_wanted = Signal(int)
    pin_wanted = Signal(int, bool)
    export_wanted = Signal(int)
    folder_wanted = Signal(int)  # conversation
    move_wanted = Signal(int, int)  # conversation, project; 0 for none
    new_in_project_wanted = Signal(int, str)  # its id and name
    search_wanted = Signal(str)
    search_left = Signal()  # Esc in the search box: back to the conversation
    models_wanted = Signal()
    page_wanted = Signal(str)  # of the pages' window

    def __init__(self, settings_menu: Menu, today: Callable[[], date], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._today = today
        self._grouped_on = today()
        self._day_timer = QTimer(self, interval=DAY_CHECK_MS, timerType=Qt.TimerType.VeryCoarseTimer)
        self.conversations: tuple[Conversation, ...] = ()  # as they were last read, the latest first
        self._current = 0
        self._found_for = ""  # what the rows are the answer to; "" while they are all conversations
        self._projects: tuple[ChatProject, ...] = ()
        self.setObjectName("sidebar")
        self.model = ConversationModel()
        self.model.renamed.connect(self.renamed)
        self.new_button = self._make_new_button()
        self.search = SearchBox()
        self.list = ConversationList(self.model, self)
        self.model_button = IconButton(
            "model",
            tr("Choose and manage models"),
            "model_button",
            self.models_wanted.emit,
        ).labelled(tr("Models"))
        self.page_buttons = tuple(self._page_button(*each) for each in PAGES)
        self.look_button = IconButton("moon", tr("Theme and text size"), "look_button")
        self.look_button.drop_down(settings_menu)
        self._lay_out()
        self._connect()
        theme.space(self._column, 8, (12, 12, 12, 8))

    # -- what the owner sets ------------------------------------------------------------------

    def show_conversations(self, conversations: Sequence[Conversation], current: int) -> None:
        """Refill the list; `current` is the open one, 0 for none."""
        self.conversations = tuple(conversations)
        self._current = current
        place = self.list.currentIndex().row()
        before = self.model.row(self.list.currentIndex())
        # What was found stays while the list below it changes; one of it may be gone, or called otherwise.
        if self.search.wanted:
            self.search_wanted.emit(self.search.wanted)
        else:
            self._grouped_on = self._today()
            self.model.show_rows(grouped(self.conversations, self._grouped_on, self._projects))
        self._select_current()
        self._keep_row(before)
        if self.list.hasFocus():
            self.list.ensure_row(place)

    def show_projects(self, projects: Sequence[ChatProject]) -> None:
        """Offer these projects as places to move a conversation to."""
        self._projects = tuple(projects)

    def show_current(self, conversation_id: int) -> None:
        self._current = conversation_id
        self._select_current()

    def show_busy(self, conversation_ids: frozenset[int]) -> None:
        self.model.show_busy(conversation_ids)

    def show_unsent(self, conversation_ids: frozenset[int]) -> None:
        self.model.show_unsent(conversation_ids)

    def show_page(self, text: str, page: SearchResults) -> None:
        """What was found for `text`, unless something else is in the box by now."""
        # Answers come from the pool, and the box may hold another word by now.
        if text != self.search.wanted:
            return
        chosen, scrolled = self.list.currentIndex().row(), self.list.verticalScrollBar().value()
        self.model.show_rows(found(page))
        if text != self._found_for:
            self.list.scrollToTop()
            self.list.setCurrentIndex(self.model.next_row(-1, 1))
        elif chosen >= 0 and not self.list.currentIndex().isValid():
            # The same was looked for again and is another now: whoever goes through it stays where they were.
            self.list.setCurrentIndex(self.model.next_row(min(chosen, self.model.rowCount() - 1) - 1, 1))
            self.list.verticalScrollBar().setValue(scrolled)
        self._found_for = text

    def show_model(self, name: str) -> None:
        metrics = self.model_button.fontMetrics()
        room = theme.px(WIDTH - 96)
        self.model_button.setText(metrics.elidedText(name or tr("Models"), Qt.TextElideMode.ElideRight, room))
        self.model_button.set_words(
            tr("{name}: choose and manage models", name=name) if name else tr("Choose and manage models")
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._day_timer.start()
        self._group_anew_on_another_day()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._day_timer.stop()

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    # -- inside -------------------------------------------------------------------------------

    def _make_new_button(self) -> QPushButton:
        button = named(QPushButton(tr("New chat")), "new_chat", tr("New chat"))
        button.setToolTip(with_keys(tr("New chat"), "new_chat"))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setIcon(theme.icon("plus", "text"))
        button.clicked.connect(self.new_chat_wanted)
        return sized(button, icon=16)

    def _page_button(self, page: str, icon: str, shortcut: str) -> IconButton:
        words = with_keys(tr(page), shortcut) if shortcut else tr(page)
        name = f"open_{page.lower()}"
        made = IconButton(icon, words, name, lambda: self.page_wanted.emit(page)).labelled(tr(page))
        # Over the whole width, so that there is something to hit beside the word.
        made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return made

    def _lay_out(self) -> None:
        last = QHBoxLayout()
        last.addWidget(self.page_buttons[-1], 1)
        last.addWidget(self.look_button)
        foot = theme.space(QVBoxLayout(), 0)
        foot.addWidget(self.model_button)
        for each in self.page_buttons[:-1]:
            foot.addWidget(each)
        foot.addLayout(last)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.new_button)
        self._column.addWidget(self.search)
        self._column.addWidget(self.list, 1)
        self._column.addLayout(foot)

    def _connect(self) -> None:
        self._day_timer.timeout.connect(self._group_anew_on_another_day)
        self.search.search_wanted.connect(self.search_wanted)
        self.search.emptied.connect(self._on_search_emptied)
        self.search.stepped.connect(self._step)
        self.search.chosen.connect(self._on_search_chosen)
        self.search.left.connect(self.search_left)
        self.list.clicked.connect(self._open)
        self.list.activated.connect(self._open)
        self.list.delete_pressed.connect(self._delete)
        self.list.dropped.connect(self.move_wanted)
        self.list.more.clicked.connect(lambda _checked: self._show_menu_at_row())
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)

    def _group_anew_on_another_day(self) -> None:
        """What was of today at midnight is of yesterday, though nothing happened to it."""
        if self._today() != self._grouped_on:
            self.show_conversations(self.conversations, self._current)

    def _on_search_emptied(self) -> None:
        self._found_for = ""
        self.show_conversations(self.conversations, self._current)

    def _step(self, by: int) -> None:
        """Another row, while the search box keeps the keyboard."""
        index = self.model.next_row(self.list.currentIndex().row(), by)
        if index.isValid():
            self.list.setCurrentIndex(index)
            self.list.scrollTo(index)

    def _on_search_chosen(self) -> None:
        """Enter opens the row that is chosen; while the answer is on its way there is none yet."""
        if self.search.wanted and self.list.currentIndex().isValid():
            self._open(self.list.currentIndex())

    def _open(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if isinstance(row, Conversation):
            self.opened.emit(row.id)
        elif isinstance(row, FoundChat):
            self.opened.emit(row.conversation_id)
        elif isinstance(row, FoundMessage):
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
            # popup and not exec: a menu with a loop of its own would hold up what the model writes.
            menu.popup(self.list.viewport().mapToGlobal(where))

    def _show_menu_at_row(self) -> None:
        """Open the menu of the row in which "…" stands, below it."""
        index = self.model.index(self.list.more_index.row())
        row = self.model.row(index)
        if isinstance(row, Conversation):
            button = self.list.more
            self.menu_for(index, row).popup(button.mapToGlobal(QPoint(0, button.height())))

    def menu_for(self, index: QModelIndex, row: Conversation) -> Menu:
        """What can be done with one conversation."""
        menu = Menu(self, "conversation_menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.offer(tr("Open"), "open", lambda: self.opened.emit(row.id))
        menu.offer(beside_keys(tr("Rename"), "rename"), "edit", lambda: self.list.edit(index))
        pin = tr("Unpin") if row.pinned else tr("Pin")
        menu.offer(pin, "pin", lambda: self.pin_wanted.emit(row.id, not row.pinned))
        menu.offer(tr("Export…"), "export", lambda: self.export_wanted.emit(row.id))
        menu.offer(tr("Look into a folder…"), "search", lambda: self.folder_wanted.emit(row.id))
        self._add_projects(menu, row)
        menu.addSeparator()
        menu.offer(beside_keys(tr("Delete"), "delete"), "trash", lambda: self.delete_wanted.emit(row.id))
        return menu

    def _add_projects(self, menu: Menu, row: Conversation) -> None:
        """Add where it may be moved; without projects the page on which they are made."""
        if not self._projects:
            menu.offer(tr("Projects…"), "folder", lambda: self.page_wanted.emit(PROJECTS))
            return
        moves = Menu(menu, "project_menu", tr("Move to project"))
        menu.addMenu(moves).setIcon(theme.icon("folder"))
        places = [(each.id, each.name) for each in self._projects]
        for number, name in (*places, (0, tr("No project"))):
            moves.choice(name, number == row.project_id, partial(self.move_wanted.emit, row.id, number))
        if row.project_id:
            menu.offer(
                tr("New chat in {project}", project=row.project.replace("&", "&&")),
                "plus",
                partial(self.new_in_project_wanted.emit, row.project_id, row.project),
            )

    def _keep_row(self, before: object) -> None:
        """The keyboard stays in the row of the chat that it was in, wherever that stands now."""
        if isinstance(before, Conversation) and not self.list.currentIndex().isValid():
            index = self.model.index_of(before.id)
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)

    def _select_current(self) -> None:
        if self.search.wanted:
            return  # of what was found, the row that was chosen stays marked
        index = self.model.index_of(self._current)
        if index.isValid():
            self.list.setCurrentIndex(index)
        else:
            self.list.clearSelection()


class ConversationList(QListView):
    """Rows of 32 px; F2 renames, Del deletes, Enter opens, and "…" at the end of a row has the rest.

    A chat is dragged onto a project, or onto the days, which takes it out of its project.
    """

    delete_pressed = Signal(QModelIndex)
    dropped = Signal(int, int)  # conversation, project; 0 for none

    def __init__(self, model: ConversationModel, parent: QWidget) -> None:
        super().__init__(parent)
        named(self, "conversations", tr("Conversations"))
        self.more_index = QPersistentModelIndex()  # the row with "…"; invalid for none
        self.chats = model
        self.setModel(model)
        self.setItemDelegate(RowDelegate(self, lambda index: index == self.more_index))
        self.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        # The row under the mouse is drawn raised, which needs moves without a pressed button.
        self.setMouseTracking(True)
        # One for all rows: it goes to the row under the mouse or, with the keyboard, to the chosen one.
        self.more = IconButton("more", tr("Actions for this chat"), "chat_actions", size=24)
        self.more.setParent(self.viewport())
        self.more.hide()
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(False)  # Qt's line between two rows promises an order
        self._follow()

    def _follow(self) -> None:
        theme.current().changed.connect(self.scheduleDelayedItemsLayout)
        self.entered.connect(self._show_more)
        self.selectionModel().currentChanged.connect(lambda now, _before: self._show_current_more(now))
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._place_more())
        self.model().modelReset.connect(self._hide_more)

    def _show_more(self, index: QModelIndex) -> None:
        """Put "…" at the end of this row; a heading and what was found have none."""
        if not isinstance(index.data(ROW_ROLE), Conversation):
            self._hide_more()
            return
        self.more_index = QPersistentModelIndex(index)
        title = index.data(Qt.ItemDataRole.DisplayRole)
        self.more.setAccessibleName(tr("Actions for {title}", title=title))
        self.more.show()
        self._place_more()

    def _show_current_more(self, index: QModelIndex) -> None:
        if self.hasFocus():
            self._show_more(index)

    def _hide_more(self) -> None:
        self.more_index = QPersistentModelIndex()
        self.more.hide()

    def _place_more(self) -> None:
        rect = (
            self.visualRect(self.model().index(self.more_index.row(), 0))
            if self.more_index.isValid()
            else QRect()
        )
        if rect.isEmpty() or self.more.isHidden():
            return
        side, gap = self.more.width(), theme.px(4)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        x = rect.left() + gap if mirrored else rect.right() - side - gap
        self.more.move(x, rect.center().y() - side // 2)
        self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        # It stays with the row that the keyboard is in, and while it has the keyboard itself.
        if self.hasFocus():
            self._show_more(self.currentIndex())
        elif not self.more.hasFocus():
            self._hide_more()

    def ensure_row(self, near: int = 0) -> None:
        """Where no row is current, take the one at place `near`, or the nearest: the keyboard is somewhere,
        and its ring goes around that row."""
        if self.currentIndex().isValid():
            return
        place = min(max(near, 0), self.chats.rowCount())
        after = self.chats.next_row(place - 1, 1)
        index = after if after.isValid() else self.chats.next_row(place, -1)
        if index.isValid():
            # Chosen it is not: nobody has opened it.
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # Qt does this once in the life of a list, and not after its rows were other ones.
        if event.reason() is not Qt.FocusReason.MouseFocusReason:
            self.ensure_row()
        self._show_more(self.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_more()

    def startDrag(self, _actions: Qt.DropAction) -> None:
        index = self.currentIndex()
        data = self.chats.mimeData([index])
        if not data.hasFormat(CHAT_MIME):
            return
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(self._dragged(index))
        drag.setHotSpot(QPoint(-theme.px(8), -theme.px(8)))
        drag.exec(Qt.DropAction.MoveAction)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # Of this list alone: the number of a chat means nothing in another program's drag.
        if event.source() is self and event.mimeData().hasFormat(CHAT_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)  # scrolls at the edges
        header = self._header_at(event.position().toPoint())
        self.chats.show_drop(header)
        event.setAccepted(header is not None)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self.chats.show_drop(None)

    def dropEvent(self, event: QDropEvent) -> None:
        header = self._header_at(event.position().toPoint())
        self.chats.show_drop(None)
        if header is None or not event.mimeData().hasFormat(CHAT_MIME):
            event.ignore()
            return
        event.acceptProposedAction()
        self.dropped.emit(int(event.mimeData().data(CHAT_MIME).data()), header.project_id)

    def _header_at(self, where: QPoint) -> Header | None:
        """That of the group under the mouse, where a chat may be dropped; below all rows is no project."""
        index = self.indexAt(where)
        if not index.isValid():
            return NO_PROJECT
        header = self.chats.header_over(index)
        return header if header is not None and header.takes_chats else None

    def _dragged(self, index: QModelIndex) -> QPixmap:
        """The title on a small card, at the mouse."""
        font, px = theme.font(SMALL_PX), theme.px
        metrics = QFontMetrics(font)
        title = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, px(WIDTH - 48))
        card = QRect(0, 0, metrics.horizontalAdvance(title) + px(20), px(ROW))
        ratio = self.devicePixelRatioF()
        made = QPixmap((card.size().toSizeF() * ratio).toSize())
        made.setDevicePixelRatio(ratio)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.colour("accent"))
        painter.setBrush(theme.colour("surface_2"))
        painter.drawRoundedRect(card.toRectF().adjusted(0.5, 0.5, -0.5, -0.5), px(8), px(8))
        painter.setFont(font)
        painter.setPen(theme.colour("text"))
        painter.drawText(card, Qt.AlignmentFlag.AlignCenter, title)
        painter.end()
        return made

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.currentIndex().isValid():
            self.delete_pressed.emit(self.currentIndex())
        # Qt leaves it to the platform whether Enter opens a row; on macOS it would begin to rename.
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


SEARCH_AFTER_MS = 60  # so that one stroke of a fast typist is not a search of its own


class SearchBox(StepField):
    """Searches while somebody types. Main thread only."""

    search_wanted = Signal(str)
    emptied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "search", tr("Search chats"))
        self.setPlaceholderText(from_its_side(self, with_keys(tr("Search"), "search")))
        self.setClearButtonEnabled(True)
        self._timer = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MS)
        self._timer.timeout.connect(self._search)
        self.textChanged.connect(self._on_text)

    @property
    def wanted(self) -> str:
        """What is looked for; "" for nothing."""
        return self.text().strip()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # What was typed in the last few milliseconds counts too.
            self._search_now()
        elif event.key() == Qt.Key.Key_Escape:
            self.clear()
        super().keyPressEvent(event)

    def _on_text(self) -> None:
        if self.wanted:
            self._timer.start()
        else:
            self._timer.stop()
            self.emptied.emit()

    def _search_now(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
            self._search()

    def _search(self) -> None:
        if self.wanted:
            self.search_wanted.emit(self.wanted)
