"""Which entry a word means: taken by a wide margin, asked about below it, and none where nothing is near."""

from __future__ import annotations

import pytest

from desktop.chat.computed_requests import LONGEST_SHOWN, RowChoice, RowMeant, judged
from desktop.chat.described_files import NONE
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream


class Choosing:
    """A model that finds `meant` likely and all else not."""

    def __init__(self, meant: str) -> None:
        self.meant = meant
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        stream.put_scores({each: 9.0 * (each == self.meant) for each in request.labels or (request.weighed,)})
        stream.end(FinishReason.STOP, Metrics())
        return stream


@pytest.mark.parametrize(
    ("likely", "meant"),
    [
        ({"rent": 9.0, "food": 1.0, NONE: 2.0}, RowMeant("rent")),
        ({"flour": 5.1, "milk": 0.1, NONE: 2.0}, RowMeant(near=("flour",))),
        ({"Internet": 6.2, "Strom": 5.2, NONE: 2.0}, RowMeant(near=("Internet", "Strom"))),
        ({"rent": 3.0, "food": 1.0, NONE: 2.0}, RowMeant()),
        ({}, RowMeant()),
    ],
)
def test_an_entry_is_taken_only_where_it_is_clear(likely: dict[str, float], meant: RowMeant) -> None:
    """A figure of the wrong row looks like one of the right row."""
    assert judged(likely) == meant


def test_the_model_is_asked_once_and_writes_nothing() -> None:
    """Among the entries that are there, and none."""
    model = Choosing("rent")
    assert RowChoice(model).meant("Miete", ("rent", "food")) == RowMeant("rent")
    (asked,) = model.asked
    assert asked.labels == ("rent", "food", NONE)
    assert asked.messages[-1].content == "Entries: rent, food\nSaid: Miete"


@pytest.mark.parametrize("labels", [(), ("x" * (LONGEST_SHOWN + 1), "rent"), tuple(map(str, range(99)))])
def test_what_is_no_list_of_entries_is_not_shown(labels: tuple[str, ...]) -> None:
    """Sentences, or more than anybody has in mind."""
    model = Choosing("rent")
    assert RowChoice(model).meant("Miete", labels) == RowMeant()
    assert model.asked == []
