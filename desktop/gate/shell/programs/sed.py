"""sed: most scripts only print; w, e and -i do not."""

from __future__ import annotations

import re

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import sort_words
from desktop.gate.shell.reading import Call
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Effect

ADDRESS = re.compile(r"(?:\d+(?:~\d+)?|\$|\+\d+|~\d+|[\x01\x02]+)")
# Commands of one letter that only move text between sed's two buffers and the output.
SIMPLE = frozenset("=dDgGhHnNpPxzF")
LABEL = re.compile(r"[^;\n}]*")


def judge_sed(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    scripts = found.values("-e", "--expression")
    files = list(found.words)
    if found.has("-f", "--file"):
        call.found(Effect.UNKNOWN, GateReason.RUNS_A_SCRIPT_FROM_A_FILE.of(name="sed"))
    elif not scripts and files:
        scripts = [files.pop(0)]
    in_place = any(name in ("-i", "--in-place", "-I") for name, _, _ in found.options)
    # BSD's sed wants the suffix of -i as a word of its own, often an empty one.
    if in_place and call.arguments and files and not files[0].text and not scripts[0].text:
        files.pop(0)
    if in_place and scripts and scripts[0].text == "" and files:
        scripts = [files.pop(0)]  # BSD: the suffix of -i is a word of its own
    for script in scripts:
        read_script(call, script)
    if in_place:
        call.found(
            Effect.UPDATE, GateReason.EDITS_FILES_IN_PLACE.of(name="sed -i"), files[0] if files else None
        )
        for file in files:
            call.reading.touches(file)
    call.found(Effect.READ, GateReason.SED_PRINTS_WHAT_IT_EDITS.of())


def read_script(call: Call, script: Word) -> None:
    """Every command of a sed script; what cannot be followed is unknown."""
    text, place = script.text, 0
    while place < len(text):
        place = _skip(text, place)
        if place >= len(text):
            return
        # What comes before a command chooses lines and does nothing.
        place = _address(text, place)
        if place < 0 or place >= len(text):
            call.found(Effect.UNKNOWN, GateReason.THE_SED_SCRIPT_CANNOT_BE_FOLLOWED.of(), script)
            return
        place = _command(call, script, place)
        if place < 0:
            call.found(Effect.UNKNOWN, GateReason.THE_SED_SCRIPT_CANNOT_BE_FOLLOWED.of(), script)
            return


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\n;":
        place += 1
    return place


def _address(text: str, place: int) -> int:
    """Behind the addresses that start here; -1 when they do not end."""
    for number in range(2):
        if place < len(text) and text[place] in "/\\":
            place = _regex_end(text, place)
            if place < 0:
                return -1
            while place < len(text) and text[place] in "IM":
                place += 1
        else:
            found = ADDRESS.match(text, place)
            place = found.end() if found else place
        while place < len(text) and text[place] in " \t":
            place += 1
        if number == 0 and place < len(text) and text[place] == ",":
            place += 1
            while place < len(text) and text[place] in " \t":
                place += 1
        else:
            break
    while place < len(text) and text[place] in "! \t":
        place += 1
    return place


def _regex_end(text: str, place: int) -> int:
    if text[place] == "\\":
        place += 1
    return _delimited(text, place + 1, text[place]) if place < len(text) else -1


def _delimited(text: str, place: int, delimiter: str) -> int:
    """Behind the next delimiter that is neither escaped nor in a bracket expression."""
    while place < len(text):
        letter = text[place]
        if letter == "\\":
            place += 2
            continue
        if letter == delimiter:
            return place + 1
        if letter == "\n" and delimiter != "\n":
            pass
        place += 1
    return -1


def _command(call: Call, script: Word, place: int) -> int:
    text = script.text
    letter = text[place]
    if letter in "{}":
        return place + 1
    if letter == "#":
        end = text.find("\n", place)
        return len(text) if end < 0 else end
    if letter in SIMPLE:
        return place + 1
    if letter in "qQlL":
        return _behind(re.compile(r"\s*\d*"), text, place + 1)
    if letter in ":btTv":
        return _behind(LABEL, text, place + 1)
    if letter in "aic":
        return _text_end(text, place + 1)
    # The name goes to the end of the line, whatever stands in it.
    if letter in "rRwW":
        return _file(call, script, place)
    if letter == "e":
        return _runs(call, script, place + 1)
    if letter == "y":
        return _transliterate(text, place)
    return _substitute(call, script, place) if letter == "s" else -1


def _behind(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


def _text_end(text: str, place: int) -> int:
    while True:
        end = text.find("\n", place)
        if end < 0:
            return len(text)
        # A backslash at the end takes the next line along.
        if text[end - 1] != "\\":
            return end
        place = end + 1


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _file(call: Call, script: Word, place: int) -> int:
    end = _line_end(script.text, place)
    name = script.but(script.text[place + 1 : end].strip())
    if script.text[place] in "wW":
        call.writes(name)
    else:
        call.reading.reads(name)
    return end


def _runs(call: Call, script: Word, place: int) -> int:
    end = _line_end(script.text, place)
    command = script.text[place:end].strip()
    if command:
        call.shell(command, script)
    else:
        call.found(Effect.UNKNOWN, GateReason.SED_RUNS_ITS_INPUT_AS_COMMANDS.of(), script)
    return end


def _transliterate(text: str, place: int) -> int:
    if place + 1 >= len(text):
        return -1
    middle = _delimited(text, place + 2, text[place + 1])
    return _delimited(text, middle, text[place + 1]) if middle >= 0 else -1


FLAG_LETTERS = re.compile(r"[gpiIMm\d\x01]*")


def _substitute(call: Call, script: Word, place: int) -> int:
    text = script.text
    place = _transliterate(text, place)
    if place < 0:
        return -1
    while True:
        place = _behind(FLAG_LETTERS, text, place)
        # GNU's flag e runs the line after the substitution.
        if place < len(text) and text[place] == "e":
            call.found(Effect.UNKNOWN, GateReason.SED_RUNS_WHAT_THE_SUBSTITUTION_GIVES.of(), script)
            place += 1
        elif place < len(text) and text[place] == "w":
            return _file(call, script, place)
        else:
            break
    place = _behind(re.compile(r"[ \t]*"), text, place)
    return place if place >= len(text) or text[place] in ";\n}#" else -1
