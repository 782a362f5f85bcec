"""Requests for something that can be computed: read whole or left alone, and told with their rows."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.computations import (
    Bound,
    BoundKind,
    Computation,
    Operation,
    Selection,
    tables_of_words,
    worked_out,
)
from desktop.chat.computed_requests import ComputedRequests, order_unless_there
from desktop.chat.intent_plan import IntentPlan
from desktop.chat.intent_words import LANGUAGES
from desktop.chat.references import Past
from desktop.engine.requests import GenerateRequest, Stream
from desktop.tools.tables import sheet_in
from tests.bench.computed import FILES, HERE, Workspace, by_table, judged, past_of_case, read

DEV = tomllib.loads((HERE / "computed_dev.toml").read_text(encoding="utf-8"))["request"]
ALIKE = (HERE / "computed_alike.txt").read_text(encoding="utf-8").splitlines()


class Other(Workspace):
    """The same workspace with files of a test's own."""

    def __init__(self, **own: str) -> None:
        self.own = {name.replace("_", "."): text for name, text in own.items()}

    def files(self) -> Sequence[str]:
        return [*FILES, *self.own]

    def text(self, name: str) -> str:
        return self.own.get(name) or super().text(name)

    def whole(self, name: str) -> str:
        return self.text(name)


def plan(asked: str, past: Past | None = None, around: Workspace | None = None) -> IntentPlan | None:
    return ComputedRequests(around or Workspace(), past or Past(), by_table).plan(asked)


def told(found: IntentPlan | None) -> str:
    assert found is not None
    return "\n".join(step.text for step in found.steps if step.text)


def written(found: IntentPlan | None) -> list[tuple[str, str, str]]:
    assert found is not None
    return [
        (
            call.name,
            str(call.arguments["path"]),
            str(call.arguments.get("content", call.arguments.get("text"))),
        )
        for call in found.calls
    ]


@pytest.mark.parametrize("case", DEV, ids=[each["say"] for each in DEV])
def test_what_can_be_computed_is(case: Mapping[str, Any]) -> None:
    """As it is told, and as it is written."""
    found = read(case["say"], past_of_case(case), by_table)
    assert judged(case, found) == "right", found


@pytest.mark.parametrize("said", ALIKE)
def test_what_only_looks_so_is_left_alone(said: str) -> None:
    """Of the world, of a text, or more than a figure."""
    assert read(said, Past(), by_table) is None


def test_the_figures_are_told_with_their_rows() -> None:
    """So that anybody can follow them; what is left out is named."""
    found = plan("how much do I spend a month without the rent, write it into spend.txt")
    assert told(found) == "budget.csv without rent: food 310 + train 95 + phone 20 + books 45 + gym 30 = 500"
    assert written(found) == [("write_file", "spend.txt", "500\n")]


@pytest.mark.parametrize(
    "asked",
    [
        "put the 3 scans into one file called all.txt",
        "füge die drei scans zu einer Datei namens all.txt zusammen",
        "mets les trois scans dans un seul fichier all.txt dans le bon ordre",
        "junta los 3 scans en un solo archivo llamado all.txt",
    ],
)
def test_a_series_is_put_together_in_its_order(asked: str) -> None:
    """As the files are, one after the other."""
    assert written(plan(asked)) == [("write_file", "all.txt", "first page\nsecond page\nthird page\n")]


def test_a_source_is_written_only_where_it_is_said() -> None:
    """Sorted beside it; in place where the request says so."""
    beside = plan("sort budget.csv by amount")
    assert [path for _, path, _ in written(beside)] == ["budget-sorted.csv"]
    in_place = plan("sort budget.csv by amount in place, biggest first")
    assert [path for _, path, _ in written(in_place)] == ["budget.csv"]
    taken = plan("sort budget.csv by amount and save it as bills.csv")
    assert written(taken) == []
    assert "bills.csv" in told(taken)


def test_no_figure_becomes_a_row_of_a_table() -> None:
    """It would be counted by the next sum."""
    found = plan("add up budget.csv and save the sum in bills.csv")
    assert written(found) == []


def test_a_figure_is_added_to_a_text_that_is_there() -> None:
    """Nothing that stands there is lost."""
    found = plan("what is the total of budget.csv? put it in notes.txt")
    assert written(found) == [("append_text", "notes.txt", "1350")]


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ("add up wines.csv", "which_column"),
        ("add up shopping.txt", "no_numbers"),
        ("sort budget.csv by colour", "no_column"),
        ("total of budget.csv without the holidays", "no_row"),
        ("which rows of budget.csv are before 3 March?", "no_dates"),
        ("sum up mixed.csv", "several_units"),
        ("sum up doubt.txt", "two_readings"),
        ("sum up broken.csv", "not_a_number"),
        ("double todo.txt and save it as todo2.txt", "no_amounts"),
        ("the recipe for 6 people, save it as six.md", "no_servings"),
        ("put the 4 scans into one file called all.txt", "not_so_many"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_written(asked: str, key: str) -> None:
    """Also where there are two readings: then that is asked."""
    around = Other(
        mixed_csv="what,cost\na,3 €\nb,4 $\n",
        doubt_txt="a: 1.234\nb: 500\n",
        broken_csv="what,cost\na,3\nb,n/a\nc,4\n",
    )
    found = plan(asked, around=around)
    sentence = re.sub(r"\\\{\w\\\}", ".+", re.escape(tables_of_words()["told"][key]["en"]))
    assert re.fullmatch(sentence, told(found))
    assert written(found) == []


def test_the_answer_to_which_column_is_understood() -> None:
    """And the request before goes on with it."""
    asked = "add up wines.csv"
    question = told(plan(asked))
    found = plan("price", Past(asked=asked, text=question))
    assert told(found) == "wines.csv: Rioja 12.5 + Malbec 9.9 + Chablis 24 = 46.4"


def test_what_was_told_before_is_compared() -> None:
    """With the one entry that it was about."""
    past = Past(asked="what's the rent in the contract", text="The rent is 850 EUR a month.")
    assert told(plan("does that match my budget?", past)).startswith("Yes: budget.csv has rent 850")
    less = Past(asked="what's the rent in the contract", text="The rent is 900 EUR a month.")
    assert told(plan("does that match my budget?", less)).startswith("No: budget.csv has rent 850")
    two = Past(asked="what's the rent in the contract", text="850 EUR, or 900 EUR from May.")
    assert plan("does that match my budget?", two) is None


@pytest.mark.parametrize(
    ("asked", "past"),
    [
        (
            "which one is the cheapest?",
            Past(file="budget.csv", asked="best phones of 2026?", text="A, B and C."),
        ),
        ("how much do I earn a month?", Past()),
        ("how much do I owe you?", Past()),
        ("fass budget.csv zusammen", Past()),
        ("print recipe.md twice", Past()),
        ("druck mir mal das Rezept aus, zweimal bitte", Past()),
        ("sum up report.txt in two lines", Past()),
        ("how much do I spend a year?", Past()),
        ("wie viel gebe ich im Jahr aus?", Past()),
        ("how much is it?", Past(file="budget.csv", asked="show me budget.csv")),
        ("how much is the rent in Berlin?", Past(file="budget.csv", asked="show me budget.csv")),
    ],
)
def test_another_thing_than_the_file_has_is_left_alone(asked: str, past: Past) -> None:
    """What was spoken of before, what is no expense, another time, another place."""
    assert plan(asked, past) is None


def test_a_thousand_in_a_request_is_one_of_its_language() -> None:
    """1.000 in German, 1,000 in English, whatever the file writes."""
    around = Other(big_csv="what,cost\na,999\nb,1200\n")
    for asked in ("welche Zeilen in big.csv sind über 1.000?", "which rows of big.csv are over 1,000?"):
        assert "b, 1200" in told(plan(asked, around=around))
        assert "a, 999" not in told(plan(asked, around=around))


def test_a_sum_among_the_rows_is_not_counted_twice() -> None:
    """It is left out, and that is told; so are rows without an amount."""
    around = Other(costs_csv="what,cost\na,3\nb,4\nc,\nTotal,7\n")
    found = told(plan("add up costs.csv", around=around))
    assert found.startswith("costs.csv: a 3 + b 4 = 7\n")
    assert "“Total” is left out" in found
    assert "Rows without an amount: c." in found


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        ("add milk to the shopping list if its not on there yet", "add milk to the shopping list"),
        ("add milk to shopping.txt unless it's already there", "add milk to shopping.txt"),
        ("add eggs to the list only if they aren't on it yet", "add eggs to the list"),
        (
            "schreib Milch auf die Einkaufsliste, falls sie noch nicht draufsteht",
            "schreib Milch auf die Einkaufsliste",
        ),
        ("schreib Milch auf die Liste, wenn noch keine drauf ist", "schreib Milch auf die Liste"),
        ("ajoute du lait à la liste si ce n'est pas déjà dessus", "ajoute du lait à la liste"),
        ("ajoute du lait à la liste sauf s'il y est déjà", "ajoute du lait à la liste"),
        ("añade leche a la lista si no está ya", "añade leche a la lista"),
        ("añade leche a la lista a menos que ya esté", "añade leche a la lista"),
    ],
)
def test_a_condition_is_no_part_of_a_name(asked: str, order: str) -> None:
    """What it says is looked at in the file, before anything is added."""
    found = order_unless_there(asked)
    assert found is not None
    assert found[0] == order


@pytest.mark.parametrize(
    "asked", ["add milk to the list if it rains", "call me if you are not sure", "is it there?"]
)
def test_other_conditions_are_none_of_these(asked: str) -> None:
    """And change nothing of how a request is read."""
    assert order_unless_there(asked) is None


def test_what_is_there_is_not_added_again() -> None:
    """Also in another language, where the model knows what it is."""
    for asked in (
        "add milk to shopping.txt unless it's there already",
        "ajoute du lait à shopping.txt si ce n'est pas déjà dedans",
    ):
        found = read(asked, Past(), by_table)
        assert written(found) == []
        assert "milk" in told(found)
    new = read("add butter to shopping.txt if it's not on there yet", Past(), by_table)
    assert written(new) == [("append_text", "shopping.txt", "butter")]


def test_the_model_is_shown_no_target() -> None:
    """It would look for the file that the figure goes into."""
    asked: list[str] = []

    def seen(request: GenerateRequest) -> Stream:
        asked.append(request.messages[-1].content.rpartition("Said: ")[2])
        return by_table(request)

    said = "how much do i spend a month all together, and put the total in total.txt"
    found = ComputedRequests(Workspace(), Past(), seen).plan(said)
    assert written(found) == [("write_file", "total.txt", "1350\n")]
    assert asked == ["how much do i spend a month all together"]


def test_without_a_model_nothing_is_chosen() -> None:
    """A file that is only described, or an entry in another language, is left as before."""
    alone = ComputedRequests(Workspace(), Past())
    assert alone.plan("wie viel geb ich im Monat ohne Miete aus?") is None
    assert alone.plan("how much do I spend on food in budget.csv") is not None


@pytest.mark.parametrize("kind", ["words", "told"])
def test_each_has_four_languages(kind: str) -> None:
    """With the same values in each sentence."""
    for name, entry in tables_of_words()[kind].items():
        assert set(entry) == set(LANGUAGES), name
        if kind == "told":
            values = {
                frozenset(part for part in ("{a}", "{b}", "{c}", "{d}") if part in each)
                for each in entry.values()
            }
            assert len(values) == 1, name


LABELS = st.lists(st.text("abcdefg", min_size=2, max_size=5), min_size=1, max_size=8, unique=True)


@given(LABELS, st.data())
def test_a_total_is_that_of_its_rows(labels: list[str], data: st.DataObject) -> None:
    """Whichever are left out, by name or by what they cost; and exact."""
    labels = [f"x{each}" for each in labels]
    values = data.draw(
        st.lists(st.decimals(-9999, 9999, places=2), min_size=len(labels), max_size=len(labels))
    )
    without = tuple(data.draw(st.sets(st.sampled_from(labels), max_size=len(labels) - 1)))
    text = "what;cost\n" + "".join(
        f"{label};{value}".replace(".", ",") + "\n" for label, value in zip(labels, values, strict=True)
    )
    table = sheet_in(text)
    assert table is not None
    asked = Computation(Operation.TOTAL, "f.csv", Selection(without=without))
    found = worked_out(asked, text, table, "en")
    left = [value for label, value in zip(labels, values, strict=True) if label not in without]
    assert Decimal(found.content.replace(",", ".")) == sum(left)
    over = Computation(Operation.COUNT, "f.csv", Selection(bounds=(Bound(BoundKind.OVER, "50"),)))
    assert worked_out(over, text, table, "en").content == str(sum(value > 50 for value in values))
