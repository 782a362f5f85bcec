"""Project mode: in this folder an agent works without asking, held to the folder, until a chosen time.

A project is the repository that a working folder is a part of, or a folder that the user chose. What project
mode lets through is said in `policy`; here is who has it, since when and until when. It ends by itself, is
listed and revoked like a grant, and a revocation can be taken back.
"""

from __future__ import annotations

import ipaddress
import os
import re
import stat
import threading
import time
import tomllib
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path

from desktop.database import Connection, Database, Row
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.gate.reasons import GateReason
from desktop.gate.request import Request
from desktop.gate.shell.places import GATE, holds_secrets
from desktop.gate.shell.simple_command import program_name
from desktop.gate.shell.words import ANY_MARK
from desktop.gate.verdict import ANYWHERE, Effect, Flag, Network, Step
from desktop.paths import resources
from desktop.reasons import Reason
from desktop.sandbox.confinement_table import hosts, protected_paths
from desktop.sandbox.confiner import SCRATCH

DAY_S = 24 * 3600.0
CLOCK_ERROR_S = 300.0  # by which a clock that is set right may go back
MAX_DEPTH = 40  # folders above a working folder that are looked at
WRITTEN_EVERY_S = 10.0  # what was counted, while commands come

_SYSTEM_FOLDERS = """/bin /boot /dev /etc /lib /lib64 /proc /run /sbin /sys /usr
/System /Library /Applications C:/Windows C:/ProgramData"""
_SHARED_FOLDERS = """/home /Users /mnt /media /opt /private /private/tmp /private/var /root /srv /tmp /var
/var/tmp /var/folders /Volumes C:/Users"""
_SYSTEM = tuple(map(Path, _SYSTEM_FOLDERS.split()))  # nothing in these is anybody's project
_SHARED = frozenset(map(Path, _SHARED_FOLDERS.split()))  # these hold many people's projects, and are none


class ProjectDuration(StrEnum):
    """How long project mode is on."""

    TODAY = "today"
    WEEK = "7 days"
    UNTIL_REVOKED = "until revoked"

    def end(self, now: float) -> float | None:
        """Seconds since 1970; today ends at midnight where the user is."""
        if self is ProjectDuration.UNTIL_REVOKED:
            return None
        if self is ProjectDuration.WEEK:
            return now + 7 * DAY_S
        today = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
        return (today + timedelta(days=1)).timestamp()


@dataclass(frozen=True)
class Project:
    """One folder in which agents work without asking. Times in seconds since 1970."""

    id: int
    folder: Path
    begun: float
    until: float | None  # None: until revoked
    used_at: float  # when begun, as long as it was not used
    uses: int

    def is_on(self, now: float) -> bool:
        """Not while the clock is behind its last use either: set back, it would make a day a year."""
        return self.until is None or self.used_at - CLOCK_ERROR_S <= now < self.until


@dataclass(frozen=True)
class ProjectModeChanged(Event):
    """Project mode began, was revoked, or was put back somewhere; `folders` are those where it is on."""

    folders: tuple[Path, ...]


class Projects:
    """The projects of a profile. Methods may be called on any thread; `of` and `use` wait for no disk."""

    def __init__(
        self,
        database: Database,
        forbidden: Iterable[Path] = (),
        bus: Bus | None = None,
        now: Callable[[], float] = time.time,
        home: Path | None = None,
    ) -> None:
        """`forbidden` are Steward's own folders: no project is one, in one, or around one."""
        self._database = database
        self._forbidden = tuple(Path(os.path.realpath(each)) for each in forbidden)
        self._home = Path(os.path.realpath(home or Path.home()))
        self._bus = bus
        self._now = now
        self._lock = threading.Lock()
        self._known: tuple[Project, ...] | None = None  # not ended; a hook must not wait for the database
        self._counted: dict[int, tuple[int, float]] = {}  # uses that are not written yet, and the last one
        self._written_at = 0.0

    def begin(self, folder: Path, until: float | None) -> Project:
        """Let agents work in `folder` until then (None: until revoked); begun again, it gets the new end.

        Raises UserFacing for a folder that is no project.
        """
        real = Path(os.path.realpath(folder))
        unfit = self.unfit(real)
        if unfit:
            raise _refused(real, unfit)
        project = self._database.write(lambda c: self._begin(c, str(real), until))
        self._changed()
        return project

    def end_of(self, span: ProjectDuration) -> float | None:
        """When project mode that begins now ends."""
        return span.end(self._now())

    def unfit(self, folder: Path) -> Reason | None:
        """Why this folder is no project, None where it is one."""
        real = Path(os.path.realpath(folder))
        if real.parent == real or real in _SHARED or any(real.is_relative_to(each) for each in _SYSTEM):
            return GateReason.BELONGS_TO_SEVERAL.of()
        if self._home.is_relative_to(real):
            return GateReason.HOLDS_THE_HOME_FOLDER.of()
        if any(real.is_relative_to(each) or each.is_relative_to(real) for each in self._forbidden):
            return GateReason.HOLDS_STEWARDS_FILES.of()
        if holds_secrets(f"{real}/") or GATE.search(f"{real}/") or _is_hidden_at_home(real, self._home):
            return GateReason.HOLDS_SETTINGS_OF_PROGRAMS.of()
        return None if real.is_dir() else GateReason.IS_NO_FOLDER.of()

    def root_of(self, folder: Path) -> Path | None:
        """The project that a working folder is a part of: where project mode is on, else its repository,
        else the folder itself. None where it can be none. Looks at the disk.
        """
        on = self.of(folder)
        if on is not None:
            return on.folder
        real = Path(os.path.realpath(folder))
        around = (each for each in (real, *real.parents)[:MAX_DEPTH] if os.path.lexists(each / ".git"))
        return next((each for each in (*around, real) if not self.unfit(each)), None)

    def of(self, folder: Path) -> Project | None:
        """The project with project mode on that `folder` is in; the innermost of several."""
        on = [each for each in self._loaded() if each.is_on(self._now())]
        if not on:
            return None
        real = Path(os.path.realpath(folder))
        around = [each for each in on if real.is_relative_to(each.folder)]
        return max(around, key=lambda each: len(each.folder.parts), default=None)

    def use(self, project: Project) -> bool:
        """Count a command. False, and nothing counted, when it has ended meanwhile."""
        now = self._now()
        is_on = any(each.id == project.id and each.is_on(now) for each in self._loaded())
        if not is_on:
            return False
        with self._lock:
            # Counted in memory: a write for each command of an agent would make every one wait for the disk.
            self._counted[project.id] = (self._counted.get(project.id, (0, now))[0] + 1, now)
            is_due = now - self._written_at >= WRITTEN_EVERY_S
        if is_due:
            self._write_counts(self._database.write_soon)
        return True

    def listed(self) -> list[Project]:
        """All that are on, the latest used first."""
        self._write_counts(self._database.write)
        now = self._now()
        sql = "SELECT * FROM projects WHERE ended_at IS NULL ORDER BY used_at DESC, id DESC"
        known = self._database.read(lambda c: [_project(row) for row in c.execute(sql)])
        return [project for project in known if project.is_on(now)]

    def close(self) -> None:
        """Write down what was counted."""
        self._write_counts(self._database.write)

    def end(self, project_id: int) -> None:
        """Revoke it; agents ask again from now on."""
        self._end("id = ?", (project_id,), "revoked")

    def restore(self, project_id: int) -> None:
        """Take a revocation back; what ended by its time stays ended."""
        sql = (
            "UPDATE projects SET ended_at = NULL, ended_because = '' WHERE id = ? "
            "AND ended_because = 'revoked' AND (until IS NULL OR until > ?) "
            "AND NOT EXISTS (SELECT 1 FROM projects AS other "
            "WHERE other.folder = projects.folder AND other.ended_at IS NULL)"
        )
        self._database.write(lambda c: c.execute(sql, (project_id, self._now())))
        self._changed()

    # -- how ----------------------------------------------------------------------------------

    def _loaded(self) -> tuple[Project, ...]:
        with self._lock:
            if self._known is None:
                sql = "SELECT * FROM projects WHERE ended_at IS NULL"
                self._known = tuple(self._database.read(lambda c: [_project(row) for row in c.execute(sql)]))
            return self._known

    def _write_counts(self, write: Callable[[Callable[[Connection], object]], object]) -> None:
        with self._lock:
            counted, self._counted, self._written_at = self._counted, {}, self._now()
        rows = [(uses, used_at, project_id) for project_id, (uses, used_at) in counted.items()]
        sql = "UPDATE projects SET uses = uses + ?, used_at = ? WHERE id = ?"
        write(lambda c: c.executemany(sql, rows))  # with no rows too: behind what is in line already

    def _begin(self, connection: Connection, folder: str, until: float | None) -> Project:
        now = self._now()
        connection.execute(
            "UPDATE projects SET ended_at = ?, ended_because = 'begun again' "
            "WHERE folder = ? AND ended_at IS NULL",
            (now, folder),
        )
        added = connection.execute(
            "INSERT INTO projects (folder, begun, until, used_at) VALUES (?, ?, ?, ?)",
            (folder, now, until, now),
        )
        sql = "SELECT * FROM projects WHERE id = ?"
        return _project(connection.execute(sql, (added.lastrowid,)).fetchone())

    def _end(self, which: str, values: tuple[object, ...], because: str) -> None:
        where = f"ended_at IS NULL AND {which}"
        sql = f"UPDATE projects SET ended_at = ?, ended_because = ? WHERE {where}"  # noqa: S608 - from above
        self._database.write(lambda c: c.execute(sql, (self._now(), because, *values)))
        self._changed()

    def _changed(self) -> None:
        with self._lock:
            self._known = None
        self._loaded()  # here, so that no hook has to
        if self._bus is not None:
            self._bus.publish(ProjectModeChanged(tuple(each.folder for each in self.listed())))


def _is_hidden_at_home(folder: Path, home: Path) -> bool:
    """`~/.config`, `~/.local/share`: what programs keep for themselves."""
    return folder.is_relative_to(home) and folder.relative_to(home).parts[0].startswith(".")


def _refused(folder: Path, why: Reason) -> UserFacing:
    return UserFacing(GateReason.PROJECT_UNFIT.of(folder=folder, why=why))


def _project(row: Row) -> Project:
    return Project(
        id=row["id"],
        folder=Path(row["folder"]),
        begun=row["begun"],
        until=row["until"],
        used_at=row["used_at"],
        uses=row["uses"],
    )


# -- what a line needs beyond its project ----------------------------------------------------------


@dataclass(frozen=True)
class _Tables:
    elsewhere: frozenset[str]
    installers: frozenset[str]
    protected: frozenset[str]
    rebuilt: frozenset[str]
    started: frozenset[str]


@cache
def _tables() -> _Tables:
    values = tomllib.loads((resources() / "project_mode.toml").read_text(encoding="utf-8"))
    return _Tables(**{name: frozenset(words.split()) for name, words in values.items()})


def beyond(request: Request, more_hosts: Collection[str] = ()) -> Reason | None:
    """Why it is asked about; None where nothing is known to be needed.

    `more_hosts` are reached beside the package indexes, as the user has said; `.example.org` is all below it.
    """
    return next(_reasons(request, more_hosts), None)


def _reasons(request: Request, more_hosts: Collection[str]) -> Iterator[Reason]:
    for step in request.steps:
        yield from _of_step(step, request)
    for host in request.hosts:
        # `-o out.json` may look like a host
        if host not in request.touched and not is_near(host, more_hosts):
            yield GateReason.IS_NO_PACKAGE_INDEX.of(host=host)


def _of_step(step: Step, request: Request) -> Iterator[Reason]:
    tables = _tables()
    names = _names(step)
    # Such programs change a service or a daemon, of which the walls of a folder know nothing.
    if step.effect > Effect.READ and names and names[0] in tables.elsewhere:
        yield GateReason.LIES_BEYOND_ANY_FOLDER.of(name=names[0])
    if step.network is Network.USES and not request.hosts and not tables.installers.intersection(names):
        yield GateReason.TALKS_TO_ANOTHER_COMPUTER.of(name=names[0] if names else GateReason.IT.of())
    # `git config` writes what later decides which programs git starts.
    if step.effect > Effect.READ and tables.protected.intersection(names):
        yield GateReason.CHANGES_WHAT_GIT_OBEYS.of(name=names[-1].replace("/", " "))
    for change in step.changes:
        if is_protected(_in_project(change, request)):
            yield GateReason.RULES_WHAT_OTHERS_RUN.of(name=change)


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
    # A rule begins with a dot, so that `example.org` does not let `evilexample.org` in.
    below = ("." + ".".join(parts[place:]) for place in range(1, len(parts)))
    return is_here(host) or name in known or any(each in known for each in below)


def is_here(host: str) -> bool:
    """Whether a host is this computer."""
    name = host.lower().strip("[]").rstrip(".")
    # RFC 6761: these never leave the computer.
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
    # What lies below a protected folder is protected with it.
    heads = ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
    # Of a submodule it is a file, which says where its repository is.
    is_link = parts[-1] == ".git" and len(parts) <= 3
    return is_link or any(fnmatchcase(head, each) for head in heads for each in protected_paths())


def rules_others(request: Request) -> bool:
    """Whether it changes what git, agents, editors or shells obey: they would run what stands there."""
    if not request.runs:
        places = (os.path.join(request.folder, each) for each in (*request.parts, *request.touched))
        return request.effect is not Effect.READ and any(map(rules_programs, places))
    changes = (*request.touched, *(change for step in request.steps for change in step.changes))
    if any(is_protected(_in_project(each, request)) for each in changes):
        return True
    changing = (step for step in request.steps if step.effect > Effect.READ)
    return any(_tables().protected.intersection(_names(step)) for step in changing)


def rules_programs(path: str) -> bool:
    """Whether what stands at an absolute path is run or obeyed by others by themselves: hooks and settings of
    git, agents and editors in any folder, start-up files of shells, what begins with a login or at a time.

    A folder that holds such a place counts, too: it can be moved there with all that is in it.
    """
    return _rules_programs(path, os.path.realpath(os.path.expanduser("~")))


@lru_cache(maxsize=1024)
def _rules_programs(path: str, home: str) -> bool:
    plain, own = (each.replace("\\", "/").casefold() for each in (os.path.normpath(path), home))
    parts = plain.strip("/").split("/")  # without regard to case: some disks take .GIT and .git for one
    if any(_is_ruling(parts[begin:], _protected_parts()) for begin in range(len(parts))):
        return True
    if parts[-1] in _tables().started or _is_ruling(parts, _started_parts("/"), whole=True):
        return True
    other = _HOMES.match(plain)
    homes = (own, *([other[0]] if other else ()))
    below = (plain.removeprefix(each + "/").split("/") for each in homes if plain.startswith(each + "/"))
    return any(_is_ruling(each, _started_parts("~/")) for each in below)


_HOMES = re.compile(r"(?:[a-z]:)?/(?:home|users)/[^/]+|/root")
# Patterns by their first part; under "" those in which that is one.
_Parts = Mapping[str, Sequence[Sequence[str]]]


def _is_ruling(parts: Sequence[str], patterns: _Parts, whole: bool = False) -> bool:
    """Whether a path is such a place or lies below one; unless `whole`, also where it is a hidden folder that
    holds one."""
    near = (*patterns.get(parts[0], ()), *patterns[""])
    fitting = (each for each in near if all(map(fnmatchcase, parts, each)))
    return any(len(parts) >= len(each) or (not whole and parts[-1][:1] == ".") for each in fitting)


@cache
def _protected_parts() -> _Parts:
    # What begins with a star stands there for folders of a project, and is found from each folder here.
    return _by_first(each.casefold() for each in protected_paths() if not each.startswith("*/"))


@cache
def _started_parts(begin: str) -> _Parts:
    return _by_first(each.removeprefix(begin) for each in _tables().started if each.startswith(begin))


def _by_first(patterns: Iterable[str]) -> _Parts:
    known: dict[str, list[list[str]]] = {"": []}
    for parts in (each.split("/") for each in patterns):
        known.setdefault("" if "*" in parts[0] else parts[0], []).append(parts)
    return known


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
        # Deleted by a pattern or by a program: no copy could be made of what is not told.
        if not step.changes:
            return None
        for change in step.changes:
            whole = os.path.normpath(os.path.join(request.folder, change))
            # It made them itself, so nothing of anybody's is lost.
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


# -- what its commands have made in /tmp themselves ------------------------------------------------

MOST = 2_000  # places, of all projects; one that is forgotten counts as somebody else's
MOST_ENTRIES = 2_000  # of the whole folder: each is held while a confined command runs, for some 10 µs
SHORTEST_SESSION = 16  # characters: a name that nobody else chooses by chance

_ENTRY = re.compile(rf"({SCRATCH}/[^/]+)(?:/.*)?")


class Scratch:
    """Methods may be called on any thread; they look at the disk."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: OrderedDict[tuple[str, str], None] = OrderedDict()

    def taken(self, owner: str, paths: Iterable[str]) -> tuple[str, ...]:
        """Of absolute `paths` those where something stands that this owner did not make."""
        return tuple(path for path in paths if path.startswith("/") and self._is_taken(owner, path))

    def places(self, owner: str, session: str, folder: Path, paths: Iterable[str]) -> tuple[str, ...]:
        """Of the places in /tmp that `paths` name, seen from `folder`, those that are the owner's.

        Entries that are free or that it made, and a folder that bears the name of the agent's session.
        """
        found: dict[str, None] = {}
        for path in paths:
            whole = os.path.normpath(os.path.join(folder, path))
            entry = _ENTRY.fullmatch(whole)
            if entry is None or ANY_MARK.search(path) or "\0" in path:
                continue
            of_session = _folder_of_session(whole, session)
            if of_session:
                found[of_session] = None
            elif not self._is_taken(owner, entry[1]):
                found[entry[1]] = None
        return tuple(found) if found and len(os.listdir(SCRATCH)) <= MOST_ENTRIES else ()

    def _is_taken(self, owner: str, path: str) -> bool:
        key = (owner, os.path.normpath(path))
        with self._lock:
            # Free now, so whatever stands there afterwards is this owner's doing.
            if not os.path.lexists(path):
                self._made[key] = None
                self._made.move_to_end(key)
                if len(self._made) > MOST:
                    self._made.popitem(last=False)
                return False
            # A link may have been put there by anybody since, and leads elsewhere.
            return key not in self._made or os.path.islink(path)


def _folder_of_session(path: str, session: str) -> str:
    """The part of a path up to a folder of this user's that is named as the session, without links."""
    parts = path.split("/")
    # A short name could be that of somebody else's folder.
    if len(session) < SHORTEST_SESSION or session not in parts:
        return ""
    whole = "/".join(parts[: parts.index(session) + 1])
    try:
        status = os.lstat(whole)
    except OSError:
        return ""
    # /tmp is everybody's: another user may have made a folder of that name first.
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    return whole if is_own and os.path.realpath(whole) == whole else ""


def leads_out(path: str, inside: Iterable[str]) -> bool:
    """Whether what is written at an absolute path lands beyond all of these places: by a link, or by a second
    name of the same file.
    """
    real = os.path.realpath(path)
    if not any(is_below(real, os.path.realpath(each)) for each in inside):
        return True
    try:
        status = os.lstat(real)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def is_below(path: str, place: str) -> bool:
    """Whether an absolute path is this place or lies in it."""
    return path == place or path.startswith(place.rstrip("/") + "/")
