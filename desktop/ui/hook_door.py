"""When the tray app answers hooks: as soon as somebody may call, and not before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import structlog
from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from desktop.errors import UserFacing
from desktop.paths import ensure
from desktop.qt.background import Background

log = structlog.get_logger(__name__)


class HookDoor(QObject):
    """Opens the server once an agent is installed or launched, which other processes do. Main thread only."""

    opened = Signal()
    refused = Signal(object)  # UserFacing: it could not be opened

    def __init__(
        self,
        folders: Iterable[Path],
        is_wanted: Callable[[], bool],
        open_it: Callable[[], object],
        background: Background,
    ) -> None:
        """`folders` hold the files by which other processes tell; `open_it` is called on the pool, once."""
        super().__init__()
        self._is_wanted = is_wanted
        self._open_it = open_it
        self._background = background
        self._is_opened = False
        self._watcher = QFileSystemWatcher([str(ensure(each)) for each in folders], self)
        self._watcher.directoryChanged.connect(lambda _folder: self.look())

    def look(self) -> None:
        """Open the door if somebody may call now and it is not open yet."""
        if not self._is_opened and self._is_wanted():
            self._is_opened = True
            self._background.run(self._open_it, done=lambda _: self.opened.emit(), failed=self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        """Tried again at the next occasion, such as when the agent is installed anew."""
        self._is_opened = False
        if isinstance(error, UserFacing):
            self.refused.emit(error)
        else:
            log.error("the server could not be started", exc_info=error)
