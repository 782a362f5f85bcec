"""`steward memory`: what is remembered, in words and as JSON."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from desktop.app import Services, build_core
from desktop.cli import memory as verb
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.item import Layer, MemorySource, NewItem
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.shared.connection import TeamAddress
from desktop.paths import Paths
from desktop.system.secrets import TEAM_PASSWORD, TEAM_SIGNING_KEY, Secrets
from desktop.tools import notes, reminders
from desktop.tools.reminders import Reminders
from tests.memory.shared.servers import postgres
from tests.shipped import redactor


@pytest.fixture
def memory(paths: Paths) -> Iterator[Memory]:
    database = Database(paths.database, MIGRATIONS)
    memory = Memory(database, redactor())
    yield memory
    memory.close()
    database.close()


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def as_json(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(said(capsys))


def test_what_is_added_is_found_and_forgotten(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """By its words, with the reason; then it is gone."""
    verb.add(memory, "my dentist is Dr. Weber", as_json=False)
    assert said(capsys) == "Remembered: my dentist is Dr. Weber\n"
    verb.search(memory, "Who is the dentist?", as_json=False)
    date = memory.store.get(1).date
    assert said(capsys) == f"1. {date}  my dentist is Dr. Weber  (has dentist)\n"
    verb.forget(memory, "dentist", as_json=False)
    assert said(capsys).startswith("Forgotten: one memory")
    verb.search(memory, "dentist", as_json=False)
    assert said(capsys) == "Nothing fits.\n"


def test_scripts_get_json(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """One value for each verb."""
    verb.add(memory, "we use tabs", as_json=True, project="/shop")
    (added,) = as_json(capsys)
    assert (added["layer"], added["scope"], added["source"]) == ("project", "/shop", "user")
    verb.search(memory, "tabs", as_json=True, project="/shop")
    (found,) = as_json(capsys)
    assert (found["id"], found["why"]) == (added["id"], "has tabs")
    verb.search(memory, "tabs", as_json=True, project="/other")
    assert as_json(capsys) == []
    verb.stats(memory, as_json=True)
    counts = as_json(capsys)
    assert (counts["notes"], counts["episodes"], counts["known_fixes"], counts["events_dropped"]) == (
        1,
        0,
        0,
        0,
    )
    verb.doctor(memory, as_json=True)
    assert as_json(capsys) == []
    verb.forget(memory, str(added["id"]), as_json=True)
    assert as_json(capsys)[0]["text"] == "we use tabs"
    verb.forget_everything(memory, as_json=True)
    assert as_json(capsys)["backups"] == []


def test_what_is_unclear_deletes_nothing(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """Several that fit, none that fits, and a number that nothing has."""
    verb.add(memory, "Anna likes tea", as_json=True)
    verb.add(memory, "Anna has a red car", as_json=True)
    for wanted in ("Anna", "zebra", "99"):
        with pytest.raises(UserFacing, match="Nothing was deleted"):
            verb.forget(memory, wanted, as_json=False)
    assert len(memory.store.latest()) == 2


def test_several_are_forgotten_once_it_was_agreed_to(memory: Memory) -> None:
    """By `--yes`, after the list was seen."""
    verb.add(memory, "Anna likes tea", as_json=True)
    verb.add(memory, "Anna has a red car", as_json=True)
    verb.forget(memory, "Anna", as_json=False, agreed=True)
    assert memory.store.latest() == ()


def test_the_export_is_for_people(memory: Memory, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Markdown by kind and layer, with dates, origins, and what was replaced; to stdout or into a file."""
    verb.add(memory, "my dentist is Dr. Weber", as_json=False)
    verb.add(memory, "my dentist is Dr. Meier", as_json=False)
    memory.record("1", "user", "Hello there", MemorySource.USER, project="/shop")
    said(capsys)
    verb.export(memory, None)
    weber, meier, hello = (memory.store.get(number).date for number in (1, 2, 3))  # midnight may come between
    text = said(capsys)
    assert text == (
        "# What Steward remembers\n\n## Notes\n\n### User\n\n"
        f"- {meier} my dentist is Dr. Meier\n"
        f"- {weber} my dentist is Dr. Weber (replaced since)\n"
        "\n## Conversations\n\n### Project: /shop\n\n"
        f"- {hello} Hello there\n"
    )
    file = tmp_path / "memory.md"
    verb.export(memory, file)
    assert file.read_text(encoding="utf-8") == text
    said(capsys)
    verb.export(memory, None, episodes=False)
    assert "Hello there" not in said(capsys)
    (tmp_path / "taken").write_text("a file, no folder")
    with pytest.raises(UserFacing, match="could not be written"):
        verb.export(memory, tmp_path / "taken" / "memory.md")


def test_the_doctor_finds_what_is_wrong(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """Notes that say the same, and notes that contradict each other after an edit."""
    verb.add(memory, "the spare key is under the third flower pot", as_json=False)
    verb.add(memory, "The spare key is under the third flower-pot.", as_json=False)
    verb.add(memory, "my dentist is Dr. Weber", as_json=False)
    verb.add(memory, "my doctor is Dr. Meier", as_json=False)
    memory.store.change(4, "my dentist is Dr. Meier")
    said(capsys)
    verb.doctor(memory, as_json=False)
    lines = said(capsys).splitlines()
    assert "Two notes say nearly the same thing." in lines
    assert "Several notes are about “dentist”." in lines


NOW = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def held(paths: Paths, bus: Bus) -> Iterator[Reminders]:
    database = Database(paths.database, (*notes.MIGRATIONS, *reminders.MIGRATIONS))
    yield Reminders(database, bus, lambda: NOW)
    database.close()


def test_the_list_has_the_numbers(held: Reminders, capsys: pytest.CaptureFixture[str]) -> None:
    """The first to come due first; an empty list is a sentence."""
    verb.show_reminders(held)
    held.set_reminder("buy milk", "tomorrow at 9")
    held.set_reminder("call Anna", "at 5")
    verb.show_reminders(held)
    assert capsys.readouterr().out == (
        "No reminders are set.\n"
        "2. Friday 20 November 2026, 17:00 (in 7 hours 30 minutes): call Anna\n"
        "1. Saturday 21 November 2026, 09:00 (in 23 hours 30 minutes): buy milk\n"
    )


def test_one_is_cancelled(held: Reminders, capsys: pytest.CaptureFixture[str]) -> None:
    """By number or words; what does not fit is an error with the list."""
    held.set_reminder("buy milk", "tomorrow at 9")
    with pytest.raises(UserFacing, match="buy milk"):
        verb.cancel_reminder(held, "7")
    verb.cancel_reminder(held, "milk")
    told = "Cancelled reminder 1 (Saturday 21 November 2026, 09:00 (in 23 hours 30 minutes)): buy milk\n"
    assert capsys.readouterr().out == told


# -- steward memory team -----------------------------------------------------------------------


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
