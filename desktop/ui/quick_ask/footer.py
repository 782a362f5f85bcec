"""The lower edge of Quick-ask: which keys do what now, what is being waited for, and two buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from desktop.ui import theme
from desktop.ui.buttons import IconButton
from desktop.ui.labels import Label
from desktop.ui.language import tr
from desktop.ui.theme import CAPTION_PX

SAID_MS = 2_500


class Footer(QWidget):
    """Main thread only."""

    window_wanted = Signal()
    pinned = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._keys = ""
        self._said = QTimer(self, singleShot=True, interval=SAID_MS)
        self._said.timeout.connect(self._show_keys)
        self.setObjectName("quick_ask_footer")
        self.keys = Label("", CAPTION_PX, colour="secondary", name="quick_ask_keys")
        self.keys.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.pin = IconButton("pin", tr("Keep open when it loses the focus"), "quick_ask_pin")
        self.pin.setCheckable(True)
        self.pin.toggled.connect(self._on_pinned)
        self.open = IconButton(
            "open", tr("Open in the window (Ctrl+Enter)"), "quick_ask_open", self.window_wanted.emit
        )
        row = QHBoxLayout(self)
        row.setSpacing(theme.px(4))
        row.addWidget(self.keys, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.pin)
        row.addWidget(self.open)
        row.setContentsMargins(0, 0, 0, 0)

    def show_state(self, busy: bool, has_answer: bool, waiting: str) -> None:
        """`waiting` is what an answer waits for, "Loading model 43 %"."""
        keys = [waiting] if waiting else []
        keys.append(tr("Esc stop") if busy else tr("Esc close"))
        keys.append(tr("Ctrl+Enter open in window"))
        if has_answer:
            keys.append(tr("Ctrl+C copy answer"))
        self._keys = " · ".join(keys)
        if not self._said.isActive():
            self.keys.setText(self._keys)

    def say(self, words: str) -> None:
        """A short remark in place of the keys, also for a screen reader."""
        self.keys.setText(words)
        self._said.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _show_keys(self) -> None:
        self.keys.setText(self._keys)

    def height_for(self, width: int) -> int:
        text = self.keys.heightForWidth(max(1, width - 2 * theme.px(36)))
        return max(theme.px(28), text)

    def _on_pinned(self, pinned: bool) -> None:
        self.pin.set_icon("pin", "accent" if pinned else "secondary")
        self.pinned.emit(pinned)
