"""What all editors of a setting have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.ui.pages.settings_known import Known
from desktop.ui.theme import Theme

Offers = Callable[[], Sequence[tuple[str, str]]]  # words and value of what may be chosen


class SettingEditor(QWidget):
    """`wanted` brings a value that somebody chose, `typed` one that is being typed. Main thread only."""

    wanted = Signal(object)
    typed = Signal(object)
    page_requested = Signal(str)

    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__()
        self.theme = theme
        self.known = known
        self.name = f"edit_{known.section}_{known.name}"
        self.column = QHBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)

    @property
    def control(self) -> QWidget:
        """What has the focus, the name and the state."""
        raise NotImplementedError

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches, in order."""
        return (self.control,)

    @property
    def is_edited(self) -> bool:
        """Whether something is typed here that was not taken yet; no change from elsewhere may lose it."""
        return False

    def show_value(self, value: Any) -> None:
        """As it is set; tells nobody."""
        raise NotImplementedError

    def commit(self) -> None:
        """Want what was typed and not finished yet."""

    def take(self, widget: QWidget) -> None:
        """Put it in, with the words for screen readers."""
        self.column.addWidget(widget)
        self.control.setAccessibleName(self.known.title)
        self.control.setAccessibleDescription(self.known.about())
        self.control.setToolTip(self.known.limits())
