"""The latest notifications in the tray's menu: desktops swallow them, and people are away."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from PySide6.QtWidgets import QMenu

from desktop.ui.language import tr
from desktop.ui.permission.visible import visible

KEPT = 10
SHOWN = 60  # characters of a line


class RecentNotices:
    """A submenu, hidden while there is nothing. Main thread only."""

    def __init__(self, menu: QMenu, opened: Callable[[], None]) -> None:
        """`opened` is called when one is chosen."""
        self._opened = opened
        self._kept: deque[str] = deque(maxlen=KEPT)
        self._menu = menu.addMenu(tr("Recent notifications"))
        self._menu.setObjectName("tray_recent")
        self._menu.menuAction().setObjectName("tray_recent")
        self._menu.menuAction().setVisible(False)

    @property
    def lines(self) -> tuple[str, ...]:
        """The newest first."""
        return tuple(self._kept)

    def add(self, title: str, text: str) -> None:
        """One more; the oldest goes."""
        words = " ".join(visible(f"{title}: {text}" if text else title).split())
        cut = words if len(words) <= SHOWN else f"{words[: SHOWN - 1]}…"
        self._kept.appendleft(f"{time.strftime('%H:%M')}  {cut}")
        self._menu.clear()
        for line in self._kept:
            self._menu.addAction(line.replace("&", "&&")).triggered.connect(self._opened)
        self._menu.menuAction().setVisible(True)
