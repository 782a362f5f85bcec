"""Tables of text: lines are moved whole, and what is no table is left alone."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.tables import number_in, sorted_text, table_in, total

BUDGET = "item;amount\nrent;850\nbooks;45,50\ngym;1.030,00\n"


def test_numbers_are_sorted_as_numbers() -> None:
    """Not letter by letter, and each line stays as it was written."""
    table = table_in(BUDGET)
    assert table is not None
    assert sorted_text(table, 1) == "item;amount\nbooks;45,50\nrent;850\ngym;1.030,00\n"
    assert sorted_text(table, 0, descending=True) == "item;amount\nrent;850\ngym;1.030,00\nbooks;45,50\n"


def test_a_column_is_added_up_exactly() -> None:
    """In decimals, and only where all of it are numbers."""
    table = table_in(BUDGET)
    assert table is not None
    assert total(table, 1) == Decimal("1925.50")
    assert total(table, 0) is None


@pytest.mark.parametrize(
    "text", ["", "one line\n", "no,table\nhas,three,cells\n", 'a,b\n"over\ntwo",1\n', "plain\nwords\nonly\n"]
)
def test_what_is_no_table_is_none(text: str) -> None:
    """Rows of other widths, cells over two lines, and prose."""
    assert table_in(text) is None


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1,234.50", "1234.50"),
        ("1.234,50 €", "1234.50"),
        ("-3", "-3"),
        ("12,5", "12.5"),
        ("1,234", "1234"),
        ("2026-11-23", None),
        ("1.2.3", None),
        ("", None),
        ("rent", None),
    ],
)
def test_numbers_as_people_write_them(cell: str, value: str | None) -> None:
    """With marks for thousands, a comma for the point, and the money behind."""
    assert number_in(cell) == (None if value is None else Decimal(value))


@given(st.lists(st.tuples(st.integers(0, 999), st.text("abcxyz", min_size=1, max_size=5)), min_size=1))
def test_no_line_is_lost_or_made_up(rows: list[tuple[int, str]]) -> None:
    """Whatever is in it, the sorted table has the same lines below the same header."""
    text = "n,word\n" + "".join(f"{number},{word}\n" for number, word in rows)
    table = table_in(text)
    assert table is not None
    made = sorted_text(table, 0).splitlines()
    assert made[0] == "n,word"
    assert sorted(made[1:]) == sorted(text.splitlines()[1:])
