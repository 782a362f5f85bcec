"""Requests that say only what is different from the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from desktop.chat.follow_ups import other_file
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intents import Intents
from desktop.chat.references import Past
from desktop.chat.sum_follow_ups import same_sum, sum_going_on
from tests.chat.test_intents import Folder

RENAMED = ParsedCall("move_file", {"source": "scan1.txt", "destination": "page1.txt"})
DELETED = ParsedCall("delete_file", {"path": "scan1.txt"})
UNDO = ParsedCall("undo_change", {"change": 3})
REMINDED = ParsedCall("set_reminder", {"text": "call the bank", "when": "tomorrow at 9"})


class Around(Folder):
    """A workspace with these files and one reminder."""

    def __init__(self, *files: str) -> None:
        self._files = files

    def files(self) -> Sequence[str]:
        return self._files

    def folders(self) -> Sequence[str]:
        return ()

    def reminders(self) -> Sequence[tuple[int, str]]:
        return [(7, "call the bank")]


def planned(asked: str, past: Past, *files: str) -> list[tuple[str, dict[str, object]]]:
    plan = Intents(Around(*files)).plan(asked, past)
    return [(call.name, dict(call.arguments)) for call in plan.calls] if plan is not None else []


@pytest.mark.parametrize(
    "asked",
    [
        "same for scan2 and scan3",
        "do the same with scan2.txt and scan3.txt",
        "die anderen beiden genauso",
        "das gleiche für scan2 und scan3",
        "pareil pour scan2 et scan3",
        "lo mismo con scan2 y scan3",
    ],
)
def test_the_same_is_done_to_others(asked: str) -> None:
    """Each under the name with its own number."""
    past = Past(file="page1.txt", calls=(RENAMED,))
    assert planned(asked, past, "page1.txt", "scan2.txt", "scan3.txt") == [
        ("move_file", {"source": "scan2.txt", "destination": "page2.txt"}),
        ("move_file", {"source": "scan3.txt", "destination": "page3.txt"}),
    ]


def test_two_files_never_get_one_name() -> None:
    """Where the new name has no number the request is not read: one of them would be lost."""
    past = Past(calls=(replace(RENAMED, arguments={"source": "scan1.txt", "destination": "page.txt"}),))
    assert planned("same for scan2 and scan3", past, "page.txt", "scan2.txt", "scan3.txt") == []


@pytest.mark.parametrize(
    "asked",
    [
        "oh no, I meant scan2.txt",
        "ups, ich meinte scan2",
        "pardon, je voulais dire scan2",
        "perdón, era scan2.txt",
    ],
)
def test_what_was_meant_is_done_and_the_other_taken_back(asked: str) -> None:
    """First the mistake is undone."""
    past = Past(calls=(DELETED,), undo=(UNDO,), undo_of=("scan1.txt",))
    assert planned(asked, past, "scan2.txt") == [
        ("undo_change", {"change": 3}),
        ("delete_file", {"path": "scan2.txt"}),
    ]


def test_a_better_name_is_given_to_the_file_itself() -> None:
    """It has its first new name by then."""
    past = Past(
        file="recu.txt", calls=(replace(RENAMED, arguments={"source": "a.txt", "destination": "recu.txt"}),)
    )
    assert planned("non, plutôt facture.txt", past, "recu.txt") == [
        ("move_file", {"source": "recu.txt", "destination": "facture.txt"})
    ]


@pytest.mark.parametrize(
    ("asked", "when"),
    [
        ("make that 10", "tomorrow at 10"),
        ("plutôt à 11h", "tomorrow at 11:00"),
        ("lieber um 8", "tomorrow at 8"),
        ("mejor a las 7", "tomorrow at 7"),
    ],
)
def test_a_reminder_is_set_anew_before_the_old_one_goes(asked: str, when: str) -> None:
    """On the day that was said before."""
    past = Past(calls=(REMINDED,), reminder=7)
    assert planned(asked, past) == [
        ("set_reminder", {"text": "call the bank", "when": when}),
        ("cancel_reminder", {"reminder": "7"}),
    ]


def test_nothing_follows_where_nothing_was_done() -> None:
    """The model is asked."""
    assert planned("same for scan2", Past(), "scan2.txt") == []
    assert planned("oh no, I meant scan2.txt", Past(), "scan2.txt") == []


@pytest.mark.parametrize(
    ("asked", "past", "sources"),
    [
        ("rename the second one to b.txt", Past(files=("scan1.txt", "scan2.txt")), ["scan2.txt"]),
        ("benenn die letzte in b.txt um", Past(files=("scan1.txt", "scan2.txt")), ["scan2.txt"]),
        ("rename the third one to b.txt", Past(files=("scan1.txt", "scan2.txt")), []),
    ],
)
def test_one_of_a_list_is_meant_by_its_place(asked: str, past: Past, sources: list[str]) -> None:
    """None where there are fewer."""
    found = planned(asked, past, "scan1.txt", "scan2.txt")
    assert [arguments["source"] for _, arguments in found] == sources


def test_one_of_two_changes_is_taken_back() -> None:
    """The one that is named by its place or its file; both where both are meant."""
    first, second = UNDO, ParsedCall("undo_change", {"change": 4})
    past = Past(undo=(second, first), undo_of=("scan2.txt", "scan1.txt"))
    assert planned("bring the first one back", past) == [("undo_change", {"change": 3})]
    assert planned("remets scan2.txt", past) == [("undo_change", {"change": 4})]
    assert len(planned("remets les deux", past)) == 2


@pytest.mark.parametrize(
    ("asked", "calls"),
    [
        ("rename scan1.txt to a.txt and scan2.txt to b.txt", ["move_file", "move_file"]),
        ("remind me tomorrow at 7 to run and at 9 to call Luis", ["set_reminder", "set_reminder"]),
        (
            "crée un dossier scans puis déplace scan1.txt et scan2.txt dedans",
            ["make_directory", "move_file", "move_file"],
        ),
        ("make a folder called a1 and one called b1", ["make_directory", "make_directory"]),
    ],
)
def test_a_part_without_a_verb_has_that_of_the_part_before(asked: str, calls: list[str]) -> None:
    """And no name swallows the next part."""
    assert [name for name, _ in planned(asked, Past(), "scan1.txt", "scan2.txt")] == calls


@pytest.mark.parametrize(
    ("asked", "value", "wanted"),
    [
        ("half of that", "96", "96 / 2"),
        ("davon die hälfte", "1008", "1008 / 2"),
        ("et la moitié ?", "51", "51 / 2"),
        ("el doble de eso", "45", "45 * 2"),
        ("minus 10 prozent", "39.8", "39.8 - 10%"),
        ("10 percent of that", "50", "10% of 50"),
        ("half an hour", "96", ""),
    ],
)
def test_a_sum_goes_on(asked: str, value: str, wanted: str) -> None:
    """From the last result."""
    assert sum_going_on(asked, value) == wanted


@pytest.mark.parametrize(
    ("asked", "before", "wanted"),
    [
        ("and 20%?", "how much is 18% of 250", "how much is 20% of 250"),
        ("und 350?", "wie viel sind 200 gramm in unzen", "wie viel sind 350 gramm in unzen"),
        ("¿y 12?", "pasa 5 millas a km", "pasa 12 millas a km"),
        ("and 5 litres?", "how many ounces are 200 grams", ""),
        ("and then?", "what is 2 + 2", ""),
    ],
)
def test_the_same_sum_with_another_number(asked: str, before: str, wanted: str) -> None:
    """Of the same unit."""
    assert same_sum(asked, before) == wanted


def test_the_same_question_of_another_file() -> None:
    """Where one was named."""
    assert (
        other_file("and todo.txt?", "how many lines does a.txt have?") == "how many lines does todo.txt have?"
    )
    assert other_file("and then?", "how many lines does a.txt have?") == ""
