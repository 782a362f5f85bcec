"""Arguments are repaired by rules, or refused with one sentence."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.arguments import WrongArguments, closest, repaired
from desktop.tools.tool import Parameter, ParameterType

PATH = Parameter("path", ParameterType.STRING, is_path=True)
COUNT = Parameter("count", ParameterType.INTEGER, required=False)
UNIT = Parameter("unit", ParameterType.STRING, required=False, choices=("celsius", "fahrenheit"))
DEEP = Parameter("recursive", ParameterType.BOOLEAN, required=False)
SIZES = Parameter("sizes", ParameterType.ARRAY, required=False, items=ParameterType.INTEGER)
ALL = (PATH, COUNT, UNIT, DEEP, SIZES)

REPAIRS = [
    ({"path": "a"}, {"path": "a"}),
    ({"Path": "a"}, {"path": "a"}),
    ({"file_path": "a"}, {"path": "a"}),
    ({"filename": "a"}, {"path": "a"}),
    ({"path": " `a.txt` "}, {"path": "a.txt"}),
    ({"path": "docs/"}, {"path": "docs"}),
    ({"path": "a", "count": "5"}, {"path": "a", "count": 5}),
    ({"path": "a", "count": 5.0}, {"path": "a", "count": 5}),
    ({"path": "a", "count": None}, {"path": "a"}),
    ({"path": "a", "unit": "Celsius"}, {"path": "a", "unit": "celsius"}),
    ({"path": "a", "recursive": "false"}, {"path": "a", "recursive": False}),
    ({"path": "a", "recursive": "yes"}, {"path": "a", "recursive": True}),
    ({"path": "a", "sizes": "3"}, {"path": "a", "sizes": [3]}),
    ({"path": "a", "sizes": ["3", 4]}, {"path": "a", "sizes": [3, 4]}),
    ({"path": 7}, {"path": "7"}),
]


@pytest.mark.parametrize(("given_", "wanted"), REPAIRS)
def test_what_was_meant_is_taken(given_: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Keys, numbers, choices and paths that are nearly right are made right."""
    assert repaired(ALL, given_) == wanted


REFUSED = [
    ({}, "path is missing"),
    ({"path": "a", "colour": "red"}, "no argument colour"),
    ({"path": "a", "count": "many"}, "whole number|must be a number"),
    ({"path": "a", "count": 1.5}, "whole number"),
    ({"path": "a", "unit": "kelvin"}, "one of: celsius, fahrenheit"),
    ({"path": "a", "recursive": "perhaps"}, "true or false"),
    ({"path": {"a": 1}}, "must be text"),
]


@pytest.mark.parametrize(("given_", "reason"), REFUSED)
def test_what_stays_wrong_is_said(given_: dict[str, Any], reason: str) -> None:
    """One sentence that names the argument."""
    with pytest.raises(WrongArguments, match=reason):
        repaired(ALL, given_)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(["path", "count", "unit", "recursive", "sizes", "x"]), _VALUES))
def test_any_arguments_are_taken_or_refused(arguments: dict[str, Any]) -> None:
    """Nothing else is raised, and what is taken has the right types."""
    try:
        taken = repaired(ALL, arguments)
    except WrongArguments:
        return
    assert isinstance(taken["path"], str)
    assert isinstance(taken.get("count", 0), int)
    assert taken.get("unit", "celsius") in ("celsius", "fahrenheit")
    assert isinstance(taken.get("recursive", True), bool)


def test_only_close_names_are_taken_for_one_another() -> None:
    """A slip is forgiven, another word is not."""
    assert closest("read-file", ["read_file", "write_file"]) == "read_file"
    assert closest("weather", ["read_file", "write_file"]) is None
