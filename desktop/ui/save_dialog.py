"""Asking for a file to write, a file to read or a folder, without holding anything up meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.ui.language import tr


def ask_where(
    parent: QWidget, title: str, name: str, filters: tuple[str, ...], chosen: Callable[[Path], None]
) -> QFileDialog:
    """Open a dialog for a file to write, suggesting `name`; the first of `filters` is the usual kind."""
    dialog = _dialog(parent, title, filters, chosen)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(Path(name).suffix.lstrip("."))
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(_suffix(kind)))
    dialog.selectFile(name)
    dialog.open()
    return dialog


def ask_which(
    parent: QWidget, title: str, filters: tuple[str, ...], chosen: Callable[[Path], None]
) -> QFileDialog:
    """Open a dialog for a file to read."""
    dialog = _dialog(parent, title, (*filters, tr("All files (*)")), chosen)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.open()
    return dialog


def ask_folder(parent: QWidget, title: str, chosen: Callable[[str], None], begin: str = "") -> None:
    """Open a dialog for a folder, at `begin` where it is named."""
    dialog = QFileDialog(parent, title, begin)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.fileSelected.connect(chosen)
    # open and not exec: a dialog with a loop of its own would hold up everything behind it.
    dialog.open()


def _dialog(
    parent: QWidget, title: str, filters: tuple[str, ...], chosen: Callable[[Path], None]
) -> QFileDialog:
    dialog = QFileDialog(parent.window(), title, str(Path.home()))
    dialog.setObjectName("file_dialog")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setNameFilters(list(filters))
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    return dialog


def _suffix(kind: str) -> str:
    """The ending in a filter such as "Markdown (*.md)"."""
    return kind.rpartition("*.")[2].rstrip(")")
