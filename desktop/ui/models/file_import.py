"""A model file that the user already has: picked in a dialog or dropped on a window, used where it lies."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.models.library import Library
from desktop.qt.background import Background
from desktop.ui.language import later, tr
from desktop.ui.models.downloads import told

FILTER = later("Models (*.gguf);;All files (*)")


class FileImport(QObject):
    """Adds files to the library without copying a byte. Accepts drops on `window`. Main thread only."""

    started = Signal(str)  # the file's name
    imported = Signal(object)  # InstalledModel
    failed = Signal(object)  # UserFacing

    def __init__(self, library: Library, background: Background, window: QWidget) -> None:
        super().__init__(window)
        self._library = library
        self._background = background
        self._window = window
        self.dialog: QFileDialog | None = None
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def ask(self) -> None:
        """Open the system's file dialog beside the window; returns at once."""
        if self.dialog is not None:
            self.dialog.raise_()
            return
        dialog = QFileDialog(self._window, tr("Choose a model file"), str(Path.home()), tr(FILTER))
        dialog.setObjectName("model_file_dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.add(Path(name)))
        dialog.finished.connect(self._on_finished)
        self.dialog = dialog
        dialog.open()

    def add(self, path: Path) -> None:
        """Read the file's head on the pool and list it; one of `imported` and `failed` follows."""
        self.started.emit(path.name)
        self._background.run(
            self._library.import_file,
            path,
            done=self.imported.emit,
            failed=lambda error: self.failed.emit(told(error)),
        )

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Drops of one or more local files on the window."""
        if isinstance(event, QDropEvent):  # QDragEnterEvent is one, too
            files = _local_files(event.mimeData())
            if not files:
                return False
            event.acceptProposedAction()
            if not isinstance(event, QDragEnterEvent) and event.type() == QEvent.Type.Drop:
                for path in files:
                    self.add(path)
            return True
        return False

    def _on_finished(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None


def _local_files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
