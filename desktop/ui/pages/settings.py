"""The Settings page: every setting of desktop/settings with its help, changed at once.

Its eight sections are fewer than the file's, which has one for each room of the program that reads it.
People look for a setting by what it is about, so several of the file's stand under one name here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.errors import UserFacing
from desktop.qt.background import Background, only_logged
from desktop.qt.relay import Relay
from desktop.settings import Settings, SettingsChanged, SettingsFile
from desktop.system.autostart import Autostart
from desktop.ui import theme
from desktop.ui.language import error_words, tr, tr_noop
from desktop.ui.pages.backup import BackupGroup
from desktop.ui.pages.page import Page
from desktop.ui.pages.settings_fields import SettingField, field_groups
from desktop.ui.pages.settings_file import Saver, SettingsWatch
from desktop.ui.pages.settings_form import FormSupport, SettingAction, SettingRow, SettingsGroup
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import BODY_PX, CAPTION_PX
from desktop.ui.widgets.buttons import ComboBox, Switch, action, small
from desktop.ui.widgets.cards import OutcomeLine, SwitchCard, SwitchRow
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import ANY_SIZE, AROUND, EDGE, ScrollColumn, named, order_tabs
from desktop.ui.widgets.lists import EmptyState, EmptyWords, SearchField

HEADING, TITLE = tr_noop("Start"), tr_noop("Start with the computer")
HELP = tr_noop("Steward then waits in the tray after you log in, without a window.")


class AutostartGroup(QWidget):
    """Looks like a group of settings. Read and switched on the pool. Main thread only."""

    section = "general"  # of the settings' page

    def __init__(self, autostart: Autostart, background: Background) -> None:
        super().__init__()
        self._autostart = autostart
        self._background = background
        named(self, "settings_start", tr(HEADING))
        self.heading = Label(tr(HEADING), BODY_PX, bold=True, name="settings_heading")
        self.box = Switch("autostart")
        # Where the entry is, for people who want to see what Steward put into their system.
        self.box.setToolTip(plain_tip(autostart.place()))
        self.box.toggled.connect(self._on_toggled)
        self.error = Label("", CAPTION_PX, colour="danger", name="error_autostart")
        self.error.hide()
        row = SwitchRow(self.box, tr(TITLE), tr(HELP))
        row.text.addWidget(self.error)
        column = theme.space(QVBoxLayout(self), 8, (0, 8, 0, 8))
        column.addWidget(self.heading)
        column.addWidget(SwitchCard(row))

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches."""
        return (self.box,)

    def refresh(self) -> None:
        """Look again: people also switch this in the system's own settings."""
        self._background.run(self._autostart.is_on, done=self._show, failed=self._tell)

    def search(self, text: str) -> bool:
        """Hide it unless it holds every word of `text`."""
        everything = f"{tr(TITLE)} {tr(HELP)} autostart login".casefold()
        found = all(word in everything for word in text.casefold().split())
        self.setVisible(found)
        return found

    def _on_toggled(self, on: bool) -> None:
        self.error.show_text("")
        self._background.run(
            self._autostart.switch, on, done=lambda _none: self.refresh(), failed=self._on_failed
        )

    def _on_failed(self, error: Exception) -> None:
        self.refresh()
        self._tell(error)

    def _tell(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.error.show_text(error_words(error))

    def _show(self, on: bool) -> None:
        # What is shown is no wish: a signal would switch it again.
        self.box.show_checked(on)


SAYS = tr_noop("Changes are saved at once. All of this is also in a file that you can edit.")
NOT_FOUND = tr_noop("No setting matches the search.")
NARROW_PX = 620  # below this the sections are chosen from a box above the settings


class SettingsPage(Page):
    """Derived from the declarations: a new setting is on the page without a line here. A section is built
    when it is first shown or searched. Main thread only.
    """

    title = tr_noop("Settings")
    icon = "settings"

    page_requested = Signal(str)  # the title of the page on which a setting is changed
    restart_requested = Signal()

    def __init__(
        self,
        settings_file: SettingsFile,
        watch: SettingsWatch,
        relay: Relay,
        background: Background,
        support: FormSupport | None = None,
        extra: Sequence[AutostartGroup | BackupGroup] = (),
    ) -> None:
        """`extra` is no setting of the file, but people look for it here; it stands above those of its
        section.
        """
        super().__init__(tr(SAYS))
        self._file = settings_file
        self._watch = watch
        self._background = background
        self._support = support or FormSupport()
        self._extra = tuple(extra)
        self._saver = Saver(settings_file, background)
        self._declared = field_groups()
        self._built: dict[str, SettingsGroup] = {}  # by the section of the file
        self.rows = _Rows(self._row_of)
        self._chosen = SECTIONS[0].name
        self._build()
        self._connect(relay)
        self.sections.choose(self._chosen)
        if watch.problem is not None:
            self._refuse(watch.problem)

    # -- what is shown ----------------------------------------------------------------------------

    def shown(self) -> None:
        self._refresh(self._file.current)
        for each in self._extra:
            each.refresh()

    def search_for(self, text: str) -> None:
        """Leave only what holds all words of `text` in its title, help or key."""
        if self.search.text() != text:
            self.search.setText(text)  # which comes here again
            return
        if not text.strip():
            self.sections.choose(self._chosen)
            return
        self.sections.show_none()
        found = [group.search(text) for group in self.groups]
        found += [each.search(text) for each in self._extra]
        self.empty.show_for(any(found), is_narrowed=True)

    def show_part(self, key: str) -> None:
        """Bring the setting with this key, or the section of this name, into sight, with the keyboard."""
        self.search.clear()
        if not any(key == field.key for group in self._declared for field in group.settings):
            self.sections.choose(key)
            return
        row = self.rows[key]
        self.sections.choose(section_of(row.field.section))
        self._group(row.field.section).unfold(row)
        row.editor.control.setFocus(Qt.FocusReason.OtherFocusReason)
        self._scroll.reveal(row)

    def _show_section(self, name: str) -> None:
        if self.search.text().strip():
            self._chosen = name
            self.search.clear()  # which comes here again
            return
        self._chosen = name
        self.empty.hide()
        for group in self._built.values():
            group.hide()
        for declared in self._declared:
            if section_of(declared.name) == name:
                self._group(declared.name).search("")
        for each in self._extra:
            if each.section == name:
                each.search("")
            else:
                each.hide()
        self._scroll.verticalScrollBar().setValue(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < theme.px(NARROW_PX)
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._parts.setDirection(direction)
        self.sections.set_narrow(narrow)

    def hideEvent(self, event: QHideEvent) -> None:
        """What was typed and not finished is not lost."""
        for row in self.rows.values():
            row.commit()
        super().hideEvent(event)

    def _refresh(self, settings: Settings) -> None:
        for row in self.rows.values():
            # A change on its way to the disk would be shown undone for a moment.
            if not self._saver.is_busy(row.field.section, row.field.name):
                row.show_settings(settings)

    def _order_tabs(self) -> None:
        extra = [stop for each in self._extra for stop in each.stops]
        stops = [stop for group in self._in_order() for stop in group.stops]
        sections = (self.sections.list, self.sections.box)
        order_tabs((self.search, self.file_button, *sections, *extra, *stops))

    # -- doing ------------------------------------------------------------------------------------

    def _on_saved(self, key: tuple[str, str], settings: Settings) -> None:
        row = self.rows[".".join(key)]
        row.say("")
        self._refresh(settings)
        lacks = self._support.lacks.get(row.field.key)
        if lacks is not None and row.field.value_in(settings):
            self._background.run(lacks, done=lambda words: self._say_lacking(row, words), failed=only_logged)

    def _say_lacking(self, row: SettingRow, words: str) -> None:
        if row.field.value_in(self._file.current):  # it may have been switched off meanwhile
            row.say(words)

    def _on_refused(self, key: tuple[str, str], error: UserFacing) -> None:
        self._refresh(self._file.current)
        # Beside the setting it is about; a note at the top of a long page would not be seen.
        self.rows[".".join(key)].say(str(error))

    def _on_acted(self, action: SettingAction) -> None:
        self._background.run(
            action.act, done=lambda _none: self.toast.offer(action.said), failed=self._outcome.refuse
        )

    def _on_restart_wanted(self) -> None:
        """What was typed elsewhere on the page and not finished is saved first."""
        for row in self.rows.values():
            row.commit()
        self.restart_requested.emit()

    def _open_file(self) -> None:
        self._background.run(self._file.create, done=self._on_file, failed=self._refuse)

    def _on_file(self, path: Path) -> None:
        if not self._support.open_file(path):
            self.toast.offer(tr("No program for text files was found. The file is {path}.", path=path))

    def _refuse(self, error: Exception) -> None:
        actions = ((tr("Open the file"), self._open_file), (tr("Reload"), self._watch.look))
        self._outcome.refuse(error, *actions)

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        # Where they stand first: what is put into another place later is styled once more.
        self.sections = SectionList()
        self._scroll = ScrollColumn("settings_scroll")
        self.column.addLayout(self._search_row())
        self._parts = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.column.addLayout(self._parts, 1)
        self._parts.addWidget(self.sections)
        self._parts.addWidget(self._scroll, 1)
        theme.space(self._parts, 12, (AROUND, 0, 0, 0))
        self.empty = EmptyState("settings_empty", EmptyWords(NOT_FOUND))
        self._outcome = OutcomeLine("settings_result")
        self._scroll.body.addLayout(self._outcome)
        # What is no setting of the file but people look for here stands above them.
        for widget in (self.empty, *self._extra):
            self._scroll.body.addWidget(widget)
        self._scroll.body.addStretch(1)

    @property
    def groups(self) -> tuple[SettingsGroup, ...]:
        """All of them, in the order of the declarations."""
        return tuple(self._group(declared.name) for declared in self._declared)

    def _in_order(self) -> Iterator[SettingsGroup]:
        return (self._built[each.name] for each in self._declared if each.name in self._built)

    def _group(self, name: str) -> SettingsGroup:
        """That of a section of the file. Seventy rows at once would hold up the first look at the page."""
        if name in self._built:
            return self._built[name]
        declared = next(each for each in self._declared if each.name == name)
        rows = [self._row(field) for field in declared.settings]
        group = SettingsGroup(declared, rows, self.updateGeometry, self._scroll.body.parentWidget())
        group.hide()
        self._built[name] = group
        behind = sum(1 for _ in takewhile(lambda each: each is not group, self._in_order()))
        first = self._scroll.body.indexOf(self._extra[-1] if self._extra else self.empty) + 1
        self._scroll.body.insertWidget(first + behind, group)
        for row in rows:
            row.show_settings(self._file.current)
        self._order_tabs()
        return group

    def _row_of(self, key: str) -> SettingRow:
        rows = self._group(key.partition(".")[0]).rows
        return next(row for row in rows if row.field.key == key)

    def _row(self, field: SettingField) -> SettingRow:
        offers = self._support.offers.get(field.display.offers, tuple)
        row = SettingRow(field, offers, self._support.actions.get(field.key), self._file.at_start)
        row.changed.connect(lambda value: self._saver.change(field.section, field.name, value))
        row.reset.connect(lambda: self._saver.reset(field.section, field.name))
        row.acted.connect(self._on_acted)
        row.restart_wanted.connect(self._on_restart_wanted)
        row.editor.page_requested.connect(self.page_requested)
        self.rows[field.key] = row
        return row

    def _search_row(self) -> QHBoxLayout:
        self.search = small(SearchField("settings_search", tr("Search settings")))
        self.search.searched.connect(self.search_for)
        self.file_button = action(tr("Open the file"), "settings_file", self._open_file)
        self.file_button.setToolTip(plain_tip(str(self._file.path)))
        self._search_line = QHBoxLayout()
        self._search_line.addWidget(self.search, 1)
        self._search_line.addWidget(self.file_button)
        theme.space(self._search_line, 8, (AROUND, 0, EDGE, 0))
        return self._search_line

    def _connect(self, relay: Relay) -> None:
        self._saver.saved.connect(self._on_saved)
        self._saver.refused.connect(self._on_refused)
        self.sections.chosen.connect(self._show_section)
        self._watch.refused.connect(self._refuse)
        self._watch.read.connect(self._outcome.clear)
        relay.listen(SettingsChanged, lambda event: self._refresh(event.settings))


class _Rows(dict[str, SettingRow]):
    """By their keys: those that are built, and any other once it is asked for by its key."""

    def __init__(self, build: Callable[[str], SettingRow]) -> None:
        super().__init__()
        self._build = build

    def __missing__(self, key: str) -> SettingRow:
        return self._build(key)


LIST_WIDTH, ROW = 152, 34


@dataclass(frozen=True)
class SettingsSection:
    """One line of the list: which sections of the file stand in it."""

    name: str
    title: str
    groups: tuple[str, ...] = ()


SECTIONS = (
    SettingsSection("general", tr_noop("General"), ("window",)),
    SettingsSection("model", tr_noop("Model"), ("model", "engines")),
    SettingsSection("chat", tr_noop("Chat"), ("chat",)),
    SettingsSection("permissions", tr_noop("Permissions"), ("permissions", "gate")),
    SettingsSection("agents", tr_noop("Coding agents"), ("hooks", "offload")),
    SettingsSection("memory", tr_noop("Memory"), ("memory",)),
    SettingsSection("connections", tr_noop("Connections"), ("network", "api", "mcp")),
    SettingsSection("backup", tr_noop("Backup")),
)


def section_of(group: str) -> str:
    """The section in which a section of the file stands; raises StopIteration for one that has no place."""
    return next(section.name for section in SECTIONS if group in section.groups)


class SectionList(QStackedWidget):
    """A list or, where the page is narrow, a box with the same choices. Main thread only."""

    chosen = Signal(str)  # name of a section

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("settings_sections")
        self.list = self._make_list()
        self.box = ComboBox("settings_section_box", tr("Section of the settings"))
        for section in SECTIONS:
            self.box.addItem(tr(section.title), section.name)
        self.box.activated.connect(lambda row: self.choose(SECTIONS[row].name))
        narrow = QWidget()
        row = QVBoxLayout(narrow)
        row.addWidget(self.box)
        theme.space(row, 0, (0, 0, EDGE, 0))
        self.addWidget(self.list)
        self.addWidget(narrow)
        theme.current().changed.connect(self._fit)
        self._fit()

    @property
    def stop(self) -> QWidget:
        """What Tab reaches."""
        return self.box if self.currentIndex() else self.list

    def choose(self, name: str) -> None:
        """Mark this one and tell it, also when it was marked already: a search may be over the page."""
        number = next(row for row, section in enumerate(SECTIONS) if section.name == name)
        self._mark(number)
        self.chosen.emit(name)

    def show_none(self) -> None:
        """A search is shown, which goes through all of them."""
        self._mark(-1)

    def set_narrow(self, narrow: bool) -> None:
        """A box above the settings instead of a list beside them."""
        self.setCurrentIndex(1 if narrow else 0)
        self._fit()

    # -- inside -----------------------------------------------------------------------------------

    def _make_list(self) -> QListWidget:
        made = named(QListWidget(), "settings_section_list", tr("Section of the settings"))
        made.setFrameShape(QFrame.Shape.NoFrame)
        for section in SECTIONS:
            item = QListWidgetItem(tr(section.title))
            item.setToolTip(tr(section.title))
            made.addItem(item)
        made.currentRowChanged.connect(self._on_row)
        # A click on the one that is marked ends a search, too.
        made.itemClicked.connect(lambda item: self.choose(SECTIONS[made.row(item)].name))
        return made

    def _on_row(self, row: int) -> None:
        if row >= 0:
            self.choose(SECTIONS[row].name)

    def _mark(self, number: int) -> None:
        for each in (self.list, self.box):
            each.blockSignals(True)
        self.list.setCurrentRow(number)
        self.box.setCurrentIndex(number)
        for each in (self.list, self.box):
            each.blockSignals(False)
        # A list marks its first row when Tab comes to it, which would end a search.
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus if number < 0 else Qt.FocusPolicy.StrongFocus)

    def _fit(self) -> None:
        is_narrow = self.currentIndex() == 1
        for row in range(self.list.count()):
            self.list.item(row).setSizeHint(QSize(theme.px(40), theme.px(ROW)))
        self.setMinimumWidth(0 if is_narrow else theme.px(LIST_WIDTH))
        self.setMaximumWidth(ANY_SIZE if is_narrow else theme.px(LIST_WIDTH))
        self.setMaximumHeight(self.box.sizeHint().height() if is_narrow else ANY_SIZE)
