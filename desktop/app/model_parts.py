"""Secrets, the network, model files and the engine: what stands below conversations.

Each function builds one part of `Services`, and imports what it builds: a verb that needs the settings alone
does not pay for a language model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop.app.services import Services
from desktop.paths import resources

if TYPE_CHECKING:
    from desktop.engine.engine import Engine
    from desktop.engine.remote import RemoteEngines, RemoteSetup
    from desktop.engine.speed_test import SpeedTest
    from desktop.gate.redaction import Redactor
    from desktop.models.catalogue import Catalogue
    from desktop.models.fit import SpeedFile
    from desktop.models.heads import ConfinedHeads
    from desktop.models.library import Library
    from desktop.models.setup import ModelSetup
    from desktop.network import Network
    from desktop.system.crash_reports import CrashReports
    from desktop.system.secrets import Secrets
    from desktop.system.updates import Updates


@Services.secrets.built_by
def build_secrets(services: Services) -> Secrets:
    from desktop.system.secrets import Secrets

    return Secrets(services.paths)


@Services.redactor.built_by
def build_redactor(_services: Services) -> Redactor:
    from desktop.gate.redaction import Redactor, read_rules

    return Redactor(read_rules(resources() / "redaction.toml"))


@Services.crash_reports.built_by
def build_crash_reports(services: Services) -> CrashReports:
    from desktop.system.crash_reports import CrashReports

    return CrashReports(services.paths, lambda: services.redactor)


@Services.network.built_by
def build_network(services: Services) -> Network:
    from desktop.network import Network

    return Network(lambda: services.settings.current.network, bus=services.bus)


@Services.updates.built_by
def build_updates(services: Services) -> Updates:
    from desktop.system.updates import Source, Updates

    def wanted() -> bool:
        return services.settings.current.network.look_for_updates

    return Updates(services.network, Source.read(resources() / "release.toml"), services.paths, wanted)


@Services.catalogue.built_by
def build_catalogue(_services: Services) -> Catalogue:
    from desktop.models.catalogue import load_catalogue

    return load_catalogue()


@Services.library.built_by
def build_library(services: Services) -> Library:
    from desktop.models.library import Library

    def heads() -> ConfinedHeads:
        """Made with the first file that is new: a start reads a list and no file."""
        from desktop.models.heads import ConfinedHeads
        from desktop.sandbox.parser import Parser

        return ConfinedHeads(Parser.confined())

    return Library(services.paths, services.bus, services.catalogue, heads)


@Services.speed_file.built_by
def build_speed_file(services: Services) -> SpeedFile:
    from importlib.metadata import PackageNotFoundError, version

    from desktop.engine.host import physical_cores, processor_name
    from desktop.models.fit import SpeedFile

    try:
        llama = version("llama-cpp-python")
    except PackageNotFoundError:
        # Without the engine the program still lists models and says what would fit.
        llama = "none"
    # Another processor or another llama.cpp makes every figure worthless; both stand in the name.
    return SpeedFile(services.paths.fit, f"{processor_name()}, {physical_cores()} cores, llama.cpp {llama}")


@Services.setup.built_by
def build_setup(services: Services) -> ModelSetup:
    from desktop.models.download import Downloader
    from desktop.models.setup import ModelSetup
    from desktop.system.secrets import HUGGING_FACE_TOKEN

    def token() -> str | None:
        """The access token for licensed models, where the user has entered one. May block."""
        return services.secrets.get(HUGGING_FACE_TOKEN)

    paths, library = services.paths, services.library
    downloader = Downloader(services.network, library, paths, services.bus, token)
    return ModelSetup(services.catalogue, library, downloader, paths, speeds=services.speed_file.read)


@Services.engine.built_by
def build_engine(services: Services) -> Engine:
    from desktop.engine.engine import Engine
    from desktop.engine.llama import LlamaBackend
    from desktop.engine.trial_load import TrialLoad
    from desktop.sandbox.confinement import available
    from desktop.sandbox.parser import Parser

    parser = Parser(lambda: available().best)
    # A file that nobody has published is loaded in a child first: a bad one ends that and not the program.
    trial = TrialLoad(services.paths.tried_models, parser, services.library.is_published)
    backend = LlamaBackend(trial.check)
    return Engine(services.paths, services.bus, lambda: services.settings.current.model, backend)


@Services.speed_test.built_by
def build_speed_test(services: Services) -> SpeedTest:
    from desktop.engine.speed_test import SpeedTest

    return SpeedTest(services.engine, services.speed_file, services.bus)


@Services.remote_engines.built_by
def build_remote_engines(services: Services) -> RemoteEngines:
    from desktop.engine.remote import RemoteEngines

    return RemoteEngines(
        lambda: services.settings.current.engines.servers, services.network, services.secrets.get
    )


@Services.remote_setup.built_by
def build_remote_setup(services: Services) -> RemoteSetup:
    from desktop.engine.remote import Keyring, RemoteSetup

    keyring = Keyring(services.secrets.set, services.secrets.delete)
    return RemoteSetup(services.settings, services.remote_engines, keyring)
