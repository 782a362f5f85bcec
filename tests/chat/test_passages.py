"""Passages of a long text: all of it is in them, and those of a question are found by its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.attachments import Attached, Attachment, AttachmentKind, estimated_tokens, told
from desktop.chat.passages import LONGEST_PASSAGE, matching, passages, ranked
from desktop.errors import UserFacing

REPORT = "\n\n".join(
    [
        "Opening. " + "This report is about many things. " * 20,
        "The rent of the flat is 840 euros a month. " + "It is paid on the first. " * 20,
        "Holidays. " + "We went to the sea and to the hills. " * 20,
        "The heating was repaired in March. " + "The plumber came twice. " * 20,
    ]
)
ATTACHMENT = Attachment(
    Attached("report.txt", AttachmentKind.FILE, "/w/report.txt", "report.txt", estimated_tokens(REPORT)),
    REPORT,
)


@given(st.text(alphabet="ab \n", max_size=4000))
def test_nothing_is_lost_between_passages(text: str) -> None:
    """Every line with a word is in exactly one passage, in order, with its number."""
    lines = text.split("\n")
    found = list(passages(text))
    numbered = [n for each in found for n in range(each.first, each.last + 1)]
    assert numbered == sorted(set(numbered))
    assert {n for n, line in enumerate(lines, start=1) if line.strip()} <= set(numbered)
    assert all("\n".join(lines[each.first - 1 : each.last]) == each.text for each in found)
    assert all(len(each.text) <= LONGEST_PASSAGE + max(map(len, lines)) + len(lines) for each in found)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is the rent?", "840 euros"),
        ("how much is the flat per month", "840 euros"),
        ("When was the heating repaired?", "March"),
        ("plumbers", "plumber came"),
    ],
)
def test_the_passage_of_a_question_comes_first(question: str, found: str) -> None:
    """Rare words weigh more than those that are everywhere, in whatever form they stand."""
    assert found in ranked(tuple(passages(REPORT)), question)[0].text


def test_a_passage_that_shares_only_small_words_stays_behind() -> None:
    """However much room there is; what shares a word that tells something goes along."""
    (rent,) = ranked(tuple(passages(REPORT)), "What is the rent of it?")
    assert "840 euros" in rent.text
    both = ranked(tuple(passages(REPORT)), "What did the plumber and the rent cost?")
    assert {each.text.split(".")[0] for each in both} == {
        "The rent of the flat is 840 euros a month",
        "The heating was repaired in March",
    }


def test_what_goes_along_fits_and_says_that_it_is_a_part() -> None:
    """In the order of the text, with its lines, of how much."""
    room = estimated_tokens(REPORT) // 2
    part = matching(ATTACHMENT, "rent and heating", room, estimated_tokens)
    assert part.about.tokens <= room
    assert part.about.whole_tokens == ATTACHMENT.about.tokens
    assert part.about.kind is AttachmentKind.PASSAGES
    assert part.about.tainted_by == "report.txt"
    assert part.text.index("840") < part.text.index("March")
    assert "[lines 3 to" in part.text
    head = told([part]).splitlines()[0]
    assert "passages of the file report.txt" in head
    assert "the first" not in head


def test_a_question_without_a_word_of_it_is_refused() -> None:
    """Nothing is sent in place of what was not found."""
    with pytest.raises(UserFacing, match=r"report\.txt"):
        matching(ATTACHMENT, "zebra crossing", 1000, estimated_tokens)
