"""The first start: what Steward is, a model to choose and watch arriving, then keys and folder.

Nothing leaves the computer before "Download".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.errors import UserFacing
from desktop.models.library import InstalledModel
from desktop.models.setup import ModelChoice, ModelSetup, good_choices
from desktop.qt.background import Background
from desktop.settings import SettingsFile
from desktop.system.installation import Installation, InstallationProgress, InstallationStep
from desktop.ui import theme
from desktop.ui.language import share_words, size_text, tr, tr_noop
from desktop.ui.models.cards import HEADING_PX, CardPage, ChoiceList
from desktop.ui.models.downloads import Download, DownloadPanel, Downloads
from desktop.ui.models.first_steps import SetupPage
from desktop.ui.models.manager import FileImport, make_active
from desktop.ui.models.words import breakable, path_text, time_left_text
from desktop.ui.shortcuts import bind, show_sheet
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import action, button, relabel
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import clear, named, resize_within_screen

SIGN_PX = 28
WHAT_IT_IS = tr_noop(
    "Steward waits in the tray, answers over any program at the press of a key, and asks before it or a "
    "coding agent changes something."
)
THINGS = (
    ("tray-idle", tr_noop("Tray"), tr_noop("Always there, beside the clock")),
    ("quick", tr_noop("Quick-ask"), tr_noop("Ask from any program")),
    ("shield", tr_noop("Gate"), tr_noop("Asks before something changes")),
)


class FirstRun(QDialog):
    """A window of three pages; never modal, never `exec()`.

    `model_ready` comes once per model that was fetched or imported here, after the setting `model.active`
    names it, also when the window is closed by then. Main thread only.
    """

    model_ready = Signal(str)
    start_chatting = Signal()
    skipped = Signal()
    quit_requested = Signal()

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
        bind(self, {"shortcuts": lambda: show_sheet(self), "quit": self.quit_requested.emit})
        self._mine: set[str] = set()
        self._panel: DownloadPanel | None = None
        self._make_setup: Callable[[], SetupPage] | None = None
        self._setup_page: SetupPage | None = None
        self._has_model = False
        self._installation: Installation | None = None  # while Steward itself is not whole
        self._wait_page: WaitPage | None = None
        self._strip: InstallationStrip | None = None
        self._waiting: SignalInstance | None = None  # what is told once it is
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
        column.addWidget(self.pages, 1)
        self.pages.currentChanged.connect(lambda _number: self._on_page())
        self._give_enter()
        self._ring = FocusRing(self)
        resize_within_screen(self, theme.px(640), theme.px(824))

    def _on_page(self) -> None:
        if self._strip is not None and self._installation is None:
            self._strip.hide()
        self._give_enter()

    def _give_enter(self) -> None:
        """To the main button of the page, from wherever Enter is pressed that is no button.

        Qt gives it for good to the first button that had the keyboard, unless a default one says so after it
        came into the dialog.
        """
        page = self.pages.currentWidget()
        for each in page.findChildren(QPushButton) if page is not None else ():
            if each.property("primary"):
                each.setDefault(False)
                each.setDefault(True)

    def _connect(self) -> None:
        page = self.choose_page
        page.download_button.clicked.connect(self._on_download)
        page.own_file_button.clicked.connect(self._import.ask)
        page.skip_button.clicked.connect(lambda _checked: self._on_skip())
        self.progress_page.close_button.clicked.connect(self.close)
        self.progress_page.next_button.clicked.connect(lambda _checked: self._begin_setup())
        self.progress_page.back_button.clicked.connect(lambda _checked: self._on_back())
        self.ready_page.start_button.clicked.connect(self._on_start)
        self.ready_page.back_button.clicked.connect(lambda _checked: self._on_back())
        self._import.started.connect(page.show_import)
        self._import.imported.connect(self._on_model)
        self._import.failed.connect(self._on_import_failed)
        self._downloads.installed.connect(self._on_installed)

    # -- what comes beside the model ------------------------------------------------------------

    def offer_setup(self, make: Callable[[], SetupPage]) -> None:
        """Show this page once in the life of a profile, while the model arrives or after it."""
        self._make_setup = make
        self.progress_page.next_button.setVisible(self._has_setup)

    @property
    def _has_setup(self) -> bool:
        return self._make_setup is not None and not self._settings_file.current.window.set_up

    def _begin_setup(self) -> None:
        assert self._make_setup is not None
        # Kept when the window is closed half way: what was typed there is still there.
        if self._setup_page is None:
            page = self._setup_page = self._make_setup()
            self.pages.addWidget(page)
            page.done.connect(self._on_set_up)
            page.back.connect(self._on_back_from_setup)
        self.pages.setCurrentWidget(self._setup_page)
        self._setup_page.take_focus()

    def _on_back_from_setup(self) -> None:
        page = self.ready_page if self._has_model else self.progress_page
        self.pages.setCurrentWidget(page)
        (self.ready_page.start_button if self._has_model else self.progress_page.next_button).setFocus()

    def _on_set_up(self) -> None:
        self._background.run(self._settings_file.change, "window", "set_up", True)
        self._make_setup = None
        self.progress_page.next_button.hide()
        if self._has_model:
            self._leave()
        else:
            self.pages.setCurrentWidget(self.progress_page)

    # -- while Steward itself is being installed --------------------------------------------------

    def follow(self, installation: Installation) -> None:
        """Show below every page how far it is. Nothing leads out of this window before its end."""
        self._installation = installation
        self._strip = InstallationStrip(installation, self._downloads)
        column = self.layout()
        assert column is not None
        column.addWidget(self._strip)
        installation.changed.connect(self._count_download)
        installation.done.connect(self._on_all_there)

    def wait_for_chat(self) -> None:
        """Nothing is left to choose: a model is there."""
        self._wait(self.start_chatting)

    def end_waiting(self) -> None:
        """Tell what was put off; once there is somebody who hears it."""
        told, self._waiting = self._waiting, None
        if told is not None:
            self.close()
            told.emit()

    def _wait(self, told: SignalInstance) -> None:
        self._waiting = told
        if self._wait_page is None:
            self._wait_page = WaitPage()
            self._wait_page.back.connect(self._on_back_from_waiting)
            self.pages.addWidget(self._wait_page)
        # With a model that was there before there is nothing to go back to.
        self._wait_page.back_button.setVisible(told is self.skipped or self._has_model)
        self.pages.setCurrentWidget(self._wait_page)
        self._wait_page.back_button.setFocus()

    def _on_back_from_waiting(self) -> None:
        self._waiting = None
        self.pages.setCurrentWidget(self.ready_page if self._has_model else self.choose_page)

    def _on_all_there(self) -> None:
        self._installation = None
        self._count_download()

    def _count_download(self) -> None:
        """In the strip's bar, while that shows one."""
        if self._panel is not None:
            installation = self._installation
            self._panel.count_elsewhere(installation is not None and installation.error is None)

    # -- choosing -------------------------------------------------------------------------------

    def _show_choices(self) -> None:
        self.choose_page.show_choices(
            self._setup.choices(self._settings_file.current.model.needed_context_tokens)
        )
        self.pages.setCurrentWidget(self.choose_page)

    def _on_back(self) -> None:
        """To the models; a download goes on, and choosing its model again leads back to it."""
        self._show_choices()
        self.choose_page.list.take_focus()

    def _on_download(self) -> None:
        choice = self.choose_page.list.current
        if choice is None:
            return
        download = self._downloads.start_entry(choice.entry)
        # A model that the manager's window fetched meanwhile is not what was asked for here.
        self._mine.add(download.model_id)
        self._show_download(download)

    def _on_skip(self) -> None:
        if self._installation is not None:
            self._wait(self.skipped)
        else:
            self.close()

    def _on_import_failed(self, error: UserFacing) -> None:
        self.choose_page.show_error(error, self._import.ask)
        self.pages.setCurrentWidget(self.choose_page)

    # -- waiting --------------------------------------------------------------------------------

    def _show_download(self, download: Download) -> None:
        panel = DownloadPanel(self._downloads, download)
        panel.gone.connect(self._on_gone)
        self._panel = panel
        self._count_download()
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
        self.ready_page.show_model(model, refusal, self._has_setup)
        if not isinstance(self.pages.currentWidget(), SetupPage):  # nobody is torn away from it
            self.pages.setCurrentWidget(self.ready_page)
            self.ready_page.start_button.setFocus()
        self.model_ready.emit(model.id)

    def _on_start(self) -> None:
        if self._has_setup:
            self._begin_setup()
        else:
            self._leave()

    def _leave(self) -> None:
        if self._installation is not None:
            self._wait(self.start_chatting)
            return
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
        if page is self.choose_page and self._installation is not None:
            self._waiting = self.skipped
        elif page is self.choose_page:
            self.skipped.emit()
        elif page is self.ready_page or (isinstance(page, SetupPage) and self._has_model):
            self._show_choices()  # the next opening begins anew


class ChoosePage(CardPage):
    """What Steward is, then three good models for this computer, one of them chosen; all on demand."""

    def __init__(self) -> None:
        super().__init__("choose_page", tr("Welcome to Steward"))
        self._choices: tuple[ModelChoice, ...] = ()
        self._shows_all = False
        self.body.addWidget(Label(tr(WHAT_IT_IS), name="welcome_intro"))
        self.body.addWidget(ThreeThings())
        self.body.addWidget(Label(tr("Choose a model"), BODY_PX, bold=True, name="step_heading"))
        intro = tr(
            "Steward answers with a model that runs on this computer. It is downloaded once and then needs "
            "no connection; what you write goes to nobody unless you allow it."
        )
        self.body.addWidget(Label(intro, SMALL_PX, colour="secondary", name="choose_intro"))
        self._notice = QVBoxLayout()
        self.body.addLayout(self._notice)
        self.list = ChoiceList("model_choices")
        self.list.chosen.connect(self._on_chosen)
        self.body.addWidget(self.list)
        self.all_button = action(tr("All models"), "all_models", self._turn_all)
        self.all_button.setProperty("flat", True)
        self.all_button.setIcon(theme.icon("chevron"))
        self.body.addWidget(self.all_button, 0, Qt.AlignmentFlag.AlignLeading)
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
        """Good ones first, the recommended one chosen; the rest in the catalogue's order."""
        self._choices = choices
        self._fill()
        clear(self._notice)

    def _turn_all(self) -> None:
        """All of them, or the good ones alone again."""
        self._shows_all = not self._shows_all
        self._fill()
        self.list.take_focus()

    def _fill(self) -> None:
        good = good_choices(self._choices)
        # Whoever was interrupted goes on with what was chosen then, and does not begin another one.
        begun = sorted(
            (each for each in self._choices if each.is_begun), key=lambda each: -each.arrived_bytes
        )
        good = (*good, *(each for each in begun if each not in good))
        others = tuple(each for each in self._choices if each not in good) if self._shows_all else ()
        chosen = good[0].entry.id if good and good[0].recommended else ""
        chosen = begun[0].entry.id if begun else chosen
        self.list.show_choices((*good, *others), chosen, {len(good): tr("Other models")} if good else {})
        self.all_button.setVisible(len(self._choices) > len(good))
        relabel(self.all_button, tr("Fewer models") if self._shows_all else tr("All models"))

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


class ThreeThings(QFrame):
    """The picture of the welcome: tray, Quick-ask and gate beside each other, each with its words."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("settings_card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self)
        for icon, title, about in THINGS:
            column = QVBoxLayout()
            column.addWidget(Sign(icon, "accent", SIGN_PX), 0, Qt.AlignmentFlag.AlignHCenter)
            for label in (
                Label(tr(title), SMALL_PX, bold=True, name="welcome_thing"),
                Label(tr(about), CAPTION_PX, colour="secondary", name="welcome_about"),
            ):
                label.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
                column.addWidget(label)
            column.addStretch(1)
            theme.space(column, 2)
            row.addLayout(column, 1)
        theme.space(row, 12, (12, 10, 12, 10))


class ProgressPage(CardPage):
    """The download, and leave to close the window."""

    def __init__(self) -> None:
        super().__init__("progress_page", tr("Getting the model"))
        self._panel: DownloadPanel | None = None
        self._place = QVBoxLayout()
        self.body.addLayout(self._place)
        note = tr("You can close this window; the download goes on.")
        self._note = Label(note, SMALL_PX, colour="secondary", name="progress_note")
        self.body.addWidget(self._note)
        self.body.addStretch(1)
        self.next_button = button(tr("Next"), "progress_next", primary=True)
        self.next_button.hide()
        self.close_button = button(tr("Close window"), "close_button")
        self.back_button = button(tr("Back"), "progress_back")
        self.buttons.addWidget(self.next_button)
        self.buttons.addWidget(self.back_button)
        self.buttons.addWidget(self.close_button)

    def show_panel(self, panel: DownloadPanel) -> None:
        clear(self._place)
        self._place.addWidget(panel)
        self._panel = panel
        # A method, which Qt lets go of with the page: the download goes on when the window is gone.
        panel.download.changed.connect(self._follow)

    def _follow(self) -> None:
        if self._panel is not None:
            self._note.setVisible(self._panel.download.is_running)


class ReadyPage(CardPage):
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
        self.back_button = button(tr("Back"), "ready_back")
        self.buttons.addWidget(self.start_button)
        self.buttons.addWidget(self.back_button)

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
            "{size}, used where it is: {path}. Nothing was copied.",
            size=size,
            path=breakable(path_text(model.path)),
        )
    checked = (
        tr("every byte was checked")
        if model.sha256
        else tr("its maker published no checksum to compare with")
    )
    return tr("{size} on this computer; {checked}.", size=size, checked=checked)


# -- what a first start still fetches ----------------------------------------------------------

# At the foot of the first window: one progress over all that a first start still fetches and sets up.
#
# The rest of Steward comes in a process of its own (`Installation`), the model by `Downloads`; both at
# once.

STEPS = {
    InstallationStep.STARTING: tr_noop("Setting up Steward"),
    InstallationStep.WAITING: tr_noop("Another set-up is running; this one goes on after it"),
    InstallationStep.SYSTEM: tr_noop("Setting up Steward: packages of the system"),
    InstallationStep.PACKAGES: tr_noop("Setting up Steward: fetching packages"),
    InstallationStep.UNPACKING: tr_noop("Setting up Steward: unpacking packages"),
    InstallationStep.ENGINE: tr_noop("Setting up Steward: fetching what runs the models"),
    InstallationStep.COMPILING: tr_noop("Setting up Steward: compiling what runs the models"),
    InstallationStep.ENGINE_INSTALLING: tr_noop("Setting up Steward: installing what runs the models"),
    InstallationStep.TRYING: tr_noop("Setting up Steward: trying what was installed"),
}
# What the rest of Steward weighs beside a model: its bytes, and the work on them as bytes of a quick line.
INSTALLATION_BYTES = 150_000_000


@dataclass(frozen=True)
class Whole:
    """What is being done, how far all of it is, in words and as a share of 1, and how far each part is."""

    words: str
    progress: str
    parts: str
    share: float | None


def whole(progress: InstallationProgress, downloads: Sequence[Download]) -> Whole:
    """Both together. Without a measurement of each there is no estimate: none is better than a guess."""
    running = [each for each in downloads if each.is_running]
    # Unbroken: the line may have to be two.
    left = time_left_text(_seconds_left(progress, running)).replace(" ", "\N{NO-BREAK SPACE}")
    share = _share(progress, running)
    # Beside the bar only what the bar shows: bytes of one part would be taken for those of the whole.
    said = (tr("{share} of everything", share=share_words(share)) if share is not None else "", left)
    parts = (_amount(progress), *map(_arrived, running))
    return Whole(tr(STEPS[progress.step]), _joined(said), _joined(parts), share)


def _joined(parts: Iterable[str]) -> str:
    return " · ".join(part for part in parts if part)


def _amount(progress: InstallationProgress) -> str:
    if progress.bytes_done is not None and progress.bytes_total is not None:
        done, total = size_text(progress.bytes_done), size_text(progress.bytes_total)
        return tr("This step: {done} of about {size}", done=done, size=total)
    if progress.count_done is not None and progress.count_total is not None:
        return tr(
            "This step: {done} of {total} packages", done=progress.count_done, total=progress.count_total
        )
    return ""


def _arrived(download: Download) -> str:
    progress = download.progress
    if progress is None or not progress.bytes_total:
        return download.name
    done, size = size_text(progress.bytes_done), size_text(progress.bytes_total)
    return tr("{name}: {done} of {size}", name=download.name, done=done, size=size)


def _seconds_left(progress: InstallationProgress, downloads: Sequence[Download]) -> float | None:
    """Seconds until the slower of both is done: they go on beside each other."""
    left = [progress.seconds_left]
    left += [each.progress.seconds_left if each.progress else None for each in downloads]
    known = [each for each in left if each is not None]
    return max(known) if len(known) == len(left) else None


def _share(progress: InstallationProgress, downloads: Sequence[Download]) -> float | None:
    if progress.share is None:
        return None
    total, done = float(INSTALLATION_BYTES), INSTALLATION_BYTES * progress.share
    for each in downloads:
        total += each.size_bytes or 0
        arrived = each.progress.bytes_done if each.progress is not None else 0
        done += (each.size_bytes or 0) if each.installed is not None else arrived
    return min(done / total, 1.0)


def _breakable(text: str) -> str:
    """Lets what no person wrote (a hash, a path) wrap, which would else make the window wider."""
    return re.sub(r"(\S{24})(?=\S)", "\\1\u200b", text)


class InstallationStrip(QFrame):
    """Follows an installation and the downloads beside it, until everything is there. Main thread only."""

    def __init__(self, installation: Installation, downloads: Downloads) -> None:
        super().__init__()
        self.setObjectName("installation_strip")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._installation, self._downloads = installation, downloads
        self._followed: list[Download] = []
        self._problem: ErrorCard | None = None
        self.words = Label("", SMALL_PX, bold=True, name="installation_words")
        self.bar = named(QProgressBar(), "installation_bar", tr("Progress of the set-up"))
        self.bar.setTextVisible(False)
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.progress = Label("", SMALL_PX, name="installation_progress")
        self.parts = Label("", CAPTION_PX, colour="secondary", name="installation_parts")
        self._shown_while_it_runs = (self.words, self.bar, self.progress, self.parts)
        self._place = QVBoxLayout()
        column = theme.space(QVBoxLayout(self), 6, (24, 12, 24, 14))
        for widget in self._shown_while_it_runs:
            column.addWidget(widget)
        column.addLayout(self._place)
        installation.changed.connect(self._show)
        installation.done.connect(self._on_done)
        downloads.changed.connect(self._follow_downloads)
        self._follow_downloads()

    def _follow_downloads(self) -> None:
        for download in self._downloads.all:
            if download not in self._followed:
                self._followed.append(download)
                download.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        if self._installation.is_done:
            return
        error = self._installation.error
        for widget in self._shown_while_it_runs:
            widget.setVisible(error is None)
        if error is not None:
            self._show_problem()
            return
        self._problem = None
        clear(self._place)
        shown = whole(self._installation.progress, self._followed)
        self.words.setText(shown.words)
        self.progress.show_text(shown.progress)
        self.parts.show_text(shown.parts)
        busy = shown.share is None and not theme.current().reduced_motion
        self.bar.setRange(0, 0 if busy else 1000)
        self.bar.setValue(round(1000 * (shown.share or 0)))
        percent = "" if shown.share is None else tr("{done} percent", done=round(100 * shown.share))
        self.bar.setAccessibleDescription(percent)

    def _on_done(self) -> None:
        """It says so, as high as it was: somebody may aim at a button, which must not move. Its owner takes
        it away with the page."""
        self.setMinimumHeight(self.height())
        self.words.setText(tr("Steward is set up"))
        self.progress.hide()
        self.parts.hide()
        self.bar.setRange(0, 1000)
        self.bar.setValue(1000)
        self.bar.setAccessibleDescription(tr("{done} percent", done=100))

    def _show_problem(self) -> None:
        error = self._installation.error
        if error is not None and (self._problem is None or self._problem.error is not error):
            clear(self._place)
            self._problem = ErrorCard(error, [(tr("Try again"), self._installation.start)], write=_breakable)
            self._place.addWidget(self._problem)


class WaitPage(CardPage):
    """The page of a start where nothing is left to choose; the chat comes by itself."""

    back = Signal()

    def __init__(self) -> None:
        super().__init__("wait_page", tr("Nearly there"))
        tip = tr("Steward is still being set up. The chat opens by itself as soon as that is done.")
        self.body.addWidget(Label(tip, name="wait_words"))
        self.body.addStretch(1)
        self.back_button = button(tr("Back"), "wait_back", self.back.emit)
        self.buttons.addWidget(self.back_button)
