"""The coding agents that are known, in the order of `steward agents list` and the manual."""

from __future__ import annotations

from desktop.agents.agent import Agent
from desktop.agents.claude_code import ClaudeCode
from desktop.agents.codex import Codex
from desktop.agents.copilot_cli import CopilotCli
from desktop.agents.cursor import Cursor
from desktop.agents.droid import Droid
from desktop.agents.gemini_cli import GeminiCli
from desktop.agents.generic import Generic
from desktop.agents.opencode import OpenCode

AGENTS: tuple[Agent, ...] = (
    ClaudeCode(),
    Codex(),
    GeminiCli(),
    Cursor(),
    CopilotCli(),
    OpenCode(),
    Droid(),
    Generic(),
)

_BY_NAME = {each.name: each for each in AGENTS}


def agent_named(name: str) -> Agent | None:
    """The agent of that name; None for a name that is none."""
    return _BY_NAME.get(name)


def title_of(name: str) -> str:
    """What people call the agent of that name; the name itself where it is none."""
    known = agent_named(name)
    return known.title if known is not None else name
