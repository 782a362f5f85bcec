"""Stands over a chat that looks into a folder: which, how much of it is indexed, and the way out."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import BODY_PX
from desktop.ui.widgets.actions import action
from desktop.ui.widgets.banner import Banner
from desktop.ui.widgets.labels import Sign
from desktop.ui.widgets.layout import named

BAR_PX = 120


class FolderBanner(Banner):
    """Main thread only."""

    removal_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("folder", Sign("folder", "secondary", BODY_PX), "secondary", parent)
        theme.space(self.row, 8, (12, 4, 8, 4))
        self.bar = named(QProgressBar(), "folder_bar", tr("How much of the folder is indexed"))
        self.bar.setTextVisible(False)
        self.remove = action(
            tr("Remove"),
            "folder_remove",
            self.removal_wanted.emit,
            described=tr("Stop this chat looking into the folder, and delete its index"),
        )
        self.row.addWidget(self.bar)
        self.row.addWidget(self.remove)
        theme.current().changed.connect(self._size)
        self._size()

    def show_progress(self, words: str, done: int = 0, total: int = 0) -> None:
        """Empty words take it away; with a `total` a bar tells how many files are done."""
        self.bar.setVisible(total > 0)
        self.bar.setMaximum(max(total, 1))
        self.bar.setValue(done)
        self.show_words(words)

    def show_place(self, folder: str) -> None:
        """Where the folder is: many have the same name."""
        self.words.setToolTip(plain_tip(folder))

    def _size(self) -> None:
        self.bar.setFixedSize(theme.px(BAR_PX), theme.px(6))
