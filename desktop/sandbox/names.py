r"""What the text of a path may say, judged before the disk is asked.

The rules are the same on every system, so that a conversation or a set of files moved to another computer
means the same there: what only Windows reads as a device, a stream or a share is refused on Linux too.

Sources: Microsoft's "Naming Files, Paths, and Namespaces" (reserved names, trailing dots and spaces, `\\?\`,
`\\.\`, streams); Unicode Technical Report 36 (look-alikes, invisible characters).
"""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from desktop.sandbox.refusals import bad_name

MAX_CHARACTERS = 4096
# Drawn like a slash or a backslash; NFKC does not turn these into one.
SLASH_LIKE = frozenset("\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f8\u29f9\u1735")
# Drawn like a dot; NFKC does not turn these into one.
DOT_LIKE = frozenset("\u0701\u0702\u3002\uff61\ua60e\u00b7\u2022\u2219\u22c5")
JOINERS = frozenset("\u200c\u200d")  # letters of Persian and parts of emoji need them
RESERVED = re.compile(
    r"(?:CON|PRN|AUX|NUL|CLOCK\$|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])(?:[.: ].*)?",
    re.IGNORECASE | re.DOTALL,
)
TIME_OF_DAY = re.compile(r"(?<=\d):(?=\d)")  # `12:30.txt` is a plain name outside Windows
WINDOWS = os.name == "nt"


@dataclass(frozen=True)
class Written:
    """A path as it was written: its components, without `.`; absolute when `anchor` is not empty."""

    text: str
    anchor: str
    parts: tuple[str, ...]


def read(text: str, windows: bool = WINDOWS) -> Written:
    """Take `text` apart. Raises UserFacing with the reason when any part of it is not plain."""
    _check_characters(text)
    text_at_home = _at_home(text)
    separated = text_at_home.replace("\\", "/") if windows else text_at_home
    _check_form(text, separated, windows)
    anchor, rest = _anchor(separated, windows)
    parts = tuple(part for part in rest.split("/") if part not in ("", "."))
    for part in parts:
        _check_part(text, part, windows)
    return Written(text, anchor, parts)


def _check_characters(text: str) -> None:
    if not text.strip():
        raise bad_name(text, "it is empty", "path-name")
    if len(text) > MAX_CHARACTERS:
        raise bad_name(text[:80] + "…", f"it is longer than {MAX_CHARACTERS} characters", "path-name")
    if "\0" in text:
        raise bad_name(text, "it contains a NUL character", "path-name")
    for character in text:
        if _is_invisible(character):
            raise bad_name(text, f"it contains the invisible character {_code(character)}", "path-name")
        if character in SLASH_LIKE or _folds_to_slash(character):
            raise bad_name(text, f"{_code(character)} only looks like a slash", "path-look-alike")


def _is_invisible(character: str) -> bool:
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and character not in JOINERS
    )


def _folds_to_slash(character: str) -> bool:
    return character not in "/\\" and not set("/\\").isdisjoint(unicodedata.normalize("NFKC", character))


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _at_home(text: str) -> str:
    return str(Path.home()) + text[1:] if text == "~" or text.startswith("~/") else text


def _check_form(text: str, separated: str, windows: bool) -> None:
    slashes = separated.replace("\\", "/")
    if slashes.startswith(("//", "/??/")):
        raise bad_name(text, "paths of shares and devices (two slashes in front) are not used", "path-device")
    if not windows and "\\" in separated:
        raise bad_name(text, "it contains a backslash; write folders with /", "path-name")


def _anchor(text: str, windows: bool) -> tuple[str, str]:
    if windows and re.match(r"[A-Za-z]:/", text):
        return text[:3], text[3:]
    return ("/", text[1:]) if text.startswith("/") else ("", text)


def _check_part(text: str, part: str, windows: bool) -> None:
    if part == "..":
        raise bad_name(text, "it goes up with ..", "path-up")
    if _looks_like_dots(part):
        raise bad_name(text, f"{part!r} only looks like dots", "path-look-alike")
    if part.startswith("..namedfork"):
        raise bad_name(text, "it names a resource fork", "path-stream")
    if RESERVED.fullmatch(part):
        raise bad_name(text, f"{part!r} is the name of a device on Windows", "path-device")
    if ":" in (part if windows else TIME_OF_DAY.sub("", part)):
        raise bad_name(text, "a colon names a drive or a hidden stream", "path-stream")
    if part[-1] == "." or part[-1].isspace():
        raise bad_name(text, f"{part!r} ends in a dot or a space, which some systems drop", "path-name")


def _looks_like_dots(part: str) -> bool:
    """True for names made only of dots or of what is drawn like them; `.` and `..` were handled before."""
    folded = unicodedata.normalize("NFKC", "".join("." if c in DOT_LIKE else c for c in part))
    return not folded.strip(". ")
