"""What a small model writes beyond the words of a request is done by nobody."""

from __future__ import annotations

import pytest

from desktop.chat.command_grounding import as_quoted, for_both, grounded, is_meant, of_series
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.references import Past
from desktop.chat.request_commands import Command

DELETE = Command("delete", ("scan1.txt",))
# What is asked, and whether a file may go for it.
LOSSES = [
    ("throw scan1 away", True),
    ("weg mit scan1", True),
    ("scan1 peut aller à la poubelle", True),
    ("what about scan1", False),
    ("keep scan1 and delete nothing", False),
    ("scan1 se queda", False),
]


def test_what_no_word_speaks_for_is_left_out() -> None:
    """A small model goes on with what it has just seen; of two on one file the one that loses less counts."""
    written = (Command("remove", ("Lisa", "team.txt")), Command("add", ("Nele", "team.txt")))
    assert grounded(written, "and add Nele") == written[1:]
    both = (Command("delete", ("team.txt",)), Command("remove", ("Jonas", "team.txt")))
    assert grounded(both, "the first line goes") == both[1:]
    alone = (Command("delete", ("team.txt",)),)
    assert grounded(alone, "throw it away") == alone


@pytest.mark.parametrize(("request_", "is_allowed"), LOSSES, ids=[each[0] for each in LOSSES])
def test_a_file_goes_only_where_something_says_so(request_: str, is_allowed: bool) -> None:
    """A word for throwing away, and none for keeping."""
    assert is_meant((DELETE,), request_, Past()) is is_allowed


def test_one_more_is_no_other_time_of_the_same() -> None:
    """ "Another one at five" leaves the first reminder where it is."""
    assert not is_meant((Command("change", ("1", "17:00")),), "another one at five", Past())


def test_a_quoted_text_ends_where_its_marks_do() -> None:
    """The model went past the end of the quotation."""
    written = (Command("add", ("milk' to", "shopping.txt")),)
    assert as_quoted(written, "add 'milk' to shopping.txt") == (Command("add", ("milk", "shopping.txt")),)


def test_both_makes_two_of_one() -> None:
    """The model stops after the first of two files; without "both" one it stays."""
    past = Past(files=("scan1.txt", "scan2.txt"))
    second = Command("delete", ("scan2.txt",))
    assert for_both((DELETE,), "throw them both away", past, ()) == (DELETE, second)
    assert for_both((DELETE,), "throw it away", past, ()) == (DELETE,)


def test_what_is_called_like_a_series_and_is_not_there_is_named() -> None:
    """ "scan5" beside scan1 and scan2 is a file that is missing."""
    assert list(of_series("delete scan5 and scan2", ["scan1.txt", "scan2.txt"])) == ["scan5"]


NOTES = Command("add", ("notes", "report.txt"))
HANG = Command("add", ("Häng das an Haus GmbH Zeile.", "brief.txt"))


def test_a_text_is_neither_a_files_name_nor_the_order_itself() -> None:
    """ "Put the sum into notes" adds no line "notes"; in quotation marks it may."""
    files = ("notes.txt", "report.txt", "brief.txt")
    assert not is_meant((NOTES,), "schreib den betrag in notes", Past(), files)
    assert is_meant((NOTES,), "add 'notes' to report.txt", Past(), files)
    assert not is_meant((HANG,), "häng das an brief.txt an aber vor der haus gmbh zeile", Past(), files)


def test_no_line_goes_where_something_is_to_stay() -> None:
    """ "In the original 850 is to stay" takes no line out of it."""
    gone = (Command("remove", ("rent,850", "budget.csv")),)
    assert not is_meant(gone, "nein in der anderen datei, im original soll 850 bleiben", Past())
    assert is_meant(gone, "take the rent out", Past())


def test_the_name_of_a_new_file_is_no_line_of_another() -> None:
    """ "… speicher sie als Mahnung.txt" adds no such line to the minutes."""
    name = Command("add", ("5. Mahnung.txt", "minutes.md"))
    assert not is_meant(
        (name,), "schreib eine mahnung, speicher sie als Mahnung.txt", Past(), ("minutes.md",)
    )


def test_what_is_put_in_takes_nothing_out() -> None:
    """Unless the same sentence says that something goes."""
    gone = Command("remove", ("BUY: lentils", "meals.txt"))
    assert not is_meant((gone,), "but put yoghurt with the stuff to buy", Past(), ("meals.txt",))
    assert is_meant((gone,), "put the lentils away, delete them", Past(), ("meals.txt",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mercredi", "il vient aussi le mercredi en fait, jusqu'au printemps prochain"),
        ("31", "avisame el treinta a mediodia de meter el cava en la nevera"),
    ],
)
def test_one_word_of_a_long_sentence_is_no_line(text: str, said: str) -> None:
    """Where nothing in it asks for something to be added."""
    scrap = Command("add", (text, "book.txt"))
    assert not is_meant((scrap,), said.replace("aussi ", ""), Past(), ("book.txt",))
    assert is_meant((scrap,), f"add {text} to the book for the winter season", Past(), ("book.txt",))


def test_a_line_that_nobody_speaks_of_stays() -> None:
    """Of a file that was not touched lately, unless the words say that something goes."""
    gone = Command("remove", ("14/11 Hermanas: frío fuera", "book.txt"))
    assert not is_meant((gone,), "perdon el 9, siempre me lio con el de mi hermana", Past(), ("book.txt",))
    assert is_meant((gone,), "quita lo de las hermanas", Past(), ("book.txt",))
    assert is_meant((gone,), "las hermanas ya no", Past(file="book.txt"), ("book.txt",))


def test_a_cell_of_a_row_that_nobody_speaks_of_stays() -> None:
    """Of a short remark, of one that was told before, too."""
    other = Command("set", ("arrival", "Jürgen Blume", "2026-12-18", "bookings.csv"))
    files = ("bookings.csv",)
    assert not is_meant(
        (other,), "add lucia vidal to the bookings, arrives 2026-12-18, total 160", Past(), files
    )
    assert is_meant((other,), "jürgen comes on the 18th now", Past(), files)
    assert is_meant((other,), "he comes on the 18th now", Past(text="Jürgen Blume, 2026-12-11"), files)


@pytest.mark.parametrize(
    ("said", "is_allowed"),
    [
        ("die plane ist geflickt, kannst du abhaken", False),
        ("tick the tarpaulin, it is mended", False),
        ("die plane kann weg", True),
    ],
)
def test_what_is_ticked_stays_in_its_list(said: str, is_allowed: bool) -> None:
    """Also in the list that was just changed; and so does a line that no word speaks of."""
    past = Past(
        file="todo.md", lately=(ParsedCall("append_text", {"path": "todo.md", "text": "- [ ] keys"}),)
    )
    tarpaulin = Command("remove", ("- [ ] mend the tarpaulin / Plane flicken", "todo.md"))
    assert is_meant((tarpaulin,), said, past, ("todo.md",)) is is_allowed
    other = Command("remove", ("- [ ] keys", "todo.md"))
    assert not is_meant((other,), "die plane ist schön", past, ("todo.md",))


def test_blanks_behind_a_quotation_mark_are_read_at_once() -> None:
    """Taken back one by one, four thousand of them took minutes."""
    command = (Command("add", ("bread", "list.txt")),)
    assert as_quoted(command, f'add bread to list.txt "{" " * 20_000}x') == command
