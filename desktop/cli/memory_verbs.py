"""The verbs of `steward memory`: each calls one function."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from desktop.cli.team_verbs import team

JsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
ProjectOption = Annotated[
    str, typer.Option("--project", metavar="DIR", help="What belongs to this folder, too.")
]

memory = typer.Typer(help="What Steward keeps for you: notes, and what it learned.", no_args_is_help=True)
memory.add_typer(team, name="team")


@memory.command("search")
def search_verb(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(help="What to look for.")],
    project: ProjectOption = "",
    limit: Annotated[int, typer.Option("--limit", min=1)] = 10,
    as_json: JsonOption = False,
) -> None:
    """Find what is kept, the best first, with the reason."""
    from desktop.cli.memory import search

    search(context.obj.memory, " ".join(words), as_json, project, limit)


@memory.command("add")
def add_verb(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(help="What to keep.")],
    project: ProjectOption = "",
    as_json: JsonOption = False,
) -> None:
    """Keep something."""
    from desktop.cli.memory import add

    add(context.obj.memory, " ".join(words), as_json, project)


@memory.command("forget")
def forget_verb(
    context: typer.Context,
    wanted: Annotated[str, typer.Argument(help="Its number, or words of it.")] = "",
    everything: Annotated[bool, typer.Option("--everything", help="All of it.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete something for good."""
    from desktop.cli.memory import forget, forget_everything

    if bool(wanted) == everything:
        raise typer.BadParameter("name what to forget, or --everything")
    if everything:
        forget_everything(context.obj.memory, as_json)
    else:
        forget(context.obj.memory, wanted, as_json)


@memory.command("export")
def export_verb(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="A Markdown file; printed when left out.")] = None,
) -> None:
    """Write everything that is kept as Markdown."""
    from desktop.cli.memory import export

    export(context.obj.memory, file)


@memory.command("doctor")
def doctor_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """What is there twice, contradicts itself, or was never needed."""
    from desktop.cli.memory import doctor

    doctor(context.obj.memory, as_json)


@memory.command("stats")
def stats_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """How much is kept."""
    from desktop.cli.memory import stats

    stats(context.obj.memory, as_json)
