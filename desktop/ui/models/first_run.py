"""The first start: choose a model, watch it arrive, then the hotkey, the start, and the folder.

Nothing leaves the computer before "Download".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.models.library import InstalledModel
from desktop.models.setup import ModelChoice, ModelSetup
from desktop.qt.background import Background
from desktop.settings import SettingsFile
from desktop.system.autostart import Autostart
from desktop.ui import theme
from desktop.ui.language import error_words, size_text, tr, tr_noop
from desktop.ui.models.cards import ChoiceList
from desktop.ui.models.downloads import Download, DownloadPanel, Downloads
from desktop.ui.models.manager import FileImport, make_active
from desktop.ui.models.page import HEADING_PX, Page, resize_within_screen
from desktop.ui.models.words import breakable, path_text
from desktop.ui.quick_ask.hotkey import HotkeyTrial
from desktop.ui.save_dialog import ask_folder
from desktop.ui.shortcuts import bind, show_sheet
from desktop.ui.theme import BODY_PX, SMALL_PX
from desktop.ui.widgets.actions import button, relabel
from desktop.ui.widgets.buttons import CheckBox
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import clear


class FirstRun(QDialog):
    """A window of three pages; never modal, never `exec()`.

    `model_ready` comes once per model that was fetched or imported here, after the setting `model.active`
    names it, also when the window is closed by then. Main thread only.
    """

    model_ready = Signal(str)
    start_chatting = Signal()
    skipped = Signal()

    def __init__(
        self,
        setup: ModelSetup,
        settings_file: SettingsFile,
        background: Background,
        downloads: Downloads,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._setup, self._settings_file = setup, settings_file
        self._downloads, self._background = downloads, background
        self._import = FileImport(setup.library, background, self)
        bind(self, {"shortcuts": lambda: show_sheet(self)})
        self._mine: set[str] = set()
        self._panel: DownloadPanel | None = None
        self._make_steps: Callable[[], Sequence[StepPage]] = tuple
        self._steps: tuple[StepPage, ...] = ()
        self._has_model = False
        self._build()
        self._connect()
        self._show_choices()

    # -- building -------------------------------------------------------------------------------

    def _build(self) -> None:
        self.setObjectName("first_run")
        self.setWindowTitle(tr("Welcome to Steward"))
        self.setAccessibleName(tr("Welcome to Steward"))
        # The tray and a chat can be used while a model is on its way.
        self.setModal(False)
        self.pages = QStackedWidget()
        self.choose_page = ChoosePage()
        self.progress_page = ProgressPage()
        self.ready_page = ReadyPage()
        for page in (self.choose_page, self.progress_page, self.ready_page):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pages)
        self._ring = FocusRing(self)
        resize_within_screen(self, theme.px(640), theme.px(680))

    def _connect(self) -> None:
        page = self.choose_page
        page.download_button.clicked.connect(self._on_download)
        page.own_file_button.clicked.connect(self._import.ask)
        page.skip_button.clicked.connect(self.close)
        self.progress_page.close_button.clicked.connect(self.close)
        self.progress_page.next_button.clicked.connect(lambda _checked: self._begin_steps())
        self.ready_page.start_button.clicked.connect(self._on_start)
        self._import.started.connect(page.show_import)
        self._import.imported.connect(self._on_model)
        self._import.failed.connect(self._on_import_failed)
        self._downloads.installed.connect(self._on_installed)

    # -- what comes beside the model ------------------------------------------------------------

    def offer_steps(self, make: Callable[[], Sequence[StepPage]]) -> None:
        """Go through these once in the life of a profile, while the model arrives or after it."""
        self._make_steps = make
        self.progress_page.next_button.setVisible(self._has_steps)

    @property
    def _has_steps(self) -> bool:
        return self._make_steps is not tuple and not self._settings_file.current.window.set_up

    def _begin_steps(self) -> None:
        # Kept when the window is closed half way: what was typed in a step is still there.
        self._steps = self._steps or tuple(self._make_steps())
        for page in self._steps:
            if self.pages.indexOf(page) < 0:
                self.pages.addWidget(page)
                page.done.connect(self._on_step)
                page.skipped.connect(self._on_step)
        self._show_step(0)

    def _show_step(self, number: int) -> None:
        self.pages.setCurrentWidget(self._steps[number])
        self._steps[number].take_focus()

    def _on_step(self) -> None:
        page = self.pages.currentWidget()
        number = self._steps.index(page) if isinstance(page, StepPage) else 0
        if number + 1 < len(self._steps):
            self._show_step(number + 1)
            return
        self._background.run(self._settings_file.change, "window", "set_up", True)
        self._make_steps = tuple
        self.progress_page.next_button.hide()
        if self._has_model:
            self._leave()
        else:
            self.pages.setCurrentWidget(self.progress_page)

    # -- choosing -------------------------------------------------------------------------------

    def _show_choices(self) -> None:
        self.choose_page.show_choices(self._setup.choices(self._settings_file.current.model.context_tokens))
        self.pages.setCurrentWidget(self.choose_page)

    def _on_download(self) -> None:
        choice = self.choose_page.list.current
        if choice is None:
            return
        download = self._downloads.start_entry(choice.entry)
        # A model that the manager's window fetched meanwhile is not what was asked for here.
        self._mine.add(download.model_id)
        self._show_download(download)

    def _on_import_failed(self, error: UserFacing) -> None:
        self.choose_page.show_error(error, self._import.ask)
        self.pages.setCurrentWidget(self.choose_page)

    # -- waiting --------------------------------------------------------------------------------

    def _show_download(self, download: Download) -> None:
        panel = DownloadPanel(self._downloads, download)
        panel.gone.connect(self._on_gone)
        self._panel = panel
        self.progress_page.show_panel(panel)
        self.pages.setCurrentWidget(self.progress_page)
        panel.pause_button.setFocus()

    def _on_gone(self) -> None:
        self._panel = None
        self._show_choices()
        self.choose_page.list.take_focus()

    def _on_installed(self, model: InstalledModel) -> None:
        if model.id in self._mine:
            self._on_model(model)

    # -- ready ----------------------------------------------------------------------------------

    def _on_model(self, model: InstalledModel) -> None:
        # The model is there, whatever becomes of the setting; the page says which of the two it was.
        refusal = make_active(self._settings_file, model.id)
        self._panel = None
        self._has_model = True
        self.ready_page.show_model(model, refusal, self._has_steps)
        if not isinstance(self.pages.currentWidget(), StepPage):  # nobody is torn away from a step
            self.pages.setCurrentWidget(self.ready_page)
            self.ready_page.start_button.setFocus()
        self.model_ready.emit(model.id)

    def _on_start(self) -> None:
        if self._has_steps:
            self._begin_steps()
        else:
            self._leave()

    def _leave(self) -> None:
        self.close()
        self.start_chatting.emit()

    # -- opening and closing --------------------------------------------------------------------

    def show_and_raise(self) -> None:
        """Bring the window to the front; a download under way is shown where it is."""
        # Closing the window does not end the download, so it may be under way without a panel of ours.
        running = next((d for d in self._downloads.all if d.installed is None), None)
        if self._panel is None and running is not None:
            self._mine.add(running.model_id)
            self._show_download(running)
        elif self._panel is None and self.pages.currentWidget() is self.choose_page:
            self._show_choices()
        self.show()
        self.raise_()
        self.activateWindow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.pages.currentWidget() is self.choose_page:
            self.choose_page.list.take_focus()

    def reject(self) -> None:
        """Closing in any way, Esc too: a download goes on; leaving without a model is told."""
        page = self.pages.currentWidget()
        # Hidden first: the signal may open another window, which must not lie behind this one.
        super().reject()
        if page is self.choose_page:
            self.skipped.emit()
        elif page is self.ready_page or (isinstance(page, StepPage) and self._has_model):
            self._show_choices()  # the next opening begins anew


class ChoosePage(Page):
    """The recommended model, chosen already; the others below it."""

    def __init__(self) -> None:
        super().__init__("choose_page", tr("Choose a model"))
        intro = tr(
            "Steward answers with a model that runs on this computer. It is downloaded once; after that, "
            "nothing you write leaves the computer."
        )
        self.body.addWidget(Label(intro, name="choose_intro"))
        self._notice = QVBoxLayout()
        self.body.addLayout(self._notice)
        self.list = ChoiceList("model_choices")
        self.list.chosen.connect(self._on_chosen)
        self.body.addWidget(self.list)
        self.body.addStretch(1)
        self._add_buttons()

    def _add_buttons(self) -> None:
        self.download_button = button(tr("Download"), "download_button", primary=True)
        self.own_file_button = button(tr("I have a GGUF file…"), "own_file_button")
        self.own_file_button.setToolTip(tr("Use a model file from your disk. Nothing is copied."))
        self.skip_button = button(tr("Not now"), "skip_button")
        for each in (self.download_button, self.own_file_button, self.skip_button):
            self.buttons.addWidget(each)

    def show_choices(self, choices: tuple[ModelChoice, ...]) -> None:
        """The recommended one first and chosen; the rest in the catalogue's order."""
        ordered = sorted(choices, key=lambda choice: not choice.recommended)
        recommended = ordered[0].entry.id if ordered and ordered[0].recommended else ""
        self.list.show_choices(ordered, recommended, {1: tr("Other models")} if recommended else {})
        clear(self._notice)

    def show_import(self, file_name: str) -> None:
        clear(self._notice)
        self._notice.addWidget(
            Label(tr("Reading {file_name}", file_name=breakable(file_name)), name="import_notice")
        )

    def show_error(self, error: UserFacing, choose_file: Callable[[], None]) -> None:
        clear(self._notice)
        self._notice.addWidget(ErrorCard(error, [(tr("Choose another file"), choose_file)]))
        self.scroll_to_top()

    def _on_chosen(self, choice: ModelChoice) -> None:
        size = choice.entry.size_bytes
        text = tr("Use this model") if choice.installed else tr("Download")
        self.download_button.setText(f"{text} ({size_text(size)})" if size and not choice.installed else text)
        self.download_button.setAccessibleName(f"{text} {choice.entry.name}")


class ProgressPage(Page):
    """The download, and leave to close the window."""

    def __init__(self) -> None:
        super().__init__("progress_page", tr("Getting the model"))
        self._place = QVBoxLayout()
        self.body.addLayout(self._place)
        note = tr("You can close this window; the download goes on.")
        self._note = Label(note, SMALL_PX, colour="secondary", name="progress_note")
        self.body.addWidget(self._note)
        self.body.addStretch(1)
        self.next_button = button(tr("Next"), "progress_next", primary=True)
        self.next_button.hide()
        self.close_button = button(tr("Close window"), "close_button")
        self.buttons.addWidget(self.next_button)
        self.buttons.addWidget(self.close_button)

    def show_panel(self, panel: DownloadPanel) -> None:
        clear(self._place)
        self._place.addWidget(panel)
        panel.download.changed.connect(lambda: self._note.setVisible(panel.download.is_running))


class ReadyPage(Page):
    """The model is there."""

    def __init__(self) -> None:
        super().__init__("ready_page", tr("Ready"))
        self.sentence = Label("", name="ready_sentence")
        self.detail = Label("", SMALL_PX, colour="secondary", name="ready_detail")
        self._sign = Sign("check", "success", HEADING_PX * 1.6)
        self.body.addWidget(self._sign)
        self.body.addWidget(self.sentence)
        self.body.addWidget(self.detail)
        self._refusal = QVBoxLayout()
        self.body.addLayout(self._refusal)
        self.body.addStretch(1)
        self.start_button = button(tr("Start chatting"), "start_button", primary=True)
        self.buttons.addWidget(self.start_button)

    def show_model(self, model: InstalledModel, refusal: UserFacing | None, more: bool = False) -> None:
        """`refusal`: the model is there, but the choice could not be saved. `more`: steps follow."""
        relabel(self.start_button, tr("Next") if more else tr("Start chatting"))
        self.sentence.setText(tr("{name} is ready to answer.", name=model.name))
        self.detail.setText(_whence(model))
        clear(self._refusal)
        if refusal is not None:
            self._refusal.addWidget(ErrorCard(refusal))


def _whence(model: InstalledModel) -> str:
    """Where the model is and how far it was checked."""
    size = size_text(model.size_bytes)
    if model.by_reference:
        return tr(
            "{size}, used where it lies: {path}. Nothing was copied.",
            size=size,
            path=breakable(path_text(model.path)),
        )
    checked = (
        tr("every byte was checked")
        if model.sha256
        else tr("its maker published no checksum to compare with")
    )
    return tr("{size} on this computer; {checked}.", size=size, checked=checked)


TRAY_HINT = tr_noop(
    "Steward waits in the tray, beside the clock. Where its icon is hidden there, look behind the small "
    "arrow, and drag it out."
)

NO_TRAY = tr_noop("This desktop shows no tray. Steward's window then stays in the list of windows.")

START = tr_noop("Start Steward with the computer")

START_HELP = tr_noop("Off unless you switch it on. It then waits in the tray, without a window.")

FOLDER_INTRO = tr_noop(
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
        start = (
            self._heading(tr("Start")),
            self.start_box,
            Label(tr(START_HELP), SMALL_PX, colour="secondary", name="first_autostart_help"),
            self.error,
        )
        # Whoever left the steps half done and comes back has answered this, and is not asked again.
        was_asked = settings_file.current.window.asked_about_autostart
        for widget in (
            self._heading(tr("Hotkey")),
            Label(about, SMALL_PX, colour="secondary", name="keys_about"),
            trial,
            *(() if was_asked else start),
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
        self.start_box.show_checked(False)
        self.error.show_text(error_words(error))

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
        self.chosen.setText(error_words(error))


def _ask_folder(page: FolderPage) -> None:
    ask_folder(page, tr("A folder to read"), page.open_folder)
