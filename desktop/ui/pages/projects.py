"""Where project mode is on: how long it still is, and ending it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.gate.projects import Project, ProjectModeChanged, Projects
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.ui.language import left_words, moment_words, plural, tr, tr_noop
from desktop.ui.permission.visible import visible
from desktop.ui.theme import BODY_PX
from desktop.ui.widgets.buttons import action
from desktop.ui.widgets.cards import Row
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.lists import RowList

MINUTE_MS = 60_000
PROMISE = tr_noop(
    "Agents work here without asking: commands change only this folder, which can be undone, and caches of "
    "their tools; they reach only this computer and package indexes."
)


class ProjectModes(QWidget):
    """Hidden while project mode is on nowhere. Read on the pool, when told and once a minute."""

    ended = Signal(object)  # Project
    failed = Signal(object)  # Exception

    def __init__(self, projects: Projects, relay: Relay, background: Background) -> None:
        super().__init__()
        self._projects = projects
        self._background = background
        self._reading = Latest(background)
        self.setObjectName("project_modes")
        self.heading = Label(tr("Project mode"), BODY_PX, bold=True, name="section_heading")
        self.list: RowList[tuple[Project, str]] = RowList("projects", self._row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.heading)
        column.addWidget(self.list)
        self._timer = QTimer(self)
        self._timer.setInterval(MINUTE_MS)
        self._timer.timeout.connect(self.refresh)
        relay.listen(ProjectModeChanged, lambda _event: self.refresh())
        self.hide()
        self.refresh()

    def refresh(self) -> None:
        """Read again what is on."""
        self._reading.run(self._projects.listed, done=self._show, failed=self.failed.emit)

    def end(self, project: Project) -> None:
        """Agents ask again there from now on."""
        self._background.run(
            self._projects.end,
            project.id,
            done=lambda _none: self.ended.emit(project),
            failed=self.failed.emit,
        )

    def restore(self, project: Project) -> None:
        """Take that back."""
        self._background.run(self._projects.restore, project.id, failed=self.failed.emit)

    def _show(self, found: Sequence[Project]) -> None:
        # The words are part of the value: a row is made anew only when its minutes have changed.
        self.list.show_rows([(each.id, (each, left_words(each.until, time.time()))) for each in found])
        self.setVisible(bool(found))
        # Without project mode nothing ticks.
        if found:
            self._timer.start()
        else:
            self._timer.stop()

    def _row(self, shown: tuple[Project, str]) -> QWidget:
        project, left = shown
        folder = visible(str(project.folder))
        end = action(
            tr("End now"),
            f"end_project_{project.id}",
            lambda: self.end(project),
            described=tr("End project mode in {folder}", folder=folder),
        )
        used = plural("{count} command", "{count:,} commands", project.uses)
        begun = moment_words(project.begun, time.time())
        facts = tr("Started {begun} · {used} · {left}", begun=begun, used=used, left=left)
        return Row("folder", "accent", folder, (tr(PROMISE), facts), (end,))
