"""Tools are made of functions: the schema is the signature."""

from __future__ import annotations

from typing import Literal

import pytest

from desktop.gate.verdict import Effect
from desktop.tools.tool import DESCRIPTION_WORDS, Running, Toolbox, tool


def weather(
    city: str, running: Running, unit: Literal["celsius", "fahrenheit"] = "celsius", days: int = 1
) -> str:
    """Tell the weather.

    city: where
    """
    return f"{city} {unit} {days} {running.call_id}"


def test_the_schema_is_the_signature() -> None:
    """Types, choices, required arguments and descriptions; what the executor fills in is not shown."""
    schema = tool(weather, Effect.READ).schema()["function"]
    assert schema["name"] == "weather"
    assert schema["description"] == "Tell the weather."
    assert schema["parameters"] == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "where"},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "days": {"type": "integer"},
        },
        "required": ["city"],
    }


def test_a_tool_without_a_short_description_is_refused() -> None:
    """Descriptions cost every prompt; a tool that has none, or a long one, does not start."""

    def silent() -> str:
        return ""

    def talkative() -> str:
        return ""

    talkative.__doc__ = "word " * (DESCRIPTION_WORDS + 1)
    for function in (silent, talkative):
        with pytest.raises(ValueError, match="description"):
            tool(function, Effect.READ)


def test_a_parameter_of_a_type_that_no_model_is_shown_is_refused() -> None:
    """By its name, when the tool is made."""

    def draw(names: list[str]) -> str:
        """Draw a name."""
        return names[0]

    with pytest.raises(ValueError, match=r"names: .*a str, .* or a Literal"):
        tool(draw, Effect.READ)


def test_two_tools_of_one_name_are_refused() -> None:
    """A toolbox knows each name once."""
    made = tool(weather, Effect.READ)
    with pytest.raises(ValueError, match="same name"):
        Toolbox([made, made])
