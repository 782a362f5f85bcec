"""A handler over a real database, tables and audit log, with a project folder and a user who answers."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from desktop.agents import rewriting as agents
from desktop.agents.action import Action, Reply
from desktop.agents.agent_list import AGENTS
from desktop.agents.confined_runs import Boxes, ConfinedRuns
from desktop.agents.copies import Copies, CopyKeeper
from desktop.agents.events import HookAsked, HookDecided
from desktop.agents.hook_handler import AgentHandler, HookAsker, HookJudges, HookListeners
from desktop.agents.hook_request import PendingHook
from desktop.agents.own_rules import OwnRules
from desktop.agents.rewriting import Rewriting
from desktop.agents.settings_file import Computer
from desktop.agents.verdict_log import Recorder
from desktop.asking import Answer, Asker, Question
from desktop.database import Database
from desktop.errors import Cancelled
from desktop.events import Bus, Event
from desktop.gate import migrations as gate
from desktop.gate.agent_rules import AgentConsents
from desktop.gate.audit import AuditFilter, AuditLog
from desktop.gate.commands import CommandPlaces, Commands, Consults
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.journal import Journal
from desktop.gate.policy import PolicySettings
from desktop.gate.project_copies import ProjectCopies
from desktop.gate.projects import Projects
from desktop.gate.rules import Rule
from desktop.gate.shell.classifier import Classifier
from desktop.paths import Paths
from desktop.reasons import Reason
from desktop.settings import HookSettings
from tests.fakes.asker import FakeAsker
from tests.shipped import command_tables, redactor

TABLES = command_tables()


class Gatehouse:
    """What a test of the handler looks at. Change `settings`, `policy` and `asker` before a hook."""

    def __init__(self, paths: Paths, folder: Path) -> None:
        self.paths, self.project = paths, folder / "project"
        self.project.mkdir()
        self.settings, self.policy = HookSettings(), PolicySettings()
        self.asker: Asker | None = FakeAsker()
        self.broken: Reason | None = None
        self.own = (paths.data, paths.config)
        self.withdrawn: list[Question] = []
        self.bus, self.events = Bus(), list[Event]()
        self.bus.subscribe(Event, self.events.append)
        self.version = "2.1.197"
        self.database = Database(paths.database, (*gate.MIGRATIONS, *agents.MIGRATIONS))
        self.consents = AgentConsents(self.database)
        self.own_rules = OwnRules(AGENTS, Computer(folder / "home"), self.consents)
        self.projects = Projects(self.database, (paths.data, paths.config), self.bus)
        self.audit = AuditLog(self.database, redactor(), paths.audit_head)
        self.recorder = Recorder(self.audit)
        self.grants = Grants(self.database)
        self.journal = Journal(self.database, folder / "journal")
        self.copies = ProjectCopies(self.database, self.journal, folder / "copies")
        self.handler = self.make()

    def make(
        self,
        judge: Consults | None = None,
        snapshots: CopyKeeper | None = None,
        rules: tuple[Rule, ...] = (),
        boxes: Boxes | None = None,
    ) -> AgentHandler:
        """The handler, with what most tests do without."""
        self.rewriting = Rewriting(self.database, lambda _agent: self.version)
        judges = HookJudges(
            Commands(Classifier(TABLES), judge, CommandPlaces.of(*self.own)),
            Gatekeeper(self.grants, lambda: self.policy, lambda: rules, self.projects),
            self.grants,
            self.own,
            self._seal,
            self.projects.root_of,
            self.own_rules.honoured,
        )
        self.handler = AgentHandler(
            judges,
            HookAsker(lambda: self.asker, self._withdraw),
            HookListeners(self.recorder, self.bus),
            Copies(snapshots, lambda: self.settings, self.copies),
            lambda: self.settings,
            ConfinedRuns(boxes, self.rewriting, self.own_rules.meet) if boxes is not None else None,
        )
        return self.handler

    def close(self) -> None:
        self.handler.close()
        self.recorder.close()
        self.database.close()

    def hook(self, tool: str, arguments: dict[str, Any], event: str = "PreToolUse", **more: Any) -> bytes:
        """What Claude Code would send."""
        body = {"session_id": "s1", "cwd": str(self.project), "permission_mode": "default", **more}
        return json.dumps(
            {**body, "hook_event_name": event, "tool_name": tool, "tool_input": arguments}
        ).encode()

    def bash(self, command: str, event: str = "PreToolUse", **more: Any) -> bytes:
        return self.hook("Bash", {"command": command}, event, **more)

    def answer(self, body: bytes, agent: str = "claude-code") -> Reply:
        """To the end, on this thread."""
        found = self.handler.quick(agent, body)
        return self.handler.hold(found) if isinstance(found, PendingHook) else found

    def says(self, body: bytes, agent: str = "claude-code") -> str:
        """The word of Claude Code's or the generic form; "" for no opinion."""
        return word(self.answer(body, agent))

    @property
    def questions(self) -> list[Question]:
        assert isinstance(self.asker, FakeAsker)
        return self.asker.questions

    @property
    def asked(self) -> list[HookAsked]:
        return [event for event in self.events if isinstance(event, HookAsked)]

    @property
    def decided(self) -> list[HookDecided]:
        return [event for event in self.events if isinstance(event, HookDecided)]

    def logged(self) -> list[dict[str, Any]]:
        """The audit log, the oldest first; ends the recorder."""
        self.recorder.close()
        records = self.audit.records(AuditFilter(kind="hook"))
        return [dict(record.record) for record in reversed(records)]

    def _withdraw(self, question: Question) -> None:
        self.withdrawn.append(question)
        if isinstance(self.asker, WaitingAsker):
            self.asker.withdraw()

    def _seal(self, action: Action) -> Reason | None:
        assert action.agent
        return self.broken


class WaitingAsker:
    """Waits until its question is withdrawn."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self._withdrawn = threading.Event()

    def ask(self, question: Question) -> Answer:
        assert question.origin.is_agent
        self.asked.release()
        assert self._withdrawn.wait(10)
        raise Cancelled

    def withdraw(self) -> None:
        self._withdrawn.set()


def word(reply: Reply) -> str:
    """allow, deny, ask, or "" for no opinion."""
    if not reply.body:
        return ""
    body = json.loads(reply.body)
    specific = body.get("hookSpecificOutput", {})
    decision = specific.get("decision", {}).get("behavior") or body.get("decision")
    return str(specific.get("permissionDecision") or decision or "")


def reason(reply: Reply) -> str:
    """What the agent is told."""
    specific = json.loads(reply.body)["hookSpecificOutput"]
    return str(specific.get("permissionDecisionReason") or specific["decision"].get("message"))
