"""find and fd: they look, unless an action says otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from desktop.gate.reasons import GateReason
from desktop.gate.shell.never import found_all
from desktop.gate.shell.operands import sort_words
from desktop.gate.shell.places import is_found_below
from desktop.gate.shell.programs.wrappers import asks_about_code
from desktop.gate.shell.reading import Call, shown
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.words import VARIABLE, Word
from desktop.gate.verdict import Effect

# Each takes the next word, which would otherwise be taken for an action: `-name -delete`.
VALUE_TESTS = frozenset(
    [
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-iwholename",
        "-regex",
        "-iregex",
        "-lname",
        "-ilname",
        "-type",
        "-xtype",
        "-size",
        "-perm",
        "-user",
        "-group",
        "-uid",
        "-gid",
        "-links",
        "-inum",
        "-samefile",
        "-newer",
        "-anewer",
        "-cnewer",
        "-mtime",
        "-atime",
        "-ctime",
        "-mmin",
        "-amin",
        "-cmin",
        "-used",
        "-maxdepth",
        "-mindepth",
        "-fstype",
        "-printf",
        "-regextype",
        "-context",
        "-D",
        "-f",
        "-Bmin",
        "-Btime",
        "-Bnewer",
        "-depth-n",
        "-flags",
        "-xattrname",
        "-newermt",
        "-newerat",
        "-newerct",
        "-newerBt",
        "-newermm",
        "-newerma",
        "-newermc",
        "-newermB",
        "-newerac",
        "-newerca",
    ]
)
WRITES_FILE = frozenset({"-fprint", "-fprint0", "-fls", "-fprintf"})
RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})

NAMES = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"})


def judge_find(call: Call, _spec: Spec) -> None:
    call.found(Effect.READ, GateReason.ONLY_LISTS_FILES.of(name="find"))
    found_all(call.reading, call.arguments)
    words = call.arguments
    _lists_secrets(call)
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if word.text in VALUE_TESTS:
            place += 1
        elif word.text == "-delete":
            call.found(Effect.DELETE, GateReason.FIND_DELETE_REMOVES_WHAT_IT_FINDS.of(), word)
        elif word.text in WRITES_FILE and place < len(words):
            call.writes(words[place])
            place += 2 if word.text == "-fprintf" else 1
        # What it names are places to start from, which are only looked at.
        elif word.text == "-files0-from":
            place += 1
        elif word.text in RUNS:
            place = run_action(call, words, place)


def _lists_secrets(call: Call) -> None:
    """Below a home folder every file may be one, unless its name is told."""
    texts = [word.text for word in call.arguments]
    for start in _starts(call):
        call.reading.reads_below(start.text, lists=True)
    names = [call.arguments[n + 1] for n, text in enumerate(texts[:-1]) if text in NAMES]
    starts = [word for word in _starts(call) if _may_lead_to_secrets(call, word)]
    for start in starts:
        for name in names:
            if is_found_below(name.text.rpartition("/")[2]):
                call.reading.listed_secret = call.reading.listed_secret or name
        if not names:
            call.reading.listed_secret = call.reading.listed_secret or start


def _may_lead_to_secrets(call: Call, start: Word) -> bool:
    """Whether secrets lie below a place, or may, as far as the line tells."""
    reading = call.reading
    return reading.takes_in_secrets(start.text) or reading.reaches_secrets(start, call.scope)


# What stands before the places: `find -L ~ -type f`.
BEFORE_PLACES = re.compile(r"-[HLP]|-O\d?")


def _starts(call: Call) -> Sequence[Word]:
    """Where it begins to look: the folder that it works in, unless it is told."""
    words = dropwhile(lambda word: BEFORE_PLACES.fullmatch(word.text), call.arguments)
    return list(takewhile(lambda word: word.text[:1] not in "-(!", words)) or [call.word.but(".")]


def run_action(call: Call, words: list[Word], start: int) -> int:
    """The command of an -exec. Returns the place behind it."""
    end = start
    while end < len(words) and words[end].text != ";":
        # Only behind {} does a plus end the command; anywhere else it is a word of it.
        if words[end].text == "+" and words[end - 1].text == "{}":
            break
        end += 1
    asks_about_code(call, words[start:end], "{}")
    # What is found is not known here, but it never begins with a dash: find puts a folder before it.
    command = [word.but(word.text.replace("{}", VARIABLE)) for word in words[start:end]]
    if command:
        call.argv(command)
    else:
        call.found(Effect.UNKNOWN, GateReason.FIND_RUNS_A_COMMAND_THAT_IS_MISSING.of())
    return end + 1


def judge_fd(call: Call, spec: Spec) -> None:
    """fd -x and -X run a command; everything before is a search."""
    call.found(Effect.READ, GateReason.ONLY_LISTS_FILES.of(name=call.name))
    _finds_secrets(call, spec)
    place = 0
    while place < len(call.arguments):
        place = _fd_action(call, call.arguments, place)


ANYTHING = frozenset({"", ".", ".*", "^", "$", "*"})  # patterns that every name matches


def _finds_secrets(call: Call, spec: Spec) -> None:
    """As `_lists_secrets`: below a home folder, where neither pattern nor ending tells which files."""
    words = list(takewhile(lambda word: word.text not in FD_RUNS, call.arguments))
    found = sort_words(spec, words)
    for place in found.words[1:] or [call.word.but(".")]:
        call.reading.reads_below(place.text, lists=True)
    told = [word for word in found.words[:1] if word.text not in ANYTHING]
    if told and not is_found_below(f"*{told[0].text}*"):
        return
    if not told and any(EXTENSION.match(word.text) for word in words):
        return
    places = [*found.words[1:], *found.values("--search-path", "--base-directory")]
    for start in places or [call.word.but(".")]:
        if _may_lead_to_secrets(call, start):
            call.reading.listed_secret = call.reading.listed_secret or start


EXTENSION = re.compile(r"-e|--extension")
FD_RUNS = frozenset({"-x", "-X", "--exec", "--exec-batch"})
# Behind letters that take no value: `-Hx`, and `-xrm`.
FD_JOINED = re.compile(r"-[HIuspLg0lFa1hiqV]*[xX].*", re.DOTALL)


def _fd_action(call: Call, words: list[Word], place: int) -> int:
    """The command of one -x, of which there may be several. Returns the place behind it."""
    word = words[place]
    joined = word.text.startswith(("--exec=", "--exec-batch="))
    if word.text not in FD_RUNS and not joined:
        if FD_JOINED.match(word.text):
            call.found(Effect.UNKNOWN, GateReason.RUNS_A_COMMAND.of(name=f"{call.name} {shown(word.text)}"))
        return place + 1
    first = [word.but(word.text.partition("=")[2])] if joined else []
    rest = [*first, *words[place + 1 :]]
    end = next((at for at, each in enumerate(rest) if each.text == ";"), len(rest))
    asks_about_code(call, rest[:end], "{")
    has_place = any("{" in each.text for each in rest[:end])
    inner = [each.but(VARIABLE if each.text in PLACES else each.text) for each in rest[:end]]
    call.argv(inner if has_place else [*inner, word.but(VARIABLE)])
    return place + 1 - len(first) + end + 1


PLACES = frozenset({"{}", "{/}", "{//}", "{.}", "{/.}"})
