"""Questions to a table in the form of SQL: what is a table, what a query may be, and which rows it finds."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.periods import Period, periods_in
from desktop.tools.table_queries import (
    Comparison,
    Condition,
    Expression,
    as_written,
    conditions_in,
    dates_in,
    grammar_of,
    has_dates_in,
    names_of,
    query_in,
    rows_in,
    rows_of,
    told_conditions,
    value_of,
)
from desktop.tools.tables import Table

TODAY = date(2026, 11, 29)
ORDERS = (
    "order,date,customer,total,status\n1041,2026-11-02,Anna Weiss,24.00,shipped\n"
    "1042,2026-11-03,Tom Hale,48.50,open\n"
    "1043,2026-12-09,Rita O'Dea,48.00,open\n1044,2026-12-15,Tom Hale,36.00,\n"
)
DUES = "name;due;paid\nOlga;80,00;80,00\nPaul;60,00;20,00\nEva;75,50;0\n"
TASKS = "# Week\n\n## Kitchen\n- [ ] paint (Ivo)\n- [x] lamp\n## Bath\n- [ ] tap, new (Eva)\n"
LOG = "Garden\n\n2 May: sowed beans\n9 May: rain all day\n11 June: first beans\n"
SHIFTS = "day | start | end\n---|---|---\nMon | 08:00 | 16:30\nTue | 22:00 | 06:00\n"
PRICES = "- bread: 1,20 €\n- milk: 0,95 €\n- cheese: 4,80 €\n"


def table_of(text: str) -> Table:
    table = rows_in(text)
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("text", "header", "first"),
    [
        (
            ORDERS,
            ("order", "date", "customer", "total", "status"),
            ("1041", "2026-11-02", "Anna Weiss", "24.00", "shipped"),
        ),
        (TASKS, ("section", "task", "done"), ("Kitchen", "paint (Ivo)", "no")),
        ("- [x] a\n- [ ] b\n", ("task", "done"), ("a", "yes")),
        ("☑ a\n☐ b\n", ("task", "done"), ("a", "yes")),
        ("[ ] a\n[x] b\n", ("task", "done"), ("a", "no")),
        (LOG, ("date", "what"), ("2 May", "sowed beans")),
        (SHIFTS, ("day", "start", "end"), ("Mon", "08:00", "16:30")),
        (PRICES, ("what", "amount"), ("bread", "1,20 €")),
    ],
)
def test_lists_checklists_and_logs_are_tables(
    text: str, header: tuple[str, ...], first: tuple[str, ...]
) -> None:
    """Their lines are the rows, and their columns have names."""
    table = table_of(text)
    assert (table.header, table.rows[0]) == (header, first)


@pytest.mark.parametrize("text", ["", "Dear Eva,\n\nsee you soon.\nTom\n", "milk\neggs\n", "one line"])
def test_prose_and_bare_lists_are_none(text: str) -> None:
    """Nothing could be asked of their columns."""
    assert rows_in(text) is None


def test_columns_are_called_by_one_word_each() -> None:
    """Whatever stands in the header, so that a query can name them."""
    table = table_of("price (EUR),price (EUR),2026,\n1,2,3,x\n4,5,6,y\n")
    assert names_of(table) == ("price_EUR", "price_EUR_2", "2026_3", "column_4")


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        (ORDERS, "SELECT order FROM t WHERE status = 'open'", ["1042", "1043"]),
        (ORDERS, "SELECT order FROM t WHERE status <> 'open'", ["1041", "1044"]),
        (ORDERS, "SELECT order FROM t WHERE status = ''", ["1044"]),
        (ORDERS, "SELECT order FROM t WHERE customer LIKE '%tom%' AND total > '40'", ["1042"]),
        (
            ORDERS,
            "SELECT order FROM t WHERE customer LIKE '%tom%' OR total = '24.00'",
            ["1041", "1042", "1044"],
        ),
        (ORDERS, "SELECT order FROM t WHERE customer = 'Rita O''Dea'", ["1043"]),
        (ORDERS, "SELECT order FROM t WHERE customer NOT LIKE '%tom%'", ["1041", "1043"]),
        (ORDERS, "SELECT order FROM t WHERE date >= 'today' ORDER BY date LIMIT 1", ["1043"]),
        (ORDERS, "SELECT order FROM t WHERE date < '2026-11-03'", ["1041"]),
        (ORDERS, "SELECT order FROM t ORDER BY total DESC LIMIT 2", ["1042", "1043"]),
        (ORDERS, "SELECT order FROM t WHERE MONTH(date) = '12'", ["1043", "1044"]),
        (ORDERS, "SELECT order FROM t WHERE date IN 'this month'", ["1041", "1042"]),
        (DUES, "SELECT name FROM t WHERE paid < due", ["Paul", "Eva"]),
        (TASKS, "SELECT task FROM t WHERE section = 'Bath' AND done = 'no'", ["Bath"]),
        (LOG, "SELECT date FROM t WHERE what LIKE '%beans%' ORDER BY date DESC LIMIT 1", ["11 June"]),
        (PRICES, "SELECT what FROM t ORDER BY amount", ["milk", "bread", "cheese"]),
    ],
)
def test_a_query_finds_its_rows(text: str, query: str, found: list[str]) -> None:
    """By cells, words in them, amounts, dates and other columns, in the order that is asked for."""
    table = table_of(text)
    read = query_in(query, table, periods_in("this month", "en", TODAY))
    assert read is not None
    assert [table.rows[at][0] for at in rows_of(read, table, TODAY)] == found
    assert as_written(read, table) == query


@pytest.mark.parametrize(
    "written", ["none", "SELECT mood FROM t", "DROP TABLE t", "SELECT order FROM t WHERE x = 'y'", ""]
)
def test_what_names_no_column_is_no_query(written: str) -> None:
    """Nothing is read into it."""
    assert query_in(written, table_of(ORDERS)) is None


@pytest.mark.parametrize(
    ("text", "expression", "values"),
    [
        (DUES, Expression(1, "-", 2), ["0", "40", "75.5"]),
        (DUES, Expression(1, "*", 2), ["6400", "1200", "0"]),
        (SHIFTS, Expression(2, "-", 1), ["8.5", "8"]),  # a night ends on the next day
        (ORDERS, Expression(3), ["24", "48.5", "48", "36"]),
        (ORDERS, Expression(2), [None] * 4),
    ],
)
def test_two_columns_come_to_an_amount(text: str, expression: Expression, values: list[str | None]) -> None:
    """A product, a difference, the hours between two times; None where a cell has no amount."""
    table = table_of(text)
    found = [value_of(expression, table, at) for at in range(len(table.rows))]
    assert found == [Decimal(each) if each is not None else None for each in values]


def test_hours_are_taken_from_the_end_to_the_beginning() -> None:
    """In whatever order a model subtracts two times of a day."""
    table = table_of(SHIFTS)
    query = query_in("SELECT SUM(start - end) FROM t", table)
    assert query is not None
    assert query.shown == (Expression(2, "-", 1),)


def test_a_grammar_allows_only_what_is_there_or_was_said() -> None:
    """Cells of the column, words of the question that a cell contains, its numbers, and the time it names."""
    grammar = grammar_of(table_of(ORDERS), ["tom", "zebra", "40"], (), periods_in("last week", "en", TODAY))
    assert '"%"' not in grammar
    assert "Tom Hale" in grammar
    assert '"tom"' in grammar
    assert "zebra" not in grammar
    assert '"40"' in grammar
    assert "last week" in grammar
    assert '"2026-11-02"' not in grammar  # where a time is named, no day of another one is meant


@pytest.mark.parametrize(
    ("text", "query", "told"),
    [
        (
            ORDERS,
            "SELECT order FROM t WHERE status = 'open' AND customer LIKE '%tom%'",
            "status = open, customer ~ tom",
        ),
        (ORDERS, "SELECT order FROM t WHERE status = ''", "status = –"),
        (TASKS, "SELECT task FROM t WHERE done = 'no' AND task LIKE '%ivo%'", "[ ], ~ ivo"),
        (DUES, "SELECT name FROM t WHERE paid < due", "paid < due"),
    ],
)
def test_conditions_are_told_with_the_columns_names(text: str, query: str, told: str) -> None:
    """Those of a list or log have none of their own."""
    table = table_of(text)
    read = query_in(query, table)
    assert read is not None
    assert told_conditions(read, table) == told


@given(
    st.lists(
        st.tuples(
            st.sampled_from([(2, "Tom Hale"), (4, "open"), (4, "shipped"), (2, "Anna Weiss")]),
            st.sampled_from([Comparison.EQUAL, Comparison.OTHER, Comparison.LIKE]),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_conditions_that_were_told_are_read_back(chosen: list[tuple[tuple[int, str], Comparison]]) -> None:
    """So that the next question can go on from them."""
    table = table_of(ORDERS)
    where = tuple(Condition(column, by, value) for (column, value), by in chosen)
    query = query_in("SELECT order FROM t", table)
    assert query is not None
    from dataclasses import replace

    assert conditions_in(told_conditions(replace(query, where=where), table), table) == where


def test_dates_without_a_year_are_of_any() -> None:
    """Their order counts, and a time has them whichever year it is of."""
    table = table_of(LOG)
    dates = dates_in(table, 0)
    assert dates is not None
    assert list(dates) == sorted(dates)
    assert has_dates_in(table, [Period("may", date(2026, 5, 1), date(2026, 5, 31))])
    assert not has_dates_in(table, [Period("july", date(2026, 7, 1), date(2026, 7, 31))])
