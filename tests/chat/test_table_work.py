"""The sum of a column, or a table in another order, that a request asks for by its words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from desktop.chat.compositions import table_work

PUPILS = "nom,tarif,payé\nRoux,95.00,non\nMoreau,60.00,non\nde la Tour,110.00,oui\n"


@pytest.mark.parametrize(
    ("asked", "language", "total"),
    [
        ("what is the total of the tarif column", "en", Decimal("265.00")),
        ("Ça fait combien en tout ?", "fr", Decimal("265.00")),
        ("Ça fait combien en tout pour ceux qui sont marqués « non » ?", "fr", None),
        ("what is the total for Moreau", "en", None),
    ],
)
def test_a_column_is_added_up_only_as_a_whole(asked: str, language: str, total: Decimal | None) -> None:
    """Where some of the rows are meant, the rest would be counted too."""
    work = table_work(asked, PUPILS, language)
    assert (work.total if work is not None else None) == total
