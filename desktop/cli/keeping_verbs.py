"""The verbs that keep things elsewhere: backups and files of conversations; each calls one function."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Without asking.")]


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    app.command("backup")(backup_verb)
    app.command("restore")(restore_verb)
    app.command("export")(export_verb)
    app.command("import")(import_verb)


def backup_verb(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Where to write it, such as steward.zip.")],
    models: Annotated[bool, typer.Option("--models", help="Also the model files.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the profile to one file: conversations, notes, memory, settings, grants, log; no secrets."""
    from desktop.cli.keeping import backup

    backup(context.obj, file, models, as_json)


def restore_verb(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file of `steward backup`.")],
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put a backup in the place of this profile; what was there is kept aside."""
    from desktop.cli.keeping import restore

    raise typer.Exit(restore(context.obj, file, yes, as_json))


def export_verb(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(help="A file ending in .json or .md, or a folder for Markdown.")],
    chat: Annotated[
        list[str] | None, typer.Option("--chat", metavar="TITLE", help="Only chats whose title holds this.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write conversations to files: JSON with everything, or Markdown to read."""
    from desktop.cli.keeping import export

    export(context.obj, target, tuple(chat or ()), as_json)


def import_verb(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON of `steward export`, or ChatGPT's conversations.json.")],
    as_json: JsonOption = False,
) -> None:
    """Add the conversations of a file; those that are here already are left alone."""
    from desktop.cli.keeping import import_file

    import_file(context.obj, file, as_json)
