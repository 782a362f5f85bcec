"""A new file of the rows that somebody wants: asked for as a question, written by rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from desktop.chat.table_questions import NO_QUERY, QUERY
from desktop.chat.table_reports import TableReports, new_file, wanted_in
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from tests.chat.test_table_questions import TEXTS, TODAY, Around


class Model:
    """Means the files of `files` in this order, and writes this query, which is likelier than none by
    `over`."""

    def __init__(self, query: str, files: Sequence[str], over: float = 3.0) -> None:
        self.query, self.files, self.over = query, files, over

    def __call__(self, request: GenerateRequest) -> Stream:
        stream = Stream(lambda: None)
        if QUERY in request.labels:
            stream.put_scores({QUERY: self.over, NO_QUERY: 0.0})
        elif request.labels:
            likely = {name: 4.0 - at for at, name in enumerate(self.files)}
            stream.put_scores({each: likely.get(each, -1.0) for each in request.labels})
        elif request.weighed:
            stream.put_scores({request.weighed: -1.0})
        else:
            stream.put(self.query)
        stream.end(FinishReason.STOP, Metrics())
        return stream


def written(asked: str, model: Model) -> dict[str, object]:
    plan = TableReports(Around(), model, TODAY).plan(asked)
    call = plan.steps[0].call if plan is not None else None
    return dict(call.arguments) if call is not None else {}


UNPAID = "SELECT name FROM t WHERE paid = 'not paid'"


def test_the_rows_that_are_wanted_stand_in_the_new_file() -> None:
    """As a list, without what the table says of others."""
    found = written("put those who have not paid into unpaid.md", Model(UNPAID, ["members.csv"]))
    assert found == {
        "path": "unpaid.md",
        "content": "- Dubois, bass, Annecy, not paid\n- Roche, tenor, Ulm, not paid\n",
    }


def test_of_a_file_that_is_named_by_its_subject_no_other_has_the_rows() -> None:
    """The likeliest table is not what "from the minutes" means; a table that is named so is."""

    class WithMinutes(Around):
        def files(self) -> Sequence[str]:
            return ("committee/minutes 2026-11-12.md", *super().files())

        def whole(self, name: str) -> str:
            return "Gutter leaks, Colin gets quotes.\n" if "minutes" in name else super().whole(name)

    model = Model(UNPAID, ["members.csv"])
    asked = "make me unpaid.md from the last {}, who has not paid"
    of_minutes = TableReports(WithMinutes(), model, TODAY).plan(asked.format("minutes"))
    of_members = TableReports(WithMinutes(), model, TODAY).plan(asked.format("members"))
    assert of_minutes is None
    assert of_members is not None


def test_a_table_is_written_as_a_table() -> None:
    """With its columns, where the new file is one."""
    found = written("write unpaid.csv with those who have not paid", Model(UNPAID, ["members.csv"]))
    assert found["content"] == (
        "name,voice,town,paid\nDubois,bass,Annecy,not paid\nRoche,tenor,Ulm,not paid\n"
    )


def test_what_amounts_come_to_stands_there_with_the_amounts() -> None:
    """So that it can be checked."""
    query = "SELECT SUM(total) FROM t WHERE status = 'open'"
    found = written("what is open in the orders? put it in total.txt", Model(query, ["shop/orders.csv"]))
    assert found["content"] == "24.00 + 9.00 = 33.00\n"


@pytest.mark.parametrize(
    ("asked", "model"),
    [
        ("put those who have not paid into members.csv", Model(UNPAID, ["members.csv"])),
        ("write a poem about spring into poem.txt", Model(UNPAID, ["members.csv"], over=-1.0)),
        ("put everybody into all.md", Model("SELECT name FROM t", ["members.csv"])),
        (
            "put those from Bonn into bonn.md",
            Model("SELECT name FROM t WHERE town = 'Bonn'", ["members.csv"]),
        ),
        ("is there an unpaid.md", Model(UNPAID, ["members.csv"])),
    ],
)
def test_no_file_is_made_of_rows(asked: str, model: Model) -> None:
    """Of a file that is there, of no question, of all rows, of none, and where nothing is to be made."""
    assert written(asked, model) == {}


@pytest.mark.parametrize(
    ("asked", "name", "wanted"),
    [
        ("make me a file w.md with just the bookings in may", "w.md", "the bookings in may"),
        ("whats below min? stick it in a new file order.txt", "order.txt", "whats below min?"),
        ("schreib alle offenen rechnungen in eine neue datei o.txt", "o.txt", "alle offenen rechnungen"),
        ("fais un fichier r.txt avec ceux qui n'ont pas payé", "r.txt", "ceux qui n'ont pas payé"),
        ("pon en p.txt los que no han pagado", "p.txt", "los que no han pagado"),
        ("save that as plan.txt", "plan.txt", ""),
        ("create notes.txt", "notes.txt", ""),
        ("read notes.txt to me", "", ""),
    ],
)
def test_what_is_to_be_in_it_is_what_else_was_said(asked: str, name: str, wanted: str) -> None:
    """Without the file and the verb."""
    assert new_file(asked, tuple(TEXTS)) == name
    assert (wanted_in(asked, name) if name else "") == wanted
