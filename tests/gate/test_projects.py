"""Project mode: which folders may have it, until when, and how it ends."""

from __future__ import annotations

import os
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from desktop.database import Database, migrate
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.projects import DAY_S, ProjectModeChanged, Projects, Span


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "me"
    folder.mkdir()
    return folder


@pytest.fixture
def folder(home: Path) -> Path:
    made = home / "code" / "project"
    (made / ".git").mkdir(parents=True)
    (made / "part").mkdir()
    return made


@pytest.fixture
def projects(database: Database, clock: Clock, home: Path) -> Projects:
    return Projects(database, [home / ".local" / "share" / "steward"], now=clock, home=home)


def test_a_project_is_on_in_all_its_folders(projects: Projects, folder: Path) -> None:
    """In the folder, below it, and nowhere else."""
    assert projects.of(folder) is None
    begun = projects.begin(folder, None)
    assert projects.of(folder) == projects.of(folder / "part") == begun
    assert projects.of(folder.parent) is None
    assert projects.of(folder.parent / "project2") is None


def test_it_ends_by_itself(projects: Projects, clock: Clock, folder: Path) -> None:
    """At the chosen time, without anybody tidying up; a command that comes then is not counted."""
    begun = projects.begin(folder, clock.now + 60)
    assert projects.use(begun)
    clock.now += 60
    assert projects.of(folder) is None
    assert projects.listed() == []
    assert not projects.use(begun)


def test_it_is_listed_counted_revoked_and_put_back(projects: Projects, clock: Clock, folder: Path) -> None:
    """Like a grant; what the clock ended, or what was begun anew meanwhile, is not put back."""
    begun = projects.begin(folder, clock.now + 60)
    clock.now += 5
    assert projects.use(begun)
    (listed,) = projects.listed()
    assert (listed.folder, listed.uses, listed.used_at, listed.begun) == (folder, 1, clock.now, clock.now - 5)
    projects.end(begun.id)
    assert projects.of(folder) is None
    projects.restore(begun.id)
    assert projects.listed() == [listed]
    projects.end_all()
    again = projects.begin(folder, None)
    projects.restore(begun.id)
    assert [each.id for each in projects.listed()] == [again.id]
    projects.end(again.id)
    clock.now += 60
    projects.restore(begun.id)
    assert projects.listed() == []


def test_commands_are_counted_without_the_disk(
    projects: Projects, clock: Clock, folder: Path, database: Database
) -> None:
    """Uses are written now and then, and all of them when somebody looks or the program ends."""
    begun = projects.begin(folder, None)
    clock.now += 60
    uses_sql = "SELECT uses FROM projects"

    def written() -> int:
        database.write(lambda _connection: None)  # behind whatever was put in line before
        return int(database.read(lambda c: c.execute(uses_sql).fetchone()[0]))

    assert all(projects.use(begun) for _ in range(5))
    assert written() == 1
    projects.close()
    assert written() == 5
    assert projects.use(begun)
    assert [each.uses for each in projects.listed()] == [6]


def test_begun_again_it_has_the_new_end(projects: Projects, clock: Clock, folder: Path) -> None:
    """One line for a folder, not one for each yes."""
    projects.begin(folder, clock.now + 60)
    projects.begin(folder, clock.now + 10)
    (listed,) = projects.listed()
    assert listed.until == clock.now + 10


def test_whoever_shows_it_is_told(database: Database, folder: Path, home: Path) -> None:
    """Each begin, end and restore tells the folders in which it is on."""
    bus, told = Bus(), []
    bus.subscribe(ProjectModeChanged, lambda event: told.append(event.folders))
    projects = Projects(database, bus=bus, home=home)
    begun = projects.begin(folder, None)
    projects.end(begun.id)
    projects.restore(begun.id)
    assert told == [(folder,), (), (folder,)]


@pytest.mark.parametrize(
    "named", ["/", "/tmp", "/etc", "/usr/lib/x", "/home", "~", "~/..", "~/.ssh", "~/.config/x", "~/gone"]
)
def test_what_is_no_project_is_refused(projects: Projects, home: Path, named: str) -> None:
    """Not the disk, not the system, not a home folder or what holds it, no folder of programs' secrets."""
    folder = Path(named.replace("~", str(home)))
    with pytest.raises(UserFacing) as refused:
        projects.begin(folder, None)
    assert refused.value.code == "project-unfit"
    assert projects.listed() == []


def test_stewards_own_folders_are_in_no_project(database: Database, home: Path) -> None:
    """Neither the folder itself, nor one in it, nor one around it."""
    own = home / "stuff" / "steward"
    (own / "journal").mkdir(parents=True)
    projects = Projects(database, [own], home=home)
    assert all(projects.unfit(each) for each in (own, own / "journal", own.parent))


def test_a_link_is_the_folder_that_it_leads_to(projects: Projects, home: Path, folder: Path) -> None:
    """A link to the home folder is no project, and a link to a project is that project."""
    (home / "code" / "link").symlink_to(home)
    with pytest.raises(UserFacing):
        projects.begin(home / "code" / "link", None)
    (home / "code" / "other").symlink_to(folder)
    assert projects.begin(home / "code" / "other", None).folder == folder


def test_the_root_is_the_repository(projects: Projects, home: Path, folder: Path) -> None:
    """Else the folder itself; a repository around the whole home folder does not count."""
    assert projects.root_of(folder / "part") == folder
    (home / ".git").mkdir()
    alone = home / "notes"
    alone.mkdir()
    assert projects.root_of(alone) == alone
    assert projects.root_of(home) is None
    projects.begin(folder / "part", None)
    assert projects.root_of(folder / "part") == folder / "part"


def test_spans_end_when_they_say() -> None:
    """Today ends at the next midnight of the user's clock, a week after seven days, the last never."""
    now = datetime(2026, 3, 4, 15, 30).timestamp()
    assert Span.TODAY.end(now) == datetime(2026, 3, 5).timestamp()
    assert Span.WEEK.end(now) == now + 7 * DAY_S
    assert Span.UNTIL_REVOKED.end(now) is None


def test_an_older_file_keeps_its_grants(tmp_path: Path) -> None:
    """The step that adds project mode leaves the grants of before as they were, without an end."""
    path = tmp_path / "old.sqlite3"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    migrate(connection, [each for each in MIGRATIONS if each.number <= 3], path)
    connection.execute(
        "INSERT INTO grants (scope, tool, kind, text, folder, chat, granted_at, used_at) "
        "VALUES ('always', 'Bash', 'exact', 'make', '/p', '', 1, 2)"
    )
    migrate(connection, MIGRATIONS, path)
    row = connection.execute("SELECT * FROM grants_in_use").fetchone()
    assert (row["text"], row["used_at"], row["until"]) == ("make", 2, None)
    assert connection.execute("SELECT count(*) FROM projects").fetchone()[0] == 0
    connection.close()
    assert os.path.exists(path)
