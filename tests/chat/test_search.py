"""Finding messages in all conversations, on a real database."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat import search as searching
from desktop.chat.attachments import Attached, Attachment, AttachmentKind
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.search import BEGIN, END, ChatSearch, SearchResults, Term, fold, pieces, read
from desktop.chat.store import AnswerEnding, ChatStore, MessageStatus, Role
from desktop.database import Database
from desktop.paths import Paths


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    database = Database(paths.database, MIGRATIONS)
    yield database
    database.close()


@pytest.fixture
def store(database: Database) -> ChatStore:
    ticks = itertools.count(1_000_000)
    return ChatStore(database, clock=lambda: float(next(ticks)))


@pytest.fixture
def search(database: Database) -> ChatSearch:
    return ChatSearch(database, clock=lambda: 1_000_100.0)


def say(store: ChatStore, *texts: str, title: str = "Untold") -> int:
    conversation_id = store.create(title).id
    for number, text in enumerate(texts):
        store.add(conversation_id, Role.ASSISTANT if number % 2 else Role.USER, text)
    return conversation_id


def excerpts(page: SearchResults) -> list[str]:
    """What was found, the marked part in brackets."""
    found = [message.excerpt for chat in page.chats for message in chat.messages]
    return [text.replace(BEGIN, "[").replace(END, "]") for text in found]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("rivers", ["Long [rivers] run slowly"]),
        ("RIVERS", ["Long [rivers] run slowly"]),
        ("riv", ["Long [rivers] run slowly"]),
        ("slowly rivers", ["Long [rivers] run [slowly]"]),
        ("run river", ["Long [rivers] [run] slowly"]),
        ('"rivers run"', ["Long [rivers run] slowly"]),
        ('"run rivers"', []),
        ('"rivers ru', ["Long [rivers run] slowly"]),
        ("riv*", ["Long [rivers] run slowly"]),
        ("ivers", ["Long r[ivers] run slowly"]),
        ("lakes rivers", []),
        ("cafe", ["The [Café] is shut"]),
        ("CAFÉ", ["The [Café] is shut"]),
        ("c++", ["Learn [C++] in a week"]),
        ("error_code", ["see [error_code] 17"]),
        ("東京", ["明日は[東京]タワーへ行きます", "私は[東京]"]),
        ("東京タワー", ["明日は[東京タワー]へ行きます"]),
        ("京", ["明日は東[京]タワーへ行きます", "私は東[京]"]),
        ("ไทย", ["ภาษา[ไทย]สนุก"]),
        ("", []),
        ('"', []),
        ("NEAR(", []),
        ("a AND", []),
        ("🙂", ["good [🙂] day"]),
    ],
)
def test_search_takes_words_as_people_type_them(
    store: ChatStore, search: ChatSearch, typed: str, found: list[str]
) -> None:
    """Words in any order, phrases, beginnings, parts, signs, running scripts; case and accents never."""
    for text in (
        "Long rivers run slowly",
        "The Café is shut",
        "Learn C++ in a week",
        "see error_code 17",
        "明日は東京タワーへ行きます",
        "私は東京",
        "ภาษาไทยสนุก",
        "good 🙂 day",
        "entirely different",
    ):
        say(store, text)
    assert sorted(excerpts(search.find(typed))) == sorted(found)


def test_whole_words_come_before_beginnings_and_parts(store: ChatStore, search: ChatSearch) -> None:
    """However old it is, what was typed stands first."""
    say(store, "the cat sleeps")
    say(store, "a catalogue of cats")
    say(store, "we concatenate")
    assert excerpts(search.find("cat")) == ["the [cat] sleeps", "a [catalogue] of [cats]", "we con[cat]enate"]


def test_a_message_about_it_comes_before_one_that_names_it(store: ChatStore, search: ChatSearch) -> None:
    """BM25 ranks: often in a short text weighs more than once in a long one."""
    say(store, "moss grows on moss, and moss likes rain")
    say(store, "moss " + "and many other words that are about something else entirely " * 8)
    assert excerpts(search.find("moss"))[0].startswith("[moss] grows")


def test_matches_are_grouped_by_conversation_with_the_rest_counted(
    store: ChatStore, search: ChatSearch
) -> None:
    """A conversation appears once, with its best messages and the number of the others."""
    chat = say(store, *(f"pebble {n}" for n in range(7)), title="Stones")
    other = say(store, "one pebble")
    page = search.find("pebble")
    assert {found.conversation_id for found in page.chats} == {chat, other}
    stones = next(found for found in page.chats if found.conversation_id == chat)
    assert (len(stones.messages), stones.more, stones.title) == (4, 3, "Stones")


def test_titles_are_found_and_stand_first(store: ChatStore, search: ChatSearch) -> None:
    """A conversation that is called so comes before those that only mention it."""
    say(store, "about gardens", title="Weather")
    titled = say(store, "no such word", title="My garden")
    page = search.find("garden")
    assert page.chats[0].conversation_id == titled
    assert page.chats[0].title == f"My {BEGIN}garden{END}"


def test_what_is_deleted_is_not_found(store: ChatStore, search: ChatSearch, database: Database) -> None:
    """A deleted conversation at once, a removed message at once; after the next start no index knows them."""
    chat = say(store, "a hidden treasure", title="Treasure")
    kept = say(store, "another treasure")
    store.delete(chat)
    assert excerpts(search.find("treasure")) == ["another [treasure]"]
    store.remove(store.messages(kept)[0].id)
    assert search.find("treasure").chats == ()
    ChatStore(database)
    left = database.read(
        lambda c: c.execute(
            "SELECT count(*) FROM messages_terms WHERE messages_terms MATCH 'treasure'"
        ).fetchone()
    )
    assert left[0] == 0


def test_an_answer_is_found_once_it_is_closed(store: ChatStore, search: ChatSearch) -> None:
    """What streams is in no index; closing puts it there, also after it was written again."""
    _, answer = store.open_turn(store.create().id, "tell me")
    store.grow(answer.id, "A walrus ", "")
    store.grow(answer.id, "swims.", "")
    assert search.find("walrus").chats == ()
    store.close_answer(answer.id, AnswerEnding(MessageStatus.COMPLETE))
    assert excerpts(search.find("walrus")) == ["A [walrus] swims."]


def test_a_common_word_gives_a_full_page_that_says_so(
    store: ChatStore, search: ChatSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond what is looked through, the newest count, and the page says that there is more."""
    monkeypatch.setattr(searching, "CANDIDATES", 20)
    for number in range(30):
        say(store, f"common thing {number}")
    page = search.find("common")
    assert page.capped
    assert "[common] thing 29" in excerpts(page)
    assert "[common] thing 0" not in excerpts(page)


def test_an_excerpt_of_a_long_message_is_short_and_shows_the_match(
    store: ChatStore, search: ChatSearch
) -> None:
    """It begins and ends at a word, with dots where something is left out."""
    say(store, "before " * 3000 + "needle" + " after" * 3000)
    (text,) = excerpts(search.find("needle"))
    assert text.startswith("… before")
    assert text.endswith("after …")
    assert "[needle]" in text
    assert len(text) < 200


def send(store: ChatStore, question: str, *along: tuple[str, str]) -> int:
    """A question with attachments, each a name and a text; returns its id."""
    attachments = [Attachment(Attached(name, AttachmentKind.FILE), text) for name, text in along]
    return store.open_turn(store.create().id, question, attachments=attachments)[0].id


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("haddock", ["tides.txt: High water suits the [haddock]"]),
        ("HADD", ["tides.txt: High water suits the [haddock]"]),
        ("addoc", ["tides.txt: High water suits the h[addoc]k"]),
        ('"high water"', ["tides.txt: [High water] suits the haddock"]),
        ("tides", ["[tides].txt: High water suits the haddock"]),
        ("tides haddock", ["[tides].txt: High water suits the [haddock]"]),
        ("tides.txt", ["[tides.txt]: High water suits the haddock"]),
        ("潮", ["表.csv: 満[潮]の時刻"]),
        ("満潮の時刻", ["表.csv: [満潮の時刻]"]),
        ("haddock 満潮", []),
        ("summarise", ["[Summarise] this"]),
    ],
)
def test_what_went_along_is_found_with_its_message(
    store: ChatStore, search: ChatSearch, typed: str, found: list[str]
) -> None:
    """By its words and its name, in every net, with the name before the excerpt."""
    asked = send(
        store,
        "Summarise this",
        ("tides.txt", "High water suits the haddock"),
        ("表.csv", "満潮の時刻"),
    )
    page = search.find(typed)
    assert excerpts(page) == found
    assert all(each.message_id == asked for chat in page.chats for each in chat.messages)


def test_a_message_that_says_it_itself_is_shown_by_its_own_words(
    store: ChatStore, search: ChatSearch
) -> None:
    """Once, also where more than one of its attachments holds the word."""
    send(store, "Is a haddock a cod?", ("a.txt", "haddock"), ("b.txt", "haddock"))
    assert excerpts(search.find("haddock")) == ["Is a [haddock] a cod?"]


def test_an_attachment_is_not_found_without_its_message(
    store: ChatStore, search: ChatSearch, database: Database
) -> None:
    """Hidden, it is not shown; deleted, no index knows it, and other attachments are found as before."""
    store.hide(send(store, "What is it?", ("a.txt", "haddock")))
    send(store, "And this?", ("b.txt", "herring"))
    assert search.find("haddock").chats == ()
    ChatStore(database)
    for index, word in (("attachments_terms", "haddock"), ("attachments_pieces", "ddo")):
        sql = f"SELECT count(*) FROM {index} WHERE {index} MATCH '{word}'"
        assert database.read(lambda c, sql=sql: c.execute(sql).fetchone()[0]) == 0  # type: ignore[misc]
    assert excerpts(search.find("herring")) == ["b.txt: [herring]"]


def test_attachments_from_before_the_index_are_found(paths: Paths) -> None:
    """The index is filled with what is there when it is made."""
    database = Database(paths.database, [step for step in MIGRATIONS if step.room != "attachment search"])
    send(ChatStore(database), "Summarise this", ("tides.txt", "High water suits the haddock"))
    database.close()
    database = Database(paths.database, MIGRATIONS)
    for typed in ("haddock", "addoc"):
        assert len(excerpts(ChatSearch(database).find(typed))) == 1
    database.close()


def test_a_database_of_the_version_before_is_found_through(paths: Paths) -> None:
    """The index is filled with what was said before there was one."""
    old = [step for step in MIGRATIONS if step.room == "chat"]
    database = Database(paths.database, old)
    said = "INSERT INTO conversations (id, title, created_at, updated_at) VALUES (1, 'Old', 1, 1)"
    database.write(lambda c: c.execute(said))
    database.write(
        lambda c: c.execute(
            "INSERT INTO messages (conversation_id, role, text, status, created_at)"
            " VALUES (1, 'user', 'an old saying', 'complete', 1)"
        )
    )
    database.close()
    database = Database(paths.database, MIGRATIONS)
    assert excerpts(ChatSearch(database).find("saying")) == ["an old [saying]"]
    tables = database.read(
        lambda c: c.execute("SELECT name FROM sqlite_master WHERE name LIKE 'messages_words%'").fetchall()
    )
    assert tables == []
    database.close()


@given(st.text(max_size=60))
def test_any_text_may_be_searched_for(typed: str) -> None:
    """Nothing that a person types is a mistake of syntax."""
    query = read(typed)
    assert all(term.text for term in query.terms)
    assert "\0" not in query.exactly() + query.beginnings()


@given(st.text())
def test_folding_keeps_places(text: str) -> None:
    """A place in the folded text is the same place in the text."""
    assert len(fold(text)) == len(text)


@given(st.text(min_size=1, max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_a_text_has_all_pieces_of_what_it_holds(part: str, before: str, after: str) -> None:
    """The index of pieces never misses a text that holds what is looked for."""
    assert set(pieces(part)) <= set(pieces(before + part + after))


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("one two", (Term("one"), Term("two"))),
        ('say "one two" three', (Term("say"), Term("one two", phrase=True), Term("three"))),
        ('"open end', (Term("open end", phrase=True, open=True),)),
        ("beg*", (Term("beg", open=True),)),
        ("***", ()),
        ('""', ()),
        ("a\0b", (Term("a"), Term("b"))),
    ],
)
def test_what_is_typed_is_read_as_terms(typed: str, terms: tuple[Term, ...]) -> None:
    """Words, phrases between quotes, and a star for a beginning."""
    assert read(typed).terms == terms
