"""How each agent takes settings for one run: what is written, and the words and variables that name it.

Tried with the real programs; docs/agents.md says with which versions. Gemini CLI (0.61) and Cursor are not
here: Gemini CLI takes a second settings file only from an administrator, Cursor none at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from desktop.agents import edits, plugin
from desktop.agents.codex_trust import trusted_words
from desktop.agents.install_entries import Door, Entry, claude_code, codex, copilot_cli
from desktop.errors import UserFacing

OPENCODE = "OPENCODE_CONFIG_CONTENT"


@dataclass(frozen=True)
class Given:
    """What there is before: the run's folder, the program, the user's words and variables."""

    folder: Path
    program: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]


@dataclass(frozen=True)
class Taken:
    """What the run gets: texts by file name, the vendor's own first; all words; further variables."""

    files: Mapping[str, str]
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Launchable:
    """`words` are the names that a user may type."""

    name: str
    words: tuple[str, ...]
    give: Callable[[Door, Given], Taken]


def launchable(word: str) -> Launchable:
    """Raises UserFacing for an agent that takes no settings for one run."""
    found = next((each for each in AGENTS if word in (each.name, *each.words)), None)
    if found is None:
        names = ", ".join(each.words[0] for each in AGENTS)
        raise UserFacing(
            f"{word} cannot be launched with settings for one run.",
            "Nothing was started.",
            f"These can: {names}. For others: steward agents install",
            code="no-agent",
        )
    return found


def _written(entries: tuple[Entry, ...]) -> str:
    text = ""
    for path, entry in entries:
        text = edits.appended(text, path, entry)
    return text


def _claude(door: Door, given: Given) -> Taken:
    """`--settings` stands above the project's settings and beside the user's; hooks of all of them run."""
    if any(word == "--settings" or word.startswith("--settings=") for word in given.arguments):
        raise _in_use("--settings")
    files = {"settings.json": _written(claude_code(door))}
    return Taken(files, ("--settings", str(given.folder / "settings.json"), *given.arguments))


def _codex(door: Door, given: Given) -> Taken:
    """Words of the command line, with the trust in exactly these hooks and in no others."""
    entries = codex(door)
    files = {"hooks.json": _written(entries)}
    return Taken(files, (*trusted_words(given.program, entries, given.environment), *given.arguments))


def _copilot(door: Door, given: Given) -> Taken:
    """A plugin in a folder of its own."""
    manifest = {
        "name": "steward",
        "version": "1.0.0",
        "description": "Asks before changes.",
        "hooks": "hooks.json",
    }
    hooks = {"hooks": copilot_cli(door)["hooks"]}
    files = {"hooks.json": json.dumps(hooks, indent=2), "plugin.json": json.dumps(manifest, indent=2)}
    return Taken(files, ("--plugin-dir", str(given.folder), *given.arguments))


def _opencode(door: Door, given: Given) -> Taken:
    """Configuration in a variable, merged over the user's files."""
    if OPENCODE in given.environment:
        raise _in_use(OPENCODE)
    config = {"plugin": [(given.folder / "steward.js").as_uri()]}
    files = {"steward.js": plugin.written(door)}
    return Taken(files, given.arguments, {OPENCODE: json.dumps(config)})


def _in_use(what: str) -> UserFacing:
    return UserFacing(
        f"{what} is needed for this run's own settings, and is in use already.",
        "Nothing was started.",
        "Put those settings into the agent's own file, or use: steward agents install",
        code="in-use",
    )


AGENTS = (
    Launchable("claude-code", ("claude",), _claude),
    Launchable("codex", ("codex",), _codex),
    Launchable("copilot-cli", ("copilot",), _copilot),
    Launchable("opencode", ("opencode",), _opencode),
)
