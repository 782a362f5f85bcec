"""What somebody wants to do, as the policy sees it: a tool call, or a coding agent's."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.gate.verdict import Effect, Flag, Step
from desktop.reasons import Reason

_SEVERAL = re.compile(r"[;&|<>$`(){}\\\n]")  # more than one plain command


class Unfit(StrEnum):
    """Why a rule is listed and never honoured."""

    EVERYTHING = "every command"
    PATTERN = "a pattern within the words"
    NOT_PLAIN = "no plain command"


@dataclass(frozen=True)
class AgentRule:
    """`text` as it stands in the agent's settings; `words` begin the commands that it covers, or are them."""

    text: str
    words: tuple[str, ...] = ()
    is_prefix: bool = False
    unfit: Unfit | None = None

    @classmethod
    def of(cls, text: str, command: str, *, is_prefix: bool = False) -> AgentRule:
        """The rule that `text` writes for `command`, in which a star at the end stands for what follows."""
        begun = command.strip()
        if begun.endswith("*"):
            begun, is_prefix = begun.rstrip("*").removesuffix(":").rstrip(), True
        if not begun:
            return cls(text, unfit=Unfit.EVERYTHING)
        if "*" in begun:
            return cls(text, unfit=Unfit.PATTERN)
        try:
            words = () if _SEVERAL.search(begun) else tuple(shlex.split(begun))
        except ValueError:  # a quote without its end
            words = ()
        return cls(text, words, is_prefix) if words else cls(text, unfit=Unfit.NOT_PLAIN)

    def covers(self, words: Sequence[str]) -> bool:
        """Whether this is a command that the rule names."""
        if self.unfit is not None or not self.words:
            return False
        begun = tuple(words[: len(self.words)]) == self.words
        return begun and (self.is_prefix or len(words) == len(self.words))


@dataclass(frozen=True)
class Request:
    """`parts` is everything that it touches or runs; whoever allows it must cover every one.

    A path stands as an absolute, resolved path. Of a command line `text` is what was written, and each part
    one of its commands with its redirections and assignments; a line that was not taken apart is one part.
    `untrusted` names what in the context did not come from the user ("a web page", "the clipboard").
    """

    tool: str
    effect: Effect
    flags: frozenset[Flag] = frozenset()
    parts: tuple[str, ...] = ()
    text: str = ""
    folder: Path = Path("/")
    chat: str = ""
    runs: bool = False  # a command line rather than paths
    is_static: bool = True  # all of it can be read off the text: no expansion, substitution or glob
    commands: tuple[str, ...] = ()  # of a line, without quotes, also those that others run: for rules
    unknown_program: str = ""  # all that is unclear of a plain line: the judge's opinion may count
    is_shown: bool = True  # the user sees all of it
    untrusted: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()  # of a line: its commands one by one; empty where it was not taken apart
    project: Path | None = None  # the root of the project that `folder` is in
    touched: tuple[str, ...] = ()  # of a line: static paths that it makes, changes or removes
    # Of absolute `touched`: where something stands that commands of this project did not make.
    taken: tuple[str, ...] = ()
    scratch: tuple[str, ...] = ()  # places in /tmp that it names and that are its project's own
    in_scratch: bool = False  # what it changes beyond its project lies there
    stays_near: bool = False  # all that it sends goes to this computer
    hosts: tuple[str, ...] = ()  # that it talks to, as far as the text names them
    assigned: tuple[tuple[str, str], ...] = ()  # of a line: variables that its commands inherit, with values
    beyond: Reason | None = None  # what it needs that lies beyond its project, as far as the text tells
    is_kept: bool = False  # all that it deletes is kept first, so that Undo brings it back
    agent_rules: tuple[AgentRule, ...] = ()  # allow rules of the agent's own that the user honours
    never: Reason | None = None  # why it is never done, whatever was allowed
    below: tuple[str, ...] = ()  # of a tool that runs nothing: folders of which it reads all that is in them
    pin: str = (
        ""  # of a tool of somebody else's server: what its words, its schema and its server are hashed to
    )


RISKY = (Effect.UNKNOWN, Effect.DELETE)
