"""What of the last acts a request takes back: all of them, one that is named, or what it speaks of."""

from __future__ import annotations

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.references import Past
from desktop.chat.taking_back import (
    contrary,
    meant,
    named,
    other_amount,
    spoken_of,
    taking_back,
    things_done,
    wish_to_undo,
)


def taken(*things: str) -> tuple[ParsedCall, ...]:
    """Lines that were taken out of list.txt, newest first."""
    return tuple(
        ParsedCall("replace_text", {"path": "list.txt", "old": f"- {each}", "new": ""}) for each in things
    )


def moved(*names: str) -> tuple[ParsedCall, ...]:
    return tuple(ParsedCall("move_file", {"source": each, "destination": f"Beach/{each}"}) for each in names)


def past_of_acts(*acts: ParsedCall) -> Past:
    """With an entry of the journal for each, counted down."""
    undo = tuple(ParsedCall("undo_change", {"change": len(acts) - at}) for at in range(len(acts)))
    of = tuple(str(each.arguments.get("path", each.arguments.get("source", ""))) for each in acts)
    return Past(undo=undo, undo_of=of, undo_acts=acts)


LINES = past_of_acts(*taken("milk", "eggs"))
PICTURES = past_of_acts(*moved("pic3.jpg", "pic2.jpg", "pic1.jpg"))


def test_acts_are_called_by_what_they_were_about() -> None:
    """The line without its sign, the file, the text of a reminder that is gone."""
    gone = ParsedCall("cancel_reminder", {"reminder": "4"})
    again = ParsedCall("set_reminder", {"text": "call Eva", "when": "24 November 2026 09:00"})
    reminder = Past(undo=(again,), undo_of=("",), undo_acts=(gone,))
    assert things_done(LINES) == ("milk", "eggs")
    assert things_done(PICTURES) == ("pic3.jpg", "pic2.jpg", "pic1.jpg")
    assert things_done(reminder) == ("call Eva",)


@pytest.mark.parametrize(
    ("asked", "past", "which"),
    [
        ("oh wait, the eggs were for the cake, bring them back", LINES, (1,)),
        ("pic3 wasn't meant to go there", PICTURES, (0,)),
        ("das mit pic1 war falsch", PICTURES, (2,)),
        ("that was wrong", PICTURES, ()),
        ("only pic3 should have gone there", PICTURES, ()),
        ("both the eggs and the rest", LINES, ()),
        ("remind me at 3:30", PICTURES, ()),
        ("m² was wrong", past_of_acts(*moved("a².txt", "b7.txt")), ()),
        ("I need tuesday's again", past_of_acts(*moved("run_tue.txt", "run_mon.txt")), (0,)),
        ("ach ne die Filter doch wieder drauf", past_of_acts(*taken("Kaffeefilter", "Streusalz")), (0,)),
    ],
)
def test_a_request_speaks_of_some_of_them(asked: str, past: Past, which: tuple[int, ...]) -> None:
    """By a word that the others do not have; not where it says how much it means."""
    assert spoken_of(asked, past) == which


def test_one_is_named_by_its_file_or_its_thing() -> None:
    """All acts on one file go by its name."""
    assert named("eggs", LINES) == (1,)
    assert named("list.txt", LINES) == (0, 1)
    assert named("pic2.jpg", PICTURES) == (1,)
    assert named("tofu", LINES) == ()


def test_the_journal_takes_back_what_nothing_stands_on() -> None:
    """An older change of a text is met by its contrary, so that the later one stays."""
    assert taking_back((0,), LINES, lambda _: "") == (LINES.undo[0],)
    assert taking_back((0, 1), LINES, lambda _: "") == LINES.undo
    assert taking_back((2,), PICTURES, lambda _: "") == (PICTURES.undo[2],)
    assert taking_back((1,), LINES, lambda _: "- bread\n") == (
        ParsedCall("append_text", {"path": "list.txt", "text": "- eggs"}),
    )


@pytest.mark.parametrize(
    ("act", "text", "expected"),
    [
        (
            ParsedCall("append_text", {"path": "a", "text": "x"}),
            "w\nx\ny\n",
            ParsedCall("replace_text", {"path": "a", "old": "x", "new": ""}),
        ),
        (
            ParsedCall("replace_text", {"path": "a", "old": "x", "new": "y"}),
            "y\n",
            ParsedCall("replace_text", {"path": "a", "old": "y", "new": "x"}),
        ),
        (ParsedCall("replace_text", {"path": "a", "old": "x", "new": "y"}), "y\ny\n", None),
        (ParsedCall("append_text", {"path": "a", "text": "x"}), "x\nx\n", None),
        (ParsedCall("write_file", {"path": "a", "content": "x"}), "x\n", None),
    ],
)
def test_the_contrary_is_known_or_nothing(act: ParsedCall, text: str, expected: ParsedCall | None) -> None:
    """What could be two passages is left."""
    assert contrary(act, text) == expected


def test_both_of_two_requests_are_the_last_two() -> None:
    """Of one request with two acts they are these."""
    one = Past(undo=LINES.undo[:1], undo_before=LINES.undo[1:])
    assert meant("take both of those out again", one) == LINES.undo
    assert meant("take that out again", one) == LINES.undo[:1]
    assert meant("both", LINES) == LINES.undo


@pytest.mark.parametrize(
    ("request_", "clause"),
    [
        ("undo that", "undo that"),
        ("oh no that was the wrong one, undo that", "undo that"),
        ("mist, mach das rückgängig", "mach das rückgängig"),
        ("zut, annule ça", "annule ça"),
        ("delete scan1.txt, undo that", ""),
        ("what does undo that mean", ""),
        ("", ""),
    ],
)
def test_what_is_said_of_an_act_before_it_is_undone_is_no_order(request_: str, clause: str) -> None:
    """Only where it asks for nothing itself."""
    assert wish_to_undo(request_) == clause


@pytest.mark.parametrize(
    ("said", "line", "right"),
    [
        ("non pardon c'était 48,60", "2026-11-27;gaffer;46,80", "2026-11-27;gaffer;48,60"),
        ("48.60 sorry", "2026-11-27;gaffer;46,80", "2026-11-27;gaffer;48,60"),  # as the table writes it
        ("no, 47", "2026-12-17,13:00,Biscuit,full groom,46,no", "2026-12-17,13:00,Biscuit,full groom,47,no"),
        ("ach ne waren nur 5", "2026-11-29;Lindner;Wald;6;7,00", "2026-11-29;Lindner;Wald;5;7,00"),
        ("nein, 6,50", "2026-11-29;Lindner;Wald;6;7,00", "2026-11-29;Lindner;Wald;6;6,50"),
        ("no, 7", "two of 3 for 4", ""),  # it could stand for either
        ("no, 7 for 5", "milk x2", ""),
        ("no, the other one", "milk x2", ""),
        ("not the 4th", "2026-11-04 rain", ""),
    ],
)
def test_another_amount_is_put_in_the_place_of_the_one_that_was_written(
    said: str, line: str, right: str
) -> None:
    """Days and hours stay, and of two numbers the one of the same form is meant."""
    act = ParsedCall("append_text", {"path": "kasse.csv", "text": line})
    found = other_amount(said, act, f"datum;was\n{line}\n")
    assert (found.arguments["new"] if found is not None else "") == right


def test_an_amount_that_stood_before_is_not_the_one_that_was_written() -> None:
    """Of a row whose price was changed it is the price; one that stands there no more is left alone."""
    old, new = "17.12.;Otis;2;60,00", "17.12.;Otis;2;65,00"
    act = ParsedCall("replace_text", {"path": "jobs.csv", "old": old, "new": new})
    found = other_amount("ach nein 64", act, new)
    assert found is not None
    assert found.arguments["new"] == "17.12.;Otis;2;64"
    assert other_amount("ach nein 64", act, old) is None
