"""Where each agent keeps its settings, and what becomes of their text when our hooks go in or out."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.agents import edits, plugin
from desktop.agents.install_entries import (
    Door,
    Entry,
    claude_code,
    codex,
    copilot_cli,
    cursor,
    gemini_cli,
    ours,
)


@dataclass(frozen=True)
class Computer:
    """Where agents are looked for."""

    home: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    windows: bool = False

    @classmethod
    def this(cls) -> Computer:
        return cls(Path.home(), dict(os.environ), sys.platform == "win32")

    def folder(self, variable: str, otherwise: str) -> Path:
        """The folder that a variable names, or one in the user's home."""
        named = self.environment.get(variable, "")
        return Path(named) if Path(named).is_absolute() else self.home / otherwise

    def program(self, names: tuple[str, ...]) -> str | None:
        path = self.environment.get("PATH")
        return next(filter(None, (shutil.which(name, path=path) for name in names)), None)


@dataclass(frozen=True)
class Seen:
    """What tells whether an agent passes over its hooks: its settings, and their folder."""

    settings: Mapping[str, Any]
    folder: Path


@dataclass(frozen=True)
class SharedFile:
    """Settings of the user's in JSON, in which our entries stand beside others.

    `programs` are looked for on PATH; `folder` is there when the agent was ever started. What reads a text
    raises edits.Unreadable.
    """

    agent: str
    programs: tuple[str, ...]
    file: Path
    entries: Callable[[Door], tuple[Entry, ...]]
    why_off: Callable[[Seen], str] = lambda _seen: ""
    wants_version: bool = False

    @property
    def folder(self) -> Path:
        return self.file.parent

    def with_ours(self, text: str, door: Door) -> str:
        """`text` with our hooks, in place of older ones of ours."""
        changed = self.without_ours(text) if text.strip() else text
        for path, entry in self.entries(door):
            changed = edits.appended(changed, path, entry)
        return edits.set_if_missing(changed, "version", 1) if self.wants_version else changed

    def without_ours(self, text: str) -> str:
        """`text` less our hooks; empty where the file was ours alone."""
        return edits.without(text, ours(self.agent))

    def hooks(self, text: str) -> tuple[Mapping[str, Any], ...]:
        """Our handlers in it."""
        return edits.find(text, ours(self.agent)) if text.strip() else ()

    def off(self, text: str) -> str:
        """Why the agent would pass over its hooks, in words; empty where nothing says so."""
        value = edits.parse(text).value if text.strip() else {}
        return self.why_off(Seen(value if isinstance(value, dict) else {}, self.folder))


@dataclass(frozen=True)
class OwnFile:
    """A file that the agent loads with others of its folder, ours from the first byte to the last.

    The same promises as of SharedFile.
    """

    agent: str
    programs: tuple[str, ...]
    folder: Path
    file: Path
    content: Callable[[Door], str]
    read: Callable[[str], tuple[Mapping[str, Any], ...]]
    why_off: Callable[[Seen], str] = lambda _seen: ""

    def with_ours(self, text: str, door: Door) -> str:
        self._check(text)
        return self.content(door)

    def without_ours(self, text: str) -> str:
        self._check(text)
        return ""

    def hooks(self, text: str) -> tuple[Mapping[str, Any], ...]:
        return self.read(text) if text.strip() else ()

    def off(self, text: str) -> str:  # noqa: ARG002 - nothing of it is in our own file
        return self.why_off(Seen({}, self.folder))

    def _check(self, text: str) -> None:
        if text.strip() and not self.read(text):
            raise edits.Unreadable("the file is not Steward's")


Place = SharedFile | OwnFile


def places(computer: Computer) -> tuple[Place, ...]:
    """Every agent that can be installed, in the order of the window and the manual."""
    claude = computer.folder("CLAUDE_CONFIG_DIR", ".claude")
    codex_home = computer.folder("CODEX_HOME", ".codex")
    copilot = computer.folder("COPILOT_HOME", ".copilot")
    opencode = computer.folder("XDG_CONFIG_HOME", ".config") / "opencode"
    return (
        SharedFile("claude-code", ("claude",), claude / "settings.json", claude_code, _claude_off),
        SharedFile("codex", ("codex",), codex_home / "hooks.json", codex, _codex_off),
        SharedFile(
            "gemini-cli", ("gemini",), computer.home / ".gemini" / "settings.json", gemini_cli, _gemini_off
        ),
        SharedFile(
            "cursor",
            ("cursor", "cursor-agent"),
            computer.home / ".cursor" / "hooks.json",
            cursor,
            wants_version=True,
        ),
        OwnFile(
            "copilot-cli",
            ("copilot",),
            copilot,
            copilot / "hooks" / "steward.json",
            lambda door: json.dumps(copilot_cli(door), indent=2) + "\n",
            lambda text: edits.find(text, ours("copilot-cli")),
            _copilot_off,
        ),
        OwnFile(
            "opencode",
            ("opencode",),
            opencode,
            opencode / "plugins" / "steward.js",
            plugin.written,
            plugin.read,
        ),
    )


def program_of(agent: str, computer: Computer) -> str | None:
    """The agent's program on PATH; None where it is not there, and for agents that are not installed."""
    names = next((place.programs for place in places(computer) if place.agent == agent), ())
    return computer.program(names)


def _claude_off(seen: Seen) -> str:
    return "disableAllHooks is set in its settings" if seen.settings.get("disableAllHooks") is True else ""


def _codex_off(seen: Seen) -> str:
    """Also where Codex has not been told to trust the hooks: it passes over them without a word."""
    try:
        config = tomllib.loads((seen.folder / "config.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        config = {}
    except (OSError, ValueError):
        return "its config.toml cannot be read"
    if config.get("features", {}).get("hooks") is False:
        return "features.hooks is false in its config.toml"
    state = config.get("hooks", {}).get("state", {})
    trusted = [name for name, facts in state.items() if str(seen.folder) in name and "trusted_hash" in facts]
    return "" if trusted else "Codex has not been told to trust the hooks; open Codex and type /hooks"


def _gemini_off(seen: Seen) -> str:
    config = seen.settings.get("hooksConfig")
    if not isinstance(config, dict):
        return ""
    if config.get("enabled") is False:
        return "hooksConfig.enabled is false in its settings"
    disabled = config.get("disabled")
    return (
        "steward is in hooksConfig.disabled" if isinstance(disabled, list) and "steward" in disabled else ""
    )


def _copilot_off(seen: Seen) -> str:
    for name in ("settings.json", "config.json"):
        try:
            value = edits.parse((seen.folder / name).read_text(encoding="utf-8")).value
        except FileNotFoundError:
            continue
        except (OSError, ValueError, edits.Unreadable):
            return f"its {name} cannot be read"
        if isinstance(value, dict) and value.get("disableAllHooks") is True:
            return f"disableAllHooks is set in its {name}"
    return ""
