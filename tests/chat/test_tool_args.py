"""Arguments held against what was said."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.tool_args import grounded, invented_path, with_files
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


def test_files_that_are_named_are_the_choice() -> None:
    """Where none is named the argument stays free."""
    chosen = with_files(TOOL, "path", ["a.txt", "b.txt"])
    assert chosen.parameters[0].choices == ("a.txt", "b.txt")
    assert with_files(TOOL, "path", []) is TOOL
    assert with_files(TOOL, "", ["a.txt"]) is TOOL
