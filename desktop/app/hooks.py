"""What answers coding agents: tokens, handler, server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.app.ground import NobodyAsks
from desktop.app.memories import Memories
from desktop.asking import Question

if TYPE_CHECKING:
    from desktop.agents.handler import AgentHandler
    from desktop.agents.own_rules import OwnRules
    from desktop.agents.recorder import Recorder
    from desktop.agents.rewriting import Rewriting
    from desktop.agents.tokens import Tokens
    from desktop.gate.agent_consents import AgentConsents
    from desktop.network.index_proxy import IndexProxy
    from desktop.server.server import Server


class Hooks(Memories):
    """Answers the hooks of coding agents."""

    @cached_property
    def tokens(self) -> Tokens:
        from desktop.agents.tokens import Tokens

        return Tokens(self.paths)

    @cached_property
    def recorder(self) -> Recorder:
        from desktop.agents.recorder import Recorder

        return Recorder(self.audit)

    @cached_property
    def handler(self) -> AgentHandler:
        from desktop.agents.boxes import NativeBoxes
        from desktop.agents.confined_runs import ConfinedRuns
        from desktop.agents.handler import AgentHandler
        from desktop.agents.lessons import AgentLessons
        from desktop.agents.sealed import Runs, Seals
        from desktop.gate.snapshots import Snapshots
        from desktop.sandbox.confine import Confiner

        return AgentHandler(
            self.commands,
            self.gatekeeper,
            self.grants,
            self.recorder,
            self.bus,
            lambda: self.settings.current.hooks,
            asker=lambda: None if isinstance(self.asker, NobodyAsks) else self.asker,
            withdraw=self._withdraw,
            snapshots=Snapshots(self.journal, self.own_folders),
            own=self.own_folders,
            seals=Seals(Runs(self.paths)).broken,
            lessons=AgentLessons(self.memory, lambda: self.settings.current.memory),
            runs=ConfinedRuns(
                NativeBoxes(Confiner(self.paths), self.paths, lambda: self.index_proxy),
                self.rewriting,
                self.own_rules.meet,
            ),
            root_of=self.projects.root_of,
            project_copies=self.project_copies,
            honoured=self.own_rules.honoured,
        )

    @cached_property
    def agent_consents(self) -> AgentConsents:
        from desktop.gate.agent_consents import AgentConsents

        return AgentConsents(self.database)

    @cached_property
    def own_rules(self) -> OwnRules:
        from desktop.agents.own_rules import OwnRules

        return OwnRules(Path.home(), os.environ, self.agent_consents)

    @cached_property
    def index_proxy(self) -> IndexProxy:
        """Listens once a command is confined to a project."""
        from desktop.network.index_proxy import IndexProxy
        from desktop.sandbox.rights import hosts

        return IndexProxy(
            self.network, lambda: (*hosts(), *self.settings.current.network.project_hosts.split())
        )

    @cached_property
    def rewriting(self) -> Rewriting:
        from desktop.agents.install_places import Computer, program_of
        from desktop.agents.rewriting import Rewriting
        from desktop.agents.versions import Versions

        computer = Computer.this()
        return Rewriting(self.database, Versions(lambda agent: program_of(agent, computer)).of)

    def ignoring_agents(self) -> tuple[str, ...]:
        """Sentences about agents that did not run what they were told; none where the database has not been
        made or cannot be read, which a report does not change.
        """
        from desktop.errors import UserFacing

        if not self.paths.database.exists():
            return ()
        try:
            return self.rewriting.ignoring()
        except UserFacing:
            return ()

    def _withdraw(self, question: Question) -> None:
        self.withdraw_question(question)  # whose it is may be known only later

    @cached_property
    def server(self) -> Server:
        from desktop.server.server import Server

        return Server(
            self.handler,
            self.commands,
            self.tokens,
            self.paths,
            lambda: self.settings.current.hooks,
            self.bus,
            self._engine_facts,
        )

    def may_be_called(self) -> bool:
        """Whether hooks are to be answered: an agent is installed or launched, and the gate is on."""
        return self.settings.current.hooks.enabled and self.tokens.any_expected

    def answer_hooks(self) -> None:
        """Start the server, then load everything that a verdict needs: until then the first hooks pay for
        it, and whoever has just installed an agent is answered at once. Raises UserFacing.
        """
        from desktop.agents.events import HookDecided, HookRan
        from desktop.engine.events import ModelLoaded

        self.bus.subscribe(HookDecided, lambda event: self._note_network(event.may_use_network))
        self.bus.subscribe(HookRan, lambda event: self._note_network(event.may_have_used_network))
        self.server.start()
        self.commands.settle()
        self.bus.subscribe(ModelLoaded, lambda _event: self.judge.warm())
        self.judge.warm()

    def _note_network(self, is_open: bool) -> None:
        if is_open:
            self.network.note_open_command()

    def _engine_facts(self) -> Mapping[str, Any]:
        from desktop.engine.events import EngineState

        figures = self.judge.figures
        return {
            "loaded": self.engine.status.state is EngineState.READY,
            "judge_asked": figures.asked,
            "judge_answered": figures.answered,
            "judge_timed_out": figures.timed_out,
            **(self.memory.figures() if "memory" in self.__dict__ else {}),
        }
