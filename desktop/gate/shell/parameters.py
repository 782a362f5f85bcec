"""What `${name%…}` and its kin make of a value that the line tells, and which folders the shell itself names.

`grep -r x ${PWD%/*}` goes through the folder above, and `cat ${x%-}/work` reads what x says without its last
letter: where both value and operator are spelled out, the result is, too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from functools import lru_cache

from desktop.gate.shell.words import ANY_MARK, VARIABLE

LONGEST_VALUE = 1_024  # characters; each place in it is tried
LONGEST_OPERATOR = 64
# In an operator these stand for what is not spelled out here, or for patterns of bash alone.
_NOT_PLAIN = re.compile(r"[$`\"'\\(){}<>\x00-\x1f]")
_SUBSTRING = re.compile(r":\s*(\d+|\s-\d+)(?:\s*:\s*(-?\d+))?\s*")
_CASES: dict[str, Callable[[str], str]] = {
    "^^": str.upper,
    ",,": str.lower,
    "^": lambda value: value[:1].upper() + value[1:],
    ",": lambda value: value[:1].lower() + value[1:],
    "@U": str.upper,
    "@L": str.lower,
    "@u": lambda value: value[:1].upper() + value[1:],
}
HOME = "~"  # stands for the user's home folder, whose name the line does not tell
ABOVE_HOME = "~/.."


def changed_value(value: str, operator: str) -> str | None:
    """What the shell makes of `value`; None where the text does not tell."""
    if ANY_MARK.search(value) or len(value) > LONGEST_VALUE or len(operator) > LONGEST_OPERATOR:
        return None
    if _NOT_PLAIN.search(operator):
        return None
    if value[:1] == HOME:
        return _of_home(value, operator)
    if operator in _CASES:
        return _CASES[operator](value)
    part = _SUBSTRING.fullmatch(operator)
    if part is not None:
        return _substring(value, int(part[1]), part[2])
    if operator[0] == "/" and len(operator) > 1:
        return _replaced(value, operator)
    if operator[0] in "%#":
        is_long = operator[:2] in ("%%", "##")
        return _cut(value, operator[2 if is_long else 1 :], is_long=is_long, at_end=operator[0] == "%")
    return None


def _of_home(value: str, operator: str) -> str | None:
    """What stands before the sign only this user's computer knows; what is cut off behind it is told."""
    if value == HOME:
        return {"%/*": ABOVE_HOME, "%%/*": "", "%/": HOME}.get(operator)
    if operator[0] != "%" or operator[:2] == "%%":
        return None
    left = _cut(value, operator[1:], is_long=False, at_end=True)
    return left or None


def _substring(value: str, start: int, length: str | None) -> str:
    start = start if start >= 0 else max(len(value) + start, 0)
    if length is None:
        return value[start:]
    return value[start : start + int(length)] if int(length) >= 0 else value[start : int(length)]


@lru_cache(maxsize=256)
def _fits(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.replace("[^", "[!")))


def _cut(value: str, pattern: str, *, is_long: bool, at_end: bool) -> str:
    """Without the shortest or longest beginning or end that matches."""
    fits = _fits(pattern).match
    places = range(len(value) + 1)
    if at_end:
        found = [place for place in (places if is_long else reversed(places)) if fits(value[place:])]
        return value[: found[0]] if found else value
    found = [place for place in (reversed(places) if is_long else places) if fits(value[:place])]
    return value[found[0] :] if found else value


def _replaced(value: str, operator: str) -> str | None:
    """`/old/new` once, `//old/new` everywhere, `/#old/new` at the beginning, `/%old/new` at the end."""
    how = operator[1] if operator[1] in "/#%" else ""
    old, _, new = operator[1 + len(how) :].partition("/")
    # Where a pattern begins and ends in the midst of a text takes another search.
    if re.search(r"[*?\[&]", old) or "&" in new or not old:
        return None
    if how == "#":
        return new + value.removeprefix(old) if value.startswith(old) else value
    if how == "%":
        return value.removesuffix(old) + new if value.endswith(old) else value
    return value.replace(old, new) if how == "/" else value.replace(old, new, 1)


# -- folders by their own names --------------------------------------------------------------------

_OF_HISTORY = re.compile(r"~([+-]?\d+|[+-])(?=/|$)")


def with_own_folders(text: str, here: str, before: str) -> str:
    """A word with `~+`, `~-` and `~2` in front as the folder that it stands for.

    `before` is the last folder that the shell was in; "" for a folder that the line does not tell.
    """
    found = _OF_HISTORY.match(text)
    if found is None:
        return text
    folder = {"+": here or ".", "-": before}.get(found[1], "")
    return (folder or VARIABLE) + text[found.end() :]


PRINT_FOLDERS = frozenset({"pwd", "git", "dirname", "basename", "realpath", "readlink", "xdg-user-dir"})
TOP_LEVEL = ("git", "rev-parse", "--show-toplevel")


def printed_folder(words: Sequence[str], here: str, project: str) -> str | None:
    """The folder that a command prints whose words tell it, without what only the disk knows."""
    if tuple(words) == TOP_LEVEL:
        return project or None
    name, rest = words[0].rpartition("/")[2], list(words[1:])
    if name == "pwd":
        return here or "."
    if name == "xdg-user-dir":  # of what is not set up it prints the home folder
        return HOME
    operands = [word for word in rest if word[:1] != "-"]
    if len(operands) != 1 or any(ANY_MARK.search(word) for word in rest):
        return None
    if name == "dirname":
        return dirname(operands[0])
    if name == "basename" and len(rest) == 1:
        return posixpath.basename(operands[0].rstrip("/")) if operands[0][:1] != "~" else None
    options = {word for word in rest if word[:1] == "-"}
    # Links are followed by the disk's own look at what the words name.
    follows = name == "realpath" or (name == "readlink" and bool(options & {"-f", "-e", "-m"}))
    return operands[0] if follows and options <= _ONLY_FOLLOW else None


_ONLY_FOLLOW = frozenset({"-f", "-e", "-m", "-s", "-L", "-P", "-q", "--"})


def dirname(path: str) -> str:
    """As the program does, with the home folder by its sign."""
    if path.rstrip("/") == HOME:
        return ABOVE_HOME
    return posixpath.dirname(path.rstrip("/") or "/") or "."
