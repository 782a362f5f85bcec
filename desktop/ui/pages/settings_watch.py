"""Notices that the settings file was changed by hand, or by another process, while the program runs."""

from __future__ import annotations

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from desktop.errors import UserFacing
from desktop.paths import ensure
from desktop.qt.background import Background
from desktop.settings import Settings, SettingsFile

AFTER_CHANGE_MS = 150  # an editor writes a file in several steps


class SettingsWatch(QObject):
    """Reads the file again on the pool. `refused` brings the error of a broken one, `read` that it is well.

    Main thread only. SettingsChanged is published by the file itself, where something is another.
    """

    refused = Signal(object)  # UserFacing
    read = Signal()

    def __init__(self, settings_file: SettingsFile, background: Background) -> None:
        super().__init__()
        self._file = settings_file
        self._background = background
        self.problem: UserFacing | None = None
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self, singleShot=True, interval=AFTER_CHANGE_MS)
        self._timer.timeout.connect(self._read_again)
        self._watcher.addPath(str(ensure(settings_file.path.parent)))
        self._watcher.directoryChanged.connect(lambda _path: self._on_change())
        self._watcher.fileChanged.connect(lambda _path: self._on_change())
        self._watch_file()

    def look(self) -> None:
        """Read again now."""
        self._read_again()

    def close(self) -> None:
        """Watch no longer; before the pool is closed."""
        self._timer.stop()
        self._watcher.directoryChanged.disconnect()
        self._watcher.fileChanged.disconnect()
        self.deleteLater()

    def _on_change(self) -> None:
        self._watch_file()
        self._timer.start()

    def _watch_file(self) -> None:
        """Most editors replace the file, and what is watched goes with the old one."""
        path = str(self._file.path)
        if path not in self._watcher.files() and self._file.path.exists():
            self._watcher.addPath(path)

    def _read_again(self) -> None:
        self._background.run(self._file.reload, done=self._on_read, failed=self._on_failed)

    def _on_read(self, _settings: Settings) -> None:
        self.problem = None
        self.read.emit()

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.problem = error
        self.refused.emit(error)
