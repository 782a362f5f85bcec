"""Backup, restore, export and import as the Settings page calls them; what each needs is imported then."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
    from desktop.ui.pages.backup import Offered

MOST_NAMED = 5  # files that were left out, in one sentence


class BackupActions:
    """What the Settings page calls; the verbs of the command line do the same.

    `quit_app` ends the tray app, on the main thread.
    """

    def __init__(self, core: Services, quit_app: Callable[[], None]) -> None:
        self._core = core
        self._quit = quit_app

    def offered(self) -> Offered:
        from desktop.backup.manifest import sizes
        from desktop.ui.pages.backup import Offered

        return Offered(sum(sizes(self._core.paths).models_bytes.values()))

    def backup(self, file: Path, with_models: bool) -> str:
        from desktop import __version__
        from desktop.backup.write import write_backup
        from desktop.ui.language import plural, size_text, tr

        made = write_backup(self._core.paths, file, __version__, with_models)
        told = tr("Backed up to {file}, {size}.", file=file, size=size_text(file.stat().st_size))
        if not made.left_out:
            return told
        named = ", ".join(made.left_out[:MOST_NAMED]) + (", …" if len(made.left_out) > MOST_NAMED else "")
        missing = plural(
            "{count} file of your skills was left out, because it is a link or not every computer takes its "
            "name or place: {names}.",
            "{count} files of your skills were left out, because they are links or not every computer takes "
            "their names or places: {names}.",
            len(made.left_out),
            names=named,
        )
        return f"{told} {missing}"

    def inspect(self, file: Path) -> str:
        from desktop.backup.restore import inspect
        from desktop.ui.language import moment_words, size_text, tr

        manifest = inspect(file, self._core.known)
        return tr(
            "This backup was made {when} by Steward {program} and takes {size}.",
            when=moment_words(manifest.made_at.timestamp(), time.time()),
            program=manifest.program,
            size=size_text(manifest.total_bytes),
        )

    def prepare(self, file: Path) -> None:
        from desktop.backup.restore import prepare

        prepare(file, self._core.paths, self._core.known)

    def restart(self) -> None:
        self._core.restart_wanted = True
        self._quit()

    def export(self, target: Path) -> str:
        from desktop.chat.export_import import write_json, write_markdown
        from desktop.ui.language import tr

        form = self._core.exchange.export()
        if target.suffix.lower() == ".json":
            write_json(form, target)
        else:
            # Markdown becomes a folder with a file for each chat.
            target = target.with_suffix("")
            write_markdown(form, target)
        return tr("{count} chats written to {target}.", count=len(form.conversations), target=target)

    def import_file(self, file: Path) -> str:
        from desktop.app.toolbox import confinement
        from desktop.chat.chat_imports import read_chats
        from desktop.chat.events import ConversationsChanged
        from desktop.sandbox.parser import Parser
        from desktop.ui.language import plural, tr

        read = read_chats(file, Parser(confinement))
        done = self._core.exchange.import_chats(read.chats)
        self._core.bus.publish(ConversationsChanged())
        words = tr(
            "{count} chats with {messages} messages were imported; {known} were already here.",
            count=done.conversations,
            messages=done.messages,
            known=done.known,
        )
        if not read.refused:
            return words
        missing = plural(
            "{count} chat could not be read: {first}.",
            "{count} chats could not be read. The first: {first}.",
            len(read.refused),
            first=read.refused[0],
        )
        return f"{words} {missing}"
