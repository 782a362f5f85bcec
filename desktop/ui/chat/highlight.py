"""Colours for code, given out in short slices so that the window never waits for a long listing."""

from __future__ import annotations

import time
from collections.abc import Iterator

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QTextCharFormat, QTextDocument, QTextLayout

from desktop.ui.theme import Theme

SLICE_S = 0.004
LONGEST_CODE = 60_000  # beyond this, colours are not worth the time

_TOKENS = (
    (Comment, "secondary"),
    (Keyword, "code_keyword"),
    (Operator.Word, "code_keyword"),
    (String, "code_string"),
    (Number, "code_number"),
    (Name.Function, "code_name"),
    (Name.Class, "code_name"),
    (Name.Builtin, "code_name"),
    (Name.Tag, "code_name"),
    (Name.Decorator, "code_name"),
)


class Highlighter(QObject):
    """Colours the text of a document in the background of the main loop."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._document = document
        self._formats = [(kind, _format(theme, token, kind is Comment)) for kind, token in _TOKENS]
        self._work: Iterator[None] = iter(())
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_slice)

    def colour(self, language: str) -> None:
        """Colour the whole document as `language`; an unknown one leaves it plain."""
        self.stop()
        text = self._document.toPlainText()
        lexer = lexer_of(language)
        if lexer is not None and len(text) <= LONGEST_CODE:
            self._work = self._steps(lexer, text)
            self._timer.start()

    def stop(self) -> None:
        """Do no more; what is coloured stays."""
        self._timer.stop()

    def finish(self) -> None:
        """Do all the rest now."""
        for _ in self._work:
            pass
        self.stop()

    def _on_slice(self) -> None:
        until = time.perf_counter() + SLICE_S
        while time.perf_counter() < until:
            if next(self._work, self) is self:
                self.stop()
                return

    def _steps(self, lexer: Lexer, text: str) -> Iterator[None]:
        """Each step reads one token; the formats of a line are set when its end is reached."""
        block = self._document.begin()
        ranges: list[QTextLayout.FormatRange] = []
        column = 0
        for kind, value in lexer.get_tokens(text):
            format_ = self._format_of(kind)
            for number, part in enumerate(value.split("\n")):
                if number:
                    block.layout().setFormats(ranges)
                    self._document.markContentsDirty(block.position(), block.length())
                    block, ranges, column = block.next(), [], 0
                    if not block.isValid():
                        return
                if format_ is not None and part:
                    ranges.append(_range(column, _utf16_length(part), format_))
                column += _utf16_length(part)
            yield
        block.layout().setFormats(ranges)
        self._document.markContentsDirty(block.position(), block.length())

    def _format_of(self, kind: _TokenType) -> QTextCharFormat | None:
        # A token type is a tuple of words; its descendants begin with the same words.
        found = (format_ for known, format_ in self._formats if tuple(kind)[: len(known)] == tuple(known))
        return next(found, None)


def lexer_of(language: str) -> Lexer | None:
    """The lexer for the word after a code fence, or None."""
    if not language:
        return None
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _range(start: int, length: int, format_: QTextCharFormat) -> QTextLayout.FormatRange:
    result = QTextLayout.FormatRange()
    result.start, result.length, result.format = start, length, format_
    return result


def _format(theme: Theme, token: str, italic: bool) -> QTextCharFormat:
    result = QTextCharFormat()
    result.setForeground(theme.colour(token))
    if italic:
        result.setFontItalic(True)
    return result


def _utf16_length(text: str) -> int:
    """Qt counts UTF-16 units."""
    return len(text) + sum(letter > "\uffff" for letter in text)
