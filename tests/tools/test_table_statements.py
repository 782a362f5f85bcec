"""Changes of a table in the form of SQL: what a statement is, and which lines it comes to."""

from __future__ import annotations

import pytest

from desktop.tools.table_queries import Comparison, Condition
from desktop.tools.table_statements import (
    Assignment,
    Statement,
    Verb,
    added_line,
    cells_of,
    editable_rows,
    grammar_of_statements,
    line_before,
    line_with,
    rows_meant,
    statements_in,
)
from desktop.tools.tables import Table

JOBS = "no,client,what,price,state\n11,Silva,lamp,20.00,waiting\n12,Petit,chair,35.00,ready\n"
STOCK = "produit;quantité;unité\nfarine;8,0;kg\nœufs;12;pièce\nsel;;kg\n"
MENU = "# Menu\n\n| Day | Lunch |\n|---|---|\n| Mon | soup |\n| Tue | rice  |\n\nEnjoy!\n"
CLEANING = "## Kitchen\n- [ ] wall\n- [ ] lamp\n\n## Bath\n- [ ] wall\n- [x] tap\n"
LIST = "# Shopping\n- bread\n- cheap towels\n"
SECTIONS = "## Pack\n* socks\n* hat\n\n## Buy\n* map\n"
VAN = '{\n  "wooden blocks": 34,\n  "glue 3": 3\n}\n'
LETTER = "Dear Eva,\nI hope you are well. See you soon.\nIvo\n"


def table_of(text: str) -> Table:
    table = editable_rows(text)
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        (JOBS, ("no", "client", "what", "price", "state"), 2),
        (MENU, ("Day", "Lunch"), 2),
        (CLEANING, ("section", "task", "done"), 4),
        (LIST, ("item",), 2),
        (SECTIONS, ("section", "item"), 3),
        ("oatmeal shampoo x2\ncotton buds\n", ("item",), 2),
        (VAN, ("what", "amount"), 2),
    ],
)
def test_tables_checklists_and_lists_have_rows(text: str, header: tuple[str, ...], rows: int) -> None:
    """Each under the names of its columns, or of what its lines are."""
    table = table_of(text)
    assert (table.header, len(table.rows)) == (header, rows)


NESTED = '{"a": [1]}'
WORDS = '{\n"a": "x",\n"b": 2\n}'


@pytest.mark.parametrize("text", [LETTER, "one line\n", "", "2025: 214 miles\nlost: 1 hat\n", NESTED, WORDS])
def test_a_text_has_no_rows(text: str) -> None:
    """A line that tells something is no thing of a list."""
    assert editable_rows(text) is None


@pytest.mark.parametrize(
    ("written", "statements"),
    [
        (
            "UPDATE t SET state = 'ready', price = price + 5 WHERE client = 'Silva' AND what LIKE '%lamp%'",
            (
                Statement(
                    Verb.UPDATE,
                    (Assignment(4, "ready"), Assignment(3, "5", "+")),
                    (
                        Condition(1, Comparison.EQUAL, "Silva"),
                        Condition(2, Comparison.LIKE, "lamp"),
                    ),
                ),
            ),
        ),
        (
            "DELETE FROM t WHERE what = 'chair'\nINSERT INTO t SET client = 'O''Hara', price = '3'",
            (
                Statement(Verb.DELETE, (), (Condition(2, Comparison.EQUAL, "chair"),)),
                Statement(Verb.INSERT, (Assignment(1, "O'Hara"), Assignment(3, "3"))),
            ),
        ),
        ("none", ()),
        ("UPDATE t SET colour = 'red' WHERE client = 'Silva'", ()),
        ("UPDATE t SET state = 'ready' WHERE colour = 'red'", ()),
        ("SELECT client FROM t", ()),
    ],
)
def test_what_is_written_is_read(written: str, statements: tuple[Statement, ...]) -> None:
    """A column that the table does not have makes the whole of it none."""
    assert statements_in(written, table_of(JOBS)) == statements


def test_rows_are_those_that_fit_all_conditions() -> None:
    """Whatever their case; a word is looked for in the cell."""
    table = table_of(CLEANING)
    wall = Condition(1, Comparison.EQUAL, "WALL")
    assert rows_meant((wall,), table) == (0, 2)
    assert rows_meant((wall, Condition(0, Comparison.LIKE, "bath")), table) == (2,)
    assert rows_meant((Condition(1, Comparison.EQUAL, "door"),), table) == ()


@pytest.mark.parametrize(
    ("text", "at", "sets", "line"),
    [
        (JOBS, 0, [Assignment(4, "sent, at last")], '11,Silva,lamp,20.00,"sent, at last"'),
        (JOBS, 0, [Assignment(3, "22.5")], "11,Silva,lamp,22.50,waiting"),
        (JOBS, 1, [Assignment(3, "5", "-"), Assignment(4, "sent")], "12,Petit,chair,30.00,sent"),
        (STOCK, 0, [Assignment(1, "1,5", "-")], "farine;6,5;kg"),
        (STOCK, 2, [Assignment(1, "2", "+")], "sel;2;kg"),
        (STOCK, 1, [Assignment(1, "13", "-")], None),
        (MENU, 1, [Assignment(1, "fish")], "| Tue | fish  |"),
        (CLEANING, 2, [Assignment(2, "yes")], "- [x] wall"),
        (LIST, 1, [Assignment(0, "two towels")], "- two towels"),
        (VAN, 0, [Assignment(1, "4", "-")], '  "wooden blocks": 30,'),
        (VAN, 1, [Assignment(1, "5")], '  "glue 3": 5'),
        (VAN, 1, [Assignment(0, "glue")], None),
    ],
)
def test_a_line_is_written_anew(text: str, at: int, sets: list[Assignment], line: str | None) -> None:
    """Only what is set becomes another, as the column writes it; nothing falls below zero."""
    assert line_with(table_of(text), at, sets) == line


@pytest.mark.parametrize(
    ("text", "row", "line", "below"),
    [
        (JOBS, ("13", "Silva, M.", "", "", ""), '13,"Silva, M.",,,', "12,Petit,chair,35.00,ready"),
        (MENU, ("Wed", "eggs"), "| Wed | eggs |", "| Tue | rice  |"),
        (CLEANING, ("Kitchen", "sink", ""), "- [ ] sink", "- [ ] lamp"),
        (CLEANING, ("Attic", "sink", ""), None, "- [x] tap"),
        (LIST, ("eggs",), "- eggs", "- cheap towels"),
        (SECTIONS, ("Pack", "gloves"), "* gloves", "* hat"),
        (VAN, ("nails", "9"), None, '  "glue 3": 3'),
    ],
)
def test_a_line_is_added(text: str, row: tuple[str, ...], line: str | None, below: str) -> None:
    """In the form of the others, below the last of its section."""
    table = table_of(text)
    assert (added_line(table, row), line_before(table, row)) == (line, below)


def test_the_cells_of_a_line_are_parted_as_the_table_does() -> None:
    """A line of a list is one."""
    assert cells_of('13,"Silva, M.",,3,', table_of(JOBS)) == ("13", "Silva, M.", "", "3", "")
    assert cells_of("| Wed | eggs |", table_of(MENU)) == ("Wed", "eggs")
    assert cells_of("- eggs, two", table_of(LIST)) == ("- eggs, two",)


def rules_of(text: str, only_said: bool = False, is_new: bool = False) -> dict[str, str]:
    grammar = grammar_of_statements(
        table_of(text), ("lamp",), {"text": '"put"'}, {3: ("5",)}, is_new, only_said
    )
    return dict(line.split(" ::= ", 1) for line in grammar.splitlines())


def test_a_grammar_has_for_an_amount_only_numbers_that_were_said() -> None:
    """And for words those of the message, or what rows share."""
    text = JOBS + "13,Petit,table,9.00,ready\n"
    rules = rules_of(text)
    assert '"price = \'" ( "5" ) "\'"' in rules["add"]
    assert '"price = price " [+-] " " ( "5" )' in rules["set"]
    assert '"state = \'" ( text | "waiting" | "ready" )' in rules["set"]
    assert '"what LIKE \'%" ( "lamp" ) "%\'"' in rules["condition"]
    assert '"state = \'" ( text )' in rules_of(text, only_said=True)["set"]
    assert rules_of(text, is_new=True)["root"] == "insert"
