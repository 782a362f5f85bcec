"""What a step exchanges is what stands in the file: rows, labels, numbers."""

from __future__ import annotations

import pytest

from desktop.chat.edit_steps import line_of, number_alone, stays_rows, with_its_label
from desktop.tools.tables import table_in


@pytest.mark.parametrize(
    ("old", "new", "asked", "kept"),
    [
        (
            "- ITV: 10/12/2026 a las 9:30",
            "- 14 de diciembre a las 11:15",
            "me han cambiado la itv al lunes 14 de diciembre a las 11:15, corrígelo",
            "- ITV: 14 de diciembre a las 11:15",
        ),
        ("phone: 555 0142", "555 0143", "the new phone is 555 0143", "phone: 555 0143"),
        ("- ITV: 10/12/2026", "- ITV: 14/12/2026", "la itv es el 14", ""),
        ("- ITV: 10/12/2026", "- tyres: 3 January", "put tyres 3 january instead of the itv", ""),
        ("- ITV: 10/12/2026", "- 14/12/2026", "it is on the 14th now", ""),
        ("- [ ] order felt", "- [x] order felt", "felt is ordered", ""),
        ("- ITV: 10/12/2026", "- new tyres", "new tyres instead of the itv", ""),
    ],
)
def test_a_line_keeps_the_label_of_its_value(old: str, new: str, asked: str, kept: str) -> None:
    """Where the message names it; a new day alone would be a day of nothing."""
    assert with_its_label(old, new, asked) == kept


def test_a_row_of_a_table_becomes_a_row() -> None:
    """Whatever a small model writes in its place: no word alone, and none where the others have amounts."""
    table = table_in("from;guest;price\n2.10.;Scholz;595,00\n26.12.;Brandl;595,00\n")
    assert table is not None
    old = "26.12.;Brandl;595,00"
    for new in ("night", "26.12.;Brandl;one night less", "26.12.;Brandl"):
        assert not stays_rows(table, old, new), new
    for new in ("26.12.;Brandl;510,00", "", "26.12.;Brandl;", f"{old}\n3.1.;Weber;85,00"):
        assert stays_rows(table, old, new), new


JSON = '{\n  "mantas": 32,\n  "linternas": 6\n}\n'


@pytest.mark.parametrize(
    ("old", "new", "alone"),
    [
        ("32", "30 mantas", "30"),
        ("32", "30", ""),
        ("32", "30 raquetas", ""),
        ("mantas", "30 mantas", ""),
    ],
)
def test_a_number_stands_alone_where_the_line_says_of_what(old: str, new: str, alone: str) -> None:
    """ "30 blankets" for the 32 of the blankets would be no number any more."""
    assert number_alone(old, new, line_of(old, JSON)) == alone


def test_a_passage_of_several_lines_has_no_line() -> None:
    """Nor one that stands nowhere."""
    assert line_of('"', JSON) == ""
    assert line_of("99", JSON) == ""
