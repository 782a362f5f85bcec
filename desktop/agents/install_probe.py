"""Proves that an installed hook reaches Steward: a probe goes the very way that the agent's hooks go.

The entry is taken from the agent's settings as it stands there. An `http` entry is posted to with its own
headers, a command is run by its shell with --fail-closed added, so that it says why it got no answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from desktop.agents import client, edits
from desktop.agents import install_files as files
from desktop.agents.install import Installer
from desktop.agents.install_places import Place
from desktop.errors import UserFacing

PATIENCE_S = 5.0
NOT_STARTED = (126, 127)  # sh(1): the program could not be run, or not be found
# An event that no agent has: nothing is decided, shown or kept.
PROBE = json.dumps(
    {"hook_event_name": "StewardProbe", "event": "steward.probe", "session_id": "steward-probe"}
)


class State(StrEnum):
    """What is to be said about an agent."""

    ABSENT = "not on this computer"
    NOT_INSTALLED = "not installed"
    ANSWERED = "installed, and Steward answered"
    SILENT = "installed, but Steward is not running"
    STRANGER = "installed, but another program answers in Steward's place"
    REFUSED = "installed, but Steward does not take its token"
    GONE = "installed, but its hook client is not where it was"
    DISABLED = "installed, but the agent passes over it"
    UNREADABLE = "its settings cannot be read"


@dataclass(frozen=True)
class Status:
    """One agent. `detail` says why, `action` what to do about it; `ms` is how long the answer took."""

    agent: str
    state: State
    file: str
    detail: str = ""
    action: str = ""
    ms: float | None = None

    @property
    def is_well(self) -> bool:
        return self.state in (State.ANSWERED, State.NOT_INSTALLED, State.ABSENT)


def status(installer: Installer, agent: str) -> Status:
    """Look, and send a probe through. Takes at most some seconds; raises UserFacing for an unknown name."""
    place = installer.place(agent)
    file = str(place.file)
    try:
        text = files.read(place.file).text
        hooks = place.hooks(text)
        off = place.off(text) if hooks else ""
    except UserFacing as error:
        return Status(agent, State.UNREADABLE, file, error.cause, error.action)
    except edits.Unreadable as error:
        return Status(agent, State.UNREADABLE, file, str(error), "Correct that place.")
    if not hooks:
        state = State.NOT_INSTALLED if installer.is_here(place) else State.ABSENT
        return Status(agent, state, file)
    return _probed(place, hooks, off)


def _probed(place: Place, hooks: tuple[Mapping[str, Any], ...], off: str) -> Status:
    """Every different way among the hooks is tried; the worst finding counts."""
    file = str(place.file)
    slowest = 0.0
    for way in _ways(hooks):
        started = time.perf_counter()
        state, detail = _posted(way) if "url" in way else _run(str(way["command"]))
        if state is not State.ANSWERED:
            return Status(place.agent, state, file, detail, _ACTIONS[state])
        slowest = max(slowest, (time.perf_counter() - started) * 1000)
    if off:
        return Status(place.agent, State.DISABLED, file, off, "Change that in the agent.")
    return Status(place.agent, State.ANSWERED, file, ms=round(slowest, 1))


_ACTIONS = {
    State.SILENT: "Start Steward, or run: steward serve",
    State.STRANGER: "End that program, or set another port as hooks.port and install again.",
    State.REFUSED: "Install again: that makes a new token.",
    State.GONE: "Install again: Steward was moved.",
}


def _ways(hooks: tuple[Mapping[str, Any], ...]) -> list[Mapping[str, Any]]:
    """Without repetitions; a client's time-out is no other way."""
    ways: dict[str, Mapping[str, Any]] = {}
    for hook in hooks:
        if "url" in hook:
            ways.setdefault(json.dumps([hook["url"], hook.get("headers")]), hook)
        else:
            line = str(hook.get("command") or hook.get("powershell" if sys.platform == "win32" else "bash"))
            ways.setdefault(" ".join(line.split(" ")[:-1]), {"command": line})
    return list(ways.values())


def _posted(hook: Mapping[str, Any]) -> tuple[State, str]:
    address = urlsplit(str(hook["url"]))
    headers = hook.get("headers")
    token = str(headers.get("Authorization", "")).removeprefix("Bearer ") if isinstance(headers, dict) else ""
    port, agent = str(address.port or 80), address.path.rpartition("/")[2]
    try:
        client.ask(agent, port, token, PATIENCE_S, PROBE.encode())
    except (client.Failed, OSError, ValueError) as error:
        return _why_not(port, str(error))
    return State.ANSWERED, ""


def _run(line: str) -> tuple[State, str]:
    shell = ["cmd", "/d", "/s", "/c"] if sys.platform == "win32" else ["/bin/sh", "-c"]
    try:
        done = subprocess.run(
            [*shell, f"{line} --fail-closed"],
            input=PROBE,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return State.SILENT, str(error)
    if done.returncode == 0:
        return State.ANSWERED, ""
    if done.returncode in NOT_STARTED and sys.platform != "win32":
        return State.GONE, done.stderr.strip()
    return _why_not(_address_in(line), done.stderr.strip() or f"its client ended with {done.returncode}")


def _address_in(line: str) -> str:
    """The client's second word, behind the name of the agent."""
    words = line.replace('"', "'").split()
    tokens = [place for place, word in enumerate(words) if word.strip("'").startswith("@")]
    return words[tokens[0] - 1].strip("'") if tokens and tokens[0] else ""


def _why_not(address: str, reason: str) -> tuple[State, str]:
    """Who is there: Steward that refuses, somebody else, or nobody."""
    health = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    try:
        _code, body, _error = client.exchange(address, health, time.monotonic() + PATIENCE_S)
        facts = json.loads(body)
        is_steward = isinstance(facts, dict) and facts.get("program") == "steward"
    except OSError:
        return State.SILENT, reason
    except (client.Failed, ValueError):
        is_steward = False
    return (State.REFUSED if is_steward else State.STRANGER), reason
