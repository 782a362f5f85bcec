"""Which program of a line a lasting yes would name: "`go test …` in this project".

A line is granted only if each of its steps only reads, changes files below the project with a program that
does nothing else, or is a program under its name. What the tables of `resources/program_grants.toml` do not
know as harmless ends the grant: the line is asked about. Pure, but for the tables.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from desktop.gate.projects import is_protected
from desktop.gate.request import Request
from desktop.gate.shell.simple_command import program_name
from desktop.gate.shell.words import ANY_MARK
from desktop.gate.verdict import Effect, Flag, Step
from desktop.paths import resources

SHELLS = frozenset(["bash", "sh", "zsh", "pwsh"])  # their scripts are named one by one
MAX_NAMES = 6  # of one line; a yes to more would be read by nobody

_PLAIN_WORD = re.compile(r"[A-Za-z][\w:.@-]*")
_OPTION = re.compile(r"(--?[A-Za-z][\w-]*)(?:=(.*))?", re.DOTALL)
_SHELL_CODE = re.compile(r"[;&|`$<>(){}]|\n")
_ADDRESS = re.compile(r"^[\w+.-]+://|^[\w.-]+@[\w.-]+:")
_SCRATCH = re.compile(r"(?:/private)?/tmp/[\w@%+-][\w.@%+/ -]*")
_MODULE = re.compile(r"[A-Za-z_][\w.]*")


class NeedKind(StrEnum):
    """What a part of a line needs to be granted."""

    PROGRAM = "program"  # the program with this name
    FILES = "files"  # making and changing files below the project
    SCRATCH = "scratch"  # making files in /tmp that are not there yet, and changing those that it made


@dataclass(frozen=True)
class Need:
    """One thing that a grant must cover. `name` is "" for files."""

    kind: NeedKind
    name: str = ""


FILES = Need(NeedKind.FILES)
SCRATCH = Need(NeedKind.SCRATCH)


def needs(request: Request) -> tuple[Need, ...] | None:
    """All that a lasting yes to this line would have to cover; None where there can be none."""
    found: dict[Need, None] = {}
    for wanted, _words in _named(request) or ():
        found |= dict.fromkeys(wanted)
    return tuple(found) if 0 < len(found) <= MAX_NAMES else None


def named_steps(request: Request) -> tuple[tuple[str, ...], ...] | None:
    """The words of each step that does more than read, with the chain that runs it in front.

    A redirection has none. None where the line cannot be allowed by names.
    """
    named = _named(request)
    return tuple(words for _wanted, words in named) if named is not None else None


def _named(request: Request) -> list[tuple[tuple[Need, ...], tuple[str, ...]]] | None:
    """For each step that does more than read what it needs, and its words; None where one has no name."""
    root = request.project
    if (
        not request.runs
        or not request.steps
        or root is None
        or request.untrusted
        or request.effect is Effect.DELETE
    ):
        return None
    # PATH=… and LD_PRELOAD=… make another program of the same name.
    if request.flags - {Flag.OUTSIDE} or not all(map(_is_plain_assignment, request.assigned)):
        return None
    reader = _Reader(str(root), str(request.folder), request.steps, frozenset(request.taken))
    found = []
    for number, step in enumerate(request.steps):
        wanted = reader.needs(number, step)
        if wanted is None:
            return None
        if wanted:
            found.append((wanted, reader.chain(number) or ()))
    return found


# -- the tables ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Tables:
    never: frozenset[str]
    never_commands: frozenset[str]
    files: frozenset[str]
    file_commands: frozenset[str]
    runners: Mapping[str, frozenset[str]]
    through: Mapping[str, frozenset[str]]
    interpreters: Mapping[str, frozenset[str]]
    names: Mapping[str, str]
    choosing: Mapping[str, frozenset[str]]
    texts: Mapping[str, frozenset[str]]
    ending: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def ends(self, program: str, option: str) -> bool:
        """Whether this option makes the program do what its name does not say."""
        return option in self.ending["*"] or option in self.ending.get(program, frozenset())


@cache
def _tables() -> _Tables:
    values = tomllib.loads((resources() / "program_grants.toml").read_text(encoding="utf-8"))
    ending: dict[str, frozenset[str]] = {}
    for each in values["ending"]:
        for program in each["programs"].split():
            ending[program] = ending.get(program, frozenset()) | frozenset(each["options"].split())

    def split(name: str) -> dict[str, frozenset[str]]:
        return {key: frozenset(words.split()) for key, words in values[name].items()}

    return _Tables(
        never=frozenset(values["never"].split()),
        never_commands=frozenset(values["never_commands"]),
        files=frozenset(values["files"].split()),
        file_commands=frozenset(values["file_commands"]),
        runners=split("runners"),
        through=split("through"),
        interpreters=split("interpreters"),
        names=values["names"],
        choosing=split("choosing"),
        texts=split("texts"),
        ending=ending,
    )


# -- assignments ----------------------------------------------------------------------------------

# Variables that steer what a program runs, loads or writes; their names are never harmless.
_STEERS = re.compile(
    r"(?i)FLAGS?$|OPTS?$|OPTIONS$|ARGS$|CONF|RC$|RUNNER|WRAPPER|LINKER|SHELL|PATH|HOME|DIR$|PREFIX|REGISTRY|INDEX"
    r"|PROXY|TOOLCHAIN|^CC$|^CXX$|^LD|^AR$|EDITOR|PAGER|BROWSER|COMMAND|CMD|EXEC|PRELOAD|PLUGIN|IMPORT|REQUIRE"
    r"|LOADER|STARTUP|ENV$|^GIT_|^npm_|^PIP_|^UV_|^DYLD|TARGET|OUTPUT|HOST|URL|SERVER|TOKEN|KEY|SECRET|PASS"
)
_STEERS_NOT = frozenset(["NODE_ENV", "RAILS_ENV", "RACK_ENV", "APP_ENV", "FLASK_ENV", "MIX_ENV", "BABEL_ENV"])
# What is written small is a variable of the line itself; of those that programs heed these are all.
_SMALL = re.compile(r"(?!p?npm_|yarn_)[a-z][a-z0-9_]*(?<!proxy)")
_PLAIN_VALUE = re.compile(r"[\w.,:@%+-]*")


def _is_plain_assignment(assigned: tuple[str, str]) -> bool:
    """Whether a variable in front of a command says nothing about what is run, such as `CI=1`."""
    name, value = assigned
    harmless = name in _STEERS_NOT or not _STEERS.search(name) or _SMALL.fullmatch(name)
    return bool(harmless and _PLAIN_VALUE.fullmatch(value))


# -- one line ---------------------------------------------------------------------------------------


class _Reader:
    """The steps of one line, in a project."""

    def __init__(self, root: str, folder: str, steps: Sequence[Step], taken: frozenset[str]) -> None:
        self._root = posixpath.normpath(root)
        self._folder = folder
        self._steps = steps
        self._taken = taken
        self._tables = _tables()

    def needs(self, number: int, step: Step) -> tuple[Need, ...] | None:
        """What a grant must cover of one step; None where there can be none."""
        if step.effect is Effect.READ:
            return () if step.flags <= {Flag.OUTSIDE} else None
        files = self._of_files(step)
        if files:
            return files
        if step.flags or step.effect is Effect.DELETE or not self._is_inside(step.base, ""):
            return None
        words = self.chain(number)
        if not step.words or words is None or step.words[0].startswith("-"):
            return None
        name = self._name(words, step.base)
        return (Need(NeedKind.PROGRAM, name),) if name else None

    # -- files ----------------------------------------------------------------------------------

    def _of_files(self, step: Step) -> tuple[Need, ...]:
        """For what only makes and changes files, all of them told, below the project or in /tmp."""
        if step.effect not in (Effect.CREATE, Effect.UPDATE) or step.flags - {Flag.OUTSIDE}:
            return ()
        if step.words:
            program = program_name(step.words[0])
            pair = " ".join((program, *step.words[1:2]))
            if pair in self._tables.file_commands:
                inside = not step.flags and self._is_inside(step.base, "")
                return (FILES,) if inside and self._are_inside(step.words[2:], step.base) else ()
            if program not in self._tables.files:
                return ()
        kinds = {self._kind_of(path) for path in step.changes}
        return tuple(kind for kind in (FILES, SCRATCH) if kind in kinds) if None not in kinds else ()

    def _kind_of(self, path: str) -> Need | None:
        if self._is_inside(path, ""):
            return FILES
        whole = posixpath.normpath(posixpath.join(self._folder, path))
        return SCRATCH if _SCRATCH.fullmatch(whole) and path not in self._taken else None

    def _are_inside(self, words: Sequence[str], base: str) -> bool:
        return all(not ANY_MARK.search(word) and self._is_inside(word, base) for word in words)

    def _is_inside(self, path: str, base: str) -> bool:
        """Whether it lies in the project and is none of the files that git, agents and editors obey."""
        if ANY_MARK.search(path) or ANY_MARK.search(base) or path.startswith("~") or base.startswith("~"):
            return False
        whole = posixpath.normpath(posixpath.join(self._folder, base, path))
        below = whole == self._root or whole.startswith(self._root.rstrip("/") + "/")
        inner = whole[len(self._root) :].lstrip("/")
        return below and ".git" not in inner.split("/") and not is_protected(inner)

    # -- programs ---------------------------------------------------------------------------------

    def chain(self, number: int) -> tuple[str, ...] | None:
        """The words from the outermost program that is named on, without those that only pass it through.

        None where it is run by something that is never named.
        """
        step = self._steps[number]
        words = step.words
        while step.run_by >= 0 and words:
            outer = self._steps[step.run_by]
            size = len(words)
            if outer.words[-len(step.words) :] != step.words:
                return None
            before = outer.words[: len(outer.words) - len(step.words)]
            if self._is_runner(before):
                words = (*before, *words[-size:])
            elif not self._is_passed(before) and not self._is_wrapper(outer, before):
                return None
            step = outer
        return words

    def _is_passed(self, before: Sequence[str]) -> bool:
        """`timeout 60`, `nice -n 5`: they do not change what is run."""
        return (
            bool(before) and program_name(before[0]) in self._tables.through and self._are_plain(before[1:])
        )

    def _is_wrapper(self, outer: Step, before: Sequence[str]) -> bool:
        """One of the user's: by itself it only reads, which of an unknown program nothing else says."""
        name = program_name(before[0]) if len(before) == 1 else ""
        return bool(name) and outer.effect is Effect.READ and name not in self._tables.never

    def _is_runner(self, before: Sequence[str]) -> bool:
        pair = " ".join((program_name(before[0]), *before[1:2])) if before else ""
        known = self._tables.runners
        single = pair.split(" ")[0]
        if pair not in known and single not in known:
            return False
        rest = before[2:] if pair in known else before[1:]
        return all(word == "--" or word in ("-y", "--yes", "-q", "--quiet", "--silent") for word in rest)

    def _are_plain(self, words: Sequence[str]) -> bool:
        return not any(ANY_MARK.search(word) or _SHELL_CODE.search(word) for word in words)

    def _name(self, words: Sequence[str], base: str) -> str:
        """The name under which a command is granted; "" where it has none."""
        first = words[0]
        if ANY_MARK.search(first):
            return ""
        runner = self._runner_words(words)
        if runner:
            return self._named(runner, words[len(runner) :], base)
        if "/" in first and not _is_installed(first):
            return self._script(first, words[1:], base)
        program = program_name(first)
        if program in self._tables.interpreters:
            return self._of_interpreter(program, words[1:], base)
        return self._of_program(program, words[1:], base)

    def _runner_words(self, words: Sequence[str]) -> tuple[str, ...]:
        """`uv run`, `npx`, `python -m` at the beginning, with their options."""
        known = self._tables.runners
        pair = " ".join((program_name(words[0]), *words[1:2]))
        size = 2 if pair in known else 1 if program_name(words[0]) in known else 0
        while 0 < size < len(words) and words[size].startswith("-"):
            size += 1
        return tuple(words[:size])

    def _named(self, runner: tuple[str, ...], rest: Sequence[str], base: str) -> str:
        """With what runs it in front: `uv run pytest`."""
        if not rest:
            return ""
        shown = " ".join((program_name(runner[0]), *(word for word in runner[1:2] if len(runner) > 1)))
        # `python -m` runs a module by its name; what is none would be a file.
        if shown.split(" ")[-1] == "-m" and not _MODULE.fullmatch(rest[0]):
            return ""
        inner = self._name(rest, base)
        return f"{shown} {inner}" if inner else ""

    def _script(self, path: str, rest: Sequence[str], base: str) -> str:
        """A file of the project, by its place."""
        # A script elsewhere may be changed by whoever may write there.
        if not self._is_inside(path, base) or not self._are_harmless("", rest, base):
            return ""
        whole = posixpath.normpath(posixpath.join(self._folder, base, path))
        return "./" + posixpath.relpath(whole, self._root)

    def _of_interpreter(self, program: str, rest: Sequence[str], base: str) -> str:
        known = self._tables.interpreters[program]
        place = 0
        while place < len(rest) and rest[place] in known:
            place += 1
        if place == len(rest) or rest[place].startswith("-"):
            return ""
        path = rest[place]
        # These two are an interpreter and a manager of packages in one.
        if program in ("bun", "deno") and "." not in path and "/" not in path:
            return self._of_program(program, rest, base)
        script = self._script(path, rest[place + 1 :], base) if "." in path or "/" in path else ""
        return f"{program} {_kin(script[2:]) if program not in SHELLS else script[2:]}" if script else ""

    def _of_program(self, program: str, rest: Sequence[str], base: str) -> str:
        tables = self._tables
        if program in tables.never or not _PLAIN_WORD.fullmatch(program.replace("+", "")):
            return ""
        rest, chosen = self._without_choice(program, rest, base)
        name = self._deepest(program, rest)
        if not chosen or name is None:
            return ""
        if any(f"{name} ".startswith(f"{each} ") for each in tables.never_commands) or not self._are_harmless(
            program, rest, base
        ):
            return ""
        return name

    def _without_choice(self, program: str, rest: Sequence[str], base: str) -> tuple[Sequence[str], bool]:
        """The words behind options that only choose a part of the project; False where that is not in it."""
        known = self._tables.choosing.get(program, frozenset())
        place = 0
        while place < len(rest) and rest[place].startswith("-"):
            name, equals, value = rest[place].partition("=")
            if name not in known and f"{name}=" not in known:
                break
            if f"{name}=" in known and not equals:
                place += 1
                value = rest[place] if place < len(rest) else ""
            # `make -C ..` is another project's.
            if value and (ANY_MARK.search(value) or not self._is_inside(value, base)):
                return rest, False
            place += 1
        return rest[place:], True

    def _deepest(self, program: str, rest: Sequence[str]) -> str | None:
        """The program with as many words as its table says; None where they are not plain."""
        names = self._tables.names
        name, depth = program, names.get(program, "1?")
        for size in (1, 2):
            longer = " ".join((program, *rest[:size]))
            if longer in names and len(rest) >= size:
                name, depth = longer, names[longer]
        # Of `go run` the subcommand says nothing: what runs is the file behind it.
        if depth == "script":
            return self._run_of_script(name, rest[len(name.split()) - 1 :])
        if depth == "all":
            operands = [word for word in rest if not word.startswith("-")]
            return " ".join((program, *operands)) if self._are_plain(operands) else None
        if depth == "1?":  # in no table: its first word may be a subcommand
            plain = [word for word in rest[:1] if _PLAIN_WORD.fullmatch(word) and "." not in word]
            return " ".join((program, *plain))
        words = rest[: int(depth)]
        if len(words) < int(depth) or not all(map(_PLAIN_WORD.fullmatch, words)):
            return program if not rest and depth == "1" else None
        return " ".join((program, *words))

    def _run_of_script(self, name: str, rest: Sequence[str]) -> str | None:
        """`go run ./cmd/x`: by its place."""
        path = next((word for word in rest if not word.startswith("-")), "")
        return f"{name} {path}" if path and self._is_inside(path, "") else None

    def _are_harmless(self, program: str, words: Sequence[str], base: str) -> bool:
        """Whether no word makes it run something else, or reach out of the project."""
        texts = self._tables.texts["*"] | self._tables.texts.get(program, frozenset())
        before = ""
        for word in words:
            # A commit message may hold anything; it runs nothing.
            is_text = before in texts or word.partition("=")[0] in texts
            if not is_text and not self._is_harmless(program, word, base):
                return False
            before = word
        return True

    def _is_harmless(self, program: str, word: str, base: str) -> bool:
        if ANY_MARK.search(word) or _ADDRESS.search(word):
            return False
        option = _OPTION.fullmatch(word)
        if option is None and word.startswith("-") and self._tables.ends(program, word[:2]):
            return False
        if option is None:
            value = word.partition("=")[2] if re.match(r"\w+=", word) else word
            # To make, NAME=VALUE is a variable, which a recipe may run.
            if value is not word and program in ("make", "gmake", "bmake"):
                return _is_plain_assignment((word.partition("=")[0], value))
            return self._may_be_named(value, base)
        if self._tables.ends(program, option[1]) or self._is_joined(program, option[1]):
            return False
        return option[2] is None or self._may_be_named(option[2], base)

    def _is_joined(self, program: str, option: str) -> bool:
        """`-C..` and `-ofile`: a short option that ends a grant with its value behind it."""
        short = option[:2]
        return not option.startswith("--") and len(option) > 2 and self._tables.ends(program, short)

    def _may_be_named(self, value: str, base: str) -> bool:
        """Whether a word is no path out of the project and no code."""
        if _SHELL_CODE.search(value) or " " in value.strip():
            return False
        looks_out = value.startswith(("/", "~")) or ".." in value.split("/")
        return not looks_out or value == "/dev/null" or self._is_inside(value, base)


def _kin(script: str) -> str:
    """The scripts of the same kind in the same folder: an agent that may write one may write the others."""
    folder, name = posixpath.split(script)
    suffix = posixpath.splitext(name)[1]
    return posixpath.join(folder, f"*{suffix}") if suffix else script


_INSTALLED = re.compile(
    r"(?:.*/)?(?:node_modules/\.bin|\.?venv/bin|vendor/bin)/[\w.-]+|/usr(?:/local)?/s?bin/.*|/s?bin/.*"
)


def _is_installed(path: str) -> bool:
    return bool(_INSTALLED.fullmatch(path))
