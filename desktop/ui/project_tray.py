"""Project mode in the tray: where it is on, how long, and ending it from there."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from desktop.gate.projects import Project, ProjectModeChanged, Projects
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.ui.pages.projects import left_words
from desktop.ui.permission.visible import visible
from desktop.ui.tray import Tray


class ProjectTray(QObject):
    """Keeps the tray's entries up to date: when told, and whenever the menu opens. Main thread only."""

    def __init__(
        self,
        tray: Tray,
        projects: Projects,
        relay: Relay,
        background: Background,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(tray)
        self._tray = tray
        self._projects = projects
        self._background = background
        self._now = now
        relay.listen(ProjectModeChanged, lambda _event: self.refresh())
        tray.menu_opened.connect(self.refresh)
        tray.project_end_requested.connect(lambda number: background.run(projects.end, number))
        self.refresh()

    def refresh(self) -> None:
        """Read on the pool what is on."""
        self._background.run(self._projects.listed, done=self._show)

    def _show(self, found: Sequence[Project]) -> None:
        now = self._now()
        shown = [(each.id, visible(each.folder.name), left_words(each.until, now)) for each in found]
        self._tray.set_projects(shown)
