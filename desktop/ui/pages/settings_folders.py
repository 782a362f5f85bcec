"""The editor of a list of folders: each with a button that takes it away, and one that adds another."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop.ui.labels import Label, button
from desktop.ui.language import tr
from desktop.ui.models.page import clear
from desktop.ui.pages.rows import small
from desktop.ui.pages.settings_editor import SettingEditor
from desktop.ui.pages.settings_known import Known
from desktop.ui.theme import SMALL_PX, Theme


class FoldersEditor(SettingEditor):
    """Main thread only."""

    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__(theme, known)
        self._shown: list[str] | None = None
        self._lines = QVBoxLayout()
        self._removes: list[QWidget] = []
        self.add = button(tr("Add a folder…"), self.name)
        small(self.add)
        self.add.clicked.connect(lambda _checked: self._open())
        inside = QVBoxLayout()
        inside.addLayout(self._lines)
        row = QHBoxLayout()
        row.addWidget(self.add)
        row.addStretch(1)
        inside.addLayout(row)
        self.column.addLayout(inside, 1)
        self.add.setAccessibleName(known.title)
        self.add.setAccessibleDescription(known.about())

    @property
    def control(self) -> QWidget:
        return self.add

    @property
    def stops(self) -> tuple[QWidget, ...]:
        return (*self._removes, self.add)

    def show_value(self, value: Any) -> None:
        folders = [str(each) for each in value]
        if folders == self._shown:
            return
        self._shown = folders
        self._clear()
        for number, folder in enumerate(folders):
            self._lines.addWidget(self._line(number, folder))
        for first, second in zip(self._removes, (*self._removes[1:], self.add), strict=False):
            QWidget.setTabOrder(first, second)

    def choose_folder(self, folder: str) -> None:
        """What the dialog brings."""
        if folder and folder not in (self._shown or []):
            self.wanted.emit([*(self._shown or []), folder])

    def _line(self, number: int, folder: str) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        words = Label(self.theme, folder, SMALL_PX, name=f"{self.name}_{number}")
        remove = button(
            tr("Remove"), f"{self.name}_remove_{number}", described=tr("Remove {folder}", folder=folder)
        )
        small(remove)
        remove.clicked.connect(partial(self._remove, folder))
        row.addWidget(words, 1)
        row.addWidget(remove)
        self._removes.append(remove)
        return line

    def _remove(self, folder: str, _checked: bool = False) -> None:
        self.wanted.emit([each for each in self._shown or [] if each != folder])

    def _clear(self) -> None:
        self._removes.clear()
        clear(self._lines)

    def _open(self) -> None:
        dialog = QFileDialog(self, self.known.title)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.choose_folder)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
