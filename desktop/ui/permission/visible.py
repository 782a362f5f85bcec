"""Text as it really is: what cannot be seen is written out, so that nothing hides in a command.

No Qt: the terminal and a screen reader need the same words as the dialog.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape
from itertools import groupby
from operator import attrgetter, itemgetter

from desktop.ui.language import tr

# Letters and marks that draw nothing although their category says letter, mark or symbol
# (Unicode 16, DerivedCoreProperties.txt, Default_Ignorable_Code_Point; and the blank Braille pattern).
_BLANK = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0x1D159, 0x1D159),
    (0xE0000, 0xE0FFF),
)
# Controls, formats (bidi, zero width, tags), surrogates, private, unassigned, line and paragraph separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_RIGHT_TO_LEFT = frozenset({"R", "AL"})

# Beyond these a run is told by its length: it would push the rest out of sight.
LONGEST_SPACES = 24
LONGEST_BREAKS = 3
# A stretch of letters that fits into a line of the narrowest window; a longer one may be broken anywhere.
LONGEST_PIECE = 16
LONGEST_WORD = 24  # of letters alone: broken in its middle it is read as two
PLACE = "\u200b"
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
_AROUND_WORDS = ".,:;!?()[]{}'\"„“”‚‘’«»…-_/\\"
_SEPARATORS = "/\\_.-"
_SEPARATED = re.compile(r"[^/\\_.\-]*[/\\_.\-]+|[^/\\_.\-]+")
# Words in Latin letters with one space between them, which is what nearly every text of the windows is.
_ORDINARY = re.compile("[!-~À-ɏ–—‘-„…]+(?: [!-~À-ɏ–—‘-„…]+)*")


class PartKind(Enum):
    """How a part is drawn. Everything but text and right-to-left words is our own writing."""

    TEXT = "text"
    RIGHT_TO_LEFT = "right to left"  # letters that would draw their neighbours into another order
    SPACE = "space"
    BREAK = "break"
    ESCAPE = "escape"


@dataclass(frozen=True)
class Part:
    """A stretch of the shown text."""

    text: str
    kind: PartKind


@dataclass(frozen=True)
class Placed:
    """A part, and the characters of the text that it stands for: from `start` up to `end`, exclusive."""

    part: Part
    start: int
    end: int


def parts(text: str) -> tuple[Part, ...]:
    """`text` cut into what is shown as it is and what is written out; nothing is left away."""
    if _ORDINARY.fullmatch(text):  # each button has such a tooltip, and a chat has hundreds of buttons
        return (Part(text, PartKind.TEXT),)
    return tuple(
        Part("".join(part.text for part in alike), kind)
        for kind, alike in groupby((placed.part for placed in _placed(text)), attrgetter("kind"))
    )


def pieces(text: str, cuts: Iterable[int] = ()) -> Iterator[Placed]:
    """The same with places, and cut at `cuts` too, so that a stretch of `text` can be drawn in its own way.

    What cannot be cut stays whole: a counted run, line breaks, and right-to-left words, whose halves would
    be drawn in the wrong order.
    """
    wanted = sorted(set(cuts))
    at = 0
    for placed in _placed(text):
        while at < len(wanted) and wanted[at] <= placed.start:
            at += 1
        if at < len(wanted) and wanted[at] < placed.end:
            yield from _cut(placed, text, wanted[at : bisect_left(wanted, placed.end)])
        else:
            yield placed


def visible(text: str) -> str:
    """The same as one string."""
    return "".join(part.text for part in parts(text))


def code_of(letter: str) -> str:
    """`\\x1b`, `\\u202e`, `\\U000e0041`: the code of a character that cannot be seen."""
    code = ord(letter)
    if code <= 0xFF:
        return {"\r": "\\r", "\0": "\\0"}.get(letter, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _cut(placed: Placed, text: str, cuts: Iterable[int]) -> Iterator[Placed]:
    """`placed` in pieces, where each of its characters is shown for itself."""
    kind, start = placed.part.kind, placed.start
    table: dict[PartKind, Callable[[str], str]] = {
        PartKind.ESCAPE: code_of,
        PartKind.TEXT: str,
        PartKind.SPACE: _mark,
    }
    shown = table.get(kind)
    whole = text[placed.start : placed.end]
    if shown is None or "".join(map(shown, whole)) != placed.part.text:
        yield placed
        return
    for end in (*cuts, placed.end):
        yield Placed(Part("".join(map(shown, text[start:end])), kind), start, end)
        start = end


def _placed(text: str) -> Iterator[Placed]:
    position = 0
    for run in _runs(text):
        yield Placed(run[0], position, position + run[1])
        position += run[1]


def _runs(text: str) -> Iterator[tuple[Part, int]]:
    """Each part with the number of characters that it stands for."""
    position = 0
    for kind, pairs in groupby(zip(_kinds(text), text, strict=True), itemgetter(0)):
        run = "".join(letter for _kind, letter in pairs)
        position += len(run)
        if kind is PartKind.SPACE:
            at_edge = position == len(run) or position == len(text)
            marked = at_edge or "\n" in (text[position - len(run) - 1], text[position])
            yield _spaces(run, marked), len(run)
        elif kind is PartKind.BREAK:
            yield _breaks(run), len(run)
        elif kind is PartKind.ESCAPE:
            yield Part("".join(map(code_of, run)), kind), len(run)
        else:
            yield Part(run, kind), len(run)


def _kinds(text: str) -> Iterator[PartKind]:
    """The kind of each letter; a vowel point belongs to the letter that it stands on."""
    kind = PartKind.TEXT
    for letter in text:
        new = _kind(letter)
        carried = kind is PartKind.RIGHT_TO_LEFT and unicodedata.bidirectional(letter) == "NSM"
        kind = kind if new is PartKind.TEXT and carried else new
        yield kind


def _kind(letter: str) -> PartKind:
    if "!" <= letter <= "~":
        return PartKind.TEXT
    if letter in " \t":
        return PartKind.SPACE
    if letter == "\n":
        return PartKind.BREAK
    if _is_unseen(letter):
        return PartKind.ESCAPE
    return PartKind.RIGHT_TO_LEFT if unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT else PartKind.TEXT


def _is_unseen(letter: str) -> bool:
    category = unicodedata.category(letter)
    return (
        category in _UNSEEN
        or category == "Zs"  # every space but the plain one, which is marked as a run
        or any(first <= ord(letter) <= last for first, last in _BLANK)
    )


def _spaces(run: str, at_edge: bool) -> Part:
    """One space between words is itself; runs, tabs and what stands at an end of a line are marked."""
    if run == " " and not at_edge:
        return Part(run, PartKind.TEXT)
    if len(run) > LONGEST_SPACES:
        return Part(tr("‹{count:,} {names}›", count=len(run), names=_names(run)), PartKind.SPACE)
    return Part("".join(map(_mark, run)), PartKind.SPACE)


def _mark(space: str) -> str:
    return "·" if space == " " else "→"


def _names(run: str) -> str:
    names = {" ": tr("spaces"), "\t": tr("tabs")}
    return tr(" and ").join(name for letter, name in names.items() if letter in run)


def _breaks(run: str) -> Part:
    """A marked end of line, because a wrapped line looks the same; many are counted."""
    if len(run) > LONGEST_BREAKS:
        return Part(tr("‹{count:,} line breaks›\n", count=len(run)), PartKind.BREAK)
    return Part("↵\n" * len(run), PartKind.BREAK)


def breakable(text: str, lines: bool = False) -> str:
    """`text` written out, for a label that breaks lines only between words; in one line or, with `lines`, in
    its own.

    Long names get places to break that take no room. For drawing alone: these places are characters. What
    was written out already stays as it is.
    """
    shown = [part if lines else _in_a_line(part) for part in parts(text.replace("↵\n", "\n"))]
    drawn_text = "".join(map(drawn, _sentences(shown)))
    return "\n".join(" ".join(map(_with_places, line.split(" "))) for line in drawn_text.split("\n"))


def _sentences(shown: Sequence[Part]) -> Iterator[Part]:
    """Right-to-left words with a space between them as one, which keeps their order. A text that begins with
    such a word is written in their direction as a whole, and is left to that.
    """
    first = next((part for part in shown if any(map(str.isalpha, part.text))), None)
    if first is not None and first.kind is PartKind.RIGHT_TO_LEFT:
        yield from (Part(part.text, PartKind.TEXT) for part in shown)
        return
    words: list[Part] = []
    for part in shown:
        if words and part.kind is not PartKind.RIGHT_TO_LEFT and (part.text != " " or words[-1].text == " "):
            yield from _closed(words)
            words = []
        if words or part.kind is PartKind.RIGHT_TO_LEFT:
            words.append(part)
        else:
            yield part
    yield from _closed(words)


def _closed(words: list[Part]) -> Iterator[Part]:
    """One part of all, and a last space for itself."""
    after = [words.pop()] if words and words[-1].text == " " else []
    if words:
        yield Part("".join(part.text for part in words), PartKind.RIGHT_TO_LEFT)
    yield from after


def plain_tip(text: str) -> str:
    """`text` for a tooltip: Qt would take the first mark in it for its own, and hide what the mark hides."""
    shown = written_out(text)
    if "<" not in shown and "&" not in shown:
        return shown
    return f"<qt>{escape(shown).replace(chr(10), '<br>')}</qt>"


def written_out(text: str) -> str:
    """`text` in its lines, each of them written out, for what is drawn by others, such as a notification."""
    return "\n".join("".join(drawn(part) for part in parts(line.strip())) for line in text.split("\n"))


def drawn(part: Part) -> str:
    """Right-to-left words are closed in, so that they keep their letters' order but not their neighbours'."""
    if part.kind is PartKind.RIGHT_TO_LEFT:
        return f"{FIRST_STRONG_ISOLATE}{part.text}{POP_ISOLATE}"
    return part.text


def _in_a_line(part: Part) -> Part:
    return Part(part.text.replace("\n", " "), part.kind) if part.kind is PartKind.BREAK else part


def _with_places(word: str) -> str:
    """After separators, and anywhere in what is still too long."""
    pieces_of = _SEPARATED.findall(word)
    # What a path begins with stays with its first name: alone at the end of a line it is read as the root.
    if len(pieces_of) > 1 and not pieces_of[0].strip(_SEPARATORS):
        pieces_of[:2] = ["".join(pieces_of[:2])]
    return PLACE.join(piece if len(piece) <= _longest(piece) else PLACE.join(piece) for piece in pieces_of)


def _longest(piece: str) -> int:
    """How many letters stay together: a word is never broken in its middle, a hash or a key is."""
    return LONGEST_WORD if piece.strip(_AROUND_WORDS).isalpha() else LONGEST_PIECE
