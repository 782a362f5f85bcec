"""Quick-ask and its hotkey, put together for the tray app."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.app.services import Services
from desktop.paths import Paths, own_program, resources
from desktop.settings import SettingsChanged

if TYPE_CHECKING:
    from desktop.qt.background import Background
    from desktop.qt.relay import Relay
    from desktop.system.hotkey.global_hotkey import GlobalHotkey
    from desktop.system.hotkey.grabber import Press
    from desktop.ui.quick_ask.hotkey_trial import HotkeyTrial
    from desktop.ui.quick_ask.page import QuickAskPage
    from desktop.ui.quick_ask.quick_ask import QuickAsk
    from desktop.ui.theme import Theme
    from desktop.ui.undoing import Undoing

APP_ID = "steward"  # the installed desktop file's name without its ending


class QuickAsking:
    """The window is made when first needed, after `core.asker` is set: its turns ask. Main thread only."""

    def __init__(
        self,
        core: Services,
        theme: Theme,
        relay: Relay,
        background: Background,
        ending: ExitStack,
    ) -> None:
        """`undoing` and `made` are set before the first press."""
        from desktop.settings import SettingsChanged

        self.undoing: Undoing | None = None
        self.made: Callable[[QuickAsk], None] = lambda _ask: None  # who wants to know of the window

        self._core = core
        self._theme = theme
        self._relay = relay
        self._background = background
        self._trials: list[QuickAskPage | HotkeyTrial] = []
        ending.callback(self._close)
        self.hotkey.pressed.connect(self.toggle_by_key)
        relay.listen(SettingsChanged, lambda _event: self.follow())

    @cached_property
    def hotkey(self) -> GlobalHotkey:
        from desktop.system.hotkey.global_hotkey import GlobalHotkey, grabber

        return GlobalHotkey(grabber(APP_ID), command(self._core.paths))

    @cached_property
    def ask(self) -> QuickAsk:
        from desktop.app.toolbox import confinement
        from desktop.chat.rules import Rules
        from desktop.system.hotkey.compositor import has_compositor
        from desktop.system.hotkey.previous_window import previous_window
        from desktop.system.selection import copied_selection
        from desktop.tools.calculator import Calculator
        from desktop.tools.files import spelled_out, user_folders
        from desktop.tools.ocr import Ocr
        from desktop.tools.units import read_units
        from desktop.ui.quick_ask.context import Surroundings
        from desktop.ui.quick_ask.quick_ask import QuickAsk

        core = self._core
        assert core.clipboard is not None
        around = Surroundings(
            self._background, core.clipboard, core.screen, Ocr(confinement), copied_selection()
        )
        rules = Rules(Calculator(read_units(resources() / "units.toml")))
        ask = QuickAsk(
            core.store,
            core.turns,
            core.engine,
            core.settings,
            self._relay,
            self._background,
            rules.answer,
            around,
            previous_window(),
            has_compositor(),
            self.undoing,
            locate=lambda where: core.workspace.root / spelled_out(where, user_folders()),
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

    def toggle_by_key(self, press: Press) -> None:
        """The hotkey: for the page that tests it, or for the window."""
        if not any(trial.is_trying for trial in self._trials):
            self.ask.toggle(press)

    def ask_soon(self, shown: bool) -> Callable[[], None]:
        """Make the window ready before the first press, or show it."""
        return lambda: self.ask.show() if shown else self.ask.prepare()

    def page(self) -> QuickAskPage:
        """Made once, when the window of pages first shows it."""
        from desktop.ui.quick_ask.page import QuickAskPage

        page = QuickAskPage(self.hotkey, self._keep)
        self._trials.append(page)
        return page

    def trial(self) -> HotkeyTrial:
        """Choosing and trying the hotkey, for the first run."""
        from desktop.ui.quick_ask.hotkey_trial import HotkeyTrial

        trial = HotkeyTrial(self.hotkey, self._keep)
        self._trials.append(trial)
        return trial

    def _keep(self, keys: str) -> None:
        self._background.run(self._core.settings.change, "window", "hotkey", keys)

    def _close(self) -> None:
        self.hotkey.close()
        if "ask" in self.__dict__:
            self.ask.hide(give_back=False)


def command(paths: Paths) -> str:
    """What a desktop binds to keys: for this profile, and for this program where it is not installed."""
    words = ["steward"] if _is_installed() else [*own_program()]
    if paths != Paths.default():
        words += ["--profile", str(paths.data.parent)]
    return shlex.join([*words, "toggle-quick-ask"])


def _is_installed() -> bool:
    """Whether the word `steward` starts this very program; a bundle may lie anywhere."""
    if not getattr(sys, "frozen", False):
        return not sys.argv[0].endswith("__main__.py")
    found = shutil.which("steward")
    return found is not None and Path(found).resolve() == Path(sys.executable).resolve()
