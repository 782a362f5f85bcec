"""All parts of a running program below Qt, in one list. Only this room constructs another room's objects.

A part is built when it is first asked for, by the one function that says `@Services.<part>.built_by`. Those
functions stand in `model_parts.py`, `chat_parts.py`, `request_parts.py`, `project_parts.py`,
`gate_parts.py` and `server_parts.py`; `build_core` brings all of it together.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

import structlog

from desktop.asking import DENIED, Answer, Asker, Question
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.reasons import Reason
from desktop.settings import SettingsFile

if TYPE_CHECKING:
    from desktop.agents.hook_handler import AgentHandler
    from desktop.agents.own_rules import OwnRules
    from desktop.agents.rewriting import Rewriting
    from desktop.agents.tokens import Tokens
    from desktop.agents.verdict_log import Recorder
    from desktop.backup.manifest import Known
    from desktop.builder.tool import CheckFixing
    from desktop.chat.chat_folders import ChatFolders
    from desktop.chat.conversation_memory import ConversationMemory
    from desktop.chat.export_import import ChatExchange
    from desktop.chat.extension_texts import AnswerRewriter, ExtensionTools
    from desktop.chat.file_judgements import LastRanking
    from desktop.chat.lessons import Lessons
    from desktop.chat.message_purposes import PurposeJudge
    from desktop.chat.note_proposals import NoteProposals
    from desktop.chat.projects import ChatProjects, ProjectFolders
    from desktop.chat.remote_turn import AskToSend
    from desktop.chat.rules import DirectAnswer
    from desktop.chat.schedules import ScheduledQuestions
    from desktop.chat.skills import SkillLibrary
    from desktop.chat.store import ChatStore
    from desktop.chat.tool_args import Submit
    from desktop.chat.tool_mode import ToolRuntime
    from desktop.chat.turn_context import TurnContext
    from desktop.chat.turns import Turns
    from desktop.database import Database, Migration
    from desktop.engine.engine import Engine
    from desktop.engine.remote import RemoteEngines, RemoteSetup
    from desktop.engine.speed_test import SpeedTest
    from desktop.extensions.chain import Chain
    from desktop.extensions.shared_state import RedisState
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
    from desktop.mcp.selection import ToolSelection
    from desktop.mcp.servers import Servers
    from desktop.mcp.setup import ServerSetup
    from desktop.memory.memory import Memory
    from desktop.memory.shared.team import Team
    from desktop.memory.vectors.minilm import MiniLM
    from desktop.memory.vectors.ranker import BetterSearch, VectorRanker
    from desktop.memory.vectors.subject_search import SubjectSearch
    from desktop.memory.vectors.vector_store import VectorWriter
    from desktop.models.catalogue import Catalogue
    from desktop.models.fit import SpeedFile
    from desktop.models.library import Library
    from desktop.models.setup import ModelSetup
    from desktop.network import Network
    from desktop.network.index_proxy import IndexProxy
    from desktop.offload.dispatch import Dispatcher
    from desktop.presence import Presence
    from desktop.sandbox.workspace import Workspace
    from desktop.server.mcp import Caller
    from desktop.server.openai.programs import ProgramLog, ProgramTokens
    from desktop.server.question_socket import QuestionSocket
    from desktop.server.server import Server
    from desktop.system.crash_reports import CrashReports
    from desktop.system.secrets import Secrets
    from desktop.system.updates import Updates
    from desktop.tools.clipboard import Clipboard, ClipboardTools
    from desktop.tools.reminders import Reminders
    from desktop.tools.screen import Screen
    from desktop.tools.tool import Toolbox
    from desktop.tools.workspace_names import WorkspaceNames

log = structlog.get_logger(__name__)

T = TypeVar("T")
P = TypeVar("P", bound="Services")


class Lazy(Generic[T]):
    """A part of `Services` that is built when it is first asked for, and closed if it was built.

    Any thread may ask. Two that ask at once get one object: the second waits until the first has built it. A
    build that fails leaves nothing behind; the next one who asks tries again.
    """

    def __init__(self, close: Callable[[T], object] | None = None) -> None:
        self._build: Callable[[Any], T] | None = None
        self._close = close
        # One lock a part: the window must not wait for the database because the pool builds the memory.
        # Parts form no cycle, so neither do the locks; it can be taken twice, so that a cycle made by mistake
        # ends in a RecursionError instead of a program that hangs.
        self._lock = threading.RLock()

    def built_by(self, build: Callable[[P], T]) -> Callable[[P], T]:
        """Decorates the one function that builds the part, and that imports what it builds."""
        assert self._build is None, f"built by {self._build} already"
        self._build = build
        return build

    @overload
    def __get__(self, services: None, owner: type[Services]) -> Lazy[T]: ...

    @overload
    def __get__(self, services: Services, owner: type[Services]) -> T: ...

    def __get__(self, services: Services | None, owner: type[Services]) -> Lazy[T] | T:
        if services is None:
            return self
        services = services.holder_of(self)
        if self in services.built:
            return cast(T, services.built[self])
        with self._lock:
            if self not in services.built:
                assert self._build is not None, "no function builds it"
                self._keep(services, self._build(services))
            return cast(T, services.built[self])

    def __set__(self, services: Services, part: T) -> None:
        """Use this one instead of building one: a test's engine with a scripted model."""
        services = services.holder_of(self)
        with self._lock:
            self._keep(services, part)

    def if_built(self, services: Services) -> T | None:
        """What was built, without building it."""
        return cast("T | None", services.holder_of(self).built.get(self))

    def _keep(self, services: Services, part: T) -> None:
        services.built[self] = part
        # Whatever the part is made of was built before it, and is therefore closed after it.
        if self._close is not None:
            services.ending.callback(self._close, part)


S = TypeVar("S")


def made_of(source: Callable[[], S], make: Callable[[S], T]) -> Callable[[], T]:
    """`make` of what `source` gives, made anew only where that is another object than the last time.

    For what is asked with every hook and made of settings, which are one frozen value until they change.
    """
    kept: tuple[S, T] | None = None

    def made() -> T:
        nonlocal kept
        wanted, last = source(), kept
        if last is None or last[0] is not wanted:
            kept = last = (wanted, make(wanted))
        return last[1]

    return made


class NobodyAsks:
    """Where there is nobody to ask: every question is answered by no."""

    def ask(self, question: Question) -> Answer:
        log.info("nobody to ask", title=str(question.title))
        return DENIED


class Services:
    """One profile's services. Any thread may ask for a part.

    Those that were built are closed in the reverse order of their building, by `close`.
    """

    def __init__(self, paths: Paths, bus: Bus, settings: SettingsFile) -> None:
        self.paths = paths
        self.bus = bus
        self.settings = settings
        self._extension_list = paths.extension_list

        # What only a program with a window has; put here before the first turn.
        self.asker: Asker = NobodyAsks()
        self.cancel_questions: Callable[[int], None] = lambda _conversation_id: None
        self.withdraw_question: Callable[[Question], None] = lambda _question: None
        # Who asks, what, and the answers to choose from; None is no answer.
        self.ask_for_agent: Callable[[Caller, str, tuple[str, ...]], str | None] = lambda *_question: None
        # Shows what would leave for a model server; without anybody to see it nothing does.
        self.ask_to_send: AskToSend = lambda _leaving: None
        self.clipboard: Clipboard | None = None
        self.screen: Screen | None = None

        self.restart_wanted = False  # once everything is closed
        self.restart_chat = 0  # the conversation that is open then; 0 for none

        self.built: dict[object, object] = {}  # the parts, by the `Lazy` that built them
        # Closes all of them, also where one fails, and raises its error at the end.
        self.ending = ExitStack()

    secrets: Lazy[Secrets] = Lazy()
    redactor: Lazy[Redactor] = Lazy()
    crash_reports: Lazy[CrashReports] = Lazy()
    network: Lazy[Network] = Lazy(lambda network: network.close())  # with the lines kept for the next request
    updates: Lazy[Updates] = Lazy()
    catalogue: Lazy[Catalogue] = Lazy()
    library: Lazy[Library] = Lazy()
    speed_file: Lazy[SpeedFile] = Lazy()
    setup: Lazy[ModelSetup] = Lazy()
    engine: Lazy[Engine] = Lazy()  # `stop` ends it, and the test
    speed_test: Lazy[SpeedTest] = Lazy()
    remote_engines: Lazy[RemoteEngines] = Lazy()
    remote_setup: Lazy[RemoteSetup] = Lazy()

    # Before the database: it goes last, when nothing is open any more.
    presence: Lazy[Presence] = Lazy(lambda presence: presence.close())
    migrations: Lazy[tuple[Migration, ...]] = Lazy()
    database: Lazy[Database] = Lazy(lambda database: database.close())
    store: Lazy[ChatStore] = Lazy()
    chat_projects: Lazy[ChatProjects] = Lazy()
    chat_folders: Lazy[ChatFolders] = Lazy()
    project_folders: Lazy[ProjectFolders] = Lazy(lambda folders: folders.close())
    exchange: Lazy[ChatExchange] = Lazy()

    workspace: Lazy[Workspace] = Lazy(lambda workspace: workspace.close())
    journal: Lazy[Journal] = Lazy()
    audit: Lazy[AuditLog] = Lazy(lambda audit: audit.seal())
    grants: Lazy[Grants] = Lazy()
    project_copies: Lazy[ProjectCopies] = Lazy()
    projects: Lazy[Projects] = Lazy(lambda projects: projects.close())
    gatekeeper: Lazy[Gatekeeper] = Lazy()
    judge: Lazy[Judge] = Lazy()
    commands: Lazy[Commands] = Lazy()

    team: Lazy[Team] = Lazy(lambda team: team.close())
    embedder: Lazy[MiniLM] = Lazy()
    vectors: Lazy[VectorRanker] = Lazy()
    subjects: Lazy[SubjectSearch] = Lazy()
    memory: Lazy[Memory] = Lazy(lambda memory: memory.close())
    vector_writer: Lazy[VectorWriter] = Lazy(lambda writer: writer.close())
    subject_writer: Lazy[VectorWriter] = Lazy(lambda writer: writer.close())
    better_search: Lazy[BetterSearch] = Lazy()
    remembering: Lazy[ConversationMemory] = Lazy()
    lessons: Lazy[Lessons] = Lazy()

    reminders: Lazy[Reminders] = Lazy()
    scheduled: Lazy[ScheduledQuestions] = Lazy(lambda scheduled: scheduled.close())
    clipboard_tools: Lazy[ClipboardTools | None] = Lazy()  # where the program has a clipboard
    toolbox: Lazy[Toolbox] = Lazy()
    servers: Lazy[Servers] = Lazy(lambda servers: servers.close())  # of other people's tools
    server_setup: Lazy[ServerSetup] = Lazy()
    served_tools: Lazy[ToolSelection] = Lazy()
    acting: Lazy[ToolRuntime] = Lazy()
    extensions: Lazy[Chain] = Lazy(lambda chain: chain.close())
    extension_tools: Lazy[ExtensionTools] = Lazy()
    extension_team: Lazy[RedisState | None] = Lazy(lambda state: state.close() if state else None)
    extension_texts: Lazy[AnswerRewriter] = Lazy(lambda texts: texts.close())  # where there is a window
    check_fixing: Lazy[CheckFixing] = Lazy()
    skills: Lazy[Callable[[], SkillLibrary | None]] = Lazy()
    intents: Lazy[Callable[[TurnContext, Submit], DirectAnswer | None]] = Lazy()
    second_look: Lazy[Callable[[TurnContext, Submit], DirectAnswer | None]] = Lazy()
    last_ranking: Lazy[LastRanking] = Lazy()
    purposes: Lazy[PurposeJudge] = Lazy()
    names_around: Lazy[Callable[[TurnContext], WorkspaceNames]] = Lazy()
    turns: Lazy[Turns] = Lazy()
    proposing: Lazy[NoteProposals] = Lazy(lambda proposing: proposing.close())

    tokens: Lazy[Tokens] = Lazy()
    recorder: Lazy[Recorder] = Lazy(lambda recorder: recorder.close())
    agent_consents: Lazy[AgentConsents] = Lazy()
    own_rules: Lazy[OwnRules] = Lazy()
    index_proxy: Lazy[IndexProxy] = Lazy(lambda proxy: proxy.close())
    rewriting: Lazy[Rewriting] = Lazy()
    dispatcher: Lazy[Dispatcher] = Lazy()
    handler: Lazy[AgentHandler] = Lazy(lambda handler: handler.close())
    program_tokens: Lazy[ProgramTokens] = Lazy()
    program_log: Lazy[ProgramLog] = Lazy(lambda log: log.close())
    server: Lazy[Server] = Lazy(lambda server: server.close())
    question_socket: Lazy[QuestionSocket] = Lazy(lambda socket: socket.close())

    def holder_of(self, _part: Lazy[Any]) -> Services:
        """Whose part it is: where it is built, kept and closed."""
        return self

    @property
    def engine_bus(self) -> Bus:
        """Where the engine announces what it does."""
        return self.bus

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """The program's own folders, in which no tool and no agent has anything to look for."""
        paths = self.paths
        return (paths.data, paths.config, paths.cache, paths.logs, paths.runtime)

    @property
    def known(self) -> Known:
        """What of a backup this program can read."""
        from desktop import __version__
        from desktop.backup.manifest import Known
        from desktop.database import known_schema

        return Known(__version__, known_schema(self.migrations))

    def note_departures(self) -> None:
        """Tell the log of the network what builds have sent to workers, whoever began them. Reads a file."""
        if self.paths.offload_jobs.is_file():
            self.dispatcher.catch_up()

    def extensions_on(self) -> Chain | None:
        """None while none is switched on. Before the first one is installed nothing of them is loaded."""
        if not self._extension_list.exists():
            return None
        return self.extensions if self.extensions.registry.enabled() else None

    def remove_extension(self, extension_id: str) -> None:
        """Remove it with what it kept and what it made of messages. Raises UserFacing."""
        from desktop.chat.events import TextsChanged

        self.extensions.remove(extension_id)
        for message in self.store.forget_extension(extension_id):
            self.bus.publish(TextsChanged(message.conversation_id, message))
        self.database.scrub()

    def may_be_called(self) -> bool:
        """Whether the server is to run: an agent is installed or launched and the gate is on, or programs
        may ask.
        """
        settings = self.settings.current
        return settings.api.enabled or (settings.hooks.enabled and self.tokens.any_expected)

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
        # First of all: an agent that is started now finds the door open, and waits for what is loaded behind
        # it.
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

    def ignoring_agents(self) -> tuple[Reason, ...]:
        """Sentences about agents that did not run what they were told; none where the database has not been
        made or cannot be read, which a report does not change.
        """
        # To ask would make one, and a report leaves nothing behind.
        if not self.paths.database.exists():
            return ()
        try:
            return self.rewriting.ignoring()
        except UserFacing:
            return ()

    def stop(self) -> None:
        """Before the program ends: stop the answers under way; what was said is kept. Whatever still asks the
        model is told that it was cancelled: nothing on the pool waits for an answer that nobody will read."""
        # Before the turns are: its answer that is cut off now was not stopped by the user.
        if (scheduled := Services.scheduled.if_built(self)) is not None:
            scheduled.stop()
        if (turns := Services.turns.if_built(self)) is not None:
            turns.interrupt_all()
        if (question_socket := Services.question_socket.if_built(self)) is not None:
            question_socket.close()
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


class Guest(Services):
    """Services for turns in another history than the user's, beside those of the program that runs.

    Model, files, memory and gate are the host's. What belongs to a conversation, and what hears of it, is the
    guest's: its bus, whom it asks, its tools without clipboard and screen. `close` ends these alone.
    """

    def __init__(self, host: Services) -> None:
        super().__init__(host.paths, Bus(), host.settings)
        self._host = host

    def holder_of(self, part: Lazy[Any]) -> Services:
        return self if part in OF_CONVERSATIONS else self._host.holder_of(part)

    @property
    def engine_bus(self) -> Bus:
        return self._host.engine_bus

    def stop(self) -> None:
        """What is under way is the host's, or stopped by whoever has begun it."""


# Made for one history, or with the bus and the asker of whoever shows it.
OF_CONVERSATIONS: frozenset[Lazy[Any]] = frozenset(
    {
        Services.store,
        Services.chat_projects,
        Services.chat_folders,
        Services.project_folders,
        Services.remembering,
        Services.lessons,
        Services.clipboard_tools,
        Services.toolbox,
        Services.acting,
        Services.extension_tools,
        Services.extension_texts,
        Services.check_fixing,
        Services.intents,
        Services.second_look,
        Services.last_ranking,
        Services.purposes,
        Services.names_around,
        Services.turns,
    }
)
