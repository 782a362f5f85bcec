"""A letter made from a template of the user's: only its slots are filled."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pytest

from desktop.chat.template_letters import TemplateLetters, _told_first
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from tests.chat.test_table_changes import Around

TODAY = date(2026, 11, 29)
LETTER = "Dear [NAME],\n\nyour [BIKE] is ready. The bill comes to £[REST].\nRoom [ROOM]\n"
TEXTS = {
    "jobs.csv": (
        "no,customer,bike,price,deposit,state\n11,Hannah Ode,Trek FX2,75.00,15.50,ready\n"
        "12,Pete Low,Brompton,40.00,0.00,collected\n13,Eva Roth,Cargo,20.00,0.00,booked\n"
    ),
    "letters/collect your bike TEMPLATE.txt": LETTER,
    "letters/roof.txt": "Dear Mr Low,\n\nthe roof leaks. [1] and [x] are no slots.\n",
}
FILLED = "NAME = Hannah\nBIKE = Trek FX2\nREST = 75.00 - 15.50\nROOM = ?"


class Model:
    """Fills in this."""

    def __init__(self, written: str = FILLED, finish: FinishReason = FinishReason.STOP) -> None:
        self.written, self.finish = written, finish
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        stream.put(self.written)
        stream.end(self.finish, Metrics())
        return stream


def planned(asked: str, model: Model, texts: Mapping[str, str] = TEXTS) -> tuple[str, str, str]:
    """The file, its text, and what is told of slots that stay; "" each for none."""
    plan = TemplateLetters(Around(texts), model, TODAY).plan(asked)
    if plan is None:
        return "", "", ""
    assert plan.steps[0].call is not None
    given = plan.steps[0].call.arguments
    return str(given["path"]), str(given["content"]), "".join(each.text for each in plan.steps[1:])


def test_only_the_slots_of_a_template_are_filled() -> None:
    """With cells, and what two amounts come to; one that nothing tells stays, and is named."""
    path, text, told = planned("do the collect your bike letter for hannah", Model())
    assert path == "letters/collect your bike Hannah.txt"
    assert text == "Dear Hannah,\n\nyour Trek FX2 is ready. The bill comes to £59.50.\nRoom [ROOM]\n"
    assert told == "Not filled in, because I found nothing for it: [ROOM]."


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("do the bike template for hannah and save it as bill hannah.txt", "letters/bill hannah.txt"),
        ("fill the template for hannah, save it as out/bill.txt", "out/bill.txt"),
        ("collect your bike letter for hannah please", "letters/collect your bike Hannah.txt"),
    ],
)
def test_the_letter_is_called_as_was_said(asked: str, path: str) -> None:
    """Else as its template and whom it is for, in the folder of the template."""
    assert planned(asked, Model())[0] == path


def test_a_letter_that_is_there_is_not_written_over() -> None:
    """The next gets a number."""
    texts = TEXTS | {"letters/collect your bike Hannah.txt": "sent\n"}
    assert planned("do the collect your bike letter for hannah", Model(), texts)[0].endswith("Hannah 2.txt")


@pytest.mark.parametrize(
    "asked",
    [
        "do the roof letter for hannah",  # no slots
        "do the collect your bike letter for nadia",  # no row has her
        "write hannah a birthday card",  # no template
        "x" * 300,
    ],
)
def test_without_a_template_or_a_row_there_is_no_letter(asked: str) -> None:
    """And the model is not asked."""
    model = Model()
    assert planned(asked, model) == ("", "", "")
    assert not model.asked


@pytest.mark.parametrize(
    "model", [Model("NAME = ?\nBIKE = ?\nREST = ?\nROOM = ?"), Model("NAME = Han", FinishReason.CANCELLED)]
)
def test_an_empty_letter_is_not_written(model: Model) -> None:
    """Nor one that was stopped."""
    assert planned("do the collect your bike letter for hannah", model) == ("", "", "")


def test_what_the_letter_is_called_is_no_words_of_it() -> None:
    """The grammar has the cells, their words, those of the message, and sums; nothing else can be written."""
    model = Model()
    planned("do the bike template for hannah by friday, save it as bill.txt", model)
    rules = dict(line.split(" ::= ", 1) for line in (model.asked[0].grammar or "").splitlines())
    assert '"Trek FX2"' in rules["value"]
    assert '"Trek"' in rules["value"]
    assert "75.00" in rules["number"]
    assert any("friday" in body for name, body in rules.items() if name.startswith("t"))
    assert not any("bill" in body for body in rules.values())


def test_the_examples_fill_each_slot_once() -> None:
    """In the order in which they stand."""
    for shown, filled in zip(_told_first()[1::2], _told_first()[2::2], strict=True):
        names = [line.partition(" = ")[0] for line in filled.content.splitlines()]
        assert all(f"[{each}]" in shown.content or f"{{{each}}}" in shown.content for each in names)


def test_what_two_amounts_come_to_multiplied_stands_in_the_letter() -> None:
    """As their column writes amounts."""
    texts = {
        "bill template.txt": "To [CLIENT]: [COUNT] jars at [PRICE], together [TOTAL] euros\n",
        "sales.csv": "day;client;jars;price\n20.11.2026;Roux;10;7,00\n21.11.2026;Lind;3;6,50\n",
    }
    filled = "CLIENT = Roux\nCOUNT = 10\nPRICE = 7,00\nTOTAL = 10 * 7,00"
    path, text, _ = planned("make the bill from the template for mme roux", Model(filled), texts)
    assert path == "bill Roux.txt"
    assert text == "To Roux: 10 jars at 7,00, together 70,00 euros\n"


def test_who_stands_in_no_table_is_filled_in_from_what_was_said() -> None:
    """Where the letter is called by its name, and its words are dictated."""
    texts = {"letters/new member TEMPLATE.txt": "Dear [NAME], welcome to the [VOICE] section. Subs [SUBS].\n"}
    filled = "NAME = ruth\nVOICE = alto\nSUBS = 45"
    asked = "fill in the new member letter for ruth, alto, 45 subs. save it as letters/ruth ashby.txt"
    path, text, _ = planned(asked, Model(filled), texts)
    assert path == "letters/ruth ashby.txt"
    assert text == "Dear ruth, welcome to the alto section. Subs 45.\n"
