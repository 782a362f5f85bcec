"""What makes two failures the same problem, though paths, numbers and names differ.

A signature is the tool, the program it ran, the class of the error, its cause
(`resources/memory/errors.toml`), the codes that mean something, and the message with everything replaced
that differs from run to run.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import urlsplit

from desktop.memory.statement_patterns import any_case

MOST_CONTEXT = 8
# Not told by the program that ran: the shell refuses to begin it, or the runtime under it fails.
TOLD_BY = {"scripts-disabled": "", "node-heap": "node", "node-openssl": "node"}
MODULE_MISSING = "module-missing"
SHORTEST_SHARED = 4  # letters of a part that two names of modules have in common
LONGEST_MESSAGE = 400  # characters of the normalised message

# Names that programs give their errors: ERESOLVE, TS5083, error[E0432], SQLSTATE 42P01.
_NAMED_CODE = re.compile(
    r"\b(?!ERRORS?\b|EXCEPTION\b|EXPECTED\b)E[A-Z]{4,}\b"
    r"|(?:(?<=error )|(?<=error: )|(?<=code ))[A-Z]{1,4}\d{3,5}\b"
    r"|(?<=error\[)E\d{4}(?=\])|(?<=SQLSTATE )\w{5}\b|\b0[0-9A-F]{7}\b"
)
_CODE = any_case(
    r"\b(?:exit(?:ed)?(?: with)?(?: status| code)?|status(?: code)?|returned(?: non-zero exit status)?"
    r"|errno|error code|http(?:/\d(?:\.\d)?)?|fehlercode)[\s:=\[(]{1,3}(-?\d{1,4})\b"
)

# In this order: an address holds a path, a path a name, a name a number.
_REPLACED = (
    (any_case(r"\b[a-z][a-z0-9+.-]{1,12}://\S+"), "<url>"),
    (any_case(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<id>"),
    (
        any_case(
            r"\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?z?)?"
            r"|\b\d{1,2}:\d{2}(?::\d{2})?\b"
        ),
        "<date>",
    ),
    (any_case(r"(?<![\w<])(?:[a-z]:[\\/]|\\\\|~?/|\.{1,2}[\\/])[^\s'\"`:;,)\]>]+"), "<path>"),
    (
        re.compile(r"'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`|[‘“„«][^’”»“\n]{1,200}[’”»“]"),
        "<name>",
    ),
    (any_case(r"(?<![\w<])(?:[\w.-]+[\\/])+[\w.-]+|\b[\w-]+\.[a-z][a-z0-9]{0,4}\b(?!\()"), "<path>"),
    (any_case(r"\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}\b"), "<hex>"),
    (any_case(r"(?<![\w<])-?\d+(?:[.,]\d+)*(?:%|[kmg]i?b\b|m?s\b)?"), "<n>"),
)
_QUOTES = "'\"`‘’“”„«»"
_PARTS = re.compile(r"\s*(?:&&|;|\n)\s*")
_LEADS = re.compile(r"(?:cd|pushd|export|set|source|\.|unset|ulimit|umask)(?:\s|$)|\w+=\S*$")
# Before what a program says stands its name, and that it is an error.
_PREFIX = re.compile(r"\b(?:npm (?:err!|error|warn)|(?:error|warning|fatal|hint|note|remote):)\s*")
# What runs another program, with its options.
_RUNNER = any_case(
    r"^(?:(?:\w+=\S*\s+)+|(?:sudo|env|time|nice|nohup|command|exec)(?:\s+-[ug]\s+\S+|\s+-\S+(?:\s+\d+)?)*\s+"
    r"|(?:npx|bunx|uvx|pnpx)(?:\s+-\S+)*\s+|(?:pnpm|yarn|npm|bun)\s+(?:exec|dlx|x)\s+(?:--\s+)?"
    r"|(?:\S*/)?python[\d.]*\s+(?:-[A-Za-ln-z]\s+)*-m\s+|(?:poetry|uv|pipenv|hatch|pdm|pipx|rye)\s+run\s+"
    r"|bundle\s+exec\s+|timeout\s+(?:-\S+\s+)*\S+\s+|(?:powershell|pwsh)(?:\.exe)?\s+(?:-(?!file\b|command\b"
    r"|f\b|c\b)\S+\s+(?:[^-\s]\S*\s+)?)*-(?:file|command|f|c)\s+)"
)
_RUNNER_NAME = any_case(r"(?P<name>bundle|poetry|uv|pipenv|hatch|pdm|rye)\s+(?:exec|run)\s")
# Other managers of packages run a project's scripts as npm does, and its programs as npx does.
_SCRIPTS = r"(?:run|dev|start|build|test|serve|lint|preview|watch|typecheck|format)"
_OWN_VERBS = (
    r"(?:add|approve-builds|audit|cache|ci|config|create|dlx|exec|fetch|global|i|import|info|init|install"
    r"|link|list|login|logout|ls|outdated|pack|patch|pm|prune|publish|rebuild|remove|rm|set|store|unlink|up"
    r"|update|upgrade|version|why|workspaces?|x)"
)
_BIN = any_case(rf"^(?:yarn|pnpm|bun)\s+(?!(?:{_SCRIPTS}|{_OWN_VERBS})(?:[\s:]|$))(?=[a-z@])")
_SCRIPT = any_case(rf"(?:yarn|pnpm|bun)\s+{_SCRIPTS}(?:[\s:]|$)")
SCRIPT_RUNNER = "npm"
_TOKEN = re.compile(r"<\w+>|[^\W\d_]{2,}")
_SPACES = re.compile(r"\s+")
_PATHS = ("path", "file_path", "source", "notebook_path")


@dataclass(frozen=True)
class Failure:
    """One failure of a tool or command. `program` is the first word of a command line, else ""."""

    tool: str
    message: str
    error_class: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    session: str = ""
    project: str = ""

    @property
    def program(self) -> str:
        return program_of(str(self.arguments.get("command", "")))

    @property
    def runner(self) -> str:
        """What runs the program, where that may be what fails: `bundle` of `bundle exec rake`; else ""."""
        found = _RUNNER_NAME.match(led_by(str(self.arguments.get("command", "")))[1])
        return found["name"].casefold() if found is not None else ""


@dataclass(frozen=True)
class Signature:
    """`hash` is equal for what is surely the same; the rest is for what may be."""

    tool: str
    program: str
    error_class: str
    cause: str
    codes: tuple[str, ...]
    message: str
    context: tuple[str, ...]

    @property
    def named_codes(self) -> frozenset[str]:
        """Of its codes those that are names: two failures that share one are of one kind."""
        return frozenset(code for code in self.codes if not code.lstrip("-").isdigit())

    @property
    def hash(self) -> str:
        parts = (self.tool, self.program, self.error_class, self.cause, *self.codes, self.message)
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()

    @property
    def tokens(self) -> frozenset[str]:
        """The words of the message that say something."""
        return frozenset(_TOKEN.findall(_PREFIX.sub("", self.message)))


@dataclass(frozen=True)
class ErrorCauses:
    """What `resources/memory/errors.toml` says."""

    patterns: tuple[tuple[str, re.Pattern[str]], ...]

    def of(self, message: str) -> str:
        """The cause that a message names, or ""."""
        folded = _SPACES.sub(" ", message.casefold())
        return next((cause for cause, pattern in self.patterns if pattern.search(folded)), "")

    def signature(self, failure: Failure) -> Signature:
        """Pure; the message should have been cleaned."""
        cause = self.of(failure.message) or self.of(failure.error_class)
        return Signature(
            tool=failure.tool,
            program=TOLD_BY.get(cause, failure.program),
            error_class=failure.error_class,
            cause=cause,
            codes=codes(failure.message),
            message=normalised_error(failure.message),
            context=_context(failure),
        )


@cache
def read_causes(path: Path) -> ErrorCauses:
    """Raises where the file is wrong, which is a bug."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return ErrorCauses(tuple((each["id"], re.compile("|".join(each["patterns"]))) for each in table["cause"]))


def normalised_error(message: str) -> str:
    """The message without what differs from run to run: paths, numbers, ids, dates, quoted names."""
    # More than is kept, because marks are shorter than what they replace; less than a log of megabytes.
    text = message[: 4 * LONGEST_MESSAGE].casefold()
    for pattern, mark in _REPLACED:
        text = pattern.sub(mark, text)
    return _SPACES.sub(" ", text).strip(" .:!")[:LONGEST_MESSAGE]


def names_in(message: str) -> tuple[str, ...]:
    """What `normalised_error` takes out that somebody named: paths and quoted names, in their order."""
    found: list[tuple[int, str]] = []
    left = message
    for pattern, mark in _REPLACED:
        if mark in ("<path>", "<name>"):
            found += [(match.start(), match[0].strip(_QUOTES)) for match in pattern.finditer(left)]
        # As many spaces, so that what is found later keeps its place.
        left = pattern.sub(lambda match: " " * len(match[0]), left)
    return tuple(dict.fromkeys(name for _, name in sorted(found) if name))


# What a message says is not there.
_MODULE = any_case(
    r"(?:no module named|cannot find (?:module|package)|can't resolve"
    r"|module not found:?)\s+[^\w@./]{0,2}(?P<name>[\w@./-]+)"
)
_INSTALLS = any_case(r"\b(?:install|add|ci|sync|restore|update|upgrade|tidy|get|download|pip|build)\b")


def is_other_module(learned: Sequence[str], fix: str, message: str) -> bool:
    """Whether a module is missing that has no part of a name of the failure learned from, and `fix`, which
    names none, is not one that brings whatever is missing: a search path, another folder. A file of one's
    own, by its relative path, is brought by no installation."""
    found = _MODULE.search(message)
    if found is None or not learned:
        return False
    parts = {part for part in re.findall(r"\w+", found["name"].casefold()) if len(part) >= SHORTEST_SHARED}
    known = {part for name in learned for part in re.findall(r"\w+", name.casefold())}
    if parts & known or not parts:
        return False
    return found["name"].startswith(".") or not _INSTALLS.search(fix)


def codes(message: str) -> tuple[str, ...]:
    """What tells errors apart: exit status, errno, status of HTTP, and names such as ERESOLVE."""
    return tuple(dict.fromkeys((*_CODE.findall(message), *_NAMED_CODE.findall(message))))


def core_of(command: str) -> str:
    """A command line without what only leads to it: `cd shop && npx -y tsc` is `tsc`. Of several programs the
    first that does something; a text that cannot be taken apart stays as it is."""
    parts = [part for part in _PARTS.split(command.strip()) if part.strip()]
    # Where somebody goes, and what they set, differs between two tries at the same thing.
    while len(parts) > 1 and _LEADS.match(parts[0]):
        parts = parts[1:]
    core = " ".join(parts).strip()
    while (shorter := _RUNNER.sub("", core, count=1)) != core and shorter.strip():
        core = shorter.strip()
    return _BIN.sub("", core, count=1)


def led_by(command: str) -> tuple[str, str]:
    """What only leads to the rest of a command line, and the rest: `cd shop && ` and `make test`."""
    parts = list(_PARTS.finditer(command))
    start = 0
    for separator in parts:
        if not _LEADS.match(command[start : separator.start()].strip()):
            break
        start = separator.end()
    return command[:start], command[start:]


def steps_of(command: str) -> tuple[str, ...]:
    """The commands of a line that are done one after another, without those that only lead to them."""
    return tuple(part.strip() for part in _PARTS.split(led_by(command)[1]) if part.strip())


def program_of(command: str) -> str:
    """The program of a plain command line, without variables, folders and what runs it."""
    core = core_of(command)
    words = [word for word in core.split() if "=" not in word.split("/")[0]]
    if not words:
        return ""
    if _SCRIPT.match(core):
        return SCRIPT_RUNNER
    name = PurePath(words[0].strip("'\"").replace("\\", "/")).name.casefold()
    # python3.11 and python fail in the same ways, on Windows too.
    plain = re.sub(r"\.exe$", "", name)
    plain = re.sub(r"^(mvn|gradle)w(?:\.bat|\.cmd)?$", r"\1", plain)  # a project's own copy of it
    return re.sub(r"^(python|pip|node|ruby|php|perl)[\d.]+$", r"\1", plain)


def _context(failure: Failure) -> tuple[str, ...]:
    """Up to eight facts around it that are the same when it happens again."""
    command: Sequence[str] = core_of(str(failure.arguments.get("command", ""))).split()
    found = [f"argument:{name}" for name in sorted(failure.arguments)]
    found += [f"verb:{word}" for word in command[1:3] if word.isalpha()]
    found += [f"option:{word}" for word in command if word.startswith("-")]
    # The kind of a file says more than its name, which differs each time.
    endings = (PurePath(str(value)).suffix for value in failure.arguments.values() if isinstance(value, str))
    found += [
        f"ending:{ending.casefold()}" for ending in endings if 1 < len(ending) < 7 and ending[1:].isalnum()
    ]
    return tuple(dict.fromkeys(found))[:MOST_CONTEXT]


def tag_of(arguments: Mapping[str, Any]) -> str:
    """The program, host or folder that a call is about; "" where nothing says it."""
    if arguments.get("command"):
        return program_of(str(arguments["command"]))
    if arguments.get("url"):
        return _host(str(arguments["url"]))
    path = next((str(arguments[name]) for name in _PATHS if arguments.get(name)), "")
    return _root(path)


def _host(url: str) -> str:
    try:
        return urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:  # no address at all
        return ""


def _root(path: str) -> str:
    """Of a relative path its first folder; of an absolute one the folder that it is in."""
    parts = PurePath(path).parts
    if len(parts) < 2:
        return ""
    return str(PurePath(path).parent) if PurePath(path).is_absolute() else parts[0]
