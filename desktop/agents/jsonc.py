"""Edits of somebody else's settings: JSON, also with comments and trailing commas, and not a byte more.

The text is never written anew from its values: an entry is inserted as one piece, or cut out again, and every
other byte stays. Pure functions; offsets count characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

DEEPEST = 100
_SPACE = re.compile(r"(?:[ \t\r\n]|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"', re.DOTALL)
_WORD = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_BOM = "\ufeff"


class UnreadableJson(Exception):
    """The text is no JSON; says what and in which line."""


@dataclass(frozen=True)
class Node:
    """A value and where it stands. `items` are the elements of an array or the values of an object."""

    start: int
    end: int
    value: Any
    items: tuple[JsonItem, ...] = ()

    def member(self, name: str) -> Node | None:
        """The value of that key; the last one counts, as for every reader of JSON."""
        return next((item.node for item in reversed(self.items) if item.name == name), None)


@dataclass(frozen=True)
class JsonItem:
    """An element, or a key with its value. `comma` is the place behind its comma, None where it has none."""

    name: str | None
    start: int
    node: Node
    comma: int | None

    @property
    def end(self) -> int:
        return self.node.end


def parse(text: str) -> Node:
    """The root value. Raises Unreadable."""
    reader = _Reader(text)
    place = reader.skip(1 if text.startswith(_BOM) else 0)
    node = reader.value(place, 0)
    if reader.skip(node.end) != len(text):
        reader.fail("something stands behind the end", reader.skip(node.end))
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def fail(self, why: str, place: int) -> NoReturn:
        line = self._text.count("\n", 0, place) + 1
        raise UnreadableJson(f"line {line}: {why}")

    def skip(self, place: int) -> int:
        """The place behind white space and comments."""
        matched = _SPACE.match(self._text, place)
        assert matched is not None
        return matched.end()

    def value(self, place: int, depth: int) -> Node:
        first = self._text[place : place + 1]
        if depth > DEEPEST:
            self.fail("it is nested too deeply", place)
        if first == "{":
            return self._container(place, depth, "}")
        if first == "[":
            return self._container(place, depth, "]")
        return self._scalar(place, _STRING if first == '"' else _WORD)

    def _scalar(self, place: int, form: re.Pattern[str]) -> Node:
        matched = form.match(self._text, place)
        if matched is None:
            self.fail("a value is expected", place)
        try:
            return Node(place, matched.end(), json.loads(matched.group()))
        except ValueError:
            self.fail("a text is written wrongly", place)

    def _container(self, place: int, depth: int, closing: str) -> Node:
        items: list[JsonItem] = []
        at = self.skip(place + 1)
        while self._text[at : at + 1] != closing:
            if items and items[-1].comma is None:
                self.fail(f"a comma or {closing} is expected", at)
            items.append(self._item(at, depth, named=closing == "}"))
            at = self.skip(items[-1].comma or items[-1].end)
        return Node(place, at + 1, _value(items, closing), tuple(items))

    def _item(self, place: int, depth: int, named: bool) -> JsonItem:
        name, at = self._key(place) if named else (None, place)
        node = self.value(at, depth + 1)
        after = self.skip(node.end)
        comma = after + 1 if self._text[after : after + 1] == "," else None
        return JsonItem(name, place, node, comma)

    def _key(self, place: int) -> tuple[str, int]:
        if self._text[place : place + 1] != '"':
            self.fail("a key in quotes is expected", place)
        key = self._scalar(place, _STRING)
        colon = self.skip(key.end)
        if self._text[colon : colon + 1] != ":":
            self.fail("a colon is expected", colon)
        return str(key.value), self.skip(colon + 1)


def _value(items: list[JsonItem], closing: str) -> Any:
    if closing == "]":
        return [item.node.value for item in items]
    return {item.name: item.node.value for item in items}


def appended(text: str, path: tuple[str, ...], entry: Any) -> str:
    """`text` with `entry` at the end of the array at `path`; what is missing on the way is made.

    An empty text counts as an empty object. Raises Unreadable, also where another kind of value is in the
    way.
    """
    text, node, left = _reached(text, path)
    if left:
        return _inserted(text, node, left[0], _nested(left[1:], [entry]))
    if not isinstance(node.value, list):
        _Reader(text).fail(f"{'.'.join(path)} is no list", node.start)
    return _inserted(text, node, None, entry)


def placed(text: str, path: tuple[str, ...], name: str, value: Any) -> str:
    """`text` with the key `name` in the object at `path`; as `appended` otherwise. Raises Unreadable, also
    where the key is there already."""
    text, node, left = _reached(text, path)
    if left:
        return _inserted(text, node, left[0], _nested(left[1:], {name: value}))
    if _only(node, name, text) is not None:
        _Reader(text).fail(f"there is another {name}", node.start)
    return _inserted(text, node, name, value)


def _reached(text: str, path: tuple[str, ...]) -> tuple[str, Node, list[str]]:
    """The text, the last container on the way to `path`, and what of the way is missing from there on."""
    if not text.strip(f"{_BOM} \t\r\n"):
        text = text.rstrip(" \t\r\n") + "{}" + _newline(text)
    node, left = parse(text), list(path)
    while left and (inner := _only(node, left[0], text)) is not None:
        node, _ = inner, left.pop(0)
    return text, node, left


def set_if_missing(text: str, name: str, value: Any) -> str:
    """`text` with the key at its top level; a key that is there stays as it is. Raises Unreadable."""
    node = _object(parse(text), text)
    return text if node.member(name) is not None else _inserted(text, node, name, value)


def _only(node: Node, name: str, text: str) -> Node | None:
    # Readers of JSON differ on which of two keys counts; such a file is left alone.
    found = [item.node for item in _object(node, text).items if item.name == name]
    if len(found) > 1:
        _Reader(text).fail(f"{name} stands there more than once", found[-1].start)
    return found[0] if found else None


def _object(node: Node, text: str) -> Node:
    if not isinstance(node.value, dict):
        _Reader(text).fail("an object in braces is expected", node.start)
    return node


def _nested(path: list[str], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _inserted(text: str, container: Node, name: str | None, value: Any) -> str:
    """One piece of text behind the last item, in the document's own indentation."""
    newline, step = _newline(text), _step(text)
    inside = _margin(text, container.start) + step
    lines = json.dumps(value, indent=step, ensure_ascii=False).split("\n")
    piece = ("" if name is None else f"{json.dumps(name)}: ") + (newline + inside).join(lines)
    if not container.items:
        before = container.start + 1
        ending = newline + _margin(text, container.start) if text[before] in "]}" else ""
        return f"{text[:before]}{newline}{inside}{piece}{ending}{text[before:]}"
    last = container.items[-1]
    if last.comma is not None:
        return f"{text[: last.comma]}{newline}{inside}{piece},{text[last.comma :]}"
    return f"{text[: last.end]},{newline}{inside}{piece}{text[last.end :]}"


def without(text: str, is_ours: Callable[[Any], bool]) -> str:
    """`text` less every value for which `is_ours`, and less what holds nothing else. Raises Unreadable."""
    # Parsed anew after every cut: offsets move, and the text must stay readable at each step.
    while (found := _first(parse(text), is_ours)) is not None:
        text = _cut(text, *found)
    return text


def find(text: str, is_ours: Callable[[Any], bool]) -> tuple[Any, ...]:
    """The values for which `is_ours`, from the outside in. Raises Unreadable."""
    found: list[Any] = []

    def search(node: Node) -> None:
        for item in node.items:
            if is_ours(item.node.value):
                found.append(item.node.value)
            else:
                search(item.node)

    search(parse(text))
    return tuple(found)


def _first(node: Node, is_ours: Callable[[Any], bool]) -> tuple[Node, int] | None:
    """The container and the place in it of the first item that must go."""
    for index, item in enumerate(node.items):
        if is_ours(item.node.value) or _holds_only(item.node, is_ours):
            return node, index
        if (found := _first(item.node, is_ours)) is not None:
            return found
    return None


def _holds_only(node: Node, is_ours: Callable[[Any], bool]) -> bool:
    """Whether nothing is in it but ours; the matcher of a group of ours goes with it."""
    inner = [item.node for item in node.items if item.name != "matcher"]
    return bool(inner) and all(is_ours(each.value) or _holds_only(each, is_ours) for each in inner)


def _cut(text: str, container: Node, index: int) -> str:
    """The text without one item, its comma and the space before it; comments around it stay."""
    item = container.items[index]
    before = container.items[index - 1] if index else None
    gap = container.start + 1 if before is None or before.comma is None else before.comma
    start = _lead(text, gap, item.start)
    if item.comma is not None:
        between = text[item.end : item.comma - 1]
        return text[:start] + (between if between.strip() else "") + text[item.comma :]
    kept = text[:start] if before is None else text[: gap - 1] + text[gap:start]
    return kept + text[item.end :]


def _lead(text: str, gap: int, start: int) -> int:
    """Where the space before an item begins; the line end behind a comment stays, it ends the comment."""
    comments = list(_COMMENT.finditer(text, gap, start))
    if not comments:
        return gap
    end = comments[-1].end()
    ends_with_line = comments[-1].group().startswith("//")
    return text.index("\n", end) + 1 if ends_with_line else end


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _step(text: str) -> str:
    """One level of indentation: that of the first indented line, two spaces where there is none."""
    found = re.search(r'^([ \t]+)["\[{]', text, re.MULTILINE)
    return found.group(1) if found else "  "


def _margin(text: str, place: int) -> str:
    """The indentation of the line in which `place` stands."""
    line = text.rfind("\n", 0, place) + 1
    found = re.match(r"[ \t]*", text[line:])
    assert found is not None
    return found.group()
