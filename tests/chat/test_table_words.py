"""What a message says of a table, against which a model's statements are held."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from desktop.chat.table_words import TableWords, time_like
from desktop.tools.table_cells import as_in_column, day_like
from desktop.tools.table_statements import editable_rows, statements_in
from desktop.tools.tables import Table, table_in

TODAY = date(2026, 11, 29)
JOBS = (
    "no,client,phone,what,due,price,state\n"
    "11,Col Silva,0770 900112,lamp,2026-11-30,20.00,waiting\n"
    "12,Ann Petit,0770 900113,chair,2026-12-02,35.00,ready\n"
    "13,Col Silva,0770 900112,table,2026-12-04,90.00,booked\n"
    "14,Eva Roth,0770 900114,desk,2026-12-05,15.00,ready\n"
    "15,Max Lund,0770 900115,shelf,2026-12-06,15.00,booked\n"
)
HOURS = (
    "date;who;from;to\n2026-11-26;Zoé;09:00;16:30\n2026-11-27;Zoé;09:00;16:30\n2026-11-27;Léo;08:00;12:00\n"
)
STOCK = "what;left;unit\nmozzarella;14;kg\nlardons;1,8;kg\nboîtes carton;180;pièce\n"
PLACES = (
    "date;place;sold\n2026-11-02;Lussan;3\n2026-11-03;Market Lussan;4\n"
    "2026-11-04;Lussan;5\n2026-11-05;Market Lussan;2\n"
)
LOG = "date,km,from,to\n2026-11-02,12,Ulm,Bonn\n2026-11-20,8,Bonn,Kiel\n"
PLANS = "day;place;fee\nmardi;Mairie;14,50\nmercredi;Stade;10,00\njeudi;Gare;8,00\n"
CLEANING = "## Kitchen\n- [ ] paint the wall\n- [ ] lamp\n\n## Bath\n- [ ] paint the wall\n- [x] tap\n"


def words(text: str, said: str, before: str = "", linked: tuple[int, ...] = ()) -> TableWords:
    table = editable_rows(text)
    assert table is not None
    return TableWords(said, said, before, table, TODAY, linked)


def changed(text: str, said: str, written: str, before: str = "") -> list[str]:
    """The lines that a written statement comes to; "?" for each row of which one is meant."""
    of = words(text, said, before)
    (statement,) = statements_in(written, of.table)
    rows = of.rows(statement)
    if len(rows) > 1:
        return ["?"] * len(rows)
    return [edit[1] for at in rows if (edit := of.edit(statement, at)) is not None]


@pytest.mark.parametrize(
    ("text", "said", "written", "lines"),
    [
        # By its name, though the model also named what nobody said.
        (
            JOBS,
            "ann came for it, put collected",
            "UPDATE t SET state = 'collected' WHERE client = 'Ann Petit' AND due = '2026-12-02'",
            ["12,Ann Petit,0770 900113,chair,2026-12-02,35.00,collected"],
        ),
        # Two are his, and nothing tells which.
        (JOBS, "cols is ready", "UPDATE t SET state = 'ready' WHERE what = 'table'", ["?", "?"]),
        # Nobody spoke of a row.
        (JOBS, "put it in the log", "UPDATE t SET state = 'ready' WHERE what = 'table'", []),
        # The day that is named, and what the cell was.
        (
            HOURS,
            "vendredi zoé est partie à 17h et pas 16h30",
            "UPDATE t SET to = '17h' WHERE who = 'Zoé'",
            ["2026-11-27;Zoé;09:00;17:00"],
        ),
        (
            STOCK,
            "150 boites",
            "UPDATE t SET left = '150' WHERE what = 'boîtes carton'",
            ["boîtes carton;150;pièce"],
        ),
        (
            STOCK,
            "3 kg de mozza en plus",
            "UPDATE t SET left = left + 3 WHERE what = 'mozzarella'",
            ["mozzarella;17;kg"],
        ),
        # What is left is no more of it.
        (
            STOCK,
            "plus que 9 kg de mozza",
            "UPDATE t SET left = left + 9 WHERE what = 'mozzarella'",
            ["mozzarella;9;kg"],
        ),
        # A number of a telephone it is not, nor a day.
        (JOBS, "ann comes at 10", "UPDATE t SET phone = '10' WHERE client = 'Ann Petit'", []),
        # The word that tells the row is no state.
        (JOBS, "the chair of ann", "UPDATE t SET state = 'chair' WHERE client = 'Ann Petit'", []),
        (
            JOBS,
            "ann's is due on the 8th",
            "UPDATE t SET due = '8th' WHERE client = 'Ann Petit'",
            ["12,Ann Petit,0770 900113,chair,2026-12-08,35.00,ready"],
        ),
        (
            CLEANING,
            "the bath wall is painted",
            "UPDATE t SET done = 'yes' WHERE section = 'Bath' AND task = 'paint the wall'",
            ["- [x] paint the wall"],
        ),
        # A heading alone tells no line.
        (CLEANING, "all of the bath", "UPDATE t SET done = 'yes' WHERE section = 'Bath'", []),
        # Only the day tells the row, and a place would become another.
        (
            PLANS,
            "et thierry mercredi midi",
            "UPDATE t SET place = 'thierry' WHERE day = 'mercredi'",
            [],
        ),
        (
            PLANS,
            "mercredi c'est 12",
            "UPDATE t SET fee = '12' WHERE day = 'mercredi'",
            ["mercredi;Stade;12,00"],
        ),
        (JOBS, "ann's chair is off", "DELETE FROM t WHERE what = 'chair'", [""]),
    ],
)
def test_a_statement_is_as_wide_as_the_words(text: str, said: str, written: str, lines: list[str]) -> None:
    """Conditions that nobody spoke of do not count, and values are what their column takes."""
    assert changed(text, said, written) == lines


def test_a_correction_sets_an_amount_anew() -> None:
    """ "No, 160" is not 160 more."""
    before = "150 boites -> UPDATE t SET left = '150' WHERE what = 'boîtes carton'"
    written = "UPDATE t SET left = left - 160 WHERE what = 'boîtes carton'"
    assert changed(STOCK, "non 160 les boites", written, before) == ["boîtes carton;160;pièce"]


def test_what_is_left_of_one_thing_is_left_of_the_next() -> None:
    """A part that only has a number and its row is read as the part before."""
    of = replace(words(STOCK, "plus que 9 kg de mozza, 150 boites"), part="150 boites")
    (statement,) = statements_in("UPDATE t SET left = left + 150 WHERE what = 'boîtes carton'", of.table)
    assert of.edit(statement, 2) == (2, "boîtes carton;150;pièce")


def test_a_row_may_be_named_by_another_table() -> None:
    """Of plot 6, which has its name there."""
    of = words("plot;old;new\n5;10;12\n6;20;\n", "the meter of krause says 25", linked=(1,))
    (statement,) = statements_in("UPDATE t SET new = new + 25 WHERE plot = '5'", of.table)
    assert of.rows(statement) == (1,)
    assert of.edit(statement, 1) == (1, "6;20;25")


@pytest.mark.parametrize(
    ("text", "said", "written", "row"),
    [
        (
            HOURS,
            "hier léo de 8h à 17h15",
            "INSERT INTO t SET who = 'Léo', from = '17h15', to = '17h15'",
            ("2026-11-28", "Léo", "08:00", "17:15"),
        ),
        (
            PLACES,
            "sold 7 at the market lussan",
            "INSERT INTO t SET place = 'lussan', sold = '7'",
            ("2026-11-29", "Market Lussan", "7"),
        ),
        (
            PLACES,
            "avant-hier 7 à lussan",
            "INSERT INTO t SET place = 'Lussan', sold = '7'",
            ("2026-11-27", "Lussan", "7"),
        ),
        (
            PLACES,
            "35 at lussan",
            "INSERT INTO t SET place = '35', sold = '35'",
            None,
        ),  # one number, two cells
        (LOG, "a box of it is here", "INSERT INTO t SET from = 'box'", None),  # others have all of it
        (PLACES, "something for 5", "INSERT INTO t SET sold = '5'", None),  # of what is not said
        (
            PLACES,
            "2026-11-02 lussan 3",
            "INSERT INTO t SET date = '2026-11-02', place = 'Lussan', sold = '3'",
            None,
        ),
    ],
)
def test_a_new_row_has_what_was_said(text: str, said: str, written: str, row: tuple[str, ...] | None) -> None:
    """Times in the order in which they were said, today for a log; none where too little was said, or where
    the row is there."""
    of = words(text, said)
    (statement,) = statements_in(written, of.table)
    assert of.new_row(statement) == row


def test_a_thing_under_a_heading_is_added() -> None:
    """Though it was written as a change, of a line that nobody spoke of."""
    of = words(CLEANING, "put sweep the flue under kitchen")
    (statement,) = statements_in("UPDATE t SET task = 'sweep the flue' WHERE section = 'Kitchen'", of.table)
    assert of.adds_a_thing(statement)


def test_a_state_that_nobody_said_is_noticed() -> None:
    """Where a column has more than yes and no."""
    of = words(JOBS, "ann came for the chair, put collected")
    unsaid, said = (
        statements_in(f"UPDATE t SET state = '{state}' WHERE client = 'Ann Petit'", of.table)[0]
        for state in ("ready", "collected")
    )
    assert (of.is_unsaid(unsaid), of.is_unsaid(said)) == (True, False)


def test_how_much_of_a_message_is_answered_to() -> None:
    """By words, numbers, days, and sums that amounts came to."""
    of = words(STOCK, "used 3 of the mozza")
    assert of.fit("mozzarella\n14\nkg\nmozzarella\n11\nkg", ()) > of.fit("lardons\n1,8\nkg", ())
    assert of.lacks("used 3", "lardons", has_items=False)
    assert not of.lacks("the mozza", "mozzarella", has_items=False)


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("2pm", "14:00"),
        ("9.30 am", "09:30"),
        ("12am", "00:00"),
        ("17h15", "17:15"),
        ("8 uhr", "08:00"),
        ("25", None),
        ("noon", None),
    ],
)
def test_a_time_of_day_is_written_with_its_minutes(said: str, time: str | None) -> None:
    """None for what is no time."""
    assert time_like(said) == time


def table_of(text: str) -> Table:
    table = table_in(text)
    assert table is not None
    return table


def test_a_grammar_has_for_a_day_only_days_and_for_a_time_only_times() -> None:
    """Of the message: those with a sign, where there are any."""
    of = words(HOURS, "yesterday zoé from 8:30 to 16h, 3 naps")
    assert of.of_columns() == {0: ("yesterday",), 2: ("8:30", "16h"), 3: ("8:30", "16h")}


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


BOOKED = "von;bis;gast;preis\n31.10.2026;03.11.2026;Kreutz;255,00\n26.12.2026;02.01.2027;Fam. Brandl;595,00\n"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "familie brandl kommt erst am 27.12. statt am 26., abreise bleibt",
            "27.12.2026;02.01.2027;Fam. Brandl;595,00",
        ),
        ("brandl reist am 3.1. statt am 2.1. ab", "26.12.2026;03.01.2027;Fam. Brandl;595,00"),
        ("kreutz zahlt 260 statt 255", None),
        ("jemand kommt am 27.12. statt am 26.", None),
        ("brandl kommt am 27.12.", None),
    ],
)
def test_a_day_that_stands_for_another_is_set_in_its_column(said: str, line: str | None) -> None:
    """Of the one row that is spoken of; the model takes such days for prices."""
    moved = words(BOOKED, said).day_instead()
    assert (moved and moved[1]) == line


def test_what_is_of_a_day_or_a_time_is_no_amount() -> None:
    """Beside a named day a bare number is none; "10 till 11.30" are two times."""
    table = "date,start,end,who,fee\n2026-12-01,19:30,21:30,Bowls,28.00\n2026-12-17,10:00,12:00,Knit,18.00\n"
    of = words(table, "new booking: yoga, tues 8 dec 10 till 11.30, fee 13").of_columns()
    assert of[0][-1] == "8 dec"
    assert "10" not in of[0]
    assert of[1] == of[2] == ("10", "11.30")
    assert of[4] == ("13",)


def test_of_an_hour_no_number_is_a_price_and_last_time_is_no_name() -> None:
    """A row that a small model makes of "same price as last time" names nobody."""
    rows = (
        "2026-12-01,10:00,Pip,nails,12",
        "2026-12-10,09:30,Mo,full groom,38",
        "2026-12-15,10:00,Bo,nails,15",
        "",
    )
    table = "\n".join(("date,time,dog,service,price", *rows))
    said = "book biscuit in for thurs 17 dec 1pm, nails same price as last time"
    assert words(table, said).of_columns()[4] == ()
    row = "INSERT INTO t SET date = '17 dec', time = '1pm', dog = 'last time', service = 'nails'"
    of = words(table, said)
    assert of.new_row(statements_in(row, of.table)[0]) is None
    named = "INSERT INTO t SET date = '17 dec', time = '1pm', dog = 'biscuit', service = 'nails'"
    assert of.new_row(statements_in(named, of.table)[0]) == ("2026-12-17", "13:00", "Biscuit", "nails", "")


def test_a_state_goes_into_the_column_that_has_it() -> None:
    """ "La Trek ya está lista" is no kind of work; where the column has such a value too, it stays."""
    jobs = "n,bici,trabajo,estado\n1,BH,pinchazo,lista\n2,Trek,frenos,en curso\n3,Orbea,cadena,lista\n"
    written = "UPDATE t SET trabajo = 'lista' WHERE bici = 'Trek'"
    held = words(jobs, "la trek ya esta lista")
    (statement,) = statements_in(written, held.table)
    assert [each.column for each in held.in_named_column(statement).sets] == [3]
    both = words(jobs.replace("cadena", "lista"), "la trek ya esta lista")
    assert [each.column for each in both.in_named_column(statement).sets] == [2]
