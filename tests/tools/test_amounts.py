"""Amounts as people write them: read where they can mean one thing, and written back in the same style."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.amounts import (
    Amount,
    Column,
    NumberStyle,
    Unclear,
    amount_in,
    as_fraction,
    column_of,
    entries_in,
    scaled_text,
    servings_in,
    written_amount,
)


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [
        ("1,234.50", "1234.50", ""),
        ("1.234,50 €", "1234.50", "€"),
        ("1 234,50", "1234.50", ""),
        ("1\u202f234,50 EUR", "1234.50", "€"),
        ("CHF 1'234.50", "1234.50", "CHF"),
        ("-3", "-3", ""),
        ("−3,5", "-3.5", ""),
        ("$12", "12", "$"),
        ("12,5", "12.5", ""),
        ("1.234 €", "1234", "€"),
        ("0.125", "0.125", ""),
        ("1.234.567", "1234567", ""),
        ("250 g", "250", "g"),
        ("12 %", "12", "%"),
    ],
)
def test_numbers_as_people_write_them(cell: str, value: str, unit: str) -> None:
    """With marks for thousands, a comma for the point, and the money before or behind."""
    assert amount_in(cell) == Amount(Decimal(value), unit)


@pytest.mark.parametrize(
    "cell", ["2026-11-23", "01.03.2026", "1.2.3", "", "rent", "1,234", "1.234", "9:30", "1,2,3"]
)
def test_what_may_be_something_else_is_no_amount(cell: str) -> None:
    """Dates, versions, hours, words; and 1.234, which may be a thousand or one and a bit."""
    assert amount_in(cell) is None


def test_the_column_tells_what_one_number_leaves_open() -> None:
    """A thousand beside 45,50; one and a bit beside 12.5; neither where nothing speaks for one."""
    beside = column_of(["1.234", "45,50"])
    assert isinstance(beside, Column)
    assert [each.value for each in beside.amounts if each] == [Decimal(1234), Decimal("45.50")]
    bit = column_of(["1.234", "12.5"])
    assert isinstance(bit, Column)
    assert bit.amounts[0] == Amount(Decimal("1.234"))
    assert column_of(["1.234", "500"]) == Unclear("1.234", is_ambiguous=True)
    assert isinstance(column_of(["1.234", "500"], parted_by=";"), Column)
    assert column_of(["1.234,50", "1,234.50"]) == Unclear("1.234,50", is_ambiguous=True)
    assert column_of(["12", "n/a"]) == Unclear("n/a")


STYLES = st.sampled_from(
    [
        NumberStyle(".", ","),
        NumberStyle(",", "."),
        NumberStyle(",", " "),
        NumberStyle(".", "'"),
        NumberStyle(","),
    ]
)


@given(st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=9), STYLES)
def test_what_is_written_in_a_style_is_read_the_same(values: list[Decimal], style: NumberStyle) -> None:
    """Also without being told which style it is: two decimals leave no doubt."""
    cells = [style.written(each, 2) for each in values]
    column = column_of(cells)
    assert isinstance(column, Column)
    assert [each.value for each in column.amounts if each is not None] == values


@given(st.decimals(-(10**6), 10**6, places=4))
def test_no_more_decimals_than_it_needs(value: Decimal) -> None:
    """Two at most, and none for a whole number."""
    text = written_amount(value, NumberStyle())
    assert abs(Decimal(text) - value) <= Decimal("0.005")
    assert not text.endswith("0") or "." not in text


RECIPE = """# Pancakes for 4 people

- 250 g flour
- 3 eggs
- ½ cup sugar
- 1 1/2 tsp salt
- 1 can (400 g) tomatoes
- 250 g (2 cups) rice
- 2-3 onions
- 30 minutes of patience
- salt

Mix, rest for 20 minutes, fry 4 at a time.
"""
DOUBLED = """# Pancakes for 8 people

- 500 g flour
- 6 eggs
- 1 cup sugar
- 3 tsp salt
- 2 can (400 g) tomatoes
- 500 g (4 cups) rice
- 4-6 onions
- 30 minutes of patience
- salt

Mix, rest for 20 minutes, fry 4 at a time.
"""


def test_a_recipe_is_doubled_and_its_steps_stay() -> None:
    """Fractions, ranges, what stands in brackets; no time, and nothing below the list."""
    assert scaled_text(RECIPE, Decimal(2)) == DOUBLED


def test_amounts_behind_their_things_are_scaled_too() -> None:
    """And with a comma where the list has one."""
    assert scaled_text("Mehl: 250 g\nMilch: 0,5 l\n", Decimal(3)) == "Mehl: 750 g\nMilch: 1,5 l\n"


@pytest.mark.parametrize("text", ["bread\nmilk\n", "Mix and fry. Then eat it all.\n", ""])
def test_what_has_no_amounts_is_not_scaled(text: str) -> None:
    """Nothing is made up."""
    assert scaled_text(text, Decimal(2)) is None


@given(
    st.lists(
        st.tuples(st.integers(1, 999), st.sampled_from(["g flour", "ml milk", "eggs"])),
        min_size=1,
        max_size=6,
    ),
    st.integers(2, 9),
)
def test_more_and_less_again_is_the_same(lines: list[tuple[int, str]], factor: int) -> None:
    """Times a number and by it again, no line is another."""
    text = "".join(f"- {number} {thing}\n" for number, thing in lines)
    more = scaled_text(text, Decimal(factor))
    assert more == "".join(f"- {number * factor} {thing}\n" for number, thing in lines)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Pancakes for 4 people", 4),
        ("Für 6 Personen", 6),
        ("pour 2 personnes", 2),
        ("para 3", 3),
        ("for 20 min", 0),
        ("for 2, for 4", 0),
    ],
)
def test_for_how_many_it_is(text: str, count: int) -> None:
    """As the text says it, once."""
    assert servings_in(text) == count


def test_entries_have_their_amounts() -> None:
    """With the unit, and what stands in brackets apart."""
    found = [
        (each.label, each.amount)
        for each in entries_in("- 250 g flour\n- 3 eggs\n- 200 g de farine\n- salt\n")
    ]
    assert found == [("flour", "250 g"), ("eggs", "3"), ("farine", "200 g"), ("salt", "")]


@pytest.mark.parametrize(("value", "text"), [("1.5", "1 1/2"), ("0.25", "1/4"), ("3", "3"), ("0.37", "")])
def test_small_fractions(value: str, text: str) -> None:
    """Where one is it exactly."""
    assert as_fraction(Decimal(value)) == text
