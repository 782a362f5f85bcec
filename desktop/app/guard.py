"""What stands at the door: workspace, undo, audit, grants, the gate and its judge."""

from __future__ import annotations

import os
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from desktop.app.ground import Ground
from desktop.errors import UserFacing
from desktop.paths import ensure, resources
from desktop.settings import SettingsChanged

if TYPE_CHECKING:
    from desktop.gate.audit import AuditLog
    from desktop.gate.commands import Commands
    from desktop.gate.gatekeeper import Gatekeeper
    from desktop.gate.grants import Grants
    from desktop.gate.journal import Journal
    from desktop.gate.judge import Judge
    from desktop.gate.project_copies import ProjectCopies
    from desktop.gate.projects import Projects
    from desktop.gate.request import Request
    from desktop.sandbox.workspace import Workspace


log = structlog.get_logger(__name__)


class Guard(Ground):
    """Decides what may happen, and keeps the way back."""

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
    def audit(self) -> AuditLog:
        from desktop.gate.audit import AuditLog

        return AuditLog(
            self.database,
            self.redactor,
            self.paths.audit_head,
            key_file=self.paths.audit_key,
            restored_file=self.paths.audit_restored,
        )

    @cached_property
    def grants(self) -> Grants:
        from desktop.gate.grants import Grants

        grants = Grants(self.database)
        grants.lapse()
        return grants

    @cached_property
    def project_copies(self) -> ProjectCopies:
        from desktop.gate.project_copies import ProjectCopies

        copies = ProjectCopies(self.database, self.journal, self.paths.project_copies)
        if copies.is_open:  # a process was killed while a command ran
            threading.Thread(target=copies.recover, name="project recovery", daemon=True).start()
        return copies

    @cached_property
    def projects(self) -> Projects:
        from desktop.gate.projects import Projects

        return Projects(self.database, self.own_folders, self.bus)

    @cached_property
    def gatekeeper(self) -> Gatekeeper:
        from desktop.gate.beyond import deleted
        from desktop.gate.gatekeeper import Gatekeeper
        from desktop.gate.policy import PolicySettings
        from desktop.gate.rules import Rule, rules_of

        def settings() -> PolicySettings:
            return PolicySettings(**self.settings.current.permissions.model_dump())

        def rules() -> tuple[Rule, ...]:
            return rules_of(self.settings.current.gate)

        def keeps(request: Request) -> bool:
            paths = deleted(request)
            root = request.project
            return root is not None and paths is not None and self.project_copies.would_keep(root, paths)

        def hosts() -> list[str]:
            return self.settings.current.network.project_hosts.split()

        return Gatekeeper(self.grants, settings, rules, self.projects, keeps, hosts)

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
        from desktop.agents.install_places import Computer, places
        from desktop.gate.commands import Commands
        from desktop.gate.context import Surroundings
        from desktop.gate.shell.classify import Classifier
        from desktop.gate.shell.tables import Tables

        tables = Tables(resources() / "commands")
        classifier = Classifier(tables, wrappers=lambda: self.settings.current.gate.wrappers)
        hooks = [place.file for place in places(Computer.this())]
        return Commands(classifier, self.judge, Surroundings.of(*self.own_folders, hooks=hooks))


def _no_workspace(folder: Path, error: OSError) -> UserFacing:
    return UserFacing(
        f"The assistant's folder {folder} can be neither used nor made ({error.strerror}).",
        "Conversations and models are untouched.",
        "Name another one in the settings, as chat.workspace, or switch tools off with chat.tools = false.",
        code="workspace-refused",
    )
