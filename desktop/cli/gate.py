"""The verbs about what may happen and what has: rules, grants, the log, undo, confinement.

`steward rules`, `grants`, `audit`, `undo` and `confine`. What is listed has numbers, which the verbs that
change something take. Functions write to stdout, as sentences or, with `as_json`, as JSON, and raise
UserFacing.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import JsonOption, print_json
from desktop.errors import UserFacing
from desktop.paths import Paths

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.gate.audit import AuditFilter, AuditRecord, Verified
    from desktop.gate.grants import Grant, Grants
    from desktop.gate.journal import JournalEntry
    from desktop.gate.undo import Undone
    from desktop.settings import GateRule, SettingsFile

# --- Rules

rules_app = typer.Typer(help="Rules that hold for every agent, in every mode.", no_args_is_help=True)

EXIT_CODES = {"allow": 0, "ask": 3, "deny": 4}


@dataclass(frozen=True)
class TriedLine:
    """A line to try, and where it would run."""

    line: str
    agent: str = "steward"
    folder: Path | None = None
    shell: str | None = None


@rules_app.command("list")
def rules_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """Your rules with their numbers, and what is never done."""
    show_rules(context.obj.settings, as_json)


@rules_app.command("add")
def rules_add(
    context: typer.Context,
    effect: Annotated[str, typer.Argument(metavar="never|deny|ask|allow")],
    program: Annotated[str, typer.Option("--program", help='Such as "git push --force".')] = "",
    path: Annotated[str, typer.Option("--path", help="A file or folder, with all below it.")] = "",
    agent: Annotated[str, typer.Option("--agent", help="Such as claude-code.")] = "",
    tool: Annotated[str, typer.Option("--tool", help="Such as WebFetch.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Shown to the agent.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Add a rule. Never and deny beat ask, ask beats allow, whatever their order."""
    from pydantic import ValidationError

    from desktop.settings import GateRule

    said = {"program": program, "path": path, "agent": agent, "tool": tool, "reason": reason}
    try:
        rule = GateRule.model_validate({"effect": effect, **said})
    except ValidationError as error:
        raise typer.BadParameter(error.errors()[0]["msg"]) from error
    add_rule(context.obj.settings, rule, as_json)


@rules_app.command("remove")
def rules_remove(
    context: typer.Context,
    number: Annotated[int, typer.Argument(help="Its number in the list.")],
    as_json: JsonOption = False,
) -> None:
    """Remove a rule."""
    remove_rule(context.obj.settings, number, as_json)


@rules_app.command("test")
def rules_test(
    context: typer.Context,
    line: Annotated[str, typer.Argument(help="A command line; nothing is run.")],
    agent: Annotated[str, typer.Option("--agent", help="Such as claude-code.")] = "steward",
    folder: Annotated[Path | None, typer.Option("--cwd", help="Where it would run.")] = None,
    shell: Annotated[str | None, typer.Option("--shell", metavar="bash|powershell|cmd")] = None,
    as_json: JsonOption = False,
) -> None:
    """Which rule decides this line? Exit code 0: allowed, 3: asked, 4: denied."""
    from desktop.gate.shell.classifier import SHELLS

    if shell not in (None, *SHELLS):
        raise typer.BadParameter(", ".join(SHELLS), param_hint="--shell")
    raise typer.Exit(try_rule(context.obj, TriedLine(line, agent, folder, shell), as_json))


def show_rules(settings: SettingsFile, as_json: bool) -> None:
    """The rules of the user with their numbers, then what is never done."""
    from desktop.gate.rules import NEVER, rule_of

    found = settings.current.gate.rules
    if as_json:
        print_json([{"number": number, **_rule_record(rule)} for number, rule in enumerate(found, 1)])
        return
    if not found:
        sys.stdout.write("You have no rules.\n")
    for number, rule in enumerate(found, 1):
        reason = f"  ({rule.reason})" if rule.reason else ""
        sys.stdout.write(f"{number:4} {rule.effect.value:6} {rule_of(rule).in_words()}{reason}\n")
    sys.stdout.write("\nNever done, for every agent, in every mode, also while the gate is paused:\n")
    for each in NEVER:
        sys.stdout.write(f"     {each.words}\n")


def add_rule(settings: SettingsFile, rule: GateRule, as_json: bool) -> None:
    """Add one; where among the others it stands makes no difference."""
    place = len(settings.current.gate.rules)
    settings.insert("gate", "rules", place, _rule_record(rule))
    _say_rule(place + 1, rule, "Added", as_json)


def remove_rule(settings: SettingsFile, number: int, as_json: bool) -> None:
    """Remove the rule with this number. Raises UserFacing where there is none."""
    found = settings.current.gate.rules
    if not 1 <= number <= len(found):
        raise UserFacing(CliReason.RULE_UNKNOWN.of(number=number))
    settings.remove("gate", "rules", number - 1)
    _say_rule(number, found[number - 1], "Removed", as_json)


def try_rule(core: Services, tried: TriedLine, as_json: bool) -> int:
    """Say what happens to a line and which rule decides. Runs nothing, asks no model, counts no use."""
    from desktop.gate.gatekeeper import try_line
    from desktop.gate.rules import rules_of

    trial = try_line(core.commands, core.gatekeeper, tried.line, tried.agent, tried.folder, tried.shell)
    rule = trial.decision.rule
    rules = rules_of(core.settings.current.gate)
    # What is never done is a rule, too, and has no number: nobody can take it out.
    number = rules.index(rule) + 1 if rule in rules else None
    decision, verdict = trial.decision, trial.verdict
    if as_json:
        print_json(
            {
                "gate": decision.gate.value,
                "ground": decision.ground.value,
                "reason": str(decision.reason),
                "code": str(decision.reason.code),
                "rule": number,
                "class": verdict.effect.name,
                "flags": sorted(flag.value for flag in verdict.flags),
                "commands": list(verdict.commands),
            }
        )
        return EXIT_CODES[decision.gate.value]
    flags = "".join(f" {flag}" for flag in sorted(flag.value for flag in verdict.flags))
    by = f"rule {number}, {rule.in_words()}" if number and rule else decision.ground.value
    lines = [f"{decision.gate.value}: {decision.reason}", f"  decided by: {by}"]
    lines.append(f"  read as: {verdict.effect.name}{flags}: {verdict.reason}")
    lines += [f"  runs: {text}" for text in verdict.commands]
    sys.stdout.write("\n".join(lines) + "\n")
    return EXIT_CODES[decision.gate.value]


def _rule_record(rule: GateRule) -> dict[str, str]:
    return {name: str(value) for name, value in rule.model_dump(mode="json").items() if value}


def _say_rule(number: int, rule: GateRule, done: str, as_json: bool) -> None:
    from desktop.gate.rules import rule_of

    if as_json:
        print_json({done.lower(): number, **_rule_record(rule)})
        return
    sys.stdout.write(f"{done}: {number} {rule.effect.value} {rule_of(rule).in_words()}\n")


# --- Grants

grants_app = typer.Typer(help="What you allowed beyond one click.", no_args_is_help=True)


@grants_app.command("list")
def grants_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """Every grant in force, the latest used first."""
    show_grants(context.obj.grants, as_json)


@grants_app.command("revoke")
def grants_revoke(
    context: typer.Context,
    number: Annotated[int, typer.Argument(help="Its number in the list.")],
    as_json: JsonOption = False,
) -> None:
    """End one grant."""
    revoke_grant(context.obj.grants, number, as_json)


@grants_app.command("revoke-all")
def grants_revoke_all(context: typer.Context, as_json: JsonOption = False) -> None:
    """End all grants."""
    revoke_all_grants(context.obj.grants, as_json)


def show_grants(grants: Grants, as_json: bool) -> None:
    """Every grant in force, the latest used first, with the numbers that `revoke` takes."""
    found = grants.listed()
    if as_json:
        print_json([grant_record(grant) for grant in found])
        return
    if not found:
        sys.stdout.write("Nothing is allowed beyond one click.\n")
    for grant in found:
        sys.stdout.write(_grant_line(grant))


def revoke_grant(grants: Grants, number: int, as_json: bool) -> None:
    """End one grant. Raises UserFacing for a number that is not listed."""
    grant = _grant(grants, number)
    grants.revoke(number)
    _say_revoked([grant], as_json)


def revoke_all_grants(grants: Grants, as_json: bool) -> None:
    """End all."""
    found = grants.listed()
    grants.revoke_all()
    _say_revoked(found, as_json)


def grant_record(grant: Grant) -> dict[str, object]:
    """One grant for scripts; times in seconds since 1970."""
    from desktop.gate.grants import UNUSED_S

    return {
        "id": grant.id,
        "words": str(grant.in_words()),
        "scope": grant.scope.value,
        "tool": grant.covers.tool,
        "kind": grant.covers.kind.value,
        "text": grant.covers.text,
        "folder": str(grant.covers.folder),
        "chat": grant.chat,
        "granted_at": grant.granted_at,
        "used_at": grant.used_at,
        "uses": grant.uses,
        # Counted from the last use: a grant that is not used ends by itself.
        "ends_at": grant.used_at + UNUSED_S,
    }


def _grant(grants: Grants, number: int) -> Grant:
    for grant in grants.listed():
        if grant.id == number:
            return grant
    raise UserFacing(CliReason.GRANT_UNKNOWN.of(number=number))


def _say_revoked(ended: list[Grant], as_json: bool) -> None:
    if as_json:
        print_json({"revoked": [grant.id for grant in ended]})
        return
    if not ended:
        sys.stdout.write("There was nothing to revoke.\n")
    for grant in ended:
        sys.stdout.write(f"Revoked: {grant.in_words()}\n")


def _grant_line(grant: Grant) -> str:
    since = datetime.fromtimestamp(grant.granted_at).astimezone()
    used = "not used" if not grant.uses else f"{grant.uses} use{'s' if grant.uses > 1 else ''}"
    return f"{grant.id:5} {since:%Y-%m-%d %H:%M} {used:8} {grant.in_words()}\n"


# --- The log

audit_app = typer.Typer(help="The log of decisions and tool runs.", invoke_without_command=True)

AUDIT_LISTED = 50
EXIT_BROKEN = 1

KindOption = Annotated[str, typer.Option("--kind", help="decision, tool or hook.")]
TextOption = Annotated[str, typer.Option("--text", help="Only records with this text.")]
DaysOption = Annotated[float | None, typer.Option("--days", help="Only of the last days.", min=0)]


@audit_app.callback()
def audit_root(context: typer.Context) -> None:
    """Check the log."""
    if context.invoked_subcommand is None:
        audit_verify(context)


@audit_app.command("verify")
def audit_verify(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="An exported file instead.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check that nobody changed the log."""
    raise typer.Exit(verify_audit(context.obj, as_json, file))


@audit_app.command("list")
def audit_list(
    context: typer.Context,
    kind: KindOption = "",
    text: TextOption = "",
    days: DaysOption = None,
    limit: Annotated[int, typer.Option("--limit", help="How many, the newest first.", min=1)] = AUDIT_LISTED,
    as_json: JsonOption = False,
) -> None:
    """Show records, the newest first."""
    from desktop.gate.audit import AuditFilter

    show_audit(context.obj, AuditFilter(kind, text, _since(days), limit=limit), as_json)


@audit_app.command("export")
def audit_export(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Where to write, one JSON object a line.")],
    kind: KindOption = "",
    text: TextOption = "",
    days: DaysOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write records to a file that `audit verify FILE` can check."""
    from desktop.gate.audit import AuditFilter

    export_audit(context.obj, file, AuditFilter(kind, text, _since(days), limit=None), as_json)


def _since(days: float | None) -> float | None:
    return time.time() - days * 86_400 if days is not None else None


def verify_audit(core: Services, as_json: bool, file: Path | None = None) -> int:
    """Check that nobody changed the log, or an exported `file`; the exit code."""
    verified = core.audit.verify() if file is None else _verified_file(file)
    if as_json:
        found = {
            "records": verified.count,
            "whole": verified.is_whole,
            "broken_at": verified.broken_at,
            "reason": str(verified.reason or ""),
        }
        print_json(found)
    else:
        finding = (
            "whole" if verified.is_whole else f"broken at record {verified.broken_at}: {verified.reason}"
        )
        sys.stdout.write(f"{verified.count} records, the chain is {finding}\n")
    return 0 if verified.is_whole else EXIT_BROKEN


def show_audit(core: Services, wanted: AuditFilter, as_json: bool) -> None:
    """The records that `wanted` names, the newest first; one JSON object a line with `as_json`."""
    found = core.audit.records(wanted)
    if not found and not as_json:
        sys.stdout.write("No record matches.\n")
    for record in found:
        sys.stdout.write(f"{record.as_json()}\n" if as_json else _audit_line(record))


def export_audit(core: Services, path: Path, wanted: AuditFilter, as_json: bool) -> None:
    """Write the records to `path`, one JSON object a line, the oldest first. Raises UserFacing."""
    from desktop.gate.audit import export_to

    count = export_to(core.audit, path, wanted)
    if as_json:
        print_json({"file": str(path), "records": count})
    else:
        sys.stdout.write(f"{count} records written to {path}\n")


def _verified_file(file: Path) -> Verified:
    from desktop.gate.audit import LONGEST_LINE, verify_export

    try:
        with file.open(encoding="utf-8") as lines:
            # Not line by line as they come: what is no export may have one that never ends.
            return verify_export(iter(lambda: lines.readline(LONGEST_LINE + 1), ""))
    except (OSError, UnicodeDecodeError) as error:
        raise UserFacing(CliReason.EXPORT_UNREADABLE.of(file=file, error=str(error))) from error


def _audit_line(record: AuditRecord) -> str:
    from desktop.gate.audit import outcome_words, what_words
    from desktop.sandbox.refusals import visible

    moment = datetime.fromtimestamp(record.at).astimezone()
    # A command in the log may hold control characters, which a terminal would obey: see `visible` below.
    words = " · ".join(
        str(part) for part in (what_words(record.record), outcome_words(record.record)) if part
    )
    return f"{record.number:7} {moment:%Y-%m-%d %H:%M:%S} {record.kind:9} {visible(words)}\n"


# --- Undo

CHANGES_LISTED = 20


def undo_verb(
    context: typer.Context,
    number: Annotated[
        int | None, typer.Argument(help="Which change; the latest call's when left out.")
    ] = None,
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
    if if_changed not in (None, "keep", "overwrite", "beside"):
        raise typer.BadParameter("keep, overwrite or beside", param_hint="--if-changed")
    if listed:
        show_changes(context.obj)
    else:
        undo_change(context.obj, number, if_changed)


def show_changes(core: Services) -> None:
    """The latest changes, newest first, with the numbers that `undo` takes."""
    entries = core.journal.entries(CHANGES_LISTED)
    if not entries:
        sys.stdout.write("Steward has changed nothing yet.\n")
    for entry in entries:
        sys.stdout.write(_change_line(entry))


def undo_change(core: Services, number: int | None, if_changed: str | None) -> None:
    """Undo one change; without a number all that the latest call has changed, as in the window."""
    from desktop.gate.undo import OnChange, latest, undo, undo_changes

    choice = OnChange(if_changed) if if_changed else None
    if number is not None:
        undone: tuple[Undone, ...] = (undo(core.journal, number, choice),)
    else:
        changes = [entry.id for entry in latest(core.journal)]
        undone = undo_changes(core.journal, changes, dict.fromkeys(changes, choice) if choice else None)
        if not undone:
            raise UserFacing(CliReason.NOTHING_TO_UNDO.of())
    for each in undone:
        sys.stdout.write(f"{each.path}: {each.result}\n")


def _change_line(entry: JournalEntry) -> str:
    when = datetime.fromtimestamp(entry.at).astimezone()
    return f"{entry.id:5} {when:%Y-%m-%d %H:%M} {entry.action:7} {entry.state:8} {entry.shown}\n"


# --- Confining


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
        bool, typer.Option("--apparmor-profile", help="Print what AppArmor needs, and run nothing.")
    ] = False,
) -> None:
    """Run a command that can only read, or only work in a project: `steward confine -- git log`."""
    if profile:
        typer.echo(apparmor_profile(context.obj.paths), nl=False)
        return
    if not command:
        raise typer.BadParameter("what is to be run?", param_hint="COMMAND")
    if project is not None and (read_only or network):
        raise typer.BadParameter("goes with neither --read-only nor --network", param_hint="--project")
    confine(context.obj.paths, project, network, (command, *context.args))


def confine(paths: Paths, project: Path | None, uses_network: bool, command: Sequence[str]) -> None:
    """Become `command`, confined to `project`, or to reading where none is named. Never returns.

    Raises UserFacing where this computer cannot confine it; nothing was started then.
    """
    from desktop.sandbox.confiner import Confiner, in_project, read_only
    from desktop.sandbox.refusals import SandboxReason

    own = Confiner(paths)
    # Before anything is started: what was asked to be confined never runs without it.
    if reason := own.why_not() if project is None else own.why_not_project():
        raise UserFacing(SandboxReason.NO_CONFINEMENT.of(why=reason))
    confinement = read_only(paths, uses_network) if project is None else in_project(paths, project)
    words = own.words(confinement, tuple(command))
    # This process becomes the command, so that its exit code and signals are the command's own.
    os.execv(words[0], words)  # noqa: S606 - a list of words, on purpose without a shell


def apparmor_profile(paths: Paths) -> str:
    """What an administrator tells AppArmor of this Steward's confining client."""
    from desktop.sandbox import confiner
    from desktop.sandbox.confiner import Confiner

    # AppArmor knows programs by the path that links lead to.
    return confiner.apparmor_profile(Path(os.path.realpath(Confiner(paths).client)))
