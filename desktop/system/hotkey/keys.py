"""Keys of a hotkey, written as people and Qt write them: "Ctrl+Shift+Space"."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from desktop.paths import resources


class Modifier(StrEnum):
    """As Qt names them. On macOS Ctrl is the Command key and Meta the Control key."""

    CTRL = "Ctrl"
    ALT = "Alt"
    SHIFT = "Shift"
    META = "Meta"


@dataclass(frozen=True)
class KeyCodes:
    """One key in the numbers and names of each system."""

    x11: int  # keysym
    windows: int  # virtual-key code
    macos: int  # virtual key code
    portal: str  # XDG shortcuts specification


@dataclass(frozen=True)
class Keys:
    """Modifiers and the key that ends them."""

    modifiers: frozenset[Modifier]
    key: str

    @classmethod
    def read(cls, text: str) -> Keys | None:
        """The keys written as `text`, or None where that is no hotkey that a system could take."""
        # The plus sign itself is no key here: it also parts the others.
        *before, key = (part.strip() for part in text.split("+"))
        try:
            modifiers = frozenset(Modifier(part.capitalize()) for part in before)
        except ValueError:
            return None
        name = _names().get(key.casefold())
        if name is None or len(modifiers) != len(before) or not _is_safe(modifiers, name):
            return None
        return cls(modifiers, name)

    @property
    def codes(self) -> KeyCodes:
        return _table()[self.key]

    def __str__(self) -> str:
        return "+".join([*(modifier for modifier in Modifier if modifier in self.modifiers), self.key])


def _is_safe(modifiers: frozenset[Modifier], name: str) -> bool:
    """What is typed in other programs must not be taken away from them: a hotkey is held by another key."""
    is_function_key = name[0] == "F" and name[1:].isdigit()
    return is_function_key or bool(modifiers - {Modifier.SHIFT})


@cache
def _table() -> dict[str, KeyCodes]:
    content = tomllib.loads((resources() / "keys.toml").read_text(encoding="utf-8"))
    return {name: KeyCodes(**codes) for name, codes in content["keys"].items()}


@cache
def _names() -> dict[str, str]:
    return {name.casefold(): name for name in _table()}
