"""Puts the gate into a coding agent's settings, and takes it out again.

What would change is planned first and shown; then the file is kept beside and replaced whole. Installing
again renews the token and nothing else. Two at once wait for each other. Any thread; may block.
"""

from __future__ import annotations

import difflib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from desktop.agents import client
from desktop.agents import settings_file as files
from desktop.agents.agent import Agent
from desktop.agents.agent_list import AGENTS, agent_named
from desktop.agents.jsonc import UnreadableJson
from desktop.agents.reasons import AgentReason
from desktop.agents.settings_file import (
    Computer,
    Content,
    HookClient,
    HookTarget,
    Receipts,
    SettingsPlace,
    hook_client,
)
from desktop.agents.tokens import Tokens
from desktop.errors import UserFacing
from desktop.gate.reasons import GateReason
from desktop.paths import PRIVATE_FILE, Paths, ensure, write_atomically
from desktop.reasons import Reason
from desktop.settings import HookSettings

LOCK_TIMEOUT_S = 10.0
SOCKET_PATH_BYTES = 100  # of 104 on macOS and 108 on Linux, <sys/un.h>
_TOKEN = re.compile(r"""(Bearer |"token": ")[\w-]+""")  # in entries of older versions


@dataclass(frozen=True)
class SettingsPlan:
    """What would become of an agent's settings file."""

    agent: str
    file: Path
    before: Content
    after: Content

    @property
    def changes(self) -> bool:
        return _shown(self.before) != _shown(self.after) or self.before.exists != self.after.exists

    @property
    def diff(self) -> str:
        """For the user to read; tokens are left out. Empty where nothing but a token changes."""
        lines = difflib.unified_diff(
            _shown(self.before).splitlines(),
            _shown(self.after).splitlines(),
            str(self.file) if self.before.exists else "no file",
            str(self.file) if self.after.exists else "no file",
            lineterm="",
        )
        return "".join(f"{line}\n" for line in lines)


def _shown(content: Content) -> str:
    return _TOKEN.sub(r"\g<1>…", content.text)


def places(computer: Computer) -> tuple[SettingsPlace, ...]:
    """Where hooks can be installed, in the order of `steward agents list` and the manual."""
    found = (each.settings_place(computer) for each in AGENTS)
    return tuple(place for place in found if place is not None)


def program_of(agent: str, computer: Computer) -> str | None:
    """The agent's program on PATH; None where it is not there, and for agents that are not known."""
    known = agent_named(agent)
    return computer.program(known.programs) if known is not None else None


def _known(agent: str) -> Agent:
    """The agent of a place, which is in the list."""
    known = agent_named(agent)
    assert known is not None
    return known


class Installer:
    """All agents of one profile on one computer."""

    def __init__(
        self,
        paths: Paths,
        tokens: Tokens,
        settings: HookSettings,
        computer: Computer | None = None,
        client: HookClient | None = None,
    ) -> None:
        self._paths = paths
        self._tokens = tokens
        self._settings = settings
        self._computer = computer or Computer.this()
        self._client = client
        self._receipts = Receipts(paths.data / "agents")
        self.places = places(self._computer)

    def place(self, agent: str) -> SettingsPlace:
        """By its name, or as its program is called (`claude`). Raises UserFacing for a name that is none."""
        name = next((each.name for each in AGENTS if agent in each.programs), agent)
        found = next((each for each in self.places if each.agent == name), None)
        if found is None:
            names = ", ".join(each.agent for each in self.places)
            raise UserFacing(AgentReason.NO_AGENT.of(agent=agent, names=names))
        return found

    def found(self) -> tuple[str, ...]:
        """The agents on this computer: their program is on PATH, or their settings folder is there."""
        return tuple(each.agent for each in self.places if self.is_here(each))

    def is_here(self, place: SettingsPlace) -> bool:
        """Whether the agent was ever started here, or could be."""
        return place.folder.is_dir() or program_of(place.agent, self._computer) is not None

    def program(self, agent: str) -> str:
        """The agent's program on PATH. Raises UserFacing."""
        known = _known(self.place(agent).agent)
        found = self._computer.program(known.programs)
        if found is None:
            raise UserFacing(AgentReason.NO_PROGRAM.of(program=known.programs[0]))
        return found

    def is_installed(self, agent: str) -> bool:
        """Whether hooks of ours stand in its settings. Raises UserFacing."""
        place = self.place(agent)
        with readable(place.file):
            return bool(place.hooks(files.read(place.file).text))

    def plan(self, agent: str) -> SettingsPlan:
        """What `install` would do; nothing is done. Raises UserFacing."""
        place = self.place(agent)
        before = files.read(place.file)
        return SettingsPlan(place.agent, place.file, before, self._with_ours(place, before))

    def install(self, agent: str, planned: SettingsPlan | None = None) -> SettingsPlan:
        """Install or renew. Raises UserFacing; also where the file is not any more as it was planned for."""
        place = self.place(agent)
        agent = place.agent
        with locked(self._paths, agent):
            before = files.read(place.file)
            check_unchanged(planned, before)
            after = self._with_ours(place, before)  # what cannot be read must not cost the old token
            older = self._receipts.read(agent)
            first = files.original(place.file, before, older) or self._less_ours(place, before)
            files.keep(place.file, first)
            token = self._tokens.make(agent)
            text = _known(agent).token_file_text(token)
            write_atomically(self._token_file(agent), text.encode())
            self._receipts.write(agent, files.receipt_for(place.file, first, after.text, older))
            # Last: from now on the agent starts the client, which needs all of the above.
            files.write(place.file, after)
        return SettingsPlan(agent, place.file, before, after)

    def plan_removal(self, agent: str) -> SettingsPlan:
        """What `uninstall` would do. Raises UserFacing."""
        place = self.place(agent)
        before = files.read(place.file)
        first = files.original(place.file, before, self._receipts.read(place.agent))
        return SettingsPlan(place.agent, place.file, before, first or self._less_ours(place, before))

    def uninstall(self, agent: str, planned: SettingsPlan | None = None) -> SettingsPlan:
        """Take our hooks out and end the token: byte for byte what was there, if nobody changed it since."""
        agent = self.place(agent).agent
        with locked(self._paths, agent):
            removal = self.plan_removal(agent)
            check_unchanged(planned, removal.before)
            if removal.before != removal.after:
                # The file before the token: hooks whose token is gone would refuse every call.
                files.write(removal.file, removal.after)
            self._tokens.forget(agent)
            self._token_file(agent).unlink(missing_ok=True)
            receipt = self._receipts.read(agent)
            if receipt is not None:
                files.drop_backup(removal.file)
                files.drop_folders(receipt)
                self._receipts.drop(agent)
        return removal

    def steward_runs(self) -> bool:
        """Whether a process has this profile."""
        try:
            with FileLock(ensure(self._paths.runtime) / self._paths.instance_lock.name, blocking=False):
                return False
        except Timeout:
            return True

    def is_outdated(self, agent: str) -> bool:
        """Whether its hooks are not those that this version writes. Raises UserFacing."""
        place = self.place(agent)
        with readable(place.file):
            now = place.hooks(files.read(place.file).text)
            return place.hooks(place.with_ours("", self.target(place.agent))) != now

    def target(self, agent: str, token_file: Path | None = None) -> HookTarget:
        """How the agent's hooks reach the daemon. Raises UserFacing where the client is missing."""
        return HookTarget(
            agent=agent,
            address=self._address(),
            token_file=token_file or self._token_file(agent),
            client=self._client or hook_client(self._paths.hook_client),
            closed=agent in self._settings.fail_closed,
        )

    def _address(self) -> str:
        """The socket file, and the port for when the folder of it has another name where the agent runs."""
        path, port = str(self._paths.hook_socket), str(self._settings.port)
        # A path that is too long cannot be bound; the port serves everybody then.
        if self._computer.windows or len(path.encode()) > SOCKET_PATH_BYTES:
            return port
        return f"{path}:{port}"

    def _token_file(self, agent: str) -> Path:
        return self._paths.config / "hook_tokens" / f"{agent}.token"

    def _with_ours(self, place: SettingsPlace, before: Content) -> Content:
        """From the file as it was before us, so that a second time gives the same as the first."""
        first = files.original(place.file, before, self._receipts.read(place.agent))
        base = first if first is not None else before
        with readable(place.file):
            text = place.with_ours(base.text, self.target(place.agent))
        return Content(text, 0o600 if base.mode is None else base.mode)

    def _less_ours(self, place: SettingsPlace, before: Content) -> Content:
        with readable(place.file):
            if not place.hooks(before.text):
                return before
            text = place.without_ours(before.text)
        receipt = self._receipts.read(place.agent)
        made_by_us = receipt is not None and receipt.file == str(place.file) and not receipt.before
        if not text.strip() or (made_by_us and says_nothing(text)):
            return Content()
        mode = receipt.mode if receipt is not None and receipt.mode is not None else before.mode
        return replace(before, text=text, mode=mode)


@contextmanager
def locked(paths: Paths, agent: str) -> Iterator[None]:
    """Nobody else changes the settings of this agent meanwhile. Raises UserFacing."""
    try:
        lock = FileLock(
            ensure(paths.data / "agents") / f"{agent}.lock", timeout=LOCK_TIMEOUT_S, mode=PRIVATE_FILE
        )
        lock.acquire()
    except Timeout as error:
        raise UserFacing(AgentReason.INSTALL_BUSY.of(agent=agent)) from error
    except OSError as error:
        raise files.unusable(paths.data, error) from error
    try:
        yield
    except OSError as error:  # of tokens and receipts; the agent's own file has its sentences
        raise files.unusable(paths.config, error) from error
    finally:
        lock.release()


def says_nothing(text: str) -> bool:
    """Whether nothing is left but braces and the version that we put there."""
    return re.sub(r'"version"\s*:\s*1', "", text).strip("{} \t\r\n") == ""


def check_unchanged(planned: SettingsPlan | None, now: Content) -> None:
    """Raises UserFacing where the file is not any more as it was planned for."""
    if planned is not None and planned.before != now:
        raise UserFacing(AgentReason.CHANGED_MEANWHILE.of(file=planned.file))


@contextmanager
def readable(file: Path) -> Iterator[None]:
    """What cannot be read in it is told to a person, with its line."""
    try:
        yield
    except UnreadableJson as error:
        raise UserFacing(AgentReason.SETTINGS_UNREADABLE.of(file=file, error=str(error))) from error


PATIENCE_S = 5.0
_ENDING = re.compile(r" [0-9]+( --[a-z-]+)*$")  # of a client's line: time-out and flags
NOT_STARTED = (126, 127)  # sh(1): the program could not be run, or not be found

# An event that no agent has: nothing is decided, shown or kept.
PROBE = json.dumps(
    {"hook_event_name": "StewardProbe", "event": "steward.probe", "session_id": "steward-probe"}
)


class HookState(Enum):
    """What is to be said about an agent."""

    ABSENT = AgentReason.HOOKS_ABSENT
    NOT_INSTALLED = AgentReason.HOOKS_NOT_INSTALLED
    ANSWERED = AgentReason.HOOKS_ANSWERED
    SILENT = AgentReason.HOOKS_SILENT
    STRANGER = AgentReason.HOOKS_STRANGER
    REFUSED = AgentReason.HOOKS_REFUSED
    OUTDATED = AgentReason.HOOKS_OUTDATED
    GONE = AgentReason.HOOKS_GONE
    DISABLED = AgentReason.HOOKS_DISABLED
    UNREADABLE = AgentReason.HOOKS_UNREADABLE


@dataclass(frozen=True)
class HookStatus:
    """One agent. `detail` says why, `action` what to do about it; `ms` is how long the answer took."""

    agent: str
    state: HookState
    file: str
    detail: Reason | None = None
    action: Reason | None = None
    ms: float | None = None

    @property
    def is_well(self) -> bool:
        return self.state in (HookState.ANSWERED, HookState.NOT_INSTALLED, HookState.ABSENT)


def status(installer: Installer, agent: str) -> HookStatus:
    """Look, and send a probe through. Takes at most some seconds; raises UserFacing for an unknown name."""
    place = installer.place(agent)
    agent, file = place.agent, str(place.file)
    try:
        text = files.read(place.file).text
        hooks = place.hooks(text)
        off = place.off(text) if hooks else None
    except UserFacing as error:
        detail = AgentReason.HOOKS_ERROR.of(why=error.reason)
        action = AgentReason.HOOKS_ERROR_ACTION.of(why=error.reason)
        return HookStatus(agent, HookState.UNREADABLE, file, detail, action)
    except UnreadableJson as error:
        said = GateReason.AS_SAID.of(text=str(error))
        return HookStatus(agent, HookState.UNREADABLE, file, said, AgentReason.HOOKS_CORRECT.of())
    if not hooks:
        state = HookState.NOT_INSTALLED if installer.is_here(place) else HookState.ABSENT
        return HookStatus(agent, state, file)
    # An entry of before the client: the agent calls the address itself, and may do so through a proxy.
    if any("url" in hook for hook in hooks):
        return HookStatus(agent, HookState.OUTDATED, file, action=_ACTIONS[HookState.OUTDATED].of())
    found = _probed(place, hooks, off)
    if found.is_well and installer.is_outdated(agent):
        return HookStatus(agent, HookState.OUTDATED, file, action=_ACTIONS[HookState.OUTDATED].of())
    return found


def _probed(place: SettingsPlace, hooks: tuple[Mapping[str, Any], ...], off: Reason | None) -> HookStatus:
    """Every different way among the hooks is tried; the worst finding counts."""
    file = str(place.file)
    slowest = 0.0
    for line in _ways(hooks):
        started = time.perf_counter()
        state, detail = _run(line)
        if state is not HookState.ANSWERED:
            said = GateReason.AS_SAID.of(text=detail)
            return HookStatus(place.agent, state, file, said, _ACTIONS[state].of())
        slowest = max(slowest, (time.perf_counter() - started) * 1000)
    # Only now: that the way works is worth saying before why the agent does not use it.
    if off is not None:
        return HookStatus(place.agent, HookState.DISABLED, file, off, AgentReason.HOOKS_CHANGE_THERE.of())
    return HookStatus(place.agent, HookState.ANSWERED, file, ms=round(slowest, 1))


_ACTIONS = {
    HookState.SILENT: AgentReason.HOOKS_START,
    HookState.STRANGER: AgentReason.HOOKS_FREE_PORT,
    HookState.REFUSED: AgentReason.HOOKS_NEW_TOKEN,
    HookState.GONE: AgentReason.HOOKS_MOVED,
    HookState.OUTDATED: AgentReason.HOOKS_RENEW,
}


def _ways(hooks: tuple[Mapping[str, Any], ...]) -> list[str]:
    """The lines that start a client, each once: another time-out or flag makes no other way."""
    ways: dict[str, str] = {}
    for hook in hooks:
        line = str(hook.get("command") or hook.get("powershell" if sys.platform == "win32" else "bash"))
        # The same client with another time-out goes the same way; one probe is enough.
        ways.setdefault(_ENDING.sub("", line), line)
    return list(ways.values())


def _run(line: str) -> tuple[HookState, str]:
    # By a shell, as agents start it: quotation marks that fail there have to fail here.
    shell = ["cmd", "/d", "/s", "/c"] if sys.platform == "win32" else ["/bin/sh", "-c"]
    try:
        done = subprocess.run(
            # Else the client says nothing where nobody answers, which looks like an answer.
            [*shell, f"{line} --fail-closed"],
            input=PROBE,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return HookState.SILENT, str(error)
    if done.returncode == 0:
        return HookState.ANSWERED, ""
    # These numbers are sh's; cmd has its own words.
    is_gone = done.returncode in NOT_STARTED and sys.platform != "win32"
    if is_gone or files.LEFT_BEHIND in done.stderr:
        return HookState.GONE, done.stderr.strip()
    return _why_not(done.stderr.strip() or f"its client ended with {done.returncode}")


def _why_not(reason: str) -> tuple[HookState, str]:
    """Who is there, by what the client says: Steward that refuses, somebody else, or nobody."""
    if client.UNKNOWN_TOKEN in reason:
        return HookState.REFUSED, reason
    if client.STRANGER in reason or client.OTHER_USER in reason:
        return HookState.STRANGER, reason
    return HookState.SILENT, reason
