"""What there is to set, read off the declarations in desktop/settings: nothing is listed a second time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import annotated_types
from pydantic.fields import FieldInfo

from desktop.reasons import Reason
from desktop.settings import Display, Editor, Section, Settings, Worded, display_of, refusal, variable_of
from desktop.system.hotkey.global_hotkey import native
from desktop.ui.language import decimal_point, number_words, plural, tr


class FieldKind(Enum):
    SWITCH = "switch"
    NUMBER = "number"
    CHOICE = "choice"
    TEXT = "text"
    LONG = "long"
    FOLDER = "folder"
    WORDS = "words"
    FOLDERS = "folders"
    ELSEWHERE = "elsewhere"  # shown here, changed on a page of its own


@dataclass(frozen=True)
class SettingField:
    """One setting, with all that a row of the dialog shows of it."""

    section: str
    name: str
    title: str
    help: str
    default: Any
    kind: FieldKind
    display: Display
    least: float | None = None
    most: float | None = None

    @property
    def key(self) -> str:
        """The setting's name in the file: `model.threads`."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str | None:
        """The environment variable that sets it for this run, where there is one."""
        return variable_of(self.section, self.name)

    def refusal(self, value: Any) -> Reason | None:
        """Why it cannot be had; None where it can."""
        return refusal(self.section, self.name, value)

    @property
    def is_whole(self) -> bool:
        """A number without a fraction."""
        return isinstance(self.default, int)

    @property
    def choices(self) -> tuple[tuple[str, str], ...]:
        """Words and value of each choice."""
        if not isinstance(self.default, Worded):
            return ()
        return tuple((tr(member.words), member.value) for member in type(self.default))

    def value_in(self, settings: Settings) -> Any:
        """What it is set to."""
        return getattr(getattr(settings, self.section), self.name)

    def in_words(self, value: Any) -> str:
        """A value as people say it: `4,096 tokens`, `Never`, `on`."""
        if isinstance(value, bool):  # a switch, also where it is on another page
            return tr("on") if value else tr("off")
        if isinstance(value, Worded):
            return tr(value.words)
        if self.kind is FieldKind.NUMBER:
            return self._number_in_words(value)
        if self.kind in (FieldKind.WORDS, FieldKind.FOLDERS):
            value = ", ".join(value)
        if value and self.display.editor is Editor.KEYS:
            return native(value)
        if value and isinstance(value, list | dict):  # what a page of its own lists
            return plural("{count} entry", "{count} entries", len(value))
        return str(value) if value else self.display.empty or tr("empty")

    def number(self, value: float) -> str:
        """A number as the language writes it, with no more decimals than are needed."""
        if self.is_whole:
            return str(int(value)) if self.display.is_name else number_words(int(value))
        # Four decimals are what the box holds; floats from a file may have sixteen.
        return f"{value:.4f}".rstrip("0").rstrip(".").replace(".", decimal_point())

    def caption(self, differs: bool = True) -> str:
        """Help in sentences, the default where the value `differs` from it, and whether a change waits."""
        default = self.default_in_words() if differs else ""
        waits = tr("Takes effect at the next start.") if self.display.next_start else ""
        return " ".join(part for part in (self.help, default, waits) if part)

    def about(self) -> str:
        """The help with the limits, for tooltips and screen readers."""
        return " ".join(part for part in (self.caption(), self.limits()) if part)

    def limits(self) -> str:
        """The numbers that may be had; empty where it is no number."""
        if self.least is None or self.most is None:
            return ""
        return tr("From {least} to {most}.", least=self.number(self.least), most=self.number(self.most))

    def default_in_words(self) -> str:
        """What holds when nothing is set."""
        words = self.in_words(self.default)
        return tr(
            "Default: {value}.", value=words[0].lower() + words[1:] if self._is_phrase(words) else words
        )

    def contains(self, text: str) -> bool:
        """Whether every word of `text` is in its title, help or name."""
        everything = f"{self.title} {self.help} {self.key}".casefold()
        return all(word in everything for word in text.casefold().split())

    def _number_in_words(self, value: float) -> str:
        if self.display.least and value == self.least:
            return self.display.least
        return f"{self.number(value)} {self.display.unit}".rstrip()

    def _is_phrase(self, words: str) -> bool:
        """Not a name: those keep their capital letter."""
        return words in (self.display.least, self.display.empty) and not words.startswith("Steward")


@dataclass(frozen=True)
class FieldGroup:
    """A section of the file."""

    name: str
    title: str
    help: str
    settings: tuple[SettingField, ...]


def field_groups() -> tuple[FieldGroup, ...]:
    """Every section with every setting that people set, in the order of the declarations."""
    return tuple(
        FieldGroup(name, tr(field.title or name), tr(field.description or ""), _settings(name, field.default))
        for name, field in Settings.model_fields.items()
        if isinstance(field.default, Section)
    )


def _settings(section: str, declared: Section) -> tuple[SettingField, ...]:
    kind = type(declared)
    return tuple(
        _known(section, name, field, getattr(declared, name), display_of(kind, name))
        for name, field in kind.model_fields.items()
        if not display_of(kind, name).hidden
    )


def _known(section: str, name: str, field: FieldInfo, default: Any, display: Display) -> SettingField:
    least, most = _limits(field)
    display = _display_in_words(display)
    return SettingField(
        section,
        name,
        tr(field.title or name),
        tr(field.description or ""),
        default,
        field_kind(default, display),
        display,
        least,
        most,
    )


def _display_in_words(display: Display) -> Display:
    """The display with its words in the language in use."""
    return replace(
        display,
        unit=tr(display.unit),
        least=tr(display.least),
        empty=tr(display.empty),
        danger=tr(display.danger),
    )


def field_kind(default: Any, display: Display) -> FieldKind:
    """How a value like `default` is edited."""
    # Before its type: a setting with a page of its own may be a switch or a text there.
    if display.page:
        return FieldKind.ELSEWHERE
    # Before the numbers, because a bool is an int in Python.
    if isinstance(default, bool):
        return FieldKind.SWITCH
    if isinstance(default, int | float):
        return FieldKind.NUMBER
    if isinstance(default, Worded) or (display.offers and isinstance(default, str)):
        return FieldKind.CHOICE
    if isinstance(default, list):
        return FieldKind.FOLDERS if display.editor is Editor.FOLDERS else FieldKind.WORDS
    return {Editor.LONG: FieldKind.LONG, Editor.FOLDER: FieldKind.FOLDER}.get(display.editor, FieldKind.TEXT)


def _limits(field: FieldInfo) -> tuple[float | None, float | None]:
    least: Any = None
    most: Any = None
    for limit in field.metadata:
        if isinstance(limit, annotated_types.Ge):
            least = limit.ge
        elif isinstance(limit, annotated_types.Gt):
            least = limit.gt
        elif isinstance(limit, annotated_types.Le):
            most = limit.le
    return least, most
