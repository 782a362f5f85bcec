"""A row that is told in words: the model says which words belong into which column."""

from __future__ import annotations

from datetime import date

import pytest

from desktop.chat.table_rows import row_told
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from desktop.tools.table_cells import as_in_column, day_like
from desktop.tools.tables import Table, table_in

TODAY = date(2026, 11, 29)
CLIENTS = "dog,breed,owner,last visit\nRex,pug,Tom Berg,2026-10-06\nOtto,husky,Beth Carver,\n"
BUDGET = (
    "Datum;Was;Kategorie;Betrag\n02.05.;Einkauf;Essen;84,35\n03.05.;Kino;Spaß;12,00\n05.05.;Brot;Essen;3\n"
)
PLAN = "date,time,what\n12/03/2026,09:30,yoga\n13/03/2026,14:00,choir\n"


class Writing:
    """A model that writes this, and notes what it was asked."""

    def __init__(self, written: str, finish: FinishReason = FinishReason.STOP) -> None:
        self.written, self.finish = written, finish
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        stream.put(self.written)
        stream.end(self.finish, Metrics())
        return stream


def table_of(text: str) -> Table:
    table = table_in(text)
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("text", "said", "written", "row"),
    [
        (
            CLIENTS,
            "new dog waffle, a beagle, gemma price's",
            "waffle | beagle | gemma price | ",
            "Waffle,beagle,Gemma Price,",
        ),
        (CLIENTS, "rex two, pug, came yesterday", "rex two | pug |  | yesterday", "Rex Two,pug,,2026-11-28"),
        (
            BUDGET,
            "gestern 27.80 für hefte, essen",
            "gestern | hefte | Spaß | 27.80",
            "28.11.;Hefte;Essen;27,80",
        ),
        (PLAN, "choir on 20/03/2026 at 2pm", "20/03/2026 | 2pm | choir", "20/03/2026,14:00,choir"),
    ],
)
def test_words_become_a_row_as_its_columns_write_them(text: str, said: str, written: str, row: str) -> None:
    """Names with capitals, days and times in the form of the others, a said value before another."""
    assert row_told(said, table_of(text), Writing(written), TODAY) == row


@pytest.mark.parametrize(
    ("text", "said", "written"),
    [
        (BUDGET, "spent 5 on tea", "today |  |  | 5"),  # of what is not said
        (BUDGET, "tea", " | tea |  | "),  # too little of it
        (BUDGET, "35 for tea", "today | 35 | tea | 35"),  # one number, two cells
        (CLIENTS, "pug Rex of Tom Berg, 2026-10-06", "Rex | pug | Tom Berg | 2026-10-06"),  # it is there
        (PLAN, "yoga some day at noon", "20/03/2026 | noon | yoga"),  # no time of day
        (BUDGET, "tea for 5", "today | tea | 5"),  # a cell is missing
    ],
)
def test_what_does_not_fill_a_row_is_none(text: str, said: str, written: str) -> None:
    """Nothing is added then, and the user is told what a row has."""
    assert row_told(said, table_of(text), Writing(written), TODAY) == ""


def test_a_row_that_was_cut_is_none() -> None:
    """The model was stopped."""
    cut = Writing("today | tea | Essen | 5", FinishReason.CANCELLED)
    assert row_told("tea 5", table_of(BUDGET), cut, TODAY) == ""


def test_a_grammar_has_for_a_day_only_days_and_for_an_amount_only_numbers() -> None:
    """Of the message; for other columns its words, and the values that rows share."""
    model = Writing("")
    row_told("yesterday 27.80 for books", table_of(BUDGET), model, TODAY)
    rules = dict(line.split(" ::= ", 1) for line in (model.asked[0].grammar or "").splitlines())
    assert rules["cell-0"] == '"yesterday"'
    assert rules["cell-3"] == '"27.80"'
    assert '"Essen"' in rules["cell-2"]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("2026-01-05", "2026-11-09"),
        ("05.01.2026", "09.11.2026"),
        ("5.1.26", "9.11.26"),
        ("05.01.", "09.11."),
        ("5/1", "9/11"),
    ],
)
def test_a_day_is_written_like_the_others(written: str, shown: str) -> None:
    """With as many digits, the same signs, and a year only where they have one."""
    assert day_like(date(2026, 11, 9), written) == shown


def test_a_date_said_in_a_sentence_becomes_one_of_the_column() -> None:
    """ "27.11. bezahlt" is the day alone, with the year of the others."""
    table = table_of("Nr;Name;bezahlt am\n1;Frey;02.03.2026\n2;Krause;\n")
    assert as_in_column(table, 2, "27.11. bezahlt") == "27.11.2026"
    assert as_in_column(table, 2, "noch nicht") == "noch nicht"
