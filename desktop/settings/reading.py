"""Settings from TOML and the environment, and in words why they could not be read."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import SettingsError

from desktop.errors import UserFacing
from desktop.settings.declared import ENV_DELIMITER, ENV_PREFIX, Settings


def variable_of(section: str, name: str) -> str | None:
    """The environment variable that sets this for the present run, if there is one."""
    whole, single = f"{ENV_PREFIX}{section}".upper(), f"{ENV_PREFIX}{section}{ENV_DELIMITER}{name}".upper()
    for variable, value in os.environ.items():
        if variable.upper() == single or (variable.upper() == whole and name in _keys(value)):
            return variable
    return None


def _keys(value: str) -> tuple[str, ...]:
    try:
        return tuple(json.loads(value))
    except (ValueError, TypeError):
        return ()


def refusal(section: str, name: str, value: Any) -> str:
    """Why `value` cannot be had, as a sentence; empty when it can."""
    kind = type(Settings.model_fields[section].default)
    try:
        kind.model_validate({name: value})
    except ValidationError as error:
        return f"This {_in_words(error.errors()[0])}."
    return ""


def parse(text: str, path: Path) -> Settings:
    """Validate the TOML `text` of `path`. Raises UserFacing."""
    try:
        return Settings(**tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise refused(path, str(error)) from error
    except SettingsError as error:
        raise _refused_variable("", str(error)) from error
    except ValidationError as error:
        raise _invalid(error.errors()[0], text, path) from error


def _invalid(first: ErrorDetails, text: str, path: Path) -> UserFacing:
    section, name = (*(str(part) for part in first["loc"][:2]), "", "")[:2]
    variable = variable_of(section, name)
    if variable is not None:
        return _refused_variable(variable, _in_words(first))
    key = ".".join(part for part in (section, name) if part)
    return refused(path, f"{key}{_line_of(text, section, name)} {_in_words(first)}")


_WORDS = {
    "less_than_equal": "must be at most {le:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "greater_than": "must be more than {gt:g}",
    "enum": "must be one of {expected}",
    "extra_forbidden": "is no setting that Steward knows",
    "finite_number": "must be a number",
    "int": "must be a whole number",
    "float": "must be a number",
    "bool": "must be true or false",
    "string": "must be text in quotation marks",
    "list": "must be a list in square brackets",
    "model": "must be a section, as in [{name}]",
}


def _in_words(error: ErrorDetails) -> str:
    """What is wrong, after the setting's name."""
    kind = error["type"]
    words = _WORDS.get(kind) or _WORDS.get(kind.partition("_")[0])
    if words is None:
        return f"cannot be used: {error['msg']}"
    return words.format_map({**error.get("ctx", {}), "name": error["loc"][0]})


def _line_of(text: str, section: str, name: str) -> str:
    """The line that sets it, as it is usually written: below the heading of its section."""
    heading, of_section = "", ""
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.split("=")[0].strip().strip('"')
        if word.startswith("["):
            heading = word.split("]")[0].strip("[ ")
        elif word in (name, f"{section}.{name}") and heading in (section, ""):
            return f" (line {number})"
        if section in (word, heading) and not of_section:
            of_section = f" (line {number})"
    return of_section


def refused(path: Path, reason: str) -> UserFacing:
    return UserFacing(
        f"The settings in {path} could not be read: {reason}.",
        "The file was left as it is.",
        "Correct that line, or delete it to get the default.",
        code="settings-invalid",
    )


def _refused_variable(name: str, reason: str) -> UserFacing:
    which = f"The environment variable {name}" if name else "An environment variable of the settings"
    return UserFacing(
        f"{which} cannot be used: it {reason}." if name else f"{which} cannot be used: {reason}.",
        "The settings file was left as it is.",
        "Correct the variable, or remove it.",
        code="settings-invalid",
    )
