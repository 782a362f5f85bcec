"""A yes or no of the settings on a page of its own: it shows what holds, and tells what was refused."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.settings import Settings, SettingsFile, variable_of
from desktop.ui.language import tr
from desktop.ui.reasons import WindowReason
from desktop.ui.widgets.buttons import AskingSwitch
from desktop.ui.widgets.cards import SwitchRow


class SettingSwitch(SwitchRow):
    """Follows the file by `refresh`, which its page calls. Title and help are those of the declaration.
    `guard` may ask something before it is switched on, and calls what it is given, or not.

    Main thread only; the file is written on the pool.
    """

    refused = Signal(object)  # Exception

    def __init__(
        self,
        settings_file: SettingsFile,
        background: Background,
        key: str,
        name: str,
        *,
        danger: bool = False,
    ) -> None:
        """`key` is section and name, as `network.offline`; `name` that of the switch itself."""
        self._section, _, self._setting = key.partition(".")
        field = type(getattr(settings_file.current, self._section)).model_fields[self._setting]
        asking = AskingSwitch(name)
        super().__init__(asking, tr(field.title or key), tr(field.description or ""), danger=danger)
        self._file = settings_file
        self._background = background
        self.guard: Callable[[Callable[[], None]], None] = lambda switch_on: switch_on()
        asking.asked.connect(self._on_asked)
        self.refresh()

    def refresh(self) -> None:
        """Show what holds now."""
        self.control.show_checked(self._holds(self._file.current))

    def _on_asked(self, on: bool) -> None:
        if on:
            self.guard(lambda: self._change(True))
        else:
            self._change(False)

    def _change(self, on: bool) -> None:
        self._background.run(
            self._file.change,
            self._section,
            self._setting,
            on,
            done=lambda settings: self._on_changed(settings, on),
            failed=self._on_failed,
        )

    def _on_changed(self, settings: Settings, on: bool) -> None:
        self.refresh()
        # The file holds what was chosen, but a variable of the environment goes before it in this run.
        if self._holds(settings) is not on:
            variable = variable_of(self._section, self._setting)
            self.refused.emit(UserFacing(WindowReason.SET_BY_ENVIRONMENT.of(variable=variable or "")))

    def _on_failed(self, error: Exception) -> None:
        self.refresh()
        self.refused.emit(error)

    def _holds(self, settings: Settings) -> bool:
        return bool(getattr(getattr(settings, self._section), self._setting))
