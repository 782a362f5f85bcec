"""Files that lie in a folder and make a plain command do more than its text says.

The text of a line cannot tell of them; the folders that it works in can.

- A name that begins with a dash: `sort *` gets it as an option. Only a pattern at the beginning of a word
  matches such a name, or a word that stands for names which another command lists (`ls | xargs sort`) or a
  loop goes over, and behind `--` it is none.
- A repository that came as plain files: a folder with HEAD, objects and refs in a project of somebody else.
  Git takes such a folder for a repository as soon as it works in it or below, and starts the programs that
  its `config` names (`core.fsmonitor`, `core.sshCommand`): cloning alone brings that file along. A folder
  called `.git` cannot come that way: Git refuses to check one out.
- A program that a project's own files name. `terraform plan` changes nothing by itself. But a data source
  called `external` is a program that runs as soon as the plan is made, and Terragrunt runs what `run_cmd`
  and its hooks say.
- A link to a key of the user. `cat notes.md` names it; `cat *.md`, `grep -R x .` and `ls | xargs cat` read it
  too. Looked at are the names that a pattern matches, what is below a folder for programs that follow links,
  and what another command lists.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain, islice, takewhile
from pathlib import Path

from desktop.gate.shell.places import PATTERN, holds_all, holds_secrets
from desktop.gate.shell.reading import FAR, UNSURE
from desktop.gate.shell.simple_command import (
    LOOKS_AT_NAMES,
    NO_CONTENTS,
    READS_BELOW,
    READS_BELOW_WHEN_TOLD,
    RECURSES,
    program_name,
)
from desktop.gate.shell.words import ANY_MARK, NAMES, OUTPUT, VARIABLE
from desktop.gate.verdict import Step
from desktop.paths import is_other, open_regular

GIT = frozenset({"git", "hub", "gk"})
GOES = frozenset({"cd", "pushd", "chdir"})
OWN = ".git"
MOST_FOLDERS = 16  # that one line may work in


def embedded_repository(step: Step, steps: Sequence[Step], folder: str, project: str, home: str) -> str:
    """The repository that came as files and that `step` works in; "" without one.

    `steps` are all of the line, `folder` is where it is run, a part of `project`; both are real paths.
    """
    if not step.words or program_name(step.words[0]) not in GIT or step.base == FAR:
        return ""
    found = (_repository_of(place, project) for place in places(step, steps, folder, home))
    return next(filter(None, found), "")


def places(step: Step, steps: Sequence[Step], folder: str, home: str) -> Iterator[str]:
    """Where it may work; each part of a line that goes elsewhere may be the one that it follows."""
    bases = [step.base]
    if step.base == UNSURE:
        bases = ["", *(each.words[-1] for each in steps if each.words and each.words[0] in GOES)]
    for base in bases[:MOST_FOLDERS]:
        place = os.path.join(folder, _at_home(base, home))
        for before, word in zip(step.words[1:], step.words[2:], strict=False):
            if before == "-C":
                place = os.path.join(place, _at_home(word, home))
        if "\0" not in place:
            yield os.path.realpath(place)


def _at_home(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _repository_of(place: str, project: str) -> str:
    """As git looks for it: upwards, in each folder for `.git` first."""
    current = place
    while True:
        if OWN in current.split(os.sep) or os.path.lexists(os.path.join(current, OWN)):
            return ""
        above = os.path.dirname(current)
        if _is_repository(current):
            return current if _is_embedded(current, project) else ""
        if above == current:
            return ""
        current = above


def _is_repository(folder: str) -> bool:
    """By what git itself asks for; with `commondir` the other two lie elsewhere."""
    if not os.path.lexists(os.path.join(folder, "HEAD")):
        return False
    if os.path.lexists(os.path.join(folder, "commondir")):
        return True
    return all(os.path.isdir(os.path.join(folder, each)) for each in ("objects", "refs"))


def _is_embedded(repository: str, project: str) -> bool:
    """Whether it lies in a project or in another repository; a bare one of the user's own does not."""
    if repository.startswith(project.rstrip(os.sep) + os.sep):
        return True
    above = os.path.dirname(repository)
    while True:
        if os.path.lexists(os.path.join(above, OWN)):
            return True
        if os.path.dirname(above) == above:
            return False
        above = os.path.dirname(above)


# -- names with a dash ------------------------------------------------------------------------------

MOST_NAMES = 20_000  # of one folder; to read so many takes some 10 ms
MOST_LISTED = 8  # folders
# A name out of a list, and the variable of a loop.
LISTED = frozenset({VARIABLE, OUTPUT + NAMES})
# They print what they are given, or look at names alone, whatever their options are.
ONLY_NAMES = LOOKS_AT_NAMES | {"echo", "printf", "ls", "cd", "pushd", "test", "["}


def dashed_name(step: Step, steps: Sequence[Step], folder: str, home: str) -> tuple[str, str] | None:
    """A pattern of the step and the name with a dash that it matches; None without one.

    `steps` are all of the line, `folder` is where it is run, a real path.
    """
    if not step.words or step.base == FAR or program_name(step.words[0]) in ONLY_NAMES:
        return None
    before = list(takewhile(lambda word: word != "--", step.words[1:]))
    patterns = [word for word in before if _may_match(word)]
    is_listed = any(word in LISTED for word in before)
    if not patterns and not is_listed:
        return None
    where = list(places(step, steps, folder, home))
    for place in where:
        for name in _dashed(place):
            for pattern in patterns:
                if fnmatchcase(name, pattern):
                    return pattern, name
    listed = [*where, *_listed_folders(steps, where)] if is_listed else []
    for name in chain.from_iterable(map(_dashed, listed)):
        return "*", name
    return None


def _listed_folders(steps: Sequence[Step], where: Sequence[str]) -> Iterator[str]:
    """`ls src` gives names of another folder, as if they stood here."""
    words = [word for step in steps if step.words[:1] == ("ls",) for word in step.words[1:]]
    named = [word for word in words if word[:1] != "-" and not ANY_MARK.search(word) and "\0" not in word]
    for place in where[:1]:
        yield from (os.path.join(place, word) for word in named[:MOST_LISTED])


def _may_match(word: str) -> bool:
    return word[:1] in ("*", "?", "[") and "/" not in word


def _dashed(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from [each.name for each in islice(entries, MOST_NAMES) if each.name[:1] == "-"]
    except OSError:
        return


# -- programs that files name ------------------------------------------------------------------------

PLANS = frozenset({"terraform", "tofu", "terragrunt"})
# Of Terraform these compute data sources; Terragrunt computes its files whatever it does.
COMPUTE = frozenset({"plan", "refresh", "apply", "destroy", "import", "test", "console", "run-all", "run"})
FILES = (".tf", ".tf.json", ".tofu", ".tofu.json", ".hcl")
STARTS = re.compile(
    rb"""(?x)\b(?:data|ephemeral)\s{1,20}"(?:external|shell|script|exec|command)[\w-]{0,40}"
    | "(?:external|shell_script)"\s{0,20}: | \brun_cmd\s{0,20}\( | \b(?:before|after|error)_hook\b"""
)
# Modules of the project beside the folder.
SOURCE = re.compile(rb'\bsource"?\s{0,20}[=:]\s{0,20}"(\.{1,2}/[^"]{1,400})"')
MOST_FILES = 2000
MOST_BYTES = 8_000_000


def names_programs(step: Step, steps: Sequence[Step], folder: str, home: str) -> str:
    """The file that names a program which `step` starts; "" without one. The line is run in `folder`."""
    if not step.words or step.base == FAR:
        return ""
    name, words = program_name(step.words[0]), step.words[1:]
    if name not in PLANS or not (name == "terragrunt" or not COMPUTE.isdisjoint(words)):
        return ""
    moves = [
        word.partition("=")[2] for word in words if word.startswith(("-chdir=", "--chdir=", "--working-dir="))
    ]
    for place in places(step, steps, folder, home):
        found = _found_below(os.path.normpath(os.path.join(place, *moves)))
        if found:
            return found
    return ""


def _found_below(folder: str) -> str:
    """The first file below `folder`, or below a module that it names, that starts a program."""
    waiting, seen, left = [folder], set[str](), MOST_BYTES
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        for file in _files(place):
            content = _content(file)
            # More than can be looked at may hold anything, and so may a pipe, once somebody writes to it.
            if content is None:
                return file
            left -= len(content)
            if left < 0 or len(seen) > MOST_FILES or STARTS.search(content):
                return file
            sources = (found[1].decode("utf-8", "replace") for found in SOURCE.finditer(content))
            waiting += [os.path.normpath(os.path.join(os.path.dirname(file), each)) for each in sources]
    return ""


def _files(folder: str) -> Iterator[str]:
    count = 0
    for place, _, names in os.walk(folder):
        for name in names:
            count += 1
            if count > MOST_FILES * 10:
                return
            if name.endswith(FILES):
                yield os.path.join(place, name)


def _content(file: str) -> bytes | None:
    """As much as is looked at; None for what is there and no file."""
    try:
        with open_regular(Path(file)) as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        return None if is_other(error) else b""
    except ValueError:
        return b""


# -- links to secrets --------------------------------------------------------------------------------

MOST_LINKED_NAMES = 10_000  # looked at for one line, which takes some 15 ms
MOST_JUDGED = 2_000  # of them by what they are called, which takes ten times as long
DEEPEST = 64  # components of a pattern

# With these a program reads what the links below a folder lead to; of diff -r it is the rule.
_LETTER_R = re.compile(r"-[a-zA-Z]*[RS][a-zA-Z]*|--dereference-recursive")  # S: of macOS
_LETTER_L = re.compile(r"-[a-zA-Z]*L[a-zA-Z]*|--follow")
FOLLOWS = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "ggrep", "ugrep"), _LETTER_R),
    **dict.fromkeys(("rg", "fd", "fdfind", "find", "bfs"), _LETTER_L),
    **dict.fromkeys(("ag", "ack"), re.compile(r"-[a-zA-Z]*f|--follow")),
    **dict.fromkeys(("tar", "bsdtar"), re.compile(r"-?[a-zA-Z]*h[a-zA-Z]*|--dereference")),
    **dict.fromkeys(("diff", "colordiff"), RECURSES),
}
# They list links among other names, unless they are asked for plain files alone.
LISTS_LINKS = frozenset({"ls", "find", "bfs", "fd", "fdfind", "git", "tree", "du"})
FINDS = frozenset({"find", "bfs"})
HIDES_DOTS = frozenset({"ls", "fd", "fdfind", "tree"})
SHOWS_DOTS = re.compile(r"-[a-zA-Z]*[aAH][a-zA-Z]*|--(?:all|almost-all|hidden|unrestricted)")
DEPTH_ONE = frozenset({"ls"})
NAMED_BY = frozenset({"-name", "-iname"})


@dataclass(slots=True)
class LookBudget:
    """How much may still be looked at, and what counts: real paths for links, names for all else."""

    is_secret: Callable[[str], bool]
    goes_below: bool = False  # folders that are matched are read with all that is in them
    left: int = MOST_LINKED_NAMES
    judged: int = MOST_JUDGED

    def entries(self, folder: str) -> list[os.DirEntry[str]]:
        """What is in a folder, as far as it may be looked at; nothing where that cannot be read."""
        found: list[os.DirEntry[str]] = []
        if self.left <= 0:
            return found
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    found.append(entry)
                    self.left -= 1
                    if self.left <= 0:
                        break
        except OSError:  # whom it is closed to, the command cannot show what is in it either
            return found
        return found

    def is_link_to_secret(self, path: str) -> bool:
        real = os.path.realpath(path)
        if os.path.isdir(real):
            return self.goes_below and (holds_all(real) or self.is_secret(f"{real}/x"))
        return self.is_secret(real)

    def is_called_secret(self, name: str) -> bool:
        self.judged -= 1
        return self.judged >= 0 and holds_secrets(name)


# -- patterns --------------------------------------------------------------------------------------


def matched_secret(pattern: str, look: LookBudget) -> str:
    """The first secret that an absolute pattern of paths matches; "" without one."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if len(parts) > DEEPEST or ".." in parts:
        return ""
    return next(_matched("/", parts, look, is_led=False), "")


def _matched(folder: str, parts: Sequence[str], look: LookBudget, *, is_led: bool) -> Iterator[str]:
    plain = 0
    while plain < len(parts) and not PATTERN.search(parts[plain]):
        plain += 1
    folder = os.path.join(folder, *parts[:plain])
    is_led = is_led or (plain > 0 and os.path.realpath(folder) != os.path.normpath(folder))
    part, rest = (parts[plain], parts[plain + 1 :]) if plain < len(parts) else ("", ())
    if not part:
        if is_led and os.path.lexists(folder) and look.is_link_to_secret(folder):
            yield folder
        return
    if part == "**" and rest:  # of any depth, none included, where the shell is told so
        yield from _matched(folder, rest, look, is_led=is_led)
    for entry in look.entries(folder):
        name = entry.name
        if (name[0] == "." and part[0] not in ".[") or not fnmatchcase(name, part):
            continue
        is_here = is_led or entry.is_symlink()
        if rest:
            if entry.is_dir():
                deeper = (part, *rest) if part == "**" and not entry.is_symlink() else rest
                yield from _matched(entry.path, deeper, look, is_led=is_here)
        elif (is_here and look.is_link_to_secret(entry.path)) or look.is_called_secret(name):
            yield entry.path


# -- folders that are gone through ------------------------------------------------------------------


def found_secret(steps: Sequence[Step], folder: str, home: str, look: LookBudget) -> str:
    """A link to a secret below a folder that a step goes through, or that another step lists; "" without one.

    `steps` are all of the line, which is run in `folder`, a real path.
    """
    reads_listed = any(map(_reads_what_is_listed, steps))
    for step in steps:
        if not step.words or step.base == FAR:
            continue
        name = program_name(step.words[0])
        follows = name in FOLLOWS and any(map(FOLLOWS[name].fullmatch, step.words[1:]))
        if name in FOLLOWS and name not in LISTS_LINKS:
            wanted = follows
        else:
            wanted = reads_listed and name in LISTS_LINKS and (follows or not _lists_files_alone(step))
        if not wanted:
            continue
        for start in _starts(step, steps, folder, home):
            look.goes_below = follows
            found = _link_below(start, step, name, look)
            if found:
                return found
    return ""


def goes_below(steps: Sequence[Step]) -> bool:
    """Whether a step reads all that is in the folders that it is given."""
    names = ((program_name(step.words[0]), step.words[1:]) for step in steps if step.words)
    return any(
        name in READS_BELOW or (name in READS_BELOW_WHEN_TOLD and any(map(RECURSES.match, words)))
        for name, words in names
    )


def _reads_what_is_listed(step: Step) -> bool:
    return (
        bool(step.words)
        and any(map(ANY_MARK.search, step.words[1:]))
        and program_name(step.words[0]) not in NO_CONTENTS
    )


def _lists_files_alone(step: Step) -> bool:
    if program_name(step.words[0]) == "git":
        return "ls-files" not in step.words and "ls-tree" not in step.words
    pairs = zip(step.words[1:], step.words[2:], strict=False)
    return any((before in ("-type", "-t", "--type")) and word[:1] == "f" for before, word in pairs)


def _starts(step: Step, steps: Sequence[Step], folder: str, home: str) -> Iterator[str]:
    for place in places(step, steps, folder, home):
        words = [word for word in step.words[1:] if word[:1] != "-" and not ANY_MARK.search(word)]
        named = [
            os.path.join(place, home + word[1:] if word[:2] in ("~", "~/") else word)
            for word in words
            if "\0" not in word
        ]
        folders = [each for each in named if os.path.isdir(each)]
        yield from folders or [place]


def _link_below(start: str, step: Step, name: str, look: LookBudget) -> str:
    """Level by level: what lies deep in a large tree is looked at last."""
    words = step.words
    wanted = [words[at + 1] for at, word in enumerate(words[:-1]) if word in NAMED_BY and name in FINDS]
    hides = name in HIDES_DOTS and not any(map(SHOWS_DOTS.fullmatch, words[1:]))
    level = [start]
    while level:
        below: list[str] = []
        for folder in level:
            for entry in look.entries(folder):
                if hides and entry.name[0] == ".":
                    continue
                if entry.is_symlink():
                    # What is below a folder may be called otherwise.
                    is_wanted = not wanted or any(fnmatchcase(entry.name, each) for each in wanted)
                    if (is_wanted or look.goes_below) and look.is_link_to_secret(entry.path):
                        return entry.path
                elif entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                    below.append(entry.path)
        level = [] if name in DEPTH_ONE and "-R" not in words else below
    return ""
