"""What an agent's own settings forbid or ask about, so that a rewritten command does not slip past them.

Agents hold their rules against the line that they run. A rule about `curl` does not meet the confining
client, so a line that such a rule may meet is not rewritten: it goes to the agent as it is, which then does
what its user told it. Only ever taken as more than the vendor's own reading would.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import translate
from pathlib import Path
from typing import Any

from desktop.agents import edits
from desktop.agents.action import Action
from desktop.gate.request import Request

LOOKED_UP_EVERY_S = 2.0
MOST_FOLDERS = 64
MOST_ABOVE = 40
_CLAUDE_RULE = re.compile(r"Bash(?:\((.*)\))?", re.DOTALL)
_GEMINI_RULE = re.compile(r"(?:run_shell_command|ShellTool)(?:\((.*)\))?", re.DOTALL)
_CODEX_RULE = re.compile(r"prefix_rule\s*\((.*?)\)\s*(?:\n|$)", re.DOTALL)
_CODEX_WORD = re.compile(r"[\"']([^\"']*)[\"']")
_SHELL_TOOLS = ("run_shell_command", "*")

Rule = re.Pattern[str]


class OwnRules:
    """Which lines an agent's own rules may meet. Methods may be called on any thread; they look at the disk
    now and then."""

    def __init__(
        self, home: Path, environment: Mapping[str, str], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._home = home
        self._environment = environment
        self._now = now
        self._lock = threading.Lock()
        self._known: dict[tuple[str, Path], tuple[float, tuple[Rule, ...]]] = {}

    def meet(self, action: Action, request: Request) -> bool:
        """Whether a rule that denies or asks may be meant for this line or one of its commands."""
        rules = self._rules(action.agent, action.folder)
        if not rules:
            return False
        lines = (action.command.strip(), *request.parts, *request.commands)
        return any(rule.match(line) for rule in rules for line in lines)

    def _rules(self, agent: str, folder: Path) -> tuple[Rule, ...]:
        read = _READERS.get(agent)
        if read is None:
            return ()
        now = self._now()
        with self._lock:
            known = self._known.get((agent, folder))
            if known is not None and now - known[0] <= LOOKED_UP_EVERY_S:
                return known[1]
        found = tuple(read(self._home, self._environment, folder))
        with self._lock:
            if len(self._known) > MOST_FOLDERS:
                self._known.clear()
            self._known[agent, folder] = (now, found)
        return found


def _claude(home: Path, environment: Mapping[str, str], folder: Path) -> Iterator[Rule]:
    """`permissions.deny` and `.ask`: `Bash`, `Bash(git push)`, `Bash(git push:*)`, `Bash(git * main)`."""
    user = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    names = ("settings.json", "settings.local.json")
    files = [user / names[0], Path("/etc/claude-code/managed-settings.json")]
    files += [above / ".claude" / name for above in _above(folder) for name in names]
    for file in files:
        permissions = _table(_json(file).get("permissions"))
        for name in ("deny", "ask"):
            for text in _texts(permissions.get(name)):
                if found := _CLAUDE_RULE.fullmatch(text):
                    yield _rule(found[1])


def _gemini(home: Path, _environment: Mapping[str, str], folder: Path) -> Iterator[Rule]:
    """`tools.exclude` of settings, and policies that deny or ask."""
    files = [above / ".gemini" / "settings.json" for above in (home, *_above(folder))]
    for file in (*files, Path("/etc/gemini-cli/settings.json")):
        settings = _json(file)
        tools = _table(settings.get("tools"))
        for text in (*_texts(tools.get("exclude")), *_texts(settings.get("excludeTools"))):
            if found := _GEMINI_RULE.fullmatch(text):
                yield _rule(found[1], is_prefix=True)
    for place in (home / ".gemini" / "policies", Path("/etc/gemini-cli/policies")):
        for file in sorted(place.glob("*.toml")) if place.is_dir() else ():
            for rule in _toml(file).get("rule", ()):
                yield from _gemini_policy(_table(rule))


def _gemini_policy(rule: Mapping[str, Any]) -> Iterator[Rule]:
    if rule.get("decision") not in ("deny", "ask_user"):
        return
    named = rule.get("toolName")
    if not set(_texts(named if isinstance(named, list) else [named])) & set(_SHELL_TOOLS):
        return
    prefixes = rule.get("commandPrefix")
    texts = _texts(prefixes if isinstance(prefixes, list) else [prefixes])
    yield from (_rule(text, is_prefix=True) for text in texts or ("",))


def _opencode(home: Path, environment: Mapping[str, str], folder: Path) -> Iterator[Rule]:
    """`permission.bash`: one word for all, or a word for each pattern."""
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    for place in (config, *_above(folder)):
        for name in ("opencode.json", "opencode.jsonc"):
            permission = _json(place / name).get("permission")
            bash = permission.get("bash") if isinstance(permission, dict) else permission
            patterns = bash.items() if isinstance(bash, dict) else (("*", bash),)
            yield from (_rule(str(text)) for text, word in patterns if word in ("deny", "ask"))


def _codex(home: Path, environment: Mapping[str, str], folder: Path) -> Iterator[Rule]:
    """`prefix_rule(pattern = ["git", "push"], decision = "prompt")` in files of rules."""
    user = Path(environment.get("CODEX_HOME") or home / ".codex")
    for place in (user / "rules", *(above / ".codex" / "rules" for above in _above(folder))):
        for file in sorted(place.glob("*.rules")) if place.is_dir() else ():
            for found in _CODEX_RULE.findall(f"{_text(file)}\n"):
                if '"forbidden"' in found or '"prompt"' in found:
                    words = _CODEX_WORD.findall(found.partition("]")[0])
                    yield _rule(words[0] if words else "", is_prefix=True)


_Reader = Callable[[Path, Mapping[str, str], Path], Iterable[Rule]]
_READERS: Mapping[str, _Reader] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini-cli": _gemini,
    "opencode": _opencode,
}


def _rule(text: str | None, is_prefix: bool = False) -> Rule:
    """A pattern of the vendor's: a star for anything, `:*` and `is_prefix` for whatever follows."""
    if not text or text == "*":
        return re.compile("")
    text = text.removesuffix(":*") + ("*" if is_prefix or text.endswith(":*") else "")
    literal = text.replace("[", "[[]").replace("?", "[?]")
    return re.compile(translate(literal))


def _above(folder: Path) -> tuple[Path, ...]:
    return (folder, *folder.parents)[:MOST_ABOVE]


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _text(file: Path) -> str:
    """What cannot be read holds no rule that its agent could read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _json(file: Path) -> Mapping[str, Any]:
    """With the comments that agents allow in their settings."""
    text = _text(file) if os.path.lexists(file) else ""
    if not text.strip():
        return {}
    try:
        return _table(json.loads(text))
    except ValueError:
        pass
    try:
        return _table(edits.parse(text).value)
    except edits.Unreadable:
        return {}


def _toml(file: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_text(file))
    except tomllib.TOMLDecodeError:
        return {}
