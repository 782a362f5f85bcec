"""`steward engines …`: model servers that may answer a chat, and what is asked before words go to one."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.cli.terminal import JsonOption, print_json, says_yes

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.chat.destinations import Agreed
    from desktop.chat.remote_turn import Leaving
    from desktop.engine.remote import RemoteServer

engines_app = typer.Typer(
    help="Model servers: other programs or computers that may answer a chat, when you choose one for it.",
    no_args_is_help=True,
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As `steward engines list` shows it.")]


def where(server: RemoteServer) -> str:
    """Where the words go, in plain words."""
    if server.is_here:
        return f"another program on this computer ({server.shown}), which may pass them on"
    return f"{server.shown}" if server.is_encrypted else f"{server.shown}, unencrypted"


def preview(leaving: Leaving) -> str:
    """What would leave, before it does."""
    server = leaving.server
    lines = [
        f"This chat would be answered by {server.model or 'a model'} of {server.name}.",
        f"Your words go to: {where(server)}",
        "What goes there: Steward's instructions, your questions"
        + (f", {leaving.earlier} earlier messages" if leaving.earlier else "")
        + (f", the files {', '.join(leaving.files)}" if leaving.files else "")
        + (f", what tools find in {leaving.folder}" if leaving.tools else ""),
        "What stays here: what is remembered, passwords and PINs that you have told Steward alone, titles, "
        "summaries, and what the gate decides.",
    ]
    return "\n".join(lines)


def ask_on_terminal(agreed_host: str) -> Callable[[Leaving], Agreed | None]:
    """Who is asked before the first sentence goes out: whoever sits before the terminal, unless the command
    has named the very host."""

    def ask(leaving: Leaving) -> Agreed | None:
        from desktop.chat.destinations import Agreed

        sys.stderr.write(f"{preview(leaving)}\n")
        if agreed_host and agreed_host in (leaving.server.shown, leaving.server.host):
            return Agreed()
        if agreed_host or not sys.stdin.isatty():
            return None
        return Agreed() if says_yes("Send it?") else None

    return ask


def _record(server: RemoteServer) -> dict[str, object]:
    return {
        "name": server.name,
        "address": server.url,
        "model": server.model,
        "here": server.is_here,
        "encrypted": server.is_encrypted,
        "tools": server.tools,
        "key": server.has_key,
    }


def _typed_key(name: str) -> str:
    """Typed unseen, or a line of stdin; never an argument, which other programs can read."""
    asked = f"Key for {name}: "
    return (getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.readline()).strip()


@engines_app.command("list")
def list_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the model servers, and where words would go."""
    core: Services = context.obj
    servers = core.remote_engines.all()
    if as_json:
        rows = [_record(each) for each in servers]
        print_json(rows)
        return
    sys.stdout.writelines(f"{each.name}\n    {each.model}\n    {where(each)}\n" for each in servers)
    if not servers:
        sys.stdout.write("There are no model servers. Add one with: steward engines add NAME ADDRESS\n")


@engines_app.command("add")
def add_verb(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lowercase letters, digits, - and _.")],
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="Such as https://models.example.org/v1.")],
    model: Annotated[
        str, typer.Option("--model", help="Which of its models; not needed if it has only one.")
    ] = "",
    key: Annotated[bool, typer.Option("--key", help="Ask for a key and keep it in the keyring.")] = False,
    no_tools: Annotated[bool, typer.Option("--no-tools", help="Its model is offered no tools.")] = False,
    unencrypted: Annotated[
        bool, typer.Option("--unencrypted", help="Allow http to a computer in your own network.")
    ] = False,
) -> None:
    """Add a model server. It is asked once which models it has; no words of yours are sent."""
    core: Services = context.obj
    typed = _typed_key(name) if key else ""
    server = core.remote_setup.add(name, address, model, typed, tools=not no_tools, unencrypted=unencrypted)
    sys.stdout.write(f"Added {name}, with the model {server.model}. Words would go to: {where(server)}\n")
    sys.stdout.write("No chat uses it until you choose it there.\n")


@engines_app.command("test")
def models_verb(context: typer.Context, name: NameArgument, as_json: JsonOption = False) -> None:
    """Ask a model server which models it has; no words of yours are sent."""
    found = context.obj.remote_engines.models(name)
    if as_json:
        print_json(list(found))
    else:
        sys.stdout.write("".join(f"{each}\n" for each in found) or "It answers, and names no model.\n")


@engines_app.command("key")
def key_verb(
    context: typer.Context,
    name: NameArgument,
    remove: Annotated[bool, typer.Option("--remove", help="Forget the key.")] = False,
) -> None:
    """Enter the key of a model server; it is kept in the keyring, if there is one."""
    context.obj.remote_setup.set_key(name, "" if remove else _typed_key(name))
    sys.stdout.write(f"The key of {name} was {'forgotten' if remove else 'kept'}.\n")


@engines_app.command("remove")
def remove_verb(context: typer.Context, name: NameArgument) -> None:
    """Remove a model server and its key. Chats stay, and no longer go there."""
    context.obj.remote_setup.remove(name)
    sys.stdout.write(f"{name} was removed.\n")
