"""The gate, the way back, and the coding agents that ask at it."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from desktop.app.reasons import AppReason
from desktop.app.services import NobodyAsks, Services, made_of
from desktop.asking import Asker, Question
from desktop.errors import UserFacing
from desktop.paths import ensure, resources
from desktop.settings import HookSettings, SettingsChanged

if TYPE_CHECKING:
    from desktop.agents.hook_handler import AgentHandler
    from desktop.agents.own_rules import OwnRules
    from desktop.agents.rewriting import Rewriting
    from desktop.agents.tokens import Tokens
    from desktop.agents.verdict_log import Recorder
    from desktop.gate.agent_rules import AgentConsents
    from desktop.gate.audit import AuditLog
    from desktop.gate.commands import Commands
    from desktop.gate.gatekeeper import Gatekeeper
    from desktop.gate.grants import Grants
    from desktop.gate.journal import Journal
    from desktop.gate.judge import Judge
    from desktop.gate.project_copies import ProjectCopies
    from desktop.gate.projects import Projects
    from desktop.gate.request import Request
    from desktop.network.index_proxy import IndexProxy
    from desktop.offload.dispatch import Dispatcher
    from desktop.sandbox.workspace import Workspace

log = structlog.get_logger(__name__)


# --- The gate, and the way back


@Services.workspace.built_by
def build_workspace(services: Services) -> Workspace:
    from desktop.sandbox.workspace import Workspace

    chosen = services.settings.current.chat.workspace
    folder = Path(os.path.expanduser(chosen)) if chosen else services.paths.workspace
    try:
        workspace = Workspace(ensure(folder), forbidden=services.own_folders)
    except OSError as error:
        reason = AppReason.WORKSPACE_REFUSED.of(folder=folder, strerror=str(error.strerror))
        raise UserFacing(reason) from error

    def open_folders() -> None:
        """Those of the settings, and no others; one that cannot be opened waits for the next change."""
        wanted = {Path(os.path.expanduser(folder)) for folder in services.settings.current.chat.folders}
        # First what was taken back: a folder must not stay open because the next one fails.
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


@Services.journal.built_by
def build_journal(services: Services) -> Journal:
    from desktop.gate.journal import Journal

    presence = services.presence
    journal = Journal(services.database, services.paths.journal)
    # What a killed process left half written goes now, when nobody waits for an undo, and nobody writes.
    with presence.others() as living:
        if living is not None and not living:
            journal.tidy()
    return journal


@Services.audit.built_by
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


@Services.grants.built_by
def build_grants(services: Services) -> Grants:
    from desktop.gate.grants import Grants

    grants = Grants(services.database)
    # What has ended while the program was not running ends now, before it decides anything.
    grants.lapse()
    return grants


@Services.project_copies.built_by
def build_project_copies(services: Services) -> ProjectCopies:
    from desktop.gate.project_copies import ProjectCopies

    copies = ProjectCopies(services.database, services.journal, services.paths.project_copies)
    if copies.is_open:  # a process was killed while a command ran
        threading.Thread(target=copies.recover, name="project recovery", daemon=True).start()
    return copies


@Services.projects.built_by
def build_projects(services: Services) -> Projects:
    from desktop.gate.projects import Projects

    return Projects(services.database, services.own_folders, services.bus)


@Services.gatekeeper.built_by
def build_gatekeeper(services: Services) -> Gatekeeper:
    from desktop.gate.gatekeeper import Gatekeeper
    from desktop.gate.policy import PolicySettings
    from desktop.gate.projects import deleted
    from desktop.gate.rules import rules_of

    settings = made_of(
        lambda: services.settings.current.permissions,
        lambda wanted: PolicySettings(**wanted.model_dump()),
    )
    rules = made_of(lambda: services.settings.current.gate, rules_of)

    def keeps(request: Request) -> bool:
        paths = deleted(request)
        # Whether a deletion can be undone depends on the copies of its project, of which the gatekeeper knows
        # nothing.
        root = request.project
        return root is not None and paths is not None and services.project_copies.would_keep(root, paths)

    def hosts() -> list[str]:
        return services.settings.current.network.project_hosts.split()

    return Gatekeeper(services.grants, settings, rules, services.projects, keeps, hosts)


@Services.judge.built_by
def build_judge(services: Services) -> Judge:
    from desktop.gate.judge import Judge

    return Judge(services.engine, lambda: services.settings.current)


@Services.commands.built_by
def build_commands(services: Services) -> Commands:
    from desktop.gate.commands import CommandPlaces, Commands
    from desktop.gate.shell.classifier import Classifier
    from desktop.gate.shell.tables import Tables

    tables = Tables(resources() / "commands")
    classifier = Classifier(tables, wrappers=lambda: services.settings.current.gate.wrappers)
    around = CommandPlaces.of(*services.own_folders, hooks=_hook_files())
    return Commands(classifier, services.judge, around)


def _hook_files() -> tuple[Path, ...]:
    """Where the agents' hooks are named: an agent that could write there would take the gate away.

    The gate knows no agent, so that what each declares is handed down to it.
    """
    from desktop.agents.install import places
    from desktop.agents.settings_file import Computer

    return tuple(place.file for place in places(Computer.this()))


# --- Coding agents


@Services.tokens.built_by
def build_tokens(services: Services) -> Tokens:
    from desktop.agents.tokens import Tokens

    return Tokens(services.paths)


@Services.recorder.built_by
def build_recorder(services: Services) -> Recorder:
    from desktop.agents.verdict_log import Recorder

    return Recorder(services.audit)


@Services.agent_consents.built_by
def build_agent_consents(services: Services) -> AgentConsents:
    from desktop.gate.agent_rules import AgentConsents

    return AgentConsents(services.database)


@Services.own_rules.built_by
def build_own_rules(services: Services) -> OwnRules:
    from desktop.agents.agent_list import AGENTS
    from desktop.agents.own_rules import OwnRules
    from desktop.agents.settings_file import Computer

    return OwnRules(AGENTS, Computer.this(), services.agent_consents)


@Services.index_proxy.built_by
def build_index_proxy(services: Services) -> IndexProxy:
    """Listens once a command is confined to a project, for as long as project mode is on there."""
    from desktop.gate.projects import ProjectModeChanged
    from desktop.network.index_proxy import IndexProxy
    from desktop.sandbox.confinement_table import hosts

    def allowed() -> Sequence[str]:
        return (*hosts(), *services.settings.current.network.project_hosts.split())

    proxy = IndexProxy(services.network, allowed)
    # What a command has left running loses its way out when the user revokes the mode.
    services.bus.subscribe(
        ProjectModeChanged, lambda event: proxy.keep([str(each) for each in event.folders])
    )
    return proxy


@Services.rewriting.built_by
def build_rewriting(services: Services) -> Rewriting:
    from desktop.agents.install import program_of
    from desktop.agents.rewriting import Rewriting, Versions
    from desktop.agents.settings_file import Computer

    computer = Computer.this()
    return Rewriting(services.database, Versions(lambda agent: program_of(agent, computer)).of)


@Services.dispatcher.built_by
def build_dispatcher(services: Services) -> Dispatcher:
    from desktop.offload.dispatch import Dispatcher

    network = services.network
    since = network.started.timestamp()
    return Dispatcher(services.paths, lambda: services.settings.current.offload, network.note_sent, since)


@Services.handler.built_by
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
        # Without a window a hook is not denied: the agent is told to ask by itself.
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
        hooks=_hook_files(),
        seals=Seals(LaunchedRuns(paths)).broken,
        root_of=services.projects.root_of,
        honoured=services.own_rules.honoured,
    )

    def dispatcher() -> Dispatcher | None:
        # Off, as it is at first, nothing of it is loaded.
        return services.dispatcher if services.settings.current.offload.enabled else None

    lessons = AgentLessons(services.memory, lambda: services.settings.current.memory)
    snapshots = Snapshots(services.journal, services.own_folders)
    return AgentHandler(
        judges,
        HookAsker(asker, withdraw),
        HookListeners(services.recorder, services.bus, lessons),
        Copies(snapshots, settings, services.project_copies),
        settings,
        ConfinedRuns(boxes, services.rewriting, services.own_rules.meet, dispatcher),
    )
