"""An answer that is made of a text: what passes, what is written anew, and what stands in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from desktop.chat.faithfulness import SourceText
from desktop.chat.intent_words import as_list
from desktop.chat.messages import Message, MessageStatus, Role
from desktop.chat.references import past_of
from desktop.chat.source_guard import (
    BoundText,
    SourceGuard,
    bound_text,
    checked,
    in_its_currency,
    is_bound,
    only_supported,
)
from desktop.paths import Paths
from desktop.settings import Settings
from tests.chat.test_agent_loop import HERMES_TEMPLATE, Office
from tests.fakes.scripted_model import ScriptedBackend

REPORT = (
    "The harbour museum had 12,400 visitors in October, a third more than the year before. Most came for "
    "the new exhibition on lighthouses, open until March. The roof of hall 2 leaks and will be "
    "repaired in November; the repair costs 18,000 euros, half of which the city pays.\n"
)
RIGHT = "Das Museum hatte im Oktober 12.400 Besucher, ein Drittel mehr als im Vorjahr."
WRONG = "Das Museum hatte im Oktober 12.400 Besucher, drei Mal mehr als im Vorjahr."


@pytest.fixture
def make(tmp_path: Path, paths: Paths) -> Iterator[Callable[..., Office]]:
    made: list[Office] = []

    def office(answers: Any, calls: Any = ()) -> Office:
        backend = ScriptedBackend(answers, calls=calls, template=HERMES_TEMPLATE)
        settings = Settings(model={"threads": 1, "context_tokens": 8192})
        made.append(Office(tmp_path, paths, backend, settings))
        (made[-1].root / "report.txt").write_text(REPORT)
        return made[-1]

    yield office
    for each in made:
        each.close()


def bound(asked: str) -> BoundText:
    found = bound_text(asked, {"report.txt": REPORT}, asked, was_read=True)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "asked",
    [
        "summarise report.txt",
        "fass report.txt in drei Stichpunkten zusammen",
        "resume report.txt en una frase",
        "résume report.txt en deux phrases",
        "what does report.txt say about the roof?",
        "wann wird das Dach repariert?",
        "whats in the shopping list",
        "combien coûte la réparation ?",
        "when do i have to pay that invoice and how much was it again",
    ],
)
def test_what_asks_for_a_texts_own_content_is_bound_to_it(asked: str) -> None:
    assert is_bound(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "write a poem about report.txt",
        "Explain report.txt to a child",
        "Why was the roof leaking?",
        "Schreib eine Antwort auf den Brief und erkläre, warum wir absagen",
        "propose un titre pour ce rapport",
        "¿Qué opinas del informe?",
        "translate this function to Rust and fix the bug",
    ],
)
def test_what_is_thought_up_is_not(asked: str) -> None:
    assert not is_bound(asked)


def test_sentences_pass_whole_and_none_behind_one_without_support() -> None:
    """Whatever the pieces are, the same passes: nothing of the wrong sentence is ever shown."""
    text = f"{RIGHT} Das Dach kostet 80.000 Euro. Die Stadt zahlt die Hälfte."
    for size in (1, 2, 3, 7, 50, 500):
        guard = SourceGuard(bound("fass report.txt zusammen"))
        shown = "".join(guard.feed(text[at : at + size]) for at in range(0, len(text), size)) + guard.finish()
        assert shown.strip() == RIGHT
        assert guard.fault is not None
        assert guard.fault.said == "80.000"


def test_no_more_sentences_pass_than_were_asked_for() -> None:
    guard = SourceGuard(bound("fass report.txt in einem Satz zusammen"))
    assert (guard.feed(f"{RIGHT} Das Dach wird im November repariert.") + guard.finish()).strip() == RIGHT
    assert guard.is_over
    assert guard.fault is None


def test_a_denial_of_what_stands_there_is_replaced_by_the_passage() -> None:
    guard = SourceGuard(bound("what does report.txt say about the roof"))
    said = guard.feed("The report.txt does not mention anything about the roof.") + guard.finish()
    assert said == ""
    assert "The roof of hall 2 leaks" in guard.why
    assert "> The roof of hall 2 leaks" in guard.instead()
    assert "report.txt" in guard.instead()


def test_the_order_of_the_second_try_is_not_repeated() -> None:
    """What the model was told is no answer, but the passage that stood in it is."""
    guard = SourceGuard(bound("what does report.txt say about the roof"))
    assert guard.feed("The text does not mention anything about the roof.") + guard.finish() == ""
    again = guard.again()
    passed = again.feed("The roof of hall 2 leaks. Answer in English from that.") + again.finish()
    assert passed.strip() == "The roof of hall 2 leaks."
    assert again.fault is not None


def test_a_denial_of_what_does_not_stand_there_passes() -> None:
    guard = SourceGuard(bound("what does report.txt say about the garden"))
    said = "The report does not mention a garden."
    assert guard.feed(said) + guard.finish() == said


@pytest.mark.parametrize(
    ("sentence", "source", "expected"),
    [
        ("You owe $388.50 by 15 December.", "Total to pay: 388.50", "You owe 388.50 by 15 December."),
        ("Das sind 388,50 € im Jahr.", "Summe: 388,50", "Das sind 388,50 im Jahr."),
        ("You owe £12.", "Total: 12 pounds", "You owe £12."),
        ("It is $5.", "what is it in dollars", "It is $5."),
        ("It is £2.", "Fee: 80p", "It is £2."),
        ("Variables begin with $name.", "echo", "Variables begin with $name."),
    ],
)
def test_an_amount_is_in_no_currency_that_nothing_names(sentence: str, source: str, expected: str) -> None:
    """A small model thinks in dollars."""
    assert in_its_currency(sentence, source) == expected


def test_what_is_written_is_written_anew_once_and_told_why() -> None:
    told: list[str] = []

    def anew(why: str) -> str:
        told.append(why)
        return RIGHT

    found = checked(bound("fass report.txt in einem Satz zusammen"), WRONG, "kurz.txt", anew)
    assert (found.text, found.told) == (RIGHT, "")
    assert "drei Mal" in told[0]
    # How the share is said in the language that is wanted.
    assert "ein Drittel" in told[0]


def test_the_texts_own_sentences_stand_for_a_summary_that_fails_twice() -> None:
    found = checked(bound("fass report.txt in einem Satz zusammen"), WRONG, "kurz.txt", lambda _why: WRONG)
    assert found.text in REPORT
    assert found.text.count(".") == 1
    assert "drei Mal" in found.told
    assert "report.txt" in found.told


def test_a_translation_that_fails_twice_is_not_written() -> None:
    found = checked(bound("translate report.txt into German"), WRONG, "de.txt", lambda _why: None)
    assert found.text == ""
    assert "de.txt" in found.told


def test_of_a_part_only_what_it_bears_is_kept() -> None:
    kept = only_supported(f"{RIGHT} Der Eintritt kostet 7 Euro.", REPORT, "fass zusammen")
    assert kept == RIGHT
    assert only_supported("Der Eintritt kostet 7 Euro.", REPORT, "fass zusammen").startswith(
        "The harbour museum"
    )


def test_a_wrong_answer_is_never_shown_and_the_second_is(make: Callable[..., Office]) -> None:
    here = make(
        ["Die Reparatur kostet 80.000 Euro.", "Die Reparatur kostet 18.000 Euro."],
        [("read_file", {"path": "report.txt"})],
    )
    answer = here.ask("Was kostet die Reparatur laut report.txt?")
    assert answer.text == "Die Reparatur kostet 18.000 Euro."
    assert "80.000" not in "".join(text for _, text in here.rows())


def test_after_two_wrong_answers_the_text_speaks(make: Callable[..., Office]) -> None:
    here = make("The report.txt does not mention the roof.", [("read_file", {"path": "report.txt"})])
    answer = here.ask("what does report.txt say about the roof")
    assert answer.text.startswith("This is how it stands in report.txt:")
    assert "> The roof of hall 2 leaks" in answer.text
    assert "does not mention" not in answer.text


def test_a_right_answer_is_shown_as_it_is(make: Callable[..., Office]) -> None:
    said = "The roof of hall 2 leaks. It will be repaired in November for 18,000 euros."
    here = make(said, [("read_file", {"path": "report.txt"})])
    assert here.ask("what does report.txt say about the roof").text == said


def test_a_summary_with_a_wrong_fact_is_not_written(make: Callable[..., Office]) -> None:
    """The text's own sentence is, and the answer says so."""
    here = make(
        WRONG,
        [
            ("read_file", {"path": "report.txt"}),
            ("write_file", {"path": "kurz.txt", "content": WRONG}),
        ],
    )
    answer = here.ask("fass report.txt in einem Satz zusammen und speichere das als kurz.txt")
    written = (here.root / "kurz.txt").read_text().strip()
    assert written in REPORT
    assert "drei Mal" in answer.text
    assert "Wort für Wort" in answer.text


def test_bound_text_knows_what_the_user_has_said() -> None:
    asked = "Summarise report.txt for Quibblethorn"
    source = bound_text(asked, {"report.txt": REPORT}, asked, was_read=True)
    assert source is not None
    assert source.faults("Dear Mr Quibblethorn: the museum had 12,400 visitors.") == []
    assert SourceText([REPORT]).language == "en"


def test_an_answer_is_put_among_short_lines_whole() -> None:
    """ "Put that into my notes": sentences are one thing, and the comma of 18,000 parts nothing."""
    notes = "Buy milk.\nCall Anna.\n"
    said = "The roof of hall 2 leaks and will be repaired in November. It costs 18,000 euros, half is paid."
    assert as_list(said, notes, is_quoted=False) == said
    assert as_list("18,000 nails, glue", notes, is_quoted=False) == "18,000 nails\nglue"
    # What is new is not done yet, whatever was done last.
    assert as_list("soap", "- [ ] bins\n- [x] rent\n", is_quoted=False) == "- [ ] soap"
    assert as_list("soap, towels and 2 brushes", notes, is_quoted=False) == "soap\ntowels\n2 brushes"


def test_a_passage_that_was_quoted_is_what_that_means() -> None:
    quoted = "This is how it stands in report.txt:\n\n> The roof of hall 2 leaks."
    nothing = (None, MessageStatus.COMPLETE, datetime(2026, 11, 29), "", 0, 0.0, 0.0)
    told = Message(2, 1, Role.ASSISTANT, quoted, "", *nothing)
    assert past_of([told]).text == "The roof of hall 2 leaks."
