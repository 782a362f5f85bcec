"""Requests that no table reads: what the model may write for them, and what its commands come to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from desktop.chat.command_plan import CommandReader
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlanState, Step
from desktop.chat.intents import Intents
from desktop.chat.references import Past
from desktop.chat.request_commands import (
    asked_for,
    command_of,
    commands_in,
    grammar_of,
    sight_of,
    told_state,
)
from desktop.chat.request_reading import fuller
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

    def is_looked_up(self, question: str) -> bool:
        return "current time" in question

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
UNDO = ParsedCall("undo_change", {"change": 5})
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


TAKEN = Past(
    file="team.txt",
    asked="take Pedro and Mona out",
    undo=(ParsedCall("undo_change", {"change": 9}), ParsedCall("undo_change", {"change": 8})),
    undo_of=("team.txt", "team.txt"),
    undo_acts=(
        ParsedCall("replace_text", {"path": "team.txt", "old": "Mona", "new": ""}),
        ParsedCall("replace_text", {"path": "team.txt", "old": "Pedro", "new": ""}),
    ),
)
PUT_BACK = [("append_text", {"path": "team.txt", "text": "Pedro"})]


@pytest.mark.parametrize("written", ['undo "Pedro"', "undo", "undo team.txt", 'add "Pedro" to team.txt'])
def test_of_several_acts_the_one_that_is_spoken_of_is_taken_back(written: str) -> None:
    """Whatever the model calls it, and as it stood."""
    assert calls(read("hold on, Pedro was right", written, TAKEN)) == PUT_BACK


def test_the_newest_act_is_taken_back_by_the_journal() -> None:
    """Where no later one stands on it."""
    assert calls(read("Mona was right", 'undo "Mona"', TAKEN)) == [("undo_change", {"change": 9})]


def test_two_reminders_are_both_moved() -> None:
    """A small model writes the first."""
    past = Past(reminder=8, asked="remind me", calls=(REMINDED, REMINDED))
    done = calls(read("push both back by an hour", "later 7 by 1 hours", past))
    assert [name for name, _ in done] == ["set_reminder", "cancel_reminder"] * 2
    assert [given["reminder"] for name, given in done if name == "cancel_reminder"] == ["7", "8"]


@pytest.mark.parametrize(
    ("asked", "written", "when"),
    [
        ("lo han pasado al sábado a las 11", 'change 7 to "sábado"', "sábado a las 11"),
        ("it is Saturday at 11 now", 'change 7 to "Saturday"', "Saturday at 11"),
        ("it moved, Friday not Saturday", 'change 7 to "Friday"', "Friday at 9"),
    ],
)
def test_a_time_is_read_with_all_its_words(asked: str, written: str, when: str) -> None:
    """A small model takes one of them."""
    plan = read(asked, written, BANK)
    expected = Around().time_in(when, "es" if "las" in when else "en")
    assert calls(plan)[0] == ("set_reminder", {"text": "call the bank", "when": expected})


@pytest.mark.parametrize(
    ("asked", "written", "expected"),
    [
        (
            "it comes before the others",
            'add "Lisa" on top of team.txt',
            [
                ("replace_text", {"path": "team.txt", "old": "Lisa", "new": ""}),
                ("replace_text", {"path": "team.txt", "old": "Jonas", "new": "Lisa\nJonas"}),
            ],
        ),
        (
            "what is in song1.txt belongs to team.txt",
            "add song1.txt to team.txt",
            [("append_text", {"path": "team.txt", "text": "la, le, lu"})],
        ),
        (
            "copy song1.txt as song9.txt, then put 'end' into the new one",
            'copy song1.txt to song9.txt\nadd "end" to song9.txt',
            [
                ("write_file", {"path": "song9.txt", "content": "la, le, lu\n"}),
                ("append_text", {"path": "song9.txt", "text": "end"}),
            ],
        ),
    ],
)
def test_texts_go_on_top_into_copies_and_after_each_other(
    asked: str, written: str, expected: list[tuple[str, dict[str, object]]]
) -> None:
    """What stands further down moves up; a copy that this request makes is there for its next part."""
    added = ParsedCall("append_text", {"path": "team.txt", "text": "Lisa"})
    past = replace(TEAM, undo=(UNDO,), undo_of=("team.txt",), undo_acts=(added,))
    assert calls(read(asked, written, past)) == expected


def test_lines_that_nobody_spoke_of_stay() -> None:
    """Of "both" a small model that does not know them takes the first two."""
    written = 'remove "Jonas" from team.txt\nremove "Karim" from team.txt'
    assert read("take both of those out again", written, TEAM) is None
    added = tuple(
        ParsedCall("append_text", {"path": "team.txt", "text": each}) for each in ("Karim", "Jonas")
    )
    lately = replace(TEAM, undo_acts=added[:1], acts_before=added[1:])
    assert len(calls(read("take both of those out again", written, lately))) == len(added)


def test_acts_before_the_last_are_shown() -> None:
    """So that "both" can mean two requests."""
    added = tuple(ParsedCall("append_text", {"path": "team.txt", "text": each}) for each in ("Lisa", "Karim"))
    past = replace(TEAM, undo=(UNDO,), undo_of=("team.txt",), undo_acts=added[:1], acts_before=added[1:])
    assert "Done before" not in told_state(sight_of("and Nele", state(past), Around()))
    told = told_state(sight_of("both of those", state(past), Around()))
    assert 'Done before: add "Karim" to team.txt; add "Lisa" to team.txt\nDone: show team.txt' in told


def test_the_fuller_plan_is_taken() -> None:
    """What the tables leave unread is put before the model; its plan counts where it has all of theirs."""
    one, two = Step(ParsedCall("write_file", {})), Step(ParsedCall("append_text", {}))
    half = IntentPlan("en", (one, Step(text="not done", unread="and so on")))
    whole = IntentPlan("en", (one, two))
    assert fuller(half, whole) is whole
    assert fuller(half, IntentPlan("en", (two,))) is half
    assert fuller(half, None) is half
    assert fuller(None, whole) is whole


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


def test_a_part_that_cannot_be_done_is_named() -> None:
    """The others are done."""
    written = 'remove "Karim" from team.txt\nremove "Pedro" from team.txt'
    plan = read("Karim is out, and Pedro has left us", written, TEAM)
    assert calls(plan) == [("replace_text", {"path": "team.txt", "old": "Karim", "new": ""})]
    assert plan is not None
    assert "Pedro has left us" in plan.steps[-1].text


def test_what_was_only_looked_for_is_not_thrown_away() -> None:
    """ "And Karim" behind a look asks for more of it; where it says that he goes, he does."""
    written = 'remove "Karim" from team.txt'
    assert calls(read("and karim", written, TEAM)) == []
    assert calls(read("and remove karim", written, TEAM)) != []


def test_a_question_changes_nothing() -> None:
    """In the form of one; "can you" and "how about" ask for something."""
    past = replace(BANK, file="team.txt")
    for asked, changes in (
        ("what's still open?", False),
        ("wer fehlt noch?", False),
        ("how about 5pm?", True),
    ):
        grammar = grammar_of(sight_of(asked, state(past), Around()))
        assert ('"remove "' in grammar, '"change "' in grammar) == (changes, changes), asked
        assert '"show "' in grammar


def test_a_question_where_there_is_nothing_is_answered() -> None:
    """In an empty folder no command is left to it, and a rule without a word is no grammar."""
    for asked in ("How large is budget.xlsx and when was it created?", "Was steht in brief.txt?"):
        grammar = grammar_of(sight_of(asked, PlanState(Past(), (), ()), Empty()))
        assert all(rule.partition("::=")[2].strip() for rule in grammar.splitlines()), grammar


def test_a_number_is_that_of_the_line_that_is_named() -> None:
    """Whatever the model took."""
    past = replace(TEAM, file="notes.txt")
    assert calls(read("and Silla 50", 'replace "120" with "50" in notes.txt', past)) == [
        ("replace_text", {"path": "notes.txt", "old": "45", "new": "50"})
    ]


def test_who_is_in_a_list_is_not_the_list() -> None:
    """Its file keeps its name; one that is said with an ending is a file's."""
    assert read("Karim is called Kim now", "rename team.txt to Kim", TEAM) is None
    assert calls(read("call it squad.txt", "rename team.txt to squad.txt", TEAM)) == [
        ("move_file", {"source": "team.txt", "destination": "squad.txt"})
    ]


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("finalement garde le c", "delete song1.txt"),  # to keep is not to delete
        ("team.txt is enough", "delete song1.txt"),  # nothing says that anything goes
        (
            "in it should stand 'MwSt:' first",
            'add "MwSt:\' first" to team.txt',
        ),  # past the end of the quotation
        ("bin it, but keep team.txt", "delete team.txt"),
        (
            "create a folder called Old, move notes.txt into it",
            'add "Old" to notes.txt\nmove notes.txt to Old',
        ),
        ("leg einen Ordner Alt an", 'add "Alt" to team.txt'),
        ("write the total into total.txt", 'write "total" to total.txt'),  # what it is, and not the word
    ],
)
def test_what_the_request_does_not_say_is_not_lost(asked: str, written: str) -> None:
    """A small model that understands nothing deletes what it sees."""
    assert read(asked, written, TEAM) is None


def test_a_file_goes_where_something_says_so() -> None:
    """A word for it, or another one that has just gone."""
    gone = [("delete_file", {"path": "song1.txt"})]
    assert calls(read("bin the song", "delete song1.txt", TEAM)) == gone
    after = replace(TEAM, calls=(ParsedCall("delete_file", {"path": "notes.txt"}),))
    assert calls(read("and the song", "delete song1.txt", after)) == gone


def test_what_is_needed_again_is_what_the_request_speaks_of() -> None:
    """Of two files that went."""
    gone = replace(GONE, undo_acts=tuple(ParsedCall("delete_file", {"path": each}) for each in GONE.undo_of))
    written = "undo team.txt\nundo song1.txt"
    assert calls(read("I need the song again", written, gone)) == [("undo_change", {"change": 5})]


def test_a_text_goes_into_a_folder_of_this_request() -> None:
    """Into a file there, too."""
    written = 'folder Bills\nmove song1.txt to Bills\nwrite "paid until May" to Bills/status.txt'
    done = calls(
        read("folder Bills, song1 in there, and 'paid until May' in Bills/status.txt", written, TEAM)
    )
    assert [name for name, _ in done] == ["make_directory", "move_file", "write_file"]
    assert done[-1][1] == {"path": "Bills/status.txt", "content": "paid until May\n"}


def test_the_same_time_is_no_part_of_its_own() -> None:
    """The hour is kept, so that nothing is left undone."""
    again = Step(ParsedCall("set_reminder", {}))
    half = IntentPlan("en", (again, Step(text="not done", unread="same time")))
    whole = IntentPlan("en", (again,))
    assert fuller(half, whole) is whole
    other = IntentPlan("en", (again, Step(text="not done", unread="print it")))
    assert fuller(other, whole) is other


class Empty(Around):
    """A workspace in which nothing is."""

    def files(self) -> Sequence[str]:
        return ()

    def folders(self) -> Sequence[str]:
        return ()

    def reminders(self) -> Sequence[tuple[int, str]]:
        return ()


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


def test_a_new_list_has_one_entry_a_line() -> None:
    """Whether the model writes it at once or bit by bit; a text in quotation marks stays as it is."""
    parts = 'write "nails" to diy.txt\nwrite "screws" to diy.txt\nwrite "glue" to diy.txt'
    for asked, written, expected in (
        ("we need a list diy.txt: nails, screws and glue", parts, "nails\nscrews\nglue\n"),
        (
            "a list diy.txt, nails, screws and glue",
            'write "nails, screws and glue" to diy.txt',
            "nails\nscrews\nglue\n",
        ),
        ("put 'nails, screws' into diy.txt", 'write "nails, screws" to diy.txt', "nails, screws\n"),
    ):
        done = calls(read(asked, written, TEAM))
        assert done == [("write_file", {"path": "diy.txt", "content": expected})], asked


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("supprime l'original", 'remove "Jonas" from team.txt\nremove "Lisa" from team.txt'),
        ("that's all for now", 'remove "Lisa" from team.txt'),
        ("throw it out", "delete song1.txt"),  # not what was spoken of
    ],
)
def test_what_nothing_speaks_of_is_not_lost(asked: str, written: str) -> None:
    """A line or a file that a small model takes besides."""
    assert read(asked, written, TEAM) is None


def test_of_a_name_the_other_word_changes() -> None:
    """The one that the request says tells whose name it is."""

    class Names(Around):
        def text(self, name: str) -> str:
            return "Jonas Hahn\nSvenja Roth\n"

    around = Names()
    reader = CommandReader(around, Intents(around).plan)
    written = Written('replace "Svenja Roth" with "Kranz" in team.txt')
    assert calls(reader.plan("Svenja hat geheiratet und heißt jetzt Kranz", TEAM, written)) == [
        ("replace_text", {"path": "team.txt", "old": "Roth", "new": "Kranz"})
    ]
    written = Written('replace "Svenja Roth" with "Kim" in team.txt')
    assert calls(reader.plan("Svenja geht, dafür kommt Kim", TEAM, written)) == [
        ("replace_text", {"path": "team.txt", "old": "Svenja Roth", "new": "Kim"})
    ]


def test_the_original_of_a_copy_is_shown() -> None:
    """Else "the original" is taken for the first line of the copy."""
    copied = ParsedCall("write_file", {"path": "song9.txt", "content": TEXTS["song1.txt"]})
    past = Past(file="song9.txt", asked="copy song1.txt as song9.txt", calls=(copied,))
    sight = sight_of("delete the original", PlanState(past, (*FILES, "song9.txt"), ()), Around())
    assert "song1.txt" in sight.files
    assert "Done: copy song1.txt to song9.txt" in told_state(sight)


def test_what_was_done_before_a_misunderstanding_is_shown() -> None:
    """One sentence that came to nothing does not end what the conversation is about."""
    past = Past(file="team.txt", asked="hm?", lately=(SHOWN,))
    told = told_state(sight_of("and Nele", state(past), Around()))
    assert 'Done before: show team.txt\nDone: "hm?"' in told


@pytest.mark.parametrize(
    ("written", "past", "expected"),
    [
        ('remove "Pedro" from team.txt', TEAM, True),
        ("answer", TEAM, False),
        ("list photos", TEAM, False),
        ('remove "Pedro" from team.txt', Past(), False),  # goes on from nothing
    ],
)
def test_a_wish_that_no_command_fulfils_is_known_as_one(written: str, past: Past, expected: bool) -> None:
    """It is told as not done; no words of the model stand in its place."""
    around = Around()
    reader = CommandReader(around, Intents(around).plan)
    understood = reader.understood("Pedro is out", past, Written(written))
    assert understood.asks_for_change is expected


@pytest.mark.parametrize(
    ("asked", "written", "past", "expected"),
    [
        # The line that is named, whatever the model took.
        ("Lisa has left", 'remove "Karim" from team.txt', TEAM,
         [("replace_text", {"path": "team.txt", "old": "Lisa", "new": ""})]),
        # A text ends where its quotation marks do.
        ("put at its end 'Danke!' an", 'add "Danke!\' an" to team.txt', TEAM,
         [("append_text", {"path": "team.txt", "text": "Danke!"})]),
        # One more reminder is no other time of the one there is.
        ("and another one the evening before", "later 7 by 1 hours", BANK, []),
    ],
)  # fmt: skip
def test_what_the_request_says_counts(
    asked: str, written: str, past: Past, expected: list[tuple[str, dict[str, object]]]
) -> None:
    """Where a small model says something else."""
    assert calls(read(asked, written, past)) == expected


def test_a_word_of_each_line_names_none() -> None:
    """The hook of "garage: hook 3" is no other line's."""

    class Keys(Around):
        def text(self, name: str) -> str:
            return "house: hook 1\ncar: hook 5\ngarage: hook 3\n"

    around = Keys()
    written = Written('replace "hook 5" with "hook 6" in team.txt')
    plan = CommandReader(around, Intents(around).plan).plan("and the garage one on hook 6", TEAM, written)
    assert calls(plan) == [("replace_text", {"path": "team.txt", "old": "hook 3", "new": "hook 6"})]


def test_after_all_is_not_all() -> None:
    """Of two files that went only the one is needed."""
    gone = replace(GONE, undo_acts=tuple(ParsedCall("delete_file", {"path": each}) for each in GONE.undo_of))
    written = "undo team.txt\nundo song1.txt"
    assert calls(read("I need the song after all", written, gone)) == [("undo_change", {"change": 5})]


def test_the_other_half_of_a_correction_is_done() -> None:
    """A small model only takes back."""
    past = Past(
        asked="delete song1.txt",
        calls=(ParsedCall("delete_file", {"path": "song1.txt"}),),
        undo=(UNDO,),
        undo_of=("song1.txt",),
        undo_acts=(ParsedCall("delete_file", {"path": "song1.txt"}),),
    )
    assert calls(read("ese no, era notes.txt, recupera el otro", "undo song1.txt", past)) == [
        ("undo_change", {"change": 5}),
        ("delete_file", {"path": "notes.txt"}),
    ]


class Twice(Written):
    """A model that writes something else the second time."""

    def __init__(self, first: str, then: str) -> None:
        super().__init__(first)
        self.then = then

    def __call__(self, request: GenerateRequest) -> Stream:
        stream = super().__call__(request)
        self.text = self.then
        return stream


@pytest.mark.parametrize(
    ("asked", "first", "then", "expected"),
    [
        ("Karim is called Kim now", "rename team.txt to Kim", 'replace "Karim" with "Kim" in team.txt',
         [("replace_text", {"path": "team.txt", "old": "Karim", "new": "Kim"})]),
        # The request says nothing of what would be another now.
        ("keep that, Kim", "delete team.txt", 'replace "Karim" with "Kim" in team.txt', []),
    ],
)  # fmt: skip
def test_another_verb_is_tried_once(
    asked: str, first: str, then: str, expected: list[tuple[str, dict[str, object]]]
) -> None:
    """Where nothing speaks for what the model wrote; the second time only the request's words count."""
    around, model = Around(), Twice(first, then)
    plan = CommandReader(around, Intents(around).plan).plan(asked, TEAM, model)
    assert calls(plan) == expected
    verb = f'"{first.split()[0]} "'
    assert [verb in str(each.grammar) for each in model.asked] == [True, False]


def test_a_line_that_cannot_go_is_not_guessed_again() -> None:
    """Another verb would only do something else to somebody else."""
    around, model = Around(), Twice('remove "Pedro" from team.txt', 'add "Pedro" to team.txt')
    assert CommandReader(around, Intents(around).plan).plan("Pedro is out", TEAM, model) is None
    assert len(model.asked) == 1


def _one_file(text: str, asked: str, written: str, past: Past = TEAM) -> list[tuple[str, dict[str, object]]]:
    class Of(Around):
        def text(self, name: str) -> str:
            return text

    around = Of()
    return calls(CommandReader(around, Intents(around).plan).plan(asked, past, Written(written)))


@pytest.mark.parametrize(
    ("text", "asked", "written"),
    [
        # A number of which only the change is said is no value.
        ("haircut 28\nbeard 15\n", "haircut is going up by 2", 'replace "28" with "2" in team.txt'),
        ("pens 12\npaper 3\n", "we used 4 pens", 'replace "12" with "4" in team.txt'),
        ("soupe 3\n", "la soupe augmente de 2", 'replace "3" with "2" in team.txt'),
        # To swap two is not to write one over the other.
        ("mon: soup\nwed: fish\n", "swap monday and wednesday",
         'replace "mon" with "wednesday" in team.txt\nreplace "wed" with "monday" in team.txt'),
        # What the request says goes is something else.
        ("Tom 4471\nVet 2210\n", "the vet is 2211, not 2210", 'replace "Tom" with "vet" in team.txt'),
        # What would come stands in another line, and names it.
        ("Petra Schmitt\nOlaf Kern\n", "Olaf has moved", 'replace "Schmitt" with "Olaf" in team.txt'),
        # The name of a file is no text, what describes one neither.
        ("Dear Pat\n", "save a copy as sent.txt", 'replace "Dear Pat" with "sent.txt" in team.txt'),
        ("Dear Pat\n", "write what each of us owes into sum.txt", 'write "what each of us owes" to sum.txt'),
        # A place in a text is no folder, a file neither, and nothing is moved to where it is.
        ("a\nb\n", "b in team.txt is urgent, move it to the top", "move team.txt to top"),
        ("a\nb\n", "move those two lines of team.txt into sam.txt", "move team.txt to sam.txt"),
    ],
)  # fmt: skip
def test_nonsense_is_not_written(text: str, asked: str, written: str) -> None:
    """Each of these a small model wrote, and each took something from somebody."""
    assert _one_file(text, asked, written) == []


@pytest.mark.parametrize(
    ("text", "asked", "written", "old", "new"),
    [
        ("Tom Meier 4471\n", "he's called Meyer", 'replace "Tom" with "Meyer" in team.txt', "Meier", "Meyer"),
        ("Hi\nYours, Pat\n", "make that Best wishes instead of Yours",
         'replace "Yours, Pat" with "Best wishes" in team.txt', "Yours", "Best wishes"),
        ("haircut 28\n", "haircut goes up by 2 to 30", 'replace "28" with "30" in team.txt', "28", "30"),
    ],
)  # fmt: skip
def test_only_what_is_meant_is_exchanged(text: str, asked: str, written: str, old: str, new: str) -> None:
    """The word that is spelled so, the one that is said to go."""
    assert _one_file(text, asked, written) == [("replace_text", {"path": "team.txt", "old": old, "new": new})]


def test_a_reminder_is_not_set_again_for_its_own_time() -> None:
    """It would be the same one, and go with the old."""
    assert read("the Tuesday it is then, at 9", 'change 7 to "Tuesday"', BANK) is None


def test_a_second_reading_takes_nothing_back() -> None:
    """Where nothing asks for that."""
    around, model = Around(), Twice("rename team.txt to Fink", 'undo "Lisa"')
    added = ParsedCall("append_text", {"path": "team.txt", "text": "Lisa"})
    past = replace(TEAM, undo=(UNDO,), undo_of=("team.txt",), undo_acts=(added,))
    assert CommandReader(around, Intents(around).plan).plan("Lisa wohnt jetzt in Ulm", past, model) is None


def test_a_question_behind_a_word_of_thanks_is_one() -> None:
    """ "Good. Is it gone?" changes nothing."""
    for asked in ("good. is the list gone?", "danke, was steht da noch?", "ok, who is left?"):
        assert '"remove "' not in grammar_of(sight_of(asked, state(TEAM), Around())), asked


def test_what_stands_in_a_file_is_no_reminder() -> None:
    """A small model takes the one reminder that there is; words that only a file has are of that file."""
    assert calls(read("drop the thing with Karim", "cancel 7", TEAM)) == []
    assert calls(read("drop the thing with the bank", "cancel 7", TEAM)) == [
        ("cancel_reminder", {"reminder": "7"})
    ]
    assert calls(read("drop the reminder for Karim", "cancel 7", TEAM)) == [
        ("cancel_reminder", {"reminder": "7"})
    ]


def test_a_reminder_that_the_request_names_is_the_one_that_is_moved() -> None:
    """Whichever the model took: "the one with the ferns" is number 8, at its own hour."""
    past = Past(reminder=7, asked="remind me of both", calls=(REMINDED,))
    found = calls(read("the one with the ferns on saturday, same time", 'change 7 to "saturday"', past))
    assert ("cancel_reminder", {"reminder": "8"}) in found
    assert found[0][1]["text"] == "water the ferns"


@pytest.mark.parametrize(
    ("said", "new", "is_done"), [("n lisas", "n", False), ("lisa is ana now", "ana", True)]
)
def test_a_name_does_not_become_a_letter(said: str, new: str, is_done: bool) -> None:
    """ "N lisas" goes on from a question, and renames nobody."""
    found = calls(read(said, f'replace "Lisa" with "{new}" in team.txt', TEAM))
    assert bool(found) is is_done
