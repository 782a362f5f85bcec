"""The verbs of `steward memory team`: each calls one function."""

from __future__ import annotations

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON.")]

team = typer.Typer(
    help="Memory that a group shares on a server of its own; off at first.", no_args_is_help=True
)


@team.command("status")
def status_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """Where it is, and whether it answers."""
    from desktop.cli.team import status

    status(context.obj, as_json)


@team.command("connect")
def connect_verb(
    context: typer.Context,
    address: Annotated[str, typer.Argument(help="postgresql://me@host/steward, or https://host:6333.")],
    group: Annotated[str, typer.Option("--group", help="Whose memory: all its members write the same.")],
    name: Annotated[str, typer.Option("--name", help="Who you are, for the others.")] = "",
    cache: Annotated[str, typer.Option("--cache", help="A Redis server before it: redis://host/0.")] = "",
    on_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password, and the cache's, from stdin.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Use a group's memory from now on. Asks for the password, which goes into the keyring."""
    from desktop.cli.team import connect
    from desktop.memory.shared.connection import TeamAddress

    connect(context.obj, TeamAddress(address, group, cache), name, on_stdin, as_json)


@team.command("forget")
def forget_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """Use it no longer, and forget address and password."""
    from desktop.cli.team import forget

    forget(context.obj, as_json)


@team.command("list")
def list_verb(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    as_json: JsonOption = False,
) -> None:
    """What was shared last, with its ids."""
    from desktop.cli.team import latest

    latest(context.obj, as_json, limit)


@team.command("share")
def share_verb(
    context: typer.Context,
    number: Annotated[int, typer.Argument(help="Of a memory of yours.")],
    layer: Annotated[str, typer.Option("--layer", help="team, organisation or company.")] = "team",
    yes: Annotated[bool, typer.Option("--yes", help="Without asking.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what would be sent of a memory, and send it after a yes."""
    from desktop.cli.team import share
    from desktop.memory.item import SHARED, Layer

    if layer not in SHARED:
        raise typer.BadParameter("the layer is team, organisation or company")
    share(context.obj, number, Layer(layer), yes, as_json)


@team.command("withdraw")
def withdraw_verb(
    context: typer.Context,
    shared_id: Annotated[str, typer.Argument(help="As `steward memory team list` shows it.")],
    as_json: JsonOption = False,
) -> None:
    """Delete what was shared, for everybody."""
    from desktop.cli.team import withdraw

    withdraw(context.obj, shared_id, as_json)
