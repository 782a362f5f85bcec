"""What the model need not find out: which words call for which of Steward's own tools.

A table in resources/tool_hints.toml. It only brings tools into question or keeps them out of it; whether one
is called is decided by the model, and whether it may run by the gate.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from desktop import paths
from desktop.chat.parts import files_in
from desktop.tools.tool import Tool

# Something of the user's own, or of this place: then a question is hardly about the world.
_OWN = re.compile(r"\b(?:my|mine|here|this|mein\w*|hier|dies\w*)\b|https?://|[/~]\w", re.IGNORECASE)
SAID = 0.8  # nats; tuned with the thresholds of deciding.py


@dataclass(frozen=True)
class Hint:
    """About one tool; see the table for what each means."""

    words: re.Pattern[str] | None = None
    only_said: bool = False
    leads_on: bool = False
    file: str = ""
    written_apart: str = ""

    def is_said(self, request: str) -> bool:
        return self.words is not None and self.words.search(request) is not None


@dataclass(frozen=True)
class Hints:
    """By the name of the tool; a tool without one is chosen by the model alone."""

    of: Mapping[str, Hint] = field(default_factory=dict)
    general: re.Pattern[str] | None = None
    small_talk: re.Pattern[str] | None = None

    def called(self, tools: Iterable[Tool], request: str) -> list[Tool]:
        """Those whose words `request` says."""
        return [tool for tool in tools if self.is_said(tool, request)]

    def is_said(self, tool: Tool, request: str) -> bool:
        """Not in a question about the world, such as "How do I delete a file?"."""
        if self.general is not None and self.general.search(request):
            return False
        return self._hint(tool.name).is_said(request)

    def needs_nothing(self, request: str) -> bool:
        """Whether it is plain, without asking a model, that `request` needs no tool."""
        if self.small_talk is not None and self.small_talk.fullmatch(request.strip()):
            return True
        if self.general is None or not self.general.search(request):
            return False
        return not files_in(request) and _OWN.search(request) is None

    def says_nothing_of(self, tools: Iterable[Tool], request: str) -> bool:
        """Whether `request` has no word of any of `tools`, names no file and nothing of the user's own.

        False where a tool has no words of its own: then only the model can tell.
        """
        if files_in(request) or _OWN.search(request) is not None:
            return False
        hints = [self._hint(tool.name) for tool in tools]
        return all(hint.words is not None and not hint.is_said(request) for hint in hints)

    def held_back(self, tools: Iterable[Tool], request: str) -> list[Tool]:
        """Those that need their words and do not have them."""
        waiting = (tool for tool in tools if self._hint(tool.name).only_said)
        return [tool for tool in waiting if not self.is_said(tool, request)]

    def weight(self, tool: Tool, request: str) -> float:
        """How much the words of `request` speak for `tool`, in nats; 0 where nothing is known."""
        if self._hint(tool.name).words is None:
            return 0.0
        return SAID if self.is_said(tool, request) else -SAID

    def leads_on(self, name: str) -> bool:
        return self._hint(name).leads_on

    def file(self, name: str) -> str:
        """The argument that names a file; "" where there is none."""
        return self._hint(name).file

    def written_apart(self, name: str) -> str:
        """The argument that is a whole text; "" where there is none."""
        return self._hint(name).written_apart

    def _hint(self, name: str) -> Hint:
        return self.of.get(name, _NONE)


_NONE = Hint()


@cache
def own_hints() -> Hints:
    """Of Steward's own tools."""
    table = tomllib.loads((paths.resources() / "tool_hints.toml").read_text(encoding="utf-8"))
    general = re.compile(table.pop("general"), re.IGNORECASE)
    small_talk = re.compile(table.pop("small_talk"), re.IGNORECASE)
    return Hints({name: _hint(row) for name, row in table.items()}, general, small_talk)


def _hint(row: Mapping[str, object]) -> Hint:
    words = re.compile(str(row["words"]), re.IGNORECASE) if "words" in row else None
    return Hint(
        words,
        only_said=bool(row.get("only_said")),
        leads_on=bool(row.get("leads_on")),
        file=str(row.get("file", "")),
        written_apart=str(row.get("written_apart", "")),
    )
