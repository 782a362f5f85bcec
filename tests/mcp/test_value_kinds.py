"""Which kinds of values a request gives, and a schema takes."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.mcp.value_kinds import (
    ValueKind,
    kinds_in,
    kinds_needed,
    kinds_taken,
    kinds_wanted,
    links_two,
    names_offered,
    numbers_in,
    numbers_needed,
    says_one,
)

CLOCK, ADDRESS, NAME = ValueKind.CLOCK, ValueKind.ADDRESS, ValueKind.NAME
ZONE, COMMIT = ValueKind.ZONE, ValueKind.COMMIT


@pytest.mark.parametrize(
    ("request_", "kinds"),
    [
        ("The webinar starts at 3 pm Sydney time, when is that for us?", {CLOCK, ZONE}),
        ("Wenn es in Berlin 17:30 ist, wie spät ist es dann in New York?", {CLOCK, ZONE}),
        ("Rechne 8 Uhr in Singapur um.", {CLOCK, ZONE}),
        ("À 18 h à Paris, quelle heure est-il à Québec ?", {CLOCK, ZONE}),
        ("When it is noon in Rome, what time is it in Lima?", {CLOCK, ZONE}),
        ("Live from Seoul at half past ten at night, when do I switch on in Stockholm?", {CLOCK, ZONE}),
        ("Wenn es in Rom halb elf ist, wie spät ist es in Lima?", {CLOCK, ZONE}),
        ("Si en Lima son las siete y media, ¿qué hora es en Madrid?", {CLOCK, ZONE}),
        ("If it's two in the afternoon in Rome, what's the time in Lima?", {CLOCK, ZONE}),
        ("Ten to twelve people and a ratio of 1:2", set()),
        ("What time is it in Tokyo?", {ZONE}),
        ("Is it still daytime in Bangkok at the moment?", {ZONE}),
        ("¿Qué hora es ahora en Ciudad de México?", {ZONE}),
        ("What time is it?", set()),
        ("Note that Anna lives in Tokyo.", set()),
        ("Wie viel Uhr ist es in Rom?", {ZONE}),
        ("Change the price from 4.50 to 5.20.", set()),
        ("Show the last 10 commits of 2024.", set()),
        ("What does https://example.net/prices say?", {ADDRESS}),
        ("Have a look at www.example.org.", {ADDRESS}),
        ("What was done in commit 4f2e9aa?", {COMMIT, NAME}),
        ("Commit this, „Rechnung korrigiert“.", {NAME}),
        ("The year 2024123 and the word defaced are no numbers of commits.", set()),
    ],
)
def test_a_value_is_known_by_its_form(request_: str, kinds: set[ValueKind]) -> None:
    """In any language; a year, a price and a count are none of these."""
    assert kinds_in(request_) == kinds


def schema(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("content", "takes", "needs"),
    [
        (schema(), set(), set()),
        (schema(timezone=TEXT), {ZONE}, set()),
        (schema(("timezone",), timezone=TEXT), {ZONE}, set()),
        (schema(("timezone", "time"), timezone=TEXT, time=TEXT), {CLOCK, ZONE}, {CLOCK}),
        (schema(("at",), at={"type": "string", "format": "date-time"}), {CLOCK}, {CLOCK}),
        (schema(("start",), start={"type": "string", "description": "as HH:MM"}), {CLOCK}, {CLOCK}),
        (schema(("url",), url=TEXT, max_length={"type": "integer"}), {ADDRESS}, {ADDRESS}),
        (schema(url=TEXT), {ADDRESS}, set()),
        (schema(("target",), target=TEXT), set(ValueKind), set()),
        (schema(("kind",), kind={"type": "string", "enum": ["a"]}), set(), set()),
        (schema(("items",), items={"type": "array"}), set(ValueKind), set()),
        ({"properties": [1], "required": {"a": 1}}, set(), set()),
        ({"properties": {"a": 5}, "required": [["a"]]}, set(ValueKind), set()),
    ],
)
def test_what_a_schema_takes_and_must_have(
    content: dict[str, Any], takes: set[ValueKind], needs: set[ValueKind]
) -> None:
    """A text of no form takes all; what only strangers write as a schema breaks nothing."""
    assert kinds_taken(content, {}) == takes
    assert kinds_needed(content, {}) == needs


@pytest.mark.parametrize(
    ("content", "wants"),
    [
        (schema(("revision",), revision=TEXT), {COMMIT}),
        (schema(revision=TEXT), set()),  # what may be left out is not what the tool is there for
        (schema(("timezone", "time"), timezone=TEXT, time=TEXT), {CLOCK, ZONE}),
        (schema(("url",), url=TEXT), {ADDRESS}),
        (schema(("name",), name=TEXT), set()),
    ],
)
def test_what_speaks_for_a_tool_where_it_is_given(content: dict[str, Any], wants: set[ValueKind]) -> None:
    """Kinds that one of its parameters is there for."""
    assert kinds_wanted(content, {}) == wants


def test_how_many_numbers_are_needed_and_given() -> None:
    """Of those that must be given, and of those that stand by themselves."""
    number = {"type": "number"}
    assert numbers_needed(schema(("a", "b"), a=number, b=number, count=number), {}) == 2
    assert numbers_needed(schema(("a",), a=number), {"a": "1"}) == 0
    assert numbers_in("Let the test server add 17 and 2.5") == 2
    assert numbers_in("At 17:30, in bugfix-42 and on 2024/05") == 0


def test_what_has_two_ends() -> None:
    """A list of links; what is moved or converted from one to the other is no link."""
    relation = {"type": "object", "properties": {}, "required": ["from", "to", "kind"]}
    assert links_two(schema(("relations",), relations={"type": "array", "items": relation}))
    assert not links_two(schema(relations={"type": "array", "items": relation}))
    assert not links_two(schema(("from", "to"), **{"from": TEXT, "to": TEXT}))
    assert not links_two(schema(("items",), items={"type": "array", "items": 5}))


def test_what_the_settings_give_takes_nothing() -> None:
    """The model is not asked for it."""
    assert kinds_taken(schema(("repo",), repo=TEXT), {"repo": "/x"}) == set()


@pytest.mark.parametrize(
    ("about", "names"),
    [
        ({"enum": ["New York", "Chicago", "Los Angeles"]}, (("New York", "Chicago", "Los Angeles"),)),
        ({"enum": ["error", "success"]}, ()),  # a kind, said in many words
        ({"enum": ["USD", "EUR"]}, ()),  # a code
        ({"enum": ["Chicago", 5, None]}, ()),
        ({"enum": []}, ()),
        ({"enum": "Chicago"}, ()),
    ],
)
def test_names_to_choose_from(about: dict[str, Any], names: tuple[tuple[str, ...], ...]) -> None:
    """Of what must be given alone: what may be left out says nothing of the request."""
    assert names_offered(schema(("city",), city=about), {}) == names
    assert names_offered(schema(city=about), {}) == ()
    assert names_offered(schema(("city",), city=about), {"city": "Chicago"}) == ()


CITIES = ("New York", "Los Ángeles")


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("The weather in NEW YORK", True),
        ("Qué tiempo hace en Nueva York", True),
        ("Das Wetter in Los Angeles", True),
        ("What is new with Anna?", False),  # too short a word to tell a name
        ("Los niños", False),
        ("", False),
    ],
)
def test_a_name_is_known_in_another_spelling(text: str, is_said: bool) -> None:
    """By the words that tell it from others."""
    assert says_one(CITIES, text) is is_said
