"""Changes of single cells of a table."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.table_cells import amount_edit, as_in_column, cell_edit, row_edit, row_names, shared_values
from desktop.tools.tables import Table, table_in

BUDGET = "what;cost\nbooks;45,50\ngym;1.030,00\nrent;850\n"
LESSONS = "day,time,course\nMon,09:00,Dutch\nWed,10:30,Algebra\nFri,08:00,Algebra lab\n"
CLUB = "name,first name,paid\nRossi,Ada,yes\nKlein,Max,no\nMoreau,Zoé,no\n"
CELLAR = "what,bottles,price\ncider,12,2.50\njuice,4,1.20\n"


def table_of(text: str) -> Table:
    table = table_in(text)
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("old", "new", "edit"),
    [
        ("books", "50", ("books;45,50", "books;50")),
        ("gym", "", ("gym;1.030,00", "")),
        ("books", "papers", None),  # words for words are what they say
        ("850", "900", None),
        ("rent;850", "", None),  # a whole row already
        ("food", "290", None),
    ],
)
def test_a_cell_stands_for_its_row(old: str, new: str, edit: tuple[str, str] | None) -> None:
    """Taken out, its row goes; a figure takes the place of the row's one figure."""
    assert row_edit(table_of(BUDGET), old, new) == edit


def test_of_two_rows_or_two_figures_nothing_is_guessed() -> None:
    """The words are exchanged as they stand, or the user is asked."""
    for text in ("what,cost\ntea,3\ntea,4\n", "what,cost,tip\ntea,3,4\nrye,2,1\n"):
        assert row_edit(table_of(text), "tea", "5") is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (CLUB, ("Rossi", "Ada", "Klein", "Max", "Moreau", "Zoé")),
        (LESSONS, ("Dutch", "Algebra", "Algebra lab")),  # a weekday and an hour name no row
        (BUDGET, ("books", "gym", "rent")),
        ("when,who\n3 May,Ann\n4 May,Ann\n5 May,Ben\n", ()),  # most are not alone
    ],
)
def test_a_row_is_called_by_the_words_that_are_its_own(text: str, names: tuple[str, ...]) -> None:
    """What several rows have tells none from another."""
    assert row_names(table_of(text)) == names


def test_a_column_of_yes_and_no_has_values_that_rows_share() -> None:
    """Names of which each row has its own are none."""
    assert shared_values(table_of(CLUB), 2) == ("yes", "no")
    assert shared_values(table_of(CLUB), 0) == ()
    # Two lessons begin at the same hour, and none is said to begin at another one's.
    assert shared_values(table_of("time,what\n09:00,Dutch\n09:00,Art\n10:00,Law\n"), 0) == ()


@pytest.mark.parametrize(
    ("text", "column", "said", "written"),
    [
        (LESSONS, 0, "thursday", "Thu"),
        (LESSONS, 0, "Donnerstag", "Thu"),
        (LESSONS, 0, "jeudi", "Thu"),
        (LESSONS, 1, "13:00", "13:00"),
        ("Tag;Was\nMo;Yoga\nDi;Chor\n", 0, "friday", "Fr"),
        ("jour,quoi\nlundi,chant\nmardi,yoga\n", 0, "friday", "vendredi"),
        (BUDGET, 1, "41.2", "41,20"),
        (CELLAR, 2, "3", "3.00"),
        (CLUB, 2, "YES", "yes"),
        (CLUB, 0, "thursday", "thursday"),  # among names a day is a word
    ],
)
def test_a_value_is_written_as_its_column_writes_such(
    text: str, column: int, said: str, written: str
) -> None:
    """Days as short and in the language of the others, decimals with their sign."""
    assert as_in_column(table_of(text), column, said) == written


@pytest.mark.parametrize(
    ("text", "row", "column", "value", "edit"),
    [
        (LESSONS, "Dutch", 0, "tuesday", ("Mon,09:00,Dutch", "Tue,09:00,Dutch")),
        (CLUB, "Max", 2, "yes", ("Klein,Max,no", "Klein,Max,yes")),
        (CLUB, "Max", 2, "no", None),  # nothing would change
        (CLUB, "Mia", 2, "yes", None),
        ("a,b\nx,x\ny,z\n", "z", 0, "q", ("y,z", "q,z")),
        ("a,b\nx x,x\ny,z\n", "x x", 1, "q", ("x x,x", "x x,q")),  # the same letters in another cell stay
        ("a,b\nx,1\ny,2\n", "x", 0, "p, q", ("x,1", '"p, q",1')),
    ],
)
def test_only_the_cell_is_written_anew(
    text: str, row: str, column: int, value: str, edit: tuple[str, str] | None
) -> None:
    """The rest of its line stays to the letter; what needs quotation marks gets them."""
    assert cell_edit(table_of(text), row, column, value) == edit


@pytest.mark.parametrize(
    ("row", "column", "by", "edit"),
    [
        ("cider", 1, "-3", ("cider,12,2.50", "cider,9,2.50")),
        ("juice", 2, "0.5", ("juice,4,1.20", "juice,4,1.7")),
        ("juice", 1, "-5", None),  # there are four
        ("cider", 0, "1", None),
    ],
)
def test_an_amount_is_changed_by_another(
    row: str, column: int, by: str, edit: tuple[str, str] | None
) -> None:
    """Never below nothing, and never what is no amount."""
    assert amount_edit(table_of(CELLAR), row, column, Decimal(by)) == edit


WORDS = st.text(st.characters(categories=("L",), include_characters=" ,;\"'"), min_size=1, max_size=9)


@given(st.lists(WORDS, min_size=2, max_size=6), WORDS, st.sampled_from(",;\t"))
def test_an_edit_changes_one_cell_of_the_table(cells: list[str], value: str, delimiter: str) -> None:
    """Whatever the cells and the value hold: read again, all others are what they were."""
    written = io.StringIO()
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("name", "n"), *((f"r{at} {cell}", str(at)) for at, cell in enumerate(cells))])
    text = written.getvalue()
    table = table_of(text)
    edit = cell_edit(table, table.rows[0][0], 0, value)
    if edit is None:
        return
    after = table_of(text.replace(edit[0], edit[1], 1))
    assert after.rows[1:] == table.rows[1:]
    assert after.rows[0][1] == table.rows[0][1]
    assert after.rows[0][0] == as_in_column(table, 0, value).strip()
