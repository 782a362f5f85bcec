"""The computer's clock is set back a year: nothing holds longer for it, waits a year, or is lost.

What counts seconds by the monotonic clock does not see it. Here is what goes by the calendar.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from desktop.agents.hook_handler import Pause, PauseChanged
from desktop.chat import migrations as chat
from desktop.chat.retention import Retention
from desktop.chat.store import ChatStore, Role
from desktop.database import Database
from desktop.events import Bus
from desktop.gate import migrations as gate
from desktop.gate.audit import AuditLog
from desktop.gate.grants import Covers, GrantKind, Grants, GrantScope
from desktop.gate.projects import CLOCK_ERROR_S, DAY_S, ProjectDuration, Projects
from desktop.gate.redaction import Redactor
from desktop.gate.request import Request
from desktop.gate.verdict import Effect
from desktop.paths import Paths
from tests.fakes.clock import SetTime

YEAR_S = 365 * DAY_S
NOON = datetime(2027, 6, 15, 12).timestamp()
NOTES = Path("/home/me/notes")


@pytest.fixture
def clock() -> SetTime:
    return SetTime(NOON)


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    opened = Database(paths.database, (*chat.MIGRATIONS, *gate.MIGRATIONS))
    yield opened
    opened.close()


BEHIND_S = (CLOCK_ERROR_S + 1, DAY_S, YEAR_S)


@pytest.mark.parametrize("behind_s", BEHIND_S)
def test_a_yes_for_a_week_is_none_while_the_clock_is_behind(
    database: Database, clock: SetTime, behind_s: float
) -> None:
    """It would last a year and a week; when the clock is right, it holds. One without an end holds on."""
    grants = Grants(database, clock)
    request = Request("write_file", Effect.UPDATE, parts=(str(NOTES / "a.txt"),), chat="1")
    week = grants.add(GrantScope.WEEK, Covers("write_file", GrantKind.BELOW, folder=NOTES))
    clock.now = NOON - behind_s
    assert not grants.covering(request)
    assert not grants.use([week])
    assert grants.listed() == []
    always = grants.add(GrantScope.ALWAYS, Covers("write_file", GrantKind.BELOW, folder=NOTES))
    assert grants.covering(request) == (always,)
    grants.revoke(always.id)
    clock.now = NOON + DAY_S
    assert grants.covering(request) == (week,)


def test_a_clock_that_is_set_right_takes_no_yes_away(database: Database, clock: SetTime) -> None:
    """Some minutes are what the network's time corrects."""
    grants = Grants(database, clock)
    week = grants.add(GrantScope.WEEK, Covers("write_file", GrantKind.BELOW, folder=NOTES))
    clock.now = NOON - CLOCK_ERROR_S
    assert grants.use([week])


@pytest.mark.parametrize("behind_s", BEHIND_S)
@pytest.mark.parametrize("span", [ProjectDuration.TODAY, ProjectDuration.WEEK])
def test_project_mode_is_off_while_the_clock_is_behind(
    database: Database, clock: SetTime, tmp_path: Path, span: ProjectDuration, behind_s: float
) -> None:
    """Today would be a year; also in a program that starts only then."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    projects = Projects(database, now=clock, home=tmp_path / "me")
    project = projects.begin(folder, projects.end_of(span))
    assert projects.of(folder) == project
    clock.now = NOON - behind_s
    for each in (projects, Projects(database, now=clock, home=tmp_path / "me")):
        assert each.of(folder) is None
        assert not each.use(project)
        assert each.listed() == []
    clock.now = NOON + 60
    assert projects.of(folder) == project


def test_a_pause_of_the_gate_ends_when_it_was_to_end(clock: SetTime) -> None:
    """The clock only tells when that will be."""
    bus, ended = Bus(), threading.Event()
    pause = Pause(bus, clock)
    told: list[float | None] = []

    def tell(event: PauseChanged) -> None:
        told.append(event.until)
        if event.until is None:
            ended.set()

    bus.subscribe(PauseChanged, tell)
    pause.begin(0.05)
    clock.now -= YEAR_S
    assert ended.wait(30)
    assert pause.until is None
    assert told == [NOON + 0.05, None]
    pause.close()


def test_the_log_keeps_its_order_and_is_whole(database: Database, paths: Paths, clock: SetTime) -> None:
    """Its numbers order it; a record says which time the clock showed."""
    audit = AuditLog(database, Redactor([]), paths.audit_head, clock, paths.audit_key)
    audit.append("run", {"n": 1})
    clock.now -= YEAR_S
    audit.append("run", {"n": 2})
    assert [(each.record["n"], each.at) for each in audit.records()] == [(2, NOON - YEAR_S), (1, NOON)]
    assert audit.verify().is_whole


def test_what_was_said_meanwhile_is_not_old_afterwards(database: Database, clock: SetTime) -> None:
    """It bears last year's date; where old conversations are deleted, it goes when its neighbours go."""
    store = ChatStore(database, clock=clock)
    kept = ["90 of " + str(NOON)]

    def say(title: str) -> None:
        store.add(store.create(title).id, Role.USER, title)

    say("before")
    clock.now -= YEAR_S
    say("meanwhile")
    clock.now = NOON + 10 * DAY_S
    retention = Retention(database, store, lambda: 90, lambda: kept[0], kept.append, clock)
    assert retention.due() == ()
    clock.now = NOON + 91 * DAY_S
    assert {each.title for each in retention.due()} == {"before", "meanwhile"}
