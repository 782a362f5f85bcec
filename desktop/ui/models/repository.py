"""A model of the user's own choice from Hugging Face: an id is looked up, then asked about, then fetched."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.models.setup import ModelSetup
from desktop.models.sources import RemoteFile
from desktop.qt.background import Background
from desktop.ui import theme
from desktop.ui.language import size_text, tr
from desktop.ui.models.cards import Card, TokenCard, wants_token
from desktop.ui.models.downloads import Downloads, shown_error
from desktop.ui.models.words import breakable
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import FlowLayout


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
        self.find_button = button(tr("Find"), "repository_find_button", described=tr("Find this repository"))
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
        self.find_button.clicked.connect(lambda _checked: self.look_up())

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
            self._result.hide()
            self._result.deleteLater()
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
