"""What a click on a chip opens: the text that went along, a file's folder, a page, a note."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from desktop.chat.attachments import Attached, text_of
from desktop.chat.conversation_memory import MemoryBlock, MemoryBlocks
from desktop.chat.sources import AnswerSource, SourceKind
from desktop.chat.store import ChatStore
from desktop.qt.background import Background
from desktop.ui.chat.chips import size_words
from desktop.ui.chat.info_windows import TextViewer
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.chat.virtual_list import ViewFactory
from desktop.ui.language import tr, words_of
from desktop.ui.permission.visible import breakable
from desktop.ui.widgets.toast import Toast

_PAGES = {SourceKind.NOTE: "Memory"}
_KEPT_WITH_QUESTION = (SourceKind.ATTACHMENT, SourceKind.CLIPBOARD, SourceKind.SCREEN)


# What a desktop shows and does not run. Pages are none of them: their scripts run in the browser.
_LOOKED_AT = re.compile(
    r"\.(txt|md|csv|tsv|log|pdf|png|jpe?g|gif|webp|bmp|od[tsp]|docx|xlsx|pptx|rtf|epub"
    r"|mp3|ogg|wav|flac|mp4|webm|mkv)",
    re.IGNORECASE,
)
LARGEST_SHOWN_BYTES = 2_000_000


def _text_of(path: Path) -> str:
    """The beginning of a file. Raises OSError and UnicodeDecodeError."""
    # To open a named pipe would wait for its other end.
    if not path.is_file():
        raise OSError(path)
    with path.open("rb") as file:
        data = file.read(LARGEST_SHOWN_BYTES)
    return data.decode("utf-8")


def _handed_on(path: Path) -> bool:
    """To the system's program for it; False where there is none, as on a bare desktop."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


class SourceOpener(QObject):
    """Opens nothing that could run: such a file is shown as a text, or in its folder. Main thread."""

    page_requested = Signal(str)  # of the pages' window
    link_clicked = Signal(str)

    def __init__(
        self,
        store: ChatStore,
        background: Background,
        maker: ViewFactory,
        viewer: Callable[[], TextViewer],
        tell: Callable[[str], object],
        locate: Callable[[str], Path],
    ) -> None:
        """`tell` says what cannot be opened. `locate`: where a path is that a tool was given."""
        super().__init__()
        self._store = store
        self._background = background
        self._viewer = viewer
        self._tell = tell
        self._locate = locate
        maker.attachment_opened.connect(self.open_attachment)
        maker.source_opened.connect(self.open_source)
        maker.file_wanted.connect(self.open_file)
        maker.folder_wanted.connect(lambda path: self._reveal(path, path))

    def open_attachment(self, about: Attached) -> None:
        """The text that went along with a message, as it was then."""
        self._show(about.name, lambda: text_of(self._store.database, about.id), size_words(about))

    def open_source(self, source: AnswerSource) -> None:
        """What an answer drew on; memory is opened by `used_memory`."""
        # Its block is another store's, and is put together with the reasons why each memory was found.
        if source.kind is SourceKind.MEMORY:
            return
        if source.kind in _PAGES:
            self.page_requested.emit(_PAGES[source.kind])
        # Through the same gate as links in answers, which lets no scheme pass that could run something.
        elif source.kind is SourceKind.PAGE:
            self.link_clicked.emit(source.where)
        elif source.kind is SourceKind.PASSAGE:
            self.open_file(source.where, source.line)
        elif source.kind in (SourceKind.FILE, SourceKind.FOLDER):
            self._reveal(source.where, source.title)
        elif source.kind in _KEPT_WITH_QUESTION and source.where:
            self._show(source.title, lambda: text_of(self._store.database, int(source.where)))
        else:
            title = source.title or tr("What was read")
            self._show(title, lambda: self._store.message(source.message_id).text)

    def open_file(self, where: str, line: int = 0) -> None:
        """With the system's program where its kind is only looked at; else its text in a window of ours, at
        `line`."""
        path = self._found(where, where)
        if path is None:
            return
        # By the name of what is really there: a link may be called otherwise.
        if path.is_dir():
            self._open_folder(path)
        elif not (_LOOKED_AT.fullmatch(path.resolve().suffix) and _handed_on(path)):
            self._show(path.name, lambda: _text_of(path), line=line)

    def _reveal(self, where: str, shown: str) -> None:
        """The folder, never the file: opening a file may run it."""
        path = self._found(where, shown)
        if path is not None:
            self._open_folder(path if path.is_dir() else path.parent)

    def _open_folder(self, folder: Path) -> None:
        if not _handed_on(folder):
            where = breakable(str(folder))
            self._tell(tr("This computer has no program that shows folders. It is {folder}.", folder=where))

    def _found(self, where: str, shown: str) -> Path | None:
        path = self._locate(where)
        # Answers are kept for years, files are not.
        if not path.exists():
            self._tell(tr("{name} is no longer where it was.", name=shown or where))
            return None
        return path

    def _show(self, title: str, read: Callable[[], str], words: str = "", line: int = 0) -> None:
        self._background.run(
            read, done=lambda text: self._viewer().show_text(title, text, words, line), failed=self._on_gone
        )

    def _on_gone(self, error: Exception) -> None:
        if isinstance(error, (OSError, UnicodeDecodeError)):
            self._tell(tr("This file has no text that could be shown; its folder can be opened."))
            return
        # A message or an attachment that is gone; every other error is a bug and goes to the crash report.
        if not isinstance(error, KeyError):
            raise error
        self._tell(tr("That has been deleted in the meantime."))


class UsedMemory(QObject):
    """Opens the block behind the chip under an answer. Main thread only."""

    def __init__(
        self, blocks: MemoryBlocks, background: Background, pane: ConversationPane, toast: Toast
    ) -> None:
        super().__init__(pane)
        self._blocks = blocks
        self._background = background
        self._pane = pane
        self._toast = toast
        self.viewer: TextViewer | None = None
        pane.transcript.maker.source_opened.connect(self._on_opened)

    def open(self, question_id: int) -> None:
        """Read the block that stands before a question, and show it."""
        self._background.run(
            self._blocks.of,
            (question_id,),
            done=lambda found: self._show(found.get(question_id)),
            failed=self._toast.refuse,
        )

    def _on_opened(self, source: AnswerSource) -> None:
        if source.kind is SourceKind.MEMORY:
            self.open(source.message_id)

    def _show(self, block: MemoryBlock | None) -> None:
        if block is None:
            self._toast.offer(tr("This was forgotten, and the model no longer gets it."))
            return
        if self.viewer is None:
            self.viewer = TextViewer(self._pane.window())
        words = tr(
            "The model was told this right before your question. Change or forget it on the Memory page."
        )
        self.viewer.show_text(tr("What was remembered"), _told_text(block), words)


def _told_text(block: MemoryBlock) -> str:
    """The block word for word, and below it why each memory was found."""
    whys = "\n".join(f"{item.date}  {words_of(item.why)}" for item in block.items)
    return f"{block.text}\n\n{tr('Why:')}\n{whys}"
