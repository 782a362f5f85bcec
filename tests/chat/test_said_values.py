"""Values of a call against what was said: units, parts, large amounts, and what nobody has named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from desktop.chat.said_values import (
    alike,
    as_wanted,
    in_their_places,
    is_of_other_numbers,
    is_unasked,
    is_written,
    shared_words,
    unsaid,
    unsaid_number,
    unsaid_text,
    without_unsaid,
)
from desktop.gate.verdict import Effect
from desktop.tools.tool import Parameter, ParameterType, Tool

INT, NUM, TEXT = ParameterType.INTEGER, ParameterType.NUMBER, ParameterType.STRING


def a_tool(*parameters: Parameter) -> Tool:
    return Tool("measure", "Measures something.", parameters, lambda: "", Effect.UNKNOWN, shown_schema={})


WANTED = [
    ("travels for 2 minutes", NUM, "t", "Time in seconds.", 2, 120.0),
    ("travels for 2 minutes", NUM, "t", "Time in minutes.", 2, 2),
    ("at 25 m/s for 2 minutes", NUM, "speed", "Speed in m/s.", 25, 25),
    ("she is 1.68 meters tall", INT, "height_cm", "The height.", 1, 168),
    ("a run of 5 km", NUM, "distance", "Distance in meters.", 5, 5000.0),
    ("a plate of 10 square meters", NUM, "area", "Area in cm.", 10, 10),
    ("4% a year", NUM, "rate", "Rate as a decimal, e.g. 0.05.", 4, 0.04),
    ("4% a year", NUM, "rate", "Yearly rate in percent.", 0.04, 4.0),
    ("4% a year", NUM, "rate", "The yearly rate.", 4, 4),
    ("revenue of $2.5M", INT, "revenue", "Revenue in dollars.", 2, 2_500_000),
    ("revenue of 2.5 million", INT, "revenue", "Revenue in dollars.", 2.5, 2_500_000),
    ("a box of 5 M screws", INT, "screws", "How many.", 5, 5),
    ("from 0 to 2 pi", NUM, "end", "Where it ends.", 2, 6.2832),
    # Which of the two was meant cannot be told.
    ("2 minutes and 2 hours", NUM, "t", "Time in seconds.", 2, 2),
    ("at 20 celsius", NUM, "t", "Temperature in kelvin.", 20, 20),
]


@pytest.mark.parametrize(("said", "kind", "name", "description", "written", "wanted"), WANTED)
def test_a_number_is_told_as_the_function_describes_it(
    said: str, kind: ParameterType, name: str, description: str, written: float, wanted: float
) -> None:
    """In its unit, as a part of one, in full; as it was written where nothing says otherwise."""
    tool = a_tool(Parameter(name, kind, True, description))
    assert as_wanted(tool, {name: written, "other": "x"}, said) == {name: wanted, "other": "x"}


@pytest.mark.parametrize(
    ("said", "given", "placed"),
    [
        ("in my employees database on personal_data table", ("personal_data", "employees"), "employees"),
        ("in my employees database on personal_data table", ("employees", "personal_data"), "employees"),
        ("the table called staff of the database acme", ("staff", "acme"), "acme"),
        ("staff and acme", ("staff", "acme"), "staff"),
        # Only one of them says where it belongs.
        ("the acme database and staff", ("staff", "acme"), "staff"),
    ],
)
def test_two_texts_that_were_exchanged_go_back(said: str, given: tuple[str, str], placed: str) -> None:
    """Where each stands beside the noun of the other's argument."""
    database = Parameter("db_name", TEXT, True, "The name of the database to modify.")
    table = Parameter("table", TEXT, True, "The name of the table to modify.")
    found = in_their_places(
        a_tool(database, table), dict(zip(("db_name", "table"), given, strict=True)), said
    )
    assert found["db_name"] == placed
    assert sorted(found.values()) == sorted(given)


@pytest.mark.parametrize(
    ("said", "value", "is_had"),
    [
        ("5 heads in 8 tosses", 8, True),
        ("for the last five years", 5, True),
        ("for the next month", 1, True),
        ("in 2 minutes", 120, True),
        ("at 4%", 0.04, True),
        ("the roots of 3x^2 - 2x - 5", 3, True),
        ("starts from rest", 0, True),
        ("a 25% discount and 10% tax", 100, False),
        ("for my 2000 sq ft home", 5, False),
        ("how can I do that?", 50, False),
    ],
)
def test_a_number_that_stands_nowhere_is_found(said: str, value: float, is_had: bool) -> None:
    """Only where the function cannot do without it: what may be left out is another matter."""
    needed, optional = Parameter("price", NUM, True), Parameter("price", NUM, False)
    assert unsaid_number(a_tool(needed), {"price": value}, said) == ("" if is_had else "price")
    assert unsaid_number(a_tool(optional), {"price": value}, said) == ""


@pytest.mark.parametrize(
    ("said", "description", "value", "is_asked"),
    [
        ("List them, including archived ones", "Whether they are listed.", True, True),
        ("I'd like to pick it up", "True to deliver it, false to pick it up.", False, True),
        ("List all of them", "Whether duplicates count.", True, False),
        ("the first 20 of them", "How many.", 20, True),
        ("all of them", "How many.", 20, False),
    ],
)
def test_what_may_be_left_out_is_when_nothing_speaks_of_it(
    said: str, description: str, value: object, is_asked: bool
) -> None:
    """Switches and numbers; the function has a value of its own for them."""
    kind = ParameterType.BOOLEAN if isinstance(value, bool) else INT
    assert is_unasked(Parameter("archived", kind, False, description), value, said) is not is_asked
    assert not is_unasked(Parameter("archived", kind, True, description), value, said)


@pytest.mark.parametrize(
    ("said", "description", "value", "is_had"),
    [
        ("I have 100 euro. How much is it in USD?", "The currency.", "US Dollar", True),
        ("What does an Apple share cost?", "The ticker symbol.", "AAPL", True),
        ("Find a library in NYC", "The city.", "New York City", True),
        ("How warm is it in Austin?", "The city and state, e.g. San Francisco, CA", "Austin, TX", True),
        (
            "What's the weather like?",
            "The city and state, e.g. San Francisco, CA",
            "San Francisco, CA",
            False,
        ),
        ("Remove their social security numbers", "The columns.", "ssn", True),
        ("I want to get rid of it", "Can be 'delete' or 'add'.", "delete", True),
        ("Book it for May 6, 2024", "Date as YYYY-MM-DD.", "2024-05-06", True),
        ("我想知道上海目前的天气", "The city.", "Shanghai, China", True),
        ("Wie warm ist es in Mailand?", "The city.", "Milan", True),
    ],
)
def test_a_text_of_which_no_word_was_said_is_found(
    said: str, description: str, value: str, is_had: bool
) -> None:
    """A place or a name that the model took from the description; not what is told in another language."""
    tool = a_tool(Parameter("value", TEXT, True, description))
    arguments: dict[str, Any] = {"value": value}
    assert unsaid_text(tool, arguments, said) == ("" if is_had else "value")
    chosen = a_tool(Parameter("value", TEXT, True, description, (value,)))
    assert unsaid_text(chosen, arguments, said) == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("command", "ls -la"),
        ("cmd", "git status --short"),
        ("newString", "return 0"),
        ("commit_message", "Fix"),
        ("description", "Lists files"),
        ("code", "print(2)"),
    ],
)
def test_what_the_model_writes_need_not_be_said(name: str, value: str) -> None:
    """A coding agent's shell could run nothing else: nobody says the command, only what it is for."""
    assert is_written(name)
    assert unsaid(a_tool(Parameter(name, TEXT, True)), {name: value}, "What is in this folder?") == ""


@pytest.mark.parametrize("name", ["city", "message_id", "country_code", "text_type", "location", "", "_"])
def test_what_somebody_has_to_name(name: str) -> None:
    """By the last word of its name, which says what the value is."""
    assert not is_written(name)


def test_a_folder_of_the_instructions_is_said() -> None:
    """And what lies in it; not what stands there as an example of something else."""
    tool = a_tool(Parameter("path", TEXT, True))
    instructed = "You work in /home/ada/garden on Linux. Cities are written like Paris, FR."
    for path in ("/home/ada/garden", "/home/ada/garden/plants/list.md"):
        assert unsaid(tool, {"path": path}, "Look around", instructed) == ""
        assert unsaid(tool, {"path": path}, "Look around") == "path"
    for value in ("/home/bob/x", "/etc/passwd", "Paris, FR"):
        assert unsaid(tool, {"path": value}, "Look around", instructed) == "path"


@pytest.mark.parametrize(
    "about",
    [
        {"type": ["integer", "null"]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    ],
)
def test_what_may_be_null_is_where_nobody_named_it(about: dict[str, Any]) -> None:
    """With `strict` all are listed as required, and null says that one was left out."""
    tool = replace(a_tool(Parameter("limit", INT, True)), shown_schema={"properties": {"limit": about}})
    assert without_unsaid(tool, {"limit": 10}, "List my notes") == {"limit": None}
    assert without_unsaid(tool, {"limit": 10}, "List 10 notes") == {"limit": 10}
    assert without_unsaid(tool, {"limit": None}, "List my notes") == {"limit": None}
    needed = replace(tool, shown_schema={"properties": {"limit": {"type": "integer"}}})
    assert without_unsaid(needed, {"limit": 10}, "List my notes") == {"limit": 10}


@pytest.mark.parametrize(
    ("expression", "said", "is_other"),
    [
        ("27 * 1.1 - 100", "write 2-3 sentences on pianos", True),
        ("20 * 0.264172", "20 litres in gallons", False),
        ("3 * 12", "three boxes of twelve", False),  # said in words: nothing to compare
        ("1/2 * 100", "warum wird honig fest", True),
        ("1/2 * 100", "warum wird honig fest, 2-3 sätze", True),
        ("1/2 * 100", "warum wird honig fest, für ein schild, 2-3 sätze", True),  # an article is no number
        ("150 / 4", "share 150.00 among 4", False),
    ],
)
def test_a_sum_of_other_numbers_than_were_said_is_known(expression: str, said: str, is_other: bool) -> None:
    """It was asked for by nobody."""
    assert is_of_other_numbers(expression, said) is is_other


# -- how much of a tool's words is said --------------------------------------------------------


@pytest.mark.parametrize(
    ("request_text", "name", "description", "shared"),
    [
        ("What could I cook with eggs?", "recipes", "Find recipes that can be cooked.", 1),
        ("Volume of a cone with radius 4", "cone_volume", "Computes it by the radius.", 2),
        ("How many sides does a hexagon have?", "boiling_point", "Boiling point of a substance.", 0),
        # What is in every description is no word in common.
        ("Calculate the sine of a given number", "lookUp", "Calculate a value by a given number.", 0),
        ("Wie groß ist das Volumen?", "cone_volume", "Computes the volume of a cone.", None),
        ("我想知道上海目前的天气", "weather", "The weather of a city.", None),
    ],
)
def test_words_in_common(request_text: str, name: str, description: str, shared: int | None) -> None:
    """At most two are counted; None between two languages, where nothing is known."""
    tool = Tool(name, description, (), lambda: "", Effect.UNKNOWN)
    assert shared_words(request_text, tool) == shared


@pytest.mark.parametrize(
    ("word", "other", "are_alike"),
    [
        ("cook", "cooked", True),
        ("restaurants", "restaurant", True),
        ("multiplication", "multiplies", True),
        ("cat", "category", False),
        ("interest", "inspection", False),
    ],
)
def test_forms_of_a_word(word: str, other: str, are_alike: bool) -> None:
    """Told by their beginning, the longer the words the longer it."""
    assert alike(word, other) is alike(other, word) is are_alike
