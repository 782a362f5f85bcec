"""How one setting is declared: everything that the dialog and the manual show of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field


class Worded(StrEnum):
    """A choice whose members have words for people beside the value that is written in the file."""

    words: str

    def __new__(cls, value: str, words: str) -> Self:
        member = str.__new__(cls, value)
        # Else Enum takes the pair for the value, and it would stand in the file.
        member._value_ = value
        member.words = words
        return member


class Editor(StrEnum):
    """How a text is edited, where its type does not say it."""

    AS_TYPED = ""
    LONG = "long"
    FOLDER = "folder"
    FOLDERS = "folders"  # a list of them
    KEYS = "keys"  # keys pressed together, which every system writes in its own way


@dataclass(frozen=True)
class Display:
    """What the dialog has to know of a setting beyond type, title, help and limits."""

    unit: str = ""  # of a number, in words
    least: str = ""  # what the least number means: "Never"
    step: float = 1  # of a number, for an arrow key
    is_name: bool = False  # a number that counts nothing, such as a port: its digits are not grouped
    empty: str = ""  # what no text means
    editor: Editor = Editor.AS_TYPED
    more: bool = False  # for those who know: folded away
    hidden: bool = False  # kept by the program itself
    next_start: bool = False  # counts only from the next start
    danger: str = ""  # the question before it is switched on
    page: str = ""  # the page of the window on which it is changed, where it is not here
    offers: str = ""  # whose names may be chosen: "models", "agents"


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def setting(default: Any, title: str, help_text: str, display: Display = Display(), **limits: Any) -> Any:
    """Declare one setting: its default, its label, one sentence of help, how it is edited, its limits."""
    return Field(
        default, title=title, description=help_text, json_schema_extra={"display": asdict(display)}, **limits
    )


def display_of(section: type[BaseModel], name: str) -> Display:
    """How setting `name` of `section` was declared to be displayed."""
    extra = section.model_fields[name].json_schema_extra
    declared = cast(dict[str, Any], extra)["display"] if isinstance(extra, dict) else {}
    return Display(**declared)


def group(section: Section, title: str, help_text: str) -> Any:
    """Declare a section of settings: what all are at first, its heading, one sentence."""
    return Field(section, title=title, description=help_text)
