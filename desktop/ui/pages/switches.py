"""The switches of the settings section `permissions`, with the titles and help that it declares."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.settings import PermissionSettings, Settings, SettingsFile
from desktop.ui.check_box import BOX_PX, GAP_PX, CheckBox
from desktop.ui.labels import Label
from desktop.ui.language import told, tr
from desktop.ui.pages.confirm import Confirm
from desktop.ui.theme import CAPTION_PX, Theme

NEVER_ASK = "dangerously_skip_permissions"
SECTION = "permissions"


class PermissionSwitches(QWidget):
    """One check box per setting; turning questions off is confirmed in place. Main thread only."""

    refused = Signal(object)  # UserFacing

    def __init__(self, theme: Theme, settings_file: SettingsFile, background: Background) -> None:
        super().__init__()
        self._theme = theme
        self._settings_file = settings_file
        self._background = background
        self.boxes: dict[str, CheckBox] = {}
        self._helps: list[Label] = []
        self.setObjectName("permission_switches")
        self.confirm = Confirm(theme, "never_ask_confirm")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        for name, field in PermissionSettings.model_fields.items():
            self._add(name, told(field.title or name), told(field.description or ""))
        theme.changed.connect(self._restyle)
        self._restyle()
        self.refresh()

    def refresh(self) -> None:
        """Show what is set now."""
        current = self._settings_file.current.permissions
        for name, box in self.boxes.items():
            box.blockSignals(True)
            box.setChecked(bool(getattr(current, name)))
            box.blockSignals(False)

    def _add(self, name: str, title: str, help_text: str) -> None:
        ink = "danger" if name == NEVER_ASK else "text"
        box = CheckBox(self._theme, title, f"switch_{name}", ink)
        box.setAccessibleName(title)
        box.setAccessibleDescription(help_text)
        box.toggled.connect(lambda on: self._on_toggled(name, on))
        self.boxes[name] = box
        ink = "danger" if name == NEVER_ASK else "secondary"
        label = Label(self._theme, help_text, CAPTION_PX, colour=ink, name=f"help_{name}")
        self._helps.append(label)
        self._column.addWidget(box)
        self._column.addWidget(label)
        if name == NEVER_ASK:
            self._column.addWidget(self.confirm)

    def _on_toggled(self, name: str, on: bool) -> None:
        if name == NEVER_ASK and on:
            self.refresh()  # nothing is on before it is agreed to
            self.confirm.ask(
                tr(
                    "Work without asking? The assistant can then delete files, run commands and send data "
                    "without a question, until you switch this off."
                ),
                tr("Never ask"),
                tr("Keep asking"),
                lambda: self._set(name, True),
                self.boxes[name].setFocus,
            )
        else:
            self._set(name, on)

    def _set(self, name: str, value: bool) -> None:
        self._background.run(
            self._settings_file.change,
            SECTION,
            name,
            value,
            done=lambda settings: self._on_set(settings, name, value),
            failed=self._on_failed,
        )

    def _on_set(self, settings: Settings, name: str, value: bool) -> None:
        self.refresh()
        if getattr(settings.permissions, name) is not value:
            variable = f"STEWARD_{SECTION}__{name}".upper()
            self.refused.emit(
                UserFacing(
                    tr(
                        "The environment variable {variable} sets this for the present run.",
                        variable=variable,
                    ),
                    tr("Your choice is saved and counts from the next start without it."),
                    tr("Remove the variable to change it now."),
                    code="set-by-environment",
                )
            )

    def _on_failed(self, error: Exception) -> None:
        self.refresh()
        if not isinstance(error, UserFacing):
            raise error
        self.refused.emit(error)

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setSpacing(px(2))
        for label in self._helps:
            label.setContentsMargins(px(BOX_PX + GAP_PX), 0, 0, px(8))
