"""The blocks of one answer, one under another, of which only the last ones change while it grows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.ui.chat.code_block import CodeBlock
from desktop.ui.chat.markdown import Block, Code, Prose, Splitter, Table
from desktop.ui.chat.prose import ProseView
from desktop.ui.chat.table_block import TableBlock
from desktop.ui.theme import Theme

Part = ProseView | CodeBlock | TableBlock
Run = tuple[
    Block, ...
]  # blocks that share a widget: one code block, one table, or prose that stands together


class BlockStack(QWidget):
    """Shows markdown that may grow. The owner gives the width. Main thread only."""

    link_clicked = Signal(str)
    resized = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = ""
        self._splitter = Splitter()
        self._runs: list[Run] = []
        self._parts: list[Part] = []
        self._heights: list[int] = []
        self._width = -1

    def set_text(self, text: str) -> None:
        """Show `text`; what was already shown of it is not drawn again."""
        if text == self._text:
            return
        if text.startswith(self._text):
            self._splitter.append(text[len(self._text) :])
        else:
            self._splitter = Splitter(text)
        self._text = text
        self._show(runs_of(self._splitter.blocks))

    def arrange(self, width: int) -> int:
        """Take `width` and return the height."""
        y = 0
        for number, part in enumerate(self._parts):
            y += self._theme.px(12) if number else 0
            if width != self._width or self._heights[number] < 0:
                self._heights[number] = part.arrange(width)
            part.move(0, y)
            y += self._heights[number]
        self._width = width
        self.resize(width, y)
        return y

    def has_selection(self) -> bool:
        return any(part.has_selection() for part in self._parts)

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(self._parts)

    def _on_part_resized(self) -> None:
        self._heights = [-1] * len(self._parts)
        self.resized.emit()

    def _show(self, runs: Sequence[Run]) -> None:
        for number, run in enumerate(runs):
            if number < len(self._runs) and self._runs[number] == run:
                continue
            if number < len(self._parts) and _fits(self._parts[number], run):
                _fill(self._parts[number], run)
            else:
                self._put(number, run)
            self._heights[number] = -1
        for part in self._parts[len(runs) :]:
            _remove(part)
        del self._parts[len(runs) :], self._heights[len(runs) :]
        self._runs = list(runs)

    def _put(self, number: int, run: Run) -> None:
        """A new part, in the place of an old one of another kind if there is one."""
        part = self._make(run)
        part.show()
        if number < len(self._parts):
            _remove(self._parts[number])
            self._parts[number] = part
        else:
            self._parts.append(part)
            self._heights.append(-1)

    def _make(self, run: Run) -> Part:
        first = run[0]
        if isinstance(first, Code):
            code = CodeBlock(self._theme, first, self)
            code.resized.connect(self._on_part_resized)
            return code
        if isinstance(first, Table):
            table = TableBlock(self._theme, first.text, self)
            table.view.link_clicked.connect(self.link_clicked)
            return table
        prose = ProseView(self._theme, self)
        prose.link_clicked.connect(self.link_clicked)
        _fill(prose, run)
        return prose


def runs_of(blocks: Sequence[Block]) -> list[Run]:
    """Neighbouring prose together, so that a selection can span paragraphs."""
    runs: list[Run] = []
    for block in blocks:
        if isinstance(block, Prose) and runs and isinstance(runs[-1][0], Prose):
            runs[-1] = (*runs[-1], block)
        else:
            runs.append((block,))
    return runs


def _fits(part: Part, run: Run) -> bool:
    kinds = {Code: CodeBlock, Table: TableBlock, Prose: ProseView}
    return isinstance(part, kinds[type(run[0])])


def _fill(part: Part, run: Run) -> None:
    first = run[0]
    if isinstance(part, CodeBlock) and isinstance(first, Code):
        part.set_code(first)
    elif isinstance(part, TableBlock):
        part.set_source(first.text)
    elif isinstance(part, ProseView):
        part.set_pieces([block.text for block in run])


def _remove(part: QObject) -> None:
    assert isinstance(part, QWidget)
    part.hide()
    part.deleteLater()
