"""Requests that no table reads: what the model may write for them, and what its commands come to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

import pytest

from desktop.chat.command_plan import CommandReader, grounded
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlanState
from desktop.chat.intents import Intents
from desktop.chat.references import Past
from desktop.chat.request_commands import (
    Command,
    asked_for,
    command_of,
    commands_in,
    grammar_of,
    sight_of,
    told_state,
)
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from tests.chat.test_intents import Folder

FILES = ("team.txt", "notes.txt", "receipt_jan.txt", "receipt_feb.txt", "song1.txt")
TEXTS = {
    "team.txt": "Jonas\nKarim\nLisa\n",
    "notes.txt": "Mesa: 120 EUR\nSilla: 45 EUR\n",
    "song1.txt": "la, le, lu\n",
}
SHOWN = ParsedCall("read_file", {"path": "team.txt"})
REMINDED = ParsedCall("set_reminder", {"text": "call the bank", "when": "tomorrow at 9"})
MOVED = ParsedCall("move_file", {"source": "receipt_jan.txt", "destination": "taxes/receipt_jan.txt"})


class Around(Folder):
    """A small workspace with two reminders."""

    def files(self) -> Sequence[str]:
        return FILES

    def folders(self) -> Sequence[str]:
        return ("taxes", "photos")

    def text(self, name: str) -> str:
        return TEXTS.get(name, "")

    def whole(self, name: str) -> str:
        return TEXTS.get(name, "")

    def reminders(self) -> Sequence[tuple[int, str]]:
        return [(7, "call the bank"), (8, "water the ferns")]

    def worked_out(self, question: str) -> str:
        return {"40 / 4": "10", "what is 6 times 5": "30"}.get(question.strip(), "")

    def due(self, number: int) -> datetime | None:
        return {7: datetime(2026, 11, 24, 9, 0), 8: datetime(2026, 11, 27, 15, 0)}.get(number)


class Written:
    """A model that writes what it is given, and keeps what it was asked."""

    def __init__(self, text: str, finish: FinishReason = FinishReason.STOP) -> None:
        self.text, self.finish = text, finish
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        stream.put(self.text)
        stream.end(self.finish, Metrics())
        return stream


def read(asked: str, written: str, past: Past) -> IntentPlan | None:
    around = Around()
    return CommandReader(around, Intents(around).plan).plan(asked, past, Written(written))


def calls(plan: IntentPlan | None) -> list[tuple[str, dict[str, object]]]:
    return [(call.name, dict(call.arguments)) for call in plan.calls] if plan is not None else []


TEAM = Past(file="team.txt", asked="who is in team.txt", calls=(SHOWN,))
TAXES = Past(file="taxes/receipt_jan.txt", folder="taxes", asked="move it", calls=(MOVED,))
BANK = Past(reminder=7, asked="remind me tomorrow at 9 to call the bank", calls=(REMINDED,))
GONE = Past(
    undo=(ParsedCall("undo_change", {"change": 5}), ParsedCall("undo_change", {"change": 4})),
    undo_of=("song1.txt", "team.txt"),
    asked="delete both",
    calls=(ParsedCall("delete_file", {"path": "team.txt"}),),
)
SUM = Past(value="40", text="40", asked="what is 8 times 5")

# request, what the model writes, what was before, the calls
READ = (
    (
        "Karim ist verletzt, dafür spielt Nele mit",
        'remove "Karim" from team.txt\nadd "Nele" to team.txt',
        TEAM,
        [
            ("replace_text", {"path": "team.txt", "old": "Karim", "new": ""}),
            ("append_text", {"path": "team.txt", "text": "Nele"}),
        ],
    ),
    (
        "la silla de notes.txt ahora cuesta 50",
        'replace "45" with "50" in notes.txt',
        TEAM,
        [("replace_text", {"path": "notes.txt", "old": "45", "new": "50"})],
    ),
    (
        "the feb one belongs there too",
        "move receipt_feb.txt to taxes",
        TAXES,
        [("move_file", {"source": "receipt_feb.txt", "destination": "taxes/receipt_feb.txt"})],
    ),
    (
        "she is away then, Thursday is better",
        'change 7 to "Thursday"',
        BANK,
        [
            ("set_reminder", {"text": "call the bank", "when": "Thursday at 9"}),
            ("cancel_reminder", {"reminder": "7"}),
        ],
    ),
    (
        "give me half an hour more",
        "later 7 by 0.5 hours",
        BANK,
        [
            ("set_reminder", {"text": "call the bank", "when": "24 November 2026 09:30"}),
            ("cancel_reminder", {"reminder": "7"}),
        ],
    ),
    ("no need for either", "cancel 7\ncancel 8", BANK, [
        ("cancel_reminder", {"reminder": "7"}),
        ("cancel_reminder", {"reminder": "8"}),
    ]),
    (
        "all of it as it was",
        "undo team.txt\nundo song1.txt",
        GONE,
        [("undo_change", {"change": 4}), ("undo_change", {"change": 5})],
    ),
    (
        "make that 130 EUR, and it is a Bank, no Silla",
        'replace "120" with "130" in notes.txt\nreplace "Silla" with "Bank" in notes.txt',
        TEAM,
        [
            ("replace_text", {"path": "notes.txt", "old": "120", "new": "130"}),
            ("replace_text", {"path": "notes.txt", "old": "Silla", "new": "Bank"}),
        ],
    ),
    (
        "le, c'est bon",
        'remove "le" from song1.txt',
        TEAM,
        [("replace_text", {"path": "song1.txt", "old": "la, le, lu", "new": "la, lu"})],
    ),
    (
        "garde-le dans total.txt",
        "write result to total.txt",
        SUM,
        [("write_file", {"path": "total.txt", "content": "40\n"})],
    ),
)  # fmt: skip


@pytest.mark.parametrize(("asked", "written", "past", "expected"), READ, ids=lambda each: str(each)[:30])
def test_commands_become_calls(
    asked: str, written: str, past: Past, expected: list[tuple[str, dict[str, object]]]
) -> None:
    """By the acts that the tables use."""
    assert calls(read(asked, written, past)) == expected


NOT_READ = (
    ("why is the sky blue?", "answer", TEAM),
    ("Karim is out", "remove Karim", TEAM),  # no command
    ("Pedro is out", 'remove "Pedro" from team.txt', TEAM),  # stands nowhere in it
    ("put team.txt and song1.txt there", "move song1.txt to taxes", TAXES),  # half of it
    ("he comes on Someday", 'change 7 to "Someday"', BANK),  # no time
    ("write it to sum.txt", 'write "sum.txt" to sum.txt', SUM),  # a name is no text
    ("undo", "undo", TEAM),  # nothing that could be
)


@pytest.mark.parametrize(("asked", "written", "past"), NOT_READ, ids=lambda each: str(each)[:30])
def test_what_is_not_understood_whole_is_not_done(asked: str, written: str, past: Past) -> None:
    """It goes on to be decided as before."""
    assert read(asked, written, past) is None


def test_what_was_cut_is_not_done() -> None:
    """Half of what was meant could be the wrong half."""
    around = Around()
    model = Written('remove "Karim" from team.txt', FinishReason.LENGTH)
    assert CommandReader(around, Intents(around).plan).plan("Karim is out", TEAM, model) is None


def test_a_long_text_is_not_put_before_the_model() -> None:
    """A text with a request in it is the model's own to read."""
    around, model = Around(), Written("answer")
    assert CommandReader(around, Intents(around).plan).plan("word " * 60, TEAM, model) is None
    assert not model.asked


@pytest.mark.parametrize(
    ("asked", "written", "text"),
    [
        ("and split between 4 of us?", "calculate 40 / 4", "40 / 4 = 10"),
        ("oops, 6 times", 'again with "6" for "8"', "what is 6 times 5 = 30"),
    ],
)
def test_sums_go_on(asked: str, written: str, text: str) -> None:
    """With the last result, or anew with another number."""
    plan = read(asked, written, SUM)
    assert plan is not None
    assert [step.text for step in plan.steps] == [text]
    assert not plan.changes


@pytest.mark.parametrize(
    ("asked", "written", "unread"),
    [
        ("leg einen Ordner Post an, pack beide briefe rein", "folder Post", "pack beide briefe rein"),
        ("Karim is out, cross it off", 'remove "Karim" from team.txt', ""),
        ("add Nele, and remove Karim", 'add "Nele" to team.txt\nremove "Karim" from team.txt', ""),
    ],
)
def test_a_part_that_was_left_out_is_named(asked: str, written: str, unread: str) -> None:
    """A small model stops after the first."""
    plan = read(asked, written, TEAM)
    assert plan is not None
    told = [step.text for step in plan.steps if step.call is None]
    assert len(told) == bool(unread)
    assert all(unread in each for each in told)


def test_what_no_word_speaks_for_is_left_out() -> None:
    """A small model goes on with what it has just seen; of two on one file the one that loses less counts."""
    written = (Command("remove", ("Lisa", "team.txt")), Command("add", ("Nele", "team.txt")))
    assert grounded(written, "and add Nele") == written[1:]
    both = (Command("delete", ("team.txt",)), Command("remove", ("Jonas", "team.txt")))
    assert grounded(both, "the first line goes") == both[1:]
    alone = (Command("delete", ("team.txt",)),)
    assert grounded(alone, "throw it away") == alone


def state(past: Past) -> PlanState:
    return PlanState(past, FILES, ("taxes", "photos"))


def test_only_what_is_near_is_shown() -> None:
    """What was touched, named, or is named alike; a small model would take whatever else it sees."""
    sight = sight_of("the feb one belongs there too", state(TAXES), Around())
    assert "receipt_feb.txt" in sight.files
    assert "song1.txt" not in sight.files
    assert sight.folders == ("taxes",)
    told = told_state(sight)
    assert "Done: move receipt_jan.txt to taxes" in told
    assert '7 "call the bank" (Tuesday 09:00)' in told


def test_the_prompt_begins_alike_for_all() -> None:
    """So that the KV cache has all but the last message."""
    first, second = (
        asked_for(sight_of(asked, state(past), Around())) for asked, past in (("x", TEAM), ("y", BANK))
    )
    assert first[:-1] == second[:-1]
    assert first[-1] != second[-1]


@pytest.mark.parametrize(
    "past", [TEAM, TAXES, BANK, SUM, Past(asked='say "hi" to C:\\x', value="1", text="1")]
)
def test_the_grammar_names_every_rule_once(past: Past) -> None:
    """llama.cpp refuses a rule that is not there, and takes the last of two."""
    grammar = grammar_of(sight_of("take \"milk\" off, it's l'eau\\", state(past), Around()))
    names = [line.partition(" ::= ")[0] for line in grammar.splitlines()]
    assert len(names) == len(set(names))
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}', " ", grammar.replace("::=", " "))
    assert set(re.findall(r"[a-z][\w-]*", bare)) <= set(names)


def test_every_example_is_a_command() -> None:
    """What the model is shown, the program has to read."""
    prompt = asked_for(sight_of("x", state(TEAM), Around()))
    shown = [each.content for each in prompt if each.role == "assistant"]
    assert shown
    assert all(each == "answer" or commands_in(each) for each in shown)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (MOVED, "move receipt_jan.txt to taxes"),
        (ParsedCall("move_file", {"source": "a.txt", "destination": "b.txt"}), "rename a.txt to b.txt"),
        (ParsedCall("replace_text", {"path": "a", "old": "x", "new": ""}), 'remove "x" from a'),
        (ParsedCall("replace_text", {"path": "a", "old": "x", "new": "y"}), 'replace "x" with "y" in a'),
        (ParsedCall("append_text", {"path": "a", "text": "x\ny"}), 'add "x / y" to a'),
        (REMINDED, 'remind "call the bank" at "tomorrow at 9"'),
        (ParsedCall("roll_dice", {"dice": "2d6"}), "roll_dice"),
    ],
)
def test_what_was_done_is_told_as_a_command(call: ParsedCall, said: str) -> None:
    """The words that the answer is to be in."""
    assert command_of(call) == said
