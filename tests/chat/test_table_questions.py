"""Questions that rows of a table answer: the model writes a query, and the program finds the rows."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step
from desktop.chat.query_grounding import Before, as_said, months_in, without_half_said
from desktop.chat.references import Past
from desktop.chat.table_questions import (
    LEAST_LIKELY,
    NO_QUERY,
    OVER_NONE,
    QUERY,
    TableQuestions,
    _turned_round,
    before_of,
)
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from desktop.tools.periods import named_times, periods_in
from desktop.tools.table_queries import (
    Comparison,
    Condition,
    Expression,
    TableQuery,
    as_written,
    query_in,
    rows_in,
    rows_of,
)
from desktop.tools.tables import Table
from tests.chat.test_intents import Folder

TODAY = date(2026, 11, 29)
TEXTS = {
    "members.csv": (
        "name,voice,town,paid\nPerrin,alto,Annecy,yes\n"
        "Dubois,bass,Annecy,not paid\nRoche,tenor,Ulm,not paid\n"
    ),
    "hours.csv": (
        "date;client;hours;rate\n2026-11-18;Vega;3;45\n2026-11-19;Ruiz;2,5;40\n2026-11-24;Vega;4;45\n"
    ),
    "shop/orders.csv": (
        "no,item,qty,total,status\n1,mug blue,2,24.00,open\n2,mug red,1,12.50,sent\n3,bowl,1,9.00,open\n"
    ),
    "todo.md": "# To do\n- [ ] call Eva\n- [x] pay rent\n- [ ] fix the tap (Ivo)\n",
    "work.csv": "day,start,end\n2026-11-23,08:00,16:30\n2026-11-24,22:00,06:00\n",
    "stays.csv": "name;arrive;people;deposit\nRoux;2026-12-28;4;60,00\nOrdesa;2026-12-30;6;0,00\n"
    "Delmas;2027-01-02;2;20,00\nVidal;2027-01-05;3;0,00\n",
    "stock.csv": "what,there,least\nrice,6,10\noil,4,6\nflour,18,10\n",
    "letter.txt": "Dear Eva,\n\nsee you soon.\n",
    "fridge.txt": "23/11 am 3.2 pm 3.6\n24/11 am 3.1 pm 4.4\n26/11 am 3.0 pm 5.1\n",
    "loans.txt": "02/11 red - Ms Hill, back 05/11\n07/11 blue - Pete, back 14/11\n24/11 red - Col W\n",
    "baking.txt": "flour 2 kg\nsugar 1.5 kg\neggs 24\nbutter 750 g\n",
    "staff.json": '{"Ana": {"phone": "12", "day": "Mon"}, "Bo": {"phone": "34", "day": "Fri"}, '
    '"Cy": {"phone": "56", "day": "Mon"}}',
    "alike.md": "## Doors\n\n| job | price |\n|---|---|\n| hang | 120 |\n| plane | 35 |\n\n"
    "## Floors\n\n| job | price |\n|---|---|\n| sand | 22 |\n",
    "unlike.md": "| job | price |\n|---|---|\n| hang | 120 |\n\n| who | day |\n|---|---|\n| Eva | Mon |\n",
}
DOCUMENTS = {"quote.pdf": "QUOTATION\nWash: 95.00 GBP\nPaint: 310.00 GBP\nDock: 40.00 GBP\n"}


class Around(Folder):
    """A workspace of these texts."""

    def __init__(self, texts: Mapping[str, str] = TEXTS) -> None:
        super().__init__()
        self._own = texts

    def files(self) -> Sequence[str]:
        return tuple(self._own)

    def text(self, name: str) -> str:
        return self._own.get(name, "")

    def whole(self, name: str) -> str:
        return self._own.get(name, "")

    def document(self, name: str) -> str:
        return DOCUMENTS.get(name, "")


class Model:
    """Writes these queries in turn; one is likelier than none by `over`."""

    def __init__(
        self,
        *queries: str,
        over: float = OVER_NONE + 1,
        weight: float = -1.0,
    ) -> None:
        self.queries, self.over, self.weight = list(queries), over, weight
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        if request.labels:
            own = {QUERY: self.over, NO_QUERY: 0.0}
            stream.put_scores({each: own.get(each, -9.0) for each in request.labels})
        elif request.weighed:
            stream.put_scores({request.weighed: self.weight})
        else:
            stream.put(self.queries.pop(0))
        stream.end(FinishReason.STOP, Metrics())
        return stream


def questions(model: Model, past: Past | None = None) -> TableQuestions:
    return TableQuestions(Around(), past or Past(), model, TODAY)


def told(asked: str, name: str, *queries: str, past: Past | None = None) -> str:
    answer = questions(Model(*queries), past).answer(asked, name)
    return answer.told if answer is not None else ""


def table_of(name: str) -> Table:
    table = rows_in(TEXTS[name])
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("asked", "name", "query", "answer"),
    [
        (
            "who has not paid",
            "members.csv",
            "SELECT name FROM t WHERE paid = 'not paid'",
            "members.csv (paid = not paid), 2 of 3 rows:\n\n- Dubois, bass, Annecy, not paid\n"
            "- Roche, tenor, Ulm, not paid",
        ),
        (
            "how many are from annecy",
            "members.csv",
            "SELECT COUNT(*) FROM t WHERE town = 'Annecy'",
            "members.csv (town = Annecy): 2 entries (Perrin, Dubois).",
        ),
        (
            "was hat Vega gekostet",
            "hours.csv",
            "SELECT SUM(hours * rate) FROM t WHERE client = 'Vega'",
            "hours.csv (client = Vega): 3 × 45 + 4 × 45 = 315",
        ),
        (
            "wie viele Stunden waren es im Schnitt",
            "hours.csv",
            "SELECT AVG(hours) FROM t",
            "hours.csv: (3 + 2,5 + 4) / 3 ≈ 3,17",
        ),
        (
            "what is still open",
            "shop/orders.csv",
            "SELECT item, total FROM t WHERE status = 'open'",
            "shop/orders.csv (status = open), 2 of 3 rows:\n\n- 1, mug blue, 24.00\n- 3, bowl, 9.00\n\n"
            "24.00 + 9.00 = 33.00",
        ),
        (
            "which one was the dearest",
            "shop/orders.csv",
            "SELECT MAX(total) FROM t",
            "shop/orders.csv: 1, mug blue, 24.00",
        ),
        (
            "what has ivo got to do",
            "todo.md",
            "SELECT task FROM t WHERE task LIKE '%ivo%' AND done = 'no'",
            "todo.md (~ ivo, [ ]): [ ] fix the tap (Ivo)",
        ),
        (
            "how long did i work",
            "work.csv",
            "SELECT SUM(start - end) FROM t",
            "work.csv: (16:30 − 08:00) + (06:00 − 22:00) = 16.5 h",
        ),
        (
            "is anybody here from ulm who has paid yes",
            "members.csv",
            "SELECT name FROM t WHERE town = 'Ulm' AND paid = 'yes'",
            "None of the 3 rows of members.csv (town = Ulm, paid = yes) fits.",
        ),
    ],
)
def test_what_a_query_comes_to_is_told_with_its_condition(
    asked: str, name: str, query: str, answer: str
) -> None:
    """So that a query that was meant otherwise can be seen to be."""
    assert told(asked, name, query) == answer


@pytest.mark.parametrize(
    ("asked", "name", "query", "answer"),
    [
        (
            "how often was the fridge over 4",
            "fridge.txt",
            "SELECT COUNT(*) FROM t WHERE am > '4' OR pm > '4'",
            "fridge.txt (am > 4 / pm > 4): 2 entries (24/11 am 3.1 pm 4.4; 26/11 am 3.0 pm 5.1).",
        ),
        (
            "when was it warmest at night",
            "fridge.txt",
            "SELECT date FROM t ORDER BY pm DESC LIMIT 1",
            "fridge.txt: 26/11 am 3.0 pm 5.1",
        ),
        (
            "who has not brought the red one back",
            "loans.txt",
            "SELECT note FROM t WHERE what = 'red' AND back = ''",
            "loans.txt (= red, back = –): 24/11 red - Col W",
        ),
        (
            "what do i need altogether",
            "baking.txt",
            "SELECT SUM(amount) FROM t",
            "baking.txt: 2 kg + 1.5 kg = 3.5 kg; eggs, 24; butter, 750 g",
        ),
        (
            "who is there on mon",
            "staff.json",
            "SELECT name FROM t WHERE day = 'Mon'",
            "staff.json (day = Mon), 2 of 3 rows:\n\n- Ana, 12, Mon\n- Cy, 56, Mon",
        ),
        (
            "what is the dearest of the doors",
            "alike.md",
            "SELECT job FROM t WHERE section = 'Doors' ORDER BY price DESC LIMIT 1",
            "alike.md (section = Doors): Doors, hang, 120",
        ),
        ("how much is the paint", "quote.pdf", "SELECT amount FROM t WHERE what = 'Paint'", None),
    ],
)
def test_what_is_a_table_in_all_but_its_ending_is_asked(
    asked: str, name: str, query: str, answer: str | None
) -> None:
    """Notes are told by their lines, amounts of several units are no one sum, and documents have rows too."""
    assert told(asked, name, query) == (answer or f"{name} (= Paint): Paint: 310.00 GBP")


BENCH = tomllib.loads(
    (Path(__file__).resolve().parents[1] / "bench" / "regular_rows.toml").read_text(encoding="utf-8")
)
TALKS = [each for each in BENCH["talk"] if "query" in each]


class OneText(Folder):
    """A workspace with this file."""

    def __init__(self, text: str) -> None:
        self._text = text

    def whole(self, name: str) -> str:
        return self._text


@pytest.mark.parametrize("talk", TALKS, ids=[each["name"] for each in TALKS])
def test_the_right_query_to_a_strangers_file_is_told_right(talk: Mapping[str, Any]) -> None:
    """It may be written, it is not taken for made up, and what it comes to is the answer."""
    name, asked = talk["file"], talk["say"][0]
    around = OneText(BENCH["world"][talk["world"]][name])
    found = TableQuestions(around, Past(), Model(talk["query"], "none"), TODAY).answer(asked, name)
    assert found is not None
    assert re.search(talk["answer"], found.told, re.IGNORECASE)


def test_amounts_of_several_units_are_in_no_order() -> None:
    """750 g is less than 2 kg, and nobody knows of 24 eggs."""
    assert not told("what do i need most of", "baking.txt", "SELECT what FROM t ORDER BY amount DESC LIMIT 1")


def test_of_two_tables_in_a_file_the_likelier_answers() -> None:
    """Each is asked by itself, where their columns are not the same."""
    model = Model("none", "SELECT who FROM t WHERE day = 'Mon'")
    answer = questions(model).answer("who is there on mon", "unlike.md")
    assert answer is not None
    assert answer.told == "unlike.md (day = Mon): Eva, Mon"


def test_a_question_goes_on_from_what_was_told_of_notes() -> None:
    """Whose conditions name a column only where it has a name of its own."""
    table = table_of("fridge.txt")
    before = before_of("when was it over 4", "fridge.txt (pm > 4, in november), 2 of 3 rows:", table)
    assert [table.header[each.column] for each in before.where] == ["pm", "date"]
    prices = rows_in(DOCUMENTS["quote.pdf"])
    assert prices is not None
    cheap = before_of("what is below 100", "quote.pdf (< 100), 2 of 3 rows:", prices)
    assert [prices.header[each.column] for each in cheap.where] == ["amount"]


def test_a_second_question_in_the_same_breath_is_answered_too() -> None:
    """It goes on from the first; where no row answers it, the first stands alone."""
    asked = "how many mugs are there and what are they worth"
    first, second = (
        "SELECT SUM(qty) FROM t WHERE item LIKE '%mug%'",
        "SELECT SUM(total) FROM t WHERE item LIKE '%mug%'",
    )
    both = told(asked, "shop/orders.csv", first, second)
    assert both.endswith("2 + 1 = 3\n\nshop/orders.csv (item ~ mug): 24.00 + 12.50 = 36.50")
    assert told(asked, "shop/orders.csv", first, "none").endswith("2 + 1 = 3")


@pytest.mark.parametrize(
    "model",
    [
        Model("SELECT name FROM t", over=OVER_NONE - 0.1),
        Model("none"),
        Model("SELECT name FROM t WHERE paid = 'yes'", weight=LEAST_LIKELY - 1),
        Model("SELECT name FROM t WHERE town = 'Ulm' OR town = 'Annecy'"),  # neither was spoken of
        Model("SELECT name FROM t WHERE town = 'Ulm' AND voice = 'bass'"),  # no row, by values nobody named
    ],
)
def test_what_is_unlikely_or_made_up_is_not_told(model: Model) -> None:
    """The file is read instead, or the question answered as before."""
    assert questions(model).answer("who is it", "members.csv") is None


def test_a_text_without_rows_is_not_asked() -> None:
    """It costs nothing."""
    model = Model()
    assert questions(model).answer("when do we meet", "letter.txt") is None
    assert not model.asked


def test_a_value_is_as_wide_as_the_words_that_name_it() -> None:
    """Mugs are the blue and the red ones; "paid" is not "not paid"."""
    mugs = "SELECT qty FROM t WHERE item = 'mug blue'"
    assert _said("how many mugs", mugs, "shop/orders.csv") == "SELECT qty FROM t WHERE item LIKE '%mug%'"
    assert _said("how many blue mugs", mugs, "shop/orders.csv") == mugs
    paid = "SELECT name FROM t WHERE paid = 'not paid'"
    assert _said("who has paid", paid, "members.csv") == paid


def test_a_value_of_which_a_part_was_said_empties_no_answer() -> None:
    """ "The church flowers this Sunday" are not of the church fund; where a row fits both, both count."""
    table = rows_in(
        "date,arranger,given by\n2026-12-06,Dorothy,Mr Kell\n2026-12-13,Patricia,Church fund\n"
        "2026-12-20,Joan,Church fund\n"
    )
    assert table is not None
    asked = "who is doing the church flowers on the 6th"
    fund = Condition(2, Comparison.EQUAL, "Church fund")
    query = TableQuery((Expression(1),), where=(fund, Condition(0, Comparison.EQUAL, "2026-12-06")))
    found = without_half_said(query, table, asked, TODAY)
    assert [each.value for each in found.where] == ["2026-12-06"]
    both = replace(query, where=(fund, Condition(0, Comparison.EQUAL, "2026-12-13")))
    assert without_half_said(both, table, asked, TODAY) == both
    assert without_half_said(query, table, "what does the church fund give on the 6th", TODAY) == query


def test_a_cell_that_is_named_stands_before_one_that_is_not() -> None:
    """What a model takes in its place is seldom meant."""
    table = rows_in("what,shop,cost\ndiesel,Tesco,60\ntowels,Ikea,18\ndiesel,Shell,63\nhose,Groomers,27\n")
    assert table is not None
    made_up = query_in("SELECT SUM(cost) FROM t WHERE shop = 'Tesco'", table)
    assert made_up is not None
    found = as_said(made_up, table, "how much diesel did i buy")
    assert found is not None
    assert as_written(found, table) == "SELECT SUM(cost) FROM t WHERE what = 'diesel'"


def test_amounts_are_of_the_column_that_is_named() -> None:
    """Of the people who come no nights are added up."""
    by_other = "SELECT SUM(deposit) FROM t WHERE name = 'Roux'"
    assert _said("how many people for roux", by_other, "stays.csv") == by_other.replace("deposit", "people")
    assert _said("how much for roux", by_other, "stays.csv") == by_other
    count = "SELECT COUNT(*) FROM t WHERE name = 'Roux'"
    assert _said("how many people for roux", count, "stays.csv") == count


def test_nothing_is_an_amount_that_the_question_denies() -> None:
    """Whoever has not paid has paid 0,00; where nothing is denied the figure is made up."""
    none = "SELECT name FROM t WHERE deposit = '0,00'"
    assert _said("who has no deposit yet", none, "stays.csv") == none
    assert _said("who has the deposit", none, "stays.csv") == ""
    assert told("et qui n'a pas de deposit", "stays.csv", none).startswith("stays.csv (deposit = 0,00), 2")


STATES = "name,sum,fee,cleared\nOrr,40.00,paid,yes\nTull,25.00,,no\nVane,30.00,paid,\nOrr,12.50,paid,yes\n"


@pytest.mark.parametrize(
    ("asked", "written", "meant"),
    [
        ("who has not yet paid the fee", "SELECT name FROM t WHERE fee = 'paid'", "fee <> 'paid'"),
        ("who hasn't paid", "SELECT name FROM t WHERE fee = 'paid'", "fee <> 'paid'"),
        ("who has paid the fee", "SELECT name FROM t WHERE fee = 'paid'", "fee = 'paid'"),
        ("which ones are not cleared", "SELECT name FROM t WHERE cleared = 'yes'", "cleared <> 'yes'"),
        (
            "which ones have not been cleared yet",
            "SELECT name FROM t WHERE cleared = 'no'",
            "cleared <> 'yes'",
        ),
        ("no, which ones are cleared", "SELECT name FROM t WHERE cleared = 'yes'", "cleared = 'yes'"),
        ("who has paid and is not cleared", "SELECT name FROM t WHERE fee = 'paid'", "fee = 'paid'"),
    ],
)
def test_a_state_that_is_denied_is_looked_for_the_other_way_round(
    asked: str, written: str, meant: str
) -> None:
    """With those of whom nothing is entered; a small model loses the "not"."""
    assert _grounded(asked, written, rows_in(STATES)).split(" WHERE ")[1] == meant


def test_what_something_comes_to_in_total_is_of_all_that_was_named() -> None:
    """Not of those in a state that nobody spoke of; and it is added up."""
    written = "SELECT sum FROM t WHERE name = 'Orr' AND cleared = 'yes'"
    found = _grounded("how much did Orr give in total", written, rows_in(STATES))
    assert found == "SELECT SUM(sum) FROM t WHERE name = 'Orr'"
    found = _grounded("how much of Orr's is cleared in total", written, rows_in(STATES))
    assert found.endswith("AND cleared = 'yes'")


def test_what_is_asked_of_those_before_is_of_them() -> None:
    """However a small model has its condition."""
    table = rows_in(STATES)
    assert table is not None
    before = before_of("who has not paid", "f.csv (fee ≠ paid): Tull", table)
    asked, written = "and might I have their sums, please", "SELECT name, sum FROM t WHERE fee = 'paid'"
    assert _grounded(asked, written, table, before).endswith("WHERE fee <> 'paid'")


def test_a_month_is_a_time_where_it_stands_alone() -> None:
    """From September to November is three rows, and what they come to is added up."""
    table = rows_in("Monat;Heizung\nAugust;0,00\nSeptember;18,90\nOktober;74,60\nNovember;112,40\n")
    assert table is not None
    periods = named_times("was hat die Heizung von September bis November zusammen gekostet", "de", TODAY)
    query = query_in("SELECT Heizung FROM t", table, periods)
    assert query is not None
    found = as_said(query, table, "was hat die Heizung von September bis November zusammen gekostet")
    assert found is not None
    assert rows_of(found, table, TODAY) == (1, 2, 3)
    assert found.aggregate == "SUM"


def test_the_same_sum_of_another_column_takes_its_name_alone() -> None:
    """With the time of the question before, and a word on what has no amount."""
    text = "Monat;Strom;Heizung\nJuli;40,00;0,00\nAugust;48,30;0,00\nSeptember;;18,90\nOktober;63,20;74,60\n"
    around = Around({"k.csv": text})
    asked, said = "was hat die Heizung von August bis Oktober gekostet", "k.csv: 0,00 + 18,90 + 74,60 = 93,50"
    past = Past(calls=(ParsedCall("read_file", {"path": "k.csv"}),), asked=asked, text=said)
    found = TableQuestions(around, past, Model(""), TODAY).answer("und der Strom?", "k.csv")
    assert found is not None
    assert found.told.endswith(": 48,30 + 63,20 = 111,50 (ohne Betrag: September)")


def test_what_is_on_at_a_time_is_in_all_files_that_have_it() -> None:
    """Where a message asks for nothing else; one that does is read by the model."""
    around = Around(
        {
            "rota.csv": "day,who\n1 Dec,Ann\n2 Dec,Bob\n",
            "jobs.csv": "date,job\n2026-11-30,roof\n2026-12-05,gate\n",
            "notes.txt": "nothing\n",
        }
    )
    questions = TableQuestions(around, Past(), Model(""), TODAY)
    plan = questions.of_time("whats on monday")
    assert plan is not None
    assert [step.quoted for step in plan.steps] == ["jobs.csv (date in monday): 2026-11-30, roof"]
    plan = questions.of_time("y el miércoles?")
    assert plan is not None
    assert "Bob" in plan.steps[0].quoted
    for other in ("who is on monday", "what does the roof cost on monday", "what is on"):
        assert questions.of_time(other) is None


def test_a_difference_is_not_below_nothing_in_every_row() -> None:
    """Of ten paid and seven done three are left, whichever way the model has them."""
    table = rows_in("name,paid,done\nAda,10,7\nBo,10,9\n")
    assert table is not None
    query = query_in("SELECT name, done - paid FROM t", table)
    assert query is not None
    assert as_written(_turned_round(query, table, TODAY), table) == "SELECT name, paid - done FROM t"


def test_the_next_one_is_in_no_log_of_what_has_been() -> None:
    """Another file may have it, and is asked then."""
    next_one = "SELECT name FROM t ORDER BY arrive LIMIT 1"
    assert "Roux" in told("who comes next", "stays.csv", next_one)
    past = "SELECT client FROM t ORDER BY date LIMIT 1"
    assert told("who comes next", "hours.csv", past) == ""


def test_a_day_that_opens_a_time_takes_all_before_it() -> None:
    """And not that day alone."""
    query = "SELECT SUM(people) FROM t WHERE arrive IN 'avant le 1er janvier'"
    answer = told("combien de people avant le 1er janvier", "stays.csv", query)
    assert answer == "stays.csv (arrive in avant le 1er janvier): 4 + 6 = 10"


def test_two_columns_that_were_compared_are_compared_again() -> None:
    """What is asked in the same breath goes on from the same rows."""
    first = "SELECT what FROM t WHERE there < least"
    answer = told("which are below the least", "stock.csv", first)
    before = before_of("which are below the least", answer, table_of("stock.csv"))
    assert as_written(TableQuery((Expression(0),), where=before.where), table_of("stock.csv")) == first


def test_a_number_that_nobody_said_is_no_condition() -> None:
    """An hour or a room is made up; a word may be one of another language."""
    assert _said("when do we begin", "SELECT day FROM t WHERE start = '22:00'", "work.csv") == ""
    town = "SELECT name FROM t WHERE voice = 'bass'"
    assert _said("wer singt ganz tief", town, "members.csv") == town


def test_a_time_that_is_named_is_a_condition() -> None:
    """Also where the model left it out, and only where it leaves a row out."""
    assert told("was war letzte Woche", "hours.csv", "SELECT client FROM t").startswith(
        "hours.csv (date in letzte woche), 2"
    )
    everything = told("was war im November", "hours.csv", "SELECT client FROM t WHERE MONTH(date) = '11'")
    assert everything.startswith("hours.csv, 3")


def test_the_next_one_is_the_first_from_today() -> None:
    """Not the first of the table."""
    table = rows_in("date,team\n2026-11-01,Rovers\n2026-12-06,United\n2026-12-13,City\n")
    assert table is not None
    query = query_in("SELECT team FROM t ORDER BY date LIMIT 1", table)
    assert query is not None
    found = as_said(query, table, "who do we play next")
    assert found is not None
    assert as_written(found, table) == "SELECT team FROM t WHERE date >= 'today' ORDER BY date LIMIT 1"


FIRST = "members.csv (paid = not paid), 2 of 3 rows:\n\n- Dubois\n- Roche"


@pytest.mark.parametrize(
    ("asked", "written", "found"),
    [
        ("where do they live", "SELECT town FROM t", "SELECT town FROM t WHERE paid = 'not paid'"),
        (
            "and who of them is from annecy",
            "SELECT name FROM t WHERE town = 'Annecy'",
            "SELECT name FROM t WHERE town = 'Annecy' AND paid = 'not paid'",
        ),
        (
            "n who of them is from annecy",
            "SELECT name FROM t WHERE town = 'Annecy'",
            "SELECT name FROM t WHERE town = 'Annecy' AND paid = 'not paid'",
        ),
        (
            "and which of all of them sing bass",
            "SELECT name FROM t WHERE paid = 'not paid' AND voice = 'bass'",
            "SELECT name FROM t WHERE voice = 'bass'",
        ),
    ],
)
def test_a_question_goes_on_from_the_rows_before(asked: str, written: str, found: str) -> None:
    """Whose conditions hold on, but for "of all of them"."""
    table = table_of("members.csv")
    query = query_in(written, table)
    assert query is not None
    read = as_said(query, table, asked, before_of("who has not paid", FIRST, table))
    assert read is not None
    assert as_written(read, table) == found


def test_what_one_sentence_asks_in_all_is_of_the_rows_that_it_asked_for() -> None:
    """ "Who has not paid and what town are they of in all" leaves nobody else in; in a new one it would."""
    table = table_of("members.csv")
    query = query_in("SELECT town FROM t", table)
    assert query is not None
    before = before_of("who has not paid", FIRST, table)
    asked = "what towns are they from overall"
    alone, together = (
        as_said(query, table, asked, each) for each in (before, replace(before, is_same_sentence=True))
    )
    assert alone is not None
    assert alone.where == ()
    assert together is not None
    assert together.where == before.where


def test_a_plan_that_reads_a_file_gets_the_answer_of_its_rows() -> None:
    """Of two files the one whose rows answer likelier; what only reads for another purpose stays."""
    reads = tuple(
        Step(ParsedCall("read_file", {"path": each}), changes=False) for each in ("letter.txt", "members.csv")
    )
    read = IntentPlan("en", reads, is_asked=True)
    plan = questions(Model("SELECT name FROM t WHERE paid = 'yes'")).plan("who has paid", read)
    assert plan is not None
    assert not plan.is_asked
    assert [(step.call and step.call.arguments["path"], step.quoted) for step in plan.steps] == [
        ("members.csv", "members.csv (paid = yes): Perrin, alto, Annecy, yes")
    ]
    other = replace(read, question="and why is the sky blue")
    assert questions(Model()).plan("who has paid", other) is other
    assert questions(Model(over=-9)).plan("who has paid", read) is read


def test_what_was_looked_into_before_answers_what_names_nothing() -> None:
    """Where nothing else was done, and it is clearer than for a file that is named."""
    past = Past(
        asked="who has not paid", text=FIRST, calls=(ParsedCall("read_file", {"path": "members.csv"}),)
    )
    plan = questions(Model("SELECT COUNT(*) FROM t", over=9), past).plan("how many is that", None)
    assert plan is not None
    assert plan.steps[0].quoted == "members.csv (paid = not paid): 2 entries (Dubois, Roche)."
    assert questions(Model(over=OVER_NONE + 0.1), past).plan("how many is that", None) is None
    assert questions(Model()).plan("how many is that", None) is None


def test_what_is_the_same_in_all_prompts_is_kept() -> None:
    """All but the last message, which has the table and the question."""
    model = Model("SELECT name FROM t WHERE paid = 'yes'")
    questions(model).answer("who has paid", "members.csv")
    assert {len(each.messages) - each.shared_messages for each in model.asked} == {1}


def test_months_are_known_by_their_names() -> None:
    """In four languages, and no other word that begins like one."""
    assert months_in("was war im März und en avril, in december") == (3, 4, 12)
    assert months_in("maybe he can march on") == (3,)
    assert months_in("the market decides") == ()


def _said(asked: str, written: str, name: str) -> str:
    return _grounded(asked, written, table_of(name))


def _grounded(asked: str, written: str, table: Table | None, before: Before | None = None) -> str:
    assert table is not None
    query = query_in(written, table, periods_in(asked, "en", TODAY))
    assert query is not None
    found = as_said(query, table, asked, before)
    return as_written(found, table) if found is not None else ""


def test_what_has_no_amounts_comes_to_nothing() -> None:
    """And not to nought: "tickets" of a ledger in which none was sold."""
    assert told("how much of the work", "todo.md", "SELECT SUM(task) FROM t WHERE done = 'no'") == ""
