"""Boxes for text that must be read exactly: arguments, a change, a list of files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit

from desktop.asking import FileMatch
from desktop.ui.permission.visible import Kind, Part, parts
from desktop.ui.permission.words import file_lines
from desktop.ui.theme import SMALL_PX, Theme

MAX_SCREEN_SHARE = 0.4
QUIET_PX = 72
MOST_PARTS = 2000  # of one line
LONGEST_WORD = 2000  # looking for the end of a longer one takes minutes
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"

_DIFF_COLOURS = {"+": "success", "-": "danger", "@": "secondary"}
Line = tuple[Iterable[Part], str]  # parts, colour token


class ShownText(QTextEdit):
    """Complete; lines wrap, and what is higher than 40 % of the screen scrolls.

    In the fixed-width font and a frame or, if `quiet`, in the small font without one, a few lines high.

    Tab leaves it. What we wrote ourselves (escapes, marks) has a ground of its own, so that the same
    letters typed into the text look different.
    """

    def __init__(self, theme: Theme, name: str, words: str, quiet: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._quiet = quiet
        self.setProperty("quiet", quiet)
        self._lines: list[Line] = []
        self._styled = False
        self._heights: dict[int, int] = {}  # by width, of the text as it is drawn now
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)  # it would paint over the round border
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_text(self, text: str) -> None:
        """Show `text`, with everything unseen written out."""
        self._fill([(parts(text), "secondary" if self._quiet else "text")])

    def show_diff(self, diff: str) -> None:
        """Show the lines of a unified diff; the first letter of each says what it is."""
        lines = diff.removesuffix("\n").split("\n")
        start = next((number for number, line in enumerate(lines) if line.startswith("@@")), 0)
        self._fill(
            [
                (_diff_parts(line), "secondary" if number < start else _DIFF_COLOURS.get(line[:1], "text"))
                for number, line in enumerate(lines)
            ]
        )

    def show_files(self, files: tuple[FileMatch, ...]) -> None:
        """One file a line: path, then size."""
        self._fill(
            [((*parts(path), Part(f"  {size}", Kind.TEXT)), "text") for path, size in file_lines(files)]
        )

    def restyle(self) -> None:
        """Take font and colours from the theme; called once before the text is first seen."""
        self._styled = True
        self.document().setDefaultFont(self._letters())
        self.document().setDocumentMargin(self._theme.px(0 if self._quiet else 8))
        self._draw()

    def fit(self, width: int) -> bool:
        """Take `width` and the height that the text needs, at most 40 % of the screen; True if it scrolls."""
        needed = self._needed(width)
        most = int(self.screen().availableGeometry().height() * MAX_SCREEN_SHARE)
        if self._quiet:
            most = min(most, self._theme.px(QUIET_PX))
        self.setFixedHeight(min(needed, most))
        return needed > most

    def _needed(self, width: int) -> int:
        if width not in self._heights:
            document = self.document().clone()
            document.setTextWidth(width - 2)
            self._heights[width] = math.ceil(document.size().height()) + 2
        return self._heights[width]

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(200), self.height())

    def _fill(self, lines: list[Line]) -> None:
        self._lines = [(tuple(_bounded(line)), colour) for line, colour in lines]
        if self._styled:
            self._draw()

    def _draw(self) -> None:
        self._heights.clear()
        self.clear()
        self._set_wrapping()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()  # laid out once, not after each part
        for number, (line, colour) in enumerate(self._lines):
            if number:
                cursor.insertBlock()
            for part in line:
                cursor.insertText(_drawn(part), self._format(part.kind, colour))
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _set_wrapping(self) -> None:
        words = "".join(_drawn(part) for line, _colour in self._lines for part in line).split()
        endless = max(map(len, words), default=0) > LONGEST_WORD
        mode = QTextOption.WrapMode
        option = QTextOption()
        option.setWrapMode(mode.WrapAnywhere if endless else mode.WrapAtWordBoundaryOrAnywhere)
        # Commands and paths read from the left, whatever letters they hold.
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self.document().setDefaultTextOption(option)

    def _letters(self) -> QFont:
        return self._theme.font(SMALL_PX) if self._quiet else self._theme.mono_font()

    def _format(self, kind: Kind, colour: str) -> QTextCharFormat:
        drawn = QTextCharFormat()
        drawn.setFont(self._letters())
        if self._theme.high_contrast:
            drawn.setFontUnderline(kind is Kind.ESCAPE)
            return drawn
        own = kind in (Kind.SPACE, Kind.BREAK)
        drawn.setForeground(self._theme.colour("secondary" if own else colour))
        if kind is Kind.ESCAPE:
            drawn.setForeground(self._theme.colour("warning"))
            drawn.setFontUnderline(True)
        if kind in (Kind.ESCAPE, Kind.SPACE):
            drawn.setBackground(self._theme.colour("selection"))
        return drawn


def _bounded(line: Iterable[Part]) -> Iterator[Part]:
    """A line of very many parts becomes one part, all of it marked: laying it out would take minutes."""
    row: list[Part] = []
    for part in line:
        row.append(part)
        if part.kind is Kind.BREAK:
            yield from _one_if_many(row)
            row = []
    yield from _one_if_many(row)


def _one_if_many(row: list[Part]) -> list[Part]:
    return row if len(row) <= MOST_PARTS else [Part("".join(map(_drawn, row)), Kind.ESCAPE)]


def _drawn(part: Part) -> str:
    """Right-to-left words are closed in, so that they keep their letters' order but not their neighbours'."""
    if part.kind is Kind.RIGHT_TO_LEFT:
        return f"{FIRST_STRONG_ISOLATE}{part.text}{POP_ISOLATE}"
    return part.text


def _diff_parts(line: str) -> tuple[Part, ...]:
    return (Part(line[:1], Kind.TEXT), *parts(line[1:])) if line[:1] in (" ", "+", "-") else parts(line)
