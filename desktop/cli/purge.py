"""`steward purge`: remove what Steward keeps on this computer, before the program itself is uninstalled."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from desktop.app import Services, end_logging
from desktop.cli.agents import installer_of
from desktop.errors import Cancelled, UserFacing
from desktop.reasons import size_text
from desktop.system.autostart import autostart
from desktop.system.removal import Belongings, Choice, Folder, Outcome, Removal


def purge(core: Services, dry_run: bool, yes: bool, models: bool, keep_data: bool) -> int:
    """Show what there is, ask, remove. Models stay unless asked for. Exit code 1: something refused."""
    removal = Removal(core.paths, core.library, installer_of(core), autostart(core.paths), core.secrets)
    found = removal.found()
    _show(found)
    if found.nothing:
        sys.stdout.write("Nothing of Steward's is left in this profile.\n")
        return 0
    if dry_run:
        _show_left("Would stay", _stays(found, Choice(not keep_data, models)))
        return 0
    choice = Choice(not keep_data, models) if yes else _asked(found, models, keep_data)
    lock = removal.alone()
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
    for name in found.secrets:
        sys.stdout.write(f"Secret in the keyring: {name}\n")


def _asked(found: Belongings, models: bool, keep_data: bool) -> Choice:
    """Raises UserFacing where nobody can be asked, Cancelled for a no to the whole."""
    if not sys.stdin.isatty():
        raise UserFacing(
            "Nobody can be asked here.",
            "Nothing was removed.",
            "Add --yes to remove all but the models, and --models or --keep-data to choose.",
            code="usage",
        )
    data = not keep_data and bool(found.data)
    data = data and _agrees(f"Remove conversations, notes and settings ({_size(found.data)})?")
    if found.models and not models:
        models = _agrees(f"Remove the downloaded models ({_size(found.models)})?")
    if not _agrees("Remove the rest now?" if data or models else "Remove only the rest, and keep those?"):
        raise Cancelled
    return Choice(data, models)


def _agrees(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _told(outcome: Outcome) -> int:
    for line in outcome.failed:
        sys.stderr.write(f"Not removed: {line}\n")
    sys.stdout.write(f"{len(outcome.done)} things were removed.\n")
    _show_left("Stays", outcome.left)
    return 1 if outcome.failed else 0


def _stays(found: Belongings, choice: Choice) -> tuple[Folder, ...]:
    kept = (() if choice.data else found.data) + (() if choice.models else found.models)
    return (*kept, *found.stays)


def _show_left(title: str, folders: Sequence[Folder]) -> None:
    if folders:
        sys.stdout.write(f"{title}:\n")
        sys.stdout.writelines(f"  {folder.path} ({size_text(folder.size_bytes)})\n" for folder in folders)


def _size(folders: Sequence[Folder]) -> str:
    return size_text(sum(folder.size_bytes for folder in folders))
