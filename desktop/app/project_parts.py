"""Projects at work: tools in a project's folder, the model it names, the loop that makes a check pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
    from desktop.builder.tool import CheckFixing
    from desktop.chat.chat_folders import ChatFolders
    from desktop.chat.projects import ChatProjects, ProjectFolders
    from desktop.chat.tool_mode import ToolRuntime
    from desktop.sandbox.workspace import Workspace
    from desktop.tools.executor import Executor
    from desktop.tools.tool import Toolbox


@Services.chat_projects.built_by
def build_chat_projects(services: Services) -> ChatProjects:
    from desktop.chat.projects import ChatProjects

    return ChatProjects(services.database, services.bus)


@Services.project_folders.built_by
def build_project_folders(services: Services) -> ProjectFolders:
    from desktop.chat.projects import ProjectFolders

    def at_work(workspace: Workspace) -> ToolRuntime:
        box, executor = tools_in(services, workspace), executor_in(services, workspace)
        return replace(services.acting, toolbox=box, executor=executor)

    return ProjectFolders(services.own_folders, at_work)


@Services.chat_folders.built_by
def build_chat_folders(services: Services) -> ChatFolders:
    from desktop.chat.chat_folders import ChatFolders
    from desktop.memory.text import read_vocabulary
    from desktop.paths import resources

    vocabulary = read_vocabulary(resources() / "memory" / "words.toml")
    return ChatFolders(services.database, services.bus, services.own_folders, vocabulary)


def tools_in(services: Services, workspace: Workspace) -> Toolbox:
    """The assistant's tools at work in a folder."""
    from desktop.app.toolbox import ToolParts, toolbox

    return toolbox(
        ToolParts(
            services.settings,
            workspace,
            services.journal,
            services.commands,
            services.network,
            services.memory,
            services.reminders,
            services.clipboard_tools,
            services.screen,
        )
    )


def executor_in(services: Services, workspace: Workspace) -> Executor:
    """What runs their calls; what was allowed in a folder holds there."""
    from desktop.tools.executor import Executor

    executor = Executor(
        services.bus,
        services.asker,
        services.gatekeeper,
        workspace.root,
        services.audit,
        lambda: float(services.settings.current.chat.tool_timeout_s),
    )
    # Made after the log, so this is done before that is closed.
    services.ending.callback(executor.settle)
    return executor


def model_chooser(services: Services) -> Callable[[str], bool]:
    """Has the engine answer with a project's model and, in the next chat without one, with that of the
    settings again. A model that is gone leaves the one that answers."""
    chosen = ""  # by a project; most people have none, and then nothing is looked up

    def use(model_id: str) -> bool:
        nonlocal chosen
        if not model_id and not chosen:
            return False
        wanted = model_id or services.settings.current.model.active
        installed = services.library.installed()
        found = next((each for each in installed if each.id == wanted and not each.is_missing), None)
        if found is None:
            return False
        chosen = model_id
        current = services.engine.model
        if current is not None and current.id == found.id:
            return False
        services.engine.use(found)
        return True

    return use


@Services.check_fixing.built_by
def build_check_fixing(services: Services) -> CheckFixing:
    """Works in the workspace, as conversations do."""
    return check_fixing_in(services, lambda: services.workspace.root)


def check_fixing_in(services: Services, folder: Callable[[], Path]) -> CheckFixing:
    """Works in another folder: `steward fix` is typed where it is to work."""
    from desktop.builder.builder import Builder, BuilderParts
    from desktop.builder.experience import Experience
    from desktop.builder.proposals import Proposals
    from desktop.builder.tool import CheckFixing
    from desktop.sandbox.confiner import Confiner

    experience = Experience(
        lambda: services.memory, lambda: services.settings.current.memory, services.engine.count_tokens
    )
    confiner = Confiner(services.paths)
    builder = Builder(BuilderParts(services.engine, confiner, services.paths, experience))
    place = services.paths.cache / "builder" / "proposals"
    proposals = Proposals(place, services.journal, services.redactor.text)
    return CheckFixing(builder, confiner, proposals, services.commands, services.bus, folder)
