"""What everything stands on: settings, network, model files, engine, database, conversations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import structlog

from desktop.asking import DENIED, Answer, Asker, Question
from desktop.events import Bus
from desktop.paths import Paths, resources
from desktop.settings import SettingsFile

if TYPE_CHECKING:
    from desktop.backup.manifest import Known
    from desktop.chat.exchange import Exchange
    from desktop.chat.store import ChatStore
    from desktop.database import Database, Migration
    from desktop.engine.engine import Engine
    from desktop.engine.speed_test import SpeedTest
    from desktop.gate.redaction import Redactor
    from desktop.models.catalogue import Catalogue
    from desktop.models.library import Library
    from desktop.models.setup import ModelSetup
    from desktop.models.speed import SpeedFile
    from desktop.network import Network
    from desktop.system.crash_reports import CrashReports
    from desktop.system.secrets import Secrets
    from desktop.system.updates import Updates
    from desktop.tools.clipboard import Clipboard
    from desktop.tools.screen import Screen

log = structlog.get_logger(__name__)


class NobodyAsks:
    """Where there is nobody to ask: every question is answered by no."""

    def ask(self, question: Question) -> Answer:
        log.info("nobody to ask", title=question.title)
        return DENIED


class Ground:
    """What the rooms above work with."""

    def __init__(self, paths: Paths) -> None:
        """Raises UserFacing when the settings cannot be read, or a backup cannot be put in place."""
        if paths.restoring.exists():
            from desktop.backup.restore import finish

            finish(paths)
        if any(paths.cache.glob("backup-*")):
            from desktop.backup.write import clear_left

            clear_left(paths)
        self.paths = paths
        self.restart_wanted = False  # once everything is closed
        self.restart_chat = 0  # the conversation that is open then; 0 for none
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

        from desktop.engine.host import physical_cores, processor_name
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
        from desktop.engine.trial_load import TrialLoad
        from desktop.sandbox.confinement import available
        from desktop.sandbox.parser import Parser

        trial = TrialLoad(
            self.paths.tried_models, Parser(lambda: available().best), self.library.is_published
        )
        return Engine(self.paths, self.bus, lambda: self.settings.current.model, LlamaBackend(trial))

    @cached_property
    def database(self) -> Database:
        from desktop.database import Database

        return Database(self.paths.database, self.migrations)

    @cached_property
    def migrations(self) -> tuple[Migration, ...]:
        """Every step of every room's tables."""
        from desktop.agents import migrations as agents
        from desktop.chat import migrations as chat
        from desktop.gate import migrations as gate
        from desktop.memory import migrations as memory
        from desktop.tools import notes, reminders

        tools = (*notes.MIGRATIONS, *reminders.MIGRATIONS)
        return (*chat.MIGRATIONS, *gate.MIGRATIONS, *tools, *memory.MIGRATIONS, *agents.MIGRATIONS)

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
    def store(self) -> ChatStore:
        from desktop.chat.store import ChatStore

        return ChatStore(self.database)

    @cached_property
    def redactor(self) -> Redactor:
        from desktop.gate.redaction import Redactor, read_rules

        return Redactor(read_rules(resources() / "redaction.toml"))

    @cached_property
    def updates(self) -> Updates:
        from desktop.system.updates import Source, Updates

        source = Source.read(resources() / "release.toml")
        return Updates(
            self.network, source, self.paths, lambda: self.settings.current.network.look_for_updates
        )
