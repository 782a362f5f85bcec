"""Everything below Qt, for one profile. Nothing but this room constructs another room's objects.

`build_core` makes a `Services`. Its parts are built when they are first asked for, each by one function, and
the functions stand here in the order in which their results stand on each other: settings and model files,
conversations, the gate, memory, tools and turns, coding agents. The class at the end lists them all.

A function imports what it builds: a verb that needs the settings alone does not pay for a language model.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

import structlog

from desktop.asking import DENIED, Answer, Asker, Question
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths, ensure, resources
from desktop.settings import HookSettings, MemorySettings, SettingsChanged, SettingsFile

if TYPE_CHECKING:
    from desktop.agents.hook_handler import AgentHandler
    from desktop.agents.own_rules import OwnRules
    from desktop.agents.rewriting import Rewriting
    from desktop.agents.tokens import Tokens
    from desktop.agents.verdict_log import Recorder
    from desktop.backup.manifest import Known
    from desktop.chat.conversation_memory import ConversationMemory, Project
    from desktop.chat.export_import import ChatExchange
    from desktop.chat.lessons import Lessons
    from desktop.chat.note_proposals import NoteProposals
    from desktop.chat.rules import AnswerByRule
    from desktop.chat.store import ChatStore
    from desktop.chat.tool_mode import ToolRuntime
    from desktop.chat.turns import Turns
    from desktop.database import Database, Migration
    from desktop.engine.engine import Engine
    from desktop.engine.speed_test import SpeedTest
    from desktop.gate.agent_rules import AgentConsents
    from desktop.gate.audit import AuditLog
    from desktop.gate.commands import Commands
    from desktop.gate.gatekeeper import Gatekeeper
    from desktop.gate.grants import Grants
    from desktop.gate.journal import Journal
    from desktop.gate.judge import Judge
    from desktop.gate.project_copies import ProjectCopies
    from desktop.gate.projects import Projects
    from desktop.gate.redaction import Redactor
    from desktop.gate.request import Request
    from desktop.memory.capture import CaptureMode
    from desktop.memory.memory import Memory
    from desktop.memory.shared.connection import Passwords
    from desktop.memory.shared.team import Team
    from desktop.memory.vectors.better_search import BetterSearch, VectorWriter
    from desktop.memory.vectors.ranker import VectorRanker
    from desktop.models.catalogue import Catalogue
    from desktop.models.fit import SpeedFile
    from desktop.models.library import Library
    from desktop.models.setup import ModelSetup
    from desktop.network import Network
    from desktop.network.index_proxy import IndexProxy
    from desktop.sandbox.workspace import Workspace
    from desktop.server.server import Server
    from desktop.system.crash_reports import CrashReports
    from desktop.system.secrets import Secrets
    from desktop.system.updates import Updates
    from desktop.tools.clipboard import Clipboard, ClipboardTools
    from desktop.tools.reminders import Reminders
    from desktop.tools.screen import Screen
    from desktop.tools.tool import Toolbox

log = structlog.get_logger(__name__)

T = TypeVar("T")


class Lazy(Generic[T]):
    """A part of `Services` that is built when it is first asked for, and closed if it was built.

    Any thread may ask. Two that ask at once get one object: the second waits until the first has built it. A
    build that fails leaves nothing behind; the next one who asks tries again.
    """

    def __init__(self, build: Callable[[Services], T], close: Callable[[T], object] | None = None) -> None:
        self._build = build
        self._close = close
        # One lock a part: the window must not wait for the database because the pool builds the memory.
        # Parts form no cycle, so neither do the locks; it can be taken twice, so that a cycle made by mistake
        # ends in a RecursionError instead of a program that hangs.
        self._lock = threading.RLock()

    @overload
    def __get__(self, services: None, owner: type[Services]) -> Lazy[T]: ...

    @overload
    def __get__(self, services: Services, owner: type[Services]) -> T: ...

    def __get__(self, services: Services | None, owner: type[Services]) -> Lazy[T] | T:
        if services is None:
            return self
        if self in services.built:
            return cast(T, services.built[self])
        with self._lock:
            if self not in services.built:
                self._keep(services, self._build(services))
            return cast(T, services.built[self])

    def __set__(self, services: Services, part: T) -> None:
        """Use this one instead of building one: a test's engine with a scripted model."""
        with self._lock:
            self._keep(services, part)

    def if_built(self, services: Services) -> T | None:
        """What was built, without building it."""
        return cast("T | None", services.built.get(self))

    def _keep(self, services: Services, part: T) -> None:
        services.built[self] = part
        # Whatever the part is made of was built before it, and is therefore closed after it.
        if self._close is not None:
            services.ending.callback(self._close, part)


class NobodyAsks:
    """Where there is nobody to ask: every question is answered by no."""

    def ask(self, question: Question) -> Answer:
        log.info("nobody to ask", title=question.title)
        return DENIED


# --- Secrets, network, model files, engine


def build_secrets(services: Services) -> Secrets:
    from desktop.system.secrets import Secrets

    return Secrets(services.paths)


def build_redactor(_services: Services) -> Redactor:
    from desktop.gate.redaction import Redactor, read_rules

    return Redactor(read_rules(resources() / "redaction.toml"))


def build_crash_reports(services: Services) -> CrashReports:
    from desktop.system.crash_reports import CrashReports

    return CrashReports(services.paths, lambda: services.redactor)


def build_network(services: Services) -> Network:
    from desktop.network import Network

    return Network(lambda: services.settings.current.network, bus=services.bus)


def build_updates(services: Services) -> Updates:
    from desktop.system.updates import Source, Updates

    def wanted() -> bool:
        return services.settings.current.network.look_for_updates

    return Updates(services.network, Source.read(resources() / "release.toml"), services.paths, wanted)


def build_catalogue(_services: Services) -> Catalogue:
    from desktop.models.catalogue import load_catalogue

    return load_catalogue()


def build_library(services: Services) -> Library:
    from desktop.models.library import Library

    return Library(services.paths, services.bus, services.catalogue)


def build_speed_file(services: Services) -> SpeedFile:
    from importlib.metadata import PackageNotFoundError, version

    from desktop.engine.host import physical_cores, processor_name
    from desktop.models.fit import SpeedFile

    try:
        llama = version("llama-cpp-python")
    except PackageNotFoundError:
        llama = "none"
    # Another processor or another llama.cpp makes every figure worthless; both stand in the name.
    return SpeedFile(services.paths.fit, f"{processor_name()}, {physical_cores()} cores, llama.cpp {llama}")


def build_setup(services: Services) -> ModelSetup:
    from desktop.models.download import Downloader
    from desktop.models.setup import ModelSetup
    from desktop.system.secrets import HUGGING_FACE_TOKEN

    def token() -> str | None:
        """For licensed models, where the user has entered one. May block."""
        return services.secrets.get(HUGGING_FACE_TOKEN)

    paths, library = services.paths, services.library
    downloader = Downloader(services.network, library, paths, services.bus, token)
    return ModelSetup(services.catalogue, library, downloader, paths, speeds=services.speed_file.read)


def build_engine(services: Services) -> Engine:
    from desktop.engine.engine import Engine
    from desktop.engine.llama import LlamaBackend
    from desktop.engine.trial_load import TrialLoad
    from desktop.sandbox.confinement import available
    from desktop.sandbox.parser import Parser

    parser = Parser(lambda: available().best)
    trial = TrialLoad(services.paths.tried_models, parser, services.library.is_published)
    backend = LlamaBackend(trial.check)
    return Engine(services.paths, services.bus, lambda: services.settings.current.model, backend)


def build_speed_test(services: Services) -> SpeedTest:
    from desktop.engine.speed_test import SpeedTest

    return SpeedTest(services.engine, services.speed_file, services.bus)


# --- Conversations


def build_migrations(_services: Services) -> tuple[Migration, ...]:
    """Every step of every room's tables."""
    from desktop.agents import migrations as agents
    from desktop.chat import migrations as chat
    from desktop.gate import migrations as gate
    from desktop.memory import migrations as memory
    from desktop.tools import notes, reminders

    tools = (*notes.MIGRATIONS, *reminders.MIGRATIONS)
    return (*chat.MIGRATIONS, *gate.MIGRATIONS, *tools, *memory.MIGRATIONS, *agents.MIGRATIONS)


def build_database(services: Services) -> Database:
    from desktop.database import Database

    return Database(services.paths.database, services.migrations)


def build_store(services: Services) -> ChatStore:
    from desktop.chat.store import ChatStore

    return ChatStore(services.database)


def build_exchange(services: Services) -> ChatExchange:
    from desktop import __version__
    from desktop.chat.export_import import ChatExchange

    return ChatExchange(services.database, services.store, __version__)


# --- The gate, and the way back


def build_workspace(services: Services) -> Workspace:
    from desktop.sandbox.workspace import Workspace

    chosen = services.settings.current.chat.workspace
    folder = Path(os.path.expanduser(chosen)) if chosen else services.paths.workspace
    try:
        workspace = Workspace(ensure(folder), forbidden=services.own_folders)
    except OSError as error:
        raise UserFacing(
            f"The assistant's folder {folder} can be neither used nor made ({error.strerror}).",
            "Conversations and models are untouched.",
            "Name another one in the settings, as chat.workspace, or switch tools off with "
            "chat.tools = false.",
            code="workspace-refused",
        ) from error

    def open_folders() -> None:
        """Those of the settings, and no others; one that cannot be opened waits for the next change."""
        wanted = {Path(os.path.expanduser(folder)) for folder in services.settings.current.chat.folders}
        for folder in set(workspace.folders[1:]) - wanted:
            workspace.revoke(folder)
        for folder in wanted - set(workspace.folders):
            try:
                workspace.grant(folder)
            except (OSError, UserFacing) as error:
                log.warning("a folder was not opened", folder=str(folder), reason=str(error))

    open_folders()
    services.bus.subscribe(SettingsChanged, lambda _event: open_folders())
    return workspace


def build_journal(services: Services) -> Journal:
    from desktop.gate.journal import Journal

    journal = Journal(services.database, services.paths.journal)
    journal.tidy()
    return journal


def build_audit(services: Services) -> AuditLog:
    from desktop.gate.audit import AuditLog

    paths = services.paths
    return AuditLog(
        services.database,
        services.redactor,
        paths.audit_head,
        key_file=paths.audit_key,
        restored_file=paths.audit_restored,
    )


def build_grants(services: Services) -> Grants:
    from desktop.gate.grants import Grants

    grants = Grants(services.database)
    grants.lapse()
    return grants


def build_project_copies(services: Services) -> ProjectCopies:
    from desktop.gate.project_copies import ProjectCopies

    copies = ProjectCopies(services.database, services.journal, services.paths.project_copies)
    if copies.is_open:  # a process was killed while a command ran
        threading.Thread(target=copies.recover, name="project recovery", daemon=True).start()
    return copies


def build_projects(services: Services) -> Projects:
    from desktop.gate.projects import Projects

    return Projects(services.database, services.own_folders, services.bus)


def build_gatekeeper(services: Services) -> Gatekeeper:
    from desktop.gate.gatekeeper import Gatekeeper
    from desktop.gate.policy import PolicySettings
    from desktop.gate.projects import deleted
    from desktop.gate.rules import Rule, rules_of

    def settings() -> PolicySettings:
        return PolicySettings(**services.settings.current.permissions.model_dump())

    def rules() -> tuple[Rule, ...]:
        return rules_of(services.settings.current.gate)

    def keeps(request: Request) -> bool:
        paths = deleted(request)
        root = request.project
        return root is not None and paths is not None and services.project_copies.would_keep(root, paths)

    def hosts() -> list[str]:
        return services.settings.current.network.project_hosts.split()

    return Gatekeeper(services.grants, settings, rules, services.projects, keeps, hosts)


def build_judge(services: Services) -> Judge:
    from desktop.gate.judge import Judge

    return Judge(services.engine, lambda: services.settings.current)


def build_commands(services: Services) -> Commands:
    from desktop.agents.install import places
    from desktop.agents.settings_file import Computer
    from desktop.gate.commands import Commands, Surroundings
    from desktop.gate.shell.classifier import Classifier
    from desktop.gate.shell.tables import Tables

    tables = Tables(resources() / "commands")
    classifier = Classifier(tables, wrappers=lambda: services.settings.current.gate.wrappers)
    # An agent that could write where its own hooks are named would take the gate away.
    hooks = [place.file for place in places(Computer.this())]
    return Commands(classifier, services.judge, Surroundings.of(*services.own_folders, hooks=hooks))


# --- Memory


def build_team(services: Services) -> Team:
    """The memory of a group, where one is set up."""
    from desktop.memory.shared.team import Team

    def wanted() -> MemorySettings:
        return services.settings.current.memory

    def passwords() -> Passwords:
        from desktop.memory.shared.connection import Passwords
        from desktop.system.secrets import TEAM_CACHE_PASSWORD, TEAM_PASSWORD

        return Passwords(services.secrets.get(TEAM_PASSWORD), services.secrets.get(TEAM_CACHE_PASSWORD))

    return Team(wanted, passwords, services.network, services.bus, services.meaning_of)


def build_vectors(services: Services) -> VectorRanker:
    from desktop.memory.vectors.minilm import MINILM, MiniLM
    from desktop.memory.vectors.ranker import VectorRanker

    pieces = resources() / "memory" / "wordpieces.txt"
    return VectorRanker(
        services.database,
        MiniLM(services.paths.embedding / MINILM.file_name, pieces),
        lambda: services.settings.current.memory.meaning,
        lambda: services.settings.current.memory.least_likeness,
    )


def build_memory(services: Services) -> Memory:
    from desktop.chat.conversation_memory import MemoryBlocks
    from desktop.memory.events import MemoryForgotten
    from desktop.memory.memory import Memory, RecallSources
    from desktop.memory.search import LateRanker

    blocks = MemoryBlocks(services.database)

    def forget(event: MemoryForgotten) -> None:
        """What was told to a model goes too, whoever forgets it: the window or the command line."""
        blocks.forget(event.ids)

    services.bus.subscribe(MemoryForgotten, forget)
    services.team.warm()
    # The ranker asks for the vectors with the first search, not before: their model is 25 MB.
    meaning = LateRanker(
        "meaning", 1.0, lambda: services.settings.current.memory.meaning, lambda: services.vectors
    )
    return Memory(
        services.database,
        services.redactor,
        RecallSources((meaning,), services.team, services.meaning_of),
        lambda: _capture_mode(services.settings.current.memory),
        bus=services.bus,
    )


def _capture_mode(wanted: MemorySettings) -> CaptureMode:
    from desktop.memory.capture import CaptureLevel, CaptureMode

    if not wanted.enabled or wanted.paused:
        return CaptureMode(CaptureLevel.OFF)
    return CaptureMode(CaptureLevel(wanted.capture.value), wanted.capture_one_in)


def build_vector_writer(services: Services) -> VectorWriter:
    """Begun with the first look at it."""
    from desktop.memory.events import MemoryChanged
    from desktop.memory.vectors.better_search import VectorWriter

    writer = VectorWriter(services.database, services.vectors, lambda: not services.engine.is_busy)
    writer.start()
    for kind in (MemoryChanged, SettingsChanged):
        services.bus.subscribe(kind, lambda _event: writer.wake())
    return writer


def build_better_search(services: Services) -> BetterSearch:
    from desktop.memory.vectors.better_search import BetterSearch
    from desktop.models.download import SingleFile

    def set_on(wanted: bool) -> None:
        services.settings.change("memory", "meaning", wanted)

    files = SingleFile(services.network, services.bus, services.paths.embedding)
    return BetterSearch(files, services.vectors, services.vector_writer, set_on)


def build_remembering(services: Services) -> ConversationMemory:
    return services.remembering_for(services.store)


def build_lessons(services: Services) -> Lessons:
    from desktop.chat.lessons import Lessons

    def wanted() -> MemorySettings:
        return services.settings.current.memory

    return Lessons(services.memory, services.bus, wanted, lambda: _project(services))


def _project(services: Services) -> Project:
    from desktop.chat.conversation_memory import Project

    return Project(str(services.workspace.root), bool(services.settings.current.chat.workspace))


# --- Tools and turns


def build_reminders(services: Services) -> Reminders:
    from desktop.tools.reminders import Reminders

    return Reminders(services.database, services.bus, marker=services.paths.reminders_marker)


def build_clipboard_tools(services: Services) -> ClipboardTools | None:
    from desktop.tools.clipboard import ClipboardTools

    return ClipboardTools(services.clipboard) if services.clipboard is not None else None


def build_toolbox(services: Services) -> Toolbox:
    from desktop.app.toolbox import ToolParts, toolbox

    return toolbox(
        ToolParts(
            services.settings,
            services.workspace,
            services.journal,
            services.commands,
            services.network,
            services.memory,
            services.reminders,
            services.clipboard_tools,
            services.screen,
        )
    )


def build_acting(services: Services) -> ToolRuntime:
    from desktop.chat.tool_mode import ToolRuntime
    from desktop.tools.executor import Executor

    executor = Executor(
        services.bus,
        services.asker,
        services.gatekeeper,
        services.workspace.root,
        services.audit,
        lambda: float(services.settings.current.chat.tool_timeout_s),
    )
    return ToolRuntime(
        services.toolbox, executor, services.cancel_questions, native_only=True, lessons=services.lessons
    )


def answers_by_rule(services: Services) -> AnswerByRule:
    """What is answered without the model: danger to life first, then Steward's own facts, then the rules."""
    from desktop.chat.emergencies import country_of_computer, emergency_in
    from desktop.chat.own_facts import OwnState, asked_of_steward, own_answer
    from desktop.chat.rules import DirectAnswer, Rules
    from desktop.tools.calculator import Calculator
    from desktop.tools.units import read_units

    rules = Rules(Calculator(read_units(resources() / "units.toml")))

    def state() -> OwnState:
        settings, traffic = services.settings.current, services.network.traffic
        return OwnState(
            services.engine.status.model_name or settings.model.active,
            settings.chat.workspace or str(services.paths.workspace),
            services.network.started.astimezone(),
            traffic.requests,
            traffic.open_commands,
            bool(settings.memory.team_store),
            settings.network.look_for_updates,
            settings.permissions.require_confirmation_cud
            and not settings.permissions.dangerously_skip_permissions,
        )

    def answer(text: str) -> DirectAnswer | None:
        emergency = emergency_in(text, country_of_computer())
        if emergency is not None:
            return DirectAnswer(text=emergency.answer)
        own = own_answer(text, state()) if asked_of_steward(text) is not None else None
        return DirectAnswer(text=own.text) if own is not None else rules.ruled(text)

    return answer


def build_turns(services: Services) -> Turns:
    return services.turns_for(services.store)


def build_proposing(services: Services) -> NoteProposals:
    """Proposes notes while nobody does anything; where somebody is there to say yes."""
    from desktop.chat.note_proposals import NoteProposals
    from desktop.engine.events import EngineState
    from desktop.engine.host import on_battery

    engine = services.engine
    prompt = (resources() / "memory" / "propose.txt").read_text(encoding="utf-8")
    return NoteProposals(
        engine,
        services.memory.store,
        prompt,
        services.bus,
        lambda: services.settings.current.memory,
        lambda: engine.status.state is EngineState.READY and not on_battery(),
    )


# --- Coding agents


def build_tokens(services: Services) -> Tokens:
    from desktop.agents.tokens import Tokens

    return Tokens(services.paths)


def build_recorder(services: Services) -> Recorder:
    from desktop.agents.verdict_log import Recorder

    return Recorder(services.audit)


def build_agent_consents(services: Services) -> AgentConsents:
    from desktop.gate.agent_rules import AgentConsents

    return AgentConsents(services.database)


def build_own_rules(services: Services) -> OwnRules:
    from desktop.agents.agent_list import AGENTS
    from desktop.agents.own_rules import OwnRules
    from desktop.agents.settings_file import Computer

    return OwnRules(AGENTS, Computer.this(), services.agent_consents)


def build_index_proxy(services: Services) -> IndexProxy:
    """Listens once a command is confined to a project."""
    from desktop.network.index_proxy import IndexProxy
    from desktop.sandbox.confiner import hosts

    def allowed() -> Sequence[str]:
        return (*hosts(), *services.settings.current.network.project_hosts.split())

    return IndexProxy(services.network, allowed)


def build_rewriting(services: Services) -> Rewriting:
    from desktop.agents.install import program_of
    from desktop.agents.rewriting import Rewriting, Versions
    from desktop.agents.settings_file import Computer

    computer = Computer.this()
    return Rewriting(services.database, Versions(lambda agent: program_of(agent, computer)).of)


def build_handler(services: Services) -> AgentHandler:
    from desktop.agents.confined_runs import ConfinedRuns, NativeBoxes
    from desktop.agents.copies import Copies
    from desktop.agents.hook_handler import AgentHandler, HookAsker, HookJudges, HookListeners
    from desktop.agents.launch import LaunchedRuns, Seals
    from desktop.agents.lessons import AgentLessons
    from desktop.gate.snapshots import Snapshots
    from desktop.sandbox.confiner import Confiner

    def settings() -> HookSettings:
        return services.settings.current.hooks

    def asker() -> Asker | None:
        return None if isinstance(services.asker, NobodyAsks) else services.asker

    def withdraw(question: Question) -> None:
        # Looked up with each question: whoever shows them puts itself here only once there is a window.
        services.withdraw_question(question)

    paths = services.paths
    boxes = NativeBoxes(Confiner(paths), paths, lambda: services.index_proxy)
    judges = HookJudges(
        services.commands,
        services.gatekeeper,
        services.grants,
        own=services.own_folders,
        seals=Seals(LaunchedRuns(paths)).broken,
        root_of=services.projects.root_of,
        honoured=services.own_rules.honoured,
    )
    lessons = AgentLessons(services.memory, lambda: services.settings.current.memory)
    snapshots = Snapshots(services.journal, services.own_folders)
    return AgentHandler(
        judges,
        HookAsker(asker, withdraw),
        HookListeners(services.recorder, services.bus, lessons),
        Copies(snapshots, settings, services.project_copies),
        settings,
        ConfinedRuns(boxes, services.rewriting, services.own_rules.meet),
    )


def build_server(services: Services) -> Server:
    from desktop.server.server import Server
    from desktop.server.sockets import Endpoint

    endpoint = Endpoint(lambda: services.settings.current.hooks.port, services.paths.hook_socket)
    return Server(
        services.handler,
        services.commands,
        services.tokens,
        endpoint,
        services.bus,
        services.figures,
    )


# --- All of them


class Services:
    """One profile's services. Any thread may ask for a part.

    Those that were built are closed in the reverse order of their building, by `close`.
    """

    def __init__(self, paths: Paths, bus: Bus, settings: SettingsFile) -> None:
        self.paths = paths
        self.bus = bus
        self.settings = settings

        # What only a program with a window has; put here before the first turn.
        self.asker: Asker = NobodyAsks()
        self.cancel_questions: Callable[[int], None] = lambda _conversation_id: None
        self.withdraw_question: Callable[[Question], None] = lambda _question: None
        self.clipboard: Clipboard | None = None
        self.screen: Screen | None = None

        self.restart_wanted = False  # once everything is closed
        self.restart_chat = 0  # the conversation that is open then; 0 for none

        self.built: dict[object, object] = {}  # the parts, by the `Lazy` that built them
        self.ending = ExitStack()

    secrets = Lazy(build_secrets)
    redactor = Lazy(build_redactor)
    crash_reports = Lazy(build_crash_reports)
    network = Lazy(build_network)
    updates = Lazy(build_updates)
    catalogue = Lazy(build_catalogue)
    library = Lazy(build_library)
    speed_file = Lazy(build_speed_file)
    setup = Lazy(build_setup)
    engine = Lazy(build_engine)  # `stop` ends it, and the test
    speed_test = Lazy(build_speed_test)

    migrations = Lazy(build_migrations)
    database = Lazy(build_database, lambda database: database.close())
    store = Lazy(build_store)
    exchange = Lazy(build_exchange)

    workspace = Lazy(build_workspace, lambda workspace: workspace.close())
    journal = Lazy(build_journal)
    audit = Lazy(build_audit, lambda audit: audit.seal())
    grants = Lazy(build_grants)
    project_copies = Lazy(build_project_copies)
    projects = Lazy(build_projects, lambda projects: projects.close())
    gatekeeper = Lazy(build_gatekeeper)
    judge = Lazy(build_judge)
    commands = Lazy(build_commands)

    team = Lazy(build_team, lambda team: team.close())
    vectors = Lazy(build_vectors)
    memory = Lazy(build_memory, lambda memory: memory.close())
    vector_writer = Lazy(build_vector_writer, lambda writer: writer.close())
    better_search = Lazy(build_better_search)
    remembering = Lazy(build_remembering)
    lessons = Lazy(build_lessons)

    reminders = Lazy(build_reminders)
    clipboard_tools = Lazy(build_clipboard_tools)  # where the program has a clipboard
    toolbox = Lazy(build_toolbox)
    acting = Lazy(build_acting)
    turns = Lazy(build_turns)
    proposing = Lazy(build_proposing, lambda proposing: proposing.close())

    tokens = Lazy(build_tokens)
    recorder = Lazy(build_recorder, lambda recorder: recorder.close())
    agent_consents = Lazy(build_agent_consents)
    own_rules = Lazy(build_own_rules)
    index_proxy = Lazy(build_index_proxy, lambda proxy: proxy.close())
    rewriting = Lazy(build_rewriting)
    handler = Lazy(build_handler, lambda handler: handler.close())
    server = Lazy(build_server, lambda server: server.close())

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Where no tool and no agent has anything to look for."""
        paths = self.paths
        return (paths.data, paths.config, paths.cache, paths.logs, paths.runtime)

    @property
    def known(self) -> Known:
        """What of a backup this program can read."""
        from desktop import __version__
        from desktop.backup.manifest import Known
        from desktop.database import known_schema

        return Known(__version__, known_schema(self.migrations))

    def meaning_of(self, text: str) -> Sequence[float]:
        """The meaning of a text as numbers; none while search by meaning is off."""
        if not self.settings.current.memory.meaning or not self.vectors.is_on:
            return ()
        try:
            return [float(number) for number in self.vectors.embedder.question(text)]
        except (OSError, ValueError):
            return ()  # of which the search by meaning tells

    def remembering_for(self, store: ChatStore) -> ConversationMemory:
        """Memory for the turns of `store`; what is said in the user's own history is kept."""
        from desktop.chat.conversation_memory import ConversationMemory, MemoryBlocks, MemoryScope

        return ConversationMemory(
            self.memory,
            MemoryBlocks(store.database),
            self.bus,
            lambda: self.settings.current.memory,
            self.engine.count_tokens,
            MemoryScope(lambda: _project(self), keeps=store.database is self.database),
        )

    def turns_for(self, store: ChatStore, remembers: bool = True) -> Turns:
        """Turns in `store`, which may be another than the user's history; `remembers`: memory is used."""
        from desktop.chat.tool_mode import Capabilities
        from desktop.chat.turns import Turns, TurnSupport

        uses_tools = self.settings.current.chat.tools
        own = store.database is self.database
        memory = self.remembering if own else self.remembering_for(store)
        return Turns(
            store,
            self.engine,
            self.bus,
            lambda: self.settings.current,
            self.acting if uses_tools else None,
            TurnSupport(
                answers_by_rule(self),
                Capabilities(self.paths.capabilities, self.toolbox) if uses_tools else None,
                memory if remembers else None,
            ),
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

        def note_network(is_open: bool) -> None:
            if is_open:
                self.network.note_open_command()

        self.bus.subscribe(HookDecided, lambda event: note_network(event.may_use_network))
        self.bus.subscribe(HookRan, lambda event: note_network(event.may_have_used_network))
        self.server.start()
        self.commands.settle()
        self.bus.subscribe(ModelLoaded, lambda _event: self.judge.warm())
        self.judge.warm()

    def figures(self) -> Mapping[str, Any]:
        """What the server tells of model, judge and memory; of memory nothing before it is used."""
        from desktop.engine.events import EngineState

        judged = self.judge.figures
        memory = Services.memory.if_built(self)
        return {
            "loaded": self.engine.status.state is EngineState.READY,
            "judge_asked": judged.asked,
            "judge_answered": judged.answered,
            "judge_timed_out": judged.timed_out,
            **(memory.figures() if memory is not None else {}),
        }

    def ignoring_agents(self) -> tuple[str, ...]:
        """Sentences about agents that did not run what they were told; none where the database has not been
        made or cannot be read, which a report does not change.
        """
        if not self.paths.database.exists():
            return ()
        try:
            return self.rewriting.ignoring()
        except UserFacing:
            return ()

    def stop(self) -> None:
        """Before the program ends: stop the answers under way; what was said is kept. Whatever still asks the
        model is told that it was cancelled: nothing on the pool waits for an answer that nobody will read."""
        if (turns := Services.turns.if_built(self)) is not None:
            turns.stop_all()
        if (engine := Services.engine.if_built(self)) is not None:
            engine.close()
        if (speed_test := Services.speed_test.if_built(self)) is not None:
            speed_test.cancel()

    def close(self) -> None:
        """End what was started, also where ending one part fails; that error is raised when all are closed.

        The engine's thread is ended by whoever started it.
        """
        self.stop()  # first of all: an answer that was cut off is written to a database that is still open
        self.ending.close()


def build_core(paths: Paths) -> Services:
    """The services of the profile at `paths`; next to nothing is built yet.

    Raises UserFacing when the settings cannot be read, or a backup cannot be put in place.
    """
    # Before anything reads the profile: a backup replaces its files.
    if paths.restoring.exists():
        from desktop.backup.restore import finish

        finish(paths)
    if any(paths.cache.glob("backup-*")):
        from desktop.backup.write import clear_left

        clear_left(paths)
    bus = Bus()
    return Services(paths, bus, SettingsFile(paths.settings, bus))
