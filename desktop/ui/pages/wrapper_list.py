"""The user's table of wrappers: programs that only run what follows."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.qt.background import Background
from desktop.settings import SettingsFile
from desktop.ui.labels import Label, button
from desktop.ui.language import later, tr
from desktop.ui.pages.rows import Row, RowList, small
from desktop.ui.theme import BODY_PX, CAPTION_PX, Theme

SAYS = later(
    "Programs that only run what follows: what they run is judged in their place, and its permissions count. "
    "A program that Steward knows keeps its meaning."
)
NOT_A_NAME = later("That is no name of a program: letters, digits, dots and hyphens, no path and no options.")
_NAME = re.compile(r"[A-Za-z][\w.-]*")


class WrapperList(QWidget):
    """Writes `gate.wrappers` to the settings file, on the pool. Main thread only."""

    removed = Signal(str)
    failed = Signal(object)  # Exception

    def __init__(self, theme: Theme, settings_file: SettingsFile, background: Background) -> None:
        super().__init__()
        self._theme = theme
        self._file = settings_file
        self._background = background
        self.setObjectName("wrappers")
        self.heading = Label(theme, tr("Wrappers"), BODY_PX, bold=True, name="section_heading")
        self.says = Label(theme, tr(SAYS), CAPTION_PX, colour="secondary", name="wrappers_says")
        self.list: RowList[str] = RowList(theme, "wrapper_rows", self._row)
        self.name = QLineEdit()
        self.name.setObjectName("wrapper_name")
        self.name.setAccessibleName(tr("Name of a wrapper"))
        self.name.setPlaceholderText(tr("A program, such as rtk"))
        self.name.returnPressed.connect(self._on_add)
        self.name.textChanged.connect(lambda _text: self._check())
        self.problem = Label(theme, "", CAPTION_PX, colour="danger", name="wrapper_problem")
        self.add = button(tr("Add"), "wrapper_add", described=tr("Add the wrapper"))
        small(self.add)
        self.add.clicked.connect(lambda _checked: self._on_add())
        line = QHBoxLayout()
        line.addWidget(self.name, 1)
        line.addWidget(self.add)
        self.heading.setContentsMargins(0, theme.px(8), 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.heading, self.says, self.list):
            column.addWidget(widget)
        column.addLayout(line)
        column.addWidget(self.problem)
        self.refresh()
        self._check()

    def refresh(self) -> None:
        """Show what the settings say."""
        self.list.show_rows([(name, name) for name in self._file.current.gate.wrappers])

    def put(self, name: str) -> None:
        """Add a wrapper; one that is there already stays."""
        self._write(lambda known: known if name in known else [*known, name])

    def remove(self, name: str) -> None:
        self._write(lambda known: [each for each in known if each != name], partial(self.removed.emit, name))

    def _write(
        self, changed: Callable[[list[str]], list[str]], then: Callable[[], object] = lambda: None
    ) -> None:
        def write() -> None:
            self._file.change("gate", "wrappers", changed(list(self._file.current.gate.wrappers)))

        def on_done(_none: None) -> None:
            self.refresh()
            then()

        self._background.run(write, done=on_done, failed=self.failed.emit)

    def _check(self) -> None:
        text = self.name.text().strip()
        is_name = bool(_NAME.fullmatch(text))
        self.problem.show_text("" if is_name or not text else tr(NOT_A_NAME))
        self.add.setEnabled(is_name)

    def _on_add(self) -> None:
        if self.add.isEnabled():
            self.put(self.name.text().strip())
            self.name.clear()

    def _row(self, name: str) -> QWidget:
        words = tr("{name} X does what X does", name=f"`{name}`")
        remove = button(tr("Remove"), f"wrapper_remove_{name}", described=tr("Remove: {words}", words=words))
        remove.clicked.connect(lambda _checked: self.remove(name))
        return Row(self._theme, "check", "secondary", words, (), (remove,))
