"""What a model wrote as arguments, made into what the tool takes: by rules, before anyone is asked again.

    an unknown key      the closest by edit distance, if it is close and free
    "5" where 5         the number; "yes" where true; 5 where "5"
    "Celsius"           the choice "celsius"
    " `~/notes.txt` "   the path, without what stands around it
    null                as if it were left out

What stays wrong is said in one sentence, for the model to try once more.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from desktop.errors import WithReason
from desktop.tools.reasons import ToolReason
from desktop.tools.tool import Parameter, ParameterType

CLOSE = 0.6  # of difflib's ratio, for keys and choices
_TRUE, _FALSE = frozenset({"true", "yes", "ja", "1", "on"}), frozenset({"false", "no", "nein", "0", "off"})


class WrongArguments(WithReason):
    """They cannot be repaired; `reason` is one sentence, in English for the model."""


def repaired(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as `parameters` want them. Raises WrongArguments."""
    named = _named(parameters, {key: value for key, value in given.items() if value is not None})
    by_name = {each.name: each for each in parameters}
    values = {key: _value(by_name[key], value) for key, value in named.items()}
    missing = [each.name for each in parameters if each.required and each.name not in values]
    if missing:
        raise WrongArguments(ToolReason.ARGUMENT_MISSING.of(name=missing[0]))
    return values


def closest(name: str, known: Sequence[str]) -> str | None:
    """The known name that `name` was meant to be, if one is close enough."""
    flat = {_flat(each): each for each in known}
    if _flat(name) in flat:
        return flat[_flat(name)]
    found = difflib.get_close_matches(_flat(name), flat, n=1, cutoff=CLOSE)
    return flat[found[0]] if found else None


def _flat(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")


def _named(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    known = [each.name for each in parameters]
    named = {key: value for key, value in given.items() if key in known}
    for key, value in given.items():
        if key in named:
            continue
        free = [name for name in known if name not in named]
        name = closest(key, free) or _path_in(parameters, key, free)
        if name is None:
            none = ToolReason.ARGUMENT_UNKNOWN_OF_NONE.of(name=key)
            raise WrongArguments(
                ToolReason.ARGUMENT_UNKNOWN.of(name=key, known=", ".join(known)) if known else none
            )
        named[name] = value
    return named


def _path_in(parameters: Sequence[Parameter], key: str, free: Sequence[str]) -> str | None:
    """The one path there is, for a key such as "filename" or "directory"."""
    paths = [each.name for each in parameters if each.is_path and each.name in free]
    means_path = any(word in key.casefold() for word in ("file", "dir", "folder", "path"))
    return paths[0] if means_path and len(paths) == 1 else None


def _value(parameter: Parameter, value: Any) -> Any:
    made = _MAKERS[parameter.kind](parameter, value)
    if parameter.choices and made not in parameter.choices:
        found = closest(str(made), [str(choice) for choice in parameter.choices])
        if found is None:
            allowed = ", ".join(map(str, parameter.choices))
            raise WrongArguments(ToolReason.ARGUMENT_NO_CHOICE.of(name=parameter.name, choices=allowed))
        return next(choice for choice in parameter.choices if str(choice) == found)
    return made


def _string(parameter: Parameter, value: Any) -> str:
    if isinstance(value, Mapping | list):
        raise WrongArguments(ToolReason.ARGUMENT_NO_TEXT.of(name=parameter.name))
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return _path(text) if parameter.is_path else text


def _path(text: str) -> str:
    tidy = text.strip().strip("`'\"").strip()
    tidy = tidy.removeprefix("file://")
    return tidy if tidy == "/" else tidy.rstrip("/") or "."


def _number(parameter: Parameter, value: Any) -> float:
    if isinstance(value, str):
        text = value.strip().replace(" ", "").replace(",", "" if "." in value else ".")
        try:
            return float(text)
        except ValueError as error:
            raise WrongArguments(ToolReason.ARGUMENT_NO_NUMBER.of(name=parameter.name)) from error
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise WrongArguments(ToolReason.ARGUMENT_NO_NUMBER.of(name=parameter.name))


def _integer(parameter: Parameter, value: Any) -> int:
    number = _number(parameter, value)
    if number != number or number in (float("inf"), float("-inf")) or number != int(number):
        raise WrongArguments(ToolReason.ARGUMENT_NO_WHOLE_NUMBER.of(name=parameter.name))
    return int(number)


def _boolean(parameter: Parameter, value: Any) -> bool:
    word = str(value).strip().casefold()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise WrongArguments(ToolReason.ARGUMENT_NO_BOOLEAN.of(name=parameter.name))


def _array(parameter: Parameter, value: Any) -> list[Any]:
    items = list(value) if isinstance(value, list | tuple) else [value]
    if parameter.items is None:
        return items
    each = Parameter(parameter.name, parameter.items)
    return [_MAKERS[parameter.items](each, item) for item in items]


def _object(parameter: Parameter, value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise WrongArguments(ToolReason.ARGUMENT_NO_OBJECT.of(name=parameter.name))


_MAKERS = {
    ParameterType.STRING: _string,
    ParameterType.INTEGER: _integer,
    ParameterType.NUMBER: _number,
    ParameterType.BOOLEAN: _boolean,
    ParameterType.ARRAY: _array,
    ParameterType.OBJECT: _object,
}
