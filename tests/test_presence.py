"""Who is at work in a profile: what a living process has open is left alone by a start beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.chat.messages import MessageStatus, Role
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import AnswerEnding, ChatStore
from desktop.database import Database
from desktop.presence import Presence

STAYS = """
import sys, time
from pathlib import Path
from desktop.presence import Presence
here = Presence(Path(sys.argv[1]))
print(here.name, flush=True)
time.sleep(600)
"""


def others(presence: Presence) -> frozenset[str] | None:
    with presence.others() as living:
        return living


@pytest.mark.children
def test_a_process_is_there_until_it_ends_however_it_does(tmp_path: Path) -> None:
    """A killed one leaves its file, which the next look removes."""
    here = Presence(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", STAYS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        name = child.stdout.readline().strip()
        assert others(here) == {name}
        child.kill()
    assert (tmp_path / f"{name}.lock").exists()
    assert others(here) == frozenset()
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["door.lock", f"{here.name}.lock"])
    here.close()
    assert [each.name for each in tmp_path.iterdir()] == ["door.lock"]


def test_where_no_file_can_be_made_nobody_knows(tmp_path: Path) -> None:
    """Then nothing is put in order, and nothing is raised."""
    (tmp_path / "folder").write_text("no folder")
    here = Presence(tmp_path / "folder")
    assert others(here) is None
    here.close()


@pytest.mark.skipif(os.name != "posix", reason="modes are those of Unix")
def test_its_files_are_its_owners(tmp_path: Path) -> None:
    """As all of a profile."""
    here = Presence(tmp_path / "presence")
    others(here)
    assert {each.stat().st_mode & 0o077 for each in (tmp_path / "presence", *tmp_path.glob("*/*"))} == {0}
    here.close()


def test_an_answer_of_a_living_process_goes_on(tmp_path: Path) -> None:
    """Its words stay together, its deletion can be taken back, and its new chat is there; of one that is gone
    the answer is closed, and the rest forgotten."""
    database = Database(tmp_path / "chats.sqlite3", MIGRATIONS)
    tray = Presence(tmp_path / "presence")
    store = ChatStore(database, presence=tray)
    chat, deleted, new = (store.create().id for _ in range(3))
    store.add(chat, Role.USER, "hello")
    store.add(deleted, Role.USER, "hello")
    answer, call = store.open_answer(chat).id, store.open_answer(chat).id
    store.grow(answer, "The beginning. ", "")
    store.delete(deleted)

    verb = Presence(tmp_path / "presence")
    beside = ChatStore(database, presence=verb)
    assert beside.message(answer).status is MessageStatus.STREAMING
    store.grow(answer, "The end.", "")
    closed = store.close_answer(answer, AnswerEnding(MessageStatus.COMPLETE))
    assert (closed.text, closed.status) == ("The beginning. The end.", MessageStatus.COMPLETE)
    store.restore(deleted)
    store.add(new, Role.USER, "hello")

    store.delete(deleted)
    gone = store.create().id
    tray.close()
    verb.close()
    alone = Presence(tmp_path / "presence")
    after = ChatStore(database, presence=alone)
    assert after.message(call).status is MessageStatus.INTERRUPTED
    for each in (deleted, gone):
        with pytest.raises(KeyError):
            after.get(each)
    alone.close()
    database.close()
