"""The ways in which a model can act, and what each is told.

NATIVE: in the form of its own family, where its template knows tools. COMPACT: a list in the instructions and
JSON under a grammar. PATTERNS: `[READ: path]` in what it says. WORDS: not at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from desktop.chat.formats.family import COMPACT, PATTERNS, Family, family_of, tools_in_words
from desktop.chat.formats.found import PATTERNS as MARKS
from desktop.chat.prompts import default_system_prompt, patterns_prompt, tool_rules
from desktop.models.gguf import GgufFacts
from desktop.tools.tool import Tool, Toolbox

# A template that writes each tool as JSON can also be given a line of text.
_WRITES_JSON = re.compile(r"\|\s*tojson")

SMALL = 4_000_000_000  # parameters; below that a model writes better when it is told plainly


class Way(StrEnum):
    NATIVE = "native"
    COMPACT = "compact"
    PATTERNS = "patterns"
    WORDS = "words"


@dataclass(frozen=True)
class Manner:
    """How one model acts, and how its calls and their results are written."""

    way: Way
    family: Family
    is_recurrent: bool = False
    is_small: bool = True
    writes_json: bool = False

    @classmethod
    def of(cls, facts: GgufFacts | None, way: Way) -> Manner:
        template = facts.chat_template if facts is not None else None
        family = {Way.NATIVE: family_of(template), Way.PATTERNS: PATTERNS}.get(way, COMPACT)
        if way is Way.WORDS:
            family = family_of(template)  # earlier calls of the conversation are told all the same
        recurrent = facts is not None and facts.is_recurrent
        small = facts is None or (facts.parameter_count or 0) < SMALL
        return cls(way, family, recurrent, small, bool(template and _WRITES_JSON.search(template)))

    @property
    def acts(self) -> bool:
        return self.way is not Way.WORDS

    @property
    def is_guided(self) -> bool:
        """Whether it is decided for the model whether to call. A recurrent one would have to read everything
        again for each part of a decision, and patterns are for models that cannot be asked."""
        return self.way in (Way.NATIVE, Way.COMPACT) and not self.is_recurrent

    @property
    def retells(self) -> bool:
        """Whether results are answered from a plain prompt of their own."""
        return self.is_guided and self.is_small

    def instructions(self, toolbox: Toolbox, own: str = "") -> str:
        """What the model is told first; `own` are the user's instructions, in place of Steward's. How tools
        are to be used is told with either."""
        system = own or default_system_prompt(tools=self.acts)
        if own and self.acts:
            system = f"{own}\n\n{tool_rules()}"
        if self.way is Way.COMPACT:
            return f"{system}\n\n{tools_in_words(toolbox)}"
        return f"{system}\n\n{patterns_prompt()}" if self.way is Way.PATTERNS else system

    def schemas(self, toolbox: Toolbox, all_of_it: bool = False) -> tuple[Mapping[str, Any] | str, ...]:
        """The tools as the template is to show them; `all_of_it`: with what each argument means.

        Steward's own are lines of text where the template allows it: arguments are written under a grammar,
        which knows their names and types. With 14 tools that is a quarter of the tokens, and the right tool
        is named as often (docs/benchmarks.md).
        """
        if self.way is not Way.NATIVE:
            return ()
        if self.is_guided and self.writes_json and not all_of_it:
            return tuple(tool.signature for tool in toolbox)
        return toolbox.schemas()

    def tools(self, toolbox: Toolbox) -> tuple[Tool, ...]:
        """Those that can be called in this way."""
        if self.way is Way.PATTERNS:
            named = {name for name, _ in MARKS.values()}
            return tuple(tool for tool in toolbox if tool.name in named)
        return tuple(toolbox) if self.acts else ()
