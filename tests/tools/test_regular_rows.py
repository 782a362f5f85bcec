"""Tables in all but their ending: which notes, objects and calendars have rows, and what stays a text."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.regular_rows import FEWEST_ROWS, regular_rows
from desktop.tools.table_queries import amounts_in, dates_in, rows_in, times_in
from desktop.tools.table_statements import editable_rows
from desktop.tools.tables import Table

SOLAR = "panel readings, Wh\n22/11  310\n23/11  145\n24/11  90\n"
FRIDGE = "relevé (max 4 °C)\n23/11 matin 3,2 soir 3,6\n24/11 matin 3,1 soir 4,4\n25/11 matin 3,4 soir 3,5\n"
EXPENSES = "02/11 alquiler local 420,00\n06/11 luz 58,35\n25/11 revisión remalladora 45,00\n"
THREAD = "hilo negro 500 m - 4\nhilo marfil - 2\nagujas 80\ncorchetes\nbotones 15 mm - 12\n"
LOANS = (
    "LOAN BIKES - red, blue\n02/11 red out - Mrs Larkin, back 05/11\n07/11 folder out - Pete M, back 14/11\n"
    "12/11 blue out - Imran S\n"
)
PUPILS = (
    "# Curso\n\n1. Teresa Boix - pagado\n2. Mar - pagado\n3. Chelo - debe mayo\n4. Eva - pagado\n\nCuota 35\n"
)
ORDERS = "MOULIN\nfarine 25 kg\nlevure 500 g\n\nFABRE\nmozzarella 10 kg\nbasilic\nchèvre 2 kg\n"
SHIFTS = "Mo 23.11. 8:00-16:30 Hof\nDi 24.11. 9:00-12:30 Dach\nMi 25.11. 13:00-18:00 Hof\n"
AGENDA = "30/11 14:00 dentist\n01/12 9:30 school\n04/12 18:00 dinner\n"
HOURS = "16/11 lunes mesa 6,5\n17/11 martes mesa 7\n18/11 miércoles puerta 4\n"
BILLS = "- Miete: 850 €\n- Strom: 1.200,50 €\n- Gas: 95 €\n- Summe: 2.145,50 €\n"
OWNER = (
    "DOCK - QUOTATION 1187\nPressure wash: 95.00 GBP\nDays included: 5, then 40.00 GBP\nSlot held: April\n"
)
SUPPLIERS = json.dumps(
    {
        "Hart": {"rep": "Fran", "min_order": 75.50, "open": True},
        "Ison": {"rep": "", "min_order": 50, "open": False},
        "Velo": {"rep": "Ann", "min_order": 0, "open": True},
    }
)
NUMBERS = json.dumps({"Vet": "01295 555 0118", "Dave": "07700 900467", "Wharf": "01869 555 0163"})
BOOKINGS = json.dumps(
    {"year": 2026, "rows": [{"day": f"2026-12-0{day}", "who": {"name": "Ana"}} for day in (1, 2, 3)]}
)


def event(uid: int, *lines: str) -> str:
    return "\n".join(("BEGIN:VEVENT", f"UID:{uid}", *lines, "END:VEVENT", ""))


def calendar(*events: str) -> str:
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{''.join(events)}END:VCALENDAR\n"


FAIR = event(
    1, "DTSTART:20261205T160000", "DTEND:20261205T220000", "SUMMARY:Fair\\, big", "LOCATION:Mar", " ket"
)
CLOSED = event(2, "DTSTART;VALUE=DATE:20261207", "DTEND;VALUE=DATE:20261219", "SUMMARY:Closed")
DAVE = event(3, 'DTSTART;TZID="Europe/London":20261202T093000', "SUMMARY:Dave")
FORMS = {
    SOLAR: (("date", "amount"), ("22/11", "310"), 3),
    FRIDGE: (("date", "matin", "soir"), ("23/11", "3,2", "3,6"), 3),
    EXPENSES: (("date", "what", "amount"), ("02/11", "alquiler local", "420,00"), 3),
    THREAD: (("what", "amount"), ("hilo negro 500 m", "4"), 5),
    LOANS: (("date", "what", "note", "back"), ("02/11", "red out", "Mrs Larkin", "05/11"), 3),
    PUPILS: (("what", "state"), ("Teresa Boix", "pagado"), 4),
    ORDERS: (("section", "what", "amount"), ("MOULIN", "farine", "25 kg"), 5),
    SHIFTS: (("day", "date", "start", "end", "what"), ("Mo", "23.11.", "8:00", "16:30", "Hof"), 3),
    AGENDA: (("date", "time", "what"), ("30/11", "14:00", "dentist"), 3),
    HOURS: (("date", "day", "what", "amount"), ("16/11", "lunes", "mesa", "6,5"), 3),
    BILLS: (("what", "amount"), ("Miete", "850 €"), 3),
    OWNER: (("what", "value"), ("Pressure wash", "95.00 GBP"), 3),
    SUPPLIERS: (("name", "rep", "min_order", "open"), ("Hart", "Fran", "75.5", "yes"), 3),
    NUMBERS: (("name", "value"), ("Vet", "01295 555 0118"), 3),
    BOOKINGS: (("day", "who name"), ("2026-12-01", "Ana"), 3),
    calendar(FAIR, CLOSED, DAVE): (
        ("summary", "date", "last day", "start", "end", "location"),
        ("Fair, big", "2026-12-05", "", "16:00", "22:00", "Market"),
        3,
    ),
}


def table_of(text: str) -> Table:
    table = rows_in(text)
    assert table is not None
    return table


@pytest.mark.parametrize("text", FORMS)
def test_each_form_has_its_rows(text: str) -> None:
    """Under the names of their keys, of the words before them, or of their kind."""
    header, first, count = FORMS[text]
    table = table_of(text)
    assert (table.header, table.rows[0], len(table.rows)) == (header, first, count)


def test_kinds_are_known() -> None:
    """Amounts, dates and times can be compared and put in order."""
    assert amounts_in(table_of(FRIDGE)) == (1, 2)
    assert dates_in(table_of(EXPENSES), 0) is not None
    assert times_in(table_of(SHIFTS)) == (2, 3)
    assert table_of(THREAD).rows[3] == ("corchetes", "")
    assert table_of(LOANS).rows[2][3] == ""


def test_days_of_a_calendar_are_told_as_they_are() -> None:
    """The end of whole days is the day after them; a time has no last day of its own."""
    rows = table_of(calendar(FAIR, CLOSED, DAVE)).rows
    assert rows[1][1:5] == ("2026-12-07", "2026-12-18", "", "")
    assert rows[2][1:5] == ("2026-12-02", "", "09:30", "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "22/11  310\n23/11  145\n",
        "Dear Ms Fenner,\n\nthe water is off since 24/11. Could you\nlet us know?\n\nJudith Crane\nPlot 9\n",
        "From: Ana\nTo: Ben\nSubject: rent\n\nHi Ben,\nthe rent is due.\nCan you pay it\nby Friday?\nAna\n",
        "03/11 Went to the dentist, he said that I need a new crown. It costs 400.\n"
        "05/11 Called the insurance, nobody answered me all morning.\n"
        "09/11 They pay half of it, says Anna, and I am glad about that.\n",
        "# Soup\n\n- 2 onions\n- 500 g carrots\n\n1. Fry for 5 minutes.\n2. Boil for 20 min\n3. Blend.\n",
        "1. Heat the oven to 180\n2. Bake for 25 min\n3. Leave to cool for 10 min\n",
        "In 2019: it rained.\nThen in 2020: nobody went anywhere at all.\nIn 2021 we stayed at home again.\n",
        "Ana: hi, are you there?\nBen: yes, what would you like to know from me?\nAna: when do we meet?\n",
        "SHOP\nTue - Fri   9.00 - 17.30\nSat         9.30 - 16.00\nSun + Mon   closed\n\nLate in December\n",
        "Week 49  Mo30 Tu01\nPriya    E    E\nMarcus   L    L\nIfeoma   N    N\n",
        "call Anna\nbuy stamps\npay rent\n",
        "Ana  07700 900431\nBen 0170 1234567\nEva 01295 555 0118\n",
        '{"name": "x", "version": 1, "private": "yes"}',
        '{"a": {"x": 1}, "b": {"y": 2}, "c": {"z": 3}}',
        '[{"a": [{"b": 1}]}, {"a": []}, {"a": []}]',
        "[1, 2, 3]",
        "{not json",
        "[" * 100_000,
        calendar(FAIR, CLOSED, event(4, "DTSTART:20261202T093000", "RRULE:FREQ=WEEKLY", "SUMMARY:Yoga")),
        calendar(FAIR, CLOSED),
        f"{SOLAR}{'x' * 200}\n",
    ],
)
def test_look_alikes_stay_texts(text: str) -> None:
    """Letters, diaries, recipes, chats, grids, settings, too few rows, and events that come again."""
    assert regular_rows(text) is None


def test_a_line_with_a_number_is_never_left_out() -> None:
    """It would be missing from a sum; then all stays a text."""
    assert regular_rows(f"{EXPENSES}15/11 gas 30,00\n") is not None
    assert regular_rows("02/11 luz 20\n03/11 gas 30\nagua 45,00\n06/11 luz 58\n07/11 gas 9\n") is None


@pytest.mark.parametrize("text", FORMS)
def test_these_tables_are_not_written(text: str) -> None:
    """What can be changed of such a file are its lines as they stand, and not its cells; but for
    calendars, whose events are written by `calendar_files.py`."""
    table, editable = table_of(text), editable_rows(text)
    assert table.parted_by == ""
    if editable is not None and not text.startswith("BEGIN:VCALENDAR"):
        assert editable.header in (("date", "what"), ("item",), ("section", "item"))
        assert set(editable.lines) <= set(text.splitlines())


_WORDS = st.text("abcdefghijkl", min_size=4, max_size=8)
_AMOUNTS = st.decimals(0, 9999, places=2).map(lambda each: f"{each}".replace(".", ","))
_MARKS = st.sampled_from(["", "- ", "* "])


@given(
    st.lists(
        st.tuples(st.integers(13, 28), _WORDS, _AMOUNTS), min_size=FEWEST_ROWS, max_size=12, unique=True
    ),
    st.sampled_from(
        [
            "{mark}{day}/11 {word} {amount}",
            "{mark}{word} {day}: {amount}",
            "{mark}{word} - {amount}",
            "{day}.11. am {amount} pm {day}",
            "{mark}{day}/11  {amount} €",
            "{word}\t{day}\t{amount}",
        ]
    ),
    _MARKS,
)
def test_every_number_of_a_line_is_in_its_row(rows: list[tuple[int, str, str]], form: str, mark: str) -> None:
    """And in the order of the lines."""
    lines = [form.format(mark=mark, day=day, word=word, amount=amount) for day, word, amount in rows]
    table = regular_rows("\n".join(lines))
    assert table is not None
    assert len(table.rows) == len(lines)
    for line, row, shown in zip(lines, table.rows, table.lines, strict=True):
        assert shown == line.strip()
        assert re.findall(r"\d+", " ".join(row)) == re.findall(r"\d+", line)


@given(st.text(st.sampled_from("ab1 2/.,:-\n\t€#[]{}\"'"), max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """Into rows that are all as wide and hold each line's numbers, or into nothing."""
    table = regular_rows(text)
    if table is not None:
        assert {len(row) for row in table.rows} == {len(table.header)}
        assert len(table.lines) == len(table.rows) >= FEWEST_ROWS
