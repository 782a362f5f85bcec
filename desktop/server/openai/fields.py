"""Reading the fields of a request one by one, so that whatever is wrong is named by its path and its type.

A schema library would say the same in its own words and list every branch of a union; clients show the
sentence to people, and the real service says it in this form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_core import from_json

from desktop.server.openai.errors import ApiError

LONGEST_SHOWN = 60  # characters of a value that a sentence repeats


def read_json(body: bytes) -> Fields:
    """The object in `body`. Raises ApiError for anything else: no JSON, NaN, lone surrogates, nested too
    deep.
    """
    try:
        content = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise ApiError(
            f"We could not parse the JSON body of your request: {error}.", code="invalid_json"
        ) from error
    if not isinstance(content, dict):
        raise ApiError("The JSON body must be an object.", code="invalid_json")
    return Fields(content)


class Fields:
    """One JSON object of a request. What is null counts as left out, as the real service has it."""

    def __init__(self, content: dict[str, Any], path: str = "") -> None:
        self.content = content
        self._path = path

    def path(self, name: str) -> str:
        """`name` as errors call it, such as `messages[0].content`."""
        return f"{self._path}.{name}" if self._path else name

    def has(self, name: str) -> bool:
        return self.content.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """Raises ApiError where it is missing and there is no default."""
        value = self._value(name, default)
        if not isinstance(value, str):
            raise self._wrong_type(name, "a string", value)
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise self._wrong_type(name, "a boolean", value)
        return value

    def integer(self, name: str, least: int, most: int) -> int | None:
        """A whole number; None where it is left out. Neither 3.0 nor true is one."""
        value = self.content.get(name)
        if value is None:
            return None
        # A bool is an int in Python; `"max_tokens": true` is a mistake.
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong_type(name, "an integer", value)
        return int(self._within(name, value, least, most))

    def number(self, name: str, least: float, most: float) -> float | None:
        value = self.content.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong_type(name, "a decimal", value)
        return self._within(name, value, least, most)

    def choice(self, name: str, allowed: Sequence[str], default: str | None = None) -> str:
        value = self.text(name, default)
        if value not in allowed:
            raise self.refuse(
                name,
                f"Invalid value: {shown(value)}. Supported values are: {', '.join(map(repr, allowed))}.",
                "invalid_value",
            )
        return value

    def record(self, name: str) -> Fields:
        value = self._value(name, None)
        if not isinstance(value, dict):
            raise self._wrong_type(name, "an object", value)
        return Fields(value, self.path(name))

    def optional_record(self, name: str) -> Fields | None:
        return self.record(name) if self.has(name) else None

    def array(self, name: str, most: int) -> list[Any]:
        """At most `most` elements; empty where it is left out."""
        value = self._value(name, [])
        if not isinstance(value, list):
            raise self._wrong_type(name, "an array", value)
        if len(value) > most:
            raise self.refuse(
                name,
                f"Invalid {self.path(name)!r}: array too long. Expected an array with maximum length {most}, "
                f"but got an array with length {len(value)} instead.",
                "array_above_max_length",
            )
        return value

    def records(self, name: str, most: int) -> Iterator[Fields]:
        """The elements of an array of objects."""
        for index, each in enumerate(self.array(name, most)):
            where = f"{self.path(name)}[{index}]"
            if not isinstance(each, dict):
                raise wrong_type(where, "an object", each)
            yield Fields(each, where)

    def refuse(self, name: str, message: str, code: str | None = None) -> ApiError:
        """The error for a field, to be raised."""
        return ApiError(message, self.path(name), code)

    def _value(self, name: str, default: Any) -> Any:
        value = self.content.get(name)
        if value is not None:
            return value
        if default is None:
            raise self.refuse(
                name, f"Missing required parameter: {self.path(name)!r}.", "missing_required_parameter"
            )
        return default

    def _within(self, name: str, value: float, least: float, most: float) -> float:
        if least <= value <= most:
            return value
        # The real service's codes: clients go by them.
        kind = "decimal" if isinstance(value, float) else "integer"
        side, sign, limit = ("below min", ">=", least) if value < least else ("above max", "<=", most)
        raise self.refuse(
            name,
            f"Invalid {self.path(name)!r}: {kind} {side}imum value. Expected a value {sign} {limit}, but got "
            f"{shown(value)} instead.",
            f"{kind}_{side.replace(' ', '_')}_value",
        )

    def _wrong_type(self, name: str, wanted: str, value: object) -> ApiError:
        return wrong_type(self.path(name), wanted, value)


def wrong_type(path: str, wanted: str, value: object) -> ApiError:
    return ApiError(
        f"Invalid type for {path!r}: expected {wanted}, but got {kind_of(value)} instead.",
        path,
        "invalid_type",
    )


def kind_of(value: object) -> str:
    """JSON's word for the type of a value."""
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "a boolean"),
        (int, "an integer"),
        (float, "a decimal"),
        (str, "a string"),
        (list, "an array"),
        (dict, "an object"),
    )
    return next((words for kind, words in kinds if isinstance(value, kind)), "null")


def shown(value: object) -> str:
    """A value as a sentence repeats it: cut, so that an error is never as large as its request."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
