"""The windows of the tray app, each made when it is first shown."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
    from PySide6.QtCore import QTimer

    from desktop.app.quick_ask import QuickAsking
    from desktop.qt.background import Background
    from desktop.qt.relay import Relay
    from desktop.ui.chat.tool_card import FixOffers
    from desktop.ui.chat.window import ChatWindow
    from desktop.ui.desktop import Desktop
    from desktop.ui.models.downloads import Downloads
    from desktop.ui.models.first_run import FirstRun
    from desktop.ui.models.first_steps import StepPage
    from desktop.ui.models.manager import ModelManager
    from desktop.ui.pages.settings_file import SettingsWatch
    from desktop.ui.pages.window import PagesWindow
    from desktop.ui.theme import Theme
    from desktop.ui.tray import Tray
    from desktop.ui.undoing import Undoing


SETTLED_MS = 8000  # after a load; threads are measured in the first seconds


@dataclass
class Windows:
    """Makes them. `ending` ends what they start. Main thread only."""

    core: Services
    theme: Theme
    relay: Relay
    background: Background
    watch: SettingsWatch
    quick: QuickAsking
    ending: ExitStack
    tray: Tray | None = None

    def desktop(self, tray: Tray) -> Desktop:
        """Which window when; made once."""
        from desktop.ui.desktop import Desktop

        core = self.core
        self.tray = tray
        self.quick.undoing = self.undoing

        def pages() -> PagesWindow:
            from desktop.app.pages import Pages

            return Pages(
                core,
                self.theme,
                self.relay,
                self.background,
                self.undoing,
                self.watch,
                self.quick,
                desktop,
            ).window()

        desktop = Desktop(
            tray,
            core.engine,
            core.library,
            core.settings,
            self.relay,
            self.chat,
            self.first_run,
            self.manager,
            self._warm_up,
            pages,
            self.undoing,
        )
        self._announce(desktop)
        return desktop

    def _announce(self, desktop: Desktop) -> None:
        """What a screen reader is told of answers."""
        from desktop.ui.announcer import Announcer

        settings = self.core.settings
        announcer = Announcer(self.relay, lambda: settings.current.window.announcements, desktop.shows)
        announcer.setParent(desktop)

    def _warm_up(self) -> None:
        """The model reads its instructions; once on this computer it is measured, after the threads were."""
        self.background.run(self.core.turns.warm_up)
        self._settled.start()

    @cached_property
    def _settled(self) -> QTimer:
        """Runs out once the load is over; ends with the windows."""
        from PySide6.QtCore import QTimer

        timer = QTimer(singleShot=True, interval=SETTLED_MS)
        timer.timeout.connect(lambda: self.background.run(self._measure_speed))
        self.ending.callback(timer.stop)
        return timer

    def _measure_speed(self) -> None:
        """On the pool. Not on battery: it would cost what nobody asked for."""
        from desktop.engine.host import on_battery

        if not on_battery():
            self.core.speed_test.run_once()

    @cached_property
    def undoing(self) -> Undoing:
        from desktop.ui.undoing import Undoing

        return Undoing(lambda: self.core.journal, self.relay, self.background)

    @cached_property
    def downloads(self) -> Downloads:
        from desktop.system.secrets import HUGGING_FACE_TOKEN
        from desktop.ui.models.downloads import Downloads

        def keep(token: str) -> None:
            self.core.secrets.set(HUGGING_FACE_TOKEN, token)

        made = Downloads(self.core.setup, self.relay, self.background, keep)
        self.ending.callback(made.stop_all)
        return made

    def chat(self) -> ChatWindow:
        from desktop.app.toolbox import confinement
        from desktop.chat.attachments import AttachmentReader
        from desktop.sandbox.parser import Parser
        from desktop.tools.files import spelled_out, user_folders
        from desktop.tools.ocr import Ocr
        from desktop.ui.chat.attachments import Sources
        from desktop.ui.chat.window import ChatWindow

        core, ocr = self.core, Ocr(confinement)
        attacher = AttachmentReader(ocr, Parser(confinement), core.engine.count_tokens)
        window = ChatWindow(
            core.store,
            core.turns,
            core.engine,
            core.settings,
            self.relay,
            self.background,
            core.paths.window,
            undoing=self.undoing,
            sources=Sources(attacher, core.clipboard, core.screen, lambda: ocr.is_here),
            locate=lambda where: core.workspace.root / spelled_out(where, user_folders()),
            models=lambda: [(each.id, each.name) for each in core.library.installed() if not each.is_missing],
        )
        window.controller.follow_traffic(lambda: core.network.traffic)
        window.pane.transcript.maker.fixes = self._fixes(window)
        return window

    def _fixes(self, window: ChatWindow) -> FixOffers:
        from desktop.ui.chat.tool_card import FixOffers

        core = self.core
        fixes = FixOffers(core.lessons.known, core.turns.try_fix, self.relay, self.background)
        fixes.refused.connect(lambda error: window.toast.offer(str(error)))
        return fixes

    def first_run(self) -> FirstRun:
        from desktop.ui.models.first_run import FirstRun

        core = self.core
        window = FirstRun(core.setup, core.library, core.settings, self.background, self.downloads)
        window.offer_steps(self._first_steps)
        return window

    def _first_steps(self) -> tuple[StepPage, ...]:
        from desktop.system.autostart import autostart
        from desktop.ui.models.first_steps import FolderPage, KeysPage

        core, background = self.core, self.background
        folder = core.settings.current.chat.workspace or str(core.paths.workspace)
        has_tray = self.tray is not None and self.tray.is_available
        return (
            KeysPage(self.quick.trial(), autostart(core.paths), core.settings, background, has_tray),
            FolderPage(core.settings, background, folder),
        )

    def manager(self) -> ModelManager:
        from desktop.ui.models.manager import ModelManager

        core = self.core
        return ModelManager(
            core.setup,
            core.library,
            core.settings,
            self.relay,
            self.background,
            self.downloads,
            lambda: core.engine.status,
        )
