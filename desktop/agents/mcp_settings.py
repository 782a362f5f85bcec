"""Puts Steward's own tools into a coding agent's list of MCP servers, and takes them out again.

The entry starts `steward agents mcp AGENT`, so no token stands there. Where the list is and how an entry
looks each agent says itself (`Agent.mcp_place`). Many of these files are written by the agent too; so the
entry alone is cut out again, and nothing is put back from a copy. Any thread; may block.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, replace
from enum import Enum

from desktop.agents import settings_file as files
from desktop.agents.agent_list import AGENTS, agent_named
from desktop.agents.install import SettingsPlan, check_unchanged, locked, program_of, readable, says_nothing
from desktop.agents.mcp_bridge import ABSENT
from desktop.agents.mcp_place import RUNTIME, VERB, words_of
from desktop.agents.reasons import AgentReason
from desktop.agents.settings_file import Computer, Content, Receipts
from desktop.errors import UserFacing
from desktop.gate.reasons import GateReason
from desktop.paths import Paths, own_program
from desktop.reasons import Reason
from desktop.settings import HookSettings

PATIENCE_S = 20.0  # a busy computer takes seconds to start a program
CLIENT = {"name": "steward-status", "version": "1"}
PROBE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
}


class McpState(Enum):
    """What is to be said about Steward's tools in one agent."""

    ABSENT = AgentReason.HOOKS_ABSENT
    NOT_INSTALLED = AgentReason.HOOKS_NOT_INSTALLED
    ANSWERED = AgentReason.HOOKS_ANSWERED
    SILENT = AgentReason.HOOKS_SILENT
    SWITCHED_OFF = AgentReason.TOOLS_SWITCHED_OFF
    OTHER = AgentReason.TOOLS_OTHER
    GONE = AgentReason.TOOLS_GONE
    UNREADABLE = AgentReason.HOOKS_UNREADABLE


@dataclass(frozen=True)
class McpStatus:
    """One agent. `detail` says why, `action` what to do about it."""

    agent: str
    state: McpState
    file: str
    detail: Reason | None = None
    action: Reason | None = None

    @property
    def is_well(self) -> bool:
        return self.state in (McpState.ANSWERED, McpState.NOT_INSTALLED, McpState.ABSENT)


class McpInstaller:
    """All agents of one profile on one computer whose list of servers is known."""

    def __init__(self, paths: Paths, settings: HookSettings, computer: Computer | None = None) -> None:
        self._paths = paths
        self._settings = settings
        self._computer = computer or Computer.this()
        self._receipts = Receipts(paths.data / "agents" / "mcp")
        known = ((each.name, each.mcp_place(self._computer)) for each in AGENTS)
        self.places = {name: place for name, place in known if place is not None}

    def name(self, agent: str) -> str:
        """Of an agent or of its program. Raises UserFacing for one whose list is not known."""
        name = next((each.name for each in AGENTS if agent in each.programs), agent)
        if name not in self.places:
            raise UserFacing(AgentReason.NO_AGENT.of(agent=agent, names=", ".join(self.places)))
        return name

    def found(self) -> tuple[str, ...]:
        """The agents on this computer."""
        return tuple(each for each in self.places if self.is_here(each))

    def is_here(self, agent: str) -> bool:
        """Whether the agent was ever started here, or could be."""
        known = agent_named(agent)
        hooks = known.settings_place(self._computer) if known is not None else None
        was_started = self.places[agent].file.is_file() or (hooks is not None and hooks.folder.is_dir())
        return was_started or program_of(agent, self._computer) is not None

    def is_installed(self, agent: str) -> bool:
        """Whether our entry stands in its list. Raises UserFacing."""
        place = self.places[self.name(agent)]
        with readable(place.file):
            return place.ours(files.read(place.file).text) is not None

    def words(self, agent: str) -> tuple[str, ...]:
        """What the agent starts: this program, with its profile, or with the folder of the running one."""
        # Else the agent would speak with the usual profile in the place of this one.
        profile = () if self._paths == Paths.default() else ("--profile", str(self._paths.profile))
        # Where that is, a session says by XDG_RUNTIME_DIR, which Codex does not hand on to its servers.
        runtime = () if self._paths.profile else (RUNTIME, str(self._paths.runtime))
        return (*own_program(), *profile, *VERB, *runtime, agent)

    def plan(self, agent: str) -> SettingsPlan:
        """What `install` would do; nothing is done. Raises UserFacing."""
        agent = self.name(agent)
        place = self.places[agent]
        before = files.read(place.file)
        with readable(place.file):
            text = place.with_ours(before.text, self.words(agent))
        return SettingsPlan(
            agent, place.file, before, Content(text, 0o600 if before.mode is None else before.mode)
        )

    def install(self, agent: str, planned: SettingsPlan | None = None) -> SettingsPlan:
        """Put the entry in, or renew it. Raises UserFacing; also where the file is not as it was planned."""
        agent = self.name(agent)
        with locked(self._paths, agent):
            plan = self.plan(agent)
            check_unchanged(planned, plan.before)
            if plan.changes:
                # Before the file, so that one that we made is known as ours whenever a crash comes.
                receipt = self._receipts.read(agent)
                if receipt is None or receipt.file != str(plan.file):
                    made = files.receipt_for(plan.file, plan.before, plan.after.text, None)
                    self._receipts.write(agent, made)
                files.write(plan.file, plan.after)
        return plan

    def plan_removal(self, agent: str) -> SettingsPlan:
        """What `uninstall` would do. Raises UserFacing."""
        agent = self.name(agent)
        place = self.places[agent]
        before = files.read(place.file)
        with readable(place.file):
            text = place.without_ours(before.text)
        after = replace(before, text=text)
        receipt = self._receipts.read(agent)
        made_by_us = receipt is not None and receipt.file == str(place.file) and not receipt.before
        if text != before.text and made_by_us and says_nothing(text):
            after = Content()
        return SettingsPlan(agent, place.file, before, after)

    def uninstall(self, agent: str, planned: SettingsPlan | None = None) -> SettingsPlan:
        """Take the entry out; every other byte stays. Raises UserFacing."""
        agent = self.name(agent)
        with locked(self._paths, agent):
            removal = self.plan_removal(agent)
            check_unchanged(planned, removal.before)
            if removal.changes:
                files.write(removal.file, removal.after)
            receipt = self._receipts.read(agent)
            if receipt is not None:
                files.drop_folders(receipt)
                self._receipts.drop(agent)
        return removal

    def status(self, agent: str) -> McpStatus:
        """Look, and ask once through the entry. Takes some seconds; raises UserFacing for an unknown name."""
        agent = self.name(agent)
        place = self.places[agent]
        file = str(place.file)
        try:
            with readable(place.file):
                entry = place.ours(files.read(place.file).text)
        except UserFacing as error:
            detail = AgentReason.HOOKS_ERROR.of(why=error.reason)
            action = AgentReason.HOOKS_ERROR_ACTION.of(why=error.reason)
            return McpStatus(agent, McpState.UNREADABLE, file, detail, action)
        if entry is None:
            state = McpState.NOT_INSTALLED if self.is_here(agent) else McpState.ABSENT
            return McpStatus(agent, state, file)
        renew = AgentReason.TOOLS_RENEW.of(agent=agent)
        # Nothing is started that somebody else wrote there.
        if words_of(entry) != self.words(agent):
            return McpStatus(agent, McpState.OTHER, file, action=renew)
        state, said = self._asked(agent)
        actions = {
            McpState.SILENT: AgentReason.HOOKS_START.of(),
            McpState.SWITCHED_OFF: AgentReason.TOOLS_SWITCH_ON.of(),
            McpState.GONE: renew,
        }
        why = GateReason.AS_SAID.of(text=said) if said else None
        return McpStatus(agent, state, file, why, actions.get(state))

    def _asked(self, agent: str) -> tuple[McpState, str]:
        try:
            done = subprocess.run(
                self.words(agent),
                input=json.dumps(PROBE) + "\n",
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
            answer = json.loads(done.stdout)
            if "result" in answer:
                return McpState.ANSWERED, ""
            why = str(answer["error"]["message"])
        except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
            return McpState.GONE, str(error)
        is_off = not self._settings.agent_tools and why != ABSENT
        return McpState.SWITCHED_OFF if is_off else McpState.SILENT, why
