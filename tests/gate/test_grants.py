"""Grants: what was allowed, no more, and no longer than it is used."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.database import Database
from desktop.gate.grants import (
    UNUSED_S,
    Covers,
    Grant,
    GrantKind,
    Grants,
    GrantScope,
    covering,
    offered_scopes,
)
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.request import Request
from desktop.gate.verdict import Effect, Flag
from desktop.paths import Paths
from tests.fakes.clock import SetTime

HERE = Path("/home/me/project")
NOTES = Path("/home/me/notes")
NOTES_FILES = Covers("write_file", GrantKind.BELOW, folder=NOTES)
MAKE = Covers("run_command", GrantKind.EXACT, "make docs", HERE)


@pytest.fixture
def clock() -> SetTime:
    return SetTime()


@pytest.fixture
def grants(database: Database, clock: SetTime) -> Grants:
    return Grants(database, now=clock)


def writing(*paths: str, chat: str = "1") -> Request:
    return Request("write_file", Effect.UPDATE, parts=paths, chat=chat)


def running(*commands: str, folder: Path = HERE) -> Request:
    line = " && ".join(commands)
    return Request("run_command", Effect.CREATE, parts=commands, text=line, folder=folder, runs=True)


@pytest.mark.parametrize(
    ("covers", "request_", "covered"),
    [
        (NOTES_FILES, writing("/home/me/notes/a.txt"), True),
        (NOTES_FILES, writing("/home/me/notes/deep/a.txt", "/home/me/notes/b.txt"), True),
        (NOTES_FILES, writing("/home/me/notes/a.txt", "/home/me/other.txt"), False),
        (NOTES_FILES, writing("/home/me/notes-private/a.txt"), False),
        (NOTES_FILES, writing("/home/me/notes/../.ssh/id"), False),
        (NOTES_FILES, writing("notes/a.txt"), False),
        (NOTES_FILES, replace(writing("/home/me/notes/.env"), flags=frozenset({Flag.SECRET})), False),
        (NOTES_FILES, replace(writing("/home/me/notes/a"), flags=frozenset({Flag.OUTSIDE})), True),
        (NOTES_FILES, replace(writing("/home/me/notes/a.txt"), tool="delete_file"), False),
        (NOTES_FILES, replace(writing(), parts=()), False),
        (MAKE, running("make docs"), True),
        (MAKE, running("make docs", folder=HERE / "below"), False),
        (MAKE, running("make docs "), False),
        (MAKE, running("make docs", "make install"), False),
        (MAKE, running("make docs", "make docs"), True),
        (MAKE, replace(running("make docs", "make docs"), is_static=False), False),
        (Covers("run_command", GrantKind.EXACT, "a && b", HERE), running("a", "b"), True),
        (Covers("run_command", GrantKind.BELOW, folder=Path("/")), running("/bin/true"), False),
        (Covers("clipboard_read", GrantKind.TOOL), Request("clipboard_read", Effect.READ), True),
        (Covers("clipboard_read", GrantKind.TOOL), Request("screenshot", Effect.READ), False),
        (
            Covers("read_file", GrantKind.TOOL),
            Request("read_file", Effect.READ, parts=("/etc/passwd",)),
            False,
        ),
        (
            Covers("read_file", GrantKind.EXACT, "/etc/hostname"),
            Request("read_file", Effect.READ, frozenset({Flag.OUTSIDE}), ("/etc/hostname",)),
            True,
        ),
    ],
)
def test_a_grant_covers_what_its_words_say(
    grants: Grants, covers: Covers, request_: Request, covered: bool
) -> None:
    """Every part, whole path components, the exact text in its folder, and nothing beside it."""
    grants.add(GrantScope.ALWAYS, covers)
    assert bool(grants.covering(request_)) is covered


COMMANDS = st.sampled_from(["make docs", "git add .", "rm -rf x", "ls", "make", "make docs;", ""])


@given(st.lists(COMMANDS, min_size=1, max_size=5), st.sets(COMMANDS), st.booleans())
def test_no_grant_matches_a_line_with_an_unmatched_command(
    commands: list[str], granted: set[str], other_folder: bool
) -> None:
    """For any line and any grants: it is covered exactly when each of its commands, or all of it, is."""
    folder = HERE / "other" if other_folder else HERE
    known = [
        Grant(number, GrantScope.ALWAYS, Covers("run_command", GrantKind.EXACT, text, HERE), "", 0, 0, 0)
        for number, text in enumerate(sorted(granted))
    ]
    request = running(*commands, folder=folder)
    wanted = not other_folder and (set(commands) <= granted or request.text in granted)
    assert bool(covering(request, known)) is wanted


def test_once_is_once(grants: Grants, database: Database) -> None:
    """A grant for one time is used up by its use, also when two ask at the same moment."""
    grants.add(GrantScope.ONCE, MAKE)
    chosen = grants.covering(running("make docs"))
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append(grants.use(chosen))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False, False, False, True]
    assert grants.covering(running("make docs")) == ()


def test_a_chat_grant_is_for_its_chat(grants: Grants) -> None:
    """Another chat asks again, and a deleted chat takes its grants with it."""
    grants.add(GrantScope.CHAT, NOTES_FILES, chat="1")
    assert grants.covering(writing("/home/me/notes/a", chat="1"))
    assert not grants.covering(writing("/home/me/notes/a", chat="2"))
    grants.end_chat("1")
    assert not grants.covering(writing("/home/me/notes/a", chat="1"))


def test_grants_are_listed_counted_and_revoked(grants: Grants, clock: SetTime) -> None:
    """The list shows what the Permissions page needs, and a revoked grant is gone at once."""
    first, second = grants.add(GrantScope.ALWAYS, MAKE), grants.add(GrantScope.ALWAYS, NOTES_FILES)
    clock.now += 60
    chosen = grants.covering(running("make docs"))
    assert grants.use(chosen)
    assert grants.use(chosen)
    listed = grants.listed()
    assert [(grant.id, grant.uses) for grant in listed] == [(first.id, 2), (second.id, 0)]
    assert (listed[0].granted_at, listed[0].used_at) == (1_000_000.0, 1_000_060.0)
    grants.revoke(first.id)
    assert grants.use(chosen) is False
    assert [grant.id for grant in grants.listed()] == [second.id]
    grants.revoke_all()
    assert grants.listed() == []


def test_a_revocation_is_taken_back(grants: Grants, clock: SetTime) -> None:
    """With its count and dates; what ended for another reason stays ended."""
    grant = grants.add(GrantScope.ALWAYS, MAKE)
    assert grants.use([grant])
    before = grants.listed()
    grants.revoke(grant.id)
    assert grants.listed() == []
    clock.now += 5
    grants.restore(grant.id)
    assert grants.listed() == before
    once = grants.add(GrantScope.ONCE, NOTES_FILES)
    assert grants.use([once])
    grants.restore(once.id)
    assert grants.listed() == before


def test_the_words_say_what_is_covered(grants: Grants) -> None:
    """The sentence on the button is made from the grant itself."""
    texts = [
        str(grants.add(scope, covers).in_words())
        for scope, covers in ((GrantScope.ALWAYS, MAKE), (GrantScope.CHAT, NOTES_FILES))
    ]
    assert texts == [
        "run_command for exactly this: make docs, always in /home/me/project",
        "write_file for any file in /home/me/notes, for this chat",
    ]


def test_ninety_days_without_use_end_a_grant(grants: Grants, clock: SetTime) -> None:
    """A use starts the time anew; what lapsed is not in force even before anybody tidies up."""
    grants.add(GrantScope.ALWAYS, MAKE)
    clock.now += UNUSED_S - 1
    assert grants.use(grants.covering(running("make docs")))
    clock.now += UNUSED_S - 1
    chosen = grants.covering(running("make docs"))
    assert chosen
    clock.now += 1
    assert not grants.covering(running("make docs"))
    assert not grants.use(chosen)
    assert grants.listed() == []
    assert grants.lapse() == 1
    assert grants.lapse() == 0


def test_the_same_grant_twice_is_one_line(grants: Grants) -> None:
    """Allowing again does not fill the list."""
    assert grants.add(GrantScope.ALWAYS, MAKE).id == grants.add(GrantScope.ALWAYS, MAKE).id
    assert len(grants.listed()) == 1


def test_grants_survive_a_restart(paths: Paths, clock: SetTime) -> None:
    """They are in the database."""
    for expected in (0, 1):
        database = Database(paths.database, MIGRATIONS)
        grants = Grants(database, now=clock)
        assert len(grants.listed()) == expected
        grants.add(GrantScope.ALWAYS, MAKE)
        database.close()


@pytest.mark.parametrize(
    ("request_", "lasting"),
    [
        (running("make docs"), True),
        (writing("/home/me/notes/a"), True),
        (replace(running("make docs"), is_static=False), False),
        (replace(running("make docs"), is_shown=False), False),
        (replace(running("make docs"), untrusted=("a web page",)), False),
        (replace(running("make docs"), flags=frozenset({Flag.SENDS})), False),
        (replace(writing("/etc/motd"), flags=frozenset({Flag.OUTSIDE})), False),
        (replace(running("rm x"), effect=Effect.DELETE), False),
        (replace(running("./x"), effect=Effect.UNKNOWN), False),
    ],
)
def test_lasting_grants_are_offered_only_where_they_say_everything(request_: Request, lasting: bool) -> None:
    """Anything else can be allowed once."""
    assert (GrantScope.ALWAYS in offered_scopes(request_)) is lasting
    assert (GrantScope.CHAT in offered_scopes(request_)) is lasting
    assert GrantScope.ONCE in offered_scopes(request_)
