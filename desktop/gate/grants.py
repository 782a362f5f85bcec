"""Grants: what the user allowed beyond one click, written as the thing that they cover.

A grant covers a part of a request; a request is granted only if every part is covered. Each is listed,
counted and revocable, and ends after `UNUSED_S` without use. The words of a grant are made from what it
covers, so that the dialog, the list and the rule cannot differ.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath

from desktop.database import Connection, Database, Row
from desktop.gate.program_names import needs
from desktop.gate.projects import CLOCK_ERROR_S, rules_others
from desktop.gate.reasons import GateReason
from desktop.gate.request import RISKY, Request
from desktop.gate.verdict import Flag
from desktop.reasons import Reason

UNUSED_S = 90 * 24 * 3600.0
WEEK_S = 7 * 24 * 3600.0


class GrantScope(StrEnum):
    ONCE = "once"
    CHAT = "chat"
    WEEK = "week"  # 7 days
    ALWAYS = "always"


class GrantKind(StrEnum):
    """How a grant compares."""

    EXACT = "exact"  # this command, address or file, letter by letter
    BELOW = "below"  # any path in the folder
    TOOL = "tool"  # the tool where it names nothing, like reading the clipboard
    SERVED = "served"  # every call of a server's tool, as long as the server and its words stay the same
    PROGRAM = "program"  # a program under its name, in a project
    FILES = "files"  # commands that only make and change files, in a project
    SCRATCH = "scratch"  # commands in a project that only make new files in /tmp


BY_NAME = frozenset({GrantKind.PROGRAM, GrantKind.FILES, GrantKind.SCRATCH})


@dataclass(frozen=True)
class Covers:
    """What a grant is about. `folder` is where a command works, or where paths lie."""

    tool: str
    kind: GrantKind
    text: str = ""
    folder: Path = Path("/")

    def matches(self, request: Request, part: str) -> bool:
        """Whether it covers `part` of `request`."""
        if self.tool != request.tool or self.kind not in (GrantKind.EXACT, GrantKind.BELOW):
            return False
        if self.kind is GrantKind.BELOW:
            # Whoever allowed a folder did not think of the key file in it, nor of the hooks.
            is_plain = not request.runs and not request.flags - {Flag.OUTSIDE}
            return is_plain and _is_below(part, self.folder) and not rules_others(request)
        # The same words mean another thing in another folder; an address is the same everywhere.
        return part == self.text and (not request.runs or request.folder == self.folder)

    def in_words(self) -> Reason:
        """Completes "allow …": the words of the button, of the list and of the log."""
        match self.kind:
            case GrantKind.TOOL:
                return GateReason.COVERS_TOOL.of(tool=self.tool)
            case GrantKind.SERVED:
                return GateReason.COVERS_SERVED.of(tool=self.tool)
            case GrantKind.BELOW:
                return GateReason.COVERS_BELOW.of(tool=self.tool, folder=self.folder)
            case GrantKind.PROGRAM:
                return GateReason.COVERS_PROGRAM.of(text=self.text, folder=self.folder)
            case GrantKind.SCRATCH:
                return GateReason.COVERS_SCRATCH.of(folder=self.folder)
            case GrantKind.FILES:
                return GateReason.COVERS_FILES.of(folder=self.folder)
            case GrantKind.EXACT:
                return GateReason.COVERS_EXACTLY.of(tool=self.tool, text=self.text)


@dataclass(frozen=True)
class Grant:
    """One line of the Permissions page. Times in seconds since 1970."""

    id: int
    scope: GrantScope
    covers: Covers
    chat: str
    granted_at: float
    used_at: float  # when granted, as long as it was not used
    uses: int
    until: float | None = None  # None: until revoked, or unused for long

    def in_words(self) -> Reason:
        covers = self.covers.in_words()
        match self.scope:
            case GrantScope.ONCE:
                return GateReason.GRANTED_ONCE.of(what=covers)
            case GrantScope.CHAT:
                return GateReason.GRANTED_FOR_THIS_CHAT.of(what=covers)
            case GrantScope.WEEK:
                return GateReason.GRANTED_FOR_A_WEEK.of(what=covers)
            # Their words name the folder, and a server's tool has none.
            case GrantScope.ALWAYS if self.covers.kind in BY_NAME or self.covers.kind is GrantKind.SERVED:
                return GateReason.GRANTED_ALWAYS.of(what=covers)
            case GrantScope.ALWAYS:
                return GateReason.GRANTED_ALWAYS_IN.of(what=covers, folder=self.covers.folder)


def _is_below(part: str, folder: Path) -> bool:
    path = PurePath(part)
    # With `..` a path begins in the folder and ends elsewhere.
    return path.is_absolute() and ".." not in path.parts and path.is_relative_to(folder)


# A yes for a time holds only while the clock is not behind its last use: one that was set back would make a
# week of it a year. It asks meanwhile, and holds again when the clock is right.
IN_FORCE = "used_at > ? AND (until IS NULL OR (until > ? AND used_at <= ?))"


def offered_scopes(request: Request) -> tuple[GrantScope, ...]:
    """Which grants the dialog may offer: a lasting one only where its words say all that it lets through."""
    if request.untrusted or request.flags or not request.is_shown or request.effect in RISKY:
        return (GrantScope.ONCE,)
    if request.runs and not request.is_static:
        return (GrantScope.ONCE,)
    return (GrantScope.ONCE, GrantScope.CHAT, GrantScope.ALWAYS)


class Grants:
    """The grants of a profile. Methods may be called on any thread."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now

    def add(self, scope: GrantScope, covers: Covers, chat: str = "") -> Grant:
        """Remember what the user allowed; the same grant again is the same line."""
        return self._database.write(lambda c: self._add(c, scope, covers, chat))

    def covering(self, request: Request) -> tuple[Grant, ...]:
        """The grants that together cover every part; empty when one part is not covered."""
        return covering(request, self._in_force(request))

    def use(self, grants: Iterable[Grant]) -> bool:
        """Count a use of each. False, and nothing counted, when one was revoked or used up meanwhile."""
        ids = [grant.id for grant in grants]
        return bool(ids) and self._database.write(lambda c: self._use(c, ids))

    def listed(self) -> list[Grant]:
        """All in force, the latest used first."""
        rows = self._database.read(
            lambda c: c.execute(
                f"SELECT * FROM grants_in_use WHERE {IN_FORCE} ORDER BY used_at DESC, id DESC",  # noqa: S608
                self._times(),
            ).fetchall()
        )
        return [_grant(row) for row in rows]

    def revoke(self, grant_id: int) -> None:
        self._end("id = ?", (grant_id,), "revoked")

    def revoke_all(self) -> None:
        self._end("1", (), "revoked")

    def restore(self, grant_id: int) -> None:
        """Take a revocation back; the count and the dates are as they were."""
        sql = (
            "UPDATE grants SET ended_at = NULL, ended_because = '' WHERE id = ? AND ended_because = 'revoked'"
        )
        self._database.write(lambda c: c.execute(sql, (grant_id,)))

    def end_tool(self, tool: str) -> int:
        """Whatever was allowed of `tool` asks again; returns how many grants that were."""
        return self._end("tool = ?", (tool,), "the tool has changed")

    def end_chat(self, chat: str) -> None:
        """A deleted chat takes its grants with it."""
        self._end("chat = ? AND scope = 'chat'", (chat,), "chat ended")

    def lapse(self) -> int:
        """End what was not used for 90 days (such grants are out of force already); returns how many."""
        self._end("until <= ?", (self._now(),), "over")
        return self._end("used_at <= ?", (self._since,), "unused for 90 days")

    # -- how ----------------------------------------------------------------------------------

    @property
    def _since(self) -> float:
        return self._now() - UNUSED_S

    def _times(self) -> tuple[float, float, float]:
        """The values of `IN_FORCE`."""
        now = self._now()
        return now - UNUSED_S, now, now + CLOCK_ERROR_S

    def _in_force(self, request: Request) -> list[Grant]:
        sql = (
            f"SELECT * FROM grants_in_use WHERE {IN_FORCE} "  # noqa: S608 - the constant above
            "AND tool = ? AND (scope != 'chat' OR chat = ?) ORDER BY id"
        )
        values = (*self._times(), request.tool, request.chat)
        return self._database.read(lambda c: [_grant(row) for row in c.execute(sql, values)])

    def _add(self, connection: Connection, scope: GrantScope, covers: Covers, chat: str) -> Grant:
        now = self._now()
        of_chat = chat if scope is GrantScope.CHAT else ""
        until = now + WEEK_S if scope is GrantScope.WEEK else None
        same = (scope.value, covers.tool, covers.kind.value, covers.text, str(covers.folder), of_chat)
        row = connection.execute(
            "SELECT id FROM grants_in_use "
            "WHERE scope = ? AND tool = ? AND kind = ? AND text = ? AND folder = ? AND chat = ?",
            same,
        ).fetchone()
        # Pressed twice, a button must not leave two lines to revoke.
        if row is not None:
            connection.execute(
                "UPDATE grants SET used_at = ?, until = ? WHERE id = ?", (now, until, row["id"])
            )
            return _by_id(connection, row["id"])
        added = connection.execute(
            "INSERT INTO grants (scope, tool, kind, text, folder, chat, granted_at, used_at, until) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*same, now, now, until),
        )
        return _by_id(connection, int(added.lastrowid or 0))

    def _use(self, connection: Connection, ids: list[int]) -> bool:
        in_force = [
            connection.execute(
                f"SELECT 1 FROM grants_in_use WHERE {IN_FORCE} AND id = ?",  # noqa: S608 - the constant above
                (*self._times(), each),
            )
            for each in ids
        ]
        # All or none, in one transaction: a grant that was revoked while a window showed it allows nothing
        # more.
        if not all(found.fetchone() for found in in_force):
            return False
        now = self._now()
        for each in ids:
            connection.execute("UPDATE grants SET uses = uses + 1, used_at = ? WHERE id = ?", (now, each))
            connection.execute(
                "UPDATE grants SET ended_at = ?, ended_because = 'used' WHERE id = ? AND scope = 'once'",
                (now, each),
            )
        return True

    def _end(self, which: str, values: tuple[object, ...], because: str) -> int:
        where = f"ended_at IS NULL AND {which}"
        sql = f"UPDATE grants SET ended_at = ?, ended_because = ? WHERE {where}"  # noqa: S608 - from above
        return self._database.write(lambda c: c.execute(sql, (self._now(), because, *values)).rowcount)


def covering(request: Request, grants: Iterable[Grant]) -> tuple[Grant, ...]:
    """The choice among `grants`, without a database: one for each part, or for the whole text."""
    known = list(grants)
    if request.pin:
        return _first(known, lambda grant: grant.covers == served(request))
    if not request.parts:
        return _first(
            known, lambda grant: grant.covers == Covers(request.tool, GrantKind.TOOL, folder=Path("/"))
        )
    if request.runs and (whole := _first(known, lambda grant: grant.covers.matches(request, request.text))):
        return whole
    # The whole text first: it is what the user has read word for word.
    if request.runs and (by_name := _by_name(request, known)):
        return by_name
    if request.runs and not request.is_static:
        return ()
    chosen: list[Grant] = []
    for part in request.parts:
        found = _first(known, lambda grant, part=part: grant.covers.matches(request, part))  # type: ignore[misc]
        if not found:
            return ()
        chosen += found
    return tuple(dict.fromkeys(chosen))


def served(request: Request) -> Covers:
    """What a yes to a tool of a server covers: its pin, so that a changed tool is another one."""
    return Covers(request.tool, GrantKind.SERVED, request.pin)


def covers_of(request: Request) -> tuple[Covers, ...]:
    """What a yes to the programs of this line would cover; empty where it cannot be given by name."""
    root = request.project
    if root is None:
        return ()
    return tuple(
        Covers(request.tool, GrantKind(each.kind.value), each.name, root) for each in needs(request) or ()
    )


def _by_name(request: Request, grants: list[Grant]) -> tuple[Grant, ...]:
    """The grants that cover all programs and all changes of files of a line, by their names."""
    named = {each.covers: each for each in grants if each.covers.kind in BY_NAME}
    if not named:
        return ()
    wanted = covers_of(request)
    return tuple(named[each] for each in wanted) if wanted and all(each in named for each in wanted) else ()


def _first(grants: Iterable[Grant], fits: Callable[[Grant], bool]) -> tuple[Grant, ...]:
    return next(((grant,) for grant in grants if fits(grant)), ())


def _by_id(connection: Connection, grant_id: int) -> Grant:
    return _grant(connection.execute("SELECT * FROM grants WHERE id = ?", (grant_id,)).fetchone())


def _grant(row: Row) -> Grant:
    covers = Covers(row["tool"], GrantKind(row["kind"]), row["text"], Path(row["folder"]))
    scope = GrantScope(row["scope"])
    times = (row["granted_at"], row["used_at"], row["uses"], row["until"])
    return Grant(row["id"], scope, covers, row["chat"], *times)


# -- what the dialog says of a yes to programs by name ---------------------------------------------


@dataclass(frozen=True)
class ProgramOffer:
    """`words` complete "Allow …". `covered` will not be asked again, `not_covered` will."""

    words: Reason
    covered: tuple[str, ...]
    not_covered: str


_FILES_COVERED = (
    "mkdir -p notes",
    "echo done > notes/result.txt",
    "touch notes/a.txt && cp notes/a.txt notes/b.txt",
)
_SCRATCH_COVERED = (
    "echo x > /tmp/scratch-notes.txt",
    "mkdir -p /tmp/scratch-notes/new",
    "git diff > /tmp/scratch-changes.diff",
)
_SCRATCH_NOT_COVERED = "rm /tmp/scratch-notes.txt"
_FILES_NOT_COVERED = "rm notes/a.txt"


def offer_of(covers: Sequence[Covers]) -> ProgramOffer | None:
    """None where nothing is covered. All of `covers` are in one project."""
    if not covers:
        return None
    names = [each.text for each in covers if each.kind is GrantKind.PROGRAM]
    files = [each for each in covers if each.kind is GrantKind.FILES]
    parts = [GateReason.PROGRAM_AND_MORE.of(name=name) for name in names]
    if files:
        parts.append(GateReason.COMMANDS_ON_FILES.of())
    if any(each.kind is GrantKind.SCRATCH for each in covers):
        parts.append(GateReason.NEW_SCRATCH_FILES.of())
    words = GateReason.PROGRAMS_IN.of(folder=covers[0].folder, what=tuple(parts))
    if not names and files:
        return ProgramOffer(words, _FILES_COVERED, _FILES_NOT_COVERED)
    if not names:
        return ProgramOffer(words, _SCRATCH_COVERED, _SCRATCH_NOT_COVERED)
    name, *_ = names = [each.replace("*", "another") for each in names]  # scripts of a kind: one of them
    covered = (name, f"{name} 2>&1 | tail -20", f"{' && '.join(names)} && git status --short")
    return ProgramOffer(words, covered, f"{name} && git push")
