"""Chat templates of strangers: the honest ones run, the others end."""

from __future__ import annotations

import pytest

from desktop.engine import jinja_limits
from desktop.engine.chat_template import ChatTemplate
from desktop.engine.jinja_limits import LimitedTemplate, OverLimit
from desktop.engine.requests import Message
from tests.processor_time import processor_time

HONEST = [
    ("{% for m in messages %}{{ m.role ~ ': ' ~ m.content }}\n{% endfor %}", "user: Hello\n"),
    (
        "{% set ns = namespace(s='') %}{% for m in messages %}"
        "{% set ns.s = ns.s + m.role %}{% endfor %}{{ ns.s }}",
        "user",
    ),
    ("{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f(messages[0].content) }}", "<Hello>"),
    ("{{ messages | length * 2 }} {{ 2 ** 3 }} {{ 7 % 4 }}", "2 8 3"),
    (
        "{{ '%s-%05d' % ('a', 7) }} {{ 'x'.center(5) }}|{{ 'a,b'.split(',') | join(' ') }}",
        "a-00007   x  |a b",
    ),
    ("{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}no{% endfor %}yes", "yes"),
    ("{{ {'a': [1, 2]} | tojson }} {{ messages[0] | items | list | length }}", '{"a": [1, 2]} 2'),
    (
        "{% for x in range(3) %}{{ x }}{% endfor %}{{ 'Abc' | lower | replace('a', 'b') | indent(2) }}",
        "012bbc",
    ),
    ("{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | first }}", "Hello"),
]


@pytest.mark.parametrize(("source", "expected"), HONEST, ids=range(len(HONEST)))
def test_what_published_templates_do_is_done(source: str, expected: str) -> None:
    """Loops, macros, namespaces, filters and methods of texts work as Jinja has them."""
    assert LimitedTemplate(source).render(messages=[{"role": "user", "content": "Hello"}]) == expected


HOSTILE = {
    "nested loops": "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
    "doubling by ~": "{% set n = namespace(s='x') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}"
    "{% endfor %}",
    "doubling by +": "{% set n = namespace(s='x') %}{% for i in range(60) %}{% set n.s = n.s + n.s %}"
    "{% endfor %}",
    "doubling lists": "{% set n = namespace(s=[1]) %}{% for i in range(60) %}{% set n.s = n.s + n.s %}"
    "{% endfor %}",
    "lists in lists": "{% set n = namespace(s='x') %}{% for i in range(60) %}{% set n.s = [n.s, n.s] %}"
    "{% endfor %}{{ n.s }}",
    "lists as JSON": "{% set n = namespace(s='x') %}{% for i in range(60) %}{% set n.s = [n.s, n.s] %}"
    "{% endfor %}{{ n.s | tojson }}",
    "repeated": "{{ 'x' * 10000000000 }}",
    "repeated list": "{{ [1] * 10000000000 }}",
    "centred": "{{ 'x' | center(10000000000) }}",
    "method": "{{ 'x'.ljust(10000000000) }}",
    "format": "{{ '%010000000000d' % 1 }}",
    "format filter": "{{ '%010000000000d' | format(1) }}",
    "format method": "{{ '{:>10000000000}'.format(1) }}",
    "indent": "{{ ('a\n' * 1000) | indent(1000000) }}",
    "replace": "{{ ('x' * 1000000) | replace('', 'y' * 1000000) }}",
    "replace method": "{{ ('x' * 1000000).replace('', 'y' * 1000000) }}",
    "join": "{{ range(100000) | join('y' * 1000000) }}",
    "power": "{{ 9 ** 9 ** 9 }}",
    "product": "{% set n = namespace(i=7) %}{% for i in range(99999) %}{% set n.i = n.i * n.i %}{% endfor %}",
    "macros": "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
    "macros without depth": "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}"
    "{{ f(50) }}",
    "recursive loop": "{% for i in [1, 1] recursive %}{{ loop([1, 1]) }}{% endfor %}",
    "output": "{% for i in range(100000) %}{{ 'x' * 1000 }}{% endfor %}",
    "lorem": "{{ lipsum(100000) }}",
    "long": "x" * 300_000,
    "deep": "{{ " + "(" * 10_000,
    "format with a width": "{{ '{:{}}'.format(1, 10000000000) }}",
    "deep lists": "{{ " + "[" * 5_000 + "]" * 5_000 + " }}",
    "division": "{{ 1 / 0 }}",
    "overflow": "{{ 2.0 ** 64 ** 8 }}",
    "filters over many items": "{% for i in range(3000) %}{{ range(99999) | groupby('real') | length }}"
    "{% endfor %}",
    "lists of many items": "{% for i in range(3000) %}{{ range(99999) | list | unique | list | length }}"
    "{% endfor %}",
    "many slices": "{{ range(9) | slice(100000000) | list | length }}",
    "a batch that is filled up": "{{ range(9) | batch(1000000000, 'x') | list | length }}",
    "letters to texts": "{{ ('a' * 100000).translate({97: 'y' * 100000}) }}",
    "equal lists in lists": "{% set n = namespace(a=[1], b=[1]) %}{% for i in range(40) %}"
    "{% set n.a = [n.a, n.a] %}{% set n.b = [n.b, n.b] %}{% endfor %}{{ n.a == n.b }}",
    "keys in keys": "{% set n = namespace(a=(1,)) %}{% for i in range(60) %}{% set n.a = (n.a, n.a) %}"
    "{% endfor %}{{ {n.a: 1} }}",
    "looked up in themselves": "{% set n = namespace(a=[1]) %}{% for i in range(60) %}"
    "{% set n.a = [n.a, n.a] %}{% endfor %}{{ [2] in n.a }}",
    "tables in tables": "{% set n = namespace(a={'x': 1}) %}{% for i in range(60) %}"
    "{% set n.a = {'x': n.a, 'y': n.a} %}{% endfor %}{{ n.a == n.a | items | list }}",
    "sums of many items": "{% for i in range(30000) %}{{ range(99999) | sum }}{% endfor %}",
    "methods of long texts": "{% set s = 'ab' * 500000 %}{% for i in range(99999) %}{{ s.count('ba') }}"
    "{% endfor %}",
    "reach out": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "import": "{% import 'x' as y %}",
    "undefined": "{{ nothing.at.all }}",
    "own error": "{{ raise_exception('no') }}",
}


# What only computes until its time is over, and what holds itself so many times that it is read until it is
# longer than a prompt: with less time, or for a shorter prompt, the same happens sooner. "nested loops" and
# "lists in lists" and whatever something else ends meet the real limits.
SOON: dict[str, tuple[dict[str, float], str]] = {
    **dict.fromkeys(
        ("filters over many items", "lists of many items", "sums of many items"),
        ({"LONGEST_S": 0.1}, "it computes for more than 0 seconds"),
    ),
    **dict.fromkeys(
        (
            *("doubling lists", "lists as JSON", "equal lists in lists", "keys in keys"),
            *("looked up in themselves", "tables in tables"),
        ),
        # Two seconds are not enough on a busy computer.
        ({"LONGEST_TEXT": 50_000, "LONGEST_S": 60.0}, "it makes a text of more than 50,000 characters"),
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_ends_and_the_conversation_goes_on(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it does, the prompt is written the plain way, and the reason is known."""
    limits, reason = SOON.get(name, ({}, ""))
    for limit, value in limits.items():
        monkeypatch.setattr(jinja_limits, limit, value)
    template = ChatTemplate("{{ messages[0].content }}" + HOSTILE[name])
    with processor_time() as spent:
        rendered = template.render([Message("user", "Hello")])
    # Two seconds for each of the forms in which the messages are tried, and what a last operation takes.
    assert spent.at_rest_s < 15.0
    assert "Hello" in "".join(segment.text for segment in rendered.segments)
    assert template.trouble
    assert template.trouble == reason or name not in SOON


def test_the_limits_start_anew_with_each_rendering() -> None:
    """A long day with one model is not held against its template."""
    template = LimitedTemplate("{% for a in range(90000) %}{% endfor %}done")
    assert [template.render() for _ in range(5)] == ["done"] * 5


def test_over_the_limit_is_told_apart() -> None:
    """What the program forbids has its own error, with a reason that completes a sentence."""
    with pytest.raises(OverLimit, match="it repeats a text without measure"):
        LimitedTemplate("{{ 'x' * 10000000000 }}").render()
