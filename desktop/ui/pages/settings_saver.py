"""Saves settings in the order in which they were wanted: the pool itself keeps no order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.settings import Settings, SettingsFile

Key = tuple[str, str]


class Saver(QObject):
    """One change at a time; of several for the same setting the last one. Main thread only."""

    saved = Signal(object, object)  # Key, Settings
    refused = Signal(object, object)  # Key, UserFacing

    def __init__(self, settings_file: SettingsFile, background: Background) -> None:
        super().__init__()
        self._file = settings_file
        self._background = background
        self._waiting: dict[Key, Callable[[], Settings]] = {}
        self._running: Key | None = None

    def change(self, section: str, name: str, value: Any) -> None:
        """Set it, soon."""
        self._add((section, name), lambda: self._file.change(section, name, value))

    def reset(self, section: str, name: str) -> None:
        """Give it its default, soon."""
        self._add((section, name), lambda: self._file.reset(section, name))

    def is_busy(self, section: str, name: str) -> bool:
        """Whether a change of this one is not on disk yet."""
        return (section, name) == self._running or (section, name) in self._waiting

    def _add(self, key: Key, act: Callable[[], Settings]) -> None:
        self._waiting.pop(key, None)
        self._waiting[key] = act
        self._next()

    def _next(self) -> None:
        if self._running is not None or not self._waiting:
            return
        key = next(iter(self._waiting))
        self._running = key
        act = self._waiting.pop(key)
        self._background.run(
            act,
            done=lambda settings: self._on_done(key, settings),
            failed=lambda error: self._on_failed(key, error),
        )

    def _on_done(self, key: Key, settings: Settings) -> None:
        self._running = None
        self._next()
        self.saved.emit(key, settings)

    def _on_failed(self, key: Key, error: Exception) -> None:
        self._running = None
        self._next()
        if not isinstance(error, UserFacing):
            raise error
        self.refused.emit(key, error)
