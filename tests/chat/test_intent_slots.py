"""Which file, folder or text the words of a request stand for, in four languages."""

from __future__ import annotations

import pytest

from desktop.chat.intent_plan import PlanState, touched
from desktop.chat.intent_slots import Slots
from desktop.chat.references import Past

PAST = Past(
    file="shopping.txt", folder="archive", files=("scan1.txt", "scan2.txt"), value="391", text="An answer"
)
STATE = PlanState(
    PAST,
    ("shopping.txt", "todo.txt", "scan1.txt", "scan2.txt", "old/todo.txt", "documentos/lista.txt"),
    ("documentos", "photos", "old/photos"),
)
NOTHING_BEFORE = PlanState(Past(), STATE.files, STATE.folders)


@pytest.mark.parametrize(
    ("language", "phrase", "file"),
    [
        ("en", "it", "shopping.txt"),
        ("en", "my shopping list", "shopping.txt"),
        ("de", "die shopping-Liste", "shopping.txt"),
        ("es", "el archivo lista.txt", "documentos/lista.txt"),
        ("fr", "« shopping.txt »", "shopping.txt"),
        ("en", "old/todo.txt", "old/todo.txt"),
        ("en", "the todo", None),  # two files are called so
        ("en", "report.txt", None),
        ("en", "my sister", None),
    ],
)
def test_a_file_is_named_by_its_path_its_name_or_what_it_is_called(
    language: str, phrase: str, file: str | None
) -> None:
    """One file that is there is meant, or none: where two could be, nobody guesses."""
    assert Slots(language).file(phrase, STATE) == file


@pytest.mark.parametrize(
    ("phrase", "files"),
    [
        ("them", ("scan1.txt", "scan2.txt")),
        ("both scan1.txt and scan2.txt", ("scan1.txt", "scan2.txt")),
        ("all text files", ("shopping.txt", "todo.txt", "scan1.txt", "scan2.txt")),
        ("the folder documentos", ("documentos",)),
        ("scan1.txt and scan9.txt", None),
    ],
)
def test_several_files_are_meant_only_where_each_is_there(phrase: str, files: tuple[str, ...] | None) -> None:
    """A list, an ending or "them" stand for all their files; one that is missing leaves the slot empty."""
    assert Slots("en").files(phrase, STATE) == files


@pytest.mark.parametrize(
    ("language", "phrase", "folder"),
    [
        ("en", "there", "archive"),
        ("en", "the documentos folder", "documentos"),
        ("en", "a new folder called taxes", "taxes"),
        ("de", "den Ordner Steuern", "Steuern"),
        ("en", "taxes", "taxes"),  # after "to" a word alone is a place
        ("en", "my sister in Rome", None),
    ],
)
def test_a_place_to_move_to_is_there_or_can_be_nothing_else(
    language: str, phrase: str, folder: str | None
) -> None:
    """A folder is made only where its name can be told from a person or a day."""
    assert Slots(language).target_folder(phrase, STATE) == folder


def test_without_anything_before_it_stands_for_nothing() -> None:
    """In a new conversation "it", "them" and "there" leave every slot empty."""
    slots = Slots("en")
    assert slots.file("it", NOTHING_BEFORE) is None
    assert slots.files("them", NOTHING_BEFORE) is None
    assert slots.target_folder("there", NOTHING_BEFORE) is None
    assert slots.append_target("", NOTHING_BEFORE) is None
    assert slots.content("it", NOTHING_BEFORE) == ""


def test_what_is_added_are_the_own_words_or_what_it_stands_for() -> None:
    """Quoted words stay as they are without their marks; "it" is the last result, else the last answer."""
    slots = Slots("en")
    assert slots.content("'the milk please'", STATE) == "the milk please"
    assert slots.content("milk:", STATE) == "milk"
    assert slots.content("it", STATE) == "391"


@pytest.mark.parametrize(
    ("phrase", "file"),
    [("a file called plan.txt", "plan.txt"), ("my todo.txt", "todo.txt"), ("something nice", None)],
)
def test_a_new_file_needs_a_name_with_an_ending(phrase: str, file: str | None) -> None:
    """A phrase without an ending names no file that could be made."""
    assert Slots("en").new_file(phrase, STATE) == file


def test_a_file_that_was_written_is_what_it_means_next() -> None:
    """After a part that writes a file, "it" in the next part is that file, and "them" is nothing."""
    after = touched(STATE, "plan.txt")
    assert Slots("en").file("it", after) == "plan.txt"
    assert Slots("en").file("the plan", after) == "plan.txt"
    assert after.past.files == ()
