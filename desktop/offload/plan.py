"""Whether a command line is one for a worker, and what it needs there.

The first look is one regular expression: a line that begins with no program of the table costs some
microseconds in the hook's own path. What is left is one plain command without expansion, redirection or
pipe; anything doubtful runs here. The gate has judged the line before, and nothing here makes that milder.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from desktop.gate.shell.places import SECRET_VARIABLE
from desktop.offload.programs import CommandKind, Program, Programs
from desktop.offload.reasons import OffloadReason
from desktop.reasons import Reason

LONGEST = 2_000  # characters; a longer line is a script
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_BEGIN = re.compile(r"\s*(?:[A-Za-z_]\w*=[^\s'\"\\$`]*\s+)*([\w.+-]+)(?=\s|$)")
# What a shell acts on, wherever it stands: quoted ones are not told apart, for the sake of certainty.
_ACTED_ON = re.compile(r"[;&|<>$`(){}\[\]*?~#\\\n\r\0!]")
_BOTH_TO_ONE = re.compile(r"\s+2>&1\s*$")
_NUMBERED = frozenset({"-j", "-l", "--jobs", "--parallel"})  # the next word is theirs only if it is a number


@dataclass(frozen=True)
class WorkerPlan:
    """One command for a worker. `words` without the assignments in front of it, which are `variables`."""

    words: tuple[str, ...]
    program: Program
    kind: CommandKind
    verb: str
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """What its duration is remembered by: program and verb."""
        return f"{self.program.name} {self.verb}".strip()


def begins_with_program(command: str, programs: Programs) -> bool:
    """The quick look: whether the first word is in the table."""
    found = _BEGIN.match(command)
    return found is not None and found[1] in programs.by_name


def words_of(command: str) -> tuple[str, ...] | None:
    """The words of one plain command; None where a shell would do more than start a program.

    `2>&1` at the end may stand: whoever starts the command in place of this one sees to it.
    """
    plain = _BOTH_TO_ONE.sub("", command)
    if len(plain) > LONGEST or _ACTED_ON.search(plain):
        return None
    try:
        return tuple(shlex.split(plain)) or None
    except ValueError:  # a quote without its end
        return None


def plan_of(words: Sequence[str], folder: Path, root: Path, programs: Programs) -> WorkerPlan | Reason:
    """The plan for a command in `folder` of the project `root`, or why it runs here."""
    variables, rest = _split_assignments(words)
    program = programs.by_name.get(rest[0]) if rest else None
    if program is None:
        return OffloadReason.PROGRAM_UNKNOWN.of(name=rest[0] if rest else "")
    arguments = rest[1:]
    refused = _refused(program, arguments)
    if refused:
        return OffloadReason.OPTION_REFUSED.of(option=refused)
    outside = next((each for each in arguments if leaves(each, folder, root, programs.shared)), "")
    if outside:
        return OffloadReason.PATH_OUTSIDE.of(path=outside)
    for name, value in variables:
        if not is_passed(name, program, programs) or leaves(value, folder, root, programs.shared):
            return OffloadReason.VARIABLE_REFUSED.of(name=name)
    kind, verb = _kind(program, arguments)
    if kind is None:
        return OffloadReason.VERB_UNKNOWN.of(program=program.name, verb=verb or program.name)
    return WorkerPlan(tuple(rest), program, kind, verb, variables)


def settings_unsent(program: Program) -> Reason | None:
    """Why a program runs here that has settings in the user's home folder, which are not sent: they may hold
    other options, another place for what is built, or a key for a private repository. Looks at the disk."""
    found = next((each for each in program.settings if (Path.home() / each).exists()), None)
    return OffloadReason.SETTINGS_UNSENT.of(name=program.name, path=f"~/{found}") if found else None


def is_passed(name: str, program: Program, programs: Programs) -> bool:
    """Whether a variable is handed on: named by the table, and not by the look of it a secret."""
    if SECRET_VARIABLE.search(name):
        return False
    return any(fnmatchcase(name, each) for each in (*program.variables, *programs.variables))


def passed_variables(plan: WorkerPlan, environment: Mapping[str, str], programs: Programs) -> dict[str, str]:
    """What the command gets of this computer's variables, with those of its own line."""
    kept = {name: value for name, value in environment.items() if is_passed(name, plan.program, programs)}
    return kept | dict(plan.variables)


def leaves(word: str, folder: Path, root: Path, shared: Sequence[str]) -> bool:
    """Whether a word names a place beyond the project that may be another one on the worker."""
    return any(_is_beyond(path, folder, root, shared) for path in _paths_in(word))


def _paths_in(word: str) -> Iterator[str]:
    """A word, what stands behind its `=`, and what is joined to a one-letter option (-I../x, -o/tmp/x)."""
    yield word
    if "=" in word:
        yield word.partition("=")[2]
    if word[:1] == "-" and word[1:2] not in ("-", ""):
        yield word[2:]


def _is_beyond(path: str, folder: Path, root: Path, shared: Sequence[str]) -> bool:
    if path.startswith("~"):
        return True
    parts = PurePosixPath(path).parts
    if not path.startswith("/") and ".." not in parts:
        return False
    # Links are not followed, which is as the worker sees it.
    whole = Path(os.path.normpath(folder / path))
    if whole == root or root in whole.parents:
        return False
    return not any(Path(each) in whole.parents for each in shared)


def _split_assignments(words: Sequence[str]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    found: list[tuple[str, str]] = []
    for number, word in enumerate(words):
        given = _ASSIGNED.fullmatch(word)
        if given is None:
            return tuple(found), tuple(words[number:])
        found.append((given[1], given[2]))
    return tuple(found), ()


def _refused(program: Program, arguments: Sequence[str]) -> str:
    for word in arguments:
        if word == "--":
            break
        name = word.partition("=")[0]
        joined = word[:2] if word[:1] == "-" and word[1:2] != "-" else ""
        if name in program.refuses or (len(word) > 2 and joined in program.refuses):
            return word
    return ""


def _operands(program: Program, arguments: Sequence[str]) -> list[str]:
    found: list[str] = []
    skips = False
    for number, word in enumerate(arguments):
        if skips:
            skips = False
        elif word == "--":
            break
        elif word.startswith("-"):
            follows = arguments[number + 1] if number + 1 < len(arguments) else ""
            skips = word in program.valued and (word not in _NUMBERED or follows.isdigit())
        elif not _ASSIGNED.fullmatch(word):  # make's own: CFLAGS=-O2
            found.append(word)
    return found


def _kind(program: Program, arguments: Sequence[str]) -> tuple[CommandKind | None, str]:
    """Kind and verb; several targets are a test where one of them is, and nothing where one is unknown."""
    if program.first:
        begins = bool(arguments) and arguments[0] == program.first
        return (CommandKind.BUILD if begins else None), program.first if begins else ""
    operands = _operands(program, arguments)
    if program.operands_are_verbs:
        kinds = [program.kind(each) for each in operands] or [program.kind("")]
        if None in kinds:
            unknown = next((each for each in operands if program.kind(each) is None), "")
            return None, unknown
        return (CommandKind.TEST if CommandKind.TEST in kinds else CommandKind.BUILD), " ".join(operands[:3])
    verb = operands[0] if operands else ""
    if len(operands) > 1 and program.kind(f"{verb}/{operands[1]}") is not None:
        verb = f"{verb}/{operands[1]}"
    return program.kind(verb), verb
