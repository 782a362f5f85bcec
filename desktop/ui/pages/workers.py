"""The Workers page: machines that build and test for coding agents, their load, and what ran there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from desktop.agents.events import HookRan
from desktop.offload.history import CommandRecord, History
from desktop.offload.setup import WorkerSetup
from desktop.offload.workers import Worker, WorkerReport
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.reasons import Reason
from desktop.settings import SettingsChanged, SettingsFile
from desktop.ui.language import moment_words, number_words, plural, size_text, tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.pages.setting_switch import SettingSwitch
from desktop.ui.permission.visible import visible
from desktop.ui.widgets.buttons import action
from desktop.ui.widgets.cards import Confirm, OutcomeLine, Row, SwitchCard
from desktop.ui.widgets.labels import SectionHeading
from desktop.ui.widgets.layout import ScrollColumn, order_tabs
from desktop.ui.widgets.lists import FirstStep, RowList

SAYS = tr_noop(
    "Machines of yours that run builds and tests of coding agents. What a command may do is decided here "
    "first, as always."
)
NONE_YET = tr_noop("There are no workers.")
HOW = tr_noop("In a terminal, in the folder of a project, add a computer that you reach by ssh, by its name:")
COMMAND = "steward offload add HOST"
LOOKS_EVERY_MS = 15_000
MOST_JOBS = 30
WARNS_AT = 1.5  # load for each core


@dataclass(frozen=True)
class WorkerRow:
    """One worker; `seen` is what it said of itself, or why it said nothing. None while it is being asked."""

    worker: Worker
    seen: WorkerReport | Reason | None
    mirrors: int


@dataclass(frozen=True)
class _Reading:
    workers: tuple[WorkerRow, ...]
    jobs: tuple[CommandRecord, ...]


class WorkersPage(Page):
    """Looks at the workers while it is in sight. Main thread only; ssh runs on the pool."""

    title = tr_noop("Workers")
    icon = "worker"

    def __init__(
        self,
        setup: Callable[[], WorkerSetup],
        history: History,
        settings_file: SettingsFile,
        relay: Relay,
        background: Background,
    ) -> None:
        super().__init__(tr(SAYS))
        self._setup = setup
        self._history = history
        self._file = settings_file
        self._background = background
        self._reading = Latest(background)
        self._build()
        self.follow(relay, HookRan, SettingsChanged)
        self._clock = QTimer(self, interval=LOOKS_EVERY_MS)
        self._clock.timeout.connect(self._read_again)

    def shown(self) -> None:
        self.switch.refresh()
        # ssh may take seconds, and what is known without it need not wait.
        self._reading.run(self._read_known, done=self._show_known, failed=self.outcome.refuse)
        self._clock.start()

    def hideEvent(self, event: QHideEvent) -> None:
        # Nothing is asked of anybody while nobody looks.
        self._clock.stop()
        super().hideEvent(event)

    # -- what there is ------------------------------------------------------------------------

    def _read_again(self) -> None:
        self._reading.run(self._read, done=self._show, failed=self.outcome.refuse)

    def _show_known(self, reading: _Reading) -> None:
        self._show(reading)
        self._read_again()

    def _read_known(self) -> _Reading:
        setup = self._setup()
        return self._reading_of(setup, setup.known())

    def _read(self) -> _Reading:
        setup = self._setup()
        return self._reading_of(setup, setup.look() if setup.workers else {})

    def _reading_of(self, setup: WorkerSetup, seen: Mapping[str, WorkerReport | Reason]) -> _Reading:
        rows = tuple(WorkerRow(each, seen.get(each.name), setup.mirrors(each)) for each in setup.workers)
        return _Reading(rows, tuple(reversed(self._history.jobs()[-MOST_JOBS:])))

    def _show(self, reading: _Reading) -> None:
        self.list.show_rows([(each.worker.name, each) for each in reading.workers])
        self.jobs.show_rows([(each.id, each) for each in reading.jobs])
        self.empty.setVisible(not reading.workers)
        self.jobs_heading.setVisible(bool(reading.jobs))
        first = (self.switch.control, self.empty.command, self.empty.copy, self.confirm.no, self.confirm.yes)
        order_tabs((*first, *self.list.stops, *self.jobs.stops))

    # -- what can be done ---------------------------------------------------------------------

    def _ask_removal(self, name: str) -> None:
        self.confirm.ask(
            tr("Remove {name}? The copies of your projects on it are deleted.", name=name),
            tr("Remove it"),
            tr("Keep it"),
            partial(self._remove, name),
        )

    def _remove(self, name: str) -> None:
        def act() -> bool:
            return self._setup().remove(name)

        def done(is_clean: bool) -> None:
            if is_clean:
                self.toast.offer(tr("{name} was removed.", name=name))
            else:
                self.outcome.say(
                    tr("{name} was removed, but could not be reached: copies stay there.", name=name)
                )
            self._read_again()

        self._background.run(act, done=done, failed=self.outcome.refuse)

    # -- building -----------------------------------------------------------------------------

    def _build(self) -> None:
        self.switch = SettingSwitch(self._file, self._background, "offload.enabled", "workers_switch")
        self.outcome = OutcomeLine("workers_outcome")
        self.switch.refused.connect(self.outcome.refuse)
        self.confirm = Confirm("workers_confirm")
        self.list: RowList[WorkerRow] = RowList("workers_list", self._row)
        self.jobs: RowList[CommandRecord] = RowList("workers_jobs", _job_row)
        self.empty = FirstStep("workers_empty", "worker", tr(NONE_YET), tr(HOW), COMMAND)
        self.empty.hide()
        self.jobs_heading = SectionHeading(tr("Last commands"))
        scroll = ScrollColumn("workers_scroll")
        scroll.setAccessibleName(tr("Workers"))
        scroll.body.addLayout(self.outcome)
        scroll.body.addWidget(SwitchCard(self.switch))
        for widget in (self.confirm, self.empty, self.list, self.jobs_heading, self.jobs):
            scroll.body.addWidget(widget)
        scroll.body.addStretch(1)
        self.column.addWidget(scroll, 1)

    def _row(self, row: WorkerRow) -> QWidget:
        name = row.worker.name
        remove = action(
            tr("Remove"),
            f"worker_remove_{name}",
            lambda: self._ask_removal(name),
            described=tr("Remove {name}", name=name),
        )
        icon, ink = _sign(row.seen)
        return Row(icon, ink, f"{name} ({row.worker.host})", worker_captions(row), (remove,))


def worker_captions(row: WorkerRow) -> tuple[str, ...]:
    """Load, space and mirrors, and what may go there."""
    folders = tr("May get: {folders}", folders=", ".join(map(visible, row.worker.folders)))
    if isinstance(row.seen, Reason):
        return (visible(words_of(row.seen)), folders)
    if row.seen is None:
        return (tr("Asking it …"), folders)
    seen = row.seen
    load = tr("Load {load} on {cores} cores", load=number_words(seen.load, 1), cores=seen.cores)
    free = tr("{size} free", size=size_text(seen.free_kb * 1024))
    mirrors = plural("{count} project there", "{count} projects there", row.mirrors)
    parts = [load, free, mirrors]
    if row.worker.is_slurm:
        parts.insert(0, tr("Slurm, partition {name}", name=visible(row.worker.partition)))
    return (" · ".join(parts), folders)


def job_captions(job: CommandRecord) -> tuple[str, ...]:
    """Where it ran, how it ended, and what was sent and saved."""
    when = moment_words(job.at, time.time())
    seconds = tr("{seconds} s", seconds=number_words(job.seconds, 1))
    if not job.is_over:
        return (f"{visible(job.worker)} · {tr('runs')} · {when}",)
    if not job.worker:
        return (f"{tr('ran here')} · {seconds} · {when}",)
    ended = tr("was lost") if job.code is None else tr("exit code {code:d}", code=job.code)
    saved = tr("{seconds} s of processor saved", seconds=number_words(job.processor_s, 1))
    sent = tr("{size} sent", size=size_text(job.sent_bytes))
    return (f"{visible(job.worker)} · {ended} · {seconds} · {when}", f"{saved} · {sent}")


def _sign(seen: WorkerReport | Reason | None) -> tuple[str, str]:
    if seen is None:
        return "running", "secondary"
    if isinstance(seen, Reason):
        return "failed", "danger"
    return ("warning", "warning") if seen.load_per_core > WARNS_AT else ("check", "success")


def _job_row(job: CommandRecord) -> QWidget:
    if not job.is_over:
        icon, ink = "running", "secondary"
    elif job.code == 0:
        icon, ink = "check", "success"
    else:
        icon, ink = ("warning", "warning") if job.code is None else ("failed", "danger")
    return Row(icon, ink, job.command, job_captions(job))
