"""The window of pages: each page made when it is first shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
    from desktop.app.quick_ask import QuickAsking
    from desktop.qt.background import Background
    from desktop.qt.relay import Relay
    from desktop.ui.desktop import Desktop
    from desktop.ui.pages.page import Page
    from desktop.ui.pages.settings_file import SettingsWatch
    from desktop.ui.pages.window import PagesWindow
    from desktop.ui.theme import Theme
    from desktop.ui.undoing import Undoing

KEYRING_S = 3.0  # a locked keyring must not hold the report up


class Pages:
    """Makes the window and what is in it. Main thread only."""

    def __init__(
        self,
        core: Services,
        theme: Theme,
        relay: Relay,
        background: Background,
        undoing: Undoing,
        watch: SettingsWatch,
        quick: QuickAsking,
        desktop: Desktop,
    ) -> None:
        self._core = core
        self._theme = theme
        self._relay = relay
        self._background = background
        self._undoing = undoing
        self._watch = watch
        self._quick = quick
        self._desktop = desktop

    def window(self) -> PagesWindow:
        from desktop.ui.pages.window import Entry, PagesWindow

        entries = (
            Entry("Activity", "activity", self._activity),
            Entry("Memory", "memory", self._memory),
            Entry("Permissions", "shield", self._permissions),
            Entry("Rules", "lock", self._rules),
            Entry("Reminders", "bell", self._reminders),
            Entry("Changes", "undo", self._changes),
            Entry("Log", "log", self._log),
            Entry("Network", "network", self._network),
            Entry("Quick-ask", "quick", self._quick.page),
            Entry("Settings", "settings", self._settings),
            Entry("Doctor", "doctor", self._doctor),
        )
        core = self._core
        return PagesWindow(core.settings, self._relay, self._background, core.paths.pages, entries)

    def _activity(self) -> Page:
        from desktop.ui.pages.activity import ActivityPage

        core = self._core
        page = ActivityPage(
            core.handler,
            self._relay,
            self._background,
            core.redactor,
            core.projects,
            self._undoing,
        )
        page.permissions_requested.connect(lambda: self._desktop.show_page("Permissions"))
        page.changes_requested.connect(lambda: self._desktop.show_page("Changes"))
        page.question_requested.connect(self._desktop.show_question)
        return page

    def _memory(self) -> Page:
        from desktop.settings import SettingsChanged
        from desktop.ui.memory.page import MemoryPage

        core = self._core

        def is_paused() -> bool:
            memory = core.settings.current.memory
            return memory.paused or not memory.enabled

        def pause(paused: bool) -> None:
            if not paused:
                core.settings.change("memory", "enabled", True)
            core.settings.change("memory", "paused", paused)

        count = core.remembering.count
        page = MemoryPage(
            core.memory,
            self._relay,
            self._background,
            count,
            is_paused,
            lambda: core.team.is_on,
            core.better_search,
            core.team.share,
        )
        page.pause_wanted.connect(lambda paused: self._background.run(pause, paused))
        self._relay.listen(SettingsChanged, lambda _event: page.show_pause())
        return page

    def _permissions(self) -> Page:
        from desktop.ui.pages.permission_sections import AgentRuleList
        from desktop.ui.pages.permissions import ChatNames, PermissionsPage

        core = self._core
        return PermissionsPage(
            core.grants,
            core.settings,
            self._relay,
            self._background,
            ChatNames(core.store),
            lambda: core.workspace.folders[1:],
            self._close_folder,
            core.projects,
            AgentRuleList(core.own_rules.listed, core.agent_consents, self._background),
        )

    def _rules(self) -> Page:
        from desktop.agents.agent_list import AGENTS
        from desktop.gate.gatekeeper import Trial, try_line
        from desktop.ui.pages.rules import RulesPage

        core = self._core

        def tried(line: str, agent: str, folder: Path, shell: str | None) -> Trial:
            return try_line(core.commands, core.gatekeeper, line, agent, folder, shell)

        agents = [(each.name, each.title) for each in AGENTS if each.programs]
        return RulesPage(core.settings, tried, agents, self._relay, self._background)

    def _close_folder(self, folder: Path) -> None:
        """On the pool: it stays closed, also after the next start."""
        core = self._core
        left = [
            each for each in core.settings.current.chat.folders if Path(os.path.expanduser(each)) != folder
        ]
        core.settings.change("chat", "folders", left)

    def _reminders(self) -> Page:
        from desktop.ui.reminders_page import RemindersPage

        return RemindersPage(self._core.reminders, self._relay, self._background)

    def _changes(self) -> Page:
        from desktop.ui.pages.changes import ChangesPage

        return ChangesPage(self._core.journal, self._undoing, self._relay, self._background)

    def _log(self) -> Page:
        from desktop.ui.pages.log import LogPage

        return LogPage(self._core.audit, self._relay, self._background)

    def _network(self) -> Page:
        from desktop.ui.pages.network import NetworkPage

        core = self._core
        return NetworkPage(core.network, core.settings, self._relay, self._background)

    def _settings(self) -> Page:
        from desktop.app.keeping import Keeping
        from desktop.system.autostart import autostart
        from desktop.ui.language import tr
        from desktop.ui.pages.autostart import AutostartGroup
        from desktop.ui.pages.backup import KeepingGroup
        from desktop.ui.pages.settings import SettingsPage
        from desktop.ui.pages.settings_form import Action

        core = self._core
        said = tr("Threads and speed are measured while nobody waits for an answer, for at most 20 seconds.")
        page = SettingsPage(
            core.settings,
            self._watch,
            self._relay,
            self._background,
            {"models": self._models, "agents": _agents},
            {"model.threads": Action(tr("Measure again"), said, self._measure)},
            AutostartGroup(autostart(core.paths), self._background),
            KeepingGroup(Keeping(core, self._desktop.quit), self._background),
        )
        page.page_requested.connect(self._desktop.show_page)
        page.restart_requested.connect(self._start_again)
        return page

    def _start_again(self) -> None:
        """Once everything is closed, with the same chat open."""
        self._core.restart_wanted = True
        self._core.restart_chat = self._desktop.open_chat
        self._desktop.quit()

    def _models(self) -> tuple[tuple[str, str], ...]:
        installed = self._core.library.installed()
        return tuple((model.name, model.id) for model in installed if not model.is_missing)

    def _measure(self) -> None:
        core = self._core
        core.paths.calibration.unlink(missing_ok=True)
        core.engine.unload("threads are measured again")
        core.engine.preload()
        core.speed_test.run()

    def _doctor(self) -> Page:
        from desktop.system.doctor import Doctor
        from desktop.system.secrets import Secrets
        from desktop.ui.pages.doctor import DoctorPage

        core = self._core

        def doctor() -> Doctor:
            secrets = Secrets(core.paths, timeout_s=KEYRING_S)
            ignoring = core.ignoring_agents()
            return Doctor(core.paths, core.settings.current, core.library, secrets, ignoring)

        return DoctorPage(doctor, self._background, reports=core.crash_reports)


def _agents() -> tuple[tuple[str, str], ...]:
    from desktop.agents.agent_list import AGENTS

    return tuple((adapter.title, adapter.name) for adapter in AGENTS)
