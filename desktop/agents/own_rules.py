"""What an agent's own settings forbid, ask about and allow.

Agents hold their rules against the line that they run. A rule about `curl` does not meet the confining
client, so a line that such a rule may meet is not rewritten: it goes to the agent as it is, which then does
what its user told it. What forbids or asks is only ever taken as more than the vendor's own reading would,
what allows as less, and only where the user agreed to it.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from desktop.agents.action import Action
from desktop.agents.agent import Agent, FoundRule
from desktop.agents.settings_file import Computer
from desktop.gate.agent_rules import AgentConsents, Consent, RuleFile
from desktop.gate.request import AgentRule, Request

LOOKED_UP_EVERY_S = 2.0
MOST_FOLDERS = 64

Pattern = re.Pattern[str]


class OwnRules:
    """Which lines an agent's own rules may meet, and which they allow. Methods may be called on any thread;
    they look at the disk now and then."""

    def __init__(
        self,
        agents: Iterable[Agent],
        computer: Computer,
        consents: AgentConsents,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._agents = {each.name: each for each in agents}
        self._computer = computer
        self._consents = consents
        self._now = now
        self._lock = threading.Lock()
        # By text: a path is taken apart each time that it is looked up.
        self._known: dict[tuple[str, str], tuple[float, tuple[FoundRule, ...]]] = {}

    def meet(self, action: Action, request: Request) -> bool:
        """Whether a rule that denies or asks may be meant for this line or one of its commands."""
        return _meet(_held(self._found(action.agent, action.folder)), action, request)

    def honoured(self, action: Action, request: Request) -> tuple[AgentRule, ...]:
        """The allow rules that count where this action works: those of files that the user agreed to.

        None where a rule that denies or asks names the line too. One about every command is no such rule:
        some agents write down that way what holds where nothing is said.
        """
        found = self._found(action.agent, action.folder)
        # Most people agree to none: the usual hook ends here.
        if not self._consents.files(action.agent):
            return ()
        # Of the same look: between two of them the file could lose what forbids, after it was read for what
        # allows, and a line that neither of its states allows would pass.
        if _meet([each for each in _held(found) if each.pattern], action, request):
            return ()
        files = _by_file(action.agent, found)
        agreed = (each for each in files if self._consents.of(each) is Consent.GIVEN)
        return tuple(rule for each in agreed for rule in each.rules)

    def listed(self) -> tuple[RuleFile, ...]:
        """All files with allow rules: the user's, those of folders in which agents have worked since Steward
        began, and those that were agreed to. Waits for the disk.
        """
        with self._lock:
            folders = {(agent, Path(folder)) for agent, folder in self._known}
        for agent in self._agents:
            folders.add((agent, self._computer.home))
            folders |= {(agent, file.parent) for file in self._consents.files(agent)}
        files = {
            (agent, str(each.file)): each
            for agent, folder in folders
            for each in _by_file(agent, self._found(agent, folder))
        }
        return tuple(files[key] for key in sorted(files))

    def _found(self, agent: str, folder: Path) -> tuple[FoundRule, ...]:
        known_agent = self._agents.get(agent)
        if known_agent is None:
            return ()
        now, key = self._now(), (agent, str(folder))
        with self._lock:
            known = self._known.get(key)
            if known is not None and now - known[0] <= LOOKED_UP_EVERY_S:
                return known[1]
        found = tuple(known_agent.own_rules(self._computer, folder))
        with self._lock:
            # All at once: which of them is asked for again nobody knows, and reading is cheap.
            if len(self._known) > MOST_FOLDERS:
                self._known.clear()
            self._known[key] = (now, found)
        return found


def _held(found: Iterable[FoundRule]) -> list[Pattern]:
    return [each.held for each in found if each.held is not None]


def _meet(held: Iterable[Pattern], action: Action, request: Request) -> bool:
    # The line as the agent compares it, and its commands one by one: `true; rm x` has to meet a rule on `rm`.
    lines = (action.command.strip(), *request.parts, *request.commands)
    return any(rule.match(line) for rule in held for line in lines)


def _by_file(agent: str, found: Iterable[FoundRule]) -> Iterator[RuleFile]:
    """A file that is reached in two ways once."""
    files: dict[Path, dict[AgentRule, None]] = {}
    for each in found:
        if each.allowed is not None:
            files.setdefault(each.file, {})[each.allowed] = None
    yield from (RuleFile(agent, file, tuple(rules)) for file, rules in files.items())
