"""The composition root: the only file that knows everybody.

`Core` builds each room once, when it is first needed, and hands it what it works with; `close` ends them in
the opposite order. `run_desktop` adds Qt. Nothing else constructs a room.
"""

from __future__ import annotations

import logging
import logging.handlers
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal

import structlog

from desktop.asking import DENIED, Answer, Asker, Question
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths, ensure, resources
from desktop.settings import SettingsFile

if TYPE_CHECKING:
    from desktop.chat.acting import Acting
    from desktop.chat.store import ChatStore
    from desktop.chat.turn import Turns
    from desktop.database import Database
    from desktop.engine.engine import Engine
    from desktop.gate.audit import AuditLog
    from desktop.gate.gatekeeper import Gatekeeper
    from desktop.gate.journal import Journal
    from desktop.models.catalogue import Catalogue
    from desktop.models.library import Library
    from desktop.models.setup import ModelSetup
    from desktop.network import Network
    from desktop.qt.background import Background
    from desktop.qt.relay import Relay
    from desktop.sandbox.workspace import Workspace
    from desktop.system.secrets import Secrets
    from desktop.system.single_instance import SingleInstance
    from desktop.tools.tool import Toolbox
    from desktop.ui.application import Application
    from desktop.ui.chat.window import ChatWindow
    from desktop.ui.desktop import Desktop
    from desktop.ui.models.downloads import Downloads
    from desktop.ui.models.first_run import FirstRun
    from desktop.ui.models.manager import ModelManager
    from desktop.ui.theme import Theme
    from desktop.ui.tray import Tray

log = structlog.get_logger(__name__)


class NobodyAsks:
    """Where there is nobody to ask: every question is answered by no."""

    def ask(self, question: Question) -> Answer:
        log.info("nobody to ask", title=question.title)
        return DENIED


LogFormat = Literal["console", "json"]

LOG_BYTES = 2_000_000
LOG_FILES = 3


class Core:
    """Everything below Qt, for one profile."""

    def __init__(self, paths: Paths) -> None:
        """Raises UserFacing when the settings cannot be read."""
        self.paths = paths
        self.asker: Asker = NobodyAsks()  # whoever can ask puts itself here before the first turn
        self.cancel_questions: Callable[[int], None] = lambda _conversation_id: None
        self.bus = Bus()
        self.settings = SettingsFile(paths.settings, self.bus)

    @cached_property
    def secrets(self) -> Secrets:
        from desktop.system.secrets import Secrets

        return Secrets(self.paths)

    @cached_property
    def network(self) -> Network:
        from desktop.network import Network

        return Network(lambda: self.settings.current.network)

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
        return ModelSetup(self.catalogue, self.library, downloader, self.paths)

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
        from desktop.chat import migrations as chat
        from desktop.database import Database
        from desktop.gate import migrations as gate
        from desktop.tools import notes

        return Database(self.paths.database, (*chat.MIGRATIONS, *gate.MIGRATIONS, *notes.MIGRATIONS))

    @cached_property
    def store(self) -> ChatStore:
        from desktop.chat.store import ChatStore

        return ChatStore(self.database)

    @cached_property
    def workspace(self) -> Workspace:
        from desktop.sandbox.workspace import Workspace

        chosen = self.settings.current.chat.workspace
        folder = Path(chosen).expanduser() if chosen else self.paths.workspace
        own = (self.paths.data, self.paths.config, self.paths.cache, self.paths.logs)
        try:
            return Workspace(ensure(folder), forbidden=own)
        except OSError as error:
            raise _no_workspace(folder, error) from error

    @cached_property
    def journal(self) -> Journal:
        from desktop.gate.journal import Journal

        journal = Journal(self.database, self.paths.journal)
        journal.tidy()
        return journal

    @cached_property
    def audit(self) -> AuditLog:
        from desktop.gate.audit import AuditLog
        from desktop.gate.redaction import Redactor, read_rules

        redactor = Redactor(read_rules(resources() / "redaction.toml"))
        return AuditLog(self.database, redactor, self.paths.audit_head)

    @cached_property
    def gatekeeper(self) -> Gatekeeper:
        from desktop.gate.gatekeeper import Gatekeeper
        from desktop.gate.grants import Grants
        from desktop.gate.policy import PolicySettings

        def settings() -> PolicySettings:
            return PolicySettings(**self.settings.current.permissions.model_dump())

        grants = Grants(self.database)
        grants.lapse()
        return Gatekeeper(grants, settings)

    @cached_property
    def toolbox(self) -> Toolbox:
        from desktop.gate.shell.classify import Classifier
        from desktop.gate.shell.tables import Tables
        from desktop.gate.verdict import Effect
        from desktop.sandbox.confinement import available
        from desktop.tools.calculator import Calculator
        from desktop.tools.current_time import time_tool
        from desktop.tools.file_plans import FileDesk
        from desktop.tools.files import FileTools
        from desktop.tools.notes import Notes
        from desktop.tools.run_command import Commands
        from desktop.tools.system_info import info_tool
        from desktop.tools.tool import Toolbox, tool
        from desktop.tools.trash import default_trash
        from desktop.tools.units import read_units

        classifier = Classifier(Tables(resources() / "commands"))
        calculator = Calculator(read_units(resources() / "units.toml"))
        files = FileTools(self.workspace, self.journal, default_trash())
        return Toolbox(
            (
                *FileDesk(files, self.workspace, self.journal).tools(),
                Commands(self.workspace, classifier, lambda: available().best).tool(),
                tool(calculator.calculator, Effect.READ, looks_here=False),
                *Notes(self.database).tools(),
                time_tool(),
                info_tool(),
            )
        )

    @cached_property
    def acting(self) -> Acting:
        from desktop.chat.acting import Acting
        from desktop.tools.executor import Executor

        executor = Executor(self.bus, self.asker, self.gatekeeper, self.workspace.root, self.audit)
        return Acting(self.toolbox, executor, self.cancel_questions, native_only=True)

    def turns_for(self, store: ChatStore) -> Turns:
        """Turns in `store`, which may be another than the user's history."""
        from desktop.chat.turn import Turns

        tools = self.settings.current.chat.tools
        return Turns(
            store, self.engine, self.bus, lambda: self.settings.current, self.acting if tools else None
        )

    @cached_property
    def turns(self) -> Turns:
        return self.turns_for(self.store)

    def stop(self) -> None:
        """Stop the answers under way; what was said is kept."""
        if "turns" in self.__dict__:
            self.turns.stop_all()

    def close(self) -> None:
        """End what was started. The engine's thread is ended by whoever started it."""
        if "audit" in self.__dict__:
            self.audit.seal()
        for name in ("engine", "workspace", "database"):
            if name in self.__dict__:
                getattr(self, name).close()


def _no_workspace(folder: Path, error: OSError) -> UserFacing:
    return UserFacing(
        f"The assistant's folder {folder} can be neither used nor made ({error.strerror}).",
        "Conversations and models are untouched.",
        "Name another one in the settings, as chat.workspace, or switch tools off with chat.tools = false.",
        code="workspace-refused",
    )


def start_logging(paths: Paths, to_stderr: LogFormat | None, level: int = logging.INFO) -> None:
    """Log to the profile's file and, where asked for, to stderr; stdout belongs to the answer."""
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    ensure(paths.logs)
    handlers: list[logging.Handler] = [
        logging.handlers.RotatingFileHandler(
            paths.log_file, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True
        )
    ]
    handlers[0].setFormatter(_formatter("json"))
    if to_stderr is not None:
        handlers.append(logging.StreamHandler(sys.stderr))
        handlers[-1].setFormatter(_formatter(to_stderr))
    logging.basicConfig(level=level, handlers=handlers, force=True)
    # The HTTP client logs every request with its address; network.py keeps that log itself.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    _log_what_nobody_caught()


def _formatter(kind: LogFormat) -> logging.Formatter:
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if kind == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    return structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        foreign_pre_chain=[structlog.stdlib.add_log_level, structlog.processors.TimeStamper(fmt="iso")],
    )


def _log_what_nobody_caught() -> None:
    def on_main(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            log.critical("a bug ended the program", exc_info=(kind, error, trace))
        sys.__excepthook__(kind, error, trace)

    def on_thread(caught: threading.ExceptHookArgs) -> None:
        error = (caught.exc_type, caught.exc_value, caught.exc_traceback)
        log.critical("a bug ended a thread", exc_info=error)

    sys.excepthook = on_main
    threading.excepthook = on_thread


@dataclass(frozen=True)
class Demo:
    """One question through the real window, for a machine without a screen."""

    question: str
    screenshot: str
    timeout_s: float = 300.0


def run_desktop(core: Core, hidden: bool = False, demo: Demo | None = None) -> int:
    """Run the tray app until it is quit; returns the exit code. Main thread."""
    from PySide6.QtCore import qInstallMessageHandler

    from desktop.system.single_instance import SingleInstance
    from desktop.ui.application import Application

    qInstallMessageHandler(lambda kind, _context, text: log.info("Qt", text=text, kind=kind.name))
    application = Application()
    instance = SingleInstance(core.paths)
    if not instance.start(["--hidden"] if hidden else []):
        return 0
    with ExitStack() as ending:
        ending.callback(instance.close)
        return _live(core, application, instance, hidden, demo, ending)


def _live(
    core: Core,
    application: Application,
    instance: SingleInstance,
    hidden: bool,
    demo: Demo | None,
    ending: ExitStack,
) -> int:
    """Put the tray up, then the rest; what is started here ends in the opposite order."""
    from desktop.ui.icons import app_icon
    from desktop.ui.theme import Theme
    from desktop.ui.tray import Tray

    window = core.settings.current.window
    theme = Theme(application, window.theme, window.zoom_percent)
    application.setWindowIcon(app_icon())
    tray = Tray(theme)
    import qasync

    from desktop.qt.background import Background
    from desktop.qt.engine_thread import EngineThread
    from desktop.qt.interrupts import Interrupts
    from desktop.qt.relay import Relay

    loop = ending.enter_context(qasync.QEventLoop(application))
    relay = Relay(core.bus)
    ending.callback(relay.close)
    engine_thread = EngineThread(core.engine)
    engine_thread.start()
    ending.callback(engine_thread.close)
    background = Background()
    ending.callback(background.close)
    ending.callback(core.stop)
    desktop = _windows(core, theme, tray, relay, background, ending)
    if demo is None:  # nobody sits before a demonstration
        _put_questions(core, theme, desktop, ending)
    ending.callback(Interrupts(desktop.quit).close)
    application.quit_requested.connect(desktop.quit)
    ending.callback(tray.close)
    instance.asked.connect(lambda later: desktop.show() if "--hidden" not in later.arguments else None)
    if demo is not None:
        return int(
            loop.run_until_complete(desktop.demonstrate(demo.question, demo.screenshot, demo.timeout_s))
        )
    loop.run_until_complete(desktop.live(hidden))
    return 0


def _put_questions(core: Core, theme: Theme, desktop: Desktop, ending: ExitStack) -> None:
    """Tools that ask get the dialog; before the first turn, so that it finds who asks."""
    from desktop.qt.asker import QtAsker
    from desktop.ui.permission.desk import PermissionDesk

    asker = QtAsker()
    ending.callback(asker.close)
    desk = PermissionDesk(asker, theme, desktop.window_of)
    ending.callback(desk.close)
    desktop.attach_desk(desk)
    core.asker, core.cancel_questions = asker, asker.cancel_conversation


def _windows(
    core: Core, theme: Theme, tray: Tray, relay: Relay, background: Background, ending: ExitStack
) -> Desktop:
    """The windows, each made when it is first shown."""
    from desktop.ui.desktop import Desktop

    @cache
    def downloads() -> Downloads:
        from desktop.system.secrets import HUGGING_FACE_TOKEN
        from desktop.ui.models.downloads import Downloads

        def keep(token: str) -> None:
            core.secrets.set(HUGGING_FACE_TOKEN, token)

        made = Downloads(core.setup, relay, background, keep)
        ending.callback(made.stop_all)
        return made

    def chat() -> ChatWindow:
        from desktop.ui.chat.window import ChatWindow

        return ChatWindow(
            core.store, core.turns, core.engine, core.settings, relay, background, theme, core.paths.window
        )

    def first_run() -> FirstRun:
        from desktop.ui.models.first_run import FirstRun

        return FirstRun(core.setup, core.library, core.settings, background, theme, downloads())

    def manager() -> ModelManager:
        from desktop.ui.models.manager import ModelManager

        return ModelManager(
            core.setup,
            core.library,
            core.settings,
            relay,
            background,
            theme,
            downloads(),
            lambda: core.engine.status,
        )

    def warm_up() -> None:
        background.run(core.turns.warm_up)

    return Desktop(tray, core.engine, core.library, core.settings, relay, chat, first_run, manager, warm_up)
