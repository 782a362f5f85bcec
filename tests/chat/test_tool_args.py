"""Arguments held against what was said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.tool_args import (
    MOST_ADDRESSES,
    addresses_in,
    grounded,
    in_said_zones,
    in_wanted_clock,
    invented_path,
    invented_reference,
    narrowed,
    retold,
    with_files,
    with_said_addresses,
    with_said_folders,
    with_said_quotes,
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
    for link, url in (
        ("http://a.example/b?", "http://a.example/b"),
        ("http://a.example/?q=1.", "http://a.example/?q=1"),
    ):
        call = grounded(tool, ParsedCall("fetch", {"url": link}), f"What does {link}")
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


# -- values that stand in the request ----------------------------------------------------------

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
