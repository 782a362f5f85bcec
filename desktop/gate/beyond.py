"""What a line needs beyond its project, as far as its words tell: then it is asked about.

Project mode holds a command to its folder whatever it turns out to do. What would surely fail there is better
asked about first: services, containers, other processes, hosts that are no package index, the files that git
obeys. The tables are in `resources/project_mode.toml`.
"""

from __future__ import annotations

import ipaddress
import os
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from desktop.gate.request import Request
from desktop.gate.scratch import is_below
from desktop.gate.shell.judge import program_name
from desktop.gate.shell.words import ANY_MARK
from desktop.gate.verdict import ANYWHERE, Effect, Flag, Network, Step
from desktop.paths import resources
from desktop.sandbox.confiner import hosts, protected_paths


@dataclass(frozen=True)
class _Tables:
    elsewhere: frozenset[str]
    installers: frozenset[str]
    protected: frozenset[str]
    rebuilt: frozenset[str]


@cache
def _tables() -> _Tables:
    values = tomllib.loads((resources() / "project_mode.toml").read_text(encoding="utf-8"))
    return _Tables(**{name: frozenset(words.split()) for name, words in values.items()})


def beyond(request: Request, more_hosts: Collection[str] = ()) -> str:
    """Completes "it is asked about, because "; "" where nothing is known to be needed.

    `more_hosts` are reached beside the package indexes, as the user has said; `.example.org` is all below it.
    """
    return next(_reasons(request, more_hosts), "")


def _reasons(request: Request, more_hosts: Collection[str]) -> Iterator[str]:
    for step in request.steps:
        yield from _of_step(step, request)
    for host in request.hosts:
        # `-o out.json` may look like a host
        if host not in request.touched and not is_near(host, more_hosts):
            yield f"{host} is no package index"


def _of_step(step: Step, request: Request) -> Iterator[str]:
    tables = _tables()
    names = _names(step)
    if step.effect > Effect.READ and names and names[0] in tables.elsewhere:
        yield f"what {names[0]} does lies beyond any folder"
    if step.network is Network.USES and not request.hosts and not tables.installers.intersection(names):
        yield f"{names[0] if names else 'it'} talks to another computer"
    if step.effect > Effect.READ and tables.protected.intersection(names):
        yield f"{names[-1].replace('/', ' ')} changes what git obeys"
    for change in step.changes:
        if is_protected(_in_project(change, request)):
            yield f"{change} rules what other programs run"


def _names(step: Step) -> tuple[str, ...]:
    """`git` and `git/push`, for the tables; options before the subcommand are passed over."""
    if not step.words:
        return ()
    program = program_name(step.words[0])
    sub = next((word for word in step.words[1:] if not word.startswith("-")), "")
    return (program, f"{program}/{sub}") if sub else (program,)


def is_near(host: str, more_hosts: Collection[str] = ()) -> bool:
    """Whether a host is this computer, a package index or one of `more_hosts`."""
    name = host.lower().strip("[]").rstrip(".")
    known = (*hosts(), *more_hosts)
    parts = name.split(".")
    below = ("." + ".".join(parts[place:]) for place in range(1, len(parts)))
    return is_here(host) or name in known or any(each in known for each in below)


def is_here(host: str) -> bool:
    """Whether a host is this computer."""
    name = host.lower().strip("[]").rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


# -- what rules other programs ----------------------------------------------------------------------


def is_protected(path: str) -> bool:
    """Whether a path of a project, as seen from there, is never written to in confinement: settings and hooks
    that git, agents and editors obey.
    """
    parts = path.split("/")
    heads = ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
    return path == ".git" or any(fnmatchcase(head, each) for head in heads for each in protected_paths())


def _in_project(change: str, request: Request) -> str:
    whole = os.path.normpath(os.path.join(request.folder, change))
    return os.path.relpath(whole, request.project or request.folder)


# -- what is its own in /tmp ------------------------------------------------------------------------


def places_named(step: Step) -> tuple[str, ...]:
    """The paths that a step changes; where they are not told, those that it names and where it works."""
    if step.changes:
        return step.changes
    outer = (word for word in step.words[1:] if word.startswith(("/", "~")) or ".." in word.split("/"))
    return (step.base, *outer)


def stays_in_scratch(request: Request) -> bool:
    """Whether all that a line is known to change beyond its project is the project's own in /tmp."""
    if not request.scratch or request.project is None:
        return False
    inside = (os.path.normpath(request.project), *request.scratch)

    def lies_inside(path: str) -> bool:
        whole = os.path.normpath(os.path.join(request.folder, path))
        is_told = not ANY_MARK.search(path) and not path.startswith("~")
        return is_told and any(is_below(whole, each) for each in inside)

    outer = [step for step in request.steps if Flag.OUTSIDE in step.flags]
    return bool(outer) and all(lies_inside(path) for step in outer for path in places_named(step))


# -- what is deleted ------------------------------------------------------------------------------


def deleted(request: Request) -> tuple[str, ...] | None:
    """The paths that a line deletes, absolute and in its project; None where the text does not tell all.

    Left out is what its project has made in /tmp itself.
    """
    if request.project is None or not request.steps:
        return None
    root = os.path.normpath(request.project)
    found: dict[str, None] = {}
    for step in request.steps:
        if step.effect is not Effect.DELETE:
            continue
        if not step.changes:
            return None
        for change in step.changes:
            whole = os.path.normpath(os.path.join(request.folder, change))
            if not ANY_MARK.search(change) and any(is_below(whole, each) for each in request.scratch):
                continue
            is_told = change != ANYWHERE and not ANY_MARK.search(change) and not change.startswith("~")
            if not is_told or not whole.startswith(root + os.sep):
                return None
            found[whole] = None
    return tuple(found)


def is_rebuilt(path: str) -> bool:
    """Whether a path lies in a folder that is made again by whoever builds or installs."""
    return not _tables().rebuilt.isdisjoint(path.split("/"))
