"""The coding agents that are known, in the order of the window and the manual."""

from __future__ import annotations

from desktop.agents.adapter import Adapter
from desktop.agents.claude_code import ClaudeCode
from desktop.agents.codex import Codex
from desktop.agents.copilot_cli import CopilotCli
from desktop.agents.cursor import Cursor
from desktop.agents.gemini_cli import GeminiCli
from desktop.agents.generic import Generic
from desktop.agents.opencode import OpenCode

ADAPTERS: tuple[Adapter, ...] = (
    ClaudeCode(),
    Codex(),
    GeminiCli(),
    Cursor(),
    CopilotCli(),
    OpenCode(),
    Generic(),
)


def adapter(name: str) -> Adapter | None:
    """The agent of that name."""
    return next((each for each in ADAPTERS if each.name == name), None)
