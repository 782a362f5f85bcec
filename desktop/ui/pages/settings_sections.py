"""The eight sections of the Settings page, and the list at its left from which one is chosen.

The file has more sections than that, one for each room of the program that reads it. People look for a
setting by what it is about, so several of the file's stand under one name here.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QStackedWidget, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.language import tr, tr_noop
from desktop.ui.widgets.buttons import ComboBox
from desktop.ui.widgets.layout import ANY_SIZE, EDGE, named

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
