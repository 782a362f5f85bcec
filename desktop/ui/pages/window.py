"""The window that holds the pages: their list at the left, in groups, the chosen one at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QIcon, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged, SettingsFile, variable_of
from desktop.ui import theme
from desktop.ui.icons import icon
from desktop.ui.language import tr, tr_noop
from desktop.ui.pages.page import Page
from desktop.ui.placement import Placement, WindowState, load_window_state, save_window_state
from desktop.ui.reasons import WindowReason
from desktop.ui.shortcuts import bind, show_sheet
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import button, small
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import named, sized

CursorAction = QAbstractItemView.CursorAction
LIST_WIDTH, ICONS_WIDTH = 200, 56
# So that all rows and headings stand in a window that fits a screen of 720 lines with a panel.
ROW, HEADING, GAP = 29, 27, 8
NARROW = 720  # below this the list shows icons alone
WIDTH, HEIGHT = 960, 700
# The headings of the list.
PERSONAL = tr_noop("Personal")
OVERSIGHT = tr_noop("Oversight")
CONNECTIONS = tr_noop("Connections")
STEWARD = tr_noop("Steward")


@dataclass(frozen=True)
class PageEntry:
    """A page of the list, before it exists."""

    title: str
    icon: str
    make: Callable[[], Page]
    group: str = ""  # the heading above it and those of the same group, which stand together


class PageList(QListWidget):
    """Rows under headings; the keys pass over the headings."""

    def moveCursor(self, action: CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Qt's own does so for the arrows, but Home and Page up end on the first heading, which it then
        refuses to choose."""
        found = super().moveCursor(action, modifiers)
        while found.isValid() and not found.flags() & Qt.ItemFlag.ItemIsEnabled:
            found = found.siblingAtRow(found.row() + 1)
        return found


class PagesWindow(QWidget):
    """Hidden and shown, never destroyed before the end; remembers place and page. Main thread only."""

    palette_requested = Signal()
    quit_requested = Signal()

    def __init__(
        self,
        settings_file: SettingsFile,
        relay: Relay,
        background: Background,
        state_file: Path,
        entries: Sequence[PageEntry],
    ) -> None:
        super().__init__()
        self._settings_file = settings_file
        self._background = background
        self._state_file = state_file
        self._entries = tuple(entries)
        self._rows: list[int] = []  # in the list, which has headings as well, of each entry
        self._headings: list[QListWidgetItem] = []
        self._pages: dict[str, Page] = {}
        self._state = load_window_state(state_file)
        self.placement = Placement(self)
        self.setObjectName("pages_window")
        self.setWindowIcon(QIcon(icon("app", "#000000")))
        self.list = self._make_list()
        self.banner = UnguardedBanner()
        self.banner.ask_again.connect(self._ask_again)
        self._stack = QStackedWidget()
        self._lay_out()
        self._ring = FocusRing(self)
        self._add_shortcuts()
        self._restore_place()
        theme.current().changed.connect(self._fit_items)
        relay.listen(SettingsChanged, lambda _event: self._show_guard())
        self._fit_items()
        self._show_guard()

    # -- what the composition root calls ----------------------------------------------------------

    def show_page(self, title: str = "") -> None:
        """Bring the window to the front with this page; the last one without a title."""
        titles = [entry.title for entry in self._entries]
        wanted = title or self._state.page
        self._choose(titles.index(wanted) if wanted in titles else 0)
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        # The list is the one thing that is in every page's window, so the keyboard begins there.
        self.list.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    @property
    def titles(self) -> tuple[tuple[str, str], ...]:
        """Title, which `show_page` takes, and icon of each page."""
        return tuple((entry.title, entry.icon) for entry in self._entries)

    @property
    def page(self) -> Page | None:
        """The one in sight."""
        shown = self._stack.currentWidget()
        return shown if isinstance(shown, Page) else None

    def save_state(self) -> None:
        """Keep place, size and page for the next time."""
        # What it has when it is made smaller again.
        area = self.normalGeometry() if self.isMaximized() else self.geometry()
        page = self.page.title if self.page is not None else self._state.page
        self._state = WindowState(
            area.x(), area.y(), area.width(), area.height(), self.isMaximized(), page=page
        )
        save_window_state(self._state_file, self._state)

    # -- Qt ---------------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        self.save_state()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_list()

    # -- pages ------------------------------------------------------------------------------------

    def _choose(self, number: int) -> None:
        row = self._rows[number]
        if self.list.currentRow() == row:
            self._show_row(row)
        else:
            self.list.setCurrentRow(row)  # which shows it

    def _show_row(self, row: int) -> None:
        if row not in self._rows:
            return
        entry = self._entries[self._rows.index(row)]
        # Made when it is first opened: all of them at once would hold up the first one.
        if entry.title not in self._pages:
            page = entry.make()
            self._pages[entry.title] = page
            self._stack.addWidget(page)
        page = self._pages[entry.title]
        self._stack.setCurrentWidget(page)
        self.setWindowTitle(tr("{title} – Steward", title=tr(entry.title)))
        page.shown()

    def _step(self, by: int) -> None:
        here = self._rows.index(self.list.currentRow())
        self.list.setCurrentRow(self._rows[(here + by) % len(self._rows)])

    # -- building ---------------------------------------------------------------------------------

    def _make_list(self) -> PageList:
        made = named(PageList(), "pages_list", tr("Pages"))
        made.setFrameShape(QFrame.Shape.NoFrame)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        group = ""
        for entry in self._entries:
            if entry.group != group:
                group = entry.group
                self._headings.append(_heading(group))
                made.addItem(self._headings[-1])
            item = QListWidgetItem(tr(entry.title))
            item.setToolTip(tr(entry.title))
            self._rows.append(made.count())
            made.addItem(item)
        made.verticalScrollBar().rangeChanged.connect(lambda _least, _most: self._fit_list())
        made.currentRowChanged.connect(self._show_row)
        made.itemActivated.connect(lambda _item: self._enter_page())
        return made

    def _enter_page(self) -> None:
        if self.page is not None:
            self.page.take_focus()

    def _lay_out(self) -> None:
        self._side = QFrame()
        self._side.setObjectName("pages_side")
        self._side_column = QVBoxLayout(self._side)
        self._side_column.addWidget(sized(self.list, icon=18))
        theme.space(self._side_column, 0, (8, 8, 8, 8))
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.banner)
        right.addWidget(self._stack, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._side)
        row.addLayout(right, 1)

    def _add_shortcuts(self) -> None:
        bind(
            self,
            {
                "shortcuts": lambda: show_sheet(self),
                "palette": self.palette_requested.emit,
                "quit": self.quit_requested.emit,
                "pages_next": lambda: self._step(1),
                "pages_previous": lambda: self._step(-1),
                "pages_cycle": self._cycle_focus,
                "pages_close": self.close,
            },
        )

    def _cycle_focus(self) -> None:
        """Move the focus from the list into the page and back."""
        if self.list.hasFocus():
            self._enter_page()
        else:
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _restore_place(self) -> None:
        state = self._state
        self.placement.restore(state, QSize(theme.px(WIDTH), theme.px(HEIGHT)))

    # -- look -------------------------------------------------------------------------------------

    def _show_guard(self) -> None:
        self.banner.setVisible(self._settings_file.current.permissions.dangerously_skip_permissions)

    def _ask_again(self) -> None:
        self._background.run(
            self._settings_file.change,
            "permissions",
            "dangerously_skip_permissions",
            False,
            done=lambda _settings: self._on_asking_again(),
            failed=self._refuse,
        )

    def _on_asking_again(self) -> None:
        if self._settings_file.current.permissions.dangerously_skip_permissions:
            variable = variable_of("permissions", "dangerously_skip_permissions") or ""
            self._refuse(UserFacing(WindowReason.SET_BY_ENVIRONMENT.of(variable=variable)))

    def _refuse(self, error: Exception) -> None:
        """Over the page that is in sight; the banner stays, because nothing has changed."""
        if self.page is not None:
            self.page.toast.refuse(error)

    def _fit_list(self) -> None:
        narrow = self.width() < theme.px(NARROW)
        bar = self.list.verticalScrollBar()
        # Beside the rows and not taken from them: icons alone would leave the middle of theirs.
        beside = bar.sizeHint().width() if narrow and bar.maximum() > 0 else 0
        self._side.setFixedWidth(theme.px(ICONS_WIDTH if narrow else LIST_WIDTH) + beside)
        for row, entry in zip(self._rows, self._entries, strict=True):
            item = self.list.item(row)
            item.setText("" if narrow else tr(entry.title))
            # A row of icons alone is still read by its name.
            item.setData(Qt.ItemDataRole.AccessibleTextRole, tr(entry.title))
        for heading in self._headings:
            group = heading.data(Qt.ItemDataRole.AccessibleTextRole)
            heading.setText("" if narrow else group)
            is_first = heading is self._headings[0]
            height = (0 if is_first else GAP) if narrow else HEADING
            heading.setSizeHint(QSize(theme.px(40), theme.px(height)))

    def _fit_items(self) -> None:
        """The rows of a list keep the size and the pictures that they were given."""
        self.placement.limit_minimum(QSize(theme.px(400), theme.px(360)))
        for row, entry in zip(self._rows, self._entries, strict=True):
            item = self.list.item(row)
            item.setIcon(self._two_icons(entry.icon))
            item.setSizeHint(QSize(theme.px(40), theme.px(ROW)))
        for heading in self._headings:
            heading.setFont(theme.font(CAPTION_PX))
            heading.setForeground(theme.colour("secondary"))
        self._fit_list()

    def _two_icons(self, name: str) -> QIcon:
        """In the colour of the words, which is another one where the row is chosen."""
        size, ratio = self.list.iconSize(), self.devicePixelRatio()
        both = QIcon()
        for mode, ink in ((QIcon.Mode.Normal, "text"), (QIcon.Mode.Selected, "on_selection")):
            both.addPixmap(theme.icon(name, ink).pixmap(size, ratio), mode)
        return both


def _heading(group: str) -> QListWidgetItem:
    """Neither chosen nor reached by the keyboard; a screen reader meets it in its place."""
    made = QListWidgetItem(tr(group))
    made.setFlags(Qt.ItemFlag.NoItemFlags)
    # In the middle: the ring around a row with the focus reaches into the heading on either side.
    made.setTextAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading)
    made.setData(Qt.ItemDataRole.AccessibleTextRole, tr(group))
    return made


SAYS = tr_noop("Never ask is on: files can be deleted and data sent without a question.")


class UnguardedBanner(QFrame):
    """Shown by its owner while the setting is on. The colour is not alone: a sign and words stand with it."""

    ask_again = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "unguarded_banner", tr("Warning: {says}", says=tr(SAYS)))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = Label(tr(SAYS), SMALL_PX, bold=True, colour="danger", name="unguarded_words")
        self.button = button(tr("Ask again"), "unguarded_ask_again", described=tr("Ask before changes again"))
        small(self.button)
        self.button.clicked.connect(lambda _checked: self.ask_again.emit())
        self._row = QHBoxLayout(self)
        self._row.addWidget(Sign("warning", "danger", BODY_PX))
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.button)
        theme.space(self._row, 10, (24, 8, 16, 8))
