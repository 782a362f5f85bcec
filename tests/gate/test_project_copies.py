"""What a command did to a project, whatever it was, is undone as one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.gate.journal import Journal
from desktop.gate.project_copies import MOST_ROOTS, CopyLimits, ProjectCopies, TooMuchToKeep, _Seen
from desktop.gate.undo import undo_changes
from desktop.paths import Paths
from tests.held_objects import held
from tests.sandbox.swapping import swapping

Tree = dict[str, tuple[int, int, bytes]]


@pytest.fixture
def journal(database: Database, paths: Paths) -> Journal:
    return Journal(database, paths.journal)


@pytest.fixture
def copies(database: Database, journal: Journal, paths: Paths) -> ProjectCopies:
    return ProjectCopies(database, journal, paths.project_copies)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "README.md").write_text("read me\n")
    (folder / "src" / "a.py").write_text("a = 1\n")
    (folder / "src" / "deep" / "b.py").write_text("b = 2\n")
    (folder / ".env").write_text("TOKEN=x\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    return folder


def tree_of(folder: Path) -> Tree:
    """Path to permissions, time of change and bytes; of folders without the time."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        is_file = path.is_file() and not path.is_symlink()
        content = path.read_bytes() if is_file else b""
        found[str(path.relative_to(folder))] = (
            status.st_mode,
            status.st_mtime_ns if is_file else 0,
            content,
        )
    return found


def run(copies: ProjectCopies, project: Path, script: str, call: str = "1") -> tuple[int, ...]:
    """A command that nobody can read, with copies kept around it."""
    copies.begin(project, call)
    subprocess.run(["sh", "-c", script], cwd=project, check=True, capture_output=True)
    return copies.settle(call)


SCRIPTS = [
    "echo more >> README.md",
    "rm -rf src",
    "rm -rf ./* .env",
    "rm .env; mkdir .env; echo x > .env/inner",
    "rm -rf src; echo file > src",
    "chmod 600 run.sh; chmod 700 src",
    "touch -d 2001-01-01 src/a.py",
    "mkdir -p new/folder && echo x > new/folder/file && echo y > src/c.py",
    "mv src/a.py src/deep/moved.py; cp README.md src/a.py",
    "printf 'a = 9\\n' > src/a.py",
    "rmdir empty",
    "find . -name '*.py' -exec sh -c 'echo x > $1' _ {} ';'",
    "mv src lib && mkdir src && echo 1 > src/a.py",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_undo_takes_a_command_back(
    copies: ProjectCopies, journal: Journal, project: Path, script: str
) -> None:
    """Content, permissions, times, empty folders and what git would ignore are as before."""
    before = tree_of(project)
    entries = run(copies, project, script)
    assert tree_of(project) != before
    assert entries
    undo_changes(journal, entries)
    assert tree_of(project) == before


def test_commands_are_undone_one_after_the_other(
    copies: ProjectCopies, journal: Journal, project: Path
) -> None:
    """Each has its own entries: undo_controller the later leaves what the earlier did."""
    first_state = tree_of(project)
    first = run(copies, project, "echo 1 > src/a.py; rm README.md", "first")
    second_state = tree_of(project)
    second = run(copies, project, "echo 2 > src/a.py; echo new > README.md", "second")
    undo_changes(journal, second)
    assert tree_of(project) == second_state
    undo_changes(journal, first)
    assert tree_of(project) == first_state


def test_what_the_user_changed_between_is_nobodys_command(
    copies: ProjectCopies, journal: Journal, project: Path
) -> None:
    """Undo of the command after it leaves the user's own change."""
    run(copies, project, "true", "first")
    (project / "src" / "a.py").write_text("mine\n")
    entries = run(copies, project, "echo x > src/deep/b.py", "second")
    undo_changes(journal, entries)
    assert (project / "src" / "a.py").read_text() == "mine\n"
    assert (project / "src" / "deep" / "b.py").read_text() == "b = 2\n"


def test_a_command_that_changes_nothing_leaves_nothing(
    copies: ProjectCopies, journal: Journal, project: Path
) -> None:
    """No entry, also where it only read."""
    assert run(copies, project, "cat src/a.py > /dev/null; touch -r README.md README.md") == ()
    assert journal.entries() == []


def test_two_at_the_same_time_lose_nothing(copies: ProjectCopies, journal: Journal, project: Path) -> None:
    """What the first has done by then is kept apart from what comes later; together they are undone."""
    before = tree_of(project)
    copies.begin(project, "first")
    (project / "src" / "a.py").write_text("one\n")
    copies.begin(project, "second")
    (project / "src" / "a.py").write_text("two\n")
    second, first = copies.settle("second"), copies.settle("first")
    undo_changes(journal, second)
    assert (project / "src" / "a.py").read_text() == "one\n"
    undo_changes(journal, first)
    assert tree_of(project) == before


def test_a_repository_is_brought_back(copies: ProjectCopies, journal: Journal, project: Path) -> None:
    """Branches, index, settings, hooks and objects: a script that removes `.git` is undone."""

    def git(*words: str) -> str:
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        done = subprocess.run(
            ["git", *identity, *words], cwd=project, check=True, capture_output=True, text=True
        )
        return done.stdout

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    log = git("log", "--format=%H")
    entries = run(copies, project, "rm -rf .git; rm -rf src")
    assert not (project / ".git").exists()
    undo_changes(journal, entries)
    assert git("log", "--format=%H") == log
    git("fsck", "--strict")
    assert git("status", "--porcelain") == ""
    state = git("rev-parse", "HEAD")
    entries = run(
        copies,
        project,
        "echo x >> README.md; git -c user.name=x -c user.email=x@example.org commit -qam second",
        "commit",
    )
    assert git("rev-parse", "HEAD") != state
    undo_changes(journal, entries)
    assert git("rev-parse", "HEAD") == state
    assert git("status", "--porcelain") == ""


def test_what_is_made_again_is_not_kept(copies: ProjectCopies, project: Path) -> None:
    """A folder of packages is passed over; of one that is deleted by name it is told that it is not kept."""
    packages = project / "node_modules" / "left-pad"
    packages.mkdir(parents=True)
    (packages / "index.js").write_text("x")
    assert run(copies, project, "rm -rf node_modules") == ()
    packages.mkdir(parents=True)
    for path in ("node_modules", "node_modules/left-pad", "*", ".git", "../x", "."):
        assert not copies.would_keep(project, [str(project / path)]), path
    assert copies.would_keep(project, [str(project / "src"), str(project / "*.md"), str(project / "gone")])


def test_links_are_not_followed_nor_kept(copies: ProjectCopies, project: Path, tmp_path: Path) -> None:
    """What a link leads to is not the project's; deleting one by name is not said to be undoable."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("s")
    (project / "link").symlink_to(outside)
    (project / "src" / "loop").symlink_to("..")
    assert run(copies, project, "echo x > link/secret") == ()
    assert not copies.would_keep(project, [str(project / "link")])
    assert not copies.would_keep(project, [str(project / "src")])


def test_hostile_trees_do_no_harm(copies: ProjectCopies, journal: Journal, project: Path) -> None:
    """Pipes, sockets, odd names and folders that nobody may read are passed over."""
    os.mkfifo(project / "pipe")
    (project / "new\nline").write_text("x")
    (project / " -rf").write_text("y")
    with open(os.path.join(os.fsencode(project), b"\xff\xfe"), "wb") as odd:
        odd.write(b"z")
    (project / "closed").mkdir(mode=0)
    before = (project / "new\nline").read_bytes()
    entries = run(copies, project, "rm -f 'new\nline' ./' -rf'")
    undo_changes(journal, entries)
    assert (project / "new\nline").read_bytes() == before
    assert (project / " -rf").read_text() == "y"
    (project / "closed").chmod(0o700)


@pytest.mark.parametrize(
    "limits", [CopyLimits(files=3), CopyLimits(total_bytes=20), CopyLimits(file_bytes=7)]
)
def test_too_much_is_refused_before_the_command(
    database: Database, journal: Journal, paths: Paths, project: Path, limits: CopyLimits
) -> None:
    """Nothing is half kept."""
    copies = ProjectCopies(database, journal, paths.project_copies, limits)
    with pytest.raises(TooMuchToKeep):
        copies.begin(project, "1")
    assert copies.settle("1") == ()


@pytest.mark.parametrize("killed_in", ["begin", "settle", "neither"])
def test_a_kill_loses_nothing(
    database: Database,
    journal: Journal,
    paths: Paths,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    killed_in: str,
) -> None:
    """Another process finds the call open and settles it; what was half kept is kept again."""
    before = tree_of(project)

    def once() -> ProjectCopies:
        return ProjectCopies(database, journal, paths.project_copies)

    def dies(_self: Database, _fn: Callable[..., object]) -> None:
        raise SystemExit

    def killed(act: Callable[[], object]) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Database, "write", dies)
            with pytest.raises(SystemExit):
                act()

    if killed_in == "begin":
        killed(lambda: once().begin(project, "1"))
    once().begin(project, "1")
    shutil.rmtree(project / "src")
    if killed_in == "settle":
        killed(lambda: once().settle("1"))
    once().recover()
    undo_changes(journal, [entry.id for entry in journal.of_call("1")])
    assert tree_of(project) == before


def test_kept_bytes_are_let_go(copies: ProjectCopies, journal: Journal, paths: Paths, project: Path) -> None:
    """What no file of the project and no entry has any more takes no room."""
    for number in range(5):
        run(copies, project, f"echo {number} > src/a.py", str(number))
    (kept,) = (paths.project_copies).iterdir()
    assert len(list(kept.iterdir())) == len([path for path in project.rglob("*") if path.is_file()])
    journal.free()
    assert len(list(kept.iterdir())) == 5


def test_of_old_projects_nothing_stays_in_memory(
    copies: ProjectCopies, journal: Journal, tmp_path: Path
) -> None:
    """What was known of them is read again, and undo there works as before."""
    roots = [tmp_path / "many" / str(number) for number in range(MOST_ROOTS + 5)]
    for root in roots:
        root.mkdir(parents=True)
        for name in ("a", "b", "c"):
            (root / name).write_text(root.name)
        run(copies, root, "echo x > a", root.name)
    assert len(held(copies, _Seen)) == 3 * MOST_ROOTS
    before = tree_of(roots[0])
    undo_changes(journal, run(copies, roots[0], "rm a b", "again"))
    assert tree_of(roots[0]) == before


SECRET = b"what is outside of the project\n"


def in_a_folder(project: Path) -> Path:
    return project / "src"


def in_a_file(project: Path) -> Path:
    return project / "src" / "key"


def in_an_object(project: Path) -> Path:
    return project / ".git" / "objects" / "ab" / "key"


def in_a_folder_of_objects(project: Path) -> Path:
    return project / ".git" / "objects" / "ab"


@pytest.mark.skipif(sys.platform != "linux", reason="two names are swapped in one step there")
@pytest.mark.parametrize("of", [in_a_folder, in_a_file, in_an_object, in_a_folder_of_objects])
def test_nothing_outside_is_kept_while_links_are_swapped_in(
    copies: ProjectCopies, journal: Journal, paths: Paths, project: Path, of: Callable[[Path], Path]
) -> None:
    """Else Undo would put it into the project, where a confined command reads it."""
    outside = project.with_name("outside")
    outside.mkdir()
    (outside / "key").write_bytes(SECRET)
    for folder in (project / "src", project / ".git/objects/ab"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "key").write_bytes(b"inside\n")
    place = of(project)
    link = project.with_name("link")
    link.symlink_to(outside if place.is_dir() else outside / "key")
    with swapping((place, link)):
        for number in range(300):
            copies.begin(project, str(number))
            copies.settle(str(number))
    kept = [each for folder in (paths.project_copies, paths.journal) for each in folder.rglob("*")]
    assert kept
    assert not [
        each for each in kept if each.is_symlink() or (each.is_file() and each.read_bytes() == SECRET)
    ]
    assert os.listdir(outside) == ["key"]


def test_a_pipe_in_the_place_of_an_object_holds_nobody_up(copies: ProjectCopies, project: Path) -> None:
    """What is no plain file has nothing to keep, and is never waited for."""
    place = project / ".git/objects/ab/key"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"inside\n")
    copies.begin(project, "1")
    place.unlink()
    os.mkfifo(place)
    assert copies.settle("1") != ()
