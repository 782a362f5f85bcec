"""`steward skills`: which descriptions of how something is done can go along with a question."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.chat.reasons import ChatReason
from desktop.cli.terminal import JsonOption, print_json
from desktop.errors import UserFacing

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.chat.skills import Skill

skills_app = typer.Typer(
    help="Instructions for the model on how something is done: folders with a SKILL.md.",
    no_args_is_help=True,
)


@skills_app.command("list")
def list_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the skills, where each one is kept, and what keeps a file from being one."""
    found = _all(context.obj)
    library = context.obj.skills()
    unusable = library.unusable() if library is not None else ()
    if as_json:
        rows = [
            {"name": each.name, "description": each.description, "file": str(each.file)} for each in found
        ]
        print_json(rows)
        return
    sys.stdout.writelines(f"{each.name}\n    {each.description}\n    {each.file}\n" for each in found)
    sys.stdout.writelines(f"Not used: {file}\n    {why}\n" for file, why in unusable)
    if not found and not unusable:
        # Where one would be put, since the folder is not there before somebody makes it.
        sys.stdout.write(
            f"There are no skills. To add one, put a folder with a SKILL.md into {context.obj.paths.skills}\n"
        )


@skills_app.command("show")
def show_verb(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="As `steward skills list` shows it.")],
    question: Annotated[
        str, typer.Option("--question", help="Show what of it would go along with this question.")
    ] = "",
) -> None:
    """Print a skill, or the part of it that would go along with a question."""
    skill = next((each for each in _all(context.obj) if each.name.casefold() == name.casefold()), None)
    if skill is None:
        raise UserFacing(ChatReason.NO_SKILL.of(name=name))
    library = context.obj.skills()
    text = library.attachment(skill, question).text if question else skill.text
    sys.stdout.write(f"{text}\n")


def _all(core: Services) -> tuple[Skill, ...]:
    library = core.skills()
    return library.all() if library is not None else ()
