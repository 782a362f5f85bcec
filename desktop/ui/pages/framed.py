"""The round frame around a list or a table, whose own corners would cover one."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.ui.pages.scroll import AROUND


class Framed(QFrame):
    """Has `inner` and shows its focus ring. Main thread only."""

    def __init__(self, inner: QWidget, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        inner.setProperty("ring_on_parent", True)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(AROUND, AROUND, AROUND, AROUND)
        inside.addWidget(inner)
