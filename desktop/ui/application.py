"""The Qt application of a program that lives in the tray."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Being asked to quit from outside (the Dock's menu, the end of the login session) is passed on.

    Qt would close the windows one by one and give up at the first that hides instead.
    """

    quit_requested = Signal()

    def __init__(self) -> None:
        super().__init__(["steward"])
        self.setApplicationName("Steward")
        self.setDesktopFileName("steward")
        self.setQuitOnLastWindowClosed(False)
        self.commitDataRequest.connect(lambda _manager: self.quit_requested.emit())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Quit:
            self.quit_requested.emit()
            event.ignore()
            return True
        return super().event(event)
