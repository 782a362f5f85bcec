"""`steward mcp`: servers of tools by the Model Context Protocol.

Every function writes to stdout, as sentences or, with `as_json`, as one JSON value; each raises UserFacing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import JsonOption, VerbAsker, YesOption, agree, say

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.mcp.pins import PinnedTool
    from desktop.mcp.servers import ServerView

mcp_app = typer.Typer(
    help="Tools of other programs' servers, by the Model Context Protocol.", no_args_is_help=True
)


def show_list(core: Services, as_json: bool) -> None:
    """All servers: what each runs, what it may do, and how it is. The state is that of this process."""
    views = core.servers.views()
    words = "\n".join(map(_server_words, views)) or (
        "There are no servers. Add one with: steward mcp add NAME -- COMMAND"
    )
    say([_server_record(each) for each in views], as_json, words)


def add(core: Services, name: str, entry: dict[str, Any], secrets: dict[str, str], as_json: bool) -> None:
    """Write it down, start it once, and show its tools."""
    tools = core.server_setup.add(name, entry, secrets, look=entry.get("enabled", True))
    access = core.servers.access(name).in_words()
    head = f"Added {name}, with {_count_words(len(tools))}. {access}"
    words = "\n".join([head, *(_tool_words(each) for each in tools)])
    say({"name": name, "tools": [_tool_record(each) for each in tools]}, as_json, words)


def show_tools(core: Services, name: str, agree: bool, as_json: bool) -> None:
    """What its tools are now; with `agree` what is new or another is taken."""
    from desktop.mcp.pins import held

    tools = core.servers.look(name)
    if agree:
        core.servers.agree(name)
        tools = core.servers.pins.tools(name)
    words = [_tool_words(each) for each in tools]
    waiting = held(tools)
    words += [f"\n{each.name} ({each.state.value}):\n{each.difference()}" for each in waiting]
    if waiting:
        words.append(f"\nHeld back until you agree: steward mcp tools {name} --agree")
    say([_tool_record(each) for each in tools], as_json, "\n".join(words) or f"{name} has no tools.")


def call(core: Services, name: str, tool: str, arguments: str, yes: bool) -> int:
    """Call one tool, through the gate like any other call; 1 where nothing came of it."""
    from desktop.mcp.servers import run_tool

    # Before the executor is built, which keeps the asker that it finds.
    core.asker = asker = VerbAsker(yes)
    ended = run_tool(core.servers, core.acting.executor, name, tool, arguments)
    text = CliReason.NOBODY_TO_ASK.of() if asker.found_nobody else ended.text
    (sys.stdout if ended.ok else sys.stderr).write(f"{text}\n")
    return 0 if ended.reached_its_goal else 1


def import_list(core: Services, file: Path, yes: bool, as_json: bool) -> None:
    """Show every command of a list, and take all that are new, switched off."""
    from desktop.mcp.setup import read_list

    listed = read_list(file.expanduser())
    found = listed.servers
    known = core.settings.current.mcp.servers
    fresh = [each for each in found if each.name not in known]
    lines = [f"{each.name}: {each.shown}" + ("" if each in fresh else "  (there already)") for each in found]
    if listed.note:
        lines.append(str(listed.note))
    if not as_json:
        sys.stdout.write("\n".join(lines) + "\n")
    # Each of these commands would run on this computer, with whatever its author put there.
    agree("Add them, switched off?", yes or not fresh, CliReason.SERVERS_UNANSWERED.of())
    for each in fresh:
        core.server_setup.take(each)
    words = f"Added {len(fresh)}, all switched off. Switch one on with: steward mcp on NAME"
    say([{"name": each.name, "runs": each.shown, "added": each in fresh} for each in found], as_json, words)


def _server_words(view: ServerView) -> str:
    where = " ".join(view.settings.command) or view.settings.url
    tools = _count_words(len(view.tools)) if view.tools else "tools not known yet"
    trouble = f"\n  {view.trouble}" if view.trouble else ""
    return f"{view.name} ({view.state.value}, {tools}): {where}\n  {view.access.in_words()}{trouble}"


def _server_record(view: ServerView) -> dict[str, Any]:
    return {
        "name": view.name,
        "state": view.state.value,
        "may": str(view.access.in_words()),
        "tools": len(view.tools),
        **view.settings.model_dump(exclude_defaults=True),
    }


def _count_words(count: int) -> str:
    return "1 tool" if count == 1 else f"{count} tools"


def _tool_words(tool: PinnedTool) -> str:
    known = tool.now or tool.agreed
    assert known is not None
    return f"  {tool.name}: {known.summary}"


def _tool_record(tool: PinnedTool) -> dict[str, Any]:
    known = tool.now or tool.agreed
    assert known is not None
    return {
        "name": tool.name,
        "state": tool.state.value,
        "description": known.description,
        "schema": dict(known.schema),
        "difference": tool.difference(),
    }


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    pairs = [each.partition("=") for each in given]
    if any(not name or not sign for name, sign, _ in pairs):
        raise typer.BadParameter(f"{option} takes NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _asked_for(name: str, wanted: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """References for the settings and secrets for the keyring, typed unseen or read from stdin, a line
    each."""
    import getpass

    from desktop.mcp.servers import SECRET
    from desktop.mcp.setup import secret_name

    references, secrets = {}, {}
    for each in wanted:
        # Never on the command line, which all users of a computer can list.
        value = getpass.getpass(f"{each}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
        references[each] = f"{SECRET}{secret_name(name, each)}"
        secrets[secret_name(name, each)] = value
    return references, secrets


# -- the verbs -------------------------------------------------------------------------------------

NameArgument = Annotated[str, typer.Argument(help="Of the server.")]


@mcp_app.command("list")
def list_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """All servers: what each runs, and what it may do."""
    show_list(context.obj, as_json)


@mcp_app.command("add")
def add_verb(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Lowercase letters, digits, - and _.")],
    command: Annotated[
        list[str] | None, typer.Argument(help="After --: the program and its arguments.")
    ] = None,
    url: Annotated[str, typer.Option("--url", help="Address of a server over HTTP, in place of that.")] = "",
    folder: Annotated[
        list[Path] | None, typer.Option("--folder", help="A folder that it may write to; as often as needed.")
    ] = None,
    work_in: Annotated[Path | None, typer.Option("--work-in", help="The folder it works in.")] = None,
    network: Annotated[bool, typer.Option("--network", help="It may talk to other computers.")] = False,
    unconfined: Annotated[
        bool, typer.Option("--unconfined", help="Run it unconfined; each call asks.")
    ] = False,
    fixed: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE: a fixed argument of its tools.")
    ] = None,
    variable: Annotated[
        list[str] | None, typer.Option("--env", help="NAME=VALUE: a variable for its program.")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option("--header", help="NAME=VALUE: a header for its address.")
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option("--secret", help="Variable or header to ask for and keep in the keyring."),
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Add it switched off, without starting it.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Add a server: a program after --, or an address. It is started once, to see its tools."""
    references, secrets = _asked_for(name, secret or ())
    entry: dict[str, Any] = {
        "command": command or [],
        "url": url,
        # Absolute: the server is started later, from another folder.
        "folder": str(work_in.expanduser().absolute()) if work_in else "",
        "folders": [str(each.expanduser().absolute()) for each in folder or ()],
        "environment": _pairs(variable or (), "--env") | ({} if url else references),
        "headers": _pairs(header or (), "--header") | (references if url else {}),
        "arguments": _pairs(fixed or (), "--set"),
    }
    kept = {key: value for key, value in entry.items() if value}
    switches = {"network": network, "confined": not unconfined, "enabled": not off}
    # Only what differs is written, so that the file says what somebody chose.
    usual = {"network": False, "confined": True, "enabled": True}
    kept |= {key: value for key, value in switches.items() if value != usual[key]}
    add(context.obj, name, kept, secrets, as_json)


@mcp_app.command("on")
def on_verb(context: typer.Context, name: NameArgument) -> None:
    """Switch a server on; one whose tools are not known yet is started once, to see them."""
    tools = context.obj.server_setup.switch(name, on=True)
    sys.stdout.write(
        f"{name} is on, with {_count_words(len(tools))}. It is started when one of them is called.\n"
    )


@mcp_app.command("off")
def off_verb(context: typer.Context, name: NameArgument) -> None:
    """Switch a server off; it stays in the list."""
    context.obj.server_setup.switch(name, on=False)
    sys.stdout.write(f"{name} is off.\n")


@mcp_app.command("allow")
def allow_verb(
    context: typer.Context,
    name: NameArgument,
    folder: Annotated[
        list[Path] | None, typer.Option("--folder", help="A folder that it may write to; as often as needed.")
    ] = None,
    no_folders: Annotated[bool, typer.Option("--no-folders", help="It may write nowhere.")] = False,
    network: Annotated[
        bool | None, typer.Option("--network/--no-network", help="Whether it may talk to other computers.")
    ] = None,
) -> None:
    """Set what a server may do; what is not named stays as it is."""
    services = context.obj
    if folder and no_folders:
        raise typer.BadParameter("--folder and --no-folders exclude each other")
    now = services.servers.view(name).settings
    folders = [str(each.expanduser().absolute()) for each in folder or ()]
    kept = folders if folder or no_folders else now.folders
    access = services.server_setup.allow(name, kept, now.network if network is None else network)
    sys.stdout.write(f"{name}: {access.in_words()}\n")


@mcp_app.command("remove")
def remove_verb(context: typer.Context, name: NameArgument) -> None:
    """Remove a server, with its secrets and what is known of its tools."""
    context.obj.server_setup.remove(name)
    sys.stdout.write(f"{name} was removed.\n")


@mcp_app.command("tools")
def tools_verb(
    context: typer.Context,
    name: NameArgument,
    agree: Annotated[bool, typer.Option("--agree", help="Agree to what is new or has changed.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Start a server and show its tools, and what has changed since you agreed."""
    show_tools(context.obj, name, agree, as_json)


@mcp_app.command("call")
def call_verb(
    context: typer.Context,
    name: NameArgument,
    tool: Annotated[str, typer.Argument(help="As `steward mcp tools` shows it.")],
    arguments: Annotated[str, typer.Argument(help="A JSON object.")] = "",
    yes: YesOption = False,
) -> None:
    """Call one tool of a server, through the gate like any other call."""
    raise typer.Exit(call(context.obj, name, tool, arguments, yes))


@mcp_app.command("log")
def log_verb(context: typer.Context, name: NameArgument) -> None:
    """The last 200 lines that a server wrote to standard error, and what happened to it."""
    sys.stdout.write("".join(f"{line}\n" for line in context.obj.servers.lines(name)) or "Nothing yet.\n")


@mcp_app.command("import")
def import_verb(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Of Claude, LM Studio, Cursor, VS Code or Zed; .mcp.json.")],
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Import another program's list: every command is shown, all are switched off."""
    import_list(context.obj, file, yes, as_json)
