"""What the parts of the status line open: the models, where they compute, how long the latest answer took."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from desktop.engine.events import GenerationFinished
from desktop.engine.requests import Metrics
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsFile
from desktop.ui.chat.facts_dialog import Fact, FactsDialog
from desktop.ui.chat.status_line import StatusLine
from desktop.ui.language import number_words, told_error, tr
from desktop.ui.models.active import make_active
from desktop.ui.theme import Theme
from desktop.ui.toast import Toast

CHAT = "chat-"  # how the conversations of the window are called in the engine
Models = Callable[[], Sequence[tuple[str, str]]]  # id and name


class StatusMenus(QObject):
    """Main thread only."""

    models_requested = Signal()
    page_requested = Signal(str)

    def __init__(
        self,
        status: StatusLine,
        settings_file: SettingsFile,
        relay: Relay,
        background: Background,
        theme: Theme,
        toast: Toast,
        models: Models = tuple,
    ) -> None:
        """`models`: those that are installed; without any the manager of models is asked for."""
        super().__init__()
        self._status = status
        self._settings_file = settings_file
        self._background = background
        self._theme = theme
        self._toast = toast
        self._models = models
        self._metrics: Metrics | None = None
        self._dialog: FactsDialog | None = None
        self._menu: QMenu | None = None
        status.model_clicked.connect(self.show_models)
        status.device_clicked.connect(lambda: self.page_requested.emit("Settings"))
        status.speed_clicked.connect(self.show_timings)
        relay.listen(GenerationFinished, self._on_finished)

    def show_models(self) -> None:
        """The installed models, the one in use marked, and the way to the others."""
        models = self._models()
        if not models:
            self.models_requested.emit()
            return
        if self._menu is not None:
            self._menu.deleteLater()
        menu = self._menu = QMenu(self._status)
        menu.setObjectName("model_menu")
        group = QActionGroup(menu)
        active = self._settings_file.current.model.active
        for number, (model_id, name) in enumerate(models):
            action = menu.addAction(name.replace("&", "&&"))
            action.setObjectName(f"use_model_{number}")
            action.setCheckable(True)
            action.setChecked(model_id == active)
            action.triggered.connect(lambda _checked=False, chosen=model_id: self._use(chosen))
            group.addAction(action)
        menu.addSeparator()
        manage = menu.addAction(tr("Manage models…"))
        manage.setObjectName("manage_models")
        manage.triggered.connect(lambda _checked=False: self.models_requested.emit())
        button = self._status.model
        menu.popup(button.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def show_timings(self) -> None:
        """How long the latest answer took, and with what."""
        if self._metrics is None:
            return
        if self._dialog is None:
            title = tr("How long the latest answer took")
            self._dialog = FactsDialog(self._theme, "timings", title, self._status.window())
        self._dialog.show_facts(timings(self._metrics))
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()

    # -- inside -------------------------------------------------------------------------------

    def _use(self, model_id: str) -> None:
        self._background.run(make_active, self._settings_file, model_id, done=self._on_used)

    def _on_used(self, error: UserFacing | None) -> None:
        if error is not None:
            self._toast.offer(str(told_error(error)))

    def _on_finished(self, event: GenerationFinished) -> None:
        if event.conversation.startswith(CHAT) and event.metrics.answer_tokens:
            self._metrics = event.metrics


def timings(metrics: Metrics) -> tuple[Fact, ...]:
    """The rows of the window."""

    def seconds(value: float) -> str:
        return tr("{seconds} s", seconds=number_words(value, 1))

    def work(value: float, tokens: int) -> str:
        return tr("{seconds} for {count:,} tokens", seconds=seconds(value), count=tokens)

    read = metrics.prompt_tokens - metrics.reused_tokens
    return (
        Fact(tr("Loading the model"), seconds(metrics.load_s)),
        Fact(tr("Waiting for others"), seconds(metrics.queue_s)),
        Fact(tr("Reading the question"), work(metrics.prefill_s, read)),
        Fact(tr("Known from before"), tr("{count:,} tokens", count=metrics.reused_tokens)),
        Fact(tr("First word after"), seconds(metrics.first_token_s), strong=True),
        Fact(tr("Writing the answer"), work(metrics.decode_s, metrics.answer_tokens)),
        Fact(tr("Speed"), tr("{speed:.1f} tok/s", speed=metrics.tokens_per_s), strong=True),
    )
