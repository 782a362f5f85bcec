"""What a coding agent's own settings allow, and the user's yes to it, bound to the list that they saw.

A rule is read in Steward's way, whole words and one plain command a rule, honoured only with the user's yes,
and only within the bounds of a yes to a program by its name. It is taken as less than its vendor takes it,
never as more: `npm run test*` covers `npm run test`, not `npm run testament`.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.database import Connection, Database
from desktop.gate.program_names import named_steps
from desktop.gate.request import AgentRule, Request


@dataclass(frozen=True)
class RuleFile:
    """The allow rules that one file gives to one agent, in their order."""

    agent: str
    file: Path
    rules: tuple[AgentRule, ...]

    @property
    def digest(self) -> str:
        """Another one for another list of rules, whatever else the file says."""
        # Of the rules alone: an agent that changes its theme must not cost the user a new yes. And of what
        # they mean: one text can be written for several lists of words.
        meant = json.dumps([(rule.text, rule.words, rule.is_prefix, rule.unfit) for rule in self.rules])
        return hashlib.sha256(meant.encode("utf-8", "surrogatepass")).hexdigest()


def covering(request: Request) -> tuple[AgentRule, ...]:
    """The rules among `request.agent_rules` that together allow all of a line; empty where one part is left.

    Every step only reads or is named by a rule, and the whole line could be granted by names: nothing is
    deleted, sent, secret, outside or another user's, and no code comes from the line or a pipe.
    """
    if not request.agent_rules or request.flags:
        return ()
    chosen: dict[AgentRule, None] = {}
    for words in named_steps(request) or ():
        found = next((rule for rule in request.agent_rules if rule.covers(words)), None)
        # One part that no rule names is enough: the whole line is asked about.
        if found is None:
            return ()
        chosen[found] = None
    return tuple(chosen)


# -- the user's yes --------------------------------------------------------------------------------


class Consent(StrEnum):
    """What the user said about the rules of a file."""

    NONE = "none"
    GIVEN = "given"
    OUTDATED = "outdated"  # given to another list of rules


class AgentConsents:
    """Methods may be called on any thread. Only the first look and what changes waits for the database."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], str] | None = None  # agent and file to digest

    def agree(self, rules: RuleFile) -> None:
        """Honour exactly these from now on, in place of what was agreed to before."""
        values = (rules.agent, str(rules.file), rules.digest, self._now())
        self._change("INSERT OR REPLACE INTO agent_consents VALUES (?, ?, ?, ?)", values)

    def withdraw(self, rules: RuleFile) -> None:
        """Honour no rule of this file."""
        values = (rules.agent, str(rules.file))
        self._change("DELETE FROM agent_consents WHERE agent = ? AND file = ?", values)

    def of(self, rules: RuleFile) -> Consent:
        """Whether these rules are honoured."""
        digest = self._loaded().get((rules.agent, str(rules.file)))
        if digest is None:
            return Consent.NONE
        # An agent may write its own settings; a rule that the user has not seen is not honoured.
        return Consent.GIVEN if digest == rules.digest else Consent.OUTDATED

    def files(self, agent: str = "") -> tuple[Path, ...]:
        """Those about which anything was agreed; of one agent, or of all."""
        return tuple(Path(file) for each, file in self._loaded() if each == agent or not agent)

    # -- how ----------------------------------------------------------------------------------

    def _loaded(self) -> dict[tuple[str, str], str]:
        with self._lock:
            if self._known is None:
                self._known = self._database.read(_read)
            return self._known

    def _change(self, sql: str, values: tuple[object, ...]) -> None:
        self._database.write(lambda connection: connection.execute(sql, values))
        with self._lock:
            self._known = None


def _read(connection: Connection) -> dict[tuple[str, str], str]:
    rows = connection.execute("SELECT agent, file, digest FROM agent_consents")
    return {(row["agent"], row["file"]): row["digest"] for row in rows}
