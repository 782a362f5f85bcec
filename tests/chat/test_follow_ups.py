"""Requests that say only what is different from the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from desktop.chat.follow_ups import other_file, same_sum, sum_going_on
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intents import Intents
from desktop.chat.moved_reminders import time_like
from desktop.chat.references import Past
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


@pytest.mark.parametrize(
    "asked", ["scan2.txt too", "und scan2 auch", "scan2.txt aussi", "y scan2.txt también", "y también scan2"]
)
def test_a_file_alone_asks_for_the_same(asked: str) -> None:
    """Into the folder that was made for the first."""
    made = ParsedCall("make_directory", {"path": "old"})
    moved = ParsedCall("move_file", {"source": "scan1.txt", "destination": "old/scan1.txt"})
    past = Past(file="old/scan1.txt", folder="old", calls=(made, moved))
    assert planned(asked, past, "old/scan1.txt", "scan2.txt") == [
        ("move_file", {"source": "scan2.txt", "destination": "old/scan2.txt"})
    ]


@pytest.mark.parametrize(
    "asked",
    ["that too", "I like it too", "me too", "merci aussi", "mir auch", "eso también", "thanks as well"],
)
def test_what_names_no_file_does_nothing_again(asked: str) -> None:
    """Not even to the file that was meant last."""
    assert planned(asked, Past(file="page1.txt", calls=(RENAMED,)), "page1.txt", "scan2.txt") == []


@pytest.mark.parametrize(
    "asked",
    [
        "same for scan2 but page-two.txt",
        "pareil pour scan2 : page-two.txt",
        "das gleiche mit scan2, aber page-two.txt",
        "lo mismo con scan2: page-two.txt",
    ],
)
def test_the_same_under_a_name_of_its_own(asked: str) -> None:
    """A renaming whose new name is said."""
    past = Past(file="page1.txt", calls=(RENAMED,))
    assert planned(asked, past, "page1.txt", "scan2.txt") == [
        ("move_file", {"source": "scan2.txt", "destination": "page-two.txt"})
    ]
    assert planned(asked, past, "page1.txt", "scan2.txt", "page-two.txt") == []


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
        "bring it back. it was scan2.txt I meant",
        "zut, remets-le, c'était scan2.txt qu'il fallait supprimer",
        "es hätte scan2.txt sein sollen",
    ],
)
def test_what_was_meant_is_done_and_the_other_taken_back(asked: str) -> None:
    """First the mistake is undone."""
    past = Past(calls=(DELETED,), undo=(UNDO,), undo_of=("scan1.txt",))
    assert planned(asked, past, "scan2.txt") == [
        ("undo_change", {"change": 3}),
        ("delete_file", {"path": "scan2.txt"}),
    ]


@pytest.mark.parametrize(
    "asked",
    [
        "no no, the other sketch!",
        "not that one!! the green one",
        "nee, die andere",
        "nicht die da, sondern sketch_green.txt",
        "non pas celui-là, l'autre",
        "ese no, el otro",
    ],
)
def test_the_other_of_two_was_meant(asked: str) -> None:
    """Told from the first by a word of its own, or by being the other."""
    gone = ParsedCall("delete_file", {"path": "sketch_blue.txt"})
    past = Past(undo=(UNDO,), undo_of=("sketch_blue.txt",), calls=(gone,))
    assert planned(asked, past, "sketch_green.txt", "todo.txt") == [
        ("undo_change", {"change": 3}),
        ("delete_file", {"path": "sketch_green.txt"}),
    ]
    # Of three it could be either.
    assert planned("no no, the other sketch!", past, "sketch_green.txt", "sketch_red.txt") == []


@pytest.mark.parametrize(
    ("said", "before", "when"),
    [
        ("4:30", "thursday at 2pm", "thursday at 4:30pm"),
        ("1:30", "friday at 11am", "friday at 1:30pm"),
        ("8", "friday at 11am", "friday at 8am"),
        ("8", "friday at 9", "friday at 8"),
        ("9am", "friday at 2pm", "friday at 9am"),
    ],
)
def test_an_hour_is_in_the_half_of_the_day_of_the_one_before(said: str, before: str, when: str) -> None:
    """Where it does not say which."""
    assert time_like(said, before, "en", Around()) == when


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


MEETING = "# Meeting 3 November\n\n- Anna\n- Petra Wolf\n- Tom\n"


class Desk(Around):
    """One file with a list in it."""

    def text(self, name: str) -> str:
        return MEETING if name == "meeting.md" else ""


@pytest.mark.parametrize(
    ("asked", "old", "new"),
    [
        ("change the date to 5 November", "3 November", "5 November"),
        ("ändere das datum auf 5. November", "3 November", "5. November"),
        ("change la date en 5 novembre", "3 November", "5 novembre"),
        ("cambia la fecha por 5 de noviembre", "3 November", "5 de noviembre"),
        ("change the title to Budget", "Meeting 3 November", "Budget"),
        ("make Tom into Theo", "Tom", "Theo"),
        ("mach aus Tom Theo", "Tom", "Theo"),
        ("scratch Tom", "- Tom", ""),
        ("cross Tom off", "- Tom", ""),
        ("the second one is wrong, take it out", "- Anna", ""),
        ("Petra Wolf can't come, remove her", "- Petra Wolf", ""),
        ("Petra Wolf kommt nicht, streich sie", "- Petra Wolf", ""),
        ("Petra Wolf ne vient pas, enlève-la", "- Petra Wolf", ""),
        ("Petra Wolf no viene, quítala", "- Petra Wolf", ""),
        ("quita a Tom", "- Tom", ""),
        ("actually no Tom", "- Tom", ""),
        ("Anna bleibt zuhause, nimm sie raus", "- Anna", ""),
        ("Tom, j'ai déjà son avis, enlève-le", "- Tom", ""),
        ("Anna ya ha dicho que no, quítala", "- Anna", ""),
    ],
)
def test_a_passage_of_the_last_file_is_meant(asked: str, old: str, new: str) -> None:
    """By its kind, its words, its place, or what is said of it."""
    past = Past(file="meeting.md", calls=(ParsedCall("read_file", {"path": "meeting.md"}),))
    plan = Intents(Desk("meeting.md")).plan(asked, past)
    assert plan is not None
    assert [dict(call.arguments) for call in plan.calls] == [{"path": "meeting.md", "old": old, "new": new}]


@pytest.mark.parametrize(
    "asked",
    ["no problem", "change the price to 5 euros", "Tom is nice", "delete meeting", "change the n to m"],
)
def test_a_passage_that_is_not_there_once_is_left(asked: str) -> None:
    """The model is asked, or the file is meant."""
    past = Past(file="meeting.md", calls=(ParsedCall("read_file", {"path": "meeting.md"}),))
    plan = Intents(Desk("meeting.md")).plan(asked, past)
    assert plan is None or all(call.name != "replace_text" for call in plan.calls)


@pytest.mark.parametrize(
    ("asked", "when"),
    [
        ("push it back an hour", "27 November 2026 16:00"),
        ("an hour later please", "27 November 2026 16:00"),
        ("mach es eine halbe Stunde früher", "27 November 2026 14:30"),
        ("une heure plus tard", "27 November 2026 16:00"),
        ("un día después", "28 November 2026 15:00"),
        ("bring it forward by 20 minutes", "27 November 2026 14:40"),
        ("two weeks later", "11 December 2026 15:00"),
    ],
)
def test_a_reminder_is_moved_by_so_much(asked: str, when: str) -> None:
    """Added to the time that it has, and set before the old one goes."""
    assert planned(asked, Past(reminder=7, calls=(REMINDED,))) == [
        ("set_reminder", {"text": "call the bank", "when": when}),
        ("cancel_reminder", {"reminder": "7"}),
    ]


@pytest.mark.parametrize(
    "asked", ["an hour", "how long is an hour later?", "wait an hour", "tell me a day later why"]
)
def test_other_words_about_time_move_nothing(asked: str) -> None:
    """Only what says which way, and nothing else."""
    assert planned(asked, Past(reminder=7, calls=(REMINDED,))) == []


@pytest.mark.parametrize(
    ("asked", "call"),
    [
        ("call the copy page.txt", ("move_file", {"source": "scan1.txt", "destination": "page.txt"})),
        ("renomme-le en page.txt", ("move_file", {"source": "scan1.txt", "destination": "page.txt"})),
        ("renómbralo como page.txt", ("move_file", {"source": "scan1.txt", "destination": "page.txt"})),
        (
            "non, appelle-le plutôt page.txt",
            ("move_file", {"source": "scan1.txt", "destination": "page.txt"}),
        ),
        ("nenn sie lieber page.txt", ("move_file", {"source": "scan1.txt", "destination": "page.txt"})),
        ("supprime-le", ("delete_file", {"path": "scan1.txt"})),
        ("bórralo", ("delete_file", {"path": "scan1.txt"})),
        ("léelo", ("read_file", {"path": "scan1.txt"})),
        (
            "scan2.txt goes in there too",
            ("move_file", {"source": "scan2.txt", "destination": "old/scan2.txt"}),
        ),
        (
            "scan2.txt kommt auch da rein",
            ("move_file", {"source": "scan2.txt", "destination": "old/scan2.txt"}),
        ),
        ("mueve ahí scan2.txt", ("move_file", {"source": "scan2.txt", "destination": "old/scan2.txt"})),
    ],
)
def test_it_and_there_are_known_by_their_place(asked: str, call: tuple[str, dict[str, object]]) -> None:
    """A pronoun that hangs on its verb, a place before the thing."""
    assert planned(asked, Past(file="scan1.txt", folder="old"), "scan1.txt", "scan2.txt") == [call]


def test_what_is_in_there_is_the_folder() -> None:
    """After something was put into it; not the file that was put there."""
    moved = ParsedCall("move_file", {"source": "scan1.txt", "destination": "old/scan1.txt"})
    past = Past(file="old/scan1.txt", folder="old", calls=(moved,))
    for asked in ("now what's in there?", "qu'est-ce qu'il y a dedans ?"):
        assert planned(asked, past, "old/scan1.txt") == [("list_directory", {"path": "old"})]


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ("create a.txt with apples, pears and plums", "apples\npears\nplums\n"),
        ("create a.txt with a summary and a table", None),
        ("create a.txt with the text of scan1.txt and more", None),
        ("create a.txt with explanations and tips on how to sleep", None),
    ],
)
def test_a_list_in_plain_words_is_written_as_it_is_said(asked: str, content: str | None) -> None:
    """What describes a text is the model's to write."""
    wanted = [] if content is None else [("write_file", {"path": "a.txt", "content": content})]
    assert planned(asked, Past(), "scan1.txt") == wanted


def test_the_price_is_what_stands_behind_the_word() -> None:
    """The word itself is left as it is."""

    class Offer(Around):
        def text(self, name: str) -> str:
            return "Offer\nPrice: 450 EUR\n"

    plan = Intents(Offer("offer.txt")).plan("change the price to 475 EUR", Past(file="offer.txt"))
    assert plan is not None
    (call,) = plan.calls
    assert (call.arguments["old"], call.arguments["new"]) == ("450 EUR", "475 EUR")


def test_a_reminder_is_known_by_another_form_of_its_word() -> None:
    """The calling one, to call; three letters are a chance."""
    assert planned("drop the calling one", Past(reminder=7)) == [("cancel_reminder", {"reminder": "7"})]
    assert planned("drop the bandage one", Past(reminder=7)) == []


@pytest.mark.parametrize(
    "asked", ["now the other one", "l'autre aussi", "und die andere", "y el otro también"]
)
def test_the_other_one_is_named_like_the_first(asked: str) -> None:
    """But for its number."""
    past = Past(file="page1.txt", calls=(RENAMED,))
    assert planned(asked, past, "page1.txt", "scan2.txt") == [
        ("move_file", {"source": "scan2.txt", "destination": "page2.txt"})
    ]


def test_two_passages_are_replaced_by_one_sentence() -> None:
    """Where both stand in the file; else the whole is the new text."""
    plan = Intents(Desk("meeting.md")).plan(
        "in meeting.md replace Anna with Anne and Tom with Theo", Past(file="meeting.md")
    )
    assert plan is not None
    changes = [(call.arguments["old"], call.arguments["new"]) for call in plan.calls]
    assert changes == [("Anna", "Anne"), ("Tom", "Theo")]
    plan = Intents(Desk("meeting.md")).plan(
        "in meeting.md replace Tom with Jo and bring Mia to lunch", Past()
    )
    assert plan is not None
    assert [call.arguments["new"] for call in plan.calls] == ["Jo and bring Mia to lunch"]


@pytest.mark.parametrize(
    ("asked", "call"),
    [
        ("same time on friday too", ("set_reminder", {"text": "call the bank", "when": "on friday at 9"})),
        (
            "und noch einen auf 25 minuten für den kuchen",
            ("set_reminder", {"text": "den kuchen", "when": "25 minuten"}),
        ),
        ("cancel the first one", ("cancel_reminder", {"reminder": "7"})),
    ],
)
def test_another_reminder_beside_the_last(asked: str, call: tuple[str, dict[str, object]]) -> None:
    """At the same hour, or of the same kind; and the one of several by its place."""

    class Two(Around):
        def reminders(self) -> Sequence[tuple[int, str]]:
            return [(7, "call the bank"), (8, "iron")]

    past = Past(reminder=7, calls=(REMINDED, REMINDED))
    plan = Intents(Two()).plan(asked, past)
    assert plan is not None
    assert [(each.name, dict(each.arguments)) for each in plan.calls][:1] == [call]


class WithText(Around):
    """Every file has this in it."""

    def text(self, path: str) -> str:
        return "soup with leeks\n"


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        ("In menu.txt replace soup with stew.", "And leeks with peas."),
        ("Dans menu.txt, remplace soup par potage.", "Et leeks par peas."),
        ("En menu.txt sustituye soup por guiso.", "Y leeks por peas."),
        ("Ersetze in menu.txt soup durch Suppe.", "Und leeks durch peas."),
    ],
)
def test_a_second_change_may_leave_out_its_verb(before: str, asked: str) -> None:
    changed = ParsedCall("replace_text", {"path": "menu.txt", "old": "soup", "new": "stew"})
    plan = Intents(WithText("menu.txt")).plan(asked, Past(file="menu.txt", calls=(changed,), asked=before))
    assert plan is not None
    assert [call.arguments for call in plan.calls] == [{"path": "menu.txt", "old": "leeks", "new": "peas"}]


@pytest.mark.parametrize("asked", ["and thanks", "und danke dir", "et merci bien", "y gracias", "and you?"])
def test_words_without_a_verb_are_not_written_anywhere(asked: str) -> None:
    added = ParsedCall("append_text", {"path": "menu.txt", "text": "leeks"})
    assert (
        planned(asked, Past(file="menu.txt", calls=(added,), asked="add leeks to menu.txt"), "menu.txt") == []
    )


@pytest.mark.parametrize(
    "asked",
    [
        "Same for the other file, b.txt.",
        "Dasselbe mit der anderen Datei, b.txt.",
        "Pareil pour l'autre, b.txt",
    ],
)
def test_the_other_file_is_the_one_that_is_named(asked: str) -> None:
    moved = ParsedCall("move_file", {"source": "a.txt", "destination": "old/a.txt"})
    past = Past(file="old/a.txt", folder="old", calls=(moved,))
    assert planned(asked, past, "old/a.txt", "b.txt") == [
        ("move_file", {"source": "b.txt", "destination": "old/b.txt"})
    ]


@pytest.mark.parametrize(
    "asked", ["Y la primera muévela a la carpeta old", "La première, déplace-la dans le dossier old"]
)
def test_what_is_meant_may_stand_before_its_verb(asked: str) -> None:
    gone = ParsedCall("delete_file", {"path": "b.txt"})
    assert planned(asked, Past(files=("a.txt", "b.txt"), calls=(gone,)), "a.txt") == [
        ("move_file", {"source": "a.txt", "destination": "old/a.txt"})
    ]


def test_the_name_of_a_file_is_no_text_to_add() -> None:
    moved = ParsedCall("move_file", {"source": "a.txt", "destination": "old/a.txt"})
    past = Past(file="old/a.txt", folder="old", calls=(moved,))
    assert planned("Mets-y aussi b.txt", past, "old/a.txt", "b.txt") == [
        ("move_file", {"source": "b.txt", "destination": "old/b.txt"})
    ]


# -- of the line that was written last ------------------------------------------------------------

ADDED = ParsedCall("append_text", {"path": "list.txt", "text": "butter"})
GONE = ParsedCall("replace_text", {"path": "list.txt", "old": "Cole", "new": ""})
WRITTEN = ParsedCall("write_file", {"path": "list.txt", "content": "bread\nbutter\n"})


class Listed(Around):
    """A list, and another file."""

    def text(self, name: str) -> str:
        return {"list.txt": "bread\nbutter\n", "notes.txt": "call Ann\n"}.get(name, "")


def of_list(asked: str, call: ParsedCall) -> list[tuple[str, dict[str, object]]]:
    past = Past(file="list.txt", calls=(call,), undo=(UNDO,), undo_of=("list.txt",), undo_acts=(call,))
    plan = Intents(Listed("list.txt", "notes.txt")).plan(asked, past)
    return [(each.name, dict(each.arguments)) for each in plan.calls] if plan is not None else []


@pytest.mark.parametrize(
    "asked",
    [
        "make it margarine instead, she's off dairy",
        "no, margarine instead",
        "nee, lieber margarine",
        "non, plutôt margarine",
        "mejor margarine, que es más sano",
    ],
)
def test_a_line_that_was_added_becomes_another(asked: str) -> None:
    """The reason beside it is no part of the line."""
    wanted = {"path": "list.txt", "old": "butter", "new": "margarine"}
    assert of_list(asked, ADDED) == [("replace_text", wanted)]


@pytest.mark.parametrize(
    "asked",
    [
        "take it off again, we've still got some",
        "never mind",
        "scratch that",
        "nimm die wieder raus",
        "lass es doch, ham wir noch",
        "en fait non, enlève-le",
        "laisse tomber",
        "déjalo, ya tengo",
    ],
)
def test_a_line_that_was_added_goes_again(asked: str) -> None:
    assert of_list(asked, ADDED) == [("undo_change", {"change": 3})]


@pytest.mark.parametrize(
    "asked",
    [
        "Dee's having his seat",
        "Dee takes his place, put her down",
        "and Dee instead",
        "für ihn kommt Dee",
        "Dee prend sa place, note-la",
        "en su lugar viene Dee",
    ],
)
def test_somebody_comes_for_who_was_taken_out(asked: str) -> None:
    assert of_list(asked, GONE) == [("append_text", {"path": "list.txt", "text": "Dee"})]


@pytest.mark.parametrize(
    "asked", ["that belongs in the other one, move it there", "das gehört in notes.txt", "va en notes.txt"]
)
def test_a_line_goes_elsewhere(asked: str) -> None:
    there = ("append_text", {"path": "notes.txt", "text": "butter"})
    assert of_list(asked, ADDED) == [("undo_change", {"change": 3}), there]


@pytest.mark.parametrize(
    "asked", ["jam as well", "noch jam", "jam fehlt noch", "du jam aussi", "jam también"]
)
def test_one_more_line_of_a_list_that_was_just_written(asked: str) -> None:
    assert of_list(asked, WRITTEN) == [("append_text", {"path": "list.txt", "text": "jam"})]


@pytest.mark.parametrize(
    "asked",
    [
        "me too",
        "thanks as well",
        "make it shorter",
        "make it tomorrow",
        "make it bold",
        "put jam somewhere else instead",
        "My landlord is Mr Quibble, he's nice",
        "er kommt auch",
    ],
)
def test_talk_is_no_line(asked: str) -> None:
    assert all(name not in ("append_text", "replace_text") for name, _ in of_list(asked, ADDED))


def test_who_the_reason_speaks_of_is_meant() -> None:
    wanted = [("replace_text", {"path": "list.txt", "old": "butter", "new": ""})]
    assert of_list("the butter's gone off, take it off list.txt", WRITTEN) == wanted


@pytest.mark.parametrize(
    "asked", ["make that 3", "davon brauch ich 3 stück", "il m'en faut 3, le chiffre devant", "que sean 3"]
)
def test_how_many_of_a_line_that_was_added(asked: str) -> None:
    wanted = {"path": "list.txt", "old": "butter", "new": "3 butter"}
    assert of_list(asked, ADDED) == [("replace_text", wanted)]


@pytest.mark.parametrize(
    "asked", ["swap bread and butter in list.txt", "tausch bread und butter", "que bread y butter se cambien"]
)
def test_two_lines_change_places_in_one_call(asked: str) -> None:
    """After the first of two calls the same word would stand there twice."""
    swapped = {"path": "list.txt", "old": "bread\nbutter", "new": "butter\nbread"}
    assert of_list(asked, WRITTEN) == [("replace_text", swapped)]


@pytest.mark.parametrize(
    "asked",
    [
        "shorter please, and save it as short.txt",
        "both of those were wrong, put the file back the way it was",
        "the second one is done, take it off the list",
    ],
)
def test_what_stands_before_an_order_is_not_always_a_reason(asked: str) -> None:
    assert of_list(asked, WRITTEN) == []


@pytest.mark.parametrize("asked", ["and scan2.txt", "und scan2.txt", "et aussi scan2.txt", "y scan2.txt"])
def test_a_name_alone_is_done_as_the_one_before(asked: str) -> None:
    past = Past(file="page1.txt", calls=(RENAMED,), undo=(UNDO,), undo_of=("scan1.txt",))
    wanted = {"source": "scan2.txt", "destination": "page2.txt"}
    assert planned(asked, past, "page1.txt", "scan2.txt") == [("move_file", wanted)]


@pytest.mark.parametrize(
    "asked", ["oh, wait, I still need that one", "ups, die brauch ich noch", "no, espera, lo necesito"]
)
def test_what_went_comes_back_where_it_is_needed(asked: str) -> None:
    past = Past(calls=(DELETED,), undo=(UNDO,), undo_of=("scan1.txt",), undo_acts=(DELETED,))
    assert planned(asked, past, "scan2.txt") == [("undo_change", {"change": 3})]
    assert of_list(asked, ADDED) == []


@pytest.mark.parametrize(
    ("said", "language", "time"),
    [
        ("half 8", "en", "at 8:30 tomorrow morning"),
        ("quarter past 9", "en", "at 9:15 tomorrow morning"),
        ("halb 9", "de", "at 8:30 tomorrow morning"),
        ("9 y media", "es", "at 9:30 tomorrow morning"),
    ],
)
def test_a_half_hour_alone_is_of_the_day_before(said: str, language: str, time: str) -> None:
    """In English half eight is 8:30, in German 7:30; either stays on the day that was meant."""
    assert time_like(said, "at 8 tomorrow morning", language, Folder()) == time
