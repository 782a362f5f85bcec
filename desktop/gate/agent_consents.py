"""The user's yes to the allow rules of an agent's settings file, bound to the list that they saw."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from desktop.database import Connection, Database
from desktop.gate.agent_rules import RuleFile


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
