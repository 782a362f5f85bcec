"""What an agent's own settings forbid, ask about and allow.

Agents hold their rules against the line that they run. A rule about `curl` does not meet the confining
client, so a line that such a rule may meet is not rewritten: it goes to the agent as it is, which then does
what its user told it. What forbids or asks is only ever taken as more than the vendor's own reading would,
what allows as less, and only where the user agreed to it.
"""

from __future__ import annotations

import ast
import json
import os
import re
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import translate
from itertools import product
from pathlib import Path
from typing import Any

from desktop.agents import edits
from desktop.agents.action import Action
from desktop.gate.agent_consents import AgentConsents, Consent
from desktop.gate.agent_rules import AgentRule, RuleFile, Unfit, rule_of
from desktop.gate.request import Request

LOOKED_UP_EVERY_S = 2.0
MOST_FOLDERS = 64
MOST_ABOVE = 40
MOST_ALTERNATIVES = 64  # that one rule of Codex may stand for
_CLAUDE_RULE = re.compile(r"Bash(?:\((.*)\))?", re.DOTALL)
_GEMINI_RULE = re.compile(r"(?:run_shell_command|ShellTool)(?:\((.*)\))?", re.DOTALL)
_CODEX_RULE = re.compile(r"prefix_rule\s*\((.*?)\)\s*(?:\n|$)", re.DOTALL)
_CODEX_WORD = re.compile(r"[\"']([^\"']*)[\"']")
_SHELL_TOOLS = ("run_shell_command", "*")
_LIMITS = ("argsPattern", "commandRegex", "modes", "mcpName")  # of a policy of Gemini's; none is read here

Pattern = re.Pattern[str]


@dataclass(frozen=True)
class _Found:
    """What one file says: a pattern of lines that are held, or a rule that allows."""

    file: Path
    held: Pattern | None = None
    allowed: AgentRule | None = None


class OwnRules:
    """Which lines an agent's own rules may meet, and which they allow. Methods may be called on any thread;
    they look at the disk now and then."""

    def __init__(
        self,
        home: Path,
        environment: Mapping[str, str],
        consents: AgentConsents,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = home
        self._environment = environment
        self._consents = consents
        self._now = now
        self._lock = threading.Lock()
        self._known: dict[tuple[str, Path], tuple[float, tuple[_Found, ...]]] = {}

    def meet(self, action: Action, request: Request) -> bool:
        """Whether a rule that denies or asks may be meant for this line or one of its commands."""
        return _meet(self._held(action), action, request)

    def honoured(self, action: Action, request: Request) -> tuple[AgentRule, ...]:
        """The allow rules that count where this action works: those of files that the user agreed to.

        None where a rule that denies or asks names the line too. One about every command is no such rule:
        some agents write down that way what holds where nothing is said.
        """
        found = self._found(action.agent, action.folder)
        if not self._consents.files(action.agent):
            return ()
        if _meet([each for each in self._held(action) if each.pattern], action, request):
            return ()
        files = _by_file(action.agent, found)
        agreed = (each for each in files if self._consents.of(each) is Consent.GIVEN)
        return tuple(rule for each in agreed for rule in each.rules)

    def listed(self) -> tuple[RuleFile, ...]:
        """All files with allow rules: the user's, those of folders in which agents have worked since Steward
        began, and those that were agreed to. Waits for the disk.
        """
        with self._lock:
            folders = set(self._known)
        for agent in _READERS:
            folders.add((agent, self._home))
            folders |= {(agent, file.parent) for file in self._consents.files(agent)}
        files = {
            (agent, str(each.file)): each
            for agent, folder in folders
            for each in _by_file(agent, self._found(agent, folder))
        }
        return tuple(files[key] for key in sorted(files))

    def _held(self, action: Action) -> list[Pattern]:
        return [each.held for each in self._found(action.agent, action.folder) if each.held is not None]

    def _found(self, agent: str, folder: Path) -> tuple[_Found, ...]:
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


def _meet(held: Iterable[Pattern], action: Action, request: Request) -> bool:
    lines = (action.command.strip(), *request.parts, *request.commands)
    return any(rule.match(line) for rule in held for line in lines)


def _by_file(agent: str, found: Iterable[_Found]) -> Iterator[RuleFile]:
    """A file that is reached in two ways once."""
    files: dict[Path, dict[AgentRule, None]] = {}
    for each in found:
        if each.allowed is not None:
            files.setdefault(each.file, {})[each.allowed] = None
    yield from (RuleFile(agent, file, tuple(rules)) for file, rules in files.items())


def _claude(home: Path, environment: Mapping[str, str], folder: Path) -> Iterator[_Found]:
    """`permissions`: `Bash`, `Bash(git push)`, `Bash(git push:*)`, `Bash(git * main)`."""
    user = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    names = ("settings.json", "settings.local.json")
    files = [user / names[0], Path("/etc/claude-code/managed-settings.json")]
    files += [above / ".claude" / name for above in _above(folder) for name in names]
    for file in dict.fromkeys(files):
        permissions = _table(_json(file).get("permissions"))
        for name in ("deny", "ask", "allow"):
            for text in _texts(permissions.get(name)):
                if rule := _CLAUDE_RULE.fullmatch(text):
                    is_allowed = name == "allow"
                    yield _allowed(file, text, rule[1]) if is_allowed else _held(file, rule[1])


def _gemini(home: Path, _environment: Mapping[str, str], folder: Path) -> Iterator[_Found]:
    """`tools.exclude` and `tools.allowed` of settings, and policies."""
    files = [above / ".gemini" / "settings.json" for above in (home, *_above(folder))]
    for file in dict.fromkeys((*files, Path("/etc/gemini-cli/settings.json"))):
        settings = _json(file)
        tools = _table(settings.get("tools"))
        for text in (*_texts(tools.get("exclude")), *_texts(settings.get("excludeTools"))):
            if rule := _GEMINI_RULE.fullmatch(text):
                yield _held(file, rule[1], is_prefix=True)
        for text in (*_texts(tools.get("allowed")), *_texts(settings.get("allowedTools"))):
            if rule := _GEMINI_RULE.fullmatch(text):
                yield _allowed(file, text, rule[1], is_prefix=True)
    for place in (home / ".gemini" / "policies", Path("/etc/gemini-cli/policies")):
        for file in sorted(place.glob("*.toml")) if place.is_dir() else ():
            for policy in _toml(file).get("rule", ()):
                yield from _gemini_policy(file, _table(policy))


def _gemini_policy(file: Path, rule: Mapping[str, Any]) -> Iterator[_Found]:
    decision = rule.get("decision")
    if decision not in ("deny", "ask_user", "allow"):
        return
    named = rule.get("toolName")
    if not set(_texts(named if isinstance(named, list) else [named])) & set(_SHELL_TOOLS):
        return
    prefixes = rule.get("commandPrefix")
    texts = _texts(prefixes if isinstance(prefixes, list) else [prefixes])
    for text in texts or ("",):
        if decision != "allow":
            yield _held(file, text, is_prefix=True)
        elif any(rule.get(name) for name in _LIMITS):
            limits = ", ".join(name for name in _LIMITS if rule.get(name))
            yield _Found(file, allowed=AgentRule(f"{text or '*'} ({limits})", unfit=Unfit.PATTERN))
        else:
            yield _allowed(file, text or "*", text, is_prefix=True)


def _opencode(home: Path, environment: Mapping[str, str], folder: Path) -> Iterator[_Found]:
    """`permission.bash`: one word for all, or a word for each pattern."""
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    for place in dict.fromkeys((config, *_above(folder))):
        for name in ("opencode.json", "opencode.jsonc"):
            permission = _json(place / name).get("permission")
            bash = permission.get("bash") if isinstance(permission, dict) else permission
            patterns = bash.items() if isinstance(bash, dict) else (("*", bash),)
            for text, word in patterns:
                if word in ("deny", "ask"):
                    yield _held(place / name, str(text))
                elif word == "allow":
                    yield _allowed(place / name, str(text), str(text))


def _codex(home: Path, environment: Mapping[str, str], folder: Path) -> Iterator[_Found]:
    """`prefix_rule(pattern = ["git", "push"], decision = "prompt")` in files of rules."""
    user = Path(environment.get("CODEX_HOME") or home / ".codex")
    places = (user / "rules", *(above / ".codex" / "rules" for above in _above(folder)))
    for place in dict.fromkeys(places):
        for file in sorted(place.glob("*.rules")) if place.is_dir() else ():
            text = _text(file)
            for found in _CODEX_RULE.findall(f"{text}\n"):
                if '"forbidden"' in found or '"prompt"' in found:
                    words = _CODEX_WORD.findall(found.partition("]")[0])
                    yield _held(file, words[0] if words else "", is_prefix=True)
            yield from (_Found(file, allowed=rule) for rule in _codex_allows(text))


def _codex_allows(text: str) -> Iterator[AgentRule]:
    """Their language is a part of Python's; a word of a pattern may be a list of alternatives."""
    try:
        calls = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for call in calls:
        if not isinstance(call.func, ast.Name) or call.func.id != "prefix_rule" or call.args:
            continue
        try:
            said = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        except ValueError:  # a name in place of a text
            continue
        pattern = said.get("pattern")
        if said.get("decision", "allow") == "allow" and isinstance(pattern, list):
            yield from _alternatives(pattern)


def _alternatives(pattern: list[object]) -> Iterator[AgentRule]:
    choices = [_texts(each if isinstance(each, list) else [each]) for each in pattern]
    for number, words in enumerate(product(*choices)):
        if number >= MOST_ALTERNATIVES:
            return
        shown = " ".join(words) or "*"
        unfit = None if words else Unfit.EVERYTHING
        yield AgentRule(shown, words, is_prefix=True, unfit=unfit)


_Reader = Callable[[Path, Mapping[str, str], Path], Iterable[_Found]]
_READERS: Mapping[str, _Reader] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini-cli": _gemini,
    "opencode": _opencode,
}


def _held(file: Path, text: str | None, *, is_prefix: bool = False) -> _Found:
    """A pattern of the vendor's: a star for anything, `:*` and `is_prefix` for whatever follows."""
    if not text or text == "*":
        return _Found(file, held=re.compile(""))
    text = text.removesuffix(":*") + ("*" if is_prefix or text.endswith(":*") else "")
    literal = text.replace("[", "[[]").replace("?", "[?]")
    return _Found(file, held=re.compile(translate(literal)))


def _allowed(file: Path, text: str, command: str | None, *, is_prefix: bool = False) -> _Found:
    return _Found(file, allowed=rule_of(text, command or "", is_prefix=is_prefix))


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
