"""The installed models below each other, with the work that their buttons start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.models.library import InstalledModel, Library
from desktop.qt.background import Background
from desktop.ui import theme
from desktop.ui.labels import Label
from desktop.ui.language import tr
from desktop.ui.models.downloads import told
from desktop.ui.models.installed_row import InstalledRow
from desktop.ui.models.page import clear
from desktop.ui.theme import SMALL_PX


class Percents:
    """Turns bytes into percents and tells each one once. Called on the pool."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._told = -1

    def __call__(self, bytes_done: int, bytes_total: int) -> None:
        percent = 100 * bytes_done // max(bytes_total, 1)
        if percent != self._told:
            self._told = percent
            self._tell(percent)


class InstalledList(QWidget):
    """Rows in the order of the library. Main thread only; reading and deleting run on the pool."""

    use_asked = Signal(str)
    delete_agreed = Signal(str)
    _read = Signal(str, int)  # crosses from the pool while a file is verified: id, percent

    def __init__(self, library: Library, background: Background) -> None:
        super().__init__()
        self.setObjectName("installed_models")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._library, self._background = library, background
        self.rows: dict[str, InstalledRow] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._read.connect(self._on_read, Qt.ConnectionType.QueuedConnection)

    def show_models(self, models: Sequence[InstalledModel]) -> None:
        """Keep the rows of models that are still there, with whatever they show; drop and add the others."""
        kept = {m.id: self.rows.pop(m.id) if m.id in self.rows else self._row(m) for m in models}
        for row in self.rows.values():
            row.hide()
            row.deleteLater()
        for row in kept.values():
            self._column.removeWidget(row)
        clear(self._column)
        self.rows = kept
        for model in models:
            kept[model.id].show_model(model)
        self._column.setSpacing(theme.px(8))
        for row in kept.values():
            self._column.addWidget(row)
        if not kept:
            words = tr("No model is installed yet.")
            self._column.addWidget(Label(words, SMALL_PX, colour="secondary", name="no_models"))

    def mark(self, active_id: str, loaded_id: str, device: str) -> None:
        """Which model answers, and which is in memory, on what."""
        for model_id, row in self.rows.items():
            row.show_state(model_id == active_id, device if model_id == loaded_id else "")

    def verify(self, model_id: str) -> None:
        """Read the whole file and compare it with what is known of it."""
        self.rows[model_id].show_verifying()
        self._background.run(
            self._library.verify,
            model_id,
            Percents(partial(self._read.emit, model_id)),
            done=lambda right: self._on_verified(model_id, right),
            failed=lambda error: self._show_error(
                model_id, error, (tr("Try again"), partial(self.verify, model_id))
            ),
        )

    def delete(self, model_id: str) -> None:
        """Remove it from the library; the file goes only if Steward fetched it."""
        self._background.run(
            self._library.remove,
            model_id,
            failed=lambda error: self._show_error(
                model_id, error, (tr("Try again"), partial(self.delete, model_id))
            ),
        )

    def _row(self, model: InstalledModel) -> InstalledRow:
        row = InstalledRow(model)
        row.use_asked.connect(self.use_asked)
        row.delete_agreed.connect(self.delete_agreed)
        row.verify_asked.connect(self.verify)
        return row

    def _on_read(self, model_id: str, percent: int) -> None:
        row = self.rows.get(model_id)
        if row is not None:
            row.show_verify_progress(percent)

    def _on_verified(self, model_id: str, right: bool) -> None:
        row = self.rows.get(model_id)
        if row is None:
            return
        if right:
            row.show_verified()
        else:
            row.show_error(not_the_same(row.model), [(tr("Delete…"), row.ask_delete)])

    def _show_error(self, model_id: str, error: Exception, action: tuple[str, Callable[[], None]]) -> None:
        row = self.rows.get(model_id)
        if row is not None:
            row.show_error(told(error), [action])


def not_the_same(model: InstalledModel) -> UserFacing:
    """A verification that ended badly."""
    return UserFacing(
        tr("The file of {name} is not what it was: its checksum is different.", name=model.name),
        tr("Conversations are untouched, and the file was left as it is."),
        tr("Remove it and get it again; a failing disk changes files like this, too."),
        code="wrong-hash",
    )
