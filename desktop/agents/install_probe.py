"""Proves that an installed hook reaches Steward: a probe goes the very way that the agent's hooks go.

The entry is taken from the agent's settings as it stands there and run by its shell, in this environment with
all its variables for proxies, and with --fail-closed added, so that it says why it got no answer. An entry of
type `http`, of an older version, is not tried: agents send such hooks to the proxy of their environment.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from desktop.agents import client
from desktop.agents import settings_file as files
from desktop.agents.install import Installer
from desktop.agents.jsonc import Unreadable
from desktop.agents.settings_file import SettingsPlace
from desktop.errors import UserFacing

PATIENCE_S = 5.0
_ENDING = re.compile(r" [0-9]+( --[a-z-]+)*$")  # of a client's line: time-out and flags
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
    OUTDATED = "installed by an older Steward, in a way that does not hold"
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
    agent, file = place.agent, str(place.file)
    try:
        text = files.read(place.file).text
        hooks = place.hooks(text)
        off = place.off(text) if hooks else ""
    except UserFacing as error:
        return Status(agent, State.UNREADABLE, file, error.cause, error.action)
    except Unreadable as error:
        return Status(agent, State.UNREADABLE, file, str(error), "Correct that place.")
    if not hooks:
        state = State.NOT_INSTALLED if installer.is_here(place) else State.ABSENT
        return Status(agent, state, file)
    if any("url" in hook for hook in hooks):
        return Status(agent, State.OUTDATED, file, "", _ACTIONS[State.OUTDATED])
    found = _probed(place, hooks, off)
    if found.is_well and installer.is_outdated(agent):
        return Status(agent, State.OUTDATED, file, "", _ACTIONS[State.OUTDATED])
    return found


def _probed(place: SettingsPlace, hooks: tuple[Mapping[str, Any], ...], off: str) -> Status:
    """Every different way among the hooks is tried; the worst finding counts."""
    file = str(place.file)
    slowest = 0.0
    for line in _ways(hooks):
        started = time.perf_counter()
        state, detail = _run(line)
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
    State.OUTDATED: "Install again: that renews the hooks.",
}


def _ways(hooks: tuple[Mapping[str, Any], ...]) -> list[str]:
    """Without repetitions; a client's time-out and its flags are no other way."""
    ways: dict[str, str] = {}
    for hook in hooks:
        line = str(hook.get("command") or hook.get("powershell" if sys.platform == "win32" else "bash"))
        ways.setdefault(_ENDING.sub("", line), line)
    return list(ways.values())


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
    return _why_not(done.stderr.strip() or f"its client ended with {done.returncode}")


def _why_not(reason: str) -> tuple[State, str]:
    """Who is there, by what the client says: Steward that refuses, somebody else, or nobody."""
    if client.UNKNOWN_TOKEN in reason:
        return State.REFUSED, reason
    if client.STRANGER in reason or client.OTHER_USER in reason:
        return State.STRANGER, reason
    return State.SILENT, reason
