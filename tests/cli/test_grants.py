"""`steward grants`: listed, revoked one by one and all at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.cli import grants as verb
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate.grants import Covers, GrantKind, Grants, GrantScope
from desktop.gate.migrations import MIGRATIONS
from desktop.paths import Paths

HERE = Path("/home/me/project")


@pytest.fixture
def grants(paths: Paths) -> Iterator[Grants]:
    database = Database(paths.database, MIGRATIONS)
    yield Grants(database)
    database.close()


@pytest.fixture
def two(grants: Grants) -> Grants:
    grants.add(GrantScope.ALWAYS, Covers("run_command", GrantKind.EXACT, "make docs", HERE))
    grants.add(GrantScope.CHAT, Covers("write_file", GrantKind.EXACT, "/home/me/ü.txt", HERE), "7")
    return grants


def test_nothing_is_said_in_words(grants: Grants, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty list is a sentence for people and an empty list for scripts."""
    verb.show(grants, as_json=False)
    verb.revoke_all(grants, as_json=False)
    assert capsys.readouterr().out == "Nothing is allowed beyond one click.\nThere was nothing to revoke.\n"
    verb.show(grants, as_json=True)
    assert json.loads(capsys.readouterr().out) == []


def test_each_has_a_line_with_its_number_and_its_words(
    two: Grants, capsys: pytest.CaptureFixture[str]
) -> None:
    """The words are those of the dialog; JSON has every field."""
    verb.show(two, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("run_command for exactly this: make docs, always in /home/me/project")
    assert lines[1].split()[0] == "1"
    verb.show(two, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found[0]["text"] == "/home/me/ü.txt"
    assert (found[0]["chat"], found[0]["scope"], found[0]["uses"]) == ("7", "chat", 0)
    assert found[0]["ends_at"] - found[0]["used_at"] == 90 * 24 * 3600


def test_one_is_revoked_and_the_other_stays(two: Grants, capsys: pytest.CaptureFixture[str]) -> None:
    """The number of the list is what `revoke` takes."""
    verb.revoke(two, 1, as_json=False)
    assert capsys.readouterr().out.startswith("Revoked: run_command for exactly this: make docs")
    assert [grant.id for grant in two.listed()] == [2]


def test_a_number_that_is_not_there_changes_nothing(two: Grants) -> None:
    """It says where the numbers are."""
    with pytest.raises(UserFacing, match="no permission number 9") as raised:
        verb.revoke(two, 9, as_json=False)
    assert "grants list" in raised.value.action
    assert len(two.listed()) == 2


def test_all_are_revoked(two: Grants, capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts are told which."""
    verb.revoke_all(two, as_json=True)
    assert sorted(json.loads(capsys.readouterr().out)["revoked"]) == [1, 2]
    assert two.listed() == []
