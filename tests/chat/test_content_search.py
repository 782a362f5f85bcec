"""Which files speak of what a request says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from desktop.chat.content_search import (
    MOST_BYTES,
    MOST_DOCUMENTS,
    asked_whether_noted,
    lines_of_words,
    mentions,
)
from tests.chat.test_intents import Folder

TEXTS = {
    "Speiseplan.txt": "Mo: Nudeln\nDi: Linsensuppe\n",
    "Werkstatt.log": "03.03. Kreissäge gereinigt\n06.03. Hobelmaschine: Messer gewechselt\n",
    "todo.md": "- [ ] call the dentist\n- [ ] fix bike light\n- [x] renovar dominio\n",
    "timetable.csv": "day,course\nMon,Statistics\nWed,Neurobiology\n",
    "server.log": "10:00 INFO start\n10:05 ERROR time-out\n",
    "letter to the town hall.txt": "We would like to use the hall on Saturday.\n",
}
DOCUMENTS = {"Elternbrief.pdf": "Wandertag am Donnerstag\nMitbringen: Trinkflasche", "old.pdf": ""}


class Around(Folder):
    """A workspace of texts and documents, which notes what was taken apart."""

    def __init__(self, texts: Mapping[str, str] = TEXTS) -> None:
        self.texts = texts
        self.taken_apart: list[str] = []

    def files(self) -> Sequence[str]:
        return (*self.texts, *DOCUMENTS)

    def text(self, name: str) -> str:
        return self.texts.get(name, "")

    def document(self, name: str) -> str:
        self.taken_apart.append(name)
        return DOCUMENTS[name]


@pytest.mark.parametrize(
    ("said", "name", "line"),
    [
        ("wann war was mit der hobelmaschine", "Werkstatt.log", "06.03. Hobelmaschine: Messer gewechselt"),
        ("dentist called me back", "todo.md", "- [ ] call the dentist"),
        ("he renovado los dominios", "todo.md", "- [x] renovar dominio"),  # another form of the word
        ("neurobio is on friday now", "timetable.csv", "Wed,Neurobiology"),  # the beginning of one
        ("cuántos errores hay", "server.log", "10:05 ERROR time-out"),
        ("what's in the letter to the town hall", "letter to the town hall.txt", None),  # by its name
    ],
)
def test_the_file_that_has_the_words_is_found(said: str, name: str, line: str | None) -> None:
    """With the line that has most of them."""
    first = mentions(said, Around())[0]
    assert first.name == name
    if line is not None:
        assert first.lines == (line,)


@pytest.mark.parametrize(
    "said",
    [
        "why is the sky blue?",
        "thanks, that was really great",
        "put it back there please",
        "what time is it",
        "",
        "und jetzt nochmal bitte",
        "merci beaucoup, c'est parfait",
        "¿qué tal estás hoy?",
    ],
)
def test_what_says_nothing_of_a_file_finds_none(said: str) -> None:
    assert mentions(said, Around()) == ()


def test_a_word_that_many_files_have_tells_none_of_them() -> None:
    """Of four texts about apples none is meant; of two the one is that has the other word too."""
    many = {f"{name}.txt": "apples" for name in "abcd"}
    assert mentions("how many apples", Around(many)) == ()
    two = {"a.txt": "apples and pears", "b.txt": "apples", "c.txt": "plums", "d.txt": "figs"}
    assert [each.name for each in mentions("apples or pears", Around(two))] == ["a.txt"]


def test_a_document_is_taken_apart_only_where_a_word_stands_in_no_text() -> None:
    """And only where that is asked for: it takes its time."""
    around = Around({**TEXTS, "tasks.txt": "Jonas: bins"})
    asked = "was muss jonas zum wandertag mitbringen"
    assert [each.name for each in mentions(asked, around)] == ["tasks.txt"]
    assert not around.taken_apart
    found = mentions(asked, around, documents=True)
    assert [(each.name, each.lines) for each in found] == [
        ("Elternbrief.pdf", ("Wandertag am Donnerstag", "Mitbringen: Trinkflasche")),
        ("tasks.txt", ("Jonas: bins",)),
    ]
    assert len(set(around.taken_apart)) <= MOST_DOCUMENTS
    around.taken_apart.clear()
    assert mentions("call the dentist", around, documents=True)[0].name == "todo.md"
    assert not around.taken_apart


def test_so_much_is_looked_into_that_a_question_does_not_wait() -> None:
    """What comes behind the limit is found by its name alone."""
    texts = {"large.txt": "x " * MOST_BYTES, "small.txt": "zebra", "zebras.txt": ""}
    assert [each.name for each in mentions("the zebra", Around(texts))] == ["zebras.txt"]


@pytest.mark.parametrize(
    ("asked", "is_plain"),
    [
        ("who has the blue dawes right now", True),
        ("how blue is the sea", False),
        ("the blue one", False),
    ],
)
def test_words_that_stand_together_tell_the_file(asked: str, is_plain: bool) -> None:
    """Two in one line, and half of those that may tell anything, also where other files have each of them."""
    texts = {
        "loans.txt": "red out - Mrs Larkin\nblue dawes out - Imran S\n",
        **{f"{name}.txt": f"a {word} thing\n" for name in ("a", "b", "c") for word in ("blue",)},
        **{f"{name}.md": "the dawes\n" for name in ("a", "b", "c")},
    }
    found = mentions(asked, Around(texts))
    assert [each.name for each in found if each.is_plain] == (["loans.txt"] if is_plain else [])


def test_the_lines_that_have_the_words_between_them() -> None:
    """The rarest words first; one of the file's name only where no other tells."""
    text = "GUARANTEE\nsewing machine 2190\nuntil 12 June 2028\nbelts and needles are not covered\n"
    asked = "is the belt of the machine under guarantee"
    assert lines_of_words(asked, "guarantee machine.pdf", text, 3) == ("belts and needles are not covered",)
    assert lines_of_words("the guarantee?", "guarantee machine.pdf", text, 3) == ("GUARANTEE",)
    assert lines_of_words("the 2190?", "guarantee.pdf", text, 3) == ("sewing machine 2190",)
    assert lines_of_words("the 19?", "guarantee.pdf", text, 3) == ()
    assert lines_of_words("what is the weather", "guarantee machine.pdf", text, 3) == ()


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("have i got anything written down about a bosendorfer? woman in seaford i think", "a bosendorfer"),
        ("is there any note on the boiler", "the boiler"),
        ("hab ich irgendwo was zum kamin aufgeschrieben?", "kamin aufgeschrieben"),
        ("on a noté qqpart quelque chose sur l'hôtel ?", "l'hôtel"),
        ("¿tengo algo apuntado sobre el dentista?", "el dentista"),
        ("what did i note about the pin block", ""),
        ("is it about the boiler", ""),
    ],
)
def test_a_question_whether_anything_is_noted_says_about_what(question: str, about: str) -> None:
    """Where no file has a word of it, that is the answer."""
    assert asked_whether_noted(question) == about
