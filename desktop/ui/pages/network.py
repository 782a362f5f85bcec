"""The Network page: every request since the start, and the switch that refuses them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from desktop.network import Network, RequestRecord, TrafficChanged
from desktop.network.log import UNSAID
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged, SettingsFile
from desktop.ui.language import number_words, plural, size_text, tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.pages.setting_switch import SettingSwitch
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.traffic import traffic_sentence
from desktop.ui.widgets.cards import OutcomeLine, Row, SwitchCard
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import ScrollColumn, order_tabs
from desktop.ui.widgets.lists import RowList

LOOKS_EVERY_MS = 3_000

SAYS = tr_noop(
    "What Steward itself requested from the network: downloads and searches that you asked for, and what "
    "builds sent to your workers. The list is forgotten when Steward ends."
)

BESIDE = tr_noop(
    "Commands that nothing keeps from the network are counted, not watched; the Log names them. "
    "What coding agents say to their own models is not counted."
)


# What is no status: how far a build on a worker came, and why a request has none.
OUTCOMES = {
    "connect-failed": tr_noop("no connection"),
    "no-network": tr_noop("no network"),
    "tls-failed": tr_noop("no secure connection"),
    "proxy-failed": tr_noop("an error of the proxy"),
    "stalled": tr_noop("no answer in time"),
    "line-cut": tr_noop("the connection broke off"),
    "ended-early": tr_noop("the connection broke off"),
    "offline": tr_noop("refused in offline mode"),
    "cancelled": tr_noop("stopped"),
    "too-slow": tr_noop("too slow"),
    "not-found": tr_noop("nothing there"),
    "request-refused": tr_noop("refused by the server"),
    "licence-not-accepted": tr_noop("refused by the server"),
    "server-failed": tr_noop("an error of the server"),
    "sent": tr_noop("sent"),
    "fetched": tr_noop("brought back"),
    "lost": tr_noop("lost"),
}


class NetworkPage(Page):
    """Follows the traffic while it is in sight. Main thread only."""

    title = tr_noop("Network")
    icon = "network"

    def __init__(
        self,
        network: Network,
        settings_file: SettingsFile,
        relay: Relay,
        background: Background,
        note_departures: Callable[[], None] = lambda: None,
    ) -> None:
        """`note_departures` adds to the log what other programs of ours have sent; it reads a file."""
        super().__init__(tr(SAYS))
        self._network = network
        self._file = settings_file
        self._background = background
        self._note_departures = note_departures
        self._clock = QTimer(self, interval=LOOKS_EVERY_MS)
        self._clock.timeout.connect(self._look_for_departures)
        self._started: datetime = network.started
        self._build()
        relay.listen(TrafficChanged, lambda _event: self._refresh())
        relay.listen(SettingsChanged, lambda _event: self.offline.refresh())

    def shown(self) -> None:
        self._show()
        self.offline.refresh()
        self._look_for_departures()
        self._clock.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._clock.stop()
        super().hideEvent(event)

    def _look_for_departures(self) -> None:
        if self._network.traffic.under_way:
            self._refresh()  # how much has come
        # What it finds is told as traffic, which the list follows.
        self._background.run(self._note_departures, failed=self.outcome.refuse)

    def _refresh(self) -> None:
        if self.isVisible():
            self._show()

    def _show(self) -> None:
        self.sentence.setText(traffic_sentence(self._network.traffic, self._started))
        ended, under_way = self._network.log, self._network.log_under_way
        # Old records fall out of the list; their numbers must not be given to others, or rows would be
        # mixed up.
        first = self._network.traffic.requests - self._network.traffic.under_way - len(ended)
        self.list.show_rows(grouped(first, (*ended, *under_way))[::-1])

    def _build(self) -> None:
        self.offline = SettingSwitch(self._file, self._background, "network.offline", "network_offline")
        self.outcome = OutcomeLine("network_result")
        self.offline.refused.connect(self.outcome.refuse)
        self.sentence = Label("", SMALL_PX, bold=True, name="network_sentence")
        beside = Label(tr(BESIDE), CAPTION_PX, colour="secondary", name="network_beside")
        self.list: RowList[RequestGroup] = RowList("network_requests", self._row)
        scroll = ScrollColumn("network_scroll")
        scroll.setAccessibleName(tr("Requests, the newest first"))
        scroll.body.addLayout(self.outcome)
        scroll.body.addWidget(SwitchCard(self.offline))
        for widget in (self.sentence, self.list, beside):
            scroll.body.addWidget(widget)
        scroll.body.addStretch(1)
        self.column.addWidget(scroll, 1)
        order_tabs((self.offline.control, scroll))

    def _row(self, group: RequestGroup) -> QWidget:
        record = group.latest
        # Redirections are part of an ordinary download; pip tells an exit code in place of a status, and a
        # build on a worker how far it came.
        went_well = record.outcome[:1] in ("2", "3") or record.outcome in ("exit 0", "sent", "fetched")
        sign, ink = ("check", "success") if went_well else ("warning", "warning")
        if not record.outcome:
            sign, ink = "running", "secondary"
        return Row(sign, ink, heading(group), captions(group))


@dataclass(frozen=True)
class RequestGroup:
    """Requests in a row for one purpose: a download in pieces, or resumed, is one entry and not forty."""

    records: tuple[RequestRecord, ...]

    @property
    def latest(self) -> RequestRecord:
        return self.records[-1]


def grouped(first: int, records: Sequence[RequestRecord]) -> list[tuple[int, RequestGroup]]:
    """The groups, each with the number of its first request; `first` is that of the first record."""
    found: list[tuple[int, RequestGroup]] = []
    for number, record in enumerate(records, first):
        # What said nothing of its purpose has nothing in common with the one before it.
        if found and record.why != UNSAID and found[-1][1].latest.why == record.why:
            begun, group = found[-1]
            found[-1] = begun, RequestGroup((*group.records, record))
        else:
            found.append((number, RequestGroup((record,))))
    return found


def heading(group: RequestGroup) -> str:
    """`Download of Qwen: huggingface.co`, with every host that was asked."""
    hosts = dict.fromkeys(each.host or tr("the package index, by pip") for each in group.records)
    why = words_of(group.latest.why)
    # A worker is mostly called as its host is.
    where = ", ".join(each for each in hosts if each not in why.split())
    return tr("{why}: {where}", why=why, where=where) if where else why


def captions(group: RequestGroup) -> tuple[str, ...]:
    """When, what, how it ended, how much came and in how many requests; below each other."""
    record = group.latest
    moment = f"{datetime.fromisoformat(group.records[0].at).astimezone():%H:%M:%S}"
    seconds = sum(each.seconds for each in group.records)
    outcome = tr(OUTCOMES[record.outcome]) if record.outcome in OUTCOMES else record.outcome
    ended = tr("{seconds} s, ended with: {outcome}", seconds=number_words(seconds, 1), outcome=outcome)
    if not record.outcome:
        ended = tr("under way")
    came = tr("{size} received", size=size_text(sum(each.received_bytes for each in group.records)))
    if len(group.records) > 1:
        tries = plural("{count} request", "{count} requests", len(group.records))
        came = f"{came} · {tries}"
    asked = f"{record.method} {record.path}".strip()
    return f"{moment} · {came} · {ended}", asked
