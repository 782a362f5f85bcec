"""The Network page and the words of the status line: what has left this computer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.events import Bus
from desktop.network import Network, NetworkReason, RequestRecord, Traffic, because
from desktop.offload.reasons import OffloadReason
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsFile
from desktop.ui.pages.network import NetworkPage, RequestGroup, captions, heading
from desktop.ui.theme import Theme
from desktop.ui.traffic import requests_words, traffic_words
from desktop.ui.widgets.cards import Row
from tests.models.file_server import FileServer

QUIET = datetime(2026, 11, 22, 10, 42, tzinfo=UTC)
CLOCK = f"{QUIET.astimezone():%H:%M}"


@pytest.mark.parametrize(
    ("traffic", "offline", "words", "more"),
    [
        (Traffic(QUIET), False, f"no network since {CLOCK}", f"No network since {CLOCK}, 0 requests."),
        (Traffic(QUIET, requests=1), True, "offline", f"No network since {CLOCK}, 1 request."),
        (Traffic(QUIET, requests=7), True, "offline", f"No network since {CLOCK}, 7 requests."),
        (
            Traffic(QUIET, open_commands=1, opened_at=QUIET),
            True,
            f"1 command may have used the network {CLOCK}",
            f"0 requests by Steward itself. 1 command began at {CLOCK} that nothing kept from the network.",
        ),
        (
            Traffic(QUIET, requests=1, open_commands=12, opened_at=QUIET),
            False,
            f"12 commands may have used the network {CLOCK}",
            "1 request by Steward itself. "
            f"12 commands were started that nothing kept from the network, the latest at {CLOCK}.",
        ),
        (Traffic(QUIET, requests=7, under_way=1), True, "network in use", "7 requests so far."),
    ],
)
def test_the_status_line_says_since_when_nothing_left(
    traffic: Traffic, offline: bool, words: str, more: str
) -> None:
    """Never more than is known: while something runs, that. Its help tells how many requests there were."""
    assert traffic_words(traffic, offline) == words
    assert requests_words(traffic) == more


class Opened:
    def __init__(self, folder: Path, theme: Theme, relay: Relay, background: Background, bus: Bus) -> None:
        self.settings = SettingsFile(folder / "settings.toml", bus)
        self.network = Network(lambda: self.settings.current.network, bus=bus)
        self.departures: list[RequestRecord] = []
        self.page = NetworkPage(self.network, self.settings, relay, background, self._note_departures)

    def _note_departures(self) -> None:
        while self.departures:
            self.network.note_sent(self.departures.pop())


@pytest.fixture
def opened(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[Opened]:
    bus, background = Bus(), Background()
    relay = Relay(bus)
    found = Opened(tmp_path, Theme(qapp), relay, background, bus)
    qtbot.addWidget(found.page)
    found.page.resize(720, 640)
    found.page.show()
    found.page.shown()
    yield found
    found.page.hide()
    relay.close()
    background.close()
    found.network.close()


def test_before_the_first_request_the_page_says_that_nothing_left(opened: Opened) -> None:
    """With the moment of the start."""
    assert opened.page.sentence.text().startswith(
        "Steward has requested nothing from the network since it started at"
    )
    assert opened.page.list.rows == ()


def test_after_a_command_that_was_not_confined_the_page_claims_no_quiet(opened: Opened, qtbot: QtBot) -> None:
    """Steward's own requests are told beside what it cannot know."""
    opened.network.note_open_command()
    qtbot.waitUntil(lambda: "1 command began at" in opened.page.sentence.text())
    assert opened.page.sentence.text().startswith("Requests by Steward itself")


def test_what_another_program_of_ours_sent_has_a_row(opened: Opened, qtbot: QtBot) -> None:
    """A build that somebody sent to a worker by hand: looked for when the page is opened, and while it is."""
    why = NetworkReason.FOR_DOWNLOAD.of(name="a model")
    opened.departures.append(
        RequestRecord("2026-11-22T10:42:00+00:00", "SEND", "tower", "/p", "sent", 0, why)
    )
    opened.page.shown()
    qtbot.waitUntil(lambda: len(opened.page.list.rows) == 1)
    assert "Requests since the start" in opened.page.sentence.text()


def test_every_request_has_a_line_the_newest_first_while_the_page_is_open(
    opened: Opened, qtbot: QtBot
) -> None:
    """Reason, host, bytes and outcome, without the query."""
    with FileServer() as server:
        server.serve("/model?token=secret", b"x" * 2000)
        with because(NetworkReason.FOR_DOWNLOAD.of(name="a model")):
            opened.network.get_text(f"{server.url}/model?token=secret")
        with pytest.raises(Exception, match="127"):
            opened.network.get_text(f"{server.url}/nothing")
    qtbot.waitUntil(lambda: len(opened.page.list.rows) == 2)
    failed, went_well = opened.page.list.rows
    assert isinstance(failed, Row)
    assert isinstance(went_well, Row)
    assert went_well.accessibleName() == "Download of a model: 127.0.0.1"
    assert "2.0 kB received" in went_well.accessibleDescription()
    assert "secret" not in went_well.accessibleDescription()
    assert "ended with: nothing there" in failed.accessibleDescription()
    assert "Requests since the start" in opened.page.sentence.text()


def test_a_download_that_is_resumed_again_and_again_is_one_line(opened: Opened, qtbot: QtBot) -> None:
    """With all its bytes and requests, as it ended; another purpose has a line of its own."""
    with FileServer() as server:
        server.serve("/model", b"x" * 2000)
        for name in ("a model", "a model", "a model", "another"):
            with because(NetworkReason.FOR_DOWNLOAD.of(name=name)):
                opened.network.get_text(f"{server.url}/model")
    qtbot.waitUntil(lambda: len(opened.network.log) == 4 and len(opened.page.list.rows) == 2)
    qtbot.waitUntil(lambda: "3 requests" in opened.page.list.rows[1].accessibleDescription())
    assert "6.0 kB received" in opened.page.list.rows[1].accessibleDescription()


def test_a_request_that_has_not_ended_is_told_as_under_way(opened: Opened, qtbot: QtBot) -> None:
    """In the line of the same download, whatever became of the attempt before; no code stands there."""
    with because(NetworkReason.FOR_DOWNLOAD.of(name="a model")):
        with pytest.raises(Exception, match="127"):
            opened.network.get_text("http://127.0.0.1:1/model")
        qtbot.waitUntil(lambda: len(opened.page.list.rows) == 1)
        assert "ended with: no connection" in opened.page.list.rows[0].accessibleDescription()
        with opened.network._log.record("GET", "http://127.0.0.1/model") as recording:
            recording.received(2000)
            qtbot.waitUntil(lambda: "under way" in opened.page.list.rows[0].accessibleDescription())
            opened.page._show()
            (row,) = opened.page.list.rows
            assert "2.0 kB received · 2 requests" in row.accessibleDescription()
            recording("200")
    qtbot.waitUntil(lambda: "ended with: 200" in opened.page.list.rows[0].accessibleDescription())


def test_offline_mode_is_switched_where_the_requests_are_listed(opened: Opened, qtbot: QtBot) -> None:
    """The switch is the setting, in both directions."""
    opened.page.offline.control.click()
    qtbot.waitUntil(lambda: opened.settings.current.network.offline)
    opened.settings.change("network", "offline", False)
    qtbot.waitUntil(lambda: not opened.page.offline.control.isChecked())


@pytest.mark.parametrize(("host", "title"), [("tower", ""), ("ada@10.0.0.5", ": ada@10.0.0.5")])
def test_a_build_on_a_worker_is_told_in_words(host: str, title: str) -> None:
    """Its host where that is not the name anyway, and how far it came."""
    why = OffloadReason.FOR_SENDING.of(worker="tower", count=2, size=160)
    sent = RequestRecord("2026-11-22T10:42:00+00:00", "SEND", host, "/p", "sent", 0, why)
    group = RequestGroup((sent, replace(sent, method="FETCH", outcome="fetched", seconds=1.5)))
    assert heading(group) == f"2 files, 160 bytes, for a build on tower{title}"
    assert captions(group)[0].endswith("1.5 s, ended with: brought back")
