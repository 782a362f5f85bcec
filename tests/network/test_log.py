"""The log of requests: reason, bytes, and how long the line has been quiet."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from desktop.events import Bus
from desktop.network import Network, NetworkFailure, Traffic, TrafficChanged, because
from desktop.network.failures import KEPT
from desktop.network.log import UNSAID, RequestLog
from desktop.network.reasons import NetworkReason
from desktop.settings import NetworkSettings
from tests.models.file_server import FileServer

START = datetime(2026, 11, 22, 10, 42, tzinfo=UTC)


def test_a_request_is_logged_with_its_reason_and_the_bytes_that_came() -> None:
    """Inside `because` the reason is known; outside it is said that nobody gave one."""
    network = Network(NetworkSettings)
    with FileServer() as server:
        server.serve("/a", b"x" * 1000)
        with because(NetworkReason.FOR_PAGE.of()):
            network.get_text(f"{server.url}/a")
        network.get_text(f"{server.url}/a")
    network.close()
    first, second = network.log
    assert (first.why, first.received_bytes) == (NetworkReason.FOR_PAGE.of(), 1000)
    assert first.host == "127.0.0.1"
    assert second.why == UNSAID


def test_nothing_has_left_since_the_start_or_since_the_latest_request() -> None:
    """The count goes up with each request, and the moment is that of its end."""
    moments = iter(START + timedelta(minutes=minutes) for minutes in range(10))
    log = RequestLog(now=lambda: next(moments))
    assert log.traffic == Traffic(START)
    with log.record("GET", "https://example.org/x"):
        assert log.traffic.under_way == 1
    assert log.traffic == Traffic(START + timedelta(minutes=3), requests=1)


def test_what_is_under_way_is_told_with_what_has_come() -> None:
    """Until it ends: then it is in the log."""
    log = RequestLog()
    with log.record("GET", "https://example.org/x") as recording:
        recording.received(7)
        (open_one,) = log.under_way
        assert (open_one.host, open_one.outcome, open_one.received_bytes) == ("example.org", "", 7)
        assert log.records == ()
        recording("200")
    assert log.under_way == ()
    assert [(each.outcome, each.received_bytes) for each in log.records] == [("200", 7)]


def test_a_command_that_could_talk_unseen_is_counted_beside_the_requests() -> None:
    """It is no request, and a later request does not take it away."""
    moments = iter(START + timedelta(minutes=minutes) for minutes in range(10))
    log = RequestLog(now=lambda: next(moments))
    log.note_open_command()
    once = START + timedelta(minutes=1)
    assert log.traffic == Traffic(START, open_commands=1, opened_at=once)
    with log.record("GET", "https://example.org/x"):
        pass
    assert (log.traffic.requests, log.traffic.open_commands, log.traffic.opened_at) == (1, 1, once)


def test_whoever_listens_hears_of_begin_and_end_also_of_a_failure() -> None:
    """A refused request counts too: something left this computer."""
    bus, heard = Bus(), list[Traffic]()
    bus.subscribe(TrafficChanged, lambda event: heard.append(event.traffic))
    log = RequestLog(bus)
    with pytest.raises(NetworkFailure), log.record("GET", "https://example.org/x"):
        raise NetworkFailure(NetworkReason.NO_NETWORK.of(host="example.org", kept=KEPT))
    assert [(each.requests, each.under_way) for each in heard] == [(1, 1), (1, 0)]
    assert log.records[-1].outcome == "no-network"


def test_what_offline_mode_refuses_is_no_traffic() -> None:
    """Nothing left, so the line stays as quiet as it was."""
    network = Network(lambda: NetworkSettings(offline=True))
    before = network.traffic
    with pytest.raises(NetworkFailure):
        network.get_text("https://example.org/")
    assert network.traffic == before
