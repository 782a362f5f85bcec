"""Word lists of languages and consoles, from `resources/commands/words`; read when first met."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from desktop.gate.verdict import Effect
from desktop.paths import resources


class Vocabulary:
    """One file: lists of words by name, and words by class."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def words(self, name: str) -> frozenset[str]:
        return frozenset(self._values.get(name, "").split())

    def effects(self) -> dict[str, Effect]:
        """Every word that stands under a class."""
        return {word: effect for effect in Effect for word in self._values.get(effect.name, "").split()}

    def names(self) -> frozenset[str]:
        """Every word with the name of its list before it: `math.sqrt`."""
        return frozenset(f"{name}.{word}" for name, words in self._values.items() for word in words.split())

    def pairs(self, name: str) -> dict[str, str]:
        """Words of the form a=b."""
        pairs = (word.rpartition("=") for word in self._values.get(name, "").split())
        return {first: second for first, _, second in pairs}

    def section(self, *names: str) -> Vocabulary:
        values = self._values
        for name in names:
            values = values.get(name, {})
        return Vocabulary(values)

    def sections(self) -> list[str]:
        return [name for name, value in self._values.items() if isinstance(value, dict)]


@cache
def vocabulary(name: str) -> Vocabulary:
    """The word lists of one language. Cached: they are part of the program."""
    file = resources() / "commands" / "words" / f"{name}.toml"
    return Vocabulary(tomllib.loads(file.read_text(encoding="utf-8")))
