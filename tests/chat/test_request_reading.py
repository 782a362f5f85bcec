"""How a request is read: what is left to be decided, and is never put into commands of the model's."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from desktop.chat.compositions import adds_to_text, only_the_text
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step
from desktop.chat.intents import Intents
from desktop.chat.message_purposes import PurposeJudge
from desktop.chat.references import Past
from desktop.chat.request_reading import (
    CHANGES_A_FILE,
    _with_other_sentences,
    read_request,
)
from desktop.chat.turn_context import TurnContext
from desktop.gate.verdict import Effect
from desktop.tools.tool import Tool, ToolHint
from tests.chat.test_command_plan import SHOWN, SUM, TEAM, Around, Written, calls


def after_an_act(asked: str, *served: Tool) -> TurnContext:
    """A question with tools at hand, where something has just been done; it speaks for those that are
    `served`."""
    profile = SimpleNamespace(is_guided=True)
    about = {"tools": object(), "profile": profile, "acted_lately": True, "follows_an_act": True}
    about["served"] = served
    return cast(TurnContext, SimpleNamespace(asked=asked, **about))


def only_judged(model: Written) -> bool:
    """Whether it was asked what the message is for, and for nothing that it would have to write."""
    return all(request.labels for request in model.asked)


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("What is the current time, and save it to time.txt", 'write "current time" to time.txt'),
        ("Make it shorter, at most ten words, and save it to team.txt again.", 'add "most" to team.txt'),
        ("Mach es kürzer und speichere es wieder in team.txt", 'add "kürzer" to team.txt'),
    ],
)
def test_what_no_command_does_is_not_put_into_one(asked: str, written: str) -> None:
    """The model would be held to a command, and the words of the request would land in the file."""
    model = Written(written)
    past = Past(file="team.txt", asked="who is in team.txt", calls=(SHOWN,))
    assert read_request(after_an_act(asked), past, Around(), model) is None
    assert only_judged(model)


def test_what_goes_on_is_put_before_the_model() -> None:
    """The same person, where a command does what is asked."""
    model = Written('write "40" to sum.txt')
    plan = read_request(after_an_act("put the 40 into sum.txt"), SUM, Around(), model)
    assert [name for name, _ in calls(plan)] == ["write_file"]


def test_what_no_command_does_is_left_to_a_server_that_may_do_it() -> None:
    """Without one it is said that nothing was done; with one the choice among its tools has the word."""
    asked, command = "Pedro is out", 'remove "Pedro" from team.txt'
    writes = Tool("move_out", "Moves somebody.", (), lambda **_: "", Effect.UPDATE, gate_name="mcp__it__w")

    def read(*served: Tool) -> IntentPlan | None:
        return read_request(after_an_act(asked, *served), TEAM, Around(), Written(command))

    alone = read()
    assert alone is not None
    assert "have not changed" in alone.steps[0].text
    assert read(writes) is None
    # Where the server is meant, no command of ours is even looked for: its place is not the workspace.
    model = Written(command)
    meant = replace(writes, hint=ToolHint(alone=True))
    assert read_request(after_an_act(asked, meant), TEAM, Around(), model) is None
    assert only_judged(model)


def test_a_fact_behind_an_act_is_put_into_no_command() -> None:
    """The model makes one of whatever it is shown: "My landlord is Mr Quibble" would be added to the file."""
    model = Written('add "Quibble" to team.txt')
    assert read_request(after_an_act("My landlord is Mr Quibble."), TEAM, Around(), model) is None
    assert only_judged(model)


@pytest.mark.parametrize(
    ("asked", "is_one"),
    [
        ("add lucia vidal to the bookings, arrives on the 18th, total 160", True),
        ("trag frau klein in die mitgliederliste ein", True),
        ("ajoute deux heures à mon relevé", True),
        ("apunta a lucía en las reservas", True),
        ('add a comma to the sentence "we came we saw"', False),
        ("add some humour to this text: we met at noon", False),
        ("what should i add to the soup", False),
    ],
)
def test_a_line_for_a_file_is_told_from_words_to_work_on(asked: str, is_one: bool) -> None:
    """What is handed over in the message itself is the model's; for the rest words would be a lie."""
    assert (CHANGES_A_FILE.match(asked) is not None) is is_one


def test_what_goes_on_asking_takes_nothing_out() -> None:
    """ "And without Rosa?" behind rows that were told is no order, whatever the tables read in it."""
    plan = read_request(after_an_act("y sin Rosa?"), TEAM, Around(), Written("none"))
    assert plan is None or not plan.changes


def test_a_text_is_put_below_where_that_is_asked() -> None:
    """ "Noch rein" writes nothing over what stands there."""
    model = Written('write "28.11. Gitter" to team.txt')
    plan = read_request(after_an_act("in team.txt unten noch rein: 28.11. Gitter"), TEAM, Around(), model)
    assert plan is not None
    assert [each.name for each in plan.calls] == ["append_text"]


@pytest.mark.parametrize(
    ("asked", "is_changed"), [("he just paid me", False), ("in note.txt he just paid me", True)]
)
def test_no_line_of_a_template_is_meant_that_nobody_speaks_of(asked: str, is_changed: bool) -> None:
    """A small model takes whatever is near."""

    class Templates(Around):
        def files(self) -> tuple[str, ...]:
            return ("note.txt",)

        def text(self, name: str) -> str:
            return "Dear [NAME], he owes the plot [PLOT].\n" if name == "note.txt" else ""

        whole = text

    model = Written('replace "the plot [PLOT]" with "paid me" in note.txt')
    plan = read_request(after_an_act(asked), Past(asked="who is late"), Templates(), model)
    assert (plan is not None and plan.changes and bool(plan.calls)) is is_changed


RENAMED = Step(ParsedCall("move_file", {"source": "team.txt", "destination": "crew.txt"}))


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        (
            "It has to say 19:30 instead of 19. And rename team.txt to crew.txt.",
            "It has to say 19:30 instead of 19.",
        ),
        ("Add Mia to team.txt. Then rename it to crew.txt.", "append_text"),
        ("Rename team.txt to crew.txt. Thanks, it was confusing.", ""),
    ],
)
def test_half_of_an_order_is_not_left_out_without_a_word(asked: str, first: str) -> None:
    """Beside files that are arranged: it is done, or said to be not understood."""
    by = SimpleNamespace(tables=Intents(Around()), past=Past())
    plan = _with_other_sentences(IntentPlan("en", (RENAMED,)), asked, cast(Any, by))
    assert plan.steps[-1] == RENAMED
    told = [each.call.name if each.call is not None else each.unread for each in plan.steps[:-1]]
    assert told == ([first] if first else [])


@pytest.mark.parametrize(
    "asked",
    [
        "Phone Pedro and tell him that his order is ready",
        "ring Pedro for me",
        "Ring Pedro from the other team and tell him we'll be late",
        "Ruf Pedro an und sag ihm, dass alles fertig ist",
        "Appelle Pedro et dis-lui que tout est prêt",
        "Llama a Pedro y dile que ya está todo listo",
        "Email Pedro that his place is gone",
        "text pedro im late",
        "Maile Pedro, dass er nicht mehr dabei ist",
        "Envoie un mail à Pedro pour lui dire que c'est fini",
        "Envíale un correo a Pedro",
    ],
)
def test_whom_to_ring_or_to_write_to_is_no_row_of_a_file(asked: str) -> None:
    """Nothing is changed, though a file has a line of that name; that it cannot be done is told elsewhere."""
    model = Written('remove "Pedro" from team.txt')
    assert read_request(after_an_act(asked), TEAM, Around(), model) is None
    assert not model.asked


NOTICE = "Dear all, the hall is closed from Monday until Friday because the floor is being laid anew."


def behind_a_draft(asked: str) -> TurnContext:
    """A question with tools at hand behind words of the model's own."""
    about = SimpleNamespace(**vars(after_an_act(asked)))
    about.acted_lately = about.follows_an_act = False
    return cast(TurnContext, about)


@pytest.mark.parametrize(
    "asked",
    [
        "Add that the lift is out of order, so they should use the back stairs.",
        "Please also say that we are very sorry about it",
        "That is kind of you. Please mention as well that Eva will be arranging them.",
        "Mention that dogs are welcome",
        "Could you also put in that parking is free behind the church?",
        "oh and mention too that there will be cake",
        "Schreib noch dazu, dass der Parkplatz gesperrt ist",
        "Ergänze bitte, dass jeder ein Kissen mitbringen soll",
        "Könnten Sie noch ergänzen, dass es Kuchen gibt?",
        "Nimm noch mit rein, dass wir uns freuen",
        "Ajoute que le parking sera fermé ce jour-là",
        "Pourriez-vous préciser que l'ascenseur est en panne ?",
        "Mentionne aussi qu'il y aura du café",
        "Añade que habrá café",
        "Menciona que el ascensor no funciona",
        "¿Podría agregar que no hace falta confirmar?",
    ],
)
def test_what_a_draft_is_to_say_besides_goes_into_the_draft(asked: str) -> None:
    """It is written anew, the whole of it, and no file is changed or looked into."""
    judge = PurposeJudge()
    model = Written('add "lift" to team.txt')
    past = Past(text=NOTICE, asked="write a short notice about the floor")
    assert read_request(behind_a_draft(asked), past, Around(), model, judge=judge) is None
    assert judge.wants_text(asked)
    assert not model.asked
    assert only_the_text(asked) != only_the_text("make it shorter")
    # Behind an act, or behind nothing that could be added to, it is no draft's.
    for context, before in ((after_an_act(asked), past), (behind_a_draft(asked), Past(text="Done."))):
        judge = PurposeJudge()
        read_request(context, before, Around(), Written("none"), judge=judge)
        assert not judge.wants_text(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "Add that to the list",
        "add that to my notes",
        "Add that he has paid to dues.csv",
        "Add that the milk is off to the shopping list",
        "Note that down please",
        "Add Lucia to the bookings",
        "Schreib das in die Liste",
        "Schreib in notizen.txt, dass der Klempner kommt",
        "Trag ein, dass Jana bezahlt hat",
        "Ajoute du lait à la liste",
        "ajoute que Paul a payé dans le tableau",
        "Añade leche a la lista",
        "añade que Pablo ha pagado en la tabla",
        "Is it true that the heating will be off?",
        "add that we go " + "and to the list " * 1200,
    ],
)
def test_what_goes_into_a_file_or_list_is_no_drafts(asked: str) -> None:
    """However near the draft is."""
    assert not adds_to_text(asked)
