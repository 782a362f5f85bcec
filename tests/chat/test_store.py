"""Conversations on disk."""

from __future__ import annotations

import itertools
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.conversation_memory import MemoryBlocks
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.reasons import ChatReason
from desktop.chat.store import AnswerEnding, ChatStore, MessageStatus, Role, title_of
from desktop.database import Connection, Database
from desktop.paths import Paths
from desktop.reasons import GERMAN

DONE = AnswerEnding(MessageStatus.COMPLETE, "tiny", answer_tokens=3, tokens_per_s=10.0, total_s=0.5)


def _answered(store: ChatStore, question: str, answer: str) -> int:
    conversation = store.create()
    _, streaming = store.open_turn(conversation.id, question)
    store.grow(streaming.id, answer, "")
    store.close_answer(streaming.id, DONE)
    return conversation.id


def test_a_turn_is_kept_with_its_figures(store: ChatStore) -> None:
    """Question and answer come back as they were, with model and timings."""
    conversation_id = _answered(store, "Why is the sky blue?", "Rayleigh scattering.")
    question, answer = store.messages(conversation_id)
    assert (question.role, question.text) == (Role.USER, "Why is the sky blue?")
    assert (answer.role, answer.text, answer.model) == (Role.ASSISTANT, "Rayleigh scattering.", "tiny")
    assert (answer.status, answer.answer_tokens) == (MessageStatus.COMPLETE, 3)


def test_a_streaming_answer_reads_as_far_as_it_is(store: ChatStore) -> None:
    """Opening a conversation while it is being answered shows what was committed."""
    _, answer = store.open_turn(store.create().id, "Hello")
    store.grow(answer.id, "", "Hm. ")
    store.grow(answer.id, "Good ", "Polite.")
    store.grow(answer.id, "day", "")
    now = store.message(answer.id)
    assert (now.text, now.thinking, now.status) == ("Good day", "Hm. Polite.", MessageStatus.STREAMING)


def test_pages_come_newest_first_and_in_order(store: ChatStore) -> None:
    """Each page is in reading order; together they are the whole conversation."""
    conversation_id = store.create().id
    for number in range(10):
        store.add(conversation_id, Role.USER, str(number))
    last = store.messages(conversation_id, limit=4)
    earlier = store.messages(conversation_id, limit=100, before=last[0].id)
    assert [m.text for m in earlier + last] == [str(n) for n in range(10)]
    assert store.message_count(conversation_id) == 10


def test_the_first_question_names_the_conversation(store: ChatStore) -> None:
    """The title comes from the first question and stays when another is asked."""
    conversation_id = _answered(store, "Why is the sky blue?", "…")
    _, answer = store.open_turn(conversation_id, "And at night?")
    store.close_answer(answer.id, DONE)
    assert store.get(conversation_id).title == "Why is the sky blue?"


@given(st.text(max_size=400))
def test_a_title_is_short_and_one_line(question: str) -> None:
    """Whatever is asked, the title fits a row of the sidebar and is not empty."""
    title = title_of(question)
    assert 0 < len(title) <= 49
    assert len(title.splitlines()) == 1


def test_the_list_is_by_last_use_and_hides_empty_ones(database: Database) -> None:
    """The conversation used last stands first; one without messages is not listed."""
    ticks = itertools.count(1000)
    store = ChatStore(database, clock=lambda: float(next(ticks)))
    first = _answered(store, "one", "1")
    second = _answered(store, "two", "2")
    store.create()
    store.add(first, Role.USER, "again")
    assert [c.id for c in store.conversations()] == [first, second]


def test_a_deleted_conversation_can_be_restored_until_the_next_start(
    paths: Paths, database: Database, store: ChatStore
) -> None:
    """Delete hides, restore brings back, a new start forgets: rows, words and all."""
    conversation_id = _answered(store, "secret plan", "…")
    store.delete(conversation_id)
    assert store.conversations() == ()
    assert store.search("secret").chats == ()
    store.restore(conversation_id)
    assert [c.id for c in store.conversations()] == [conversation_id]
    store.delete(conversation_id)
    ChatStore(database)
    rows = database.read(lambda c: c.execute("SELECT count(*) FROM messages").fetchone())
    assert rows[0] == 0


def test_kill_9_while_streaming_loses_nothing_that_was_shown(paths: Paths) -> None:
    """Every part that was announced is there after the restart, marked as interrupted."""
    script = textwrap.dedent(
        f"""
        import os, signal
        from pathlib import Path
        from desktop.chat.migrations import MIGRATIONS
        from desktop.chat.store import ChatStore
        from desktop.database import Connection, Database
        store = ChatStore(Database(Path({str(paths.database)!r}), MIGRATIONS))
        _, answer = store.open_turn(store.create().id, "Count")
        for number in range(50):
            store.grow(answer.id, f"{{number}} ", "")
        print(answer.conversation_id, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    root = Path(__file__).parents[2]
    killed = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True)
    assert killed.returncode == -9
    database = Database(paths.database, MIGRATIONS)
    answer = ChatStore(database).messages(int(killed.stdout.split()[-1]))[-1]
    database.close()
    assert answer.status is MessageStatus.INTERRUPTED
    assert answer.text == "".join(f"{number} " for number in range(50))


def test_a_reopened_answer_keeps_what_it_said(store: ChatStore) -> None:
    """Continuing a cut answer appends to it."""
    _, answer = store.open_turn(store.create().id, "Count")
    store.grow(answer.id, "one, ", "")
    store.close_answer(answer.id, AnswerEnding(MessageStatus.LENGTH))
    store.reopen(answer.id)
    store.grow(answer.id, "two", "")
    assert store.close_answer(answer.id, DONE).text == "one, two"


def _old_profile(path: Path) -> None:
    """A file as it was before messages had versions, with a conversation that was cut once."""
    database = Database(path, MIGRATIONS[:2])

    def fill(connection: Connection) -> None:
        connection.execute(
            "INSERT INTO conversations (title, created_at, updated_at, seen_from) VALUES ('Old', 1, 1, 3)"
        )
        roles = ("user", "assistant", "user", "assistant", "notice", "user", "assistant")
        for number, role in enumerate(roles, 1):
            connection.execute(
                "INSERT INTO messages (conversation_id, role, text, status, created_at)"
                " VALUES (1, ?, ?, 'complete', ?)",
                (role, f"text {number}", number),
            )

    database.write(fill)
    database.close()


def test_old_conversations_become_one_branch(paths: Paths) -> None:
    """Every message is there in its order, what the model sees is the same, and all of it can be found."""
    _old_profile(paths.database)
    database = Database(paths.database, MIGRATIONS)
    store = ChatStore(database)
    messages = store.messages(1)
    assert [m.text for m in messages] == [f"text {n}" for n in range(1, 8)]
    assert [m.parent_id for m in messages] == [None, 1, 2, 3, 4, 4, 6]
    assert {(m.version, m.versions) for m in messages if m.role is not Role.NOTICE} == {(1, 1)}
    assert store.seen_from(1) == 3
    (found,) = store.search("text").chats
    assert len(found.messages) + found.more == 6  # a notice is not looked for
    assert store.add(1, Role.USER, "new").parent_id == 7
    database.close()


@pytest.mark.parametrize("statement", range(8))
def test_kill_9_while_migrating_loses_nothing(paths: Paths, statement: int) -> None:
    """However far it got: the next start opens the file with every message."""
    _old_profile(paths.database)
    script = textwrap.dedent(
        f"""
        import os, signal
        from pathlib import Path
        from desktop.chat.migrations import MIGRATIONS
        from desktop.database import Database, Migration

        class Dying:
            def __init__(self, connection):
                self.connection, self.left = connection, {statement}
            def execute(self, *arguments):
                if not self.left:
                    os.kill(os.getpid(), signal.SIGKILL)
                self.left -= 1
                return self.connection.execute(*arguments)

        step = MIGRATIONS[2]
        dying = Migration(step.number, step.title, lambda c: step.apply(Dying(c)))
        Database(Path({str(paths.database)!r}), (*MIGRATIONS[:2], dying))
        """
    )
    root = Path(__file__).parents[2]
    killed = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True)
    assert killed.returncode == -9, killed.stderr
    database = Database(paths.database, MIGRATIONS)
    assert [m.text for m in ChatStore(database).messages(1)] == [f"text {n}" for n in range(1, 8)]
    assert database.backups()
    database.close()


def test_a_notice_is_kept_as_a_code_with_values(store: ChatStore) -> None:
    """Its text is English, for search and export; the reason comes back as it was given."""
    conversation = store.create()
    which = ChatReason.LEFT_OUT_ONE_QUESTION.of(first="Why “so”?")
    reason = ChatReason.LEFT_OUT_AS_SET.of(count=2, which=which)
    kept = store.message(store.add_notice(conversation.id, reason).id)
    assert (kept.role, kept.text, kept.reason) == (Role.NOTICE, str(reason), reason)


def test_a_notice_from_before_codes_is_still_there(paths: Paths) -> None:
    """The column is added beside the text, which stays as it was written."""
    before = tuple(each for each in MIGRATIONS if each.room != "chat" or each.number < 5)
    database = Database(paths.database, before)
    database.write(
        lambda c: c.execute("INSERT INTO conversations (title, created_at, updated_at) VALUES ('a', 1, 1)")
    )
    database.write(
        lambda c: c.execute(
            "INSERT INTO messages (conversation_id, role, text, status, created_at)"
            " VALUES (1, 'notice', 'The oldest messages are out.', 'complete', 1)"
        )
    )
    database.close()
    database = Database(paths.database, MIGRATIONS)
    kept = ChatStore(database).message(1)
    assert (kept.text, kept.reason) == ("The oldest messages are out.", None)
    database.close()


def test_blocks_from_before_know_which_memories_were_pinned(paths: Paths) -> None:
    """A block of pinned memories alone answers nothing; one with a found memory does."""
    before = tuple(each for each in MIGRATIONS if (each.room, each.number) != ("blocks", 3))
    database = Database(paths.database, before)
    store = ChatStore(database)
    for whys in (("is pinned",), ("is pinned", "the word “oats”")):
        question, _answer = store.open_turn(store.create().id, "What do I eat?")
        _old_block(database, question.id, whys)
    database.close()
    database = Database(paths.database, MIGRATIONS)
    questions = database.read(lambda c: [row[0] for row in c.execute("SELECT question_id FROM blocks")])
    blocks = MemoryBlocks(database).of(questions)
    assert [blocks[key].answers for key in sorted(questions)] == [False, True]
    why = blocks[max(questions)].items[1].why
    assert (str(why), why.in_language(GERMAN)) == ("the word “oats”", "the word “oats”")
    database.close()


def _old_block(database: Database, question_id: int, whys: tuple[str, ...]) -> None:
    rows = [(question_id, place, place, "user", "2026-11-01", why, 1.0) for place, why in enumerate(whys)]

    def insert(connection: Connection) -> None:
        connection.execute("INSERT INTO blocks VALUES (?, 'a', 1, '')", (question_id,))
        connection.executemany("INSERT INTO block_items VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    database.write(insert)
