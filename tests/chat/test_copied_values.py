"""Values that a call takes over from the request as they stand there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.copied_values import (
    MOST_ADDRESSES,
    addresses_in,
    in_said_zones,
    in_wanted_clock,
    with_said_addresses,
    with_said_folders,
    with_said_quotes,
)
from desktop.gate.verdict import Effect
from desktop.tools.tool import Parameter, ParameterType, Tool

TEXT = ParameterType.STRING


def tool(*parameters: Parameter) -> Tool:
    return Tool("look", "Looks.", parameters, lambda: "", Effect.READ)


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("It's on https://example.org/docs/install, can you read it?", ("https://example.org/docs/install",)),
        ("Steht das auf https://example.de/speiseplan?", ("https://example.de/speiseplan",)),
        ("(see https://example.org/a)", ("https://example.org/a",)),
        ("Read https://example.org/Tree_(graph).", ("https://example.org/Tree_(graph)",)),
        ("Lies „https://example.org/a“ vor", ("https://example.org/a",)),
        ("http://a.example/?q=1&r=2 and http://a.example/?q=1&r=2!", ("http://a.example/?q=1&r=2",)),
        ("www.example.org", ()),
        ("", ()),
    ],
)
def test_an_address_ends_before_the_sentence_does(text: str, addresses: tuple[str, ...]) -> None:
    """Marks at the end and a bracket around it are the sentence's, one inside of it is its own."""
    assert addresses_in(text) == addresses


@given(st.text())
def test_every_address_stands_in_the_text(text: str) -> None:
    """Whatever was written, nothing is made up and nothing ends with a mark."""
    for each in addresses_in(f"https://{text}"):
        assert each in f"https://{text}"
        assert not each.endswith((".", ",", "?"))


def test_what_alone_takes_an_address_has_to_be_given_it() -> None:
    """By whatever name its schema calls it, and only where one is said; of two the model chooses."""
    name, data = Parameter("name", TEXT, required=False), Parameter("data", TEXT, False, is_address=True)
    made = with_said_addresses(tool(name, data), "Pack https://example.org/a.json")
    assert made.parameters == (name, replace(data, required=True, choices=("https://example.org/a.json",)))
    assert with_said_addresses(tool(name, data), "Pack a.json").parameters == (name, data)
    more = Parameter("icon_url", TEXT, required=False)
    of_two = with_said_addresses(tool(data, more), "Pack https://example.org/a.json")
    assert not any(each.required for each in of_two.parameters)


@pytest.mark.parametrize(
    ("path", "said", "wanted"),
    [
        ("2026", "need a folder backup/2026 thx", "backup/2026"),
        ("a.txt", "Lies ~/notes/a.txt.", "~/notes/a.txt"),
        ("a.txt", "read /srv/a.txt", "/srv/a.txt"),
        ("2026", "a folder 2026 in backup/2026", "2026"),
        ("a.txt", "x/a.txt or y/a.txt?", "a.txt"),
        ("a", "read x/a.txt", "a"),
        ("menu", "https://example.org/menu", "menu"),
        ("a.txt", "read it", "a.txt"),
        ("", "a/", ""),
    ],
)
def test_a_path_is_the_whole_one_that_was_said(path: str, said: str, wanted: str) -> None:
    """Where it is the end of one and of no other; an address is no path, nor is what is called one."""
    look = tool(Parameter("path", TEXT, is_path=True), Parameter("name", TEXT))
    assert with_said_folders(look, {"path": path, "name": path}, said) == {"path": wanted, "name": path}


@pytest.mark.parametrize(
    ("value", "said", "wanted"),
    [
        ("print('hello')", 'put print("hello") into a file', 'print("hello")'),
        ("it's late", "Echo “it’s late” back", "it’s late"),
        (["a 'b'"], 'Note that a "b" is new', ['a "b"']),
        ({"text": {"old": "'x'"}}, 'change "x" to y', {"text": {"old": '"x"'}}),
        ("it's", "it's and it’s", "it's"),
        ("say 'no'", "something else", "say 'no'"),
        (7, "7", 7),
        ("'", "", "'"),
    ],
)
def test_a_text_has_the_quotation_marks_that_were_said(value: object, said: str, wanted: object) -> None:
    """Wherever it stands in the call; what was not said but for them is the model's own."""
    assert with_said_quotes(value, said) == wanted


def test_only_what_was_said_can_be_chosen_as_an_address() -> None:
    """Where one was said, and of what can hold one; another text and a list of its own stay as they are."""
    url, title = Parameter("url", TEXT), Parameter("title", TEXT)
    listed = Parameter("base_url", TEXT, choices=("https://example.com",))
    asked = with_said_addresses(
        tool(url, title, listed), "Read https://example.org/a and https://example.org/b"
    )
    assert [each.choices for each in asked.parameters] == [
        ("https://example.org/a", "https://example.org/b"),
        (),
        ("https://example.com",),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Read the page",
        "Read www.example.org",
        " ".join(f"https://a.example/{n}" for n in range(MOST_ADDRESSES + 1)),
    ],
)
def test_the_model_writes_an_address_that_nobody_wrote_out(said: str) -> None:
    """Without any, and where a whole text of addresses was given."""
    asked = tool(Parameter("url", TEXT))
    assert with_said_addresses(asked, said) is asked


HERE = tool(Parameter("timezone", TEXT))
BETWEEN = tool(Parameter("source_timezone", TEXT), Parameter("target_timezone", TEXT))


@pytest.mark.parametrize(
    ("asked", "request_", "given_", "meant"),
    [
        (
            HERE,
            "What time is it in Toronto?",
            {"timezone": "America/New_York"},
            {"timezone": "America/Toronto"},
        ),
        (
            HERE,
            "What time is it in Toronto?",
            {"timezone": "America/Toronto"},
            {"timezone": "America/Toronto"},
        ),
        (HERE, "What time is it?", {"timezone": "Europe/Rome"}, {"timezone": "Europe/Rome"}),
        (HERE, "Oslo is in Europe/Oslo, and UTC?", {"timezone": "UTC"}, {"timezone": "UTC"}),
        (HERE, "Rome or Lima, which is later now?", {"timezone": "Asia/Tokyo"}, {"timezone": "Asia/Tokyo"}),
        (
            BETWEEN,
            "4 pm Lisbon in Denver time?",
            {"source_timezone": "Europe/Lisbon", "target_timezone": "America/New_York"},
            {"source_timezone": "Europe/Lisbon", "target_timezone": "America/Denver"},
        ),
        (
            BETWEEN,
            "4 pm Lisbon in Denver time?",
            {"source_timezone": "Asia/Tokyo", "target_timezone": "America/New_York"},
            {"source_timezone": "Asia/Tokyo", "target_timezone": "America/New_York"},
        ),
        (BETWEEN, "4 pm Lisbon in Denver time?", {"target_timezone": "UTC"}, {"target_timezone": "UTC"}),
    ],
)
def test_a_place_that_is_named_gives_its_zone(
    asked: Tool, request_: str, given_: dict[str, Any], meant: dict[str, Any]
) -> None:
    """Where there are as many places as zones; which of two is which is the model's to say."""
    assert in_said_zones(asked, given_, request_) == meant


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("9am", "09:00"),
        ("9:30 PM", "21:30"),
        ("12 a.m.", "00:00"),
        ("12pm", "12:00"),
        ("7:30", "07:30"),
        ("18h30", "18:30"),
        ("8 Uhr", "08:00"),
        ("16:00:00", "16:00"),
        ("13pm", "13pm"),
        ("noon", "noon"),
        ("25:00", "25:00"),
        ("", ""),
    ],
)
def test_a_time_has_the_form_that_is_asked_for(written: str, wanted: str) -> None:
    """Where a description says HH:MM; any other text is left alone."""
    clock = Parameter("time", TEXT, description="Time in 24-hour format (HH:MM)")
    asked = tool(clock, Parameter("label", TEXT), Parameter("until", TEXT, description="As HH:MM:SS"))
    meant = {"time": wanted, "label": "9am", "until": "9am"}
    assert in_wanted_clock(asked, {"time": written, "label": "9am", "until": "9am"}) == meant
