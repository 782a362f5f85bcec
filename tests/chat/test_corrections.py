"""What was done by mistake is taken back, and done to what was meant, or put where it was meant."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from desktop.chat.corrections import is_taken_back, reworded
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_words import MAY_TAKE_BACK
from desktop.chat.intents import Intents
from desktop.chat.messages import MessageStatus
from desktop.chat.references import Past
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.chat.test_follow_ups import Around
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import days
from tests.processor_time import processor_time

UNDO = ParsedCall("undo_change", {"change": 3})
TEXTS = {
    "recipe.md": "# Pancakes\n",
    "notes.txt": "Call Anna.\n",
    "shopping.txt": "bread\nmilk\n",
    "scan1.txt": "first\n",
    "scan2.txt": "second\n",
    "scan3.txt": "third\n",
}


class Workspace(Around):
    """Files with what is in them, and one folder."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self._texts = dict(texts if texts is not None else TEXTS)
        super().__init__(*self._texts)

    def folders(self) -> tuple[str, ...]:
        return ("photos",)

    def text(self, name: str) -> str:
        return self._texts.get(name, "")

    def whole(self, name: str) -> str:
        return self._texts.get(name, "")


def planned(
    asked: str, past: Past, texts: Mapping[str, str] | None = None
) -> list[tuple[str, dict[str, object]]]:
    plan = Intents(Workspace(texts)).plan(asked, past)
    return [(call.name, dict(call.arguments)) for call in plan.calls] if plan is not None else []


def copied() -> tuple[Past, dict[str, str]]:
    """The recipe was just copied into photos."""
    call = ParsedCall("write_file", {"path": "photos/recipe.md", "content": TEXTS["recipe.md"]})
    past = Past(file="photos/recipe.md", asked="copy recipe.md to photos", calls=(call,), undo=(UNDO,))
    return past, TEXTS | {"photos/recipe.md": TEXTS["recipe.md"]}


@pytest.mark.parametrize(
    "asked",
    [
        "no i meant into a new folder called kitchen, take the other one away again",
        "wrong folder, into kitchen please",
        "nein, nach kitchen, die andere kopie kann weg",
        "non, dans kitchen",
        "no, en kitchen",
    ],
)
def test_a_copy_goes_where_it_was_meant(asked: str) -> None:
    """The one in the wrong place goes again."""
    past, texts = copied()
    assert planned(asked, past, texts) == [
        ("undo_change", {"change": 3}),
        ("write_file", {"path": "kitchen/recipe.md", "content": "# Pancakes\n"}),
    ]


def test_a_copy_is_made_of_another_file_too() -> None:
    """What was copied is known by its text, though only that was written."""
    past, texts = copied()
    assert planned("same for notes.txt", past, texts) == [
        ("write_file", {"path": "photos/notes.txt", "content": "Call Anna.\n"})
    ]
    assert planned("no, notes.txt", past, texts) == [
        ("undo_change", {"change": 3}),
        ("write_file", {"path": "photos/notes.txt", "content": "Call Anna.\n"}),
    ]


def test_a_text_of_its_own_is_no_copy() -> None:
    """What a model wrote is not written to another name."""
    call = ParsedCall("write_file", {"path": "poem.txt", "content": "Roses are red.\n"})
    past = Past(file="poem.txt", asked="write a poem to poem.txt", calls=(call,), undo=(UNDO,))
    assert planned("same for notes.txt", past) == []
    assert planned("no, into kitchen", past) == []


@pytest.mark.parametrize(
    "asked",
    [
        "oops not scan1, scan2",
        "no, scan2.txt",
        "sorry scan2.txt",
        "not that one, the 2",
        "nein nicht scan1, sondern scan2",
        "non pas celui-là, scan2.txt",
        "no, ese no, el scan2.txt",
    ],
)
def test_not_that_one(asked: str) -> None:
    """The other one is deleted, and the first is back."""
    call = ParsedCall("delete_file", {"path": "scan1.txt"})
    past = Past(asked="delete scan1.txt", calls=(call,), undo=(UNDO,))
    texts = {name: text for name, text in TEXTS.items() if name != "scan1.txt"}
    assert planned(asked, past, texts) == [
        ("undo_change", {"change": 3}),
        ("delete_file", {"path": "scan2.txt"}),
    ]


@pytest.mark.parametrize(
    "asked", ["and scan3 as well pls", "and number 3 too", "y el otro tambien, el 3", "et scan3 aussi stp"]
)
def test_one_more_of_a_series(asked: str) -> None:
    """By its number alone, behind what was done to another, with or without accents."""
    past = Past(asked="delete scan1.txt", calls=(ParsedCall("delete_file", {"path": "scan1.txt"}),))
    texts = {name: text for name, text in TEXTS.items() if name != "scan1.txt"}
    assert planned(asked, past, texts) == [("delete_file", {"path": "scan3.txt"})]


@pytest.mark.parametrize(
    "asked",
    [
        "move all three scans to photos",
        "schieb die drei scans nach photos",
        "mets les trois scans dans photos",
    ],
)
def test_a_series_is_counted(asked: str) -> None:
    """All of it, where the number that is said is theirs."""
    assert [given["source"] for _, given in planned(asked, Past())] == ["scan1.txt", "scan2.txt", "scan3.txt"]


@pytest.mark.parametrize("asked", ["move both scans to photos", "move the two scans to photos"])
def test_another_number_names_no_series(asked: str) -> None:
    """Of three nobody knows which two are meant."""
    assert planned(asked, Past()) == []


@pytest.mark.parametrize("asked", ["sorry notes.txt", "I meant notes.txt", "perdon, queria decir notes.txt"])
def test_a_name_that_is_not_there(asked: str) -> None:
    """Tried again with the one that was meant."""
    failed = ParsedCall("read_file", {"path": "note.txt"})
    past = Past(asked="read note.txt", failed=(failed,))
    assert planned(asked, past) == [("read_file", {"path": "notes.txt"})]


ADDED = ParsedCall("append_text", {"path": "shopping.txt", "text": "milk"})
TAKEN = ParsedCall("replace_text", {"path": "shopping.txt", "old": "eggs", "new": ""})


@pytest.mark.parametrize(
    "asked", ["and basil", "oh and basil too", "und basil", "et basil aussi", "y basil tambien"]
)
def test_a_list_goes_on(asked: str) -> None:
    """One more thing for the list that something was just added to."""
    past = Past(file="shopping.txt", asked="add milk", calls=(ADDED,), undo=(UNDO,))
    assert planned(asked, past) == [("append_text", {"path": "shopping.txt", "text": "basil"})]


TALK = (
    "and thanks|and basil?|and that's it|and you|und fertig|et voilà|y nada más|and now|and lunch was great|"
    "and Anna says hi|and bye|and happy birthday|und tschüss|et bonne nuit|and quickly|and scan9|and photos|"
    "and Bob is sick|und Anna kommt später|and text Anna|y buenas noches|and later maybe"
)


@pytest.mark.parametrize("asked", TALK.split("|"))
def test_talk_is_no_thing_of_a_list(asked: str) -> None:
    """Thanks, questions, farewells, sentences and names of files add nothing."""
    past = Past(file="shopping.txt", asked="add milk", calls=(ADDED,), undo=(UNDO,))
    assert planned(asked, past) == []


NO_CORRECTION = (
    "no|no thanks|sorry|no, to be honest|no, in the end it's fine|no to everything|no, I mean it|"
    "sorry I was away|no not at all, thanks|I meant well|I meant the weather|not now, later|not bad, thanks|"
    "not you, me"
)


@pytest.mark.parametrize("asked", NO_CORRECTION.split("|"))
def test_a_no_that_names_nothing_changes_nothing(asked: str) -> None:
    """Neither a copy nor what was deleted."""
    past, texts = copied()
    assert planned(asked, past, texts) == []
    deleted = ParsedCall("delete_file", {"path": "scan1.txt"})
    assert planned(asked, Past(asked="delete scan1.txt", calls=(deleted,), undo=(UNDO,))) == []


@pytest.mark.parametrize("asked", ["and the milk", "milk too", "milk auch noch", "et milk aussi"])
def test_another_thing_goes_too(asked: str) -> None:
    """Off the list that something was just taken from."""
    past = Past(file="shopping.txt", asked="take eggs off shopping.txt", calls=(TAKEN,), undo=(UNDO,))
    assert planned(asked, past) == [("replace_text", {"path": "shopping.txt", "old": "milk", "new": ""})]


def test_the_other_one_is_the_one_that_is_left() -> None:
    """Where two are left nobody knows which."""
    past = Past(file="shopping.txt", asked="take eggs off shopping.txt", calls=(TAKEN,), undo=(UNDO,))
    left = TEXTS | {"shopping.txt": "bread\n"}
    assert planned("and the other one too", past, left) == [
        ("replace_text", {"path": "shopping.txt", "old": "bread", "new": ""})
    ]
    assert planned("and the other one too", past) == []


def test_a_thing_is_found_by_what_tells_it_apart() -> None:
    """ "The library thing" is the one line that says library."""
    texts = {"todo.txt": "call the plumber\nreturn the library books\n"}
    gone = [("replace_text", {"path": "todo.txt", "old": "return the library books", "new": ""})]
    assert planned("take the library thing off my todo", Past(), texts) == gone
    assert planned("quita lo de library de todo.txt", Past(), texts) == gone


@pytest.mark.parametrize(
    "asked",
    [
        "jot down in notes.txt: plumber comes",
        "häng an notes an: plumber comes",
        "note dans notes.txt : plumber comes",
        "apunta en notes.txt: plumber comes",
    ],
)
def test_what_stands_behind_a_colon_is_added(asked: str) -> None:
    """As it stands there; and a reminder of it is of that."""
    added = ("append_text", {"path": "notes.txt", "text": "plumber comes"})
    assert planned(asked, Past()) == [added]
    past = Past(file="notes.txt", asked=asked, calls=(ParsedCall(*added),))
    assert planned("and remind me of that tomorrow at 9", past) == [
        ("set_reminder", {"text": "plumber comes", "when": "tomorrow at 9"})
    ]


def test_a_deletion_in_doubt_is_held() -> None:
    """The part that was not understood may take it back, so nothing is done."""
    plan = Intents(Workspace()).plan("delete notes.txt, hmm I think we should keep that", Past())
    assert plan is None or not plan.calls


def test_another_part_is_no_doubt() -> None:
    """ "Into the new folder" is not understood, and takes nothing back: the rest is done."""
    asked = "move notes.txt to photos, in den neuen Ordner"
    assert [name for name, _ in planned(asked, Past())] == ["move_file"]


@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [
        ("oh sorry no it was gwen not lucy", "lucy paid today", "gwen paid today"),
        ("nein, nicht 6 sondern 7", "6 gläser geholt", "7 gläser geholt"),
        ("non c'était gwen, pas lucy", "lucy a payé", "gwen a payé"),
        ("ay no, era gwen no lucy", "lucy ha pagado", "gwen ha pagado"),
        ("no not that one, the todo", "tick the milk", ""),
        ("it was gwen, not lucy", "lucy told lucy", ""),
        ("i'm not sure, ask lucy", "lucy paid today", ""),
    ],
)
def test_a_wrong_word_is_exchanged(asked: str, before: str, after: str) -> None:
    """Where it was said once, and the correction says nothing else."""
    assert reworded(asked, before) == after


@pytest.mark.parametrize(
    "asked",
    [
        "copy recipe.md into a new folder old, as cake.md",
        "kopier recipe.md in einen neuen ordner old, als cake.md",
    ],
)
def test_a_copy_in_a_folder_has_the_name_that_is_said(asked: str) -> None:
    """Which is no part of the folder's."""
    assert planned(asked, Past()) == [("write_file", {"path": "old/cake.md", "content": "# Pancakes\n"})]


# -- an order that is taken back ---------------------------------------------------------------

TAKEN_BACK = [
    "delete todo.txt, no wait, don't",
    "delete todo.txt no wait don't",
    "rename scan1.txt to a.txt. actually never mind",
    "remind me at 5 to call Tom, no, forget it",
    "throw away report.txt… on second thought, don't",
    "delete scan1, no, keep it",
    "forget my landlord, no don't",
    "lösch bitte notes.txt, ach ne halt, doch nicht",
    "lösch scan3.txt, nein",
    "verschieb contract.pdf in den ordner wohnung, ach quatsch, lass es",
    "supprime recipe.md, euh non attends, laisse le",
    "supprime scan1.txt, finalement non",
    "ajoute du beurre à shopping.txt, non, oublie",
    "borra shopping.txt... no no, mejor no",
    "borra scan2.txt, espera, no lo borres",
    "mueve contract.pdf a docs, mejor no",
]
GOES_ON = [
    "delete todo.txt",
    "delete scan1.txt, no wait, scan2.txt",
    "lösch scan1.txt, nein scan2.txt",
    "tell anna i don't",
    "remind me to say no",
    "add 'no wait' to todo.txt",
    'write "oh no" into notes.txt',
    "schreib in notes.txt: nein, doch nicht",
    "append to notes.txt: maybe not",
    "move the file and keep it",
    "add milk, please",
    "remind me to stop",
    "add bread to the list, not milk",
    "remind me tomorrow not to forget it",
    "supprime scan1.txt s'il te plaît",
    "is it raining, no?",
    "qué hay en la lista, no?",
    "don't",
    "never mind",
    "no",
]


@pytest.mark.parametrize("message", TAKEN_BACK)
def test_an_order_is_taken_back_by_its_own_end(message: str) -> None:
    """And the first look, which every message gets, sees that it may be."""
    assert is_taken_back(message)
    assert MAY_TAKE_BACK.search(message)


@pytest.mark.parametrize("message", GOES_ON)
def test_what_says_more_is_an_order_still(message: str) -> None:
    """Another object, words that are to be written, a courtesy, or nothing that was asked before."""
    assert not is_taken_back(message)


@pytest.mark.parametrize(
    "message", ["delete a.txt " + "mejor no " * 40 + "x", "delete a.txt, " + "no " * 120 + "y"]
)
def test_a_long_row_of_such_words_ends(message: str) -> None:
    """Each is read once, so that the work goes with the length and not with its power."""
    with processor_time() as spent:
        assert not is_taken_back(message)
    assert spent.at_rest_s < 1


def test_nothing_is_done_for_it_and_it_says_so(tmp_path: Path) -> None:
    """The file stays, nobody is asked, and no list of what might be forgotten is shown."""
    backend = ScriptedBackend("(the model)", template=HERMES_TEMPLATE)
    chosen = installed(tmp_path / "models", chat_template=HERMES_TEMPLATE)
    with days(tmp_path / "profile", chosen, backend, tmp_path / "Steward") as used:
        file = used.root / "todo.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("call the plumber\n")
        for said in ("My dentist is Dr Quill.", "add stamps to todo.txt"):
            used.say(said)
        answer = used.say("delete todo.txt, no wait, don't")
        assert answer.status is MessageStatus.COMPLETE
        assert answer.text == "All right. I have done nothing."
        assert used.say("lösch todo.txt, ach ne, lass es").text == "In Ordnung. Ich habe nichts getan."
        assert file.read_text() == "call the plumber\nstamps\n"
