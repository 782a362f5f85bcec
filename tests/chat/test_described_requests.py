"""Files that are described and not named: what is asked of the model, and what comes of its choice."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest

from desktop.chat.described_files import (
    MOST_SHOWN,
    NONE,
    FileChoice,
    FileMeant,
    candidates,
    judged,
    place_named,
    put_into,
)
from desktop.chat.described_requests import DescribedRequests
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan
from desktop.chat.intent_words import MAY_DESCRIBE, asks_own_affairs, describes_file
from desktop.chat.intents import Intents
from desktop.chat.references import Past
from desktop.chat.table_questions import TableQuestions
from desktop.chat.tool_args import Submit
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from tests.chat.test_file_judgements import Judging
from tests.chat.test_intents import TEXTS, Folder


def described(around: Folder, past: Past, submit: Submit) -> DescribedRequests:
    return DescribedRequests(around, past, submit, TableQuestions(around, past, submit, date(2026, 11, 29)))


class Choosing:
    """A model that finds these files likely, by how much; all others and none are at 0."""

    def __init__(self, **likely: float) -> None:
        self.likely = {name.replace("_", "."): weight for name, weight in likely.items()}
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        names = request.labels or (request.weighed,)
        stream.put_scores({each: self.likely.get(each, 0.0) for each in names})
        stream.end(FinishReason.STOP, Metrics())
        return stream


BENCH = Path(__file__).resolve().parents[1] / "bench"


def read(asked: str, model: Choosing) -> IntentPlan | None:
    return described(Folder(), Past(), model).plan(asked, Intents(Folder()).plan(asked, Past()))


def calls(plan: IntentPlan | None) -> list[tuple[str, str]]:
    found = plan.calls if plan is not None else ()
    return [(call.name, str(call.arguments["path"])) for call in found]


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("schreib butter auf die einkaufsliste", "butter"),
        ("ajoute du beurre a la liste de courses stp", "beurre"),
        ("bon alors mets pizza sur la liste de courses", "pizza"),
        ("add soap to the grocery list", "soap"),
        ("pon leche en la lista de la compra", "leche"),
    ],
)
def test_a_described_list_is_written_to(asked: str, text: str) -> None:
    model = Choosing(shopping_txt=9.0)
    plan = read(asked, model)
    assert plan is not None
    assert [(call.name, dict(call.arguments)) for call in plan.calls] == [
        ("append_text", {"path": "shopping.txt", "text": text})
    ]
    # Asked once, and nothing is written to a file that is no text.
    assert len(model.asked) == 1
    assert NONE in model.asked[0].labels
    assert "contract.pdf" not in model.asked[0].labels


@pytest.mark.parametrize(
    "asked",
    [
        "wie hoch is die rechnung vom märz",
        "que dice la factura de marzo",
        "when do i have to pay that march invoice and how much was it again",
    ],
)
def test_what_a_described_file_says_is_read_there(asked: str) -> None:
    model = Choosing(**{"invoice-march_pdf": 9.0})
    assert calls(read(asked, model)) == [("read_file", "invoice-march.pdf")]
    assert len(model.asked) == 1


def test_a_question_that_says_where_to_look_asks_no_model() -> None:
    model = Choosing()
    plan = read("q tengo q hacer hoy? mira en todo", model)
    assert calls(plan) == [("read_file", "todo.txt")]
    assert plan is not None
    assert model.asked == []
    # The list itself is the answer; of anything else the model says what was asked.
    assert not plan.is_asked
    other = read("cuánto es la factura? mira en notes", model)
    assert other is not None
    assert other.is_asked


def test_a_name_and_its_folder_ask_no_model() -> None:
    model = Choosing()
    plan = read("añade huevos a la lista esa que esta en documentos", model)
    assert calls(plan) == [("append_text", "documentos/lista.txt")]
    assert model.asked == []


def test_two_that_are_near_are_asked_about() -> None:
    """A line in the wrong list is worse than a question."""
    plan = read("schreib butter auf die einkaufsliste", Choosing(shopping_txt=9.0, todo_txt=8.5))
    assert plan is not None
    assert plan.calls == ()
    assert "shopping.txt oder todo.txt" in plan.steps[0].text


def test_the_answer_to_that_is_a_name() -> None:
    asked = "schreib butter auf die einkaufsliste"
    first = read(asked, Choosing(shopping_txt=9.0, todo_txt=8.5))
    assert first is not None
    past, model = Past(asked=asked, text=first.steps[0].text), Choosing()
    for said in ("shopping.txt", "todo"):
        plan = described(Folder(), past, model).plan(said, None)
        assert calls(plan) == [("append_text", f"{said.removesuffix('.txt')}.txt")]
    assert described(Folder(), past, model).plan("nothing, leave it", None) is None
    assert model.asked == []


def test_where_none_is_meant_it_is_as_before() -> None:
    assert read("ajoute Paul à la liste des invités", Choosing(none=9.0, shopping_txt=3.0)) is None
    assert read("was steht in meinem lebenslauf", Choosing(none=9.0)) is None


def test_nothing_is_deleted_moved_or_replaced_by_a_description() -> None:
    model = Choosing(shopping_txt=9.0, brief_txt=9.0)
    for asked in (
        "lösch die einkaufsliste",
        "delete the grocery list",
        "déplace la facture dans photos",
        "rename the lease to lease2.pdf",
        "add soap to the grocery list and delete the lease",
    ):
        assert read(asked, model) is None, asked


def test_a_condition_is_no_part_of_a_description() -> None:
    """Nobody looks whether it is there already, so nothing is added."""
    model = Choosing(shopping_txt=9.0)
    assert read("add milk to the shopping list if its not on there yet", model) is None
    assert model.asked == []


def test_a_text_of_ones_own_things_is_made_from_a_file_or_not_at_all() -> None:
    """The model's ignorance was written into total.txt."""
    asked = "how much do i spend a month all together, and put the total in total.txt"
    plan = read(asked, Choosing(budget_csv=9.0))
    assert calls(plan) == [("read_file", "budget.csv")]
    assert plan is not None
    assert plan.written is not None
    unknown = read(asked, Choosing(none=9.0))
    assert unknown is not None
    assert unknown.calls == ()
    assert unknown.written is None
    assert "nothing to total.txt" in unknown.steps[0].text
    past = Past(asked=asked, text=unknown.steps[0].text)
    named = described(Folder(), past, Choosing()).plan("budget.csv", None)
    assert calls(named) == [("read_file", "budget.csv")]


@pytest.mark.parametrize(
    "asked",
    [
        "what is the capital of France?",
        "how do i write a good cover letter?",
        "write a letter to my landlord about the contract and save it as letter.txt",
        "wie funktioniert ein kühlschrank?",
        "can you email the invoice to my landlord",
        "did you add it to the list?",
        "what's the weather like tomorrow?",
        "mir geht die miete auf die nerven",
        "what does report.txt say about the roof",
    ],
)
def test_what_describes_no_file_asks_no_model(asked: str) -> None:
    model = Choosing(shopping_txt=9.0)
    described(Folder(), Past(), model).plan(asked, None)
    assert model.asked == []


# what is likely, whether it is to be written to, what is chosen
JUDGED: tuple[tuple[dict[str, float], bool, FileMeant], ...] = (
    ({"a.txt": 9.0, "b.txt": 0.0, NONE: 0.0}, True, FileMeant("a.txt")),
    ({"a.txt": 9.0, "b.txt": 8.9, NONE: 0.0}, True, FileMeant(near=("a.txt", "b.txt"))),
    ({"a.txt": 9.0, "b.txt": 0.0, NONE: 8.9}, True, FileMeant()),
    ({"a.txt": 9.0, "b.txt": 0.0, NONE: 12.0}, False, FileMeant()),
    ({}, False, FileMeant()),
)


@pytest.mark.parametrize(("likely", "to_change", "meant"), JUDGED)
def test_a_file_is_taken_only_by_a_clear_margin(
    likely: dict[str, float], to_change: bool, meant: FileMeant
) -> None:
    assert judged(likely, to_change) == meant


def test_an_act_needs_more_than_a_look() -> None:
    likely = {"a.txt": 9.0, "b.txt": 5.0, NONE: 6.8}
    assert judged(likely, to_change=False) == FileMeant("a.txt")
    assert judged(likely, to_change=True).name == ""


def test_names_that_begin_alike_are_told_apart_by_the_whole_of_each() -> None:
    """The engine reads the first token of a label, which these share."""
    model = Choosing(**{"plan-a_txt": 5.0, "plan-b_txt": 5.0})

    def whole(request: GenerateRequest) -> Stream:
        model.likely = {"plan-a.txt": -4.0, "plan-b.txt": -0.1} if request.weighed else model.likely
        return model(request)

    likely = FileChoice(whole).likely("the second plan", ("plan-a.txt", "plan-b.txt", "x.txt"))
    assert likely["plan-b.txt"] - likely["plan-a.txt"] == pytest.approx(3.9)
    assert likely["plan-b.txt"] == 5.0


def test_few_names_are_shown_the_nearest_first() -> None:
    many = [f"old/letter{number}.txt" for number in range(40)] + ["guests.txt", "beach.jpg", ".git/HEAD"]
    shown = candidates("who is on the guests list", many, to_change=False)
    assert len(shown) == MOST_SHOWN
    assert "guests.txt" in shown
    assert "beach.jpg" not in shown


def test_words_tell_what_is_a_description() -> None:
    said = ("what's in my lease?", "steht das im mietvertrag", "dans le compte rendu", "en la factura de luz")
    assert all(map(describes_file, said))
    assert not describes_file("a list of five birds")
    assert asks_own_affairs("wie viel geb ich im monat aus")
    assert not asks_own_affairs("what do I do when my phone is stolen?")
    assert place_named("mira en todo", list(TEXTS)) == "todo.txt"
    assert place_named("look in the mirror", list(TEXTS)) == ""


def test_the_first_look_misses_nothing_that_is_described() -> None:
    """All that the sets of the bench ask of a workspace, and every question of theirs that is about it."""
    for name in ("described", "stranger_requests_dev", "answers", "requests", "unseen_requests"):
        for said in _all_texts(tomllib.loads((BENCH / f"{name}.toml").read_text(encoding="utf-8"))):
            if describes_file(said) or asks_own_affairs(said):
                assert MAY_DESCRIBE.search(said), said


def _all_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _all_texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _all_texts(each)


ANSWERS = {"answered": {"yes": 1.0}, "world": {"no": 1.0}}


class Spending(Folder):
    """One whose budget has a row that is asked for."""

    def text(self, name: str) -> str:
        return "item,amount\nrent,850\ngym,30\n" if name == "budget.csv" else super().text(name)

    whole = text


NO_PAST = Past()


def by_content(asked: str, past: Past = NO_PAST, **likely: dict[str, float]) -> IntentPlan | None:
    return described(Spending(), past, Judging(**likely)).plan(asked, None)


def test_a_question_is_answered_with_the_rows_that_speak_of_it() -> None:
    """As they stand, under the names of their columns: a small model makes other figures of them."""
    plan = by_content("how much was the gym again", **ANSWERS)
    assert calls(plan) == [("read_file", "budget.csv")]
    assert plan is not None
    assert not plan.is_asked
    assert plan.steps[0].quoted.splitlines()[-2:] == ["> item,amount  ", "> gym,30"]


def test_prose_that_speaks_of_it_is_answered_from() -> None:
    plan = by_content("when is the heating serviced", **ANSWERS)
    assert calls(plan) == [("read_file", "brief.txt")]
    assert plan is not None
    assert plan.is_asked


def test_what_the_file_does_not_answer_is_left_to_the_model() -> None:
    """What it likes to say to both questions is no answer either."""
    assert by_content("how much was the gym again", answered={"no": 1.0}) is None
    assert by_content("how much was the gym again", answered={"yes": 3.0}, world={"yes": 3.0}) is None
    assert by_content("why is the gym so expensive", **ANSWERS) is None


class Phones(Folder):
    """One with numbers that are a table in all but their ending."""

    def files(self) -> Sequence[str]:
        return ("phones.txt",)

    def text(self, name: str) -> str:
        return "Vet: 01295 555 0118\nBoiler man: 0800 555 0147\nSchool: 01869 555 0163\n"

    whole = text


def test_what_its_rows_do_not_answer_is_read_as_a_text() -> None:
    """What is a table only for questions was a text before, and stays one."""
    model = Judging(**{"file-ranking": {"phones.txt": 3.0}}, **ANSWERS)
    plan = described(Phones(), NO_PAST, model).plan("who can help with my sick cat", None)
    assert calls(plan) == [("read_file", "phones.txt")]
    assert plan is not None
    assert plan.is_asked


def test_a_few_words_more_are_asked_of_the_same_file() -> None:
    """Where nothing but that was done before."""
    looked = Past(file="brief.txt", calls=(ParsedCall("read_file", {"path": "brief.txt"}),), asked="…")
    assert calls(by_content("and until when", looked)) == [("read_file", "brief.txt")]
    assert by_content("and until when") is None


class Bag(Folder):
    """Two texts that a few words may be about."""

    def files(self) -> Sequence[str]:
        return ("games.txt", "bag.md")

    def text(self, name: str) -> str:
        texts = {
            "games.txt": "Rovers come on Sunday.\n",
            "bag.md": "The flags are in it, the bibs in the wash.\n",
        }
        return texts.get(name, "")

    whole = text


TICK = ParsedCall("append_text", {"path": "bag.md", "text": "The flags are in it"})


@pytest.mark.parametrize(
    ("asked", "past", "name"),
    [
        ("whats still missing", Past(calls=(TICK,), undo_acts=(TICK,)), "bag.md"),
        ("whats still missing", Past(), "games.txt"),
        ("when was it again", Past(calls=(ParsedCall("read_file", {"path": "bag.md"}),)), "bag.md"),
        # What says more is about what it says.
        ("and who is it that we play against next week", Past(calls=(TICK,), undo_acts=(TICK,)), "games.txt"),
    ],
)
def test_a_few_words_behind_an_act_are_about_what_it_changed(asked: str, past: Past, name: str) -> None:
    """Where the model likes another file no more than a little better."""
    model = Judging(**{"file-ranking": {"games.txt": 3.0, "bag.md": 1.5}}, **ANSWERS)
    tables = TableQuestions(Bag(), past, model, date(2026, 11, 29))
    plan = DescribedRequests(Bag(), past, model, tables, asks_own=True).plan(asked, None)
    assert calls(plan)[:1] == [("read_file", name)]


class Together(Folder):
    """One line of a list has both words of a question; another file has one of them."""

    def files(self) -> Sequence[str]:
        return ("loans.txt", "colours.txt")

    def text(self, name: str) -> str:
        return {"loans.txt": "red out - Larkin\nblue dawes - Imran\n", "colours.txt": "blue\ngrey\n"}.get(
            name, ""
        )

    whole = text


def test_what_stands_together_in_a_line_is_asked_of_no_model() -> None:
    """Neither whether it answers, nor of the file that has only one of the words."""
    model = Judging(answered={"no": 5.0}, world={"yes": 5.0})
    plan = described(Together(), NO_PAST, model).plan("who has the blue dawes right now", None)
    assert calls(plan) == [("read_file", "loans.txt")]
    assert plan is not None
    assert plan.steps[0].quoted.endswith("> blue dawes - Imran")


@pytest.mark.parametrize("asked", ["What did I ask you to remember?", "was hab ich dir gesagt"])
def test_what_was_told_is_asked_of_no_file(asked: str) -> None:
    """It is memory's, whatever stands in the files."""
    assert by_content(asked, **ANSWERS) is None


class Hike(Folder):
    """A checklist with a name, and a letter with what is asked about."""

    def files(self) -> Sequence[str]:
        return ("tasks.md", "letter.txt")

    def text(self, name: str) -> str:
        letter = "Hiking day of class 1b on Thursday.\nPlease bring a bottle along.\n"
        return {"tasks.md": "# Week\n- [ ] bins (Jonas)\n- [ ] lawn (Papa)\n", "letter.txt": letter}.get(
            name, ""
        )

    whole = text


def test_rows_that_lack_what_another_file_has_are_no_answer() -> None:
    """Both are looked into: the tasks of Jonas say nothing of the hike."""
    plan = described(Hike(), NO_PAST, Judging(**ANSWERS)).plan("what must jonas take on the hiking day", None)
    assert ("read_file", "letter.txt") in calls(plan)


@pytest.mark.parametrize(
    ("said", "files", "found"),
    [
        ("please enter it in the practice log", ("log.txt", "practice log.csv"), "practice log.csv"),
        ("trag das in die kasse ein", ("kasse.csv",), "kasse.csv"),
        ("a note to the ringers", ("ringers.csv",), ""),
        ("put it in a box", ("a.txt", "Makefile"), ""),
    ],
)
def test_a_file_may_be_named_barely_behind_in(said: str, files: tuple[str, ...], found: str) -> None:
    """Behind no other word: a note to the ringers goes to people; and one letter names none."""
    assert put_into(said, files) == found
