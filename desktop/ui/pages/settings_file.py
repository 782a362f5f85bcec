"""Saves settings in the order in which they were wanted: the pool itself keeps no order."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from desktop.errors import UserFacing
from desktop.qt.background import Background, only_logged
from desktop.qt.file_watch import FileWatch
from desktop.settings import Settings, SettingsFile

Key = tuple[str, str]
Act = Callable[[], Settings]


class Saver(QObject):
    """One change at a time; of several for the same setting the last one. Main thread only.

    One run on the pool saves all that waits, so that what was wanted just before the end is saved too.
    """

    saved = Signal(object, object)  # Key, Settings
    refused = Signal(object, object)  # Key, UserFacing

    _ended = Signal(object, object, object)  # Key, Settings or None, error or None

    def __init__(self, settings_file: SettingsFile, background: Background) -> None:
        super().__init__()
        self._file = settings_file
        self._background = background
        self._lock = threading.Lock()
        self._waiting: dict[Key, Act] = {}
        self._is_running = False
        self._open: Counter[Key] = Counter()
        # Emitted on the pool; the queue brings it to the main thread in order.
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        # A run that has not begun is dropped at the end, and what the window showed as set would be lost.
        background.finish_with(self._work)

    def change(self, section: str, name: str, value: Any) -> None:
        """Set it, soon."""
        self._add((section, name), lambda: self._file.change(section, name, value))

    def reset(self, section: str, name: str) -> None:
        """Give it its default, soon."""
        self._add((section, name), lambda: self._file.reset(section, name))

    def is_busy(self, section: str, name: str) -> bool:
        """Whether it is not known yet how a change of this one ended."""
        return self._open[section, name] > 0

    def _add(self, key: Key, act: Act) -> None:
        with self._lock:
            # Popped and put again, so that it goes to the end of the queue.
            is_replaced = self._waiting.pop(key, None) is not None
            self._waiting[key] = act
            begins, self._is_running = not self._is_running, True
        if not is_replaced:
            self._open[key] += 1
        if begins:
            self._background.run(self._work, failed=only_logged)  # it carries its errors itself

    def _work(self) -> None:
        """On the pool, or at the very end, until nothing waits."""
        while (taken := self._take()) is not None:
            key, act = taken
            try:
                self._ended.emit(key, act(), None)
            except Exception as error:  # carried to the main thread, which tells it or raises it
                self._ended.emit(key, None, error)

    def _take(self) -> tuple[Key, Act] | None:
        with self._lock:
            key = next(iter(self._waiting), None)
            # Under the same lock as the look at the queue, else a change between both would wait for the
            # next one.
            self._is_running = key is not None
            return None if key is None else (key, self._waiting.pop(key))

    def _on_ended(self, key: Key, settings: Settings | None, error: Exception | None) -> None:
        self._open[key] -= 1
        if error is None:
            self.saved.emit(key, settings)
        elif isinstance(error, UserFacing):
            self.refused.emit(key, error)
        else:
            raise error


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
        self._timer = QTimer(self, singleShot=True, interval=AFTER_CHANGE_MS)
        self._timer.timeout.connect(self.look)
        self._watch = FileWatch((settings_file.path,), self)
        self._watch.changed.connect(self._timer.start)

    def close(self) -> None:
        """Watch no longer; before the pool is closed."""
        self._timer.stop()
        self._watch.changed.disconnect()
        self.deleteLater()

    def look(self) -> None:
        """Read again now."""
        self._background.run(self._file.reload, done=self._on_read, failed=self._on_failed)

    def _on_read(self, _settings: Settings) -> None:
        self.problem = None
        self.read.emit()

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.problem = error
        self.refused.emit(error)
