"""The language of chat templates, with an end: Jinja that cannot run on, eat memory or reach out.

A template comes with a model file, which is a stranger's. Jinja's sandbox keeps it from our objects, but not
from computing for ever: two nested loops over `range(100000)` take a week, `s ~ s` forty times takes all
memory. Here every item of a loop and every call is counted, and nothing may make a text longer than a prompt
ever is. What goes over a limit raises OverLimit; whatever else a template raises is its own.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, NoReturn, cast

import jinja2
import jinja2.ext
import jinja2.sandbox
from jinja2 import nodes

LONGEST_SOURCE = 200_000  # characters; the longest published ones have some 30,000
LONGEST_TEXT = 2_000_000  # characters; contents stand in it as placeholders
MOST_STEPS = 200_000  # items of loops and calls; a conversation of a thousand messages takes some 10,000
LONGEST_S = 2.0
LARGEST_NUMBER = 1 << 64
LARGEST_WIDTH = 10_000  # that a text is filled up to, or set in by
# Those that pad, indent, repeat or replace, by the names of their functions in Jinja.
GROWING_FILTERS = frozenset(
    {
        *("do_center", "do_indent", "do_format", "do_replace", "do_join", "sync_do_join"),
        *("do_slice", "sync_do_slice", "do_batch", "do_round"),
    }
)
# Methods of a text that put as much as they are told in the place of each letter.
UNUSED_METHODS = frozenset({"translate", "maketrans", "format_map"})
# Slow with some texts, or of no use in a prompt.
UNUSED_FILTERS = frozenset({"urlize", "urlencode", "striptags", "wordwrap", "pprint", "random", "xmlattr"})
_WIDTH = re.compile(r"\d{5,}")  # in a format such as %100000d


class OverLimit(Exception):
    """The template does more than any honest one."""


class LimitedTemplate:
    """One template. Not for several threads at once. Making it raises what Jinja raises for bad syntax."""

    def __init__(self, source: str, in_json: Callable[[str], str] = str) -> None:
        """`in_json` changes what the filter `tojson` has written."""
        if len(source) > LONGEST_SOURCE:
            raise OverLimit(f"it has more than {LONGEST_SOURCE:,} characters")
        self._environment = _Environment(in_json)
        self._template = self._environment.from_string(source)

    def render(self, **values: Any) -> str:
        """The whole text. Raises OverLimit, and whatever the template does."""
        self._environment.begin()
        parts, length = [], 0
        for part in self._template.generate(**values):
            length += len(part)
            if length > LONGEST_TEXT:
                raise OverLimit(f"it writes more than {LONGEST_TEXT:,} characters")
            parts.append(part)
        return "".join(parts)


class _Generation(jinja2.ext.Extension):
    """`{% generation %}` marks the answer for training; here its body is just text."""

    tags = {"generation"}  # noqa: RUF012  # the base class declares it so

    def parse(self, parser: Any) -> Any:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _Environment(jinja2.sandbox.ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self, in_json: Callable[[str], str]) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.loopcontrols", _Generation],
            finalize=_weighed,
        )
        self._steps = 0
        self._until = float("inf")
        self.filters["tojson"] = lambda *args, **options: in_json(_to_json(*args, **options))
        kept = {name: made for name, made in self.filters.items() if name not in UNUSED_FILTERS}
        self.filters = {
            name: _checked_filter(function, self._look_at_clock) for name, function in kept.items()
        }
        self.filters |= {"counted_items": self._counted, "joined_text": _joined, "weighed": _weighed}
        self.globals.pop("lipsum")  # writes as much as it is asked for
        self.globals.update(raise_exception=_raise, strftime_now=_strftime_now)

    def begin(self) -> None:
        self._steps, self._until = 0, time.monotonic() + LONGEST_S

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Every loop counts its items, and texts are joined where their length can be looked at."""
        tree = super()._parse(source, name, filename)
        for loop in list(tree.find_all(nodes.For)):
            # Its items are not counted where the loop calls itself.
            if loop.recursive:
                raise OverLimit("it has a recursive loop")
            loop.iter = _through(loop.iter, "counted_items")
        # What is compared or looked up is gone through as often as it holds itself: `[x, x]` forty times over
        # is read for days, in one step that nothing interrupts.
        for kind in (nodes.List, nodes.Tuple, nodes.Dict):
            _replace(tree, kind, _weighed_where_read)
        _replace(tree, nodes.Concat, lambda found: _through(nodes.List(found.nodes), "joined_text"))
        return tree

    def call(self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        self._count()
        # Methods of a text make long ones of short ones: `center`, `ljust`, `replace`.
        if isinstance(text := getattr(__obj, "__self__", None), str):
            if getattr(__obj, "__name__", "") in UNUSED_METHODS:
                raise OverLimit("it puts texts in the place of letters")
            _check_growth((text, *args, *kwargs.values()))
        return _weighed(super().call(__context, __obj, *args, **kwargs))

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """`str.format` is no method of the text any more, so that `call` cannot look at it."""
        made = super().wrap_str_format(value)
        if made is None:
            return None

        def checked(*args: Any, **kwargs: Any) -> str:
            _check_growth((value.__self__, *args, *kwargs.values()))
            return made(*args, **kwargs)

        return checked

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        _check_operands(operator, left, right)
        return _weighed(super().call_binop(context, operator, left, right))

    def _counted(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self._count()
            yield item

    def _count(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise OverLimit(f"it takes more than {MOST_STEPS:,} steps")
        # Not each time: asking the clock costs as much as a step.
        if self._steps % 16 == 0:
            self._look_at_clock()

    def _look_at_clock(self) -> None:
        if time.monotonic() > self._until:
            raise OverLimit(f"it computes for more than {LONGEST_S:.0f} seconds")


def _weighed_where_read(node: Any) -> nodes.Node:
    """Not where names are given values: `{% for a, b in … %}`."""
    return node if getattr(node, "ctx", "load") != "load" else _through(node, "weighed")


def _through(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(cast(nodes.Expr, node), name, [], [], None, None, lineno=node.lineno or 1)


def _replace(node: nodes.Node, kind: type[nodes.Node], made: Callable[[Any], nodes.Node]) -> None:
    """Put `made(found)` in the place of every node of `kind`, the inner ones first."""
    for name, value in list(node.iter_fields()):
        if isinstance(value, list):
            inner = [each for each in value if isinstance(each, nodes.Node)]
            for each in inner:
                _replace(each, kind, made)
            setattr(node, name, [made(each) if isinstance(each, kind) else each for each in value])
        elif isinstance(value, nodes.Node):
            _replace(value, kind, made)
            if isinstance(value, kind):
                setattr(node, name, made(value))


def _checked_filter(function: Callable[..., Any], begin: Callable[[], None]) -> Callable[..., Any]:
    """The same, looking at what goes in and what comes out; Jinja's marks on it stay.

    One of them goes over up to a hundred thousand items, no step of which is counted, so the clock is looked
    at before each: `{% for … %}{{ range(99999) | groupby('real') | length }}` took hours.
    """
    grows = getattr(function, "__name__", "") in GROWING_FILTERS

    def checked(*args: Any, **kwargs: Any) -> Any:
        begin()
        given = (*args, *kwargs.values())
        for value in given:
            _weighed(value)
        if grows:
            _check_growth(given)
        return _weighed(function(*args, **kwargs))

    checked.__dict__.update(getattr(function, "__dict__", {}))
    return checked


def _check_growth(values: tuple[Any, ...]) -> None:
    """Of what pads a text, sets it in, formats it, or puts a long one between or in place of its letters."""
    sizes = sorted((len(value) for value in values if isinstance(value, str | list | tuple)), reverse=True)
    if len(sizes) > 1 and (sizes[0] + 1) * sizes[1] > LONGEST_TEXT:
        raise OverLimit("it makes one text many times as long")
    if any(type(value) is int and abs(value) > LARGEST_WIDTH for value in values):
        raise OverLimit("it fills a text up without measure")
    if any(isinstance(value, str) and _WIDTH.search(value) for value in values):
        raise OverLimit("it fills a text up without measure")


def _check_operands(operator: str, left: Any, right: Any) -> None:
    sizes = [len(value) for value in (left, right) if isinstance(value, str | list | tuple)]
    numbers = [value for value in (left, right) if isinstance(value, int | float)]
    if operator == "*" and sizes and numbers and max(sizes) * max(numbers) > LONGEST_TEXT:
        raise OverLimit("it repeats a text without measure")
    if operator == "**" and any(abs(value) > 64 for value in numbers):
        raise OverLimit("it computes with numbers without measure")
    if operator == "%" and isinstance(left, str):
        _check_growth((left, *(right if isinstance(right, tuple) else (right,))))
        _weighed(right)


def _weighed(value: Any) -> Any:
    """`value`, which written out is no longer than a prompt may be; lists may hold each other."""
    waiting, weight = [value], 0
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            weight += len(each)
        elif isinstance(each, list | tuple):
            weight += len(each)
            waiting += each if weight <= LONGEST_TEXT else ()
        elif isinstance(each, dict):
            weight += len(each)
            waiting += (*each, *each.values()) if weight <= LONGEST_TEXT else ()
        elif isinstance(each, int) and abs(each) > LARGEST_NUMBER:
            raise OverLimit("it computes with numbers without measure")
        if weight > LONGEST_TEXT:
            raise OverLimit(f"it makes a text of more than {LONGEST_TEXT:,} characters")
    return value


def _joined(parts: list[Any]) -> str:
    return "".join(str(_weighed(part)) for part in _weighed(parts))


def _to_json(value: Any, indent: int | None = None, **_options: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=None if indent is None else min(indent, 16))


def _raise(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def _strftime_now(pattern: str) -> str:
    return datetime.now().astimezone().strftime(pattern)
