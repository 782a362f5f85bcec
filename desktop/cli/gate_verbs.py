"""The verbs about what may happen: coding agents, grants, the log, undo; each calls one function."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Without asking.")]
AgentArgument = Annotated[
    str, typer.Argument(metavar="[AGENT]", help="Such as claude-code; all that are here when left out.")
]

# What follows the first word is another program's.
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}

agents = typer.Typer(help="Coding agents that ask Steward before they act.", no_args_is_help=True)
rules = typer.Typer(help="Rules that hold for every agent, in every mode.", no_args_is_help=True)
grants = typer.Typer(help="What you allowed beyond one click.", no_args_is_help=True)
audit = typer.Typer(help="The log of decisions and tool runs.", invoke_without_command=True)
reminders = typer.Typer(help="Reminders that are set.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    app.add_typer(agents, name="agents")
    app.add_typer(grants, name="grants")
    app.add_typer(rules, name="rules")
    app.add_typer(audit, name="audit")
    app.add_typer(reminders, name="reminders")
    app.command("serve")(serve_verb)
    app.command("launch", context_settings=PASSED_ON)(launch_verb)
    app.command("confine", context_settings=PASSED_ON)(confine_verb)
    app.command("hook", context_settings=PASSED_ON)(hook_verb)
    app.command("undo")(undo_verb)


def hook_verb(context: typer.Context) -> None:
    """Answer one hook from stdin: `echo '{"tool":"Bash","input":{"command":"ls"}}' | steward hook`."""
    from desktop.agents.hook import main as hook

    profile = context.obj.paths.profile
    raise typer.Exit(hook(context.args, str(profile) if profile else None))


def serve_verb(context: typer.Context) -> None:
    """Answer the hooks of agents without a window; what would be asked gets no opinion."""
    from desktop.cli.serve import serve

    raise typer.Exit(serve(context.obj))


def confine_verb(
    context: typer.Context,
    command: Annotated[str, typer.Argument(help="What to run, with its arguments.")] = "",
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Nothing may be written (the default).")
    ] = False,
    project: Annotated[
        Path | None, typer.Option("--project", metavar="DIR", help="Only below this folder may be written.")
    ] = None,
    network: Annotated[
        bool, typer.Option("--network", help="With --read-only: the network is open.")
    ] = False,
    profile: Annotated[
        bool, typer.Option("--apparmor-profile", help="Print what AppArmor has to know, and run nothing.")
    ] = False,
) -> None:
    """Run a command that can only read, or only work in a project: `steward confine -- git log`."""
    from desktop.cli.confine import apparmor_profile, confine

    if profile:
        typer.echo(apparmor_profile(context.obj.paths), nl=False)
        return
    if not command:
        raise typer.BadParameter("what is to be run?", param_hint="COMMAND")
    if project is not None and (read_only or network):
        raise typer.BadParameter("goes with neither --read-only nor --network", param_hint="--project")
    confine(context.obj.paths, project, network, (command, *context.args))


def launch_verb(
    context: typer.Context, agent: Annotated[str, typer.Argument(help="Such as claude.")]
) -> None:
    """Start a coding agent with Steward at its door, for this run alone; your settings stay as they are."""
    from desktop.cli.launch import launch

    raise typer.Exit(launch(context.obj, agent, tuple(context.args)))


@agents.command("list")
def agents_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """Which agents are here, which are protected, and what each lets Steward do."""
    from desktop.cli.agents import show

    raise typer.Exit(show(context.obj, as_json))


@agents.command("install")
def agents_install(context: typer.Context, agent: AgentArgument = "", yes: YesOption = False) -> None:
    """Put Steward's hook into the agent's settings; shows the change first and keeps a copy."""
    from desktop.cli.agents import install

    raise typer.Exit(install(context.obj, agent, yes))


@agents.command("uninstall")
def agents_uninstall(context: typer.Context, agent: AgentArgument = "", yes: YesOption = False) -> None:
    """Take the hook out again."""
    from desktop.cli.agents import uninstall

    raise typer.Exit(uninstall(context.obj, agent, yes))


@agents.command("status")
def agents_status(context: typer.Context, agent: AgentArgument = "", as_json: JsonOption = False) -> None:
    """Send a probe through each installed hook and say whether it was answered."""
    from desktop.cli.agents import tell_status

    raise typer.Exit(tell_status(context.obj, agent, as_json))


@rules.command("list")
def rules_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """Your rules with their numbers, and what is never done."""
    from desktop.cli.rules import show

    show(context.obj.settings, as_json)


@rules.command("add")
def rules_add(
    context: typer.Context,
    effect: Annotated[str, typer.Argument(metavar="never|deny|ask|allow")],
    program: Annotated[str, typer.Option("--program", help='Such as "git push --force".')] = "",
    path: Annotated[str, typer.Option("--path", help="A file or folder, with all below it.")] = "",
    agent: Annotated[str, typer.Option("--agent", help="Such as claude-code.")] = "",
    tool: Annotated[str, typer.Option("--tool", help="Such as WebFetch.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Told to the agent.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Add a rule. Never and deny beat ask, ask beats allow, in whatever order they stand."""
    from pydantic import ValidationError

    from desktop.cli.rules import add
    from desktop.settings import GateRule

    said = {"program": program, "path": path, "agent": agent, "tool": tool, "reason": reason}
    try:
        rule = GateRule.model_validate({"effect": effect, **said})
    except ValidationError as error:
        raise typer.BadParameter(error.errors()[0]["msg"]) from error
    add(context.obj.settings, rule, as_json)


@rules.command("remove")
def rules_remove(
    context: typer.Context,
    number: Annotated[int, typer.Argument(help="Its number in the list.")],
    as_json: JsonOption = False,
) -> None:
    """Remove a rule."""
    from desktop.cli.rules import remove

    remove(context.obj.settings, number, as_json)


@rules.command("test")
def rules_test(
    context: typer.Context,
    line: Annotated[str, typer.Argument(help="A command line; nothing is run.")],
    agent: Annotated[str, typer.Option("--agent", help="Such as claude-code.")] = "steward",
    folder: Annotated[Path | None, typer.Option("--cwd", help="Where it would run.")] = None,
    shell: Annotated[str | None, typer.Option("--shell", metavar="bash|powershell|cmd")] = None,
    as_json: JsonOption = False,
) -> None:
    """Which rule decides this line? Exit code 0: allowed, 3: asked, 4: denied."""
    from desktop.cli.rules import Tried, test
    from desktop.gate.shell.classifier import SHELLS

    if shell not in (None, *SHELLS):
        raise typer.BadParameter(", ".join(SHELLS), param_hint="--shell")
    raise typer.Exit(test(context.obj, Tried(line, agent, folder, shell), as_json))


@grants.command("list")
def grants_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """Every grant in force, the latest used first."""
    from desktop.cli.grants import show

    show(context.obj.grants, as_json)


@grants.command("revoke")
def grants_revoke(
    context: typer.Context,
    number: Annotated[int, typer.Argument(help="Its number in the list.")],
    as_json: JsonOption = False,
) -> None:
    """End one grant."""
    from desktop.cli.grants import revoke

    revoke(context.obj.grants, number, as_json)


@grants.command("revoke-all")
def grants_revoke_all(context: typer.Context, as_json: JsonOption = False) -> None:
    """End all grants."""
    from desktop.cli.grants import revoke_all

    revoke_all(context.obj.grants, as_json)


@audit.callback()
def audit_root(context: typer.Context) -> None:
    """Check the log."""
    if context.invoked_subcommand is None:
        audit_verify(context)


@audit.command("verify")
def audit_verify(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="An exported file instead.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check that nobody changed the log."""
    from desktop.cli.audit import verify

    raise typer.Exit(verify(context.obj, as_json, file))


KindOption = Annotated[str, typer.Option("--kind", help="decision, tool or hook.")]
TextOption = Annotated[str, typer.Option("--text", help="Only records with this text.")]
DaysOption = Annotated[float | None, typer.Option("--days", help="Only of the last days.", min=0)]


@audit.command("list")
def audit_list(
    context: typer.Context,
    kind: KindOption = "",
    text: TextOption = "",
    days: DaysOption = None,
    limit: Annotated[int, typer.Option("--limit", help="How many, the newest first.", min=1)] = 50,
    as_json: JsonOption = False,
) -> None:
    """Show records, the newest first."""
    from desktop.cli.audit import show
    from desktop.gate.audit import AuditFilter

    show(context.obj, AuditFilter(kind, text, _since(days), limit=limit), as_json)


@audit.command("export")
def audit_export(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Where to write, one JSON object a line.")],
    kind: KindOption = "",
    text: TextOption = "",
    days: DaysOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write records to a file that `audit verify FILE` can check."""
    from desktop.cli.audit import export
    from desktop.gate.audit import AuditFilter

    export(context.obj, file, AuditFilter(kind, text, _since(days), limit=None), as_json)


@reminders.command("list")
def reminders_list(context: typer.Context) -> None:
    """All that are open, with their numbers."""
    from desktop.cli.reminders import show

    show(context.obj.reminders)


@reminders.command("cancel")
def reminders_cancel(
    context: typer.Context, reminder: Annotated[str, typer.Argument(help="Its number, or words of it.")]
) -> None:
    """Cancel one."""
    from desktop.cli.reminders import cancel

    cancel(context.obj.reminders, reminder)


def undo_verb(
    context: typer.Context,
    number: Annotated[int | None, typer.Argument(help="Which change; the latest when left out.")] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Show the latest changes and their numbers.")
    ] = False,
    if_changed: Annotated[
        str | None,
        typer.Option(
            "--if-changed", metavar="keep|overwrite|beside", help="For a file that was changed since."
        ),
    ] = None,
) -> None:
    """Put back what the assistant changed, also after a restart."""
    from desktop.cli import undo

    if if_changed not in (None, "keep", "overwrite", "beside"):
        raise typer.BadParameter("keep, overwrite or beside", param_hint="--if-changed")
    if listed:
        undo.show(context.obj)
    else:
        undo.take_back(context.obj, number, if_changed)


def _since(days: float | None) -> float | None:
    return time.time() - days * 86_400 if days is not None else None
