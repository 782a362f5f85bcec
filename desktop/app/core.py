"""Everything below Qt. Nothing but this room constructs another.

`Core` builds each room once, when it is first needed, and hands it what it works with; `close` ends them in
the opposite order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from desktop.asking import DENIED, Answer, Asker, Question
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths, ensure, resources
from desktop.settings import SettingsChanged, SettingsFile

if TYPE_CHECKING:
    from desktop.agents.handler import AgentHandler
    from desktop.agents.recorder import Recorder
    from desktop.agents.tokens import Tokens
    from desktop.backup.manifest import Known
    from desktop.chat.acting import Acting
    from desktop.chat.exchange import Exchange
    from desktop.chat.lessons import Lessons
    from desktop.chat.proposing import Proposing
    from desktop.chat.remembering import Project, Remembering
    from desktop.chat.store import ChatStore
    from desktop.chat.turn import Turns
    from desktop.database import Database, Migration
    from desktop.engine.engine import Engine
    from desktop.engine.speed_test import SpeedTest
    from desktop.gate.audit import AuditLog
    from desktop.gate.commands import Commands
    from desktop.gate.gatekeeper import Gatekeeper
    from desktop.gate.grants import Grants
    from desktop.gate.journal import Journal
    from desktop.gate.judge import Judge
    from desktop.gate.redaction import Redactor
    from desktop.memory.memory import Memory
    from desktop.memory.notes.capture import CaptureMode
    from desktop.memory.search import Ranker
    from desktop.memory.vectors.better import BetterSearch
    from desktop.memory.vectors.ranker import Vectors
    from desktop.memory.vectors.writer import VectorWriter
    from desktop.models.catalogue import Catalogue
    from desktop.models.library import Library
    from desktop.models.setup import ModelSetup
    from desktop.models.speed import SpeedFile
    from desktop.network import Network
    from desktop.sandbox.workspace import Workspace
    from desktop.server.server import Server
    from desktop.system.crash_reports import CrashReports
    from desktop.system.secrets import Secrets
    from desktop.system.updates import Updates
    from desktop.tools.ports import Clipboard
    from desktop.tools.reminders import Reminders
    from desktop.tools.screen import Screen
    from desktop.tools.tool import Toolbox

log = structlog.get_logger(__name__)


class NobodyAsks:
    """Where there is nobody to ask: every question is answered by no."""

    def ask(self, question: Question) -> Answer:
        log.info("nobody to ask", title=question.title)
        return DENIED


class Core:
    """Everything below Qt, for one profile."""

    def __init__(self, paths: Paths) -> None:
        """Raises UserFacing when the settings cannot be read, or a backup cannot be put in place."""
        if paths.restoring.exists():
            from desktop.backup.restore import finish

            finish(paths)
        self.paths = paths
        self.restart_wanted = False  # once everything is closed
        self.asker: Asker = NobodyAsks()  # whoever can ask puts itself here before the first turn
        self.cancel_questions: Callable[[int], None] = lambda _conversation_id: None
        self.withdraw_question: Callable[[Question], None] = lambda _question: None
        self.clipboard: Clipboard | None = None  # both there where the program has a window
        self.screen: Screen | None = None
        self.bus = Bus()
        self.settings = SettingsFile(paths.settings, self.bus)

    @cached_property
    def secrets(self) -> Secrets:
        from desktop.system.secrets import Secrets

        return Secrets(self.paths)

    @cached_property
    def crash_reports(self) -> CrashReports:
        from desktop.system.crash_reports import CrashReports

        return CrashReports(self.paths, lambda: self.redactor)

    @cached_property
    def network(self) -> Network:
        from desktop.network import Network

        return Network(lambda: self.settings.current.network, bus=self.bus)

    @cached_property
    def catalogue(self) -> Catalogue:
        from desktop.models.catalogue import load_catalogue

        return load_catalogue()

    @cached_property
    def library(self) -> Library:
        from desktop.models.library import Library

        return Library(self.paths, self.bus, self.catalogue)

    @cached_property
    def setup(self) -> ModelSetup:
        from desktop.models.download import Downloader
        from desktop.models.setup import ModelSetup

        downloader = Downloader(self.network, self.library, self.paths, self.bus, self.hub_token)
        return ModelSetup(self.catalogue, self.library, downloader, self.paths, speeds=self.speed_file.read)

    @cached_property
    def speed_file(self) -> SpeedFile:
        from importlib.metadata import PackageNotFoundError, version

        from desktop.engine.processor import physical_cores, processor_name
        from desktop.models.speed import SpeedFile

        try:
            llama = version("llama-cpp-python")
        except PackageNotFoundError:
            llama = "none"
        return SpeedFile(self.paths.fit, f"{processor_name()}, {physical_cores()} cores, llama.cpp {llama}")

    @cached_property
    def speed_test(self) -> SpeedTest:
        from desktop.engine.speed_test import SpeedTest

        return SpeedTest(self.engine, self.speed_file, self.bus)

    def hub_token(self) -> str | None:
        """The access token for licensed models, if the user has entered one. May block."""
        from desktop.system.secrets import HUGGING_FACE_TOKEN

        return self.secrets.get(HUGGING_FACE_TOKEN)

    @cached_property
    def engine(self) -> Engine:
        from desktop.engine.engine import Engine
        from desktop.engine.llama import LlamaBackend

        return Engine(self.paths, self.bus, lambda: self.settings.current.model, LlamaBackend())

    @cached_property
    def database(self) -> Database:
        from desktop.database import Database

        return Database(self.paths.database, self.migrations)

    @cached_property
    def migrations(self) -> tuple[Migration, ...]:
        """Every step of every room's tables."""
        from desktop.chat import migrations as chat
        from desktop.gate import migrations as gate
        from desktop.memory import migrations as memory
        from desktop.tools import notes, reminders

        tools = (*notes.MIGRATIONS, *reminders.MIGRATIONS)
        return (*chat.MIGRATIONS, *gate.MIGRATIONS, *tools, *memory.MIGRATIONS)

    @cached_property
    def exchange(self) -> Exchange:
        from desktop import __version__
        from desktop.chat.exchange import Exchange

        return Exchange(self.database, self.store, __version__)

    @property
    def known(self) -> Known:
        """What of a backup this program can read."""
        from desktop import __version__
        from desktop.backup.manifest import Known
        from desktop.database import known_schema

        return Known(__version__, known_schema(self.migrations))

    @cached_property
    def memory(self) -> Memory:
        from desktop.chat.blocks import Blocks
        from desktop.memory.events import MemoryForgotten
        from desktop.memory.memory import Memory

        blocks = Blocks(self.database)

        def forget(event: MemoryForgotten) -> None:
            """What was told to a model goes too, whoever forgets it: the window or the command line."""
            blocks.forget(event.ids)

        self.bus.subscribe(MemoryForgotten, forget)
        return Memory(
            self.database,
            self.redactor,
            resources() / "memory",
            (self._meaning(),),
            self._capture_mode,
            bus=self.bus,
        )

    def _meaning(self) -> Ranker:
        from desktop.memory.late import LateRanker

        return LateRanker("meaning", 1.0, lambda: self.settings.current.memory.meaning, lambda: self.vectors)

    @cached_property
    def vectors(self) -> Vectors:
        from desktop.memory.vectors.model import MINILM, MiniLM
        from desktop.memory.vectors.ranker import Vectors

        pieces = resources() / "memory" / "wordpieces.txt"
        return Vectors(
            self.database,
            MiniLM(self.paths.embedding / MINILM.file_name, pieces),
            lambda: self.settings.current.memory.meaning,
            lambda: self.settings.current.memory.least_likeness,
        )

    @cached_property
    def vector_writer(self) -> VectorWriter:
        """Begun with the first look at it."""
        from desktop.memory.events import MemoryChanged
        from desktop.memory.vectors.writer import VectorWriter
        from desktop.settings import SettingsChanged

        writer = VectorWriter(self.database, self.vectors, lambda: not self.engine.is_busy)
        writer.start()
        for kind in (MemoryChanged, SettingsChanged):
            self.bus.subscribe(kind, lambda _event: writer.wake())
        return writer

    @cached_property
    def better_search(self) -> BetterSearch:
        from desktop.memory.vectors.better import BetterSearch
        from desktop.models.single_file import SingleFile

        def set_on(wanted: bool) -> None:
            self.settings.change("memory", "meaning", wanted)

        files = SingleFile(self.network, self.bus, self.paths.embedding)
        return BetterSearch(files, self.vectors, self.vector_writer, set_on)

    def _capture_mode(self) -> CaptureMode:
        from desktop.memory.notes.capture import CaptureMode, Mode

        wanted = self.settings.current.memory
        if not wanted.enabled or wanted.paused:
            return CaptureMode(Mode.OFF)
        return CaptureMode(Mode(wanted.capture.value), wanted.capture_one_in)

    def _project(self) -> Project:
        from desktop.chat.remembering import Project

        return Project(str(self.workspace.root), bool(self.settings.current.chat.workspace))

    def remembering_for(self, store: ChatStore) -> Remembering:
        """Memory for the turns of `store`; what is said in the user's own history is kept."""
        from desktop.chat.blocks import Blocks
        from desktop.chat.remembering import Remembering

        return Remembering(
            self.memory,
            Blocks(store.database),
            self.bus,
            lambda: self.settings.current.memory,
            self.engine.count_tokens,
            self._project,
            keeps=store.database is self.database,
        )

    @cached_property
    def remembering(self) -> Remembering:
        return self.remembering_for(self.store)

    @cached_property
    def store(self) -> ChatStore:
        from desktop.chat.store import ChatStore

        return ChatStore(self.database)

    @cached_property
    def workspace(self) -> Workspace:
        from desktop.sandbox.workspace import Workspace

        chosen = self.settings.current.chat.workspace
        folder = Path(os.path.expanduser(chosen)) if chosen else self.paths.workspace
        try:
            made = Workspace(ensure(folder), forbidden=self.own_folders)
        except OSError as error:
            raise _no_workspace(folder, error) from error
        self._open_folders(made)
        self.bus.subscribe(SettingsChanged, lambda _event: self._open_folders(made))
        return made

    def _open_folders(self, workspace: Workspace) -> None:
        """Those of the settings, and no others; one that cannot be opened waits for the next change."""
        wanted = {Path(os.path.expanduser(folder)) for folder in self.settings.current.chat.folders}
        for folder in set(workspace.folders[1:]) - wanted:
            workspace.revoke(folder)
        for folder in wanted - set(workspace.folders):
            try:
                workspace.grant(folder)
            except (OSError, UserFacing) as error:
                log.warning("a folder was not opened", folder=str(folder), reason=str(error))

    @cached_property
    def journal(self) -> Journal:
        from desktop.gate.journal import Journal

        journal = Journal(self.database, self.paths.journal)
        journal.tidy()
        return journal

    @cached_property
    def redactor(self) -> Redactor:
        from desktop.gate.redaction import Redactor, read_rules

        return Redactor(read_rules(resources() / "redaction.toml"))

    @cached_property
    def audit(self) -> AuditLog:
        from desktop.gate.audit import AuditLog

        return AuditLog(self.database, self.redactor, self.paths.audit_head)

    @cached_property
    def grants(self) -> Grants:
        from desktop.gate.grants import Grants

        grants = Grants(self.database)
        grants.lapse()
        return grants

    @cached_property
    def gatekeeper(self) -> Gatekeeper:
        from desktop.gate.gatekeeper import Gatekeeper
        from desktop.gate.policy import PolicySettings

        def settings() -> PolicySettings:
            return PolicySettings(**self.settings.current.permissions.model_dump())

        return Gatekeeper(self.grants, settings)

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Where no tool and no agent has anything to look for."""
        paths = self.paths
        return (paths.data, paths.config, paths.cache, paths.logs, paths.runtime)

    @cached_property
    def judge(self) -> Judge:
        from desktop.gate.judge import Judge

        return Judge(self.engine, lambda: self.settings.current)

    @cached_property
    def commands(self) -> Commands:
        from desktop.gate.commands import Commands
        from desktop.gate.context import Surroundings
        from desktop.gate.shell.classify import Classifier
        from desktop.gate.shell.tables import Tables

        classifier = Classifier(Tables(resources() / "commands"))
        return Commands(classifier, self.judge, Surroundings.of(*self.own_folders))

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
        from desktop.agents.handler import AgentHandler
        from desktop.agents.lessons import AgentLessons
        from desktop.agents.sealed import Runs, Seals
        from desktop.gate.snapshots import Snapshots

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
        )

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
        """Start the server, with everything loaded that a verdict needs. Raises UserFacing."""
        from desktop.engine.events import ModelLoaded

        self.commands.settle()
        self.server.start()
        self.bus.subscribe(ModelLoaded, lambda _event: self.judge.warm())
        self.judge.warm()

    def _engine_facts(self) -> Mapping[str, Any]:
        from desktop.engine.status import EngineState

        figures = self.judge.figures
        return {
            "loaded": self.engine.status.state is EngineState.READY,
            "judge_asked": figures.asked,
            "judge_answered": figures.answered,
            "judge_timed_out": figures.timed_out,
            **(self.memory.figures() if "memory" in self.__dict__ else {}),
        }

    @cached_property
    def reminders(self) -> Reminders:
        from desktop.tools.reminders import Reminders

        return Reminders(self.database, self.bus, marker=self.paths.reminders_marker)

    @cached_property
    def toolbox(self) -> Toolbox:
        from desktop.app.toolbox import toolbox

        return toolbox(self)

    @cached_property
    def acting(self) -> Acting:
        from desktop.chat.acting import Acting
        from desktop.tools.executor import Executor

        executor = Executor(
            self.bus,
            self.asker,
            self.gatekeeper,
            self.workspace.root,
            self.audit,
            lambda: float(self.settings.current.chat.tool_timeout_s),
        )
        return Acting(self.toolbox, executor, self.cancel_questions, native_only=True, lessons=self.lessons)

    @cached_property
    def proposing(self) -> Proposing:
        """Proposes notes while nobody does anything; where somebody is there to say yes."""
        from desktop.chat.proposing import Proposing
        from desktop.engine.power import on_battery
        from desktop.engine.status import EngineState

        prompt = (resources() / "memory" / "propose.txt").read_text(encoding="utf-8")
        return Proposing(
            self.engine,
            self.memory.store,
            prompt,
            self.bus,
            lambda: self.settings.current.memory,
            lambda: self.engine.status.state is EngineState.READY and not on_battery(),
        )

    @cached_property
    def lessons(self) -> Lessons:
        from desktop.chat.lessons import Lessons

        return Lessons(self.memory, self.bus, lambda: self.settings.current.memory, self._project)

    def turns_for(self, store: ChatStore, remembers: bool = True) -> Turns:
        """Turns in `store`, which may be another than the user's history; `remembers`: memory is used."""
        from desktop.chat.capabilities import Capabilities
        from desktop.chat.rules import Rules
        from desktop.chat.turn import Turns
        from desktop.tools.calculator import Calculator
        from desktop.tools.units import read_units

        rules = Rules(Calculator(read_units(resources() / "units.toml")))
        uses_tools = self.settings.current.chat.tools
        own = store.database is self.database
        memory = self.remembering if own else self.remembering_for(store)
        return Turns(
            store,
            self.engine,
            self.bus,
            lambda: self.settings.current,
            self.acting if uses_tools else None,
            rules.ruled,
            Capabilities(self.paths.capabilities, self.toolbox) if uses_tools else None,
            memory if remembers else None,
        )

    @cached_property
    def turns(self) -> Turns:
        return self.turns_for(self.store)

    @cached_property
    def updates(self) -> Updates:
        from desktop.system.updates import Source, Updates

        source = Source.read(resources() / "release.toml")
        return Updates(
            self.network, source, self.paths, lambda: self.settings.current.network.look_for_updates
        )

    def stop(self) -> None:
        """Before the program ends: stop the answers under way; what was said is kept. Whatever still asks the
        model is told that it was cancelled: nothing on the pool waits for an answer that nobody will read."""
        if "turns" in self.__dict__:
            self.turns.stop_all()
        if "engine" in self.__dict__:
            self.engine.close()
        if "speed_test" in self.__dict__:
            self.speed_test.cancel()

    def close(self) -> None:
        """End what was started. The engine's thread is ended by whoever started it."""
        self._end("server", "handler", "recorder")
        if "audit" in self.__dict__:
            self.audit.seal()
        self._end("proposing", "engine", "workspace", "vector_writer", "memory", "database")

    def _end(self, *names: str) -> None:
        for name in names:
            if name in self.__dict__:
                getattr(self, name).close()


def _no_workspace(folder: Path, error: OSError) -> UserFacing:
    return UserFacing(
        f"The assistant's folder {folder} can be neither used nor made ({error.strerror}).",
        "Conversations and models are untouched.",
        "Name another one in the settings, as chat.workspace, or switch tools off with chat.tools = false.",
        code="workspace-refused",
    )
