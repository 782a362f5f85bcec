"""`steward hook [AGENT]`: the slower way to the hook client.

A daemon that runs is asked. Where none runs there is nobody to put a question to: the generic agent is then
answered from the tables alone (what only reads is allowed, all else is left to be asked), every other agent
with silence, which leaves it to its own prompt.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from desktop.agents import client
from desktop.paths import Paths, read_own

GENERIC = "generic"
TIMEOUT_S = 598
USAGE = "usage: steward [--profile DIR] hook [AGENT] [--timeout SECONDS] [--fail-closed] < hook.json\n"


def main(words: list[str], profile: str | None = None) -> int:
    """Read one hook from stdin, print the answer; 0 also where nothing could be said, unless fail-closed."""
    asked = _asked(words)
    if asked is None:
        sys.stderr.write(USAGE)
        return 2
    agent, timeout_s, closed = asked
    paths = Paths.under(Path(profile)) if profile else Paths.default()
    hook = client.read_all(0)
    api = _api(paths.runtime)
    gone, why = True, "it is not running"
    try:
        if api is not None:
            return _through(api, agent, timeout_s, hook)
    except (client.Failed, OSError, ValueError) as error:
        gone = isinstance(error, client.Absent)  # it was killed and could not say so
        why = str(error)
    # Only a program of the user's own is answered from the tables: agents have prompts to fall back on.
    if not gone or agent != GENERIC:
        return _unanswered(closed, why)
    client.write_all(1, _alone(hook, paths.settings))
    return 0


def _through(api: dict[str, Any], agent: str, timeout_s: float, hook: bytes) -> int:
    port = str(api["url"]).rpartition(":")[2]
    address = ":".join(each for each in (str(api.get("socket", "")), port) if each)
    code, out, err = client.ask(agent, address, str(api["token"]).encode(), timeout_s, hook)
    client.write_all(1, out + b"\n" if out else b"")
    client.write_all(2, err + b"\n" if err else b"")
    return code


def _asked(words: list[str]) -> tuple[str, float, bool] | None:
    """Agent, time-out and whether to fail closed; None for what is not understood."""
    agent, timeout_s, closed = GENERIC, float(TIMEOUT_S), False
    # By hand: importing a parser of options would take longer than asking.
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--fail-closed":
            closed = True
        elif word == "--timeout" and left and left[0].isascii() and left[0].isdecimal():
            timeout_s = float(left.pop(0))
        elif word.replace("-", "").isalnum() and not word.startswith("-") and agent == GENERIC:
            agent = word
        else:
            return None
    return agent, timeout_s, closed


def _unanswered(closed: bool, why: str) -> int:
    if closed:
        sys.stderr.write(f"Steward did not answer: {why}\n")
    return 2 if closed else 0


def _api(runtime: Path) -> dict[str, Any] | None:
    """Where the daemon answers. Read without the room that writes it, which costs 100 ms to import."""
    try:
        facts = json.loads(read_own(runtime / "api.json"))
    except (OSError, ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) and {"url", "token"} <= facts.keys() else None


def _alone(hook: bytes, settings: Path) -> bytes:
    """The generic answer from the tables; empty for what is no hook, as the daemon has it."""
    try:
        wanted = json.loads(hook)
        tool, given = str(wanted["tool"]), wanted["input"]
        command = given.get("command")
    except (ValueError, KeyError, TypeError, AttributeError):
        return b""
    if not isinstance(command, str):
        return _answer("ask", "Steward is not running, and only commands are judged without it")
    folder = wanted.get("cwd")
    return _judged(command, tool, folder if isinstance(folder, str) and folder else None, settings)


def _judged(command: str, tool: str, folder: str | None, settings: Path) -> bytes:
    # Only here: the tables cost more than the whole rest of this door.
    from desktop.gate.shell.classifier import Classifier
    from desktop.gate.shell.classify import judged
    from desktop.gate.shell.tables import Tables
    from desktop.gate.verdict import Effect, Gate
    from desktop.paths import resources

    shell = "powershell" if tool.lower() == "powershell" else None
    verdict = judged(Classifier(Tables(resources() / "commands")), command, shell, folder)
    reads = verdict.effect is Effect.READ and verdict.gate is Gate.ALLOW and _reading_is_allowed(settings)
    # Also without a running Steward: this holds in every mode.
    if verdict.never:
        return _answer("deny", f"this is never done: {verdict.reason}")
    return _answer("allow" if reads else "ask", str(verdict.reason))


def _reading_is_allowed(settings: Path) -> bool:
    """False also for settings that cannot be read, and where rules are to be asked first."""
    try:
        said = tomllib.loads(read_own(settings).decode("utf-8"))
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    permissions = said.get("permissions", {})
    # They are read by the daemon alone; an allow here could be what one of them denies.
    has_rules = bool(said.get("gate"))
    return (
        isinstance(permissions, dict) and permissions.get("auto_allow_read", True) is True and not has_rules
    )


def _answer(decision: str, reason: str) -> bytes:
    return json.dumps({"decision": decision, "reason": reason}).encode() + b"\n"
