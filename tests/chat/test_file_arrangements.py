"""Files and folders arranged in anybody's words: the model writes commands, which become calls."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from desktop.chat.file_arrangements import NO_COMMAND, OVER_NONE, FileArrangements, _told_first
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from tests.chat.test_table_changes import Around

TEXTS = {
    "notes.txt": "berg called\n",
    "invoices/march.csv": "a,1\n",
    "invoices/april.csv": "a,2\n",
    "invoices/2026/may.csv": "a,3\n",
    "photos/beach.jpg": "",
}


class Workspace(Around):
    def folders(self) -> Sequence[str]:
        return ("invoices", "invoices/2026", "photos")


class Model:
    """Writes these commands; they are likelier than none by `over`."""

    def __init__(
        self, *written: str, over: float = OVER_NONE + 1, finish: FinishReason = FinishReason.STOP
    ) -> None:
        self.written, self.over, self.finish = "\n".join(written), over, finish
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        if request.labels:
            stream.put_scores({each: 0.0 if each == NO_COMMAND else self.over for each in request.labels})
            stream.end(FinishReason.STOP, Metrics())
            return stream
        stream.put(self.written)
        stream.end(self.finish, Metrics())
        return stream


def arranged(asked: str, model: Model) -> list[str]:
    """The calls, each as its name and what it is about."""
    plan = FileArrangements(Workspace(TEXTS), model).plan(asked)
    calls = plan.calls if plan is not None else ()
    return [" ".join((call.name, *map(str, call.arguments.values()))).strip() for call in calls]


@pytest.mark.parametrize(
    ("asked", "written", "calls"),
    [
        (
            "a folder old inside invoices, and the march one in there",
            ['mkdir "invoices/old"', 'mv "invoices/march.csv" "invoices/old/"'],
            ["make_directory invoices/old", "move_file invoices/march.csv invoices/old/march.csv"],
        ),
        (
            "copy april for june",
            ['cp "invoices/april.csv" "invoices/june.csv"'],
            ["write_file invoices/june.csv a,2"],
        ),
        # "Move Berg to the 5th" is of what a file says, and not of the file.
        ("move berg to 5 december", ['mv "notes.txt" "5 december/"'], []),
        (
            "move the notes to 5 december",
            ['mv "notes.txt" "5 december/"'],
            ["move_file notes.txt 5 december/notes.txt"],
        ),
        ("notes is ideas from now on", ['mv "notes.txt" "ideas.txt"'], ["move_file notes.txt ideas.txt"]),
        ("call the notes ideas.txt", ['mv "notes.txt" "ideas.txt.txt"'], ["move_file notes.txt ideas.txt"]),
        # The folder is there already, and is not made again.
        (
            "march into the 2026 folder",
            ['mkdir "invoices/2026"', 'mv "invoices/march.csv" "invoices/2026/"'],
            ["move_file invoices/march.csv invoices/2026/march.csv"],
        ),
    ],
)
def test_commands_become_calls(asked: str, written: Sequence[str], calls: list[str]) -> None:
    """A name keeps its ending."""
    assert arranged(asked, Model(*written)) == calls


@pytest.mark.parametrize(
    ("asked", "model"),
    [
        (
            "march is april now",
            Model('mv "invoices/march.csv" "invoices/april.csv"'),
        ),  # it would be written over
        ("notes as a picture", Model('mv "notes.txt" "photos/beach.jpg"')),
        ("where are the notes", Model(NO_COMMAND)),
        ("the notes are long", Model('mv "notes.txt" "long.txt"', over=OVER_NONE - 1)),
        ("move it", Model('mv "other.txt" "photos/"')),
        ("move the notes", Model('mv "notes', finish=FinishReason.CANCELLED)),
        ("x" * 300, Model('mkdir "x"')),
        ("copy the beach picture", Model('cp "photos/beach.jpg" "photos/copy.jpg"')),  # no text
    ],
)
def test_nothing_is_written_over_or_made_up(asked: str, model: Model) -> None:
    """And no file becomes one of another kind."""
    assert arranged(asked, model) == []


def test_the_grammar_has_the_files_and_the_words_of_the_message() -> None:
    """A new name is words, in a folder that is there or at the top, with an ending that files have."""
    model = Model('mkdir "old stuff"')
    arranged("make a folder old stuff", model)
    rules = dict(line.split(" ::= ", 1) for line in (model.asked[-1].grammar or "").splitlines())
    assert rules["file"].split(" | ")[0] == '"notes.txt"'
    assert '"invoices/2026/"' in rules["place"]
    assert rules["ending"] == '".txt" | ".csv" | ".jpg"'
    assert rules["new"] == "place? text"


def test_examples_use_files_of_their_folder() -> None:
    """A command for a file that is not shown would teach to make one up."""
    folder = ""
    for shown, written in zip(_told_first()[1::2], _told_first()[2::2], strict=True):
        folder = shown.content.partition("Said: ")[0] or folder
        sources = [
            line.split('"')[1] for line in written.content.splitlines() if line.startswith(("mv", "cp"))
        ]
        assert all(each in folder.splitlines() for each in sources)


def test_a_folder_with_the_ending_of_the_file_is_its_new_name() -> None:
    """A small model writes a slash behind it."""
    model = Model('mv "notes.txt" "invoices/berg notes.txt/"')
    assert arranged("call it berg notes.txt", model) == ["move_file notes.txt invoices/berg notes.txt"]


def test_what_lies_beside_the_file_that_is_meant_stays() -> None:
    """A small model moves all of the folder; "both" and "all" mean it."""
    moves = ('mv "invoices/march.csv" "photos/"', 'mv "notes.txt" "photos/"')
    assert arranged("the note that berg called, into the photos", Model(*moves)) == [
        "move_file notes.txt photos/notes.txt"
    ]
    assert len(arranged("all of it into the photos, bergs note too", Model(*moves))) == 2
