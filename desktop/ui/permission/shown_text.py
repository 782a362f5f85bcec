"""Boxes for text that must be read exactly: arguments in colours, a change as a diff, a list of files.

Qt paints only the last part. What a change consists of and which part of a command line is what are values,
and their colours are those of the theme by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby
from operator import attrgetter

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QAbstractSlider, QFrame, QSizePolicy, QTextEdit

from desktop.asking import FileMatch
from desktop.ui import theme
from desktop.ui.code_colours import (
    COMMENT,
    KEYWORD,
    NAME,
    NUMBER,
    OPERATOR,
    PUNCTUATION,
    STRING,
    TEXT,
    Kind,
    descends,
    lexer_of,
)
from desktop.ui.permission.visible import Part, PartKind, drawn, parts, pieces
from desktop.ui.permission.words import file_lines
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.layout import named

LONGEST_COMPARED = 400  # characters of a line; the words of a longer one are not told apart

MOST_COMPARED = 400  # pairs of lines


BETWEEN = "⋯"  # between two places of a file

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


Span = tuple[int, int]


@dataclass(frozen=True)
class ChangeLine:
    """One line of a diff. `mark` is "+", "-", " " or, for what is said about the change, "".

    `text` is the line without its mark. `number` is its line in the new file, for "-" in the old one; 0 where
    the diff does not tell. `changed` are the stretches of `text` that its counterpart does not have.
    """

    mark: str
    text: str
    number: int = 0
    changed: tuple[Span, ...] = ()


def read_change(diff: str) -> tuple[ChangeLine, ...]:
    """All lines of `diff`, in order."""
    return tuple(_compared(list(_lines(diff.removesuffix("\n").split("\n")))))


def without_notation(lines: Sequence[ChangeLine]) -> tuple[ChangeLine, ...]:
    """The lines as people read them: without the notation of diffs, which says what title and numbers say.

    Of several files the names stay. Where only the end of the last line is another, that is all there is to
    see, and is kept.
    """
    is_one_file = sum(line.mark == "" and line.text.startswith("+++ ") for line in lines) < 2
    both = {line.text for line in lines if line.mark == "-"} & {
        line.text for line in lines if line.mark == "+"
    }
    kept: list[ChangeLine] = []
    for line in lines:
        if line.mark:
            kept.append(line)
        elif line.text.startswith("@@"):
            # Lines are left out before it, which their numbers say as well.
            if kept and not _is_header(kept[-1].text):
                kept.append(ChangeLine("", BETWEEN))
        elif line.text.startswith("\\"):
            kept += [line] if both else []
        elif not (is_one_file and _is_header(line.text)):
            kept.append(line)
    return tuple(kept)


def counts(lines: Sequence[ChangeLine]) -> tuple[int, int]:
    """How many lines were added and removed."""
    return sum(line.mark == "+" for line in lines), sum(line.mark == "-" for line in lines)


def _lines(raw: Sequence[str]) -> Iterator[ChangeLine]:
    """A removed line may begin with `--`: inside a hunk its counts tell how far it goes."""
    old = new = old_left = new_left = 0
    has_begun = not any(line.startswith("@@") for line in raw)
    for line in raw:
        mark, hunk = line[:1], _HUNK.match(line)
        is_inside = old_left > 0 or new_left > 0
        if not is_inside and line.startswith("@@"):
            has_begun = True
            if hunk is not None:
                old, new = int(hunk[1]), int(hunk[3])
                old_left, new_left = int(hunk[2] or 1), int(hunk[4] or 1)
            yield ChangeLine("", line)
        elif not is_inside and (not has_begun or mark not in ("+", "-", " ") or _is_header(line)):
            yield ChangeLine("", line)
        elif mark == "-":
            yield ChangeLine("-", line[1:], old if is_inside else 0)
            old, old_left = old + 1, old_left - 1
        elif mark == "+":
            yield ChangeLine("+", line[1:], new if is_inside else 0)
            new, new_left = new + 1, new_left - 1
        elif mark == "\\":
            yield ChangeLine("", line)
        else:
            yield ChangeLine(" ", line[1:], new if is_inside else 0)
            old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1


def _is_header(line: str) -> bool:
    return line.startswith(("--- ", "+++ "))


def _compared(lines: list[ChangeLine]) -> list[ChangeLine]:
    """Each removed line beside the added one that took its place."""
    at = pairs = 0
    while at < len(lines):
        removed = _run(lines, at, "-")
        added = _run(lines, at + removed, "+")
        for number in range(min(removed, added)):
            # A change of a whole file compares every line with another; the window must not wait for that.
            if pairs == MOST_COMPARED:
                return lines
            pairs += 1
            first, second = at + number, at + removed + number
            before, after = _differing(lines[first].text, lines[second].text)
            lines[first] = replace(lines[first], changed=before)
            lines[second] = replace(lines[second], changed=after)
        at += max(1, removed + added)
    return lines


def _run(lines: Sequence[ChangeLine], start: int, mark: str) -> int:
    end = start
    while end < len(lines) and lines[end].mark == mark:
        end += 1
    return end - start


def _differing(before: str, after: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The words of each that the other lacks; none where the lines have next to nothing in common."""
    if max(len(before), len(after)) > LONGEST_COMPARED:
        return (), ()
    old, new = _WORD.findall(before), _WORD.findall(after)
    # Its heuristics for long texts leave out what stands often, such as a comma.
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    # Two lines with nothing in common, all of them marked, would say less than no marks.
    if matcher.ratio() < 0.3:
        return (), ()
    changes = [each for each in matcher.get_opcodes() if each[0] != "equal"]
    return (
        tuple(_span(old, start, end) for _kind, start, end, _, _ in changes if end > start),
        tuple(_span(new, start, end) for _kind, _, _, start, end in changes if end > start),
    )


def _span(words: Sequence[str], start: int, end: int) -> Span:
    first = sum(map(len, words[:start]))
    return first, first + sum(map(len, words[start:end]))


LONGEST_COLOURED = 12_000  # characters; a longer line is drawn in one colour


_LEXERS = {"bash": "bash", "sh": "bash", "zsh": "bash", "powershell": "powershell", "cmd": "batch"}

# The first that a token descends from counts.
_COLOURS = (
    (COMMENT, "secondary"),
    (KEYWORD, "code_keyword"),
    (OPERATOR, "code_keyword"),
    (PUNCTUATION, "code_keyword"),
    (STRING, "code_string"),
    (NUMBER, "code_number"),
    ((*NAME, "Variable"), "code_number"),
    ((*NAME, "Builtin"), "code_name"),
)

PROGRAM = "code_name"

_BEFORE_A_PROGRAM = frozenset({"|", "||", "&&", ";", "&", "(", "{", "$(", "`", "do", "then", "else", "!"})


@dataclass(frozen=True)
class Stretch:
    """Characters from `start` up to `end`, exclusive, and the name of their colour."""

    start: int
    end: int
    colour: str


def stretches(command: str, shell: str) -> tuple[Stretch, ...]:
    """The coloured stretches of `command`, in order; none for an unknown shell or a very long line."""
    # A made-up colour is worse than none, and a lexer takes its time for a megabyte.
    if shell not in _LEXERS or len(command) > LONGEST_COLOURED:
        return ()
    lexer = lexer_of(_LEXERS[shell])
    if lexer is None:
        return ()  # drawn in one colour
    return tuple(_joined(_coloured(lexer.get_tokens_unprocessed(command))))


def _coloured(tokens: Iterable[tuple[int, Kind, str]]) -> Iterator[Stretch]:
    a_program_follows = True
    for start, kind, value in tokens:
        colour = _colour_of(kind)
        word = value.strip()
        # Pygments knows no programs; in every shell they stand where a command begins.
        if a_program_follows and not colour and word and descends(kind, TEXT):
            colour = PROGRAM
        if colour:
            yield Stretch(start, start + len(value), colour)
        if word or "\n" in value:
            a_program_follows = word in _BEFORE_A_PROGRAM or value.endswith("\n")


def _colour_of(kind: Kind) -> str:
    return next((colour for known, colour in _COLOURS if descends(kind, known)), "")


def _joined(found: Iterator[Stretch]) -> Iterator[Stretch]:
    """Neighbours of one colour as one: every stretch is laid out for itself."""
    last: Stretch | None = None
    for stretch in found:
        if last is not None and last.end == stretch.start and last.colour == stretch.colour:
            last = Stretch(last.start, stretch.end, last.colour)
            continue
        if last is not None:
            yield last
        last = stretch
    if last is not None:
        yield last


MAX_SCREEN_SHARE = 0.4

QUIET_PX = 72

MOST_PARTS = 2000  # of one line

LONGEST_WORD = 2000  # looking for the end of a longer one takes minutes

_CHANGE_COLOURS = {"+": "success", "-": "danger", " ": "text", "": "secondary"}


@dataclass(frozen=True)
class Ink:
    """A part as it is drawn: its colour's name and, where it decided or changed, bold with a line below."""

    part: Part
    colour: str = "text"
    decided: bool = False
    changed: bool = False


Line = Sequence[Ink]


class ShownText(QTextEdit):
    """Complete; lines wrap, and what is higher than 40 % of the screen scrolls.

    In the fixed-width font and a frame or, if `quiet`, in the small font without one, a few lines high.
    What is to be read and not compared letter by letter (`show_prose`) stands in the font of everything else.

    Tab leaves it. What we wrote ourselves (escapes, marks) has a ground of its own, so that the same
    letters typed into the text look different.
    """

    def __init__(self, name: str, words: str, quiet: bool = False) -> None:
        super().__init__()
        self._quiet = quiet
        self._is_prose = False
        self.setProperty("quiet", quiet)
        self._lines: list[Line] = []
        self._styled = False
        self._decided_at: int | None = None  # where the underlined part begins in the document
        self._heights: dict[int, int] = {}  # by width, of the text as it is drawn now
        named(self, name, words)
        self.setReadOnly(True)
        # Each drawing would be kept as a step that nobody takes back.
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
        self._fill([_inked(parts(text), "secondary" if self._quiet else "text")])

    def show_prose(self, text: str) -> None:
        """Sentences to be read: ends of lines are not marked, and each line has the direction of its letters.

        What is unseen is written out all the same.
        """
        self._fill((_inked(parts(line), "text") for line in text.split("\n")), is_prose=True)

    def show_output(self, text: str) -> None:
        """What a program wrote, as it stands: what is unseen is written out, blanks and ends of lines are not
        marked."""
        self._fill(_output_line(line) for line in text.expandtabs(4).split("\n"))

    def show_command(self, command: str, shell: str, span: tuple[int, int]) -> None:
        """Show a command line in the colours of its shell, with the characters of `span` underlined."""
        plain = _command_line(command, (), span)
        coloured = _command_line(command, stretches(command, shell), span)
        self._fill([plain if _is_slow(coloured) else coloured])

    def show_change(self, lines: Sequence[ChangeLine]) -> None:
        """Show the lines of a diff with their numbers; the letter after the number says what each is."""
        width = len(str(max((line.number for line in lines), default=0)))
        self._fill(_change_line(line, width) for line in without_notation(lines))

    def show_files(self, files: tuple[FileMatch, ...], folder: str = "") -> None:
        """One file a line: path, from `folder` on where it lies there, then size."""
        self._fill(
            _inked((*parts(path), Part(f"  {size}", PartKind.TEXT)), "text")
            for path, size in file_lines(files, folder)
        )

    @property
    def shows_its_end(self) -> bool:
        """Whether the last line stands in the box, wherever the box itself is."""
        end = QTextCursor(self.document())
        end.movePosition(QTextCursor.MoveOperation.End)
        # The rectangle and not the scroll bar: Qt lays a long text out little by little, and until it is
        # through the bar ends before the text does.
        return self.cursorRect(end).bottom() <= self.viewport().height()

    def read_on(self) -> None:
        """The next part of the text."""
        self.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderPageStepAdd)

    def decides_below(self, height: int) -> bool:
        """Whether the underlined part begins further down than `height` from the top of the text."""
        # A question without a command has nothing that decided.
        if self._decided_at is None:
            return False
        return self.cursorRect(self._decided()).bottom() + self.verticalScrollBar().value() > height

    def show_what_decided(self) -> None:
        """Bring the underlined part into sight."""
        if self._decided_at is not None:
            self.setTextCursor(self._decided())
            self.ensureCursorVisible()

    def _decided(self) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._decided_at or 0)
        return cursor

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self._styled:
            self._take_letters()

    def _take_letters(self) -> None:
        """Font and colours of the theme; not before somebody asks how large the text is: drawing costs."""
        self._styled = True
        self.document().setDefaultFont(self._letters())
        self.document().setDocumentMargin(theme.px(0 if self._quiet else 8))
        self._draw()

    def fit(self, width: int, tallest: int | None = None) -> bool:
        """Take `width` and the height that the text needs; True if it scrolls.

        At most `tallest` or 40 % of the screen.
        """
        if not self._styled:
            self._take_letters()
        needed = self._needed(width)
        most = int(self.screen().availableGeometry().height() * MAX_SCREEN_SHARE)
        if tallest is not None:
            most = min(most, tallest)
        if self._quiet:
            most = min(most, theme.px(QUIET_PX))
        self.setFixedHeight(min(needed, most))
        return needed > most

    def _needed(self, width: int) -> int:
        if width not in self._heights:
            # Measured on a copy: laying out the shown one at another width would scroll it.
            document = self.document().clone()
            document.setTextWidth(width - 2)
            self._heights[width] = math.ceil(document.size().height()) + 2
        return self._heights[width]

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), self.height())

    def _fill(self, lines: Iterable[Line], is_prose: bool = False) -> None:
        self._lines = [tuple(_bounded(line)) for line in lines]
        self._is_prose = is_prose
        # Drawn once when it is first measured; a question that is never opened costs nothing.
        if self._styled:
            self._take_letters()

    def _draw(self) -> None:
        self._heights.clear()
        self._decided_at = None
        self.clear()
        self._set_wrapping()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()  # laid out once, not after each part
        for number, line in enumerate(self._lines):
            if number:
                cursor.insertBlock()
            for ink in line:
                if ink.decided and self._decided_at is None:
                    self._decided_at = cursor.position()
                cursor.insertText(drawn(ink.part), self._format(ink))
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _set_wrapping(self) -> None:
        words = "".join(drawn(ink.part) for line in self._lines for ink in line).split()
        # Minutes would go by while Qt looks where such a word ends.
        endless = max(map(len, words), default=0) > LONGEST_WORD
        mode = QTextOption.WrapMode
        option = QTextOption()
        option.setWrapMode(mode.WrapAnywhere if endless else mode.WrapAtWordBoundaryOrAnywhere)
        if not self._is_prose:
            # Commands and paths read from the left, whatever letters they hold.
            option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self.document().setDefaultTextOption(option)

    def _letters(self) -> QFont:
        if self._quiet:
            return theme.font(SMALL_PX)
        return theme.font() if self._is_prose else theme.mono_font()

    def _format(self, ink: Ink) -> QTextCharFormat:
        drawn = QTextCharFormat()
        drawn.setFont(self._letters())
        kind = ink.part.kind
        if kind is PartKind.ESCAPE:
            drawn.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        # Bold and underlined: in high contrast and for colour-blind eyes there is nothing else.
        if ink.decided or ink.changed:
            drawn.setFontWeight(QFont.Weight.Bold)
            drawn.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        # The system's own colours there, whatever they are.
        if not theme.current().high_contrast:
            self._colour(drawn, ink)
        return drawn

    def _colour(self, drawn: QTextCharFormat, ink: Ink) -> None:
        own = {PartKind.SPACE: "secondary", PartKind.BREAK: "secondary", PartKind.ESCAPE: "warning"}
        drawn.setForeground(theme.colour(own.get(ink.part.kind, ink.colour)))
        if ink.part.kind in (PartKind.ESCAPE, PartKind.SPACE):
            drawn.setBackground(theme.colour("selection"))


def _inked(line: Iterable[Part], colour: str) -> Line:
    return [Ink(part, colour) for part in line]


def _output_line(line: str) -> Line:
    cut = (
        Part(each, PartKind.TEXT) if not each.strip(" ") else each for each in re.split("( +)", line) if each
    )
    return _inked(
        [part for each in cut for part in ([each] if isinstance(each, Part) else parts(each))], "text"
    )


def _command_line(command: str, coloured: Sequence[Stretch], span: tuple[int, int]) -> Line:
    """What is shown of `command`, each piece with the colour and the underline of its first character."""
    first, end = span
    cuts = {first, end, *(place for stretch in coloured for place in (stretch.start, stretch.end))}
    line = []
    following = iter(coloured)
    stretch = next(following, None)
    for piece in pieces(command, cuts):
        while stretch is not None and stretch.end <= piece.start:
            stretch = next(following, None)
        inside = stretch is not None and stretch.start <= piece.start
        colour = stretch.colour if inside and stretch is not None else "text"
        line.append(Ink(piece.part, colour, piece.start < end and first < piece.end))
    return line


def _is_slow(line: Line) -> bool:
    """So many pieces in one line that they would be drawn as one."""
    row = 0
    for ink in line:
        row = 0 if ink.part.kind is PartKind.BREAK else row + 1
        if row > MOST_PARTS:
            return True
    return False


def _bounded(line: Line) -> Iterator[Ink]:
    """A line of very many parts becomes one part, all of it marked: laying it out would take minutes."""
    row: list[Ink] = []
    for ink in line:
        row.append(ink)
        if ink.part.kind is PartKind.BREAK:
            yield from _one_if_many(row)
            row = []
    yield from _one_if_many(row)


def _one_if_many(row: list[Ink]) -> list[Ink]:
    """What decided stays told from the rest."""
    if len(row) <= MOST_PARTS:
        return row
    return [
        Ink(Part("".join(drawn(ink.part) for ink in alike), PartKind.ESCAPE), decided=decided)
        for decided, alike in groupby(row, attrgetter("decided"))
    ]


def _change_line(line: ChangeLine, width: int) -> Line:
    colour = _CHANGE_COLOURS[line.mark]
    if not line.mark:
        return _inked(parts(line.text), colour)
    number = f"{line.number or '':>{width}} " if width > 1 or line.number else ""
    cuts = {place for span in line.changed for place in span}
    return [
        Ink(Part(number, PartKind.TEXT), "secondary"),
        Ink(Part(line.mark, PartKind.TEXT), colour),
        *(
            Ink(piece.part, colour, changed=any(a < piece.end and piece.start < b for a, b in line.changed))
            for piece in pieces(line.text, cuts)
        ),
    ]
