"""How many words a request shares with what a function says of itself."""

from __future__ import annotations

import pytest

from desktop.chat.tool_wording import alike, shared_words
from desktop.gate.verdict import Effect
from desktop.tools.tool import Tool


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
