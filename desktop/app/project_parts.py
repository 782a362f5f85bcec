"""Projects at work: tools in a project's folder, and the model that it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
    from desktop.chat.chat_folders import ChatFolders
    from desktop.chat.project_folders import ProjectFolders
    from desktop.chat.projects import ChatProjects
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
    from desktop.chat.project_folders import ProjectFolders

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
