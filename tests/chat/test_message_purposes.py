"""What somebody wants with a message: what the model says of it, and which rooms are asked for that."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan
from desktop.chat.message_purposes import (
    LEAST_OVER_NEXT,
    Purpose,
    PurposeJudge,
    beginning,
    clear_purpose,
)
from desktop.chat.references import Past
from desktop.chat.request_reading import _looks_into_files, read_request
from desktop.chat.store import Role
from desktop.chat.turn_context import TurnContext
from desktop.engine.requests import GenerateRequest, Stream
from desktop.gate.verdict import Effect
from desktop.tools.tool import Tool, Toolbox, ToolHint
from tests.chat.test_command_plan import calls
from tests.chat.test_file_judgements import Judging, ToldChangesAround

EDITED = ParsedCall("replace_text", {"path": "club.csv", "old": "Klein,Ulm,no", "new": "Klein,Ulm,yes"})
BACK = ParsedCall("undo_change", {"path": "club.csv"})
AFTER = Past(
    file="club.csv",
    asked="klein has paid",
    calls=(EDITED,),
    undo=(BACK,),
    undo_of=("club.csv",),
    undo_acts=(EDITED,),
    tools=frozenset(("undo_change", "replace_text", "read_file")),
)


def read(
    asked: str,
    purpose: Purpose,
    past: Past = AFTER,
    judge: PurposeJudge | None = None,
    around: ToldChangesAround | None = None,
) -> tuple[IntentPlan | None, Judging]:
    """`asked`, right behind an act, as it is read where the model is sure of `purpose`."""
    model = Judging(purposes={purpose: 3.0}, wanted={"yes": 5.0}, done={"yes": 5.0}, cells={"yes": 9.0})
    profile = SimpleNamespace(is_guided=True)
    acted = bool(past.calls)
    tools = SimpleNamespace(toolbox=Toolbox([]))
    about = {
        "tools": tools,
        "profile": profile,
        "acted_lately": acted,
        "follows_an_act": acted,
        "is_remembered": False,
        "messages": (),
    }
    context = cast(TurnContext, SimpleNamespace(asked=asked, served=(), **about))
    return read_request(context, past, around or ToldChangesAround(), model, judge=judge), model


def written(model: Judging) -> list[str]:
    """What the model was asked to write, and not only to weigh."""
    return [str(each.conversation) for each in model.asked if not each.labels and not each.weighed]


@pytest.mark.parametrize(
    ("ahead", "purpose"),
    [
        ({Purpose.WRITE: LEAST_OVER_NEXT[Purpose.WRITE]}, Purpose.WRITE),
        ({Purpose.WRITE: LEAST_OVER_NEXT[Purpose.WRITE] - 0.1}, None),
        ({Purpose.LOOK: 2.0, Purpose.SUM: 1.9}, None),
        # Wanted in words that also undo or remind, and far from those that only ask or tell.
        ({Purpose.CHANGE: 9.0}, Purpose.CHANGE),
        ({Purpose.CHANGE: 9.0, Purpose.REMIND: 8.9}, Purpose.CHANGE),
        ({Purpose.CHANGE: 9.0, Purpose.LOOK: 7.1}, None),
        # What the words of a request decide as well as the model does is left to them.
        ({Purpose.REMIND: 9.0}, None),
    ],
)
def test_a_purpose_is_gone_by_where_it_is_clearly_ahead(
    ahead: dict[Purpose, float], purpose: Purpose | None
) -> None:
    """Of those for which other rooms are passed over."""
    assert clear_purpose({each: ahead.get(each, 0.0) for each in Purpose}) is purpose


def test_a_sum_without_a_number_is_looked_up() -> None:
    """ "Wieviel Honig war es insgesamt" is of theirs; with a number it may be any sum."""
    likely: dict[str, float] = {
        each: {Purpose.SUM: 3.0, Purpose.LOOK: 2.9}.get(each, 0.0) for each in Purpose
    }
    assert clear_purpose(likely, names_number=False) is Purpose.LOOK
    assert clear_purpose(likely, names_number=True) is None
    assert clear_purpose(likely | {Purpose.CHANGE: 1.0}, names_number=False) is None


def test_a_model_that_was_stopped_has_no_purpose() -> None:
    """Nor one that weighed only some of them."""
    assert clear_purpose({}) is None
    assert clear_purpose({Purpose.TALK: 5.0}) is None


def test_a_message_is_judged_once_in_a_turn() -> None:
    """By what was said before it too; the next turn asks anew."""
    judge, model = PurposeJudge(), Judging(purposes={"talk": 2.0})
    kind = "moreau was so kind to us in lyon"
    assert [judge.of(kind, "klein has paid", model) for _ in range(2)] == [Purpose.TALK] * 2
    assert len(model.asked) == 1
    assert "Before: klein has paid" in model.asked[0].messages[-1].content
    assert judge.known(kind) is Purpose.TALK
    assert judge.known("something else") is None
    judge.forget()
    assert judge.known(kind) is None


def test_courtesy_is_not_shown_to_the_model() -> None:
    """It makes every purpose as likely as the next."""
    judge, model = PurposeJudge(), Judging(purposes={"look": 2.0})
    asked = "Would you be so kind as to tell me when the sweep comes?"
    assert judge.of(asked, "", model) is Purpose.LOOK
    assert "Said: when the sweep comes?" in model.asked[0].messages[-1].content
    assert judge.known(asked) is Purpose.LOOK
    judge.of("and the baker?", asked, model)
    assert "Before: when the sweep comes?" in model.asked[-1].messages[-1].content


def test_a_sum_with_all_its_numbers_is_judged_without_what_was_said_before() -> None:
    """Another matter blurs it; a message that has not the numbers is not asked about twice."""

    class Blurred(Judging):
        def __call__(self, request: GenerateRequest) -> Stream:
            is_behind = "Before:" in request.messages[-1].content
            self.likely = {"purposes": {"sum": 9.0, "look": 8.6 if is_behind else 5.0}}
            return super().__call__(request)

    judge, model = PurposeJudge(), Blurred()
    assert judge.of("62 miles at 45p a mile?", "whats on tomorrow", model) is Purpose.SUM
    assert len(model.asked) == 2
    assert judge.of("and 12 a mile?", "whats on tomorrow", model) is None
    assert len(model.asked) == 3


def test_what_stands_before_the_message_is_the_same_for_all() -> None:
    """So that it is read once, and kept on the disk."""
    model = Judging()
    PurposeJudge().of("is moreau in", "", model)
    assert model.asked[0].messages[: model.asked[0].shared_messages] == beginning().messages[:-1]


@pytest.mark.parametrize(
    ("asked", "purpose"),
    [
        ("quick text i can send moreau, ill be there at 8, sorry", Purpose.WRITE),
        ("moreau was so kind to us in lyon", Purpose.TALK),
        ("and moreau, how did that go again with the money", Purpose.LOOK),
    ],
)
def test_nothing_is_changed_for_what_wants_no_change(asked: str, purpose: Purpose) -> None:
    """Though a row of a table speaks of the same, and something was just done."""
    plan, model = read(asked, purpose)
    assert plan is None or not plan.changes
    assert written(model) == []


def test_a_change_is_still_read_as_one() -> None:
    """The model's judgement passes over nothing there."""
    plan, _ = read("moreau just gave me the money", Purpose.CHANGE, Past())
    assert calls(plan) == [
        ("replace_text", {"path": "club.csv", "old": "Moreau,Lyon,no", "new": "Moreau,Lyon,yes"})
    ]


def test_a_change_may_be_asked_for_like_a_question() -> None:
    """ "Would you kindly" is an order, and neither read out nor answered by an act in words."""
    asked = "moreau has given me the money, would you kindly put that down?"
    plan, _ = read(asked, Purpose.CHANGE, Past())
    assert plan is not None
    assert not any(name == "read_file" for name, _ in calls(plan))
    plan, _ = read("would you kindly put that down?", Purpose.CHANGE, Past())
    assert plan is not None
    assert (plan.calls, plan.steps[0].text.startswith("I have not changed")) == ((), True)


def test_what_another_tool_tells_is_looked_for_in_no_file() -> None:
    """Nor what memory has: the files of a wish that is clearly a look are asked more freely."""
    hint = ToolHint(words=r"\bip address\b")
    address = Tool("system_info", "", (), lambda: "", Effect.READ, hint=hint)
    asked = "whats my ip address"
    for tools, is_remembered, is_looked in (((), False, True), ((address,), False, False), ((), True, False)):
        by = SimpleNamespace(
            judge=PurposeJudge(),
            context=SimpleNamespace(
                asked=asked,
                tools=SimpleNamespace(toolbox=Toolbox(tools)),
                is_remembered=is_remembered,
                messages=(),
            ),
        )
        by.judge.of(asked, "", Judging(purposes={"look": 3.0}))
        assert _looks_into_files(cast(Any, by)) is is_looked


@pytest.mark.parametrize(
    ("told", "is_looked"),
    [
        ("please remember that our accountant's extension is 214", False),
        ("remember that our accountant is Helen", True),
        ("our accountant's extension is in the list", True),
    ],
)
def test_what_was_to_be_remembered_a_moment_ago_is_looked_for_in_no_file(told: str, is_looked: bool) -> None:
    """The model has it before it; what only shares a word is another thing."""
    asked = "what was the accountant's extension again?"
    context = SimpleNamespace(
        asked=asked,
        tools=SimpleNamespace(toolbox=Toolbox([])),
        is_remembered=False,
        messages=(SimpleNamespace(role=Role.USER, text=told),),
    )
    by = SimpleNamespace(judge=PurposeJudge(), context=context)
    by.judge.of(asked, told, Judging(purposes={"look": 3.0}))
    assert _looks_into_files(cast(Any, by)) is is_looked


def test_a_text_that_goes_into_a_file_is_no_text_for_the_chat() -> None:
    """Where its words say that it is kept, all is read as before."""
    told = "moreau just gave me the money"
    assert calls(read(told, Purpose.WRITE, Past())[0]) == []
    assert [name for name, _ in calls(read(f"{told} for the notes", Purpose.WRITE, Past())[0])] == [
        "replace_text"
    ]


@pytest.mark.parametrize(
    ("asked", "past", "is_undone"),
    [
        ("actually leave him as he was, he will moan", AFTER, True),
        ("actually leave him as he was, he will moan", Past(), False),  # nothing was done
        ("hm no, 14 like in the letter", AFTER, False),  # something else is to stand there
        ("now untick everything in the copy", AFTER, False),  # of what was just done nothing is a tick
    ],
)
def test_what_was_just_done_is_taken_back_in_any_words(asked: str, past: Past, is_undone: bool) -> None:
    """Where the model is sure that this is wanted, and nothing new is said."""
    plan, _ = read(asked, Purpose.UNDO, past)
    assert (BACK in plan.calls if plan is not None else False) is is_undone


def test_of_several_acts_the_one_that_is_spoken_of_is_taken_back() -> None:
    """ "Put the cactus on again" leaves the other act as it is."""
    on_list = ParsedCall("append_text", {"path": "todo.md", "text": "- [ ] buy soil"})
    off_list = ParsedCall("replace_text", {"path": "plants.txt", "old": "cactus\n", "new": ""})
    past = replace(
        AFTER,
        asked="buy soil goes on the list, and the cactus off",
        calls=(on_list, off_list),
        undo=(BACK, ParsedCall("undo_change", {"path": "todo.md"})),
        undo_of=("plants.txt", "todo.md"),
        undo_acts=(off_list, on_list),
    )
    plan, _ = read("ah no, the cactus has to stay, i was wrong", Purpose.UNDO, past)
    assert plan is not None
    assert plan.calls == (BACK,)


def test_another_amount_takes_the_place_of_the_one_that_was_written() -> None:
    """ "No, 48" is neither an undoing nor a new line."""
    added = ParsedCall("append_text", {"path": "plants.txt", "text": "soil 46"})
    past = replace(AFTER, asked="soil 46", calls=(added,), undo_of=("plants.txt",), undo_acts=(added,))

    class Soil(ToldChangesAround):
        def whole(self, name: str) -> str:
            return "fern\nsoil 46\n" if name == "plants.txt" else super().whole(name)

    plan, _ = read("oh no sorry 48", Purpose.UNDO, past, around=Soil())
    assert calls(plan) == [("replace_text", {"path": "plants.txt", "old": "soil 46", "new": "soil 48"})]


@pytest.mark.parametrize("asked", ["was hab ich jetz alles an erinnerungen", "me queda algun aviso"])
def test_a_question_about_reminders_lists_them(asked: str) -> None:
    """In whatever words, and looks into no file."""
    plan, _ = read(asked, Purpose.LOOK, replace(AFTER, tools=frozenset(("list_reminders",))))
    assert [name for name, _ in calls(plan)] == ["list_reminders"]
    assert plan is not None
    assert plan.language == ("de" if "hab" in asked else "es")


@pytest.mark.parametrize(
    ("said", "purpose"),
    [
        ("escribe en ideas.txt tres ideas", Purpose.WRITE),  # it goes into a file
        ("a card for klein, save it", Purpose.WRITE),
        ("email klein that friday is fine", Purpose.WRITE),  # out of reach, which is told
        ("what did moreau say", Purpose.TALK),
    ],
)
def test_words_have_the_last_say(said: str, purpose: Purpose) -> None:
    """Also for those that answer what was not read: it is no text for the chat, and no remark."""
    judge = PurposeJudge()
    assert judge.of(said, "", Judging(purposes={purpose: 5.0})) is None
    assert judge.known(said) is None
    assert not judge.wants_text(said)


@pytest.mark.parametrize(
    ("said", "before", "purpose"),
    [
        ("quick one, 62 miles at 45p a mile", "", Purpose.SUM),
        ("and with 10 percent", "62 miles at 45p a mile", Purpose.SUM),
        ("62 miles at 45p a mile, note that in km.txt", "", None),
        # Of numbers that nobody has said a file knows.
        ("what does that come to", "", Purpose.LOOK),
    ],
)
def test_a_sum_has_its_numbers_in_what_was_said(said: str, before: str, purpose: Purpose | None) -> None:
    """Then no file is looked into for it."""
    assert PurposeJudge().of(said, before, Judging(purposes={"sum": 3.0})) is purpose


def test_what_goes_into_a_file_of_theirs_is_no_text_for_elsewhere() -> None:
    """ "Enter it in the practice log" is a change, however much it looks like a text."""
    said, files = "it was plain bob doubles. please enter it in the practice log", ("practice log.csv",)
    assert PurposeJudge().of(said, "", Judging(purposes={"write": 3.0}), files) is Purpose.CHANGE
    assert PurposeJudge().of(said, "", Judging(purposes={"write": 3.0})) is Purpose.WRITE
