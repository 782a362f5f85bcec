"""Hears of files that another process has written, made or replaced."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from desktop.paths import ensure

Stamp = tuple[int, int, int]


class FileWatch(QObject):
    """`changed` comes after each write to one of the files, which need not be there yet. Main thread only."""

    changed = Signal()

    def __init__(self, files: Iterable[Path], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files = tuple(files)
        self._stamps = self._look()
        # The folders as well: a file that is replaced, as most are, takes the watch on it away.
        self._watcher = QFileSystemWatcher([str(ensure(each)) for each in self._folders()], self)
        self._watcher.directoryChanged.connect(lambda _path: self._on_change())
        self._watcher.fileChanged.connect(lambda _path: self._on_change())
        self._watch_files()

    def _folders(self) -> set[Path]:
        return {each.parent for each in self._files}

    def _on_change(self) -> None:
        self._watch_files()
        stamps = self._look()
        # The folder also tells of files that are nobody's business here.
        if stamps != self._stamps:
            self._stamps = stamps
            self.changed.emit()

    def _watch_files(self) -> None:
        watched = set(self._watcher.files())
        missing = [str(each) for each in self._files if str(each) not in watched and each.exists()]
        if missing:
            self._watcher.addPaths(missing)

    def _look(self) -> tuple[Stamp | None, ...]:
        return tuple(map(_stamp, self._files))


def _stamp(file: Path) -> Stamp | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
