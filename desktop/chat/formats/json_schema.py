"""A JSON schema as a grammar (GBNF, llama.cpp's form), so that an answer cannot be anything else.

Strangers write these schemas, and a grammar is walked in C for every token of the vocabulary, where nothing
can stop it. So everything is bounded before: size, depth, and above all ambiguity, since each way in which
the text so far can be read costs as much as the whole grammar. Values are written as `json.dumps` writes
them, without line breaks: what a schema does not say is not left to the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from desktop.chat.formats.family import JSON_RULES, literal
from desktop.tools.tool import Parameter, ParameterType

MOST_PROPERTIES = 1000  # in the whole schema; the real service's limit
MOST_CHOICES = 1000  # values of all enums together; the same
DEEPEST = 24
MOST_REPEATS = 512  # a bounded repetition is written out, once for each time
MOST_READINGS = 256
SMALL_RANGE = 1000  # integers between two bounds are listed up to here
LONGEST_GRAMMAR = 256 * 1024  # characters

# What narrows a value and that no grammar here expresses. Under `strict` a promise that is not kept is
# refused.
_UNKEPT = frozenset(
    {
        *("not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties"),
        *("propertyNames", "unevaluatedProperties", "unevaluatedItems", "contains", "uniqueItems"),
        *("multipleOf", "minProperties", "maxProperties", "prefixItems", "pattern"),
    }
)

_FORMATS = {
    "date": "date",
    "time": "time",
    "date-time": 'date "T" time',
    "uuid": 'hex{8} "-" hex{4} "-" hex{4} "-" hex{4} "-" hex{12}',
}

_FORMAT_RULES = r"""
date ::= [0-9]{4} "-" ( "0" [1-9] | "1" [0-2] ) "-" ( "0" [1-9] | [12] [0-9] | "3" [01] )
time ::= ( [01] [0-9] | "2" [0-3] ) ":" [0-5] [0-9] ":" [0-5] [0-9] ( "." [0-9]{1,6} )? zone
zone ::= "Z" | [+-] [0-9]{2} ":" [0-9]{2}
hex ::= [0-9a-f]
"""

_PLAIN = {
    "string": "string",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "null": '"null"',
}


class SchemaRefused(ValueError):
    """This schema cannot be held to; the message says where and why, as the end of a sentence."""


def object_grammar() -> str:
    """Any JSON object."""
    return f"root ::= object\n{JSON_RULES}"


def schema_grammar(schema: object, strict: bool = False, closing: str = "") -> str:
    """The grammar of all values that `schema` allows, then `closing`.

    `strict`: whatever cannot be enforced is refused; otherwise it is left to the model. Raises SchemaRefused.
    """
    try:
        return _Grammar(schema, strict).text(closing)
    except RecursionError as error:  # each text of an enum may begin with all of the one before it
        raise SchemaRefused("it is nested too deeply") from error


def parameters_of(schema: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """The properties of a tool's schema as far as `Parameter` can say them; the rest is an object or a
    text.
    """
    properties = schema.get("properties")
    required = schema.get("required")
    named = required if isinstance(required, list) else []
    if not isinstance(properties, Mapping):
        return ()
    return tuple(_parameter(str(name), each, name in named) for name, each in properties.items())


def _parameter(name: str, schema: object, required: bool) -> Parameter:
    if not isinstance(schema, Mapping):
        return Parameter(name, ParameterType.STRING, required)
    kind, inner = _kind_of(schema)
    choices = inner.get("enum")
    items = inner.get("items")
    return Parameter(
        name,
        kind,
        required,
        str(schema.get("description") or inner.get("description") or ""),
        tuple(choices) if isinstance(choices, list) else (),
        items=_kind_of(items)[0] if kind is ParameterType.ARRAY and isinstance(items, Mapping) else None,
    )


def _kind_of(schema: Mapping[str, Any]) -> tuple[ParameterType, Mapping[str, Any]]:
    """The kind, and the schema that says it: of "a text or null" the text."""
    for word in ("anyOf", "oneOf"):
        options = schema.get(word)
        for each in options if isinstance(options, list) else ():
            if isinstance(each, Mapping) and each.get("type") != "null":
                return _kind_of(each)
    types = schema.get("type")
    known = [each for each in (types if isinstance(types, list) else [types]) if each != "null"]
    kinds = {kind.value: kind for kind in ParameterType}
    # Beside an enum or a reference nobody has looked yet at what stands there.
    if known and isinstance(known[0], str) and known[0] in kinds:
        return kinds[known[0]], schema
    return (
        ParameterType.OBJECT if "properties" in schema or "$ref" in schema else ParameterType.STRING,
        schema,
    )


@dataclass
class _Counts:
    """What is bounded over the whole schema."""

    properties: int = 0
    choices: int = 0
    readings: int = 1


@dataclass
class _Rule:
    """What `$ref` names: its rule, and what of it matters for recursion."""

    name: str
    refers_to: set[str] = field(default_factory=set)
    is_ambiguous: bool = False


class _Grammar:
    """Translates one schema. Used once."""

    def __init__(self, schema: object, strict: bool) -> None:
        self._schema = schema
        self._strict = strict
        self._lines: list[str] = []
        self._refs: dict[str, _Rule] = {"#": _Rule("root-value")}
        self._within = ["#"]  # the rules that are being written, outermost first
        self._open = ["#"]  # references followed since the last brace or bracket
        self._counts = _Counts()
        self._made = 0

    def text(self, closing: str) -> str:
        root = self._value(self._schema, "", 0)
        self._refuse_endless()
        end = f" {literal(closing)}" if closing else ""
        lines = [f"root ::= root-value{end}", f"root-value ::= {root}", *self._lines]
        text = "\n".join(lines) + "\n" + JSON_RULES + _FORMAT_RULES
        if len(text) > LONGEST_GRAMMAR:
            raise SchemaRefused("it is too large")
        return text

    # -- one value ----------------------------------------------------------------------------

    def _value(self, schema: object, path: str, depth: int) -> str:
        if schema is True or schema == {}:
            return "value"
        if not isinstance(schema, Mapping):
            raise SchemaRefused(f"{path or 'it'} is not a schema")
        if depth > DEEPEST:
            raise SchemaRefused(f"{path} is nested deeper than {DEEPEST} levels")
        self._refuse_unkept(schema, path)
        if "$ref" in schema:
            return self._reference(schema["$ref"], path, depth)
        for word in ("enum", "const"):
            if word in schema:
                return self._listed(schema[word] if word == "enum" else [schema[word]], path)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self._any_of(schema[word], f"{path}.{word}", depth)
        if "allOf" in schema:
            return self._value(self._merged(schema, path), path, depth + 1)
        return self._typed(schema, path, depth)

    def _typed(self, schema: Mapping[str, Any], path: str, depth: int) -> str:
        types = schema.get("type", _implied(schema))
        if types is None:
            return "value"
        if isinstance(types, list):
            return self._any_of([{**schema, "type": each} for each in types], f"{path}.type", depth)
        if types == "object":
            return self._object(schema, path, depth)
        if types == "array":
            return self._array(schema, path, depth)
        if types == "string":
            return self._string(schema, path)
        if types in ("integer", "number"):
            return self._number(schema, types, path)
        if not isinstance(types, str) or types not in _PLAIN:
            raise SchemaRefused(f"{path or 'it'} has an unknown type")
        return _PLAIN[types]

    def _refuse_unkept(self, schema: Mapping[str, Any], path: str) -> None:
        unkept = sorted(_UNKEPT & set(schema))
        if unkept and self._strict:
            raise SchemaRefused(f"{path or 'it'} uses {unkept[0]!r}, which is not enforced here")

    # -- references and alternatives ----------------------------------------------------------

    def _reference(self, ref: object, path: str, depth: int) -> str:
        if not isinstance(ref, str) or not ref.startswith("#"):
            raise SchemaRefused(f"{path}.$ref does not point into the schema itself")
        # Nothing was written since: the rule would begin with itself, and reading it would never end.
        if ref in self._open:
            raise SchemaRefused(f"{path}.$ref leads back to itself")
        self._refs[self._within[-1]].refers_to.add(ref)
        if ref not in self._refs:
            known = self._refs[ref] = _Rule(f"ref-{len(self._refs)}")
            self._within.append(ref)
            self._open.append(ref)
            body = self._value(_at(self._schema, ref), ref, depth + 1)
            self._open.pop()
            self._within.pop()
            self._lines.append(f"{known.name} ::= {body}")
        return self._refs[ref].name

    def _any_of(self, options: object, path: str, depth: int) -> str:
        if not isinstance(options, list) or not options:
            raise SchemaRefused(f"{path} has no alternatives")
        written = [self._value(each, f"{path}[{at}]", depth + 1) for at, each in enumerate(options)]
        different = dict(zip(written, options, strict=True))
        alike = _alike([self._start(each, 0) for each in different.values()])
        if alike:
            self._counts.readings *= alike
            self._refs[self._within[-1]].is_ambiguous = True
            if self._counts.readings > MOST_READINGS:
                raise SchemaRefused(
                    f"{path} has too many alternatives that begin alike; give each a first property "
                    "with a const of its own"
                )
        return f"( {' | '.join(different)} )"

    def _start(self, schema: object, depth: int) -> str:
        """What every value of `schema` begins with, as far as that is one text."""
        if not isinstance(schema, Mapping) or depth > DEEPEST:
            return ""
        if "$ref" in schema:
            return self._start(_at(self._schema, str(schema["$ref"])), depth + 1)
        if "enum" in schema or "const" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return _shared_start([_json(each) for each in values])
        kind = schema.get("type", _implied(schema))
        if kind == "object":
            return "{" + self._first_pair(schema, depth)
        return {"array": "[", "string": '"', "null": "null"}.get(kind, "") if isinstance(kind, str) else ""

    def _first_pair(self, schema: Mapping[str, Any], depth: int) -> str:
        properties, required = schema.get("properties"), schema.get("required")
        if not isinstance(properties, Mapping) or not properties or not isinstance(required, list):
            return ""
        name = next(iter(properties))
        if name not in required:
            return ""
        return f"{_json(str(name))}: {self._start(properties[name], depth + 1)}"

    def _merged(self, schema: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        """All parts of `allOf` as one object; anything else cannot be put together here."""
        parts = schema["allOf"]
        if not isinstance(parts, list) or not parts:
            raise SchemaRefused(f"{path}.allOf has no parts")
        whole = {key: value for key, value in schema.items() if key != "allOf"}
        if len(parts) == 1 and isinstance(parts[0], Mapping) and not whole.get("properties"):
            return {**whole, **parts[0]}
        properties: dict[str, Any] = {}
        required: list[str] = []
        for part in (whole, *parts):
            found = _at(self._schema, part["$ref"]) if isinstance(part, Mapping) and "$ref" in part else part
            described = (
                found.get("properties", {} if part is whole else None) if isinstance(found, Mapping) else None
            )
            if not isinstance(found, Mapping) or not isinstance(described, Mapping):
                raise SchemaRefused(f"{path}.allOf joins more than properties of objects")
            properties.update(described)
            required += _names(found.get("required", []), path)
        return {**whole, "type": "object", "properties": properties, "required": required}

    def _refuse_endless(self) -> None:
        """A rule that leads back to itself past alternatives that begin alike doubles the readings each
        time.
        """
        for ref, rule in self._refs.items():
            if rule.is_ambiguous and self._reaches(ref, ref):
                raise SchemaRefused(
                    f"{ref} contains itself among alternatives that begin alike; give each a first property "
                    "with a const of its own"
                )

    def _reaches(self, start: str, goal: str) -> bool:
        seen, waiting = set[str](), list(self._refs[start].refers_to)
        while waiting:
            ref = waiting.pop()
            if ref == goal:
                return True
            if ref not in seen:
                seen.add(ref)
                waiting += self._refs[ref].refers_to
        return False

    # -- objects and arrays -------------------------------------------------------------------

    def _object(self, schema: Mapping[str, Any], path: str, depth: int) -> str:
        properties = schema.get("properties", {})
        extra = schema.get("additionalProperties", not properties)
        required = _names(schema.get("required", []), path)
        if not isinstance(properties, Mapping):
            raise SchemaRefused(f"{path or 'it'} has properties or required in another form")
        missing = [name for name in required if name not in properties]
        if missing and self._strict:
            raise SchemaRefused(f"{path or 'it'} requires {missing[0]!r}, which it does not describe")
        self._counts.properties += len(properties)
        if self._counts.properties > MOST_PROPERTIES:
            raise SchemaRefused(f"it has more than {MOST_PROPERTIES} properties")
        opened, self._open = self._open, []
        pairs = [
            (
                f"{literal(_json(str(name)) + ': ')} {self._value(each, f'{path}.{name}', depth + 1)}",
                name in required,
            )
            for name, each in properties.items()
        ]
        others = self._value(extra, f"{path}.additionalProperties", depth + 1) if extra is not False else ""
        self._open = opened
        return self._braces(pairs, others)

    def _braces(self, pairs: Sequence[tuple[str, bool]], others: str) -> str:
        """Pairs in their order, where each that is not required may be left out, then any `others`."""
        other = f'string ": " {others}' if others else ""
        # Two rules for each place: whether a comma is due depends on whether anything was written before.
        first = f'( {other} ( ", " {other} )* )?' if other else '""'
        later = f'( ", " {other} )*' if other else '""'
        for pair, needed in reversed(pairs):
            rest = self._rule(later)
            due = f'", " {pair} {rest}'
            alone = f"{pair} {rest}"
            later = due if needed else f"( {due} | {rest} )"
            first = alone if needed else f"( {alone} | {self._rule(first)} )"
        return f'"{{" {self._rule(first)} "}}"'

    def _array(self, schema: Mapping[str, Any], path: str, depth: int) -> str:
        opened, self._open = self._open, []
        item = self._value(schema.get("items", True), f"{path}[]", depth + 1)
        self._open = opened
        least, most = self._bounds(schema, "minItems", "maxItems", path)
        if most == 0:
            return '"[]"'
        item = self._rule(item)
        more = f'( ", " {item} ){_times(max(least - 1, 0), None if most is None else most - 1)}'
        inside = f"{item} {more}"
        return f'"[" {inside} "]"' if least else f'"[" ( {inside} )? "]"'

    def _rule(self, body: str) -> str:
        """The name of a rule for `body`; short bodies stand for themselves."""
        if " " not in body:
            return body
        self._made += 1
        self._lines.append(f"part-{self._made} ::= {body}")
        return f"part-{self._made}"

    # -- plain values -------------------------------------------------------------------------

    def _string(self, schema: Mapping[str, Any], path: str) -> str:
        form = schema.get("format")
        if isinstance(form, str) and form in _FORMATS:
            return f'"\\"" {_FORMATS[form]} "\\""'
        if form is not None and self._strict:
            raise SchemaRefused(f"{path or 'it'} has a format that is not enforced here")
        least, most = self._bounds(schema, "minLength", "maxLength", path)
        if not least and most is None:
            return "string"
        return f'"\\"" character{_times(least, most)} "\\""'

    def _number(self, schema: Mapping[str, Any], kind: str, path: str) -> str:
        limits = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} & set(schema)
        if not limits:
            return kind
        least, most = schema.get("minimum"), schema.get("maximum")
        if isinstance(least, int | float) and isinstance(most, int | float) and most < least:
            raise SchemaRefused(f"{path or 'it'} has a maximum below its minimum")
        if kind == "integer" and limits <= {"minimum", "maximum"}:
            if isinstance(least, int) and isinstance(most, int) and 0 <= most - least <= SMALL_RANGE:
                return self._listed(list(range(least, most + 1)), path)
            if most is None and least == 0:
                return '( "0" | [1-9] [0-9]* )'
            if most is None and least == 1:
                return "[1-9] [0-9]*"
        if self._strict:
            raise SchemaRefused(f"{path or 'it'} has limits of a number that are not enforced here")
        return kind

    def _listed(self, values: object, path: str) -> str:
        if not isinstance(values, list) or not values:
            raise SchemaRefused(f"{path or 'it'} has an enum without values")
        self._counts.choices += len(values)
        if self._counts.choices > MOST_CHOICES + SMALL_RANGE:
            raise SchemaRefused(f"it has more than {MOST_CHOICES} choices")
        return one_of([_json(each) for each in values])

    def _bounds(self, schema: Mapping[str, Any], low: str, high: str, path: str) -> tuple[int, int | None]:
        least, most = schema.get(low) or 0, schema.get(high)
        for name, value in ((low, least), (high, most)):
            if value is not None and (not isinstance(value, int) or not 0 <= value <= MOST_REPEATS):
                raise SchemaRefused(f"{path or 'it'} has a {name} that is not between 0 and {MOST_REPEATS}")
        if most is not None and most < least:
            raise SchemaRefused(f"{path or 'it'} has a {high} below its {low}")
        return least, most


def _alike(starts: Sequence[str]) -> int:
    """How many of them begin with another one, or another one with them."""
    alike: set[int] = set()
    open_ones: list[int] = []  # each of which begins the next
    # In order a text follows what it begins with, so that not every two have to be compared: a thousand
    # alternatives are few, and a million comparisons keep the server's loop from all hooks.
    for at in sorted(range(len(starts)), key=starts.__getitem__):
        while open_ones and not starts[at].startswith(starts[open_ones[-1]]):
            open_ones.pop()
        if open_ones:
            alike |= {at, open_ones[-1]}
        open_ones.append(at)
    return len(alike)


def one_of(texts: Sequence[str]) -> str:
    """One of `texts`, told apart at the first character that differs, so that there is always one reading."""
    words = sorted(set(texts))
    if len(words) == 1:
        return literal(words[0]) if words[0] else '""'
    shared = _shared_start(words)
    rests = [word[len(shared) :] for word in words]
    groups = [list(group) for _, group in groupby(rests, key=lambda rest: rest[:1])]
    inside = f"( {' | '.join(one_of(group) for group in groups)} )"
    return f"{literal(shared)} {inside}" if shared else inside


def _shared_start(texts: Sequence[str]) -> str:
    """What all of `texts` begin with."""
    first, last = min(texts), max(texts)
    return next((first[:at] for at, letter in enumerate(first) if last[at : at + 1] != letter), first)


def _times(least: int, most: int | None) -> str:
    return "*" if not least and most is None else f"{{{least},{'' if most is None else most}}}"


def _implied(schema: Mapping[str, Any]) -> str | None:
    """The type that the keywords speak of where none is named."""
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    return "array" if "items" in schema else None


def _names(required: object, path: str) -> list[str]:
    if not isinstance(required, list) or not all(isinstance(each, str) for each in required):
        raise SchemaRefused(f"{path or 'it'} has properties or required in another form")
    return required


def _at(schema: object, ref: object) -> object:
    """What a reference such as `#/$defs/Node` points at."""
    found = schema
    if not isinstance(ref, str):
        raise SchemaRefused("a $ref is no text")
    for part in ref.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or key not in found:
            raise SchemaRefused(f"{ref} points at nothing")
        found = found[key]
    return found


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
