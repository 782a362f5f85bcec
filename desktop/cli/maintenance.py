"""The verbs about this copy of Steward: doctor, update, add-ons, and purge before it is uninstalled."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop import __version__
from desktop.cli.reasons import CliReason
from desktop.cli.terminal import Declined, JsonOption, print_json, says_yes
from desktop.errors import UserFacing
from desktop.reasons import size_text

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.engine.addons import AddOn, AddOns
    from desktop.system.doctor import Check
    from desktop.system.removal import Belongings, FolderSize, RemovalChoice, RemovalOutcome

KEYRING_TIMEOUT_S = 3.0  # a locked one waits for its password, a report does not
_MARKS = {"works": "✓", "limited": "!", "missing": "✗"}  # by the word of a `Verdict`


def show_doctor(core: Services, as_json: bool) -> int:
    """Print every check. The exit code is 0: a report is not a failure."""
    from desktop.system.doctor import Doctor
    from desktop.system.secrets import Secrets

    secrets = Secrets(core.paths, timeout_s=KEYRING_TIMEOUT_S)
    ignoring = core.ignoring_agents()
    checks = Doctor(core.paths, core.settings.current, core.library, secrets, ignoring).examine()
    if as_json:
        print_json([check.as_json() for check in checks])
    else:
        sys.stdout.write("".join(_check_lines(check) for check in checks))
    return 0


def _check_lines(check: Check) -> str:
    advice = f"{'':17}{check.advice}\n" if check.advice else ""
    return f"{_MARKS[check.verdict]} {check.name!s:14} {check.finding}\n{advice}"


def look_for_update(core: Services) -> int:
    """Exit code 0 also where there is a newer one. Raises UserFacing."""

    release = core.updates.look()
    if release.is_newer:
        sys.stdout.write(
            f"Steward {release.version} is available; this is {__version__}. See {release.page}\n"
        )
    else:
        sys.stdout.write(f"This is the newest version ({__version__}).\n")
    return 0


addons_app = typer.Typer(
    help="What can be added to this Steward: CUDA, Vulkan, dictation.", no_args_is_help=True
)

RESTART = "Restart Steward; `steward doctor` then says what models run on."
SWITCH_ON = "Switch it on in Settings, Chat, Dictate messages."


@addons_app.command("add")
def addons_add(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|dictation",
            help="A file steward-…-addon-….tar.xz, or `dictation`, which is fetched.",
        ),
    ],
) -> None:
    """Verify an add-on and unpack it; an older one of the same name is replaced."""
    from desktop.system.recognizer import NAME

    file = Path(what)
    if what == NAME or file.suffix == ".whl":
        added = _add_recognizer(context.obj, file if file.suffix == ".whl" else None)
        sys.stdout.write(f"{_line(added)}\n{SWITCH_ON}\n")
        return
    if not file.is_file():
        raise typer.BadParameter(f"{what} is no file", param_hint="FILE|dictation")
    added = _here().add(file, _show_progress if sys.stderr.isatty() else _show_nothing)
    sys.stdout.write(f"{_line(added)}\n{RESTART}\n")


def _add_recognizer(core: Services, wheel: Path | None) -> AddOn:
    """Install it from a wheel that is here already, else fetch one."""
    from desktop.cli.models import download_progress
    from desktop.system.recognizer import add_recognizer, fetch_recognizer, package_here

    package = package_here()
    if wheel is not None:
        return add_recognizer(_here(), wheel, package)
    with download_progress(core) as control:
        fetched = fetch_recognizer(core.network, core.bus, core.paths.downloads, package, control)
    added = add_recognizer(_here(), fetched, package)
    fetched.unlink()
    return added


@addons_app.command("list")
def addons_list(as_json: JsonOption = False) -> None:
    """The add-ons of this computer's user, and whether they fit."""
    found = _here().installed()
    if as_json:
        records = [_facts(one) for one in found]
        print_json(records)
        return
    sys.stdout.writelines(f"{_line(one)}\n" for one in found)
    if not found:
        sys.stdout.write("No add-on is installed.\n")


@addons_app.command("remove")
def addons_remove(name: Annotated[str, typer.Argument(help="Its name, such as cuda.")]) -> None:
    """Remove an add-on; Steward goes on with what came with it."""
    _here().remove(name)
    sys.stdout.write(f"{name} was removed. A Steward that runs uses it until it is restarted.\n")


def _here() -> AddOns:
    from desktop.engine.addons import AddOns  # other verbs do without

    return AddOns.here()


def _facts(one: AddOn) -> dict[str, object]:
    facts = asdict(one) | {"size_bytes": one.size_bytes, "misfit": str(one.misfit or "")}
    del facts["files"]
    return facts


def _line(one: AddOn) -> str:
    state = f"not used: {one.misfit}" if one.misfit else "fits"
    return f"{one.name} {one.version} ({one.size_bytes / 1e6:.0f} MB, {one.system}): {state}"


def _show_progress(done: int, size: int) -> None:
    share = done / size if size else 1.0
    sys.stderr.write(f"\r{share:4.0%}" + ("\n" if done >= size else ""))
    sys.stderr.flush()


def _show_nothing(_done: int, _size: int) -> None:
    """Nobody watches."""


def purge(core: Services, dry_run: bool, yes: bool, models: bool, keep_data: bool) -> int:
    """Show what there is, ask, remove. Models stay unless asked for. Exit code 1: something refused."""
    from desktop.app import end_logging
    from desktop.cli.agents import installer_of, mcp_installer_of
    from desktop.engine.remote import names_of_keys
    from desktop.mcp.servers import wanted_secrets
    from desktop.system.autostart import autostart
    from desktop.system.removal import Removal, RemovalChoice

    # Only the settings know under which names servers have theirs.
    named = [name for each in core.settings.current.mcp.servers.values() for name in wanted_secrets(each)]
    named += names_of_keys(core.settings)
    installers = (installer_of(core), mcp_installer_of(core))
    removal = Removal(core.paths, core.library, installers, autostart(core.paths), core.secrets, named)
    found = removal.found()
    _show(found)
    if found.nothing:
        sys.stdout.write("Nothing of Steward's is left in this profile.\n")
        return 0
    if dry_run:
        _show_left("Would stay", _stays(found, RemovalChoice(not keep_data, models)))
        return 0
    choice = RemovalChoice(not keep_data, models) if yes else _asked(found, models, keep_data)
    # Asked only now: a Steward that runs is no reason to keep from the user what there is.
    lock = removal.alone()
    # The log is among what goes, and Windows removes no file that is open.
    end_logging()
    lock.release()  # its file goes with the rest
    return _told(removal.remove(found, choice))


def _show(found: Belongings) -> None:
    for title, folders in (
        ("Cache, log, add-ons and files of the running program", found.passing),
        ("Conversations, notes, undo and settings", found.data),
        ("Downloaded models", found.models),
    ):
        if folders:
            sys.stdout.write(f"{title}: {_size(folders)}\n")
            sys.stdout.writelines(f"  {folder.path}\n" for folder in folders)
    if found.login_item is not None:
        sys.stdout.write(f"Start with the computer:\n  {found.login_item}\n")
    for agent in found.agents:
        sys.stdout.write(f"Hooks in the settings of {agent}\n")
    for agent in found.tools:
        sys.stdout.write(f"Tools in the list of servers of {agent}\n")
    for name in found.secrets:
        sys.stdout.write(f"Secret in the keyring: {name}\n")
    if found.keyring is not None:
        cause, _not_lost, action = found.keyring.parts()
        sys.stdout.write(f"Secrets in the keyring: not known. {cause} {action}\n")


def _asked(found: Belongings, models: bool, keep_data: bool) -> RemovalChoice:
    """Raises UserFacing where nobody can be asked, Declined for a no to the whole."""
    from desktop.system.removal import RemovalChoice

    # Uninstallers call this without a terminal: they say --yes, or nothing is removed.
    if not sys.stdin.isatty():
        raise UserFacing(CliReason.REMOVAL_UNANSWERED.of())
    data = not keep_data and bool(found.data)
    data = data and says_yes(f"Remove conversations, notes and settings ({_size(found.data)})?")
    if found.models and not models:
        models = says_yes(f"Remove the downloaded models ({_size(found.models)})?")
    if not says_yes("Remove the rest now?" if data or models else "Remove only the rest, and keep those?"):
        raise Declined
    return RemovalChoice(data, models)


def _told(outcome: RemovalOutcome) -> int:
    for line in outcome.failed:
        sys.stderr.write(f"Not removed: {line}\n")
    sys.stdout.write(f"{len(outcome.done)} things were removed.\n")
    _show_left("Stays", outcome.left)
    return 1 if outcome.failed else 0


def _stays(found: Belongings, choice: RemovalChoice) -> tuple[FolderSize, ...]:
    kept = (() if choice.data else found.data) + (() if choice.models else found.models)
    return (*kept, *found.stays)


def _show_left(title: str, folders: Sequence[FolderSize]) -> None:
    if folders:
        sys.stdout.write(f"{title}:\n")
        sys.stdout.writelines(f"  {folder.path} ({size_text(folder.size_bytes)})\n" for folder in folders)


def _size(folders: Sequence[FolderSize]) -> str:
    return size_text(sum(folder.size_bytes for folder in folders))


def update_verb(context: typer.Context) -> None:
    """Ask whether there is a newer version; nothing is installed."""
    raise typer.Exit(look_for_update(context.obj))


def purge_verb(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what there is.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; models stay.")] = False,
    models: Annotated[bool, typer.Option("--models", help="Remove downloaded models, too.")] = False,
    keep_data: Annotated[
        bool, typer.Option("--keep-data", help="Keep conversations, notes and settings.")
    ] = False,
) -> None:
    """Remove what Steward keeps on this computer; models stay unless you ask for it."""
    raise typer.Exit(purge(context.obj, dry_run, yes, models, keep_data))


def doctor_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """What works on this computer and what does not."""
    raise typer.Exit(show_doctor(context.obj, as_json))
