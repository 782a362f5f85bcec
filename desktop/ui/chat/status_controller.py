"""What the status line and the model button show: engine, settings, loading, told by events."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.chat.context_use import ContextUse
from desktop.engine.engine import Engine
from desktop.engine.events import (
    EngineStatus,
    GenerationFinished,
    ModelFailed,
    ModelLoaded,
    ModelLoading,
    ModelUnloaded,
    ThreadsChanged,
)
from desktop.events import Event
from desktop.network import Traffic, TrafficChanged
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged, SettingsFile
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.chat.sidebar import Sidebar
from desktop.ui.chat.status_words import LineFacts
from desktop.ui.language import tr
from desktop.ui.pages.network_words import requests_words, traffic_words


class StatusController(QObject):
    """Reads the engine's status whenever an event says that it may be another. Main thread only."""

    def __init__(
        self,
        engine: Engine,
        settings_file: SettingsFile,
        relay: Relay,
        pane: ConversationPane,
        sidebar: Sidebar,
    ) -> None:
        super().__init__()
        self._traffic: Callable[[], Traffic] | None = None
        self._engine = engine
        self._settings_file = settings_file
        self._pane = pane
        self._sidebar = sidebar
        self._loading: float | None = None
        self._names: dict[str, str] = {}  # of the models that were seen, by id
        self._note = ("", "")
        self._report = ""
        self._use: ContextUse | None = None
        pane.status.report_clicked.connect(lambda: self.show_report(""))
        self._listen(relay)
        self.refresh()

    def show_note(self, words: str, explanation: str) -> None:
        """A standing remark; empty words take it away."""
        self._note = (words, explanation)
        self.refresh()

    def show_report(self, words: str) -> None:
        """That there is a report of a crash; empty words take it away, and so does a look at it."""
        self._report = words
        self.refresh()

    def show_use(self, use: ContextUse) -> None:
        """How full the context of the open conversation is."""
        self._use = use
        self.refresh()

    def follow_traffic(self, traffic: Callable[[], Traffic]) -> None:
        """Also tell what has left this computer; before, the line tells of offline mode alone."""
        self._traffic = traffic
        self.refresh()

    def refresh(self) -> None:
        """Show what is true now."""
        status = self._engine.status
        name = self._model_name(status)
        self._pane.status.show_facts(self._facts(status, name))
        self._pane.arrange()
        self._sidebar.show_model(name)
        waiting = (
            "" if self._loading is None else tr("Loading model {percent:.0f} %", percent=self._loading * 100)
        )
        self._pane.transcript.set_waiting(waiting)

    def _facts(self, status: EngineStatus, name: str) -> LineFacts:
        network, requests = self._network_words()
        return LineFacts(
            model_name=name,
            device=status.device,
            device_notice=status.notice,
            threads=status.threads,
            gpu_layers=status.gpu_layers,
            tokens_per_s=status.tokens_per_s,
            context_used=self._use.used if self._use is not None else status.context_used,
            context_tokens=self._use.limit if self._use is not None else status.context_tokens,
            context_estimated=self._use is not None and self._use.is_estimate,
            loading=self._loading,
            offline=self._settings_file.current.network.offline,
            network=network,
            network_help=requests,
            unguarded=self._settings_file.current.permissions.dangerously_skip_permissions,
            report=self._report,
            note=self._note[0],
            note_help=self._note[1],
        )

    def _network_words(self) -> tuple[str, str]:
        """For the line, and for its help."""
        if self._traffic is None:
            return "", ""
        traffic = self._traffic()
        return traffic_words(traffic, self._settings_file.current.network.offline), requests_words(traffic)

    def _model_name(self, status: EngineStatus) -> str:
        """The chosen model's name, also while it is not in memory."""
        if status.model_id:
            self._names[status.model_id] = status.model_name
        active = self._settings_file.current.model.active
        return status.model_name or self._names.get(active, active)

    def _listen(self, relay: Relay) -> None:
        relay.listen(ModelLoading, self._on_loading)
        for over in (ModelLoaded, ModelFailed, ModelUnloaded):
            relay.listen(over, self._on_loading_over)
        for other in (GenerationFinished, ThreadsChanged, SettingsChanged, TrafficChanged):
            relay.listen(other, lambda _event: self.refresh())

    def _on_loading(self, event: ModelLoading) -> None:
        self._loading = event.fraction
        self.refresh()

    def _on_loading_over(self, _event: Event) -> None:
        self._loading = None
        self.refresh()
