"""`steward api status|on|off|token NAME|list|revoke NAME`: programs that may ask the model."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import JsonOption, print_json
from desktop.errors import UserFacing

if TYPE_CHECKING:
    from desktop.app import Services

api_app = typer.Typer(help="Programs on this computer that may ask the model.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The program's name, such as continue.")]


def status(core: Services, as_json: bool) -> int:
    """Whether programs are answered, where, and who may ask."""
    wanted = core.settings.current.api.enabled
    port = core.settings.current.hooks.port
    uses, names = core.program_log.uses(), core.program_tokens.names()
    url = f"http://127.0.0.1:{port}/v1"
    if as_json:
        programs = {name: asdict(uses[name]) if name in uses else None for name in names}
        rows = {"enabled": wanted, "url": url, "programs": programs}
        print_json(rows)
        return 0
    state = "on" if wanted else "off; switch it on with: steward api on"
    sys.stdout.write(f"The API is {state}.\nAddress: {url}\n")
    for name in names:
        use = uses.get(name)
        if use is None:
            sys.stdout.write(f"{name:20} has not asked yet\n")
            continue
        sys.stdout.write(
            f"{name:20} {use.requests} answered, {use.refused} refused, {use.prompt_tokens} tokens read, "
            f"{use.answer_tokens} written, last on {use.last_used}\n"
        )
        if use.refused_for:
            sys.stdout.write(f"{'':20} the last request was refused: {use.refused_for}\n")
    if not names:
        sys.stdout.write("No program has a token yet. Create one with: steward api token NAME\n")
    return 0


@api_app.command("status")
def api_status(context: typer.Context, as_json: JsonOption = False) -> None:
    """Say whether programs are answered, at which address, and what each has asked."""
    raise typer.Exit(status(context.obj, as_json))


@api_app.command("on")
def api_on(context: typer.Context) -> None:
    """Answer programs that have a token, from now on."""
    context.obj.settings.change("api", "enabled", True)
    sys.stdout.write("The API is on. A program needs a token: steward api token NAME\n")


@api_app.command("off")
def api_off(context: typer.Context) -> None:
    """Stop answering programs. Tokens stay."""
    context.obj.settings.change("api", "enabled", False)
    sys.stdout.write("The API is off.\n")


@api_app.command("token")
def api_token(context: typer.Context, name: NameArgument) -> None:
    """Create a token for a program and print it, once; an older one of the same name stops working."""
    token = context.obj.program_tokens.make(name)
    # Alone on stdout, so that a script can take it.
    sys.stdout.write(f"{token}\n")
    sys.stderr.write(
        f"The token of {name}. It is shown only this once; Steward keeps nothing but its hash.\n"
    )
    if not context.obj.settings.current.api.enabled:
        sys.stderr.write("The API is off. Switch it on with: steward api on\n")


@api_app.command("list")
def api_list(context: typer.Context) -> None:
    """Print the names of the programs that have a token."""
    sys.stdout.write("".join(f"{name}\n" for name in context.obj.program_tokens.names()))


@api_app.command("revoke")
def api_revoke(context: typer.Context, name: NameArgument) -> None:
    """End a program's token, at once."""
    if not context.obj.program_tokens.revoke(name):
        raise UserFacing(CliReason.PROGRAM_UNKNOWN.of(name=name))
    sys.stdout.write(f"{name} is no longer answered.\n")
