"""What stands beside the model in the first run: keys, start and a folder to read, on one page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.settings import SettingsFile
from desktop.system.autostart import Autostart
from desktop.ui import theme
from desktop.ui.language import error_words, tr, tr_noop
from desktop.ui.models.cards import CardPage
from desktop.ui.permission.visible import visible
from desktop.ui.quick_ask.hotkey import HotkeyTrial
from desktop.ui.save_dialog import ask_folder
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import Switch, action, button
from desktop.ui.widgets.cards import SwitchCard, SwitchRow
from desktop.ui.widgets.labels import Label, SectionHeading

TRAY_HINT = tr_noop(
    "Steward waits in the tray, beside the clock. If its icon is hidden, look behind the "
    "small arrow, and drag it out."
)
NO_TRAY = tr_noop("This desktop has no tray. Steward's window stays in the list of windows.")
START = tr_noop("Start Steward with the computer")
START_HELP = tr_noop("Off unless you switch it on. It then waits in the tray, without a window.")
FOLDER_INTRO = tr_noop(
    "The assistant has a folder of its own. It reads no other file unless you open the folder here, or agree "
    "when it asks. Before it changes something, it asks."
)


class SetupPage(CardPage):
    """The hotkey to try, start with the computer, a folder to read, where the tray is. Nothing of it is
    needed: `done` comes with Start chatting, whatever was left as it is; `back` with Back.
    """

    done = Signal()
    back = Signal()

    def __init__(
        self,
        trial: HotkeyTrial,
        autostart: Autostart,
        settings_file: SettingsFile,
        background: Background,
        folder: FolderChoice,
        has_tray: bool,
    ) -> None:
        super().__init__("setup_page", tr("Keys and folder"))
        self._autostart = autostart
        self._file = settings_file
        self._background = background
        self._is_answered = False  # about the start, on this page
        self.trial = trial
        self.folder = folder
        self._make_start()
        self._fill(has_tray)
        self.next_button = button(tr("Start chatting"), "setup_next", self._on_next, primary=True)
        self.back_button = button(tr("Back"), "setup_back", self.back.emit)
        self.buttons.addWidget(self.next_button)
        self.buttons.addWidget(self.back_button)

    def take_focus(self) -> None:
        self.next_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _make_start(self) -> None:
        self.start_box = Switch("first_autostart")
        self.start_box.toggled.connect(self._on_start_toggled)
        self.error = Label("", SMALL_PX, colour="danger", name="first_autostart_error")
        self.error.hide()
        row = SwitchRow(self.start_box, tr(START), tr(START_HELP))
        row.text.addWidget(self.error)
        self.start_card = SwitchCard(row)
        # Chosen here before the program ended: the page is offered again until it is left by its main button.
        self._background.run(self._autostart.is_on, done=self._show_start, failed=self._on_failed)

    def _fill(self, has_tray: bool) -> None:
        optional = tr("All of this can wait; it is also in the settings.")
        about = tr(
            "These keys open Quick-ask over everything else. Change them if another program uses them."
        )
        start = (self._heading(tr("Start")), self.start_card)
        # Whoever left the page half done and comes back has answered this, and is not asked again.
        was_asked = self._file.current.window.asked_about_autostart
        for widget in (
            Label(optional, SMALL_PX, colour="secondary", name="setup_optional"),
            self._heading(tr("Hotkey")),
            Label(about, SMALL_PX, colour="secondary", name="keys_about"),
            self.trial,
            *(() if was_asked else start),
            self._heading(tr("A folder to read")),
            self.folder,
            self._heading(tr("Tray")),
            Label(tr(TRAY_HINT) if has_tray else tr(NO_TRAY), SMALL_PX, name="tray_hint"),
        ):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def _heading(self, text: str) -> Label:
        return SectionHeading(text, "step_heading")

    def _show_start(self, on: bool) -> None:
        if not self._is_answered:
            self.start_box.show_checked(on)

    def _on_start_toggled(self, on: bool) -> None:
        self._is_answered = True
        self.error.show_text("")
        self._background.run(self._autostart.switch, on, failed=self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.start_box.show_checked(False)
        self.error.show_text(error_words(error))

    def _on_next(self) -> None:
        """Whatever was answered about the start, it is not asked again."""
        self._background.run(self._file.change, "window", "asked_about_autostart", True)
        self.done.emit()


class FolderChoice(QWidget):
    """A folder that the assistant may read; none unless one is chosen. Main thread only."""

    def __init__(
        self,
        settings_file: SettingsFile,
        background: Background,
        own_folder: str,
        choose: Callable[[FolderChoice], None] | None = None,
    ) -> None:
        """`choose` stands in for the dialog."""
        super().__init__()
        self.setObjectName("folder_choice")
        self._file = settings_file
        self._background = background
        self._choose = choose or _ask_folder
        self.open_button = action(tr("Choose a folder…"), "first_folder", lambda: self._choose(self))
        self.chosen = Label("", SMALL_PX, name="first_folder_chosen")
        self._show_folders(settings_file.current.chat.folders)
        own = tr("Its own folder: {folder}", folder=own_folder)
        column = QVBoxLayout(self)
        column.addWidget(Label(tr(FOLDER_INTRO), SMALL_PX, colour="secondary", name="folder_intro"))
        column.addWidget(Label(own, SMALL_PX, colour="secondary", name="own_folder"))
        column.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignLeading)
        column.addWidget(self.chosen)
        theme.space(column, 8)

    def open_folder(self, folder: str) -> None:
        """What the dialog brings."""
        folders = self._file.current.chat.folders
        if folder and folder not in folders:
            self._background.run(
                self._file.change,
                "chat",
                "folders",
                [*folders, folder],
                done=lambda settings: self._show_folders(settings.chat.folders),
                failed=self._on_failed,
            )

    def _show_folders(self, folders: Sequence[str]) -> None:
        named = tr("Open to read: {folder}", folder=", ".join(map(visible, folders)))
        self.chosen.setText(named if folders else tr("No folder is open."))

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self.chosen.setText(error_words(error))


def _ask_folder(choice: FolderChoice) -> None:
    ask_folder(choice, tr("A folder to read"), choice.open_folder)
