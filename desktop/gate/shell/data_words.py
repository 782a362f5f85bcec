"""Words that data give: lines of a file, what another program prints, what xargs and parallel are fed.

A file may hold `-delete` or `--output=x`. Such a word is an option to the program that gets it, and the line
does not show it. So a program whose options run, write or remove something asks about words like these,
unless what prints them prints names: of files, commits, containers, which begin with no dash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop.gate.reasons import GateReason
from desktop.gate.shell.network import ADDRESS
from desktop.gate.shell.operands import sort_words
from desktop.gate.shell.reading import Call
from desktop.gate.shell.tables import OptionAction, Spec, vocabulary
from desktop.gate.shell.words import GIVEN, LOOSE, MORE_MARKS, OUTPUT
from desktop.gate.verdict import Effect

WORDS = vocabulary("given")
LISTERS = WORDS.words("list_names")
FILTERS = WORDS.words("keep_lines")
LISTERS_WITH = WORDS.section("with")
# A format may begin with a dash, and so would what it prints.
DASHED = re.compile(r"(?:[+=:]|-[cf])['\"]?-")
NOT_NAMES = frozenset({"-printf", "-exec", "-execdir", "-ok", "-okdir"})
GREPS = frozenset({"grep", "egrep", "fgrep", "rg"})
CUTS = re.compile(r"-[a-zA-Z]*o.*|--only-matching|--replace.*|-r.+")


def lists_names(words: Sequence[str]) -> bool:
    """Whether a command prints lines of which none begins with a dash."""
    name, rest = words[0].rpartition("/")[2], words[1:]
    if any(DASHED.search(word) for word in rest):
        return False
    if name in LISTERS:
        return NOT_NAMES.isdisjoint(rest)
    return any(_are_there(wanted.split("+"), rest) for wanted in LISTERS_WITH.words(name))


def _are_there(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """`log+--format=%H*`: both stand among the words."""
    return all(
        any(word.startswith(each[:-1]) if each[-1:] == "*" else word == each for word in words)
        for each in wanted
        if each
    )


def keeps_lines(words: Sequence[str]) -> bool:
    """Whether a command prints some of the lines that it is fed, each as it was."""
    name = words[0].rpartition("/")[2]
    operands = [word for word in words[1:] if word[:1] != "-"]
    # With a file of its own it prints that one's lines.
    if name in ("cat", "tac", "sort", "uniq", "head", "tail", "shuf") and operands:
        return all(word.lstrip("+").isdigit() for word in operands)
    if name in FIRST:
        return any(FIRST[name].fullmatch(word) for word in words[1:])
    return name in FILTERS and not (name in GREPS and any(map(CUTS.fullmatch, words[1:])))


# The beginning of each line.
FIRST = {
    "cut": re.compile(r"-f ?1|1|-c1-?\d*|-f1-\d*"),
    "awk": re.compile(r"\s*\{\s*print\s*\$1\s*;?\s*\}\s*"),
    "sed": re.compile(r"s(.)(?:[:\t ]|\\t)\.\*\$?\1\1g?"),
}


# Behind their first operand, code or a command, all words are data, or are judged with that command.
STOP = frozenset(
    ["awk", "python", "node", "shell", "ssh", "env", "xargs", "command", "sudo", "eval", "parallel"]
)
HARMLESS = frozenset(["jq", "print", "set", "trap", "alias", "source", "kill", "cmd", "powershell"])


RUNS = frozenset(["env", "xargs", "command", "sudo", "eval", "parallel", "find", "fd", "shell", "python"])


def asks_about_given(call: Call, spec: Spec) -> None:
    """A word from data, where an option would do something."""
    if not any(OUTPUT in word.text for word in call.arguments):
        return
    for number, word in enumerate(call.arguments):
        if not GIVEN.search(word.text) or not (GIVEN.match(word.text) or LOOSE in word.text):
            continue
        # An address that data complete is sent for, which is judged by where it goes.
        if ADDRESS.match(word.text):
            continue
        if not _is_operand(call, spec, number) and _acts(call, spec):
            call.found(Effect.UNKNOWN, GateReason.GIVES_OPTIONS.of(name=call.name), word)
        break
    # Only what runs the words needs to know more of them than that they are given.
    if not spec.run and spec.handler not in RUNS:
        call.arguments = [word.but(MORE_MARKS.sub("", word.text)) for word in call.arguments]


def _is_operand(call: Call, spec: Spec, number: int) -> bool:
    """Whether no word at this place is taken for an option."""
    word, before = call.arguments[number], call.arguments[:number]
    texts = [each.text for each in before]
    if spec.handler != "find" and "--" in texts:
        return True
    if spec.run or spec.handler in STOP:
        return any(text[:1] != "-" for text in texts) and "-m" not in texts
    if LOOSE in word.text or not before:
        return False
    # The value of an option before it: `head -n "$(cat f)"`.
    found = sort_words(spec, [*before, word])
    return any(value is word for _, action, value in found.options if action.value == "yes")


def _acts(call: Call, spec: Spec) -> bool:
    """Whether an option of it, or an operand more, may do anything but read."""
    if spec.handler:
        return spec.handler not in HARMLESS
    part = sort_words(spec, call.arguments).spec
    if part.effect not in (None, Effect.READ):
        return True
    if (
        (part.plain and not part.unnamed)
        or part.handler
        or spec.words
        or part.patterns
        or part.by_count
        or part.writes
    ):
        return True
    return any(map(_does_something, part.options.values()))


def _does_something(action: OptionAction) -> bool:
    return (action.raises is not None and action.raises > Effect.READ) or bool(action.kind)
