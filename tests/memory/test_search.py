"""Recall: the right memory first, in any of its forms, and why it was found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.memory.item import MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.memory.memory import Memory
from desktop.memory.reasons import MemoryReason
from desktop.memory.search import MemoryQuery, Search, _Frequencies
from desktop.memory.store import MemoryStore, View
from desktop.memory.text import Finder, any_of, grams_of, read_vocabulary, spaced
from desktop.paths import resources
from tests.memory.conftest import MONDAY, Clock

VOCABULARY = read_vocabulary(resources() / "memory" / "words.toml")


def found(memory: Memory, text: str) -> list[str]:
    return [hit.item.text for hit in memory.search.hits(memory.search.question(text))]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("We are meeting Anna at the harbour", "Where are the meetings with Anna?"),
        ("Die Haftpflichtversicherung ist bei der Sparkasse", "Wo ist meine Versicherung?"),
        ("The report is quarterly_report_v2.pdf", "quarterly report"),
        ("東京都に住んでいます", "東京"),
        ("Das Café heißt Zur Möwe", "cafe mowe"),
        ("The server is called alder-07", 'what is "alder-07"?'),
    ],
)
def test_it_is_found_in_another_form(memory: Memory, text: str, asked: str) -> None:
    """Stems, parts of compounds, file names, scripts without spaces, accents, quotes."""
    for filler in ("The kettle is red", "Lunch was late", "Der Zug ist voll", "大阪は遠い"):
        memory.store.add(NewItem(filler))
    memory.store.add(NewItem(text))
    assert found(memory, asked)[0] == text


def test_a_turn_is_found_by_what_stands_around_it(memory: Memory) -> None:
    """The answer rarely repeats the words of its question."""
    turns = ("Which airline do you fly with?", "Always the blue one, since the strike.", "Sounds good.")
    memory.store.add_all(
        [
            NewItem(text, kind=MemoryKind.EPISODE, thread="1", speaker=who)
            for text, who in zip(turns, "aba", strict=True)
        ]
    )
    assert turns[1] in found(memory, "airline")


def test_a_day_finds_what_was_said_on_it(memory: Memory, clock: Clock) -> None:
    """By weekday, month or date, in both languages, and by "yesterday"."""
    memory.store.add(NewItem("The boiler was mended"))
    clock.days(1)
    memory.store.add(NewItem("The roof was mended"))
    for asked in (
        "what was mended yesterday",
        "was wurde gestern mended",
        "mended on Monday",
        "mended am Montag",
    ):
        assert found(memory, asked)[0] == "The boiler was mended", asked
    assert found(memory, "what was mended today")[0] == "The roof was mended"


def test_what_came_from_a_page_ranks_lower(memory: Memory) -> None:
    """The same words of the user's come first, and neither hides the other."""
    memory.store.add(NewItem("The shop opens at nine", source=MemorySource.WEB))
    memory.store.add(NewItem("The shop opens at ten"))
    assert found(memory, "when does the shop open?") == ["The shop opens at ten", "The shop opens at nine"]


def test_a_suggestion_is_recalled_by_nobody(memory: Memory) -> None:
    """Until the user says yes."""
    item = memory.store.add(
        NewItem("The user likes jazz", source=MemorySource.MODEL, status=MemoryStatus.SUGGESTED)
    )
    assert found(memory, "jazz") == []
    memory.store.set_status(item.id, MemoryStatus.KEPT)
    assert found(memory, "jazz") == ["The user likes jazz"]


def test_another_projects_memory_is_not_seen(memory: Memory) -> None:
    """Not even when it would fit best."""
    memory.record("1", "user", "The secret branch is called heron", MemorySource.USER, project="/a")
    search = memory.search
    assert search.hits(search.question("secret branch", View.of(project="/a")))
    assert not search.hits(search.question("secret branch", View.of(project="/b")))


def test_why_names_the_words(memory: Memory) -> None:
    """A user sees what made it be found."""
    memory.store.add(NewItem("We are meeting Anna at the harbour"))
    (hit,) = memory.search.hits(memory.search.question("Where is the meeting with Anna?"))
    assert str(hit.why) == "has meeting, anna"
    memory.store.add(NewItem("Die Haftpflichtversicherung ist bezahlt"))
    (hit,) = memory.search.hits(memory.search.question("Versicherung"))
    assert str(hit.why) == "has versicherung inside a word"


def test_a_further_ranker_is_fused_by_rank(memory: Memory) -> None:
    """One that knows meanings finds what no word names; it does not push away what words found."""
    tea, sea = (
        memory.store.add(NewItem("Earl Grey, no milk")),
        memory.store.add(NewItem("The drink was late")),
    )

    class Meanings:
        name, weight, is_by_words = "meaning", 1.0, False

        def rank(self, question: MemoryQuery) -> Sequence[int]:
            return (tea.id,)

        def sure(self, question: MemoryQuery, ids: Sequence[int]) -> frozenset[int]:
            return frozenset((tea.id,)).intersection(ids)

    search = Search(memory.store, (Meanings(),))
    hits = search.hits(search.question("favourite drink"))
    assert [hit.item.id for hit in hits] == [sea.id, tea.id]
    assert hits[1].why == MemoryReason.ALIKE_IN_MEANING.of()


@given(st.text(max_size=60))
def test_any_text_makes_a_valid_question(text: str) -> None:
    """Quotes, operators and columns of FTS5 are words like any other, or nothing."""
    terms = VOCABULARY.terms(text, datetime.fromtimestamp(MONDAY).astimezone())
    assert all(term and '"' not in term for term in terms)
    assert any_of(terms).count('"') == 2 * len(terms)
    assert grams_of(terms).count('"') % 2 == 0
    Finder(terms).in_text(text)


@pytest.mark.parametrize(
    "text", ['"', "NEAR(a b)", "a AND", "said:x", "*", "(", "a\0b", "'; DROP", "-x", "^a", ""]
)
def test_no_text_breaks_a_search(memory: Memory, text: str) -> None:
    """Whatever a user types is a search."""
    memory.store.add(NewItem("a b x said near drop"))
    assert set(found(memory, text)) <= {"a b x said near drop"}
    assert found(memory, "near drop") == ["a b x said near drop"]


def test_an_excerpt_is_around_the_words(store: MemoryStore) -> None:
    """Of a long text the part that was found, whole words, marked where it is cut."""
    text = f"{'before ' * 40}the heron stands here {'after ' * 40}".strip()
    excerpt = Finder(("heron",)).excerpt(text, 80)
    assert "heron" in excerpt
    assert len(excerpt) <= 84
    assert excerpt.startswith("… before")
    assert excerpt.endswith("after …")
    assert Finder(("heron",)).excerpt("short", 80) == "short"


def test_pairs_stand_for_scripts_without_spaces() -> None:
    """Other text is left as it is."""
    assert spaced("a 東京都 b").split() == ["a", "東京", "京都", "b"]
    assert spaced("plain") == "plain"


def test_counts_of_words_that_were_asked_for_once_go(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many questions there were; what is counted anew weighs the same."""
    monkeypatch.setattr("desktop.memory.search.MOST_TERMS", 20)
    memory.store.add(NewItem("The kettle is red"))
    frequencies = _Frequencies(memory.store)
    before = frequencies.weights(["kettle"])
    for number in range(100):
        frequencies.weights([f"word{number}", "kettle"])
    assert len(frequencies._known) <= 20
    assert frequencies.weights(["kettle"]) == before
