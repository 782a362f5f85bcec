"""What stands for an answer in which the model excuses itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from desktop.chat.excuse_fallback import MOST_LINES, SURELY_OVER_NONE, ExcuseFallback
from desktop.chat.file_judgements import LastRanking
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from tests.chat.test_file_judgements import likely
from tests.chat.test_table_changes import Around

TEXTS = {
    "squad.csv": "player,subs\nAlfie,paid\nLeo,owes\n",
    "notes.txt": "\n".join(f"line {number} of the notes" for number in range(40)) + "\nboiler: Mr Hobbs\n",
}


def look(asked: str, submit: Callable[[GenerateRequest], Stream]) -> tuple[list[str], str]:
    """The files that are read, and what is told."""
    plan = ExcuseFallback(Around(TEXTS), submit, date(2026, 11, 29)).plan(asked)
    if plan is None:
        return [], ""
    told = "\n".join(each.quoted or each.text for each in plan.steps)
    return [str(call.arguments["path"]) for call in plan.calls], told


def test_the_likeliest_file_is_shown_and_nothing_is_said_of_it() -> None:
    """A short one whole, with its heading: "owes" is seen at a glance, and no model reads it wrongly."""
    read, told = look("whos still not paid there subs", likely(squad=2.0))
    assert read == ["squad.csv"]
    assert told.startswith("I cannot say that for certain. This is in squad.csv:")
    assert "\nLeo,owes\n" in told


def test_of_a_long_file_the_lines_are_shown_that_have_a_word_of_it() -> None:
    """Else its first ones, and that there are more."""
    _, told = look("when does the boiler man come", likely(notes=2.0))
    assert "boiler: Mr Hobbs" in told
    assert len(told.splitlines()) <= MOST_LINES + 4
    _, told = look("who rang on monday", likely(notes=2.0))
    assert "line 0 of the notes" in told
    assert "…" in told


def test_the_file_that_alone_has_a_word_of_it_goes_before_the_likeliest() -> None:
    """And what is shown of it is no Markdown of the answer's."""
    read, told = look("how did leo like it", likely(squad=1.0, notes=4.0))
    assert read == ["squad.csv"]
    assert told.count("````") == 2


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("how much did i make in november", "found nothing that tells it"),
        ("put hers in as well", "I have not changed or set anything"),
    ],
)
def test_where_no_file_is_likely_it_is_said_what_was_not_done(asked: str, told: str) -> None:
    """Of one's own things that nothing was found, and of an order that nothing was changed."""
    read, said = look(asked, likely(squad=-5.0, notes=-6.0))
    assert not read
    assert told in said


def test_what_is_asked_of_the_world_leaves_the_excuse() -> None:
    """No file tells it, and it was nobody's."""
    assert look("what is the share price of Acme now?", likely(squad=-9.0, notes=-9.0)) == ([], "")


def test_a_stopped_model_leaves_the_excuse() -> None:
    """Nothing is ranked then."""

    def stopped(_request: GenerateRequest) -> Stream:
        stream = Stream(lambda: None)
        stream.end(FinishReason.CANCELLED, Metrics())
        return stream

    assert look("which colour is the door of the hall", stopped) == ([], "")


def test_what_was_ranked_before_the_answer_is_not_ranked_once_more_behind_its_excuse() -> None:
    """The model is asked once, and again where a file has changed meanwhile or another turn begins."""
    asked, requests, last = "whos still not paid there subs", [], LastRanking()
    answer = likely(squad=-3.0)

    def submit(request: GenerateRequest) -> Stream:
        requests.append(request)
        return answer(request)

    def look_at(texts: dict[str, str]) -> ExcuseFallback:
        return ExcuseFallback(Around(texts), submit, date(2026, 11, 29), last)

    assert look_at(TEXTS).shown(asked, SURELY_OVER_NONE) is None
    once = len(requests)
    plan = look_at(TEXTS).plan(asked)
    assert plan is not None
    assert [call.arguments["path"] for call in plan.calls] == ["squad.csv"]
    assert len(requests) == once > 0
    look_at(TEXTS | {"squad.csv": "player,dues\nAlfie,paid\n"}).plan(asked)
    assert len(requests) == 2 * once
    last.forget()
    look_at(TEXTS).plan(asked)
    assert len(requests) == 3 * once
