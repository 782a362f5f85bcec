"""`steward backup`, `restore`, `export` and `import`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import JsonOption, YesOption, print_json, says_yes, shown
from desktop.errors import UserFacing

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.chat.export_import import ChatsForm


def backup(core: Services, file: Path, models: bool, as_json: bool) -> None:
    """Write it and say what is in it, and what was left out."""
    from desktop import __version__
    from desktop.backup.manifest import sizes
    from desktop.backup.write import write_backup

    models_bytes = {} if models else sizes(core.paths).models_bytes
    made = write_backup(core.paths, file.absolute(), __version__, models)
    count = len(made.manifest.files)
    facts = {"file": str(file), "bytes": file.stat().st_size, "files": count}
    if as_json:
        print_json({**facts, "models_left_out_bytes": models_bytes, "skills_left_out": list(made.left_out)})
        return
    sys.stdout.write(f"{file}: {megabytes(file.stat().st_size)}, {count} files\n")
    if models_bytes:
        size = megabytes(sum(models_bytes.values()))
        sys.stdout.write(f"Left out: {len(models_bytes)} models of {size} (--models takes them along).\n")
    if made.left_out:
        sys.stdout.write(
            "Left out of your skills (a link, or a name or place that not every computer takes):\n"
        )
        sys.stdout.writelines(f"  {shown(name)}\n" for name in made.left_out)
    sys.stdout.write("Secrets are never in it: enter access tokens again after restoring elsewhere.\n")


def restore(core: Services, file: Path, yes: bool, as_json: bool) -> int:
    """Show what it holds, ask, put it in place; the exit code."""
    from desktop.backup.restore import finish, inspect, prepare

    manifest = inspect(file, core.known)
    made = manifest.made_at.astimezone()
    about = f"Made {made:%Y-%m-%d %H:%M} by Steward {manifest.program}, {megabytes(manifest.total_bytes)}."
    if not yes:
        sys.stderr.write(
            f"{about}\nIt takes the place of the conversations and settings in {core.paths.data}.\n"
        )
        if not says_yes("What is there now is kept aside. Restore?"):
            sys.stderr.write("Nothing was changed.\n")
            return 1
    # Until here nothing has changed; a database that is open cannot be exchanged, so ours closes next.
    prepare(file, core.paths, core.known)
    core.close()
    restored = finish(core.paths)
    aside = [str(folder) for folder in restored.aside] if restored else []
    if as_json:
        print_json({"restored": restored is not None, "aside": aside})
    elif restored is None:
        sys.stdout.write("Steward is running. Quit it: the next start puts the backup in place.\n")
    else:
        sys.stdout.write("Restored.\n")
        sys.stdout.writelines(f"What was here before: {folder}\n" for folder in aside)
    return 0


def export(core: Services, target: Path, titles: tuple[str, ...], as_json: bool) -> None:
    """By the ending of `target`: one file of JSON, Markdown or HTML, or a folder of Markdown files."""
    from desktop.chat.export_import import write_json, write_markdown

    form = core.exchange.export(_chosen(core, titles))
    if not form.conversations:
        raise UserFacing(CliReason.NO_MATCH.of() if titles else CliReason.NOTHING_TO_EXPORT.of())
    written: tuple[Path, ...] = (target,)
    if target.suffix.lower() == ".json":
        write_json(form, target)
    elif target.suffix.lower() in (".html", ".htm"):
        written = _write_pages(form, target)
    else:
        written = write_markdown(form, target)
    if as_json:
        print_json({"conversations": len(form.conversations), "files": [str(path) for path in written]})
        return
    place = written[0] if len(written) == 1 else target
    sys.stdout.write(f"{len(form.conversations)} conversations written to {place}\n")


def _write_pages(form: ChatsForm, target: Path) -> tuple[Path, ...]:
    from desktop.chat.formulas import Outlines
    from desktop.chat.page_export import write_pages
    from desktop.sandbox.confinement import available
    from desktop.sandbox.parser import Parser

    return write_pages(form, target, Outlines(Parser(lambda: available().best)))


def import_file(core: Services, file: Path, as_json: bool) -> None:
    """What can be read of it comes in whole; what cannot is named."""
    from desktop.chat.chat_imports import read_chats
    from desktop.sandbox.confinement import available
    from desktop.sandbox.parser import Parser

    # In a confined process: the file comes from somewhere else.
    read = read_chats(file, Parser(lambda: available().best))
    done = core.exchange.import_chats(read.chats)
    if as_json:
        counts = {"conversations": done.conversations, "messages": done.messages, "known": done.known}
        print_json({**counts, "refused": list(read.refused)})
        return
    known = f"; {done.known} were already here" if done.known else ""
    sys.stdout.write(
        f"{done.conversations} conversations with {done.messages} messages were imported{known}\n"
    )
    sys.stdout.writelines(f"Not read: {refused}.\n" for refused in read.refused)


def _chosen(core: Services, titles: tuple[str, ...]) -> list[int] | None:
    if not titles:
        return None
    wanted = [title.casefold() for title in titles]
    listed = core.store.conversations(limit=-1)
    return [each.id for each in listed if any(title in each.title.casefold() for title in wanted)]


def megabytes(size_bytes: int) -> str:
    """ "0.3 MB", "12 MB", "4.1 GB"."""
    if size_bytes >= 1_000_000_000:
        return f"{size_bytes / 1_000_000_000:.1f} GB"
    size = size_bytes / 1_000_000
    return f"{size:.0f} MB" if size >= 10 else f"{size:.1f} MB"


def backup_verb(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Where to write it, such as steward.zip.")],
    models: Annotated[bool, typer.Option("--models", help="Include the model files.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the profile to one file: conversations, notes, memory, settings, grants, log; no secrets."""
    backup(context.obj, file, models, as_json)


def restore_verb(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file of `steward backup`.")],
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Restore a backup in place of this profile; what was there is kept aside."""
    raise typer.Exit(restore(context.obj, file, yes, as_json))


def export_verb(
    context: typer.Context,
    target: Annotated[
        Path, typer.Argument(help="File ending in .json, .md or .html, or a folder for Markdown.")
    ],
    chat: Annotated[
        list[str] | None,
        typer.Option("--chat", metavar="TITLE", help="Only chats whose title contains this."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write conversations to files: JSON with everything, or Markdown or HTML to read."""
    export(context.obj, target, tuple(chat or ()), as_json)


def import_verb(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON of `steward export`, or ChatGPT's conversations.json.")],
    as_json: JsonOption = False,
) -> None:
    """Add the conversations in a file; those that are already here are left alone."""
    import_file(context.obj, file, as_json)
