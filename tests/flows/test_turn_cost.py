"""What a plain question costs: few reads and writes of the database, however long the conversation is."""

from __future__ import annotations

import gc
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from desktop.chat.store import Role
from desktop.database import WAIT_S, WRITER_STATEMENTS, Connection, Database
from desktop.gate.redaction import Redactor
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days

READS, WRITES = 12, 6
MODULES = 30  # of the core: all rooms below windows and composition, the engine's nine among them
STEPS = 10  # instructions of SQLite between two counts
ROOMS_ABOVE = ("ui", "app")
QUESTION = "Which colour has the sky over the sea?"


@dataclass
class Cost:
    """What happened between `begin` and `end`, on all threads."""

    reads: int = 0
    writes: int = 0
    statements: list[str] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    steps: int = 0
    modules: set[str] = field(default_factory=set)
    is_counting: bool = False

    def profile(self, frame: FrameType, event: str, _argument: Any) -> None:
        if self.is_counting and event == "call":
            _, found, inside = frame.f_code.co_filename.rpartition("/desktop/")
            if found and inside.partition("/")[0] not in ROOMS_ABOVE and "site-packages" not in inside:
                self.modules.add(inside)

    def on_statement(self, statement: str) -> None:
        # FTS5 reports what it does inside as comments; that is the work of one statement of ours.
        if self.is_counting and not statement.startswith("--"):
            self.statements.append(statement)

    def on_steps(self) -> int:
        self.steps += self.is_counting
        return 0

    def of(self, work: Callable[[], object]) -> None:
        self.reads = self.writes = self.steps = 0
        self.statements, self.redacted, self.modules = [], [], set()
        gc.disable()  # a collection at the wrong moment calls back into rooms that have no part in a turn
        self.is_counting = True
        try:
            work()
        finally:
            self.is_counting = False
            gc.enable()


@pytest.fixture
def cost(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cost]:
    """Counts at the seam of the product's own database, which is SQLite's as ever."""
    cost = Cost()
    connect, read, write, redact = Database._connect, Database.read, Database.write, Redactor.text

    def watched(
        database: Database, statements: int = WRITER_STATEMENTS, wait_s: float = WAIT_S
    ) -> Connection:
        connection: sqlite3.Connection = connect(database, statements, wait_s)
        connection.set_trace_callback(cost.on_statement)
        connection.set_progress_handler(cost.on_steps, STEPS)
        return connection

    def counted_read(database: Database, fn: Callable[[Connection], Any]) -> Any:
        cost.reads += cost.is_counting
        return read(database, fn)

    def counted_write(database: Database, fn: Callable[[Connection], Any]) -> Any:
        cost.writes += cost.is_counting
        return write(database, fn)

    def counted_redaction(redactor: Redactor, text: str) -> str:
        if cost.is_counting:
            cost.redacted.append(text)
        return redact(redactor, text)

    monkeypatch.setattr(Redactor, "text", counted_redaction)
    monkeypatch.setattr(Database, "_connect", watched)
    monkeypatch.setattr(Database, "read", counted_read)
    monkeypatch.setattr(Database, "write", counted_write)
    before = sys.getprofile()
    threading.setprofile(cost.profile)
    sys.setprofile(cost.profile)
    yield cost
    sys.setprofile(before)
    threading.setprofile(before)


@contextmanager
def program(profile: Path) -> Iterator[Days]:
    """With tools, memory and a scripted model whose template knows tools: the dearest kind of turn."""
    backend = ScriptedBackend("Blue.", template=HERMES_TEMPLATE)
    with days(profile, installed(profile / "models", chat_template=HERMES_TEMPLATE), backend) as used:
        yield used


def test_a_plain_question_reads_its_conversation_once(cost: Cost, tmp_path: Path) -> None:
    """With tools and memory on, and twenty turns before it."""
    with program(tmp_path) as used:
        chat = used.chat()
        for number in range(20):
            used.say(f"Tell me about harbour number {number}", chat)
        cost.of(lambda: used.say(QUESTION, chat))
    assert 0 < cost.reads <= READS
    assert 0 < cost.writes <= WRITES
    assert len(cost.modules) <= MODULES, " ".join(sorted(cost.modules))
    branches = [statement for statement in cost.statements if "WITH RECURSIVE branch (id" in statement]
    assert len(branches) == 1
    assert sorted(cost.redacted) == ["Blue.", QUESTION]  # memory's two fields, each once


def test_a_long_conversation_costs_no_more_than_a_short_one(cost: Cost, tmp_path: Path) -> None:
    """The same statements after 20 turns and after 400; SQLite's own work grows like its trees, not like the
    conversation: twenty times as long, it is a quarter more at most."""
    found = []
    with program(tmp_path) as used:
        used.core.settings.change("memory", "enabled", False)
        for turns in (20, 400):
            chat = used.chat()
            for number in range(turns):
                used.core.store.add(chat, Role.USER, f"question {number}")
                used.core.store.add(chat, Role.ASSISTANT, f"answer {number}")
            used.say("Where were we?", chat)  # leaves out what the settings say
            cost.of(lambda chat=chat: used.say(QUESTION, chat))  # type: ignore[misc]
            found.append((cost.reads, cost.writes, len(cost.statements), cost.steps))
    (*short, short_steps), (*long, long_steps) = found
    assert long == short
    assert 0 < long_steps <= short_steps * 1.25
