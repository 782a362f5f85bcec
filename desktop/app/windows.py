"""The windows of the tray app, each made when it is first shown.

A start into the tray costs neither their time nor their memory: whatever a window needs is imported in the
function that makes it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.app.services import Services
from desktop.paths import Paths, own_program, resources
from desktop.settings import SettingsChanged

if TYPE_CHECKING:
    from PySide6.QtCore import QTimer

    from desktop.chat.formulas import Outlines
    from desktop.qt.background import Background
    from desktop.qt.relay import Relay
    from desktop.system.hotkey.global_hotkey import GlobalHotkey
    from desktop.system.hotkey.grabber import HotkeyPress
    from desktop.tools.clipboard import ClipboardTools
    from desktop.ui.chat.check_card import CheckJobs
    from desktop.ui.chat.services import ChatServices, ToolFiles
    from desktop.ui.chat.tool_card import FixOffers
    from desktop.ui.chat.window import ChatWindow
    from desktop.ui.desktop import Desktop
    from desktop.ui.models.downloads import Downloads
    from desktop.ui.models.first_run import FirstRun
    from desktop.ui.models.first_steps import SetupPage
    from desktop.ui.models.manager import ModelManager
    from desktop.ui.pages.page import Page
    from desktop.ui.pages.settings_file import SettingsWatch
    from desktop.ui.pages.window import PagesWindow
    from desktop.ui.palette import PaletteController
    from desktop.ui.quick_ask.hotkey import HotkeyTrial, QuickAskPage
    from desktop.ui.quick_ask.quick_ask import QuickAsk
    from desktop.ui.tray import Tray
    from desktop.ui.undo import UndoController

SETTLED_MS = 8000  # after a load; threads are measured in the first seconds
KEYRING_S = 3.0  # a locked keyring must not hold the report up
APP_ID = "steward"  # the installed desktop file's name without its ending


@dataclass(frozen=True)
class DesktopServices:
    """What every window of the tray app works with. Main thread only."""

    core: Services
    relay: Relay
    background: Background
    tray: Tray
    ending: ExitStack  # ends what was started, the last thing first

    @property
    def chat_services(self) -> ChatServices:
        """What windows in which questions are asked and answered need."""
        from desktop.ui.chat.formula_view import draw_formulas
        from desktop.ui.chat.services import ChatServices

        core = self.core
        draw_formulas(self._outlines, self.background)
        return ChatServices(core.store, core.turns, core.engine, core.settings, self.relay, self.background)

    @staticmethod
    def _outlines() -> Outlines:
        from desktop.app.toolbox import confinement
        from desktop.chat.formulas import Outlines
        from desktop.sandbox.parser import Parser

        return Outlines(Parser(confinement))

    def tool_files(self, undo_controller: UndoController) -> ToolFiles:
        """Of the assistant's tools, which name files as people do: from the workspace, from the folder of the
        project that the conversation belongs to, or from `~`."""
        from desktop.tools.files import spelled_out, user_folders
        from desktop.ui.chat.services import ToolFiles

        workspace = self.core.workspace

        def locate(where: str, conversation_id: int) -> Path:
            folder = self._project_folder(conversation_id) or workspace.root
            return folder / spelled_out(where, user_folders())

        return ToolFiles(undo_controller, locate)

    def _project_folder(self, conversation_id: int) -> Path | None:
        """Where the tools of a conversation work; None where that is the usual folder."""
        project = self.core.chat_projects.of(conversation_id) if conversation_id else None
        return Path(project.folder) if project is not None and project.folder else None


class Windows:
    """Makes them. Main thread only."""

    def __init__(self, shared: DesktopServices, watch: SettingsWatch) -> None:
        self._shared = shared
        self.core = self._core = shared.core
        self._relay, self._background = shared.relay, shared.background
        self._watch = watch
        self.quick = QuickAskHotkey(shared, lambda: self.undo_controller)

    @cached_property
    def desktop(self) -> Desktop:
        """Which window when."""
        from desktop.ui.desktop import ActiveModel, Desktop, WindowMakers

        core = self._core
        model = ActiveModel(core.engine, core.library, core.settings, self._warm_up)
        makers = WindowMakers(
            self.chat, lambda: self.first_run_window, self.manager, self.pages, self.palette
        )
        desktop = Desktop(self._shared.tray, model, core.settings, self._relay, makers, self.undo_controller)
        self._background.refused.connect(desktop.tell_refused)
        # Quick-ask is made by its hotkey, perhaps long after the windows; they have to know of it all the
        # same.
        self.quick.made = desktop.attach_quick_ask
        desktop.offer_quick_ask(self.quick.show, lambda: core.settings.current.window.hotkey)
        self._announce(desktop)
        return desktop

    def _announce(self, desktop: Desktop) -> None:
        """What a screen reader is told of answers."""
        from desktop.ui.announcer import Announcer

        settings = self._core.settings
        announcer = Announcer(self._relay, lambda: settings.current.window.announcements, desktop.shows)
        announcer.setParent(desktop)

    def _warm_up(self) -> None:
        """The model reads its instructions; once on this computer it is measured, after the threads were."""
        from desktop.qt.background import only_logged

        self._background.run(self._core.turns.warm_up, failed=only_logged)
        self._settled.start()

    @cached_property
    def _settled(self) -> QTimer:
        """Runs out once the load is over; ends with the windows."""
        from PySide6.QtCore import QTimer

        from desktop.qt.background import only_logged

        # Measured at once, the model would compete with the threads that are just being measured.
        timer = QTimer(singleShot=True, interval=SETTLED_MS)
        timer.timeout.connect(lambda: self._background.run(self._measure_speed, failed=only_logged))
        self._shared.ending.callback(timer.stop)
        return timer

    def _measure_speed(self) -> None:
        """On the pool. Not on battery: it would cost what nobody asked for."""
        from desktop.engine.host import on_battery

        if not on_battery():
            self._core.speed_test.run_once()

    @cached_property
    def undo_controller(self) -> UndoController:
        from desktop.ui.undo import UndoController

        core = self._core

        def copied() -> ClipboardTools | None:
            # Without a clipboard there is nothing that was copied, and so nothing to take back.
            return core.clipboard_tools if core.clipboard is not None else None

        return UndoController(lambda: core.journal, self._relay, self._background, copied)

    @cached_property
    def downloads(self) -> Downloads:
        from desktop.system.secrets import HUGGING_FACE_TOKEN
        from desktop.ui.models.downloads import Downloads

        def keep(token: str) -> None:
            self._core.secrets.set(HUGGING_FACE_TOKEN, token)

        made = Downloads(self._core.setup, self._relay, self._background, keep)
        # A part file is kept, so that a download that is stopped here goes on at the next start.
        self._shared.ending.callback(made.stop_all)
        return made

    def chat(self) -> ChatWindow:
        from desktop.app.toolbox import confinement
        from desktop.chat.attachments import AttachmentReader
        from desktop.sandbox.parser import Parser
        from desktop.tools.ocr import Ocr
        from desktop.ui.chat.attachments import Sources
        from desktop.ui.chat.window import ChatWindow

        core, ocr = self._core, Ocr(confinement)
        # From here on answers are followed, which costs a look at a file for each while no extension is on.
        _ = core.extension_texts
        attacher = AttachmentReader(ocr, Parser(confinement), core.engine.count_tokens)
        window = ChatWindow(
            self._shared.chat_services,
            core.paths.window,
            self._shared.tool_files(self.undo_controller),
            Sources(attacher, core.clipboard, core.screen, lambda: ocr.is_here),
            # A file that was moved away stays in the list of the manager, where it can be found again, but
            # answers nothing.
            models=lambda: [(each.id, each.name) for each in core.library.installed() if not each.is_missing],
            # Most people have set up none: then nothing of that room is loaded.
            servers=lambda: core.remote_engines.all() if core.settings.current.engines.servers else (),
        )
        window.controller.status.follow_traffic(lambda: core.network.traffic)
        window.pane.transcript.maker.fixes = self._fixes(window)
        window.pane.transcript.maker.jobs = self._check_jobs
        return window

    @cached_property
    def _jobs(self) -> CheckJobs:
        from desktop.ui.chat.check_card import CheckJobs

        core = self._core
        return CheckJobs(lambda: core.check_fixing, self._relay, self._background)

    def _check_jobs(self) -> CheckJobs:
        """One for all windows, from the first card on that needs it."""
        return self._jobs

    def _fixes(self, window: ChatWindow) -> FixOffers:
        from desktop.ui.chat.tool_card import FixOffers

        core = self._core
        fixes = FixOffers(core.lessons.known, core.turns.try_fix, self._relay, self._background)
        fixes.refused.connect(lambda error: window.toast.offer(str(error)))
        return fixes

    @cached_property
    def first_run_window(self) -> FirstRun:
        """Shown by `desktop`, and before there is one where Steward itself is still being installed."""
        from desktop.ui.models.first_run import FirstRun

        core = self._core
        window = FirstRun(core.setup, core.settings, self._background, self.downloads)
        window.offer_setup(self.first_setup)
        return window

    def first_setup(self, set_up_by: Path | None = None) -> SetupPage:
        """Keys, start and folder. `set_up_by`: what Steward itself is being installed by at the moment."""
        from desktop.system.autostart import autostart
        from desktop.ui.models.first_steps import FolderChoice, SetupPage

        core, background = self._core, self._background
        # As the settings have it: to ask the workspace itself would make its folder before the user has
        # chosen.
        folder = core.settings.current.chat.workspace or str(core.paths.workspace)
        has_tray = self._shared.tray.is_available
        return SetupPage(
            self.quick.trial(),
            autostart(core.paths, set_up_by),
            core.settings,
            background,
            FolderChoice(core.settings, background, folder),
            has_tray,
        )

    def manager(self) -> ModelManager:
        from desktop.ui.models.manager import ModelManager
        from desktop.ui.models.servers import ServerActs, ServersSection

        core = self._core
        manager = ModelManager(
            core.setup,
            core.settings,
            self._relay,
            self._background,
            self.downloads,
            lambda: core.engine.status,
        )
        acts = ServerActs(
            lambda: bool(core.settings.current.engines.servers),
            lambda: core.remote_engines,
            lambda: core.remote_setup,
        )
        manager.offer_servers(ServersSection(acts, self._relay, self._background))
        return manager

    def palette(self, desktop: Desktop) -> PaletteController:
        from desktop.ui.palette import PaletteController

        return PaletteController(desktop, self._core.store.search, self._background)

    def pages(self) -> PagesWindow:
        return Pages(self._shared, self.undo_controller, self._watch, self.quick, self.desktop).window()


class Pages:
    """Makes the window and what is in it. Main thread only."""

    def __init__(
        self,
        shared: DesktopServices,
        undo_controller: UndoController,
        watch: SettingsWatch,
        quick: QuickAskHotkey,
        desktop: Desktop,
    ) -> None:
        self._core = shared.core
        self._relay, self._background = shared.relay, shared.background
        self._undo_controller = undo_controller
        self._watch = watch
        self._quick = quick
        self._desktop = desktop

    def window(self) -> PagesWindow:
        from desktop.ui.pages.window import (
            CONNECTIONS,
            OVERSIGHT,
            PERSONAL,
            STEWARD,
            PageEntry,
            PagesWindow,
        )

        entries = (
            PageEntry("Memory", "memory", self._memory, PERSONAL),
            PageEntry("Projects", "folder", self._projects, PERSONAL),
            PageEntry("Reminders", "bell", self._reminders, PERSONAL),
            PageEntry("Schedules", "again", self._schedules, PERSONAL),
            PageEntry("Activity", "activity", self._activity, OVERSIGHT),
            PageEntry("Changes", "undo", self._changes, OVERSIGHT),
            PageEntry("Permissions", "shield", self._permissions, OVERSIGHT),
            PageEntry("Rules", "lock", self._rules, OVERSIGHT),
            PageEntry("Network", "network", self._network, OVERSIGHT),
            PageEntry("Log", "log", self._log, OVERSIGHT),
            PageEntry("Servers", "plug", self._servers, CONNECTIONS),
            PageEntry("Programs", "terminal", self._programs, CONNECTIONS),
            PageEntry("Workers", "worker", self._workers, CONNECTIONS),
            PageEntry("Extensions", "extension", self._extensions, CONNECTIONS),
            PageEntry("Quick-ask", "quick", self._quick.page, STEWARD),
            PageEntry("Settings", "settings", self._settings, STEWARD),
            PageEntry("Doctor", "doctor", self._doctor, STEWARD),
        )
        core = self._core
        return PagesWindow(core.settings, self._relay, self._background, core.paths.pages, entries)

    def _following(self, page: Page, *files: Path) -> Page:
        """It is read again, too, when a terminal or another agent's command has changed what it shows."""
        page.follow_files(files)
        return page

    @property
    def _database(self) -> tuple[Path, Path]:
        """The file, and the log of its latest writes, in which a change is seen first."""
        file = self._core.paths.database
        return file, file.with_name(f"{file.name}-wal")

    def _activity(self) -> Page:
        from desktop.ui.pages.activity import ActivityPage

        core = self._core
        page = ActivityPage(
            core.handler,
            self._relay,
            self._background,
            core.redactor,
            core.projects,
            self._undo_controller,
        )
        page.permissions_requested.connect(lambda: self._desktop.show_page("Permissions"))
        page.changes_requested.connect(lambda: self._desktop.show_page("Changes"))
        page.question_requested.connect(self._desktop.show_question)
        return page

    def _memory(self) -> Page:
        from desktop.memory.housekeeping import Housekeeping
        from desktop.settings import SettingsChanged
        from desktop.ui.memory.page import MemoryPage

        core = self._core

        def is_paused() -> bool:
            memory = core.settings.current.memory
            return memory.paused or not memory.enabled

        def pause(paused: bool) -> None:
            # Memory may be paused or off altogether; to go on means that neither is so.
            if not paused:
                core.settings.change("memory", "enabled", True)
            core.settings.change("memory", "paused", paused)

        page = MemoryPage(
            # As the loaded model counts, so that the page shows what a block will really cost.
            Housekeeping(core.memory, core.remembering.count, core.team.share),
            self._relay,
            self._background,
            is_paused,
            lambda: core.team.is_on,
            core.better_search,
        )
        page.pause_wanted.connect(lambda paused: self._background.run(pause, paused, failed=page.fail))
        self._relay.listen(SettingsChanged, lambda _event: page.show_pause())
        return self._following(page, *self._database)

    def _permissions(self) -> Page:
        from desktop.ui.pages.permission_sections import AgentRuleList
        from desktop.ui.pages.permissions import (
            AgentPermissions,
            ChatNames,
            ChatPermissions,
            PermissionsPage,
        )

        core = self._core
        rules = AgentRuleList(core.own_rules.listed, core.agent_consents, self._background)
        page = PermissionsPage(
            core.grants,
            core.settings,
            self._relay,
            self._background,
            ChatPermissions(
                ChatNames(core.store),
                lambda: core.workspace.folders[1:],
                self._close_folder,
                self._open_folder,
            ),
            AgentPermissions(core.projects, rules),
        )
        return self._following(page, *self._database)

    def _rules(self) -> Page:
        from desktop.agents.agent_list import AGENTS
        from desktop.gate.gatekeeper import Trial, try_line
        from desktop.ui.pages.rules import RulesPage

        core = self._core

        def tried(line: str, agent: str, folder: Path, shell: str | None) -> Trial:
            return try_line(core.commands, core.gatekeeper, line, agent, folder, shell)

        # An agent without a program of its own cannot be told from others by one.
        agents = [(each.name, each.title) for each in AGENTS if each.programs]
        return RulesPage(core.settings, tried, agents, self._relay, self._background)

    def _servers(self) -> Page:
        from desktop.ui.pages.servers import ServerActions, ServersPage

        core = self._core

        def try_tool(server: str, tool: str, arguments: str) -> str:
            from desktop.mcp.servers import run_tool

            return run_tool(core.servers, core.acting.executor, server, tool, arguments).text

        acts = ServerActions(lambda: core.servers, lambda: core.server_setup, try_tool)
        return ServersPage(acts, self._relay, self._background)

    def _close_folder(self, folder: Path) -> None:
        """On the pool: it stays closed, also after the next start."""
        core = self._core
        left = [
            each
            for each in core.settings.current.chat.folders
            # The file may name a folder by `~`; the page knows it by its whole path.
            if Path(os.path.expanduser(each)) != folder
        ]
        core.settings.change("chat", "folders", left)

    def _open_folder(self, folder: Path) -> None:
        """On the pool: what was closed on the page is open again."""
        core = self._core
        folders = core.settings.current.chat.folders
        core.settings.change("chat", "folders", [*folders, str(folder)])

    def _reminders(self) -> Page:
        from desktop.ui.reminders import RemindersPage

        page = RemindersPage(self._core.reminders, self._relay, self._background)
        return self._following(page, *self._database)

    def _projects(self) -> Page:
        from desktop.ui.projects import ProjectActs, ProjectsPage

        core = self._core

        def allowed() -> Counter[str]:
            return Counter(str(each.covers.folder) for each in core.grants.listed())

        acts = ProjectActs(
            lambda: core.chat_projects,
            lambda number: core.turns.delete_conversation(number),  # noqa: PLW0108 - built when it is called
            lambda: [(each.id, each.name) for each in core.library.installed() if not each.is_missing],
            allowed,
        )
        page = ProjectsPage(acts, self._relay, self._background)
        page.chat_requested.connect(self._desktop.new_chat_in)
        return self._following(page, *self._database)

    def _schedules(self) -> Page:
        from desktop.ui.schedules import SchedulesPage

        page = SchedulesPage(self._core.reminders, self._relay, self._background)
        page.chat_requested.connect(self._desktop.show_conversation)
        return self._following(page, *self._database)

    def _changes(self) -> Page:
        from desktop.ui.pages.changes import ChangesPage

        page = ChangesPage(self._core.journal, self._undo_controller, self._relay, self._background)
        return self._following(page, *self._database)

    def _extensions(self) -> Page:
        from desktop.ui.pages.extensions import ExtensionsPage

        core = self._core
        page = ExtensionsPage(lambda: core.extensions, core.remove_extension, self._relay, self._background)
        return self._following(page, core.paths.extension_list)

    def _log(self) -> Page:
        from desktop.ui.pages.log import LogPage

        page = LogPage(self._core.audit, self._relay, self._background)
        return self._following(page, *self._database)

    def _network(self) -> Page:
        from desktop.ui.pages.network import NetworkPage

        core = self._core
        return NetworkPage(core.network, core.settings, self._relay, self._background, core.note_departures)

    def _programs(self) -> Page:
        from desktop.ui.pages.programs import ProgramsPage

        core = self._core
        page = ProgramsPage(
            core.program_tokens, core.program_log, core.settings, self._relay, self._background
        )
        return self._following(page, core.paths.program_tokens)

    def _workers(self) -> Page:
        from desktop.offload.history import History
        from desktop.offload.setup import WorkerSetup
        from desktop.ui.pages.workers import WorkersPage

        core = self._core
        page = WorkersPage(
            lambda: WorkerSetup(core.paths),
            History(core.paths),
            core.settings,
            self._relay,
            self._background,
        )
        return self._following(page, core.paths.workers, core.paths.offload_jobs)

    def _settings(self) -> Page:
        from desktop.app.backup_actions import BackupActions
        from desktop.system.autostart import autostart
        from desktop.ui.chat.dictation import dictation_lacks
        from desktop.ui.chat.speech import speech_lacks
        from desktop.ui.language import tr
        from desktop.ui.pages.backup import BackupGroup
        from desktop.ui.pages.settings import AutostartGroup, SettingsPage
        from desktop.ui.pages.settings_form import FormSupport, SettingAction

        core = self._core
        said = tr(
            "Threads and speed are measured while nobody is waiting for an answer, for at most 20 seconds."
        )
        page = SettingsPage(
            core.settings,
            self._watch,
            self._relay,
            self._background,
            FormSupport(
                {"models": self._models, "agents": _agents},
                {"model.threads": SettingAction(tr("Measure again"), said, self._measure)},
                lacks={"chat.read_aloud": speech_lacks, "chat.dictate": dictation_lacks},
            ),
            (
                AutostartGroup(autostart(core.paths), self._background),
                BackupGroup(BackupActions(core, self._desktop.quit), self._background),
            ),
        )
        page.page_requested.connect(self._desktop.show_page)
        page.restart_requested.connect(self._start_again)
        return page

    def _start_again(self) -> None:
        """Once everything is closed, with the same chat open."""
        self._core.restart_wanted = True
        # Asked now: at the end of the program the window is closed and has no chat.
        self._core.restart_chat = self._desktop.open_chat
        self._desktop.quit()

    def _models(self) -> tuple[tuple[str, str], ...]:
        installed = self._core.library.installed()
        return tuple((model.name, model.id) for model in installed if not model.is_missing)

    def _measure(self) -> None:
        core = self._core
        # What is stored would be believed: only a model that is loaded without it measures its threads again.
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
            # One of its own: that of the program would wait for the user to unlock the keyring.
            secrets = Secrets(core.paths, timeout_s=KEYRING_S)
            ignoring = core.ignoring_agents()
            return Doctor(core.paths, core.settings.current, core.library, secrets, ignoring)

        return DoctorPage(doctor, self._background, reports=core.crash_reports)


def _agents() -> tuple[tuple[str, str], ...]:
    from desktop.agents.agent_list import AGENTS

    return tuple((adapter.title, adapter.name) for adapter in AGENTS)


class QuickAskHotkey:
    """Quick-ask behind its hotkey. The window is made when it is first needed, after `core.asker` is set: its
    turns ask. Main thread only.
    """

    def __init__(self, shared: DesktopServices, undo_controller: Callable[[], UndoController]) -> None:
        self.made: Callable[[QuickAsk], None] = lambda _ask: None  # who wants to know of the window
        self._shared = shared
        self._core = shared.core
        self._relay, self._background = shared.relay, shared.background
        self._undo_controller = undo_controller
        self._trials: list[QuickAskPage | HotkeyTrial] = []
        # A key that stays grabbed would be dead for all other programs.
        shared.ending.callback(self._close)
        self.hotkey.pressed.connect(self.toggle_by_key)
        shared.relay.listen(SettingsChanged, lambda _event: self.follow())

    @cached_property
    def hotkey(self) -> GlobalHotkey:
        from desktop.system.hotkey.global_hotkey import GlobalHotkey, grabber

        return GlobalHotkey(grabber(APP_ID), command(self._core.paths))

    @cached_property
    def ask(self) -> QuickAsk:
        from desktop.app.toolbox import confinement
        from desktop.chat.rules import Rules
        from desktop.system.hotkey.previous_window import has_compositor, previous_window
        from desktop.system.selection import copied_selection
        from desktop.tools.calculator import Calculator
        from desktop.tools.ocr import Ocr
        from desktop.tools.units import read_units
        from desktop.ui.quick_ask.context import ContextSources
        from desktop.ui.quick_ask.quick_ask import QuickAsk

        core = self._core
        # `_offer_desktop_tools` has put one there before any window is made.
        assert core.clipboard is not None
        around = ContextSources(
            self._background,
            core.clipboard,
            core.screen,
            Ocr(confinement),
            copied_selection(),
            has_compositor(),
        )
        rules = Rules(Calculator(read_units(resources() / "units.toml")))
        ask = QuickAsk(
            self._shared.chat_services,
            rules.answer,
            around,
            previous_window(),
            self._shared.tool_files(self._undo_controller()),
        )
        self._relay.listen(SettingsChanged, lambda _event: self._take_settings(ask))
        self._take_settings(ask)
        self.made(ask)
        return ask

    def _take_settings(self, ask: QuickAsk) -> None:
        ask.window.transcript.set_shows_thinking(self._core.settings.current.chat.show_thinking)

    def follow(self) -> None:
        """Use the keys of the settings."""
        self.hotkey.use(self._core.settings.current.window.hotkey)

    def toggle_by_key(self, press: HotkeyPress) -> None:
        """The hotkey: for the page that tests it, or for the window."""
        # Who tries the hotkey on its page wants to see that it works, not a window in the way.
        if not any(trial.is_trying for trial in self._trials):
            self.ask.toggle(press)

    def show(self) -> None:
        """The window, made now if it was not needed before."""
        self.ask.show()

    def ask_soon(self, shown: bool) -> Callable[[], None]:
        """Make the window ready before the first press, or show it."""
        return lambda: self.ask.show() if shown else self.ask.prepare()

    def page(self) -> QuickAskPage:
        """Made once, when the window of pages first shows it."""
        from desktop.ui.quick_ask.hotkey import QuickAskPage

        page = QuickAskPage(self.hotkey, self._keep)
        self._trials.append(page)
        return page

    def trial(self) -> HotkeyTrial:
        """Choosing and trying the hotkey, for the first run."""
        from desktop.ui.quick_ask.hotkey import HotkeyTrial

        trial = HotkeyTrial(self.hotkey, self._keep)
        self._trials.append(trial)
        return trial

    def _keep(self, keys: str) -> None:
        self._background.run(self._core.settings.change, "window", "hotkey", keys)

    def _close(self) -> None:
        self.hotkey.close()
        # Looked up without asking for it: a quick-ask that was never needed is not made in order to be
        # closed.
        if "ask" in self.__dict__:
            self.ask.hide(give_back=False)


def command(paths: Paths) -> str:
    """What a desktop binds to keys: for this profile, and for this program where it is not installed."""
    words = ["steward"] if _is_installed() else [*own_program()]
    # The desktop runs these words in an environment of its own, which does not know the profile of this
    # process.
    if paths != Paths.default():
        words += ["--profile", str(paths.data.parent)]
    return shlex.join([*words, "toggle-quick-ask"])


def _is_installed() -> bool:
    """Whether the word `steward` starts this very program; a bundle may lie anywhere."""
    # From a checkout the word `steward` may start another copy, or none.
    if not getattr(sys, "frozen", False):
        return not sys.argv[0].endswith("__main__.py")
    found = shutil.which("steward")
    return found is not None and Path(found).resolve() == Path(sys.executable).resolve()
