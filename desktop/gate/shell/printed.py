"""What a command prints, where the line itself spells it out: text does not hide behind echo or base64."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Sequence

from desktop.gate.shell.words import ANY_MARK, VARIABLE, Word, unescape_ansi

MAX_TEXT = 8000
FORMAT = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?([sdibcqxXuof]))")


def output_of(words: Sequence[Word], stdin: str | None) -> str | None:
    """The standard output of a simple command, None where the line does not tell."""
    program = PROGRAMS.get(words[0].text.rpartition("/")[2]) if words else None
    if program is None:
        return None
    text = program([word.text for word in words[1:]], stdin)
    return text if text is None or len(text) <= MAX_TEXT else None


def echo(arguments: list[str], _stdin: str | None) -> str:
    escapes = newline = None
    while arguments and re.fullmatch(r"-[neE]+", arguments[0]):
        option = arguments.pop(0)
        newline = "" if "n" in option else newline
        escapes = True if "e" in option else escapes
    text = " ".join(arguments)
    return (unescape_ansi(text) if escapes else text) + ("\n" if newline is None else newline)


def printf(arguments: list[str], _stdin: str | None) -> str | None:
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    if not arguments or arguments[0].startswith("-v"):
        return None
    form, values = unescape_ansi(arguments[0]), arguments[1:]
    if not FORMAT.search(form.replace("%%", "")):
        return form.replace("%%", "%")
    printed = ""
    while True:
        before = len(values)

        def one(found: re.Match[str]) -> str:
            if found[1] is None:
                return "%"
            value = values.pop(0) if values else ""
            return unescape_ansi(value) if found[1] == "b" else value[:1] if found[1] == "c" else value

        printed += FORMAT.sub(one, form)
        if not values or len(values) == before or len(printed) > MAX_TEXT:
            return printed


def cat(arguments: list[str], stdin: str | None) -> str | None:
    return stdin if all(each == "-" or each.startswith("-u") for each in arguments) else None


def decode_base64(arguments: list[str], stdin: str | None) -> str | None:
    decodes = any(re.fullmatch(r"-[di]*[dD][di]*|--decode", each) for each in arguments)
    if stdin is None or ANY_MARK.search(stdin):
        return None
    if not decodes:
        return base64.b64encode(stdin.encode()).decode() + "\n"
    try:
        return base64.b64decode(stdin + "==").decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None


def decode_hexadecimal(arguments: list[str], stdin: str | None) -> str | None:
    options = "".join(arguments)
    if stdin is None or "r" not in options or "p" not in options:
        return None
    try:
        return bytes.fromhex("".join(stdin.split())).decode()
    except ValueError:
        return None


def rev(arguments: list[str], stdin: str | None) -> str | None:
    return None if stdin is None or arguments else "\n".join(line[::-1] for line in stdin.split("\n"))


def tr(arguments: list[str], stdin: str | None) -> str | None:
    if stdin is None or ANY_MARK.search(stdin):
        return None
    if arguments[:1] == ["-d"] and len(arguments) == 2:
        gone = set(_letters(arguments[1]))
        return "".join(letter for letter in stdin if letter not in gone)
    if len(arguments) != 2 or arguments[0].startswith("-"):
        return None
    old, new = _letters(arguments[0]), _letters(arguments[1])
    return stdin.translate({ord(a): new[min(i, len(new) - 1)] for i, a in enumerate(old)}) if new else None


CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:space:]": " \\t\\n", "[:digit:]": "0-9"}


def _letters(text: str) -> str:
    for name, letters in CLASSES.items():
        text = text.replace(name, letters)
    text = unescape_ansi(text)

    def spread(found: re.Match[str]) -> str:
        return "".join(map(chr, range(ord(found[1]), min(ord(found[2]), ord(found[1]) + 256) + 1)))

    return re.sub(r"(.)-(.)", spread, text, flags=re.DOTALL)


def rot13(arguments: list[str], stdin: str | None) -> str | None:
    return None if stdin is None or arguments else codecs.encode(stdin, "rot13")


def same(arguments: list[str], stdin: str | None) -> str | None:
    """Programs that pass a short text on whole, in their usual use."""
    return stdin if not arguments else None


def pwd(_arguments: list[str], _stdin: str | None) -> str:
    return ".\n"


def unknown_number(_arguments: list[str], _stdin: str | None) -> str:
    return VARIABLE


PROGRAMS: dict[str, Callable[[list[str], str | None], str | None]] = {
    "echo": echo, "printf": printf, "cat": cat, "tac": same, "sort": same, "base64": decode_base64,
    "xxd": decode_hexadecimal, "rev": rev, "tr": tr, "rot13": rot13, "pwd": pwd,
    "date": unknown_number,
    "uname": unknown_number, "arch": unknown_number, "nproc": unknown_number, "mktemp": unknown_number,
}  # fmt: skip
