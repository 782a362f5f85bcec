"""Secrets are replaced before anything is written to the audit log.

The table is `resources/redaction.toml`. Besides it, a value whose name says that it is a secret is replaced
whole. Nothing can promise to find every secret; whoever writes to the log therefore hands in commands and
arguments, never contents of files nor output.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.sandbox.environment import SECRET_NAME

# A longer text keeps its beginning and its end, cut at white space: half a token would not be recognised.
LIMIT_CHARACTERS = 16_000
WHOLE = "named-secret"
MOST_NAMES = 1_000
OPTION = re.compile(r"--?[A-Za-z][A-Za-z0-9_-]{0,60}")


@dataclass(frozen=True)
class Rule:
    """One kind of secret. `words` are lower case; `pattern` may have a group `secret`."""

    id: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]

    def apply(self, text: str, lower: str) -> str:
        if self.words and not _holds_one(self.words, lower):
            return text
        return self.pattern.sub(self._replaced, text)

    def _replaced(self, match: re.Match[str]) -> str:
        mark = f"[redacted: {self.id}]"
        if "secret" not in self.pattern.groupindex or match["secret"] is None:
            return mark
        whole, start = match[0], match.start()
        return whole[: match.start("secret") - start] + mark + whole[match.end("secret") - start :]


class Redactor:
    """Replaces secrets. Pure; may be used on any thread."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._words = tuple({word for rule in self._rules for word in rule.words})
        self._can_skip = all(rule.words for rule in self._rules)
        self._plain_names: set[str] = set()  # of fields, which are few and hold no secret

    def text(self, text: str) -> str:
        """`text` with every secret replaced by `[redacted: <rule>]`, and shortened to `LIMIT_CHARACTERS`."""
        cut = shortened(text)
        if self._can_skip and not _holds_one(self._words, cut.lower()):
            return cut
        for rule in self._rules:
            cut = rule.apply(cut, cut.lower())
        return cut

    def value(self, value: Any, name: str = "") -> Any:
        """A JSON value, all the way down; what stands under the name of a secret is replaced whole."""
        if name and isinstance(value, str) and value and SECRET_NAME.search(name.replace("-", "_")):
            return f"[redacted: {WHOLE}]"
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self._name(str(key)): self.value(each, str(key)) for key, each in value.items()}
        if isinstance(value, Sequence):
            return [self.value(each, told) for each, told in zip(value, _names(value, name), strict=True)]
        return value

    def _name(self, name: str) -> str:
        if name in self._plain_names:
            return name
        told = self.text(name)
        if told == name and len(self._plain_names) < MOST_NAMES:
            self._plain_names.add(name)
        return told


def _holds_one(words: tuple[str, ...], lower: str) -> bool:
    for word in words:  # noqa: SIM110 - any() takes five times as long, at some hundred words for every text
        if word in lower:
            return True
    return False


def _names(values: Sequence[Any], name: str) -> list[str]:
    """What each value stands under: in a list of arguments that is the option before it."""
    before = [None, *values]
    return [each if isinstance(each, str) and OPTION.fullmatch(each) else name for each in before[:-1]]


def read_rules(path: Path) -> list[Rule]:
    """The rules of `resources/redaction.toml`; a mistake in it is a bug and raises."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Rule(each["id"], tuple(each.get("words", ())), re.compile(each["pattern"])) for each in table["rule"]
    ]


def shortened(text: str) -> str:
    """At most about `LIMIT_CHARACTERS`, and a note in the place of what is left out."""
    if len(text) <= LIMIT_CHARACTERS:
        return text
    half = LIMIT_CHARACTERS // 2
    head, tail = _until_space(text[:half]), _until_space(text[-half:][::-1])[::-1]
    return f"{head}[… {len(text) - len(head) - len(tail):,} characters …]{tail}"


def _until_space(text: str) -> str:
    """`text` without the word at its end, which may be cut."""
    places = [place for place in (text.rfind(space) for space in " \n\t") if place >= 0]
    return text[: max(places) + 1] if places else ""
