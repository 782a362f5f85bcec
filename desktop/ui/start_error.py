"""A start that failed, said in a window: whoever clicked an icon reads no terminal."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMessageBox

from desktop.errors import UserFacing
from desktop.ui.application import Application
from desktop.ui.language import told_error, tr


def box_of(error: UserFacing) -> QMessageBox:
    """The system's own error box with cause, what was not lost, and the one thing to do."""
    error = told_error(error)
    box = QMessageBox(QMessageBox.Icon.Critical, tr("Steward could not start"), error.cause)
    box.setObjectName("start_error")
    box.setInformativeText("\n".join(part for part in (error.not_lost, error.action) if part))
    box.setAccessibleDescription(str(error))
    return box


def show_start_error(error: UserFacing) -> None:
    """Show it and wait until it is closed. There is no event loop of ours (any more)."""
    app = QApplication.instance() or Application()
    box_of(error).exec()
    app.processEvents()
