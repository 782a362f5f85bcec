"""Words of a command after quoting is undone, with marks where the text cannot tell the value."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

VARIABLE = "\x01"  # the value of a variable from outside: an operand, never code
OUTPUT = "\x02"  # what a command prints
OPAQUE = "\x03"  # made from parts of this very line in a way that is not followed: could be anything
MARKS = VARIABLE + OUTPUT + OPAQUE
ANY_MARK = re.compile(f"[{MARKS}]")
# Behind OUTPUT: it is names that begin with no dash; it stands without quotes and may be several words.
NAMES = "\x05"
LOOSE = "\x06"
MORE_MARKS = re.compile(f"[{NAMES}{LOOSE}]")
GIVEN = re.compile(f"{OUTPUT}(?!{NAMES})")  # what data give, of whatever form

# Quoted braces and commas, kept apart from those that expand.
HIDDEN = {"{": "\ue001", "}": "\ue002", ",": "\ue003"}
HIDE = str.maketrans(HIDDEN)
REVEAL = str.maketrans({hidden: plain for plain, hidden in HIDDEN.items()})


def hide(text: str) -> str:
    """Quoted text, whose braces and commas do not expand."""
    # A look costs a tenth of the translation, and few words hold one of them.
    return text.translate(HIDE) if "," in text or "{" in text or "}" in text else text


def reveal(text: str) -> str:
    """What `hide` has hidden, as it was."""
    return text if text.isascii() else text.translate(REVEAL)


# Control characters, blanks that bash takes for letters, marks that turn text around, and what is used here.
RESERVED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ue000-\ue00f"
    "\ud800-\udfff]"
)

# Cyrillic and Greek letters that are drawn like Latin ones. Whoever reads "суdo" reads another word.
_LIKE_LATIN = "авеікмһорстухѕјԁԛԝАВЕЅІЈКМНОРСТУХԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧιοντυ"
_LIKE = re.compile(f"[{_LIKE_LATIN}]")
_LATIN = re.compile("[A-Za-z]")
_WORD = re.compile(r"\w+")

MAX_FIELDS = 64


def mixed_letters(text: str) -> re.Match[str] | None:
    """The first word that has Latin letters beside ones that only look like them."""
    if text.isascii() or _LIKE.search(text) is None:
        return None
    words = _WORD.finditer(text)
    return next((each for each in words if _LIKE.search(each[0]) and _LATIN.search(each[0])), None)


class Word(NamedTuple):
    """One argument. `start` and `end` are byte offsets in the outermost command line."""

    text: str
    start: int = 0
    end: int = 0
    quoted: bool = False

    @property
    def fixed(self) -> bool:
        """Whether the text is all that the program will get."""
        return not ANY_MARK.search(self.text)

    def but(self, text: str) -> Word:
        """The same place with another text."""
        return Word(text, self.start, self.end, self.quoted)


ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
}
ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c(.)|(.))", re.DOTALL
)


def unescape_ansi(text: str) -> str:
    """What stands between the quotes of $'…', as bash reads it; also what `printf` and `echo -e` print."""

    def value(found: re.Match[str]) -> str:
        hexadecimal, short, long, octal, control, letter = found.groups()
        digits = hexadecimal or short or long
        if digits:
            return chr(int(digits, 16) % 0x110000)
        if octal:
            return chr(int(octal, 8) & 255)
        if control:
            return chr(ord(control) & 31)
        return ESCAPES.get(letter, letter if letter in "\\'\"?" else "\\" + letter)

    return ESCAPE.sub(value, text)


RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")


def expand_braces(text: str, limit: int = MAX_FIELDS) -> list[str] | None:
    """What bash makes of {a,b} and {1..3}; None when there are more than `limit` results."""
    done: list[str] = []
    waiting = [text]
    while waiting:
        current = waiting.pop()
        if len(done) + len(waiting) > limit:
            return None
        group = _first_group(current)
        if group is None:
            done.append(current)
            continue
        start, end, choices = group
        waiting.extend(current[:start] + choice + current[end:] for choice in reversed(choices))
    return done


def _first_group(text: str) -> tuple[int, int, list[str]] | None:
    """The first brace group that expands: its place and its choices."""
    start = text.find("{")
    while start >= 0:
        group = _group_at(text, start)
        if group is not None:
            return start, *group
        start = text.find("{", start + 1)
    return None


def _group_at(text: str, start: int) -> tuple[int, list[str]] | None:
    depth, pieces, last = 0, [], start + 1
    for place in range(start, len(text)):
        letter = text[place]
        if letter == "{":
            depth += 1
        elif letter == "," and depth == 1:
            pieces.append(text[last:place])
            last = place + 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                return _choices(text, start, place, pieces, last)
    return None


def _choices(text: str, start: int, end: int, pieces: list[str], last: int) -> tuple[int, list[str]] | None:
    if pieces:
        return end + 1, [*pieces, text[last:end]]
    steps = RANGE.fullmatch(text[start + 1 : end])
    return (end + 1, _range(*steps.groups())) if steps else None


def _range(first: str, last: str, step: str | None) -> list[str]:
    numbers = first.lstrip("-").isdigit() and last.lstrip("-").isdigit()
    low, high = (int(first), int(last)) if numbers else (ord(first[0]), ord(last[0]))
    width = abs(int(step)) if step and int(step) else 1
    values = range(low, high + 1, width) if low <= high else range(low, high - 1, -width)
    return [str(value) if numbers else chr(value) for value in islice(values, MAX_FIELDS + 1)]
