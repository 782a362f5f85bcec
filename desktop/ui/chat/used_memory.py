"""Shows what an answer was told of what is remembered: exactly that, and why each of it was found."""

from __future__ import annotations

from PySide6.QtCore import QObject

from desktop.chat.blocks import Block, Blocks
from desktop.chat.used import UsedKind, UsedSource
from desktop.qt.background import Background
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.chat.text_viewer import TextViewer
from desktop.ui.language import tr
from desktop.ui.theme import Theme
from desktop.ui.toast import Toast


class UsedMemory(QObject):
    """Opens the block behind the chip under an answer. Main thread only."""

    def __init__(
        self, blocks: Blocks, background: Background, pane: ConversationPane, theme: Theme, toast: Toast
    ) -> None:
        super().__init__(pane)
        self._blocks = blocks
        self._background = background
        self._pane = pane
        self._theme = theme
        self._toast = toast
        self.viewer: TextViewer | None = None
        pane.transcript.maker.source_opened.connect(self._on_opened)

    def open(self, question_id: int) -> None:
        """Read the block that stands before a question, and show it."""
        self._background.run(
            self._blocks.of, (question_id,), done=lambda found: self._show(found.get(question_id))
        )

    def _on_opened(self, source: UsedSource) -> None:
        if source.kind is UsedKind.MEMORY:
            self.open(source.message_id)

    def _show(self, block: Block | None) -> None:
        if block is None:
            self._toast.offer(tr("This was forgotten, and is no longer told to the model."))
            return
        if self.viewer is None:
            self.viewer = TextViewer(self._theme, self._pane.window())
        words = tr("Told to the model right before your question. The Memory page changes or forgets it.")
        self.viewer.show_text(tr("What was remembered"), text_of(block), words)


def text_of(block: Block) -> str:
    """The block word for word, and below it why each memory was found."""
    whys = "\n".join(f"{item.date}  {item.why}" for item in block.items)
    return f"{block.text}\n\n{tr('Why:')}\n{whys}"
