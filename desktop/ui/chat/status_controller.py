"""What the status line and the model button show: engine, settings, loading, told by events."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QActionGroup

from desktop.chat.context_use import ContextUse
from desktop.chat.events import AnswerGrew, CallAdded, CallClosed, TurnEnded, TurnFailed, TurnStarted
from desktop.chat.store import FIRST_FORGOTTEN
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
from desktop.engine.requests import Metrics
from desktop.errors import UserFacing
from desktop.events import Event
from desktop.network import Traffic, TrafficChanged
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.server.openai.programs import ProgramAnswering
from desktop.settings import SettingsChanged, SettingsFile
from desktop.ui.chat.info_windows import Fact, FactsDialog
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.chat.sidebar import Sidebar
from desktop.ui.chat.status_line import LineFacts, StatusLine
from desktop.ui.language import error_words, number_words, tr
from desktop.ui.models.manager import make_active
from desktop.ui.traffic import requests_words, traffic_words
from desktop.ui.widgets.menu import Menu
from desktop.ui.widgets.toast import Toast

WONDER_S = 1.5  # dots alone are enough until then
LOOK_EVERY_MS = 500
MOST_AT_ONCE = 16  # conversations that are being answered


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
        super().__init__(pane)  # its timer must not outlive what it writes into
        self._traffic: Callable[[], Traffic] | None = None
        self._engine = engine
        self._settings_file = settings_file
        self._pane = pane
        self._sidebar = sidebar
        self._loading: float | None = None
        self._tokens_per_s = 0.0  # of the latest answer of the model that is in memory
        self._names: dict[str, str] = {}  # of the models that were seen, by id
        self._note = ("", "")
        self._report = ""
        self._program = ""
        self._use: ContextUse | None = None
        self._server = ""
        self._waited_since = 0.0  # for the next word of an answer, or for a tool
        self._answering = 0  # conversations
        self._looking = QTimer(self, interval=LOOK_EVERY_MS)
        self._looking.timeout.connect(self._show_waiting)
        pane.status.report_clicked.connect(lambda: self.show_report(""))
        self._listen(relay)
        self.refresh()

    def show_note(self, words: str, explanation: str) -> None:
        """A standing remark; empty words take it away."""
        self._note = (words, explanation)
        self.refresh()

    def show_server(self, words: str) -> None:
        """Who answers the open chat in place of the model of this computer; "" for that."""
        self._server = words
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
        facts = self._facts(status, name)
        if self._server:
            # Device, speed and context are of a model that does not answer here.
            facts = replace(
                facts, model_name=self._server, device="", tokens_per_s=0.0, context_tokens=0, loading=None
            )
        self._pane.status.show_facts(facts)
        # Parts that appear may make the line taller.
        self._pane.arrange()
        self._sidebar.show_model(name)
        self._show_waiting()

    def _show_waiting(self) -> None:
        """Beside the dots: what the answer that has no word yet waits for, once one begins to wonder."""
        long_enough = time.monotonic() - self._waited_since >= WONDER_S
        words = self._waiting_words() if long_enough or self._loading is not None else ""
        self._pane.transcript.set_waiting(words)

    def _waiting_words(self) -> str:
        if self._loading is not None:
            return tr("Loading model {share:.0%}", share=self._loading)
        reading = self._engine.reading
        if reading is not None and reading.is_choice:
            return tr("Choosing a tool")
        if reading is not None and not reading.read:
            # A part of some hundred tokens is read in one go: "0 %" would stand there all the time.
            return tr("Reading {count:,} tokens", count=reading.total)
        if reading is not None:
            share = reading.read / reading.total
            return tr("Reading {count:,} tokens, {share:.0%}", count=reading.total, share=share)
        if self._traffic is not None and self._traffic().under_way:
            return tr("Waiting for the network …")
        # The model writes something that is not the answer, such as the change of a table, or files are read.
        return tr("Working on it") if self._answering else ""

    def _on_turn_started(self) -> None:
        self._answering += 1
        self._waited_since = time.monotonic()
        self._show_waiting()  # not what the turn before waited for
        self._looking.start()

    def _on_turn_over(self) -> None:
        self._answering = max(0, self._answering - 1)
        # Nothing ticks while nothing is answered.
        if not self._answering:
            self._looking.stop()

    def _on_progress(self) -> None:
        self._waited_since = time.monotonic()

    def _facts(self, status: EngineStatus, name: str) -> LineFacts:
        network, requests = self._network_words()
        return LineFacts(
            model_name=name,
            device=status.device,
            device_notice=status.notice,
            threads=status.threads,
            gpu_layers=status.gpu_layers,
            tokens_per_s=self._tokens_per_s,
            # What the next question would take beats what the engine holds: that may be of another
            # conversation.
            context_used=self._use.used if self._use is not None else status.context_used,
            context_tokens=self._use.limit if self._use is not None else status.context_tokens,
            context_estimated=self._use is not None and self._use.is_estimate,
            context_automatic=self._use is not None and self._use.is_automatic,
            loading=self._loading,
            offline=self._settings_file.current.network.offline,
            network=network,
            network_help=requests,
            unguarded=self._settings_file.current.permissions.dangerously_skip_permissions,
            program=self._program,
            report=self._report,
            note=self._note[0],
            note_help=self._note[1],
        )

    def _network_words(self) -> tuple[str, str]:
        """The words for the line, and for its help."""
        if self._traffic is None:
            return "", ""
        traffic = self._traffic()
        return traffic_words(traffic, self._settings_file.current.network.offline), requests_words(traffic)

    def _model_name(self, status: EngineStatus) -> str:
        """The chosen model's name, also while it is not in memory."""
        # The engine knows a name only while the model is loaded; the line goes on naming it afterwards.
        if status.model_id:
            self._names[status.model_id] = status.model_name
        active = self._settings_file.current.model.active
        return status.model_name or self._names.get(active, active)

    def _listen(self, relay: Relay) -> None:
        relay.listen(ModelLoading, self._on_loading)
        relay.listen(TurnStarted, lambda _event: self._on_turn_started())
        for progress in (AnswerGrew, CallAdded, CallClosed):
            relay.listen(progress, lambda _event: self._on_progress())
        for end in (TurnEnded, TurnFailed):
            relay.listen(end, lambda _event: self._on_turn_over())
        for over in (ModelLoaded, ModelFailed, ModelUnloaded):
            relay.listen(over, self._on_loading_over)
        relay.listen(ProgramAnswering, self._on_program)
        relay.listen(GenerationFinished, self._on_finished)
        for other in (ThreadsChanged, SettingsChanged, TrafficChanged):
            relay.listen(other, lambda _event: self.refresh())

    def _on_loading(self, event: ModelLoading) -> None:
        self._loading = event.fraction
        self.refresh()

    def _on_program(self, event: ProgramAnswering) -> None:
        self._program = event.name
        self.refresh()

    def _on_loading_over(self, _event: Event) -> None:
        self._loading, self._tokens_per_s = None, 0.0
        self.refresh()

    def _on_finished(self, event: GenerationFinished) -> None:
        if answered_in(event) is not None:
            self._tokens_per_s = event.metrics.tokens_per_s
        self.refresh()


# How the conversations of the window are called in the engine. What is done beside one has a word behind it,
# and so have the two prompts of an answer that needs no tools.
_CHAT = re.compile(r"chat-(\d+)(?: words| answer)?")
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
        toast: Toast,
        models: Models = tuple,
    ) -> None:
        """`models`: those that are installed; without any the manager of models is asked for."""
        super().__init__()
        self._status = status
        self._settings_file = settings_file
        self._background = background
        self._toast = toast
        self._models = models
        self._metrics: Metrics | None = None
        self._dialog: FactsDialog | None = None
        self._menu: Menu | None = None
        self.extend: Callable[[Menu], None] = lambda _menu: None  # with choices for the open chat alone
        status.model_clicked.connect(self.show_models)
        status.device_clicked.connect(lambda: self.page_requested.emit("Settings"))
        status.speed_clicked.connect(self.show_timings)
        self._sent_at: dict[int, float] = {}  # of the conversations that wait for a word
        self._waited_s: dict[int, float] = {}  # of the latest answer of each
        self._answered = 0  # the conversation of that latest answer of all
        relay.listen(GenerationFinished, self._on_finished)
        relay.listen(TurnStarted, self._on_started)
        relay.listen(AnswerGrew, self._on_grown)
        relay.listen(TurnEnded, self._on_ended)
        relay.listen(TurnFailed, self._on_ended)

    @property
    def installed(self) -> Sequence[tuple[str, str]]:
        """Id and name of the models that can answer."""
        return self._models()

    def show_models(self) -> None:
        """The installed models, the one in use marked, and the way to the others."""
        models = self._models()
        # A menu with nothing in it but the way out would be one click too many.
        if not models:
            self.models_requested.emit()
            return
        # Made anew each time, because models come and go; the old one would stay with the window.
        if self._menu is not None:
            self._menu.deleteLater()
        menu = self._menu = Menu(self._status, "model_menu")
        group = QActionGroup(menu)
        active = self._settings_file.current.model.active
        for number, (model_id, name) in enumerate(models):
            use = partial(self.use, model_id)
            group.addAction(menu.choice(name, model_id == active, use, f"use_model_{number}"))
        self.extend(menu)
        menu.addSeparator()
        menu.offer(tr("Manage models…"), "model", self.models_requested.emit, "manage_models")
        button = self._status.model
        menu.popup(button.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def show_timings(self) -> None:
        """How long the latest answer took, and with what."""
        if self._metrics is None:
            return
        if self._dialog is None:
            title = tr("How long the latest answer took")
            self._dialog = FactsDialog("timings", title, self._status.window())
        self._dialog.show_facts(timings(self._metrics, self._waited_s.get(self._answered)))
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()

    def use(self, model_id: str) -> None:
        """Let this one answer from now on."""
        self._background.run(
            make_active, self._settings_file, model_id, done=self._on_used, failed=self._toast.refuse
        )

    # -- inside -------------------------------------------------------------------------------

    def _on_used(self, error: UserFacing | None) -> None:
        if error is not None:
            self._toast.offer(error_words(error))

    def _on_finished(self, event: GenerationFinished) -> None:
        if (conversation := answered_in(event)) is not None:
            self._metrics, self._answered = event.metrics, conversation

    def _on_started(self, event: TurnStarted) -> None:
        self._waited_s.pop(event.conversation_id, None)
        self._sent_at[event.conversation_id] = time.perf_counter()

    def _on_grown(self, event: AnswerGrew) -> None:
        sent_at = self._sent_at.pop(event.conversation_id, None)
        if sent_at is None:
            return
        self._waited_s.pop(event.conversation_id, None)
        self._waited_s[event.conversation_id] = time.perf_counter() - sent_at
        # Only that of the latest answer of all is shown, and more are not being written beside it.
        while len(self._waited_s) > MOST_AT_ONCE:
            del self._waited_s[next(iter(self._waited_s))]

    def _on_ended(self, event: TurnEnded | TurnFailed) -> None:
        self._sent_at.pop(event.conversation_id, None)


def answered_in(event: GenerationFinished) -> int | None:
    """The conversation in which it ended an answer, the only one whose speed is shown; else None."""
    # Titles, judgements and summaries are generations too, and nobody asked how long they took; a question
    # of a terminal has its figures there.
    found = _CHAT.fullmatch(event.conversation)
    if found is None or event.metrics.answer_tokens == 0 or int(found[1]) >= FIRST_FORGOTTEN:
        return None
    return int(found[1])


def timings(metrics: Metrics, waited_s: float | None = None) -> tuple[Fact, ...]:
    """The rows of the window. `waited_s`: from the question to the first word in sight, where that was seen;
    what goes before the answer itself, such as memory and the choice of a tool, is in it."""

    def seconds(value: float) -> str:
        return tr("{seconds} s", seconds=number_words(value, 1))

    def work(value: float, tokens: int) -> str:
        return tr("{seconds} for {count:,} tokens", seconds=seconds(value), count=tokens)

    if waited_s is None:
        waited_s = metrics.first_token_s
    # What the KV cache held already was not read for this answer.
    read = metrics.prompt_tokens - metrics.reused_tokens
    return (
        Fact(tr("Before the answer: memory and tools"), seconds(max(0.0, waited_s - metrics.first_token_s))),
        Fact(tr("Loading the model"), seconds(metrics.load_s)),
        Fact(tr("Waiting for others"), seconds(metrics.queue_s)),
        Fact(tr("Reading the question"), work(metrics.prefill_s, read)),
        Fact(tr("Already read before"), tr("{count:,} tokens", count=metrics.reused_tokens)),
        Fact(tr("First word after"), seconds(waited_s), strong=True),
        Fact(tr("Writing the answer"), work(metrics.decode_s, metrics.answer_tokens)),
        Fact(tr("Speed"), tr("{speed:.1f} tok/s", speed=metrics.tokens_per_s), strong=True),
    )
