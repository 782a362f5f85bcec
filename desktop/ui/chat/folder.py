"""The folder that the open chat looks into: chosen by a dialog or by dropping it, shown, taken away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from desktop.chat.events import FolderChanged, FolderRead
from desktop.errors import UserFacing
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.chat.services import ChatServices
from desktop.ui.language import plural, tr
from desktop.ui.permission.visible import visible

if TYPE_CHECKING:
    from desktop.chat.chat_folders import FolderContent


class FolderController(QObject):
    """A chat that does not exist yet gets its folder with its first message. Main thread only."""

    def __init__(
        self,
        services: ChatServices,
        current: Callable[[], int],
        pane: ConversationPane,
        failed: Callable[[Exception], None],
    ) -> None:
        """`current` is the open chat; `failed` tells what went wrong."""
        super().__init__()
        self._store = services.store
        self._turns = services.turns
        self._background = services.background
        self._current = current
        self._pane = pane
        self._failed = failed
        self._waiting = ""  # for the chat that does not exist yet
        self._dialog: QFileDialog | None = None
        pane.folder.removal_wanted.connect(self._on_removal_wanted)
        services.relay.listen(FolderRead, self._on_read)
        services.relay.listen(FolderChanged, self._on_changed)

    def choose(self, conversation_id: int = 0) -> None:
        """Ask for a folder, for the open chat where none is named."""
        wanted = conversation_id or self._current()
        dialog = QFileDialog(self._pane.window(), tr("Folder for this chat"))
        dialog.setObjectName("choose_folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda name: self.give(wanted, name))
        dialog.finished.connect(dialog.deleteLater)
        self._dialog = dialog
        dialog.open()

    def give(self, conversation_id: int, folder: str) -> None:
        """Have a chat look into `folder`, "" into none; it is indexed at once."""
        if conversation_id <= 0:
            self._waiting = folder
            self.show_open()
            return
        self._background.run(self._given, conversation_id, folder, failed=self._failed)

    def take_up(self, conversation_id: int) -> None:
        """The chat now exists, and is about to be asked its first question, which indexes the folder."""
        waiting, self._waiting = self._waiting, ""
        folders = self._turns.folders
        if waiting and folders is not None:
            # Here and not on the pool: the question must not be answered before its folder is stored.
            try:
                folders.choose(conversation_id, waiting)
            except UserFacing as error:  # told; the question is asked all the same
                self._failed(error)
        self.show_open()

    def show_open(self) -> None:
        """What is so of the open chat."""
        current = self._current()
        if current <= 0:
            self._pane.folder.show_place(self._waiting)
            self._show_words(folder_words(self._waiting) if self._waiting else "")
            return
        self._background.run(
            self._content, current, done=lambda content: self._show(current, content), failed=self._failed
        )

    # -- inside -------------------------------------------------------------------------------

    def _on_removal_wanted(self) -> None:
        # The button that has the focus goes: without this the next key would go to some message.
        self._pane.composer.text.setFocus()
        self.give(self._current(), "")

    def _given(self, conversation_id: int, folder: str) -> None:
        """On the pool."""
        folders = self._turns.folders
        assert folders is not None
        folders.choose(conversation_id, folder)
        if folder:
            folders.index(conversation_id, folder)

    def _content(self, conversation_id: int) -> FolderContent | None:
        """On the pool. Most chats have no folder, and then nothing of that room is loaded."""
        if not self._store.folder(conversation_id):
            return None
        folders = self._turns.folders
        return folders.of(conversation_id) if folders is not None else None

    def _show(self, conversation_id: int, content: FolderContent | None) -> None:
        if conversation_id == self._current():
            self._pane.folder.show_place(content.folder if content is not None else "")
            self._show_words(content_words(content) if content is not None else "")

    def _show_words(self, words: str, done: int = 0, total: int = 0) -> None:
        self._pane.folder.show_progress(words, done, total)
        self._pane.arrange()

    def _on_read(self, event: FolderRead) -> None:
        if event.conversation_id == self._current() and event.done < event.total:
            words = tr("Reading the folder: {done:,} of {total:,} files", done=event.done, total=event.total)
            self._show_words(words, event.done, event.total)

    def _on_changed(self, event: FolderChanged) -> None:
        if event.conversation_id == self._current():
            self.show_open()


def folder_words(folder: str) -> str:
    """That answers look into a folder, as long as it is not indexed."""
    return tr("Answers look into {folder}", folder=_name(folder))


def _name(folder: str) -> str:
    return visible(Path(folder).name or folder)


def content_words(content: FolderContent) -> str:
    """Which folder, how much of it, and what is left out."""
    if content.is_gone:
        return tr("{folder} cannot be read now", folder=_name(content.folder))
    files = plural("{count:,} file", "{count:,} files", content.files)
    words = f"{folder_words(content.folder)} · {files}"
    if content.left_out:
        more = plural(
            "{count:,} left out: too large or too many",
            "{count:,} left out: too large or too many",
            content.left_out,
        )
        words = f"{words} · {more}"
    return words
