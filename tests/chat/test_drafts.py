"""What is typed and not sent, on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.attachments import Attached, Attachment, AttachmentKind, Draft, joined
from desktop.chat.drafts import NEW_CHAT, Drafts
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import ChatStore, Role
from desktop.database import Database
from desktop.errors import UserFacing
from tests.fakes.failures import failure

PAGE = Attachment(
    Attached("page.html", AttachmentKind.FILE, "/home/me/page.html", "https://example.org", 12, False, 40),
    "Words of others",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "steward.db"


def again(path: Path) -> dict[int, Draft]:
    """What the next start finds."""
    database = Database(path, MIGRATIONS)
    found = Drafts(database).all()
    database.close()
    return found


def test_a_draft_is_there_at_the_next_start_with_all_that_goes_along(path: Path) -> None:
    """Also whose words they are: the next answer is as careful as this one would have been."""
    database = Database(path, MIGRATIONS)
    drafts = Drafts(database)
    drafts.set(NEW_CHAT, Draft("half a thought", (PAGE,)))
    drafts.set(7, Draft("another"))
    drafts.flush()
    database.close()
    assert again(path) == {NEW_CHAT: Draft("half a thought", (PAGE,)), 7: Draft("another")}


def test_an_empty_draft_takes_away_what_is_there(path: Path) -> None:
    """The message was sent."""
    database = Database(path, MIGRATIONS)
    drafts = Drafts(database)
    drafts.set(3, Draft("sent in a moment"))
    drafts.flush()
    drafts.set(3, Draft("  "))
    drafts.flush()
    database.close()
    assert again(path) == {}


def test_the_draft_of_a_deleted_conversation_goes_with_it(path: Path) -> None:
    """At the next start, when the conversation cannot be brought back any more."""
    database = Database(path, MIGRATIONS)
    store, drafts = ChatStore(database), Drafts(database)
    kept, deleted = store.create("kept").id, store.create("deleted").id
    for number in (kept, deleted):
        store.add(number, Role.USER, "question")
        drafts.set(number, Draft("more"))
    drafts.flush()
    store.delete(deleted)
    assert set(drafts.all()) == {kept, deleted}
    database.close()
    database = Database(path, MIGRATIONS)
    ChatStore(database)
    assert set(Drafts(database).all()) == {kept}
    database.close()


def test_what_a_full_disk_refused_is_written_with_the_next(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest words of each conversation, not the ones that were refused."""
    database = Database(path, MIGRATIONS)
    drafts = Drafts(database)
    drafts.set(1, Draft("old words"))
    drafts.set(2, Draft("kept words"))

    def refuse(_work: object) -> None:
        raise failure("There is no room on the disk.", "Nothing was lost.", "Make room.")

    with monkeypatch.context() as patched:
        patched.setattr(database, "write", refuse)
        with pytest.raises(UserFacing):
            drafts.flush()
    drafts.set(1, Draft("new words"))
    drafts.flush()
    database.close()
    assert again(path) == {1: Draft("new words"), 2: Draft("kept words")}


WORDS = st.lists(st.text("abc \n", max_size=5), max_size=4)


@given(WORDS)
def test_joined_messages_keep_every_word_in_order(texts: list[str]) -> None:
    """Empty ones leave no gap."""
    made = joined([Draft(text) for text in texts])
    assert made.text.split() == " ".join(texts).split()
    assert made.text.count("\n\n") >= max(sum(bool(text.strip()) for text in texts) - 1, 0)
    assert bool(made) == any(text.strip() for text in texts)
