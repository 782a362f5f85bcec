"""Arguments held against what was said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.tool_args import (
    grounded,
    invented_path,
    invented_reference,
    narrowed,
    retold,
    with_files,
)
from desktop.gate.verdict import Effect
from desktop.tools.tool import Parameter, ParameterType, Tool

TOOL = Tool(
    "look",
    "Looks.",
    (
        Parameter("path", ParameterType.STRING, is_path=True),
        Parameter("mission", ParameterType.STRING, required=False),
        Parameter("unit", ParameterType.STRING, required=False, choices=("metric", "imperial")),
        Parameter("folder", ParameterType.STRING, required=False, is_path=True),
        Parameter("place", ParameterType.ARRAY, required=False, items=ParameterType.NUMBER),
        Parameter("longitude", ParameterType.NUMBER, required=False),
    ),
    lambda: "",
    Effect.READ,
)

CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("look at a.txt", {"path": "a.txt", "mission": "Mission 1"}, {"path": "a.txt"}),
    ("look at a.txt for missions", {"path": "a.txt", "mission": "Mission 1"}, {"path": "a.txt"}),
    ("look at a.txt for mission 1", {"mission": "Mission 1"}, {"mission": "Mission 1"}),
    ("list movies in Mumbai", {"mission": "2023-04-15"}, {}),
    ("list movies of tomorrow", {"mission": "2023-04-15"}, {"mission": "2023-04-15"}),
    ("in kilometers", {"mission": "km"}, {"mission": "km"}),
    ("look", {"unit": "metric"}, {"unit": "metric"}),
    ("what is in photos", {"folder": "/home/user/photos"}, {"folder": "photos"}),
    ("what is in /home/user/photos", {"folder": "/home/user/photos"}, {"folder": "/home/user/photos"}),
    ("what is here", {"folder": "photos"}, {}),
    ("Read ../secrets.txt", {"path": "../secrets.txt"}, {"path": "../secrets.txt"}),
    ("33.4484 N, 112.0740 W", {"place": [33.4484, 112.074]}, {"place": [33.4484, -112.074]}),
    ("37.8 N and 119.5° W", {"longitude": 119.5}, {"longitude": -119.5}),
    ("119.5 Watts", {"longitude": 119.5}, {"longitude": 119.5}),
]


@pytest.mark.parametrize(("said", "given", "kept"), CASES)
def test_nothing_that_nobody_said_is_kept(said: str, given: dict[str, Any], kept: dict[str, Any]) -> None:
    """Optional values are left out, paths shortened to what was named, coordinates signed."""
    assert grounded(TOOL, ParsedCall("look", given), said).arguments == kept


def test_a_required_file_that_nobody_named_is_invented() -> None:
    """To read, the stem of a name will do; to change, it takes the whole name."""
    writes = Tool("put", "Puts.", TOOL.parameters, TOOL.function, Effect.UPDATE)
    begun = '{"path": "report.md"'
    assert invented_path(TOOL, begun, "read the report") == ""
    assert invented_path(writes, begun, "write the report") == "report.md"
    assert invented_path(writes, begun, "write REPORT.md") == ""
    assert invented_path(writes, '{"path": "rep', "write something") == ""


@pytest.mark.parametrize(
    ("request_", "invented"),
    [
        ("Put these three facts into a file there", ""),
        ("Schreib das in eine neue Datei", ""),
        ("Mets ça dans un fichier", ""),
        ("Ponlo en un archivo", ""),
        ("Write a poem", "poem.txt"),
    ],
)
def test_a_file_without_a_name_may_be_called_anything(request_: str, invented: str) -> None:
    """Where a server's tool is to make one and the request gives no name."""
    served = Tool("put", "Puts.", TOOL.parameters, TOOL.function, Effect.UPDATE, gate_name="mcp__files__put")
    assert invented_path(served, '{"path": "poem.txt"', request_, request_) == invented
    own = Tool("put", "Puts.", TOOL.parameters, TOOL.function, Effect.UPDATE)
    assert invented_path(own, '{"path": "poem.txt"', request_, request_) == "poem.txt"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("show the commits", {}),
        ("show the last 3 commits", {"max_count": 3}),
        ("montre les trois derniers commits", {"max_count": 3}),
        ("show the commits raw", {"raw": True}),
    ],
)
def test_switches_and_counts_that_nobody_named_are_left_out(said: str, kept: dict[str, Any]) -> None:
    """Of a server's tool; of Steward's own they stay as the model gave them."""
    parameters = (
        Parameter("max_count", ParameterType.INTEGER, required=False),
        Parameter("raw", ParameterType.BOOLEAN, required=False),
    )
    given = {"max_count": 3, "raw": True}
    served = Tool("log", "Log.", parameters, lambda: "", Effect.READ, gate_name="mcp__git__log")
    own = Tool("log", "Log.", parameters, lambda: "", Effect.READ)
    assert grounded(served, ParsedCall("log", given), said).arguments == kept
    assert grounded(own, ParsedCall("log", given), said).arguments == given


def test_what_may_be_left_out_is_not_sent_empty() -> None:
    """A server reads an empty text as a value; what must be given stays as it is."""
    parameters = (
        Parameter("contains", ParameterType.STRING, required=False),
        Parameter("text", ParameterType.STRING, required=True),
    )
    served = Tool("list", "List.", parameters, lambda: "", Effect.READ, gate_name="mcp__git__list")
    given = {"contains": "", "text": ""}
    assert grounded(served, ParsedCall("list", given), "list all").arguments == {"text": ""}


@pytest.mark.parametrize(
    ("name", "given", "zone"),
    [
        ("timezone", "New York", "America/New_York"),
        ("source_timezone", "Berlin", "Europe/Berlin"),
        ("timeZone", "Asia/Tokyo", "Asia/Tokyo"),
        ("timezone", "America/São Paulo", "America/Sao_Paulo"),
        ("timezone", "São Paulo", "America/Sao_Paulo"),
        ("timezone", "Europe/New_York", "America/New_York"),
        ("timezone", "Mars/Olympus", "Mars/Olympus"),
        ("tz", "UTC", "UTC"),
        ("timezone", "Nowhere at all", "Nowhere at all"),
        ("city", "New York", "New York"),
    ],
)
def test_a_city_is_put_as_the_zone_that_it_is_in(name: str, given: str, zone: str) -> None:
    """As programs name it; what is no place is the server's to refuse."""
    tool = Tool("now", "Time.", (Parameter(name, ParameterType.STRING),), lambda: "", Effect.READ)
    assert grounded(tool, ParsedCall("now", {name: given}), "what time is it").arguments == {name: zone}


def test_files_that_are_named_are_the_choice() -> None:
    """Where none is named the argument stays free."""
    chosen = with_files(TOOL, "path", ["a.txt", "b.txt"])
    assert chosen.parameters[0].choices == ("a.txt", "b.txt")
    assert with_files(TOOL, "path", []) is TOOL
    assert with_files(TOOL, "", ["a.txt"]) is TOOL


def test_an_address_ends_before_its_sentence_does() -> None:
    """What stands behind it is no part of it; what is asked of it stays."""
    tool = Tool("fetch", "Fetch", (Parameter("url", ParameterType.STRING),), lambda **_given: "", Effect.READ)
    for given, url in (
        ("http://a.example/b?", "http://a.example/b"),
        ("http://a.example/?q=1.", "http://a.example/?q=1"),
    ):
        call = grounded(tool, ParsedCall("fetch", {"url": given}), f"What does {given}")
        assert call.arguments == {"url": url}


@pytest.mark.parametrize(
    ("said", "given", "kept"),
    [
        ("Leg einen neuen Branch redesign an.", " redesign", "redesign"),
        ("Stage a.py and b.py.", ["a.py", " b.py"], ["a.py", "b.py"]),
        ("Switch to main ", "main ", "main"),
        # What was said so, and what may be how a line is set in.
        ('Put " - " between them.', " - ", " - "),
        ("    return 1", "    return 1", "    return 1"),
        ("Make a branch.", " feature", " feature"),
        ("a line\n and one", " and\none", " and\none"),
    ],
)
def test_a_blank_that_nobody_said_goes_from_a_value(said: str, given: object, kept: object) -> None:
    """A single blank before or behind what was said is the model's own."""
    kind = ParameterType.ARRAY if isinstance(given, list) else ParameterType.STRING
    tool = Tool("make", "Make it", (Parameter("name", kind, True, ""),), lambda **_given: "", Effect.READ)
    assert grounded(tool, ParsedCall("make", {"name": given}), said).arguments == {"name": kept}


@pytest.mark.parametrize(
    ("said", "name", "given", "made_up"),
    [
        ("Read between the lines", "paths", ["path/to/file1", "path/to/file2"], "path/to/file1"),
        ("Read a.md and b.md", "paths", ["a.md", "b.md"], ""),
        ("Should I use git?", "target", "main", "main"),
        ("Differences to the main branch", "target", "main", ""),
        ("Make a branch for the payment fix", "branch_name", "payment-fix", ""),
        ("Show the last commit", "revision", "HEAD", ""),
        ("Read the page of example.org", "url", "https://example.org/", ""),
        ("Read the news", "url", "https://bbc.co.uk/", "https://bbc.co.uk/"),
        ("What is the complexity of quicksort?", "timezone", "UTC", "UTC"),
        ("How late is it in UTC?", "timezone", "UTC", ""),
        ("How late is it in Mumbai?", "timezone", "Asia/Kolkata", ""),
        # What points at nothing may be the model's own.
        ("Commit this", "message", "Update files", ""),
    ],
)
def test_what_a_call_points_at_was_named_by_somebody(
    said: str, name: str, given: object, made_up: str
) -> None:
    """Of tools of servers: nobody else knows what there is; of Steward's own, others look after it."""
    kind = ParameterType.ARRAY if isinstance(given, list) else ParameterType.STRING
    own = Tool("do", "Does.", (Parameter(name, kind),), lambda **_given: "", Effect.READ)
    call = ParsedCall("do", {name: given})
    assert invented_reference(replace(own, gate_name="mcp__it__do"), call, said) == made_up
    assert invented_reference(own, call, said) == ""


@pytest.mark.parametrize(
    ("said", "made_up"),
    [
        ("sum up the plot of Hamlet", "1"),
        ("Add 1 and 2", ""),
        ("Addiere eins und zwei", ""),
        ("ajoute deux à trois", ""),
    ],
)
def test_numbers_that_must_be_given_were_said(said: str, made_up: str) -> None:
    """Where none is said, in digits or in words, those of a call are nobody's."""
    numbers = tuple(Parameter(each, ParameterType.NUMBER) for each in ("a", "b"))
    add = Tool("get-sum", "Adds.", numbers, lambda **_given: "", Effect.READ, gate_name="mcp__it__get-sum")
    assert invented_reference(add, ParsedCall("get-sum", {"a": 1, "b": 2}), said) == made_up


@pytest.mark.parametrize(
    ("name", "request_", "given", "told"),
    [
        ("echo", "The echo in here is awful!", {"message": "the echo in here is awful"}, True),
        ("echo", "echo ping 1", {"message": "ping 1"}, False),
        ("echo", "ping 1", {"message": "ping 1"}, False),
        ("ask_manual", "How do refunds work?", {"question": "How do refunds work?"}, False),
        ("search_nodes", "search nodes piano", {"query": "search nodes piano", "limit": 3}, True),
    ],
)
def test_a_text_that_is_the_whole_request_was_given_by_nobody(
    name: str, request_: str, given: dict[str, Any], told: bool
) -> None:
    """Where the words that meant the tool are in it too; of Steward's own, others look after it."""
    own = Tool(name, "Does.", (), lambda **_given: "", Effect.READ)
    assert bool(retold(replace(own, gate_name="mcp__it"), ParsedCall(name, given), request_)) is told
    assert retold(own, ParsedCall(name, given), request_) == ""


@pytest.mark.parametrize(
    ("description", "more"),
    [
        ("Can be 'delete' or 'add'.", {"enum": ["delete", "add"]}),
        ("This can be 'asc' for ascending order, or 'desc' for descending order.", {"enum": ["asc", "desc"]}),
        ("The city, such as 'Boston' or 'Austin'. It can be 'any'.", {}),
        ("Must be one of 'a', 'b' etc.", {}),
        ("The 'name' of the 'file'.", {}),
        ("Date in the format YYYY-MM-DD.", {"format": "date"}),
        ("From YYYY-MM-DD to YYYY-MM-DD.", {}),
        ("YYYY-MM-DD HH:MM", {}),
    ],
)
def test_what_a_description_says_narrows_the_grammar(description: str, more: dict[str, Any]) -> None:
    """Values and dates that are told in prose; examples of them are not."""
    text = {"type": "string", "description": description}
    other = {"type": "integer", "description": description}
    shown = narrowed({"type": "object", "properties": {"a": text, "b": other}, "required": ["a"]})
    assert shown == {"type": "object", "properties": {"a": {**text, **more}, "b": other}, "required": ["a"]}
