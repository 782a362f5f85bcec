"""What a chat template can do is seen in what it writes."""

from __future__ import annotations

import pytest

from desktop.engine.template_traits import TemplateTraits, traits_of

TURNS = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[assistant]"
CALLS = (
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% for c in m.tool_calls %}"
    "<call>{{ c.function | tojson }}</call>{% endfor %}{% endfor %}"
)


@pytest.mark.parametrize(
    ("source", "shows", "lines", "thinks"),
    [
        (TURNS, False, False, False),
        ("{% if tools %}{{ tools | tojson }}{% endif %}" + TURNS, True, True, False),
        ("{% for t in tools or [] %}{{ t.function.name }}{% endfor %}" + TURNS, True, False, False),
        # Speaks of tools and shows none of them.
        ("{% if tools %}You have tools.{% endif %}" + TURNS, False, False, False),
        # Goes through what is not there: with None it fails, without the name it does not.
        (
            "{% if tools is defined %}{% for t in tools %}{{ t | tojson }}{% endfor %}{% endif %}" + TURNS,
            True,
            True,
            False,
        ),
        (TURNS + "{% if enable_thinking %}{{ '<think>' }}{% endif %}", False, False, True),
        (TURNS + "<think>\n", False, False, True),
        ("{{ no such syntax", False, False, False),
        ("{{ raise_exception('never') }}", False, False, False),
        (None, False, False, False),
    ],
)
def test_traits_are_found_by_rendering(source: str | None, shows: bool, lines: bool, thinks: bool) -> None:
    """Not by words in the source, and nothing where the template cannot be used at all."""
    found = traits_of(source)
    assert (found.shows_tools, found.takes_lines, found.can_think) == (shows, lines, thinks)


def test_a_call_is_seen_as_the_template_writes_it() -> None:
    """The marks around it stand in what was found; a template that writes none has none."""
    assert "<call>" in traits_of(CALLS).call
    assert traits_of(TURNS) == TemplateTraits()
