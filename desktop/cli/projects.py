"""`steward projects`: a folder, instructions, a memory, a model and chats under one name.

Every function writes to stdout, as sentences or, with `as_json`, as one JSON value; each raises UserFacing.
"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import JsonOption, say
from desktop.errors import UserFacing

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.chat.projects import ChatProject

projects_app = typer.Typer(
    help="A folder, instructions, a memory, a model and chats under one name.", no_args_is_help=True
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Of the project.")]
FolderOption = Annotated[
    str | None, typer.Option("--folder", metavar="DIR", help='Where its chats work; "" for none.')
]
InstructionsOption = Annotated[
    str | None, typer.Option("--instructions", metavar="TEXT", help="What its chats begin with.")
]
ModelOption = Annotated[
    str | None, typer.Option("--model", metavar="ID", help='Which model answers; "" for the usual.')
]


def show_list(core: Services, as_json: bool) -> None:
    """List all projects with their folders and how many chats they have."""
    projects = core.chat_projects
    found = [(each, projects.chats(each.id)) for each in projects.all()]
    records = [{**asdict(each), "chats": list(chats)} for each, chats in found]
    lines = [_line(each, len(chats)) for each, chats in found]
    none = "There are no projects. Add one with: steward projects add NAME"
    say(records, as_json, "\n".join(lines) or none)


def show_chats(core: Services, name: str, as_json: bool) -> None:
    """The chats of a project, "" for all chats, with the numbers that `move` takes."""
    wanted = core.chat_projects.named(name).name if name else ""
    found = [each for each in core.store.conversations() if not wanted or each.project == wanted]
    records = [{"id": each.id, "title": each.title, "project": each.project} for each in found]
    lines = [f"{each.id}. {each.title}{f' ({each.project})' if each.project else ''}" for each in found]
    say(records, as_json, "\n".join(lines) or "There are no chats.")


def save(core: Services, project: ChatProject, as_json: bool) -> None:
    """Keep it, new or changed."""
    saved = core.chat_projects.save(project)
    count = len(core.chat_projects.chats(saved.id))
    say(asdict(saved), as_json, _line(saved, count))


def move(core: Services, chat: int, name: str) -> None:
    """A chat into a project, "" out of any."""
    project = core.chat_projects.named(name) if name else None
    try:
        title = core.store.get(chat).title
    except KeyError as error:
        raise UserFacing(CliReason.NO_SUCH_CHAT.of(number=chat)) from error
    core.turns.move(chat, project)
    where = f"belongs to {project.name}" if project is not None else "belongs to no project"
    sys.stdout.write(f"{title} {where} now.\n")


def delete(core: Services, name: str, with_chats: bool) -> None:
    """The project, and its chats where that is wanted; never a file of its folder."""
    projects = core.chat_projects
    project = projects.named(name)
    chats = projects.chats(project.id)
    for each in chats if with_chats else ():
        core.turns.delete_conversation(each)
    projects.delete(project.id)
    what = "deleted" if with_chats else "kept"
    sys.stdout.write(f"Deleted {project.name}. Its chats ({len(chats)}) were {what}, its files left alone.\n")


def _line(project: ChatProject, chats: int) -> str:
    parts = [f"{project.name} ({chats} chat{'s' * (chats != 1)})"]
    parts += [f"    {project.folder}"] if project.folder else []
    parts += [f"    model {project.model}"] if project.model else []
    return "\n".join(parts)


def _written(
    project: ChatProject, folder: str | None, instructions: str | None, model: str | None
) -> ChatProject:
    if folder:
        # From where the command is typed, and not from where the program runs.
        folder = str(Path(os.path.expanduser(folder)).absolute())
    return replace(
        project,
        folder=project.folder if folder is None else folder,
        instructions=project.instructions if instructions is None else instructions,
        model=project.model if model is None else model,
    )


@projects_app.command("list")
def list_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """All projects: folder, model, and how many chats."""
    show_list(context.obj, as_json)


@projects_app.command("add")
def add_verb(
    context: typer.Context,
    name: NameArgument,
    folder: FolderOption = None,
    instructions: InstructionsOption = None,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make one."""
    from desktop.chat.projects import ChatProject

    save(context.obj, _written(ChatProject(name), folder, instructions, model), as_json)


@projects_app.command("change")
def change_verb(
    context: typer.Context,
    name: NameArgument,
    folder: FolderOption = None,
    instructions: InstructionsOption = None,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change what is named; the rest stays."""
    known = context.obj.chat_projects.named(name)
    save(context.obj, _written(known, folder, instructions, model), as_json)


@projects_app.command("chats")
def chats_verb(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the project; all chats without.")] = "",
    as_json: JsonOption = False,
) -> None:
    """The chats of one, or all, with their numbers."""
    show_chats(context.obj, name, as_json)


@projects_app.command("move")
def move_verb(
    context: typer.Context,
    chat: Annotated[int, typer.Argument(metavar="CHAT", help="Its number, as `chats` shows it.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the project; none where left out.")] = "",
) -> None:
    """Move a chat into a project, or out of any."""
    move(context.obj, chat, name)


@projects_app.command("delete")
def delete_verb(
    context: typer.Context,
    name: NameArgument,
    keep_chats: Annotated[bool, typer.Option("--keep-chats", help="They belong to no project then.")] = False,
    delete_chats: Annotated[bool, typer.Option("--delete-chats", help="They go, too.")] = False,
) -> None:
    """Delete one; say what becomes of its chats. Its folder's files stay."""
    if keep_chats == delete_chats:
        raise typer.BadParameter("say --keep-chats or --delete-chats")
    delete(context.obj, name, delete_chats)
