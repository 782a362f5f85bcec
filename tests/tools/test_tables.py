"""Tables of text: lines are moved whole, and what is no table is left alone."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.tables import markdown_tables_in, sheet_in, sorted_text, table_in, total

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


@given(st.lists(st.tuples(st.integers(0, 999), st.text("abcxyz", min_size=1, max_size=5)), min_size=1))
def test_no_line_is_lost_or_made_up(rows: list[tuple[int, str]]) -> None:
    """Whatever is in it, the sorted table has the same lines below the same header."""
    text = "n,word\n" + "".join(f"{number},{word}\n" for number, word in rows)
    table = table_in(text)
    assert table is not None
    made = sorted_text(table, 0).splitlines()
    assert made[0] == "n,word"
    assert sorted(made[1:]) == sorted(text.splitlines()[1:])


@pytest.mark.parametrize(
    ("text", "header", "first", "numeric"),
    [
        ("a;b\nx;1,5\ny;2,25\n", ("a", "b"), ("x", "1,5"), (1,)),
        ("Miete;850,00\nStrom;1.310,50\n", (), ("Miete", "850,00"), (1,)),
        ('what,cost\n"Rent, flat",850\n\nfood,310\n', ("what", "cost"), ("Rent, flat", "850"), (1,)),
        (
            "day\tshop\tsum\n2026-03-01\tAldi\t3.20\n",
            ("day", "shop", "sum"),
            ("2026-03-01", "Aldi", "3.20"),
            (2,),
        ),
        ("# Q\n\n| a | b |\n|---|---:|\n| x | **3,5** |\n\nbye\n", ("a", "b"), ("x", "3,5"), (1,)),
        ("- 250 g flour\n- 3 eggs\n", (), ("flour", "250 g"), (1,)),
        ("rent: 850 €\nfood: 310 €\n", (), ("rent", "850 €"), (1,)),
        ("bread\nmilk\n", (), ("bread", ""), ()),
        ("name,city\nTom,Bonn\n", ("name", "city"), ("Tom", "Bonn"), ()),
        ("01.03.2026;12,50\n02.03.2026;3,00\n", (), ("01.03.2026", "12,50"), (1,)),
    ],
)
def test_tables_as_people_keep_them(
    text: str, header: tuple[str, ...], first: tuple[str, ...], numeric: tuple[int, ...]
) -> None:
    """Semicolons, no header, quoted cells, blank lines, Markdown, lists."""
    table = sheet_in(text)
    assert table is not None
    assert (table.header, table.rows[0], table.numeric) == (header, first, numeric)


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ms Weber,\nthe heating is serviced on 12 December between 9 and 12.\nHaus GmbH\n",
        "Buy milk, eggs and bread.\nCall Anna, on Friday at noon.\n",
        "| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n",
    ],
)
def test_prose_and_two_tables_are_no_sheet(text: str) -> None:
    """Nobody knows which figures are meant."""
    assert sheet_in(text) is None


def test_several_tables_are_read_under_their_headings() -> None:
    """All of them or none; a single one is no several."""
    found = markdown_tables_in("# A\n\n| a |\n|---|\n| 1 |\n\n## B\n\n| b | c |\n|---|---|\n| 2 | 3 |\n")
    assert [(heading, table.header, table.rows) for heading, table in found] == [
        ("A", ("a",), (("1",),)),
        ("B", ("b", "c"), (("2", "3"),)),
    ]
    assert markdown_tables_in("| a |\n|---|\n| 1 |\n\n| b |\n|---|\n\nbye\n") == ()
    assert markdown_tables_in("| a |\n|---|\n| 1 |\n") == ()


def test_what_stands_around_a_markdown_table_stays() -> None:
    """Only its rows change places."""
    text = "# Q\n\n| a | b |\n|---|---|\n| x | 3 |\n| y | 1 |\n\nbye\n"
    table = sheet_in(text)
    assert table is not None
    assert sorted_text(table, 1) == "# Q\n\n| a | b |\n|---|---|\n| y | 1 |\n| x | 3 |\n\nbye\n"


CELLS = st.text(st.characters(categories=("L", "Nd"), include_characters=" ,;\"'"), min_size=1, max_size=9)


@given(st.lists(st.tuples(CELLS, st.integers(-9999, 9999)), min_size=1, max_size=9), st.sampled_from(",;\t"))
def test_what_csv_writes_is_read_with_its_sum(rows: list[tuple[str, int]], delimiter: str) -> None:
    """Whatever the cells hold, quoted where they have to be: the same numbers, and their exact sum."""
    written = io.StringIO()
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("what", "amount"), *((f"x{label}", number) for label, number in rows)])
    table = table_in(written.getvalue())
    assert table is not None
    assert [row[1] for row in table.rows] == [str(number) for _, number in rows]
    assert total(table, 1) == sum(number for _, number in rows)
