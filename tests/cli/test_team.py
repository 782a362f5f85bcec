"""`steward memory team`: set up, asked, shared with a yes, taken back, forgotten, on a real server."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.app import Services, build_core
from desktop.cli import team as verb
from desktop.errors import UserFacing
from desktop.memory.item import Layer, NewItem
from desktop.memory.shared.connection import TeamAddress
from desktop.paths import Paths
from desktop.system.secrets import TEAM_PASSWORD, TEAM_SIGNING_KEY, Secrets
from tests.memory.shared.servers import postgres


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="steward-") as folder, postgres(Path(folder)) as address:
        yield address


class NoKeyring:
    """As on a computer without one."""

    def __call__(self) -> Any:
        from keyring.errors import NoKeyringError

        raise NoKeyringError


@pytest.fixture
def core(paths: Paths) -> Iterator[Services]:
    core = build_core(paths)
    core.secrets = Secrets(paths, NoKeyring())
    yield core
    core.close()


def told(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, without the log."""
    lines = capsys.readouterr().out.splitlines(keepends=True)
    return "".join(line for line in lines if "[info " not in line)


def test_off_at_first(core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is asked of any server before somebody names one."""
    verb.status(core, as_json=True)
    assert json.loads(told(capsys)) == {
        "store": "",
        "group": "",
        "cache": "",
        "name": "",
        "on": False,
        "role": "unknown",
        "doubted": [],
        "trouble": "",
    }
    assert core.network.log == ()


def test_a_group_from_connecting_to_forgetting(
    core: Services, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is shared is listed with its id and taken back by it; then no address is left."""
    core.secrets.set(TEAM_PASSWORD, "left over")
    verb.connect(core, TeamAddress(server, "shop"), "anna", False, as_json=False)
    said = told(capsys)
    assert said.startswith("Group shop as anna, at postgresql://")
    assert "\nIt answers. The tables belong to your login;" in said
    assert core.secrets.get(TEAM_PASSWORD) is None
    item = core.memory.store.add(NewItem("The release branch is cut by anna@example.org"))
    with pytest.raises(UserFacing) as refused:
        verb.share(core, item.id, Layer.COMPANY, yes=False, as_json=False)
    assert refused.value.not_lost == "Nothing was sent."
    verb.share(core, item.id, Layer.COMPANY, yes=True, as_json=True)
    shown = "The release branch is cut by [redacted: e-mail]"
    assert json.loads(told(capsys)) == {"layer": "company", "text": shown}
    verb.latest(core, as_json=True)
    (shared,) = json.loads(told(capsys))
    assert (shared["text"], shared["author"], shared["layer"]) == (shown, "anna", "company")
    assert shared["authorship"] == "signed"
    verb.withdraw(core, shared["id"], as_json=False)
    assert told(capsys) == "Deleted for everybody.\n"
    verb.forget(core, as_json=False)
    assert server not in core.settings.path.read_text(encoding="utf-8")
    assert not core.team.is_on


def test_a_store_that_does_not_answer_is_not_kept(core: Services) -> None:
    """Neither its address nor anything else is in the settings then."""
    with pytest.raises(UserFacing):
        verb.connect(core, TeamAddress("postgresql://me@127.0.0.1:1/x", "shop"), "anna", False, as_json=False)
    assert core.settings.current.memory.team_store == ""


def test_a_changed_key_is_shown_and_accepted(
    core: Services, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Marked in the list and in the status; afterwards it is told as before, and another name is refused."""
    verb.connect(core, TeamAddress(server, "choir"), "anna", False, as_json=False)
    core.team.share("We sing on Mondays", Layer.TEAM)
    core.secrets.delete(TEAM_SIGNING_KEY)  # as on a new computer of the same person
    core.team.share("We sing on Tuesdays", Layer.TEAM)
    capsys.readouterr()
    verb.latest(core, as_json=False)
    verb.status(core, as_json=False)
    said = capsys.readouterr().out
    assert "anna [not told: a different key than before] (team): We sing on Mondays" in said
    assert "anna (team): We sing on Tuesdays" in said  # one's own new key is known at once
    assert "steward memory team trust anna" in said
    verb.trust(core, "anna", as_json=False)
    assert told(capsys).startswith("Texts by anna are told again; their key is ")
    with pytest.raises(UserFacing) as refused:
        verb.trust(core, "bert", as_json=False)
    assert refused.value.code == "no-changed-key"


def test_what_an_administrator_runs_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Every login with its rights, without asking any server."""
    verb.sql("anna", ["bert"], ["cleo"])
    said = capsys.readouterr().out
    assert 'ALTER TABLE steward_memory OWNER TO "anna";' in said
    assert 'GRANT SELECT, INSERT, UPDATE, DELETE ON steward_memory TO "bert";' in said
    assert 'GRANT SELECT ON steward_memory TO "cleo";' in said


def test_forgetting_with_a_locked_keyring_changes_nothing(core: Services, paths: Paths) -> None:
    """As its error says; the address would be gone and the passwords would stay."""

    def locked() -> Any:
        from keyring.errors import KeyringLocked

        raise KeyringLocked("dismissed")

    core.settings.change("memory", "team_store", "postgresql://db.example.org/memory")
    core.secrets = Secrets(paths, locked)
    with pytest.raises(UserFacing) as caught:
        verb.forget(core, as_json=False)
    assert caught.value.code == "keyring-locked"
    assert core.settings.current.memory.team_store
