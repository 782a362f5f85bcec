"""`steward agents list|install|uninstall|status [AGENT]`."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import JsonOption, YesOption, agree, print_json
from desktop.errors import UserFacing

if TYPE_CHECKING:
    from desktop.agents.install import HookStatus, Installer
    from desktop.agents.mcp_settings import McpInstaller, McpStatus
    from desktop.app import Services

AgentArgument = Annotated[
    str, typer.Argument(metavar="[AGENT]", help="Such as claude-code; all that are found here when left out.")
]

McpOption = Annotated[
    bool, typer.Option("--mcp", help="Steward's tools for the agent, by MCP, in place of the hooks.")
]

DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")]
agents_app = typer.Typer(help="Coding agents that ask Steward before they act.", no_args_is_help=True)

BEGINS_S = 10.0
LOOKS_EVERY_S = 0.1
MARGIN = 13  # where the state stands, behind the name


def installer_of(core: Services) -> Installer:
    from desktop.agents.install import Installer

    return Installer(core.paths, core.tokens, core.settings.current.hooks)


def show(core: Services, as_json: bool) -> int:
    """Every agent: whether it is here, whether its hooks are installed, what a hook can do there."""
    installer = installer_of(core)
    rows = [_row(installer, place.agent) for place in installer.places]
    if as_json:
        print_json(rows)
        return 0
    for row in rows:
        state = "installed" if row["installed"] else "found" if row["here"] else "not found"
        sys.stdout.write(f"{row['agent']:12} {state:10} {row['title']}\n{_wrapped(str(row['words']))}\n")
    return 0


def _wrapped(words: str) -> str:
    width = max(MARGIN + 30, shutil.get_terminal_size().columns - 1)
    return textwrap.fill(words, width, initial_indent=" " * MARGIN, subsequent_indent=" " * MARGIN)


def _row(installer: Installer, agent: str) -> dict[str, object]:
    from desktop.agents.agent_list import agent_named

    place, known = installer.place(agent), agent_named(agent)
    try:
        installed = installer.is_installed(agent)
    except UserFacing:
        installed = False  # `status` says what is wrong with the file
    return {
        "agent": agent,
        "title": known.title if known else agent,
        "here": installer.is_here(place),
        "installed": installed,
        "file": str(place.file),
        "words": known.words if known else "",
    }


def install(core: Services, agent: str, yes: bool, dry_run: bool = False) -> int:
    """Show what would change, ask in a terminal, do it, and try it out."""
    installer = installer_of(core)
    names = (installer.place(agent).agent,) if agent else installer.found()
    if not names:
        raise UserFacing(CliReason.NO_AGENT.of())
    for name in names:
        _install_one(core, installer, name, yes, dry_run)
    return 0


def _install_one(core: Services, installer: Installer, agent: str, yes: bool, dry_run: bool) -> None:
    plan = installer.plan(agent)
    sys.stdout.write(plan.diff or f"{plan.file}: the hooks are there; they get a new token.\n")
    if dry_run:
        return
    agree("Change it?", yes, CliReason.CHANGE_UNANSWERED.of(file=plan.file))
    installer.install(agent, plan)
    # Another version may be behind it now: what an older one ignored is tried again.
    core.rewriting.forget(agent)
    sys.stdout.write(f"{agent}: {_told(_status_soon(installer, agent))}\n")


def _status_soon(installer: Installer, agent: str) -> HookStatus:
    """A Steward that runs and has had no agent yet begins to listen now: that takes it a moment."""
    from desktop.agents.install import HookState, status

    deadline = time.monotonic() + BEGINS_S
    while True:
        now = status(installer, agent)
        if now.state is not HookState.SILENT or time.monotonic() > deadline or not installer.steward_runs():
            return now
        time.sleep(LOOKS_EVERY_S)


def uninstall(core: Services, agent: str, yes: bool, dry_run: bool = False) -> int:
    """Take the hooks out again; without a name of every agent that has them."""
    installer = installer_of(core)
    names = (
        (installer.place(agent).agent,)
        if agent
        else tuple(each.agent for each in installer.places if _has_hooks(installer, each.agent))
    )
    for name in names:
        plan = installer.plan_removal(name)
        if plan.changes:
            sys.stdout.write(plan.diff)
        if dry_run:
            continue
        if plan.changes:
            agree("Change it?", yes, CliReason.CHANGE_UNANSWERED.of(file=plan.file))
        # Also where no hook is left: its token and the kept copy of its settings still go.
        installer.uninstall(name, plan)
        done = "its hooks are gone" if plan.changes else "there were no hooks"
        sys.stdout.write(f"{name}: {done}.\n")
    if not names:
        sys.stdout.write("No agent has hooks of Steward's.\n")
    return 0


def _has_hooks(installer: Installer, agent: str) -> bool:
    try:
        return installer.is_installed(agent)
    except UserFacing as error:
        sys.stderr.write(f"{error.cause} {error.not_lost}\n")
        return False


def tell_status(core: Services, agent: str, as_json: bool) -> int:
    """The exit code is 1 when an installed hook would not reach Steward."""
    from desktop.agents.install import HookState, status

    installer = installer_of(core)
    names = (agent,) if agent else tuple(place.agent for place in installer.places)
    found = [status(installer, name) for name in names]
    if as_json:
        standings = {mark.agent: mark.standing.value for mark in core.rewriting.marks()}
        rows = [
            {
                "agent": each.agent,
                "state": each.state.name.lower(),
                "file": each.file,
                "detail": str(each.detail or ""),
                "detail_code": each.detail.code if each.detail else "",
                "action": str(each.action or ""),
                "ms": each.ms,
                "rewriting": standings.get(each.agent, ""),
            }
            for each in found
        ]
        print_json(rows)
    else:
        marks = {HookState.ANSWERED: "✓", HookState.NOT_INSTALLED: "-", HookState.ABSENT: "-"}
        for each in found:
            time = f" in {each.ms:.0f} ms" if each.ms is not None else ""
            sys.stdout.write(f"{marks.get(each.state, '✗')} {each.agent:12} {_told(each, time)}\n")
        sys.stdout.write("".join(f"! {words}\n" for words in core.rewriting.ignoring()))
    return 0 if all(each.is_well for each in found) else 1


# -- tools by MCP -----------------------------------------------------------------------------


def mcp_installer_of(core: Services) -> McpInstaller:
    from desktop.agents.mcp_settings import McpInstaller

    return McpInstaller(core.paths, core.settings.current.hooks)


def install_mcp(core: Services, agent: str, yes: bool, dry_run: bool) -> int:
    """Show what would change, ask in a terminal, do it, and switch the tools on."""
    installer = mcp_installer_of(core)
    names = (installer.name(agent),) if agent else installer.found()
    if not names:
        raise UserFacing(CliReason.NO_AGENT.of())
    for name in names:
        plan = installer.plan(name)
        sys.stdout.write(plan.diff or f"{plan.file}: Steward's tools are there.\n")
        if dry_run:
            continue
        if plan.changes:
            agree("Change it?", yes, CliReason.CHANGE_UNANSWERED.of(file=plan.file))
        installer.install(name, plan)
        # An entry whose server answers nothing would be a riddle to the agent and its user.
        if not core.settings.current.hooks.agent_tools:
            core.settings.change("hooks", "agent_tools", True)
            sys.stdout.write("Tools for agents are switched on now (hooks.agent_tools).\n")
        sys.stdout.write(f"{name}: {_told(mcp_installer_of(core).status(name))}\n")
    return 0


def uninstall_mcp(core: Services, agent: str, yes: bool, dry_run: bool) -> int:
    """Take the tools out again; without a name of every agent that has them."""
    installer = mcp_installer_of(core)
    names = (installer.name(agent),) if agent else tuple(filter(installer.is_installed, installer.places))
    for name in names:
        plan = installer.plan_removal(name)
        sys.stdout.write(plan.diff)
        if dry_run:
            continue
        if plan.changes:
            agree("Change it?", yes, CliReason.CHANGE_UNANSWERED.of(file=plan.file))
        installer.uninstall(name, plan)
        done = "Steward's tools are gone" if plan.changes else "there were no tools of Steward's"
        sys.stdout.write(f"{name}: {done}.\n")
    if not names:
        sys.stdout.write("No agent has tools of Steward's.\n")
    return 0


def tell_mcp_status(core: Services, agent: str, as_json: bool) -> int:
    """The exit code is 1 where tools that are installed would not reach Steward."""
    from desktop.agents.mcp_settings import McpState

    installer = mcp_installer_of(core)
    names = (installer.name(agent),) if agent else tuple(installer.places)
    found = [installer.status(name) for name in names]
    if as_json:
        rows = [
            {
                "agent": each.agent,
                "state": each.state.name.lower(),
                "file": each.file,
                "detail": str(each.detail or ""),
                "action": str(each.action or ""),
            }
            for each in found
        ]
        print_json(rows)
    else:
        marks = {McpState.ANSWERED: "✓", McpState.NOT_INSTALLED: "-", McpState.ABSENT: "-"}
        for each in found:
            sys.stdout.write(f"{marks.get(each.state, '✗')} {each.agent:12} {_told(each)}\n")
    return 0 if all(each.is_well for each in found) else 1


def _told(found: HookStatus | McpStatus, time: str = "") -> str:
    """What an error of the system said is for the log and for --json."""
    from desktop.agents.install import HookState
    from desktop.agents.mcp_settings import McpState

    spoken = (HookState.DISABLED, HookState.UNREADABLE, McpState.UNREADABLE)
    reasons = [found.detail] if found.state in spoken else []
    sentences = (f"{found.state.value.of()}{time}", *(str(each or "") for each in (*reasons, found.action)))
    return " ".join(f"{each[0].upper()}{each[1:].rstrip('.')}." for each in sentences if each)


def hook_verb(context: typer.Context) -> None:
    """Answer one hook from stdin: `echo '{"tool":"Bash","input":{"command":"ls"}}' | steward hook`."""
    from desktop.agents.hook import main as hook

    profile = context.obj.paths.profile
    raise typer.Exit(hook(context.args, str(profile) if profile else None))


@agents_app.command("list")
def agents_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """Which agents are here, which are protected, and what each lets Steward do."""
    raise typer.Exit(show(context.obj, as_json))


@agents_app.command("install")
def agents_install(
    context: typer.Context,
    agent: AgentArgument = "",
    yes: YesOption = False,
    mcp: McpOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Put Steward's hook into the agent's settings; shows the change first and keeps a copy."""
    put = install_mcp if mcp else install
    raise typer.Exit(put(context.obj, agent, yes, dry_run))


@agents_app.command("uninstall")
def agents_uninstall(
    context: typer.Context,
    agent: AgentArgument = "",
    yes: YesOption = False,
    mcp: McpOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Take the hook out again."""
    take = uninstall_mcp if mcp else uninstall
    raise typer.Exit(take(context.obj, agent, yes, dry_run))


@agents_app.command("status")
def agents_status(
    context: typer.Context, agent: AgentArgument = "", as_json: JsonOption = False, mcp: McpOption = False
) -> None:
    """Send a probe through each installed hook and say whether it was answered."""
    tell = tell_mcp_status if mcp else tell_status
    raise typer.Exit(tell(context.obj, agent, as_json))


@agents_app.command("mcp")
def agents_mcp(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Who speaks, such as claude-code.")],
    runtime: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the running Steward says how it is reached."),
    ] = None,
) -> None:
    """Be Steward's MCP server for an agent that starts it: JSON lines on stdin and stdout."""
    from desktop.agents.mcp_bridge import McpBridge
    from desktop.agents.tokens import Tokens

    core: Services = context.obj
    known = installer_of(core).place(agent).agent  # which refuses a name that no agent has
    tokens = core.tokens if runtime is None else Tokens(replace(core.paths, runtime=runtime))
    McpBridge(tokens, known, core.settings.current.hooks.port, sys.stdout).run(sys.stdin)
