"""One conversation into a file, from its menu in the sidebar."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop import __version__
from desktop.chat.exchange import Exchange
from desktop.chat.exchange_files import file_name, write_json, write_markdown
from desktop.chat.exchange_form import ChatsForm
from desktop.chat.store import ChatStore
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.ui.language import told_error, tr
from desktop.ui.save_dialog import ask_where
from desktop.ui.toast import Toast


class Exporting(QObject):
    """Asks where to, writes on the pool, says so. Main thread only."""

    def __init__(self, window: QWidget, store: ChatStore, background: Background, toast: Toast) -> None:
        super().__init__(window)
        self._window = window
        self._exchange = Exchange(store.database, store, __version__)
        self._background = background
        self._toast = toast
        self.dialog: QFileDialog | None = None

    def start(self, conversation_id: int) -> None:
        """Read the conversation, then ask for a name; Markdown unless another ending is chosen."""
        self._background.run(self._exchange.export, [conversation_id], done=self._ask, failed=self._on_failed)

    def _ask(self, form: ChatsForm) -> None:
        if not form.conversations:
            return
        self.dialog = ask_where(
            self._window,
            tr("Export chat"),
            f"{file_name(form.conversations[0])}.md",
            (tr("Markdown (*.md)"), tr("JSON with everything (*.json)")),
            lambda path: self._write(form, path),
        )

    def _write(self, form: ChatsForm, path: Path) -> None:
        as_json = path.suffix.lower() == ".json"
        target = path if as_json or path.suffix else path.with_suffix(".md")
        self._background.run(
            write_json if as_json else write_markdown,
            form,
            target,
            done=lambda _written: self._toast.offer(tr("Written to {path}", path=target)),
            failed=self._on_failed,
        )

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self._toast.offer(str(told_error(error)))
