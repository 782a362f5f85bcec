"""Which agents were seen to run what they were told in place of their own command, by version and session.

A vendor may drop it in any release without a word. So every confined call reports, and a missing report
counts: the version is marked, and Steward asks as it does for agents that cannot be told. The installed
version is told by where the program lies; nothing is started. The table is the only one of this room.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from pathlib import Path
from typing import Any

from desktop.agents.action import Action
from desktop.agents.agent import Agent
from desktop.agents.agent_list import title_of
from desktop.agents.hook_request import session_name
from desktop.agents.reasons import AgentReason
from desktop.database import Connection, Database, Migration
from desktop.reasons import Reason

LOOKED_UP_EVERY_S = 10.0
MOST_SESSIONS = 64  # that are at work; of the others the version tells what to expect
TRIED_AGAIN_S = 24 * 3600.0  # a mark that speaks against a version may come from what will not happen again
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:[-+.][\w.]+)?")
_HIGHEST = 4  # folders between a program and the package.json of its package


class RewriteOutcome(Enum):
    """What the end of a call says about the rewriting."""

    CONFINED = auto()  # the client reported
    IGNORED = auto()  # the agent ran its own line
    UNSEEN = auto()  # it ran the rewritten line, as it says, and no client reported
    UNTOLD = auto()  # it may not have come that far, or still be on its way


class RewriteSupport(StrEnum):
    """What is known of one version of an agent."""

    HONOURED = "honoured"  # the client reported
    IGNORED = "ignored"  # it ran its own line
    UNSEEN = "unseen"  # it showed the rewritten line, and no client reported


@dataclass(frozen=True)
class Mark:
    """`version` is "" where it could not be told; `at` in seconds since 1970."""

    agent: str
    version: str
    standing: RewriteSupport
    at: float

    def in_words(self, title: str) -> Reason | None:
        """One sentence for people, None where there is nothing to tell."""
        name = f"{title} {self.version}".strip()
        if self.standing is RewriteSupport.IGNORED:
            return AgentReason.IGNORED_LINE.of(name=name)
        if self.standing is RewriteSupport.UNSEEN:
            return AgentReason.LINE_UNSEEN.of(name=name)
        return None


_STANDINGS = {
    RewriteOutcome.CONFINED: RewriteSupport.HONOURED,
    RewriteOutcome.IGNORED: RewriteSupport.IGNORED,
    RewriteOutcome.UNSEEN: RewriteSupport.UNSEEN,
}


class Rewriting:
    """Methods may be called on any thread; only `ended` and `forget` wait for the database."""

    def __init__(
        self, database: Database, version: Callable[[str], str], now: Callable[[], float] = time.time
    ) -> None:
        """`version` tells an agent's installed version, "" where it cannot."""
        self._database = database
        self._version = version
        self._now = now
        self._lock = threading.Lock()
        self._marks = database.read(_marks)
        self._sessions: OrderedDict[str, Mark] = OrderedDict()

    def may_be_told(self, known: Agent, action: Action) -> bool:
        """Whether this hook may be answered with another command: it was not seen to run its own instead.

        Where a report alone is missing, a box around what only reads is still better than none.
        """
        if action.moment not in known.abilities.rewrites:
            return False
        mark = self._mark(known, action)
        return (
            mark is None
            or mark.standing is not RewriteSupport.IGNORED
            or self._now() - mark.at > TRIED_AGAIN_S
        )

    def is_proven(self, known: Agent, action: Action) -> bool:
        """Whether a command may be let through for the sole reason that it is rewritten."""
        mark = self._mark(known, action)
        if mark is None:
            # A version that was tried here is trusted without a report, unless its own sandbox
            # may swallow one.
            is_tried = self._version(known.name) == known.abilities.rewrites_tried
            return is_tried and not known.abilities.sandboxes
        return mark.standing is RewriteSupport.HONOURED

    def ended(self, action: Action, ending: RewriteOutcome) -> Mark | None:
        """A call has ended so; the mark where that is news. Waits for the database then."""
        standing = _STANDINGS.get(ending)
        if standing is None:
            return None
        session = session_name(action)
        mark = Mark(action.agent, self._version(action.agent), standing, self._now())
        with self._lock:
            if session:
                self._sessions[session] = mark
                self._sessions.move_to_end(session)
                if len(self._sessions) > MOST_SESSIONS:
                    self._sessions.popitem(last=False)
            known = self._marks.get((mark.agent, mark.version))
            is_known = known is not None and known.standing is standing
            # Every confined call comes by here; the database is written only for news.
            if is_known and standing is not RewriteSupport.IGNORED:  # whose day begins anew
                return None
            self._marks[mark.agent, mark.version] = mark
        self._database.write(lambda c: _put(c, mark))
        return mark

    def marks(self) -> tuple[Mark, ...]:
        """What is known of the versions that are installed now."""
        with self._lock:
            known = tuple(self._marks.values())
        return tuple(mark for mark in known if mark.version == self._version(mark.agent))

    def ignoring(self) -> tuple[Reason, ...]:
        """Sentences about the installed versions that speak against one."""
        lines = (mark.in_words(title_of(mark.agent)) for mark in self.marks())
        return tuple(words for words in lines if words)

    def forget(self, agent: str) -> None:
        """Try it again, as after another installation."""
        with self._lock:
            self._marks = {key: mark for key, mark in self._marks.items() if mark.agent != agent}
            for session in [each for each in self._sessions if each.startswith(f"{agent}/")]:
                del self._sessions[session]
        self._database.write(lambda c: c.execute("DELETE FROM rewriting WHERE agent = ?", (agent,)))

    def _mark(self, known: Agent, action: Action) -> Mark | None:
        """What the session itself showed counts before what the installed version did."""
        with self._lock:
            mark = self._sessions.get(session_name(action))
            return mark or self._marks.get((known.name, self._version(known.name)))


def _marks(connection: Connection) -> dict[tuple[str, str], Mark]:
    rows = connection.execute("SELECT agent, version, standing, at FROM rewriting").fetchall()
    marks = [
        Mark(agent, version, RewriteSupport(standing), at)
        for agent, version, standing, at in map(_plain, rows)
    ]
    return {(mark.agent, mark.version): mark for mark in marks}


def _plain(row: Any) -> tuple[str, str, str, float]:
    return row["agent"], row["version"], row["standing"], row["at"]


def _put(connection: Connection, mark: Mark) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO rewriting (agent, version, standing, at) VALUES (?, ?, ?, ?)",
        (mark.agent, mark.version, mark.standing.value, mark.at),
    )


# -- the installed version ---------------------------------------------------------------------


def version_at(program: Path) -> str:
    """The version of the program that `program` leads to; "" where its place does not tell.

    The registry's packages have a package.json above their program; the vendors' own installers and
    Homebrew name a folder or the file after the version.
    """
    try:
        real = program.resolve(strict=True)
    except (OSError, RuntimeError):
        return ""
    for folder in list(real.parents)[:_HIGHEST]:
        # Above it begins somebody else's package.
        if folder.name == "node_modules":
            break
        found = _of_package(folder / "package.json")
        if found:
            return found
    return next((part for part in reversed(real.parts) if _VERSION.fullmatch(part)), "")


class Versions:
    """The installed versions, looked up now and then: an agent may be updated meanwhile. Any thread."""

    def __init__(
        self, program: Callable[[str], str | None], now: Callable[[], float] = time.monotonic
    ) -> None:
        """`program` gives the path of an agent's program on PATH."""
        self._program = program
        self._now = now
        self._found: dict[str, tuple[float, str]] = {}

    def of(self, agent: str) -> str:
        """The version of the agent's program; "" where it cannot be found out."""
        known = self._found.get(agent)
        now = self._now()
        if known is None or now - known[0] > LOOKED_UP_EVERY_S:
            path = self._program(agent)
            known = self._found[agent] = (now, version_at(Path(path)) if path else "")
        return known[1]


def _of_package(file: Path) -> str:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    version = value.get("version") if isinstance(value, dict) else None
    return version if isinstance(version, str) and _VERSION.fullmatch(version) else ""


ROOM = "agents"


def _rewriting(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE rewriting (
            agent TEXT NOT NULL,
            version TEXT NOT NULL,
            standing TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (agent, version)
        )
        """
    )


MIGRATIONS = (Migration(1, "what agents made of rewritten commands", _rewriting, ROOM),)
