"""What the first run goes through beside the model: keys and start, then folders. Each can be skipped."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QVBoxLayout

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.settings import SettingsFile
from desktop.system.autostart import Autostart
from desktop.ui.check_box import CheckBox
from desktop.ui.labels import Label, button, relabel
from desktop.ui.language import later, told_error, tr
from desktop.ui.models.page import Page
from desktop.ui.quick_ask.hotkey_trial import HotkeyTrial
from desktop.ui.theme import BODY_PX, SMALL_PX

TRAY_HINT = later(
    "Steward waits in the tray, beside the clock. Where its icon is hidden there, look behind the small "
    "arrow, and drag it out."
)
NO_TRAY = later("This desktop shows no tray. Steward's window then stays in the list of windows.")
START = later("Start Steward with the computer")
START_HELP = later("Off unless you switch it on. It then waits in the tray, without a window.")
FOLDER_INTRO = later(
    "The assistant has a folder of its own. It reads no other file unless you open the folder here, or agree "
    "when it asks. Changes always ask."
)


class StepPage(Page):
    """`done` comes with Next, `skipped` with Skip."""

    done = Signal()
    skipped = Signal()

    def __init__(self, name: str, heading: str, step: str) -> None:
        super().__init__(name, heading)
        self.body.addWidget(Label(step, SMALL_PX, colour="secondary", name=f"{name}_step"))
        self.next_button = button(tr("Next"), f"{name}_next", primary=True)
        self.skip_button = button(
            tr("Skip"), f"{name}_skip", described=tr("Skip: {heading}", heading=heading)
        )
        self.next_button.clicked.connect(lambda _checked: self.done.emit())
        self.skip_button.clicked.connect(lambda _checked: self.skipped.emit())
        self.buttons.addWidget(self.next_button)
        self.buttons.addWidget(self.skip_button)

    def take_focus(self) -> None:
        self.next_button.setFocus(Qt.FocusReason.OtherFocusReason)


class KeysPage(StepPage):
    """Step 2: the hotkey to try, start with the computer, where the tray is."""

    def __init__(
        self,
        trial: HotkeyTrial,
        autostart: Autostart,
        settings_file: SettingsFile,
        background: Background,
        has_tray: bool,
    ) -> None:
        super().__init__("keys_page", tr("Keys and start"), tr("Step 2 of 3"))
        self._autostart = autostart
        self._file = settings_file
        self._background = background
        self.trial = trial
        self.start_box = CheckBox(tr(START), "first_autostart")
        self.start_box.setAccessibleName(tr(START))
        self.start_box.setAccessibleDescription(tr(START_HELP))
        self.start_box.toggled.connect(self._on_start_toggled)
        self.error = Label("", SMALL_PX, colour="danger", name="first_autostart_error")
        self.error.hide()
        about = tr(
            "These keys open Quick-ask over everything else. Change them where another program has them."
        )
        for widget in (
            self._heading(tr("Hotkey")),
            Label(about, SMALL_PX, colour="secondary", name="keys_about"),
            trial,
            self._heading(tr("Start")),
            self.start_box,
            Label(tr(START_HELP), SMALL_PX, colour="secondary", name="first_autostart_help"),
            self.error,
            self._heading(tr("Tray")),
            Label(tr(TRAY_HINT) if has_tray else tr(NO_TRAY), SMALL_PX, name="tray_hint"),
        ):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.done.connect(self._asked)
        self.skipped.connect(self._asked)

    def _heading(self, text: str) -> Label:
        return Label(text, BODY_PX, bold=True, name="step_heading")

    def _on_start_toggled(self, on: bool) -> None:
        self.error.show_text("")
        self._background.run(self._autostart.switch, on, failed=self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.start_box.blockSignals(True)
        self.start_box.setChecked(False)
        self.start_box.blockSignals(False)
        self.error.show_text(str(told_error(error)))

    def _asked(self) -> None:
        """Whatever was answered, it is not asked again."""
        self._background.run(self._file.change, "window", "asked_about_autostart", True)


class FolderPage(StepPage):
    """Step 3: a folder that the assistant may read; none unless one is chosen."""

    def __init__(
        self,
        settings_file: SettingsFile,
        background: Background,
        own_folder: str,
        choose: Callable[[FolderPage], None] | None = None,
    ) -> None:
        """`choose` stands in for the dialog."""
        super().__init__("folder_page", tr("A folder to read"), tr("Step 3 of 3"))
        self._file = settings_file
        self._background = background
        self._choose = choose or _ask_folder
        relabel(self.next_button, tr("Start chatting"))
        self.open_button = button(tr("Choose a folder…"), "first_folder")
        self.open_button.clicked.connect(lambda _checked: self._choose(self))
        self.chosen = Label(tr("No folder is open."), SMALL_PX, name="first_folder_chosen")
        own = tr("Its own folder: {folder}", folder=own_folder)
        self.body.addWidget(Label(tr(FOLDER_INTRO), name="folder_intro"))
        self.body.addWidget(Label(own, SMALL_PX, colour="secondary", name="own_folder"))
        row = QVBoxLayout()
        row.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignLeading)
        self.body.addLayout(row)
        self.body.addWidget(self.chosen)
        self.body.addStretch(1)

    def open_folder(self, folder: str) -> None:
        """What the dialog brings."""
        folders = self._file.current.chat.folders
        if folder and folder not in folders:
            self._background.run(
                self._file.change,
                "chat",
                "folders",
                [*folders, folder],
                done=lambda _settings: self.chosen.setText(tr("Open to read: {folder}", folder=folder)),
                failed=self._on_failed,
            )

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.chosen.setText(str(told_error(error)))


def _ask_folder(page: FolderPage) -> None:
    dialog = QFileDialog(page, tr("A folder to read"))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.fileSelected.connect(page.open_folder)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
