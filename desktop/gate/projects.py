"""Project mode: in this folder an agent works without asking, held to the folder, until a chosen time.

A project is the repository that a working folder is a part of, or a folder that the user chose. What project
mode lets through is said in `policy`; here is who has it, since when and until when. It ends by itself, is
listed and revoked like a grant, and a revocation can be taken back.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from desktop.database import Connection, Database, Row
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.gate.shell.places import GATE
from desktop.gate.shell.secret_places import holds_secrets

DAY_S = 24 * 3600.0
MAX_DEPTH = 40  # folders above a working folder that are looked at
WRITTEN_EVERY_S = 10.0  # what was counted, while commands come

_SYSTEM_FOLDERS = """/bin /boot /dev /etc /lib /lib64 /proc /run /sbin /sys /usr
/System /Library /Applications C:/Windows C:/ProgramData"""
_SHARED_FOLDERS = """/home /Users /mnt /media /opt /private /private/tmp /private/var /root /srv /tmp /var
/var/tmp /var/folders /Volumes C:/Users"""
_SYSTEM = tuple(map(Path, _SYSTEM_FOLDERS.split()))  # nothing in these is anybody's project
_SHARED = frozenset(map(Path, _SHARED_FOLDERS.split()))  # these hold many people's projects, and are none


class Span(StrEnum):
    """How long project mode is on."""

    TODAY = "today"
    WEEK = "7 days"
    UNTIL_REVOKED = "until revoked"

    def end(self, now: float) -> float | None:
        """Seconds since 1970; today ends at midnight where the user is."""
        if self is Span.UNTIL_REVOKED:
            return None
        if self is Span.WEEK:
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
        return self.until is None or now < self.until


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

    def end_of(self, span: Span) -> float | None:
        """When project mode that begins now ends."""
        return span.end(self._now())

    def unfit(self, folder: Path) -> str:
        """Why this folder is no project, completing "… because "; "" where it is one."""
        real = Path(os.path.realpath(folder))
        if real.parent == real or real in _SHARED or any(real.is_relative_to(each) for each in _SYSTEM):
            return "it belongs to the system or to several people"
        if self._home.is_relative_to(real):
            return "your whole home folder is in it"
        if any(real.is_relative_to(each) or each.is_relative_to(real) for each in self._forbidden):
            return "Steward keeps its own files there"
        if holds_secrets(f"{real}/") or GATE.search(f"{real}/") or _is_hidden_at_home(real, self._home):
            return "programs keep their settings and secrets there"
        return "" if real.is_dir() else "it is no folder"

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
            self._counted[project.id] = (self._counted.get(project.id, (0, now))[0] + 1, now)
            is_due = now - self._written_at >= WRITTEN_EVERY_S
        if is_due:
            self._write_counts(self._database.write_soon)
        return True

    def listed(self) -> list[Project]:
        """All that are on, the latest used first."""
        self._write_counts(self._database.write)
        now = self._now()
        sql = (
            "SELECT * FROM projects WHERE ended_at IS NULL AND (until IS NULL OR until > ?) "
            "ORDER BY used_at DESC, id DESC"
        )
        return self._database.read(lambda c: [_project(row) for row in c.execute(sql, (now,))])

    def close(self) -> None:
        """Write down what was counted."""
        self._write_counts(self._database.write)

    def end(self, project_id: int) -> None:
        """Revoke it; agents ask again from now on."""
        self._end("id = ?", (project_id,), "revoked")

    def end_all(self) -> None:
        self._end("1", (), "revoked")

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


def _refused(folder: Path, why: str) -> UserFacing:
    return UserFacing(
        f"{folder} cannot be a project, because {why}.",
        "Nothing was changed; commands there ask as before.",
        "Choose the folder of one project.",
        code="project-unfit",
    )


def _project(row: Row) -> Project:
    return Project(
        id=row["id"],
        folder=Path(row["folder"]),
        begun=row["begun"],
        until=row["until"],
        used_at=row["used_at"],
        uses=row["uses"],
    )
