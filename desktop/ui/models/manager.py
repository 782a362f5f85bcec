"""The model manager: what is installed, which one answers, and how to get more, also from a file or
a repository that the user names.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import structlog
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QFileDialog, QLineEdit, QVBoxLayout, QWidget

from desktop.engine.events import EngineState, EngineStatus, ModelLoaded, ModelUnloaded
from desktop.errors import UserFacing
from desktop.models.library import InstalledModel, Library, ModelsChanged
from desktop.models.setup import ModelChoice, ModelSetup, better_choice
from desktop.models.sources import RemoteFile
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged, SettingsFile
from desktop.ui import theme
from desktop.ui.language import size_text, tr, tr_noop
from desktop.ui.models.cards import (
    BetterModelCard,
    Card,
    CardPage,
    ChoiceList,
    TokenCard,
    wants_token,
)
from desktop.ui.models.downloads import Download, DownloadPanel, Downloads, shown_error
from desktop.ui.models.installed_list import InstalledList
from desktop.ui.models.words import breakable
from desktop.ui.reasons import WindowReason
from desktop.ui.shortcuts import bind, show_sheet
from desktop.ui.theme import BODY_PX, SMALL_PX
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.error_card import Action, ErrorCard
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import FlowLayout, clear, let_go, resize_within_screen

log = structlog.get_logger(__name__)


class RepositoryField(QWidget):
    """A line for an id such as `owner/name-GGUF`. Asks the network only when the user presses Find."""

    def __init__(self, setup: ModelSetup, background: Background, downloads: Downloads) -> None:
        super().__init__()
        self.setObjectName("repository")
        self._setup, self._background, self._downloads = setup, background, downloads
        self._result: QWidget | None = None
        self._asked = 0
        self._build()

    def _build(self) -> None:
        self.field = QLineEdit()
        self.field.setObjectName("repository_field")
        self.field.setPlaceholderText("owner/name")
        self.field.setAccessibleName(tr("Hugging Face repository id"))
        self.find_button = button(
            tr("Find"), "repository_find_button", self.look_up, described=tr("Find this repository")
        )
        self.find_button.setEnabled(False)
        label = Label(tr("Or a Hugging Face repository with GGUF files:"), SMALL_PX, name="repository_label")
        label.setBuddy(self.field)
        self._column = theme.space(QVBoxLayout(self), 8)
        for widget in (label, self.field):
            self._column.addWidget(widget)
        row = FlowLayout()
        row.addWidget(self.find_button)
        self._column.addLayout(row)
        self.field.textChanged.connect(lambda text: self.find_button.setEnabled("/" in text.strip("/ ")))
        self.field.returnPressed.connect(self.look_up)

    def look_up(self) -> None:
        """Look the id up; the answer, or the error, appears below. A newer question replaces an older one."""
        if not self.find_button.isEnabled():
            return
        self._asked += 1
        asked, repository = self._asked, self.field.text().strip()
        self._show(
            Label(tr("Looking at {repository}", repository=breakable(repository)), name="repository_busy")
        )
        self._background.run(
            self._setup.resolve_repository,
            repository,
            done=lambda remote: self._on_found(asked, remote),
            failed=lambda error: self._on_failed(asked, error),
        )

    def _on_found(self, asked: int, remote: RemoteFile) -> None:
        if asked == self._asked:
            card = FoundCard(remote)
            card.download_button.clicked.connect(lambda _checked: self._on_download(remote))
            card.cancel_button.clicked.connect(lambda _checked: self._show(None))
            self._show(card)
            card.cancel_button.setFocus()

    def _on_failed(self, asked: int, failure: Exception, again: Callable[[], None] | None = None) -> None:
        """`again` is what trying again means; looking at the repository once more where nothing is said."""
        if asked != self._asked:
            return
        error = shown_error(failure)
        if wants_token(error):
            self._show(TokenCard(error, self._on_token, lambda: self._show(None)))
        else:
            self._show(
                ErrorCard(
                    error, [(tr("Try again"), again or self.look_up), (tr("Close"), lambda: self._show(None))]
                )
            )

    def _on_token(self, token: str) -> None:
        asked = self._asked
        # A keyring that refused may be unlocked by then; the token need not be typed again.
        again = partial(self._on_token, token)
        self._downloads.keep_token(token, self.look_up, lambda error: self._on_failed(asked, error, again))

    def _on_download(self, remote: RemoteFile) -> None:
        self._show(None)
        self._downloads.start_remote(remote, accepts_unknown_hash=True)  # the card has asked

    def _show(self, widget: QWidget | None) -> None:
        if self._result is not None:
            self._column.removeWidget(self._result)
            let_go(self._result)
        self._result = widget
        if widget is not None:
            self._column.addWidget(widget)


class FoundCard(Card):
    """What the id led to. A file without a known checksum is said to be one, and never fetched unasked."""

    def __init__(self, remote: RemoteFile) -> None:
        super().__init__("found_card")
        question = tr("Download {file_name}?", file_name=breakable(remote.file_name))
        warning = trust_sentence(remote)
        self.setAccessibleName(question)
        self.setAccessibleDescription(warning)
        size = f" ({size_text(remote.size_bytes)})" if remote.size_bytes else ""
        self.download_button = button(tr("Download{size}", size=size), "found_download_button")
        self.cancel_button = button(tr("Cancel"), "found_cancel_button")
        column = self.column
        column.addWidget(Label(question, bold=True, name="found_question"))
        column.addWidget(
            Label(
                tr("From {repository}", repository=breakable(remote.repository)),
                SMALL_PX,
                name="found_source",
            )
        )
        column.addWidget(Label(warning, SMALL_PX, colour="warning", name="found_warning"))
        row = FlowLayout()
        row.addWidget(self.cancel_button)
        row.addWidget(self.download_button)
        column.addLayout(row)


def trust_sentence(remote: RemoteFile) -> str:
    """How far the file can be checked, in the user's words."""
    if remote.sha256:
        return tr(
            "Not tried by this project. The site publishes a checksum, so a damaged download is noticed; "
            "whether the model is good, or honest, nobody has checked."
        )
    return tr(
        "Not tried by this project, and the site publishes no checksum: Steward cannot tell whether the file "
        "arrives as its maker meant it. Download it only if you trust the source."
    )


def make_active(settings_file: SettingsFile, model_id: str) -> UserFacing | None:
    """Write the setting; returns what to tell the user when that did not work."""
    try:
        settings_file.change("model", "active", model_id)
    except UserFacing as error:
        return error
    except OSError as error:
        return UserFacing(WindowReason.CHOICE_NOT_SAVED.of(error=error.strerror or str(error)))
    return None


FILTER = tr_noop("Models (*.gguf);;All files (*)")


class FileImport(QObject):
    """Adds files to the library without copying a byte. Accepts drops on `window`. Main thread only."""

    started = Signal(str)  # the file's name
    imported = Signal(object)  # InstalledModel
    failed = Signal(object)  # UserFacing

    def __init__(self, library: Library, background: Background, window: QWidget) -> None:
        super().__init__(window)
        self._library = library
        self._background = background
        self._window = window
        self.dialog: QFileDialog | None = None
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def ask(self) -> None:
        """Open the system's file dialog beside the window; returns at once."""
        if self.dialog is not None:
            self.dialog.raise_()
            return
        dialog = QFileDialog(self._window, tr("Choose a model file"), str(Path.home()), tr(FILTER))
        dialog.setObjectName("model_file_dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.add(Path(name)))
        dialog.finished.connect(self._on_finished)
        self.dialog = dialog
        dialog.open()

    def add(self, path: Path) -> None:
        """Read the file's head on the pool and list it; one of `imported` and `failed` follows."""
        self.started.emit(path.name)
        self._background.run(
            self._library.import_file,
            path,
            done=self.imported.emit,
            failed=lambda error: self.failed.emit(shown_error(error)),
        )

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Drops of one or more local files on the window."""
        if isinstance(event, QDropEvent):  # QDragEnterEvent is one, too
            files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
            if not files:
                return False
            event.acceptProposedAction()
            if not isinstance(event, QDragEnterEvent) and event.type() == QEvent.Type.Drop:
                for path in files:
                    self.add(path)
            return True
        return False

    def _on_finished(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None


SECTION_PX = 17.0


class ModelManager(QWidget):
    """A window of its own; nothing in it is modal. Main thread only."""

    active_changed = Signal(str)  # the new active model's id, "" for none
    quit_requested = Signal()

    def __init__(
        self,
        setup: ModelSetup,
        settings_file: SettingsFile,
        relay: Relay,
        background: Background,
        downloads: Downloads,
        engine_status: Callable[[], EngineStatus],
    ) -> None:
        super().__init__()
        self._setup, self._library, self._settings_file = setup, setup.library, settings_file
        self._background, self._downloads = background, downloads
        self._engine_status = engine_status
        self._panels: dict[str, tuple[DownloadPanel, Card]] = {}
        self._import = FileImport(setup.library, background, self)
        bind(self, {"shortcuts": lambda: show_sheet(self), "quit": self.quit_requested.emit})
        self._build()
        self._connect(relay)
        self.refresh()

    # -- building -------------------------------------------------------------------------------

    def _build(self) -> None:
        self.setObjectName("model_manager")
        self.setWindowTitle(tr("Models"))
        self.setAccessibleName(tr("Models"))
        self._page = CardPage("manager_page", tr("Models"))
        self.installed = InstalledList(self._library, self._background)
        self.repository = RepositoryField(self._setup, self._background, self._downloads)
        self.choices = ChoiceList("catalogue_choices")
        self._notice, self._running = QVBoxLayout(), QVBoxLayout()
        self._running.setSpacing(theme.px(8))
        body = self._page.body
        self._offer = QVBoxLayout()
        body.addLayout(self._notice)
        body.addLayout(self._offer)
        body.addWidget(self.installed)
        body.addLayout(self._running)
        body.addLayout(self._own_file_row())
        body.addWidget(self.repository)
        body.addWidget(_section(tr("Models to download"), "catalogue_heading"))
        body.addWidget(self.choices)
        body.addStretch(1)
        self._add_buttons()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._page)
        self._ring = FocusRing(self)
        resize_within_screen(self, theme.px(680), theme.px(720))

    def _own_file_row(self) -> QVBoxLayout:
        self.import_button = button(tr("I have a GGUF file…"), "import_button", self._import.ask)
        hint = tr(
            "Use a model file that you have: pick it here, or drop it on this window. Nothing is copied."
        )
        column, row = QVBoxLayout(), FlowLayout()
        column.setSpacing(theme.px(8))
        column.addWidget(_section(tr("Add a model"), "add_heading"))
        column.addWidget(Label(hint, SMALL_PX, colour="secondary", name="import_hint"))
        row.addWidget(self.import_button)
        column.addLayout(row)
        return column

    def _add_buttons(self) -> None:
        self.download_button = button(
            tr("Download"), "catalogue_download_button", self._on_download, primary=True
        )
        self.close_button = button(tr("Close"), "close_button", self.close)
        self._page.buttons.addWidget(self.download_button)
        self._page.buttons.addWidget(self.close_button)

    def _connect(self, relay: Relay) -> None:
        self.installed.use_asked.connect(self._make_active)
        self.installed.delete_agreed.connect(self._delete)
        self.choices.chosen.connect(lambda _choice: self._name_download())
        self._import.started.connect(self._on_import_started)
        self._import.imported.connect(self._on_imported)
        self._import.failed.connect(self._on_import_failed)
        self._downloads.changed.connect(self._show_downloads)
        self._downloads.installed.connect(self._on_installed)
        relay.listen(ModelsChanged, lambda _event: self.refresh())
        relay.listen(SettingsChanged, lambda _event: self._mark_active())
        relay.listen(ModelLoaded, lambda _event: self._mark_active())
        relay.listen(ModelUnloaded, lambda _event: self._mark_active())

    def offer_servers(self, section: QWidget) -> None:
        """Below the models of this computer: those of other programs and computers."""
        # Before the stretch at the end.
        self._page.body.insertWidget(self._page.body.count() - 1, section)

    # -- drawing what is --------------------------------------------------------------------------

    def refresh(self) -> None:
        """Draw what is installed and what the catalogue offers as they are now."""
        self.installed.show_models(self._library.installed())
        self._mark_active()
        self._show_choices()
        self._show_downloads()

    def _mark_active(self) -> None:
        status = self._engine_status()
        loaded = status.model_id if status.state is EngineState.READY else ""
        self.installed.mark(self._active_id(), loaded, status.device)

    def _active_id(self) -> str:
        return self._settings_file.current.model.active

    def _show_choices(self) -> None:
        before = self.choices.current
        context_tokens = self._settings_file.current.model.needed_context_tokens
        choices = self._setup.choices(context_tokens)
        self._show_offer(choices)
        missing = [choice for choice in choices if not choice.installed]
        ids = [choice.entry.id for choice in missing]
        kept = before.entry.id if before is not None and before.entry.id in ids else ""
        self.choices.show_choices(missing, kept)
        self._name_download()

    def _show_offer(self, choices: tuple[ModelChoice, ...]) -> None:
        """What would answer better here, unless that was said no to, or is on its way."""
        active = self._library.get(self._active_id())
        better = better_choice(choices, active, datetime.now(UTC))
        known = {download.model_id for download in self._downloads.all}
        declined = self._settings_file.current.model.declined_offer
        clear(self._offer)
        if better is not None and better.entry.id not in (declined, *known):
            self._offer.addWidget(BetterModelCard(better, self._get, self._decline))

    def _decline(self, model_id: str) -> None:
        clear(self._offer)
        self.import_button.setFocus()
        try:
            self._settings_file.change("model", "declined_offer", model_id)
        except (UserFacing, OSError) as error:
            # It is offered again after the next start; nothing else depends on it.
            log.warning("that an offer was declined could not be saved", reason=str(error))

    def _name_download(self) -> None:
        choice = self.choices.current
        self.download_button.setVisible(choice is not None)
        if choice is not None:
            size = f" ({size_text(choice.entry.size_bytes)})" if choice.entry.size_bytes else ""
            self.download_button.setText(tr("Download {name}{size}", name=choice.entry.name, size=size))
            self.download_button.setAccessibleName(tr("Download {name}", name=choice.entry.name))

    def _show_downloads(self) -> None:
        """One panel per download that has not ended well."""
        wanted = {download.model_id: download for download in self._downloads.all}
        for model_id in [known for known in self._panels if known not in wanted]:
            _, card = self._panels.pop(model_id)
            self._running.removeWidget(card)
            let_go(card)
        for model_id, download in wanted.items():
            if model_id not in self._panels:
                self._running.addWidget(self._new_panel(download))

    def _new_panel(self, download: Download) -> Card:
        panel = DownloadPanel(self._downloads, download)
        card = Card(f"download_{download.model_id}")
        self._panels[download.model_id] = panel, card
        card.column.addWidget(panel)
        return card

    # -- doing ------------------------------------------------------------------------------------

    def _on_download(self) -> None:
        if self.choices.current is not None:
            self._get(self.choices.current)

    def _get(self, choice: ModelChoice) -> None:
        download = self._downloads.start_entry(choice.entry)
        clear(self._offer)
        panel, _ = self._panels[download.model_id]
        panel.pause_button.setFocus()
        self._page.reveal(panel)

    def _make_active(self, model_id: str) -> None:
        refusal = make_active(self._settings_file, model_id)
        if refusal is not None:
            self._show_problem(refusal, [])
            return
        self._mark_active()
        self.active_changed.emit(model_id)

    def _delete(self, model_id: str) -> None:
        if model_id == self._active_id():
            self._make_active("")  # first, so that nothing loads what is about to go
        self.installed.delete(model_id)

    def _on_import_started(self, file_name: str) -> None:
        clear(self._notice)
        self._notice.addWidget(
            Label(tr("Reading {file_name}", file_name=breakable(file_name)), name="import_notice")
        )

    def _on_imported(self, model: InstalledModel) -> None:
        clear(self._notice)
        words = tr("{name} was added; its file stays where it is.", name=model.name)
        self._notice.addWidget(Label(words, BODY_PX, colour="success", name="import_notice"))
        self._on_installed(model)

    def _on_installed(self, model: InstalledModel) -> None:
        """The first model of a computer answers without being shown_error to."""
        self.refresh()
        if not self._active_id():
            self._make_active(model.id)

    def _on_import_failed(self, error: UserFacing) -> None:
        self._show_problem(error, [(tr("Choose another file"), self._import.ask)])

    def _show_problem(self, error: UserFacing, actions: list[Action]) -> None:
        clear(self._notice)
        card = ErrorCard(error, [*actions, (tr("Close"), lambda: clear(self._notice))])
        self._notice.addWidget(card)
        self._page.reveal(card)

    # -- opening and closing ------------------------------------------------------------------------

    def show_and_raise(self) -> None:
        """Bring the window to the front with what is true now."""
        self.refresh()
        self.show()
        self.raise_()
        self.activateWindow()
        if not self.focusWidget():
            self.import_button.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Downloads go on; notices of the past do not."""
        super().closeEvent(event)
        clear(self._notice)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter downloads when a card has the focus, Esc closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        elif (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.focusWidget() in self.choices.cards
        ):
            self._on_download()
        else:
            super().keyPressEvent(event)


def _section(text: str, name: str) -> Label:
    label = Label(text, SECTION_PX, bold=True, name=name)
    label.setContentsMargins(0, theme.px(12), 0, 0)
    return label
