"""What a coding agent is to Steward.

Each agent is a module of this room with one subclass of `Agent`. All that is the vendor's is there: its wire
form (bytes in, an `Action`; a `HookResponse` in, bytes out), its settings and the hooks in them, how it is
launched and the rules of its own. It decides nothing. Whatever comes in, it answers with an allow only for a
response that allows.

The phases (`install.py`, `launch.py`, `hook_handler.py`, `own_rules.py`) ask an agent and know none by name;
`agent_list.py` lists them. What a new one needs: its module, its line in that list, and its test.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from pathlib import Path
from typing import ClassVar

from desktop.agents.action import Action, HookChoice, HookResponse, Moment, Reply, Tools
from desktop.agents.mcp_place import McpPlace
from desktop.agents.reasons import AgentReason
from desktop.agents.settings_file import Computer, HookTarget, SettingsPlace
from desktop.errors import UserFacing
from desktop.gate.request import AgentRule

LEFT_TO_YOU = "Steward did not answer, so this is left to you."


@dataclass(frozen=True)
class Abilities:
    """What an agent lets a hook do. `steward agents list` and the manual say it as it stands here.

    `honours_ask`: "ask" makes the agent prompt by itself. `silence_runs`: without an opinion from us the
    agent may go ahead unasked. `holds`: the longest time-out in seconds that it grants a hook. `can` and
    `cannot` are sentences for people. `rewrites`: the moments at which it runs another command in place of
    its own when told so; `rewrites_tried` is the version with which that was seen. `keeps_folder`: a command
    goes on in the folder in which the one before it ended. `sandboxes`: it has a sandbox of its own around
    commands, in which ours may not be able to work; only a report tells. `hands_on` is a line for its shell
    that lets another shell started by it know what this one was given, such as functions.
    """

    can_deny: bool
    honours_ask: bool
    silence_runs: bool
    holds: float
    can: str
    cannot: str
    rewrites: frozenset[Moment] = frozenset()
    rewrites_tried: str = ""
    keeps_folder: bool = False
    sandboxes: bool = False
    hands_on: str = ""

    @property
    def can_rewrite(self) -> bool:
        return bool(self.rewrites)

    @property
    def enforced(self) -> str:
        """Whether a verdict can be more than a belief, in one sentence."""
        if not self.can_rewrite:
            return "Its commands cannot be confined: it takes no other command in place of its own."
        return f"Its commands can be confined (seen with version {self.rewrites_tried})."


@dataclass(frozen=True)
class WithoutAnswer:
    """What the hook client does by itself where Steward does not answer; see `Agent.token_file_text`.

    Steward may be ended, killed or stuck, and then an agent falls back to its own prompt. Where it has none,
    the client must ask or refuse instead. `otherwise` is for when Steward is not there, `lost` for when it
    was there and then no answer came: silence, ask or refuse. `refuse_in` and `ask_in` are modes, by the
    agent's own words. `reads`: the agent does not tell its mode, so only what reads may be silent.
    """

    otherwise: str = "silence"
    lost: str = "refuse"
    refuse_in: tuple[str, ...] = ()
    ask_in: tuple[str, ...] = ()
    reads: bool = False


@dataclass(frozen=True)
class LaunchRequest:
    """What there is before a launched run: its folder, the program, the user's words and variables."""

    folder: Path
    program: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]


@dataclass(frozen=True)
class LaunchSettings:
    """What a run gets: texts by file name, the vendor's own first; all words; further variables."""

    files: Mapping[str, str]
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundRule:
    """What a settings file says: a pattern of lines that are held, or a rule that allows."""

    file: Path
    held: re.Pattern[str] | None = None
    allowed: AgentRule | None = None


class Agent(ABC):
    """One coding agent. Without state; any thread, and what is of the wire form is pure."""

    name: ClassVar[str]  # in addresses, settings and the log
    title: ClassVar[str]  # for people
    programs: ClassVar[tuple[str, ...]] = ()  # looked for on PATH; the user may type them for the name
    tools: ClassVar[Tools]
    abilities: ClassVar[Abilities]
    without_answer: ClassVar[WithoutAnswer] = WithoutAnswer()
    # Arguments of its tools that let a call go on after the hook has told of its end.
    background: ClassVar[tuple[str, ...]] = ()
    is_untried: ClassVar[bool] = False  # written from its documents, never run against the program

    @property
    def words(self) -> str:
        """What it lets Steward do, in sentences: the good news first, how sure they are last."""
        able = self.abilities
        untried = " Written from its documents; not tried with the program." if self.is_untried else ""
        return f"{able.can} {able.cannot} {able.enforced}{untried}"

    # -- its hooks ----------------------------------------------------------------------------

    @abstractmethod
    def read(self, body: bytes) -> Action:
        """What the agent is about to do. Raises BadPayload."""

    @abstractmethod
    def reply(self, action: Action, response: HookResponse) -> Reply:
        """The response in the agent's own form; it says allow for no other choice than ALLOW.

        A response with a command is put as an allow of that command, or as no allow.
        """

    @abstractmethod
    def unanswered(self, action: Action) -> HookChoice:
        """What to say where nobody answers: never ALLOW, and DENY where anything milder could run it."""

    def goes_on(self, action: Action) -> bool:
        """Whether a call runs on after the agent has told of its end."""
        return any(action.arguments.get(name) for name in self.background)

    def token_file_text(self, token: str) -> str:
        """The text of the file that its hooks name: its token, and what to do without an answer.

        The client knows no agent; the lines behind the token tell it:

            else WHAT           Steward is not there: silence, ask or refuse
            lost WHAT           Steward was there and then no answer came, or it does not know the token
            ask JSON            what makes this agent ask
            refuse-in MODE…     sessions that would run it unasked, by their permission_mode
            ask-in MODE…        sessions in which silence would run some of it
            reads TOOL…         tools for which silence does while Steward is not there
        """
        rules = self.without_answer
        lines = [token, f"else {rules.otherwise}", f"lost {rules.lost}"]
        if "ask" in (rules.otherwise, rules.lost):
            lines.append(f"ask {self._asking()}")
        if rules.refuse_in:
            lines.append(f"refuse-in {' '.join(rules.refuse_in)}")
        if rules.ask_in:
            lines.append(f"ask-in {' '.join(rules.ask_in)}")
        if rules.reads:
            lines.append(f"reads {' '.join(self.tools.reading)}")
        return "\n".join(lines) + "\n"

    def _asking(self) -> str:
        """What makes it ask, in its own form, one line."""
        action = Action(self.name, Moment.BEFORE)
        return self.reply(action, HookResponse(HookChoice.ASK, LEFT_TO_YOU)).body.decode()

    # -- its settings -------------------------------------------------------------------------

    def settings_place(self, computer: Computer) -> SettingsPlace | None:
        """Where hooks of ours go; None for an agent that has no settings of its own."""
        del computer
        return None

    def mcp_place(self, computer: Computer) -> McpPlace | None:
        """Where it lists servers of tools; None where that is not known."""
        del computer
        return None

    def own_rules(self, computer: Computer, folder: Path) -> Iterable[FoundRule]:
        """What its own settings forbid, ask about and allow where it works in `folder`. Reads files."""
        del computer, folder
        return ()


class LaunchableAgent(Agent):
    """One that takes settings for a single run, so that the user's own stay as they are."""

    @abstractmethod
    def launch(self, target: HookTarget, request: LaunchRequest) -> LaunchSettings:
        """The settings of a run that goes through `target`. May start the program once; raises UserFacing."""


def held(file: Path, text: str | None, *, is_prefix: bool = False) -> FoundRule:
    """A pattern of the vendor's: a star for anything, `:*` and `is_prefix` for whatever follows."""
    if not text or text == "*":
        # The empty pattern meets every line: such a rule is about all commands.
        return FoundRule(file, held=re.compile(""))
    text = text.removesuffix(":*") + ("*" if is_prefix or text.endswith(":*") else "")
    # To the vendors `[` and `?` are plain signs; `fnmatch` would take them as patterns.
    literal = text.replace("[", "[[]").replace("?", "[?]")
    return FoundRule(file, held=re.compile(translate(literal)))


def allowed(file: Path, text: str, command: str | None, *, is_prefix: bool = False) -> FoundRule:
    """A rule that lets `command` run; `text` is how the user wrote it."""
    return FoundRule(file, allowed=AgentRule.of(text, command or "", is_prefix=is_prefix))


def in_use(option: str) -> UserFacing:
    """The error where the user already says what a launched run must say."""
    return UserFacing(AgentReason.OPTION_IN_USE.of(option=option))
