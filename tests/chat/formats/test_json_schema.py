"""A schema as a grammar: what it lets through, what it refuses, and how large it may get."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.formats.json_schema import (
    SchemaRefused,
    _alike,
    object_grammar,
    one_of,
    parameters_of,
    schema_grammar,
)
from desktop.chat.tool_args import narrowed
from desktop.tools.tool import ParameterType
from tests.chat.formats.gbnf import matches

NODE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
    "required": ["name", "next"],
}
SHAPES = {
    "anyOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
            "required": ["kind", "radius"],
        },
        {
            "type": "object",
            "properties": {"kind": {"const": "group"}, "parts": {"type": "array", "items": {"$ref": "#"}}},
            "required": ["kind", "parts"],
        },
    ]
}
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "mail": {"type": "string"}},
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (
            PERSON,
            [{"name": "Ada"}, {"name": "Ada", "mail": "x"}, {"name": "Ada", "age": 3}],
            [{}, {"age": 3}],
        ),
        (
            PERSON,
            [{"name": 'a"b\\ \n é'}],
            [{"name": 3}, {"name": "Ada", "age": "3"}, {"name": "A", "more": 1}],
        ),
        (
            {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 2},
            [[True], [True, False]],
            [[], [1]],
        ),
        ({"type": "array", "items": {"type": "integer"}, "maxItems": 2}, [[], [1, 2]], [[1, 2, 3]]),
        ({"enum": ["a", "ab", 3, None, {"x": 1}]}, ["a", "ab", 3, None, {"x": 1}], ["b", 4, {}]),
        ({"const": "x"}, ["x"], ["y", None]),
        ({"type": ["string", "null"]}, ["x", None], [1]),
        ({"type": "integer", "minimum": 1, "maximum": 12}, [1, 10, 12], [0, 13, 100]),
        ({"type": "integer", "minimum": 0}, [0, 7, 123], [-1, 1.5]),
        ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "abc"], ["a", "abcd"]),
        ({"type": "string", "format": "date"}, ["2026-11-22"], ["2026-13-01", "today"]),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            [{}, {"a": 1, "b": 2}],
            [{"a": "x"}],
        ),
        ({"type": "object"}, [{}, {"a": [1, {"b": None}]}], [[], 1]),
        ({}, [1, "x", None, [1], {"a": 1}], []),
        (
            NODE,
            [{"name": "a", "next": {"name": "b", "next": None}}],
            [{"name": "a", "next": 3}, {"name": "a"}],
        ),
        (
            SHAPES,
            [{"kind": "group", "parts": [{"kind": "circle", "radius": 1.5}]}],
            [{"kind": "circle", "parts": []}],
        ),
        (
            {
                "allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {"const": 2}}, "required": ["b"]}],
                "$defs": {"A": {"properties": {"a": {"const": 1}}, "required": ["a"]}},
            },
            [{"a": 1, "b": 2}],
            [{"a": 1}, {"b": 2}],
        ),
    ],
)
def test_the_grammar_lets_through_what_the_schema_does(schema: Any, good: list[Any], bad: list[Any]) -> None:
    """Values as they are written here, and no others."""
    grammar = schema_grammar(schema)
    for value in good:
        assert matches(grammar, json.dumps(value, ensure_ascii=False)), value
    for value in bad:
        assert not matches(grammar, json.dumps(value, ensure_ascii=False)), value


@pytest.mark.parametrize(
    "schema",
    [
        "text",
        {"type": "magic"},
        {"anyOf": []},
        {"enum": []},
        {"$ref": "#"},
        {"$ref": "https://example.org/schema"},
        {"$ref": "#/$defs/None"},
        {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}},
        {"type": "string", "minLength": 10_000},
        {"type": "array", "minItems": 3, "maxItems": 2},
        {"type": "integer", "minimum": 5, "maximum": 1},
        {"type": "number", "minimum": 0.5, "maximum": 0.25},
        {"type": "array", "items": {"type": "string"}, "minItems": -1},
        {"type": "object", "properties": {f"p{n}": {} for n in range(2000)}},
        {"enum": [f"v{n}" for n in range(5000)]},
        # Each level doubles the ways of reading what stands there so far.
        {
            "anyOf": [
                {"type": "array", "items": {"$ref": "#"}},
                {"type": "array", "items": {"$ref": "#"}, "maxItems": 9},
            ]
        },
    ],
)
def test_what_cannot_be_held_to_is_refused(schema: Any) -> None:
    """Before llama.cpp sees it, where nothing can stop a grammar that never ends."""
    with pytest.raises(SchemaRefused):
        schema_grammar(schema)


@pytest.mark.parametrize("keyword", [{"pattern": "a+"}, {"not": {}}, {"format": "email"}, {"minimum": 0.5}])
def test_a_strict_schema_promises_only_what_is_kept(keyword: dict[str, Any]) -> None:
    """Without `strict` the rest is left to the model; with it the schema is refused."""
    schema = {"type": "number" if "minimum" in keyword else "string", **keyword}
    assert schema_grammar(schema)
    with pytest.raises(SchemaRefused):
        schema_grammar(schema, strict=True)


def test_nesting_and_ambiguity_are_bounded() -> None:
    """A hundred levels, and a product of alternatives that begin alike, end in a sentence and not in a
    hang.
    """
    deep: Any = {"type": "string"}
    for _ in range(100):
        deep = {"type": "array", "items": deep}
    alike = {"anyOf": [{"type": "string", "minLength": n} for n in range(1, 5)]}
    wide = {"type": "object", "properties": {f"p{n}": alike for n in range(8)}}
    for schema in (deep, wide):
        with pytest.raises(SchemaRefused):
            schema_grammar(schema)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1000, 1000)
    | st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values)
def test_any_object_is_let_through_as_one(value: Any) -> None:
    """`json_object` takes every object and nothing else."""
    text = json.dumps({"a": value}, ensure_ascii=False)
    assert matches(object_grammar(), text)
    assert not matches(object_grammar(), json.dumps([value], ensure_ascii=False))


@given(st.lists(st.text('ab"\\', max_size=5), min_size=1, max_size=8))
def test_a_choice_takes_exactly_the_given_texts(texts: list[str]) -> None:
    """Also where one is the beginning of another."""
    grammar = f"root ::= {one_of(texts)}"
    assert all(matches(grammar, each) for each in texts)
    assert not any(matches(grammar, each + "a") for each in texts if each + "a" not in texts)
    assert not matches(grammar, max(texts, key=len) + "z")


def test_a_choice_is_told_at_the_first_letter_that_differs() -> None:
    """However many there are, what stands there can be read in one way."""
    assert one_of(["red", "rose", "blue"]) == '( "blue" | "r" ( "ed" | "ose" ) )'
    assert one_of(["a", "ab"]) == '"a" ( "" | "b" )'


def test_parameters_are_what_a_schema_says_of_them() -> None:
    """Kinds, choices, what is required, and the text of "a text or null"."""
    found = parameters_of(
        {
            "properties": {
                "city": {"type": "string", "description": "Where."},
                "unit": {"enum": ["c", "f"], "type": "string"},
                "days": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "more": {"$ref": "#/$defs/X"},
                "odd": 3,
            },
            "required": ["city"],
        }
    )
    assert [(each.name, each.kind, each.required) for each in found] == [
        ("city", ParameterType.STRING, True),
        ("unit", ParameterType.STRING, False),
        ("days", ParameterType.INTEGER, False),
        ("tags", ParameterType.ARRAY, False),
        ("more", ParameterType.OBJECT, False),
        ("odd", ParameterType.STRING, False),
    ]
    assert found[1].choices == ("c", "f")
    assert found[3].items is ParameterType.STRING
    assert parameters_of({}) == parameters_of({"properties": "x"}) == ()


ODD: list[dict[str, Any]] = [
    {"type": "object", "required": [{}]},
    {"type": "object", "required": {}},
    {"type": "object", "properties": {"a": {"allOf": [{"$ref": 1}], "properties": {"b": {}}}}},
    {"properties": "half", "allOf": [{"properties": {}}]},
    {"required": None, "allOf": [{"properties": {}}]},
    {"required": True, "allOf": [{"properties": {}}, {"properties": {}}]},
    {"allOf": [{"properties": {}}, {"properties": {}, "required": 1.5}]},
    {"enum": ["a" * number for number in range(1, 350)]},
]


@pytest.mark.parametrize("schema", ODD, ids=range(len(ODD)))
def test_a_schema_of_another_form_is_refused(schema: dict[str, Any]) -> None:
    """Strangers write these; one that ended in a mistake of ours took the whole conversation with it."""
    with pytest.raises(SchemaRefused):
        schema_grammar(schema)


def test_null_as_the_least_is_none() -> None:
    """Some programs write what they leave out."""
    assert matches(schema_grammar({"type": "array", "minItems": None, "items": {"type": "null"}}), "[]")


WORDS = st.sampled_from(
    [
        *["type", "properties", "items", "required", "enum", "const", "minLength", "maxLength", "minItems"],
        *[
            "maxItems",
            "pattern",
            "format",
            "anyOf",
            "oneOf",
            "allOf",
            "$ref",
            "$defs",
            "additionalProperties",
        ],
        *["minimum", "maximum", "multipleOf", "prefixItems", "default", "a", "b"],
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats()
    | st.sampled_from(
        ["string", "object", "array", "integer", "null", "#", "#/$defs/a", "x", "\ud800", "(", ""]
    )
)
ANY_SCHEMA = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(WORDS, ANY_SCHEMA, max_size=5), st.booleans())
def test_any_schema_is_a_grammar_or_refused(schema: dict[str, Any], strict: bool) -> None:
    """And nothing else: no other error, whatever stands where."""
    try:
        assert schema_grammar(schema, strict)
    except SchemaRefused:
        return
    # What the grammar let through is read once more, by others.
    parameters_of(schema)
    narrowed(schema)


@given(st.lists(st.text("ab{", max_size=4), max_size=9))
def test_alternatives_that_begin_alike_are_counted(starts: list[str]) -> None:
    """As comparing every two would count them, which takes seconds for the thousand that there may be."""

    def is_alike(at: int) -> bool:
        others = (other for place, other in enumerate(starts) if place != at)
        return any(starts[at].startswith(other) or other.startswith(starts[at]) for other in others)

    assert _alike(starts) == sum(map(is_alike, range(len(starts))))
