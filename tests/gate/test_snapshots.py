"""A command is kept before, run for real, and undone: bytes, permission bits and times are as they were."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate import content_store
from desktop.gate.commands import Commands
from desktop.gate.journal import ChangeKind, EntryState, Journal
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.snapshots import SnapshotLimits, Snapshots, TooMuch
from desktop.gate.undo import ChangedSince, OnChange, undo_changes
from desktop.gate.verdict import Verdict
from desktop.paths import Paths, resources

OLD_NS = 1_600_000_000_123_456_789
COMMANDS = Commands(Classifier(Tables(resources() / "commands")))
GIT = shutil.which("git") is not None

Tree = dict[str, tuple[str, int, int, bytes | str]]


def tree(folder: Path) -> Tree:
    """Kind, permission bits, time of the last change and content of all that is in a folder."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        if ".git" in path.relative_to(folder).parts:
            continue
        status = path.lstat()
        content: bytes | str = ""
        if stat.S_ISLNK(status.st_mode):
            content = str(path.readlink())
        elif stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        kind = stat.filemode(status.st_mode)[0]
        name = str(path.relative_to(folder))
        found[name] = (kind, stat.S_IMODE(status.st_mode), status.st_mtime_ns, content)
    return found


def files(found: Tree) -> Tree:
    return {name: each for name, each in found.items() if each[0] == "-"}


def fill(folder: Path) -> None:
    """A small project with old times and unusual permission bits."""
    for name in ("a.txt", "b.txt", "src/one.py", "src/deep/two.py", "src/deep/empty", "name with blank"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"" if name.endswith("empty") else f"text of {name}\n".encode() * 3)
        path.chmod(0o640 if name.startswith("src") else 0o755)
    (folder / "src" / "deep").chmod(0o700)
    (folder / "kept").mkdir()
    for path in sorted(folder.rglob("*"), reverse=True):
        os.utime(path, ns=(OLD_NS, OLD_NS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "project"
    found.mkdir()
    fill(found)
    return found


@pytest.fixture
def journal(database: Database, paths: Paths) -> Journal:
    return Journal(database, paths.journal)


@pytest.fixture
def snapshots(journal: Journal, paths: Paths) -> Snapshots:
    return Snapshots(journal, (paths.data, paths.config))


def verdict(command: str, folder: Path) -> Verdict:
    return COMMANDS.verdict(command, "bash", str(folder))


def run(command: str, folder: Path) -> None:
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def kept_and_run(snapshots: Snapshots, command: str, folder: Path, settle: bool = True) -> tuple[int, ...]:
    found = verdict(command, folder)
    assert snapshots.worth(found, folder), found
    changes = snapshots.take(found, folder, "c1")
    run(command, folder)
    if settle:
        snapshots.settle("c1")
    return changes


REVERSIBLE = (
    "rm a.txt",
    "rm -r src",
    "rm -rf src a.txt 'name with blank'",
    "rm -r src/deep && rm b.txt",
    "rm *.txt",
    "rm -rf src/* [ab].txt",
    "cd src && rm *.py",
    "truncate -s 0 *.txt",
    "sed -i s/text/TEXT/ *.txt src/*.py",
    "mv *.txt src",
    "rm -f a.txt 'no*such' && rm b*",
    "rmdir kept",
    "sed -i s/text/TEXT/ a.txt src/one.py",
    "mv a.txt c.txt",
    "mv a.txt b.txt",
    "mv src elsewhere",
    "mv a.txt src",
    "mv a.txt b.txt kept/",
    "truncate -s 3 a.txt",
    "truncate -s 0 b.txt",
    ": > a.txt",
    "echo more >> a.txt",
    "echo new > a.txt",
    "chmod 600 a.txt src/one.py",
    "touch a.txt",
    "cd src && rm -r deep",
    "rm a.txt; echo again > a.txt",
    "gzip -k a.txt && rm a.txt",
    "cat b.txt > a.txt",
    "tee b.txt < a.txt > /dev/null",
    "perl -pi -e s/text/x/ a.txt",
    "rename -n x y a.txt; rm b.txt" if shutil.which("rename") else "rm b.txt",
)


@pytest.mark.parametrize("command", REVERSIBLE)
def test_a_command_is_taken_back(snapshots: Snapshots, journal: Journal, folder: Path, command: str) -> None:
    """As if it had never run; a copy beside (gzip -k) is the only thing that may stay."""
    before = tree(folder)
    changes = kept_and_run(snapshots, command, folder)
    assert tree(folder) != before
    undo_changes(journal, changes)
    after = tree(folder)
    after.pop("a.txt.gz", None)
    assert files(after) == files(before)
    assert {name: each[:2] for name, each in after.items()} == {n: e[:2] for n, e in before.items()}


@pytest.mark.parametrize(
    ("command", "kind"), [("rm a.txt", ChangeKind.DELETE), ("echo two > a.txt", ChangeKind.WRITE)]
)
def test_what_a_command_did_is_called_so(
    snapshots: Snapshots, journal: Journal, folder: Path, command: str, kind: ChangeKind
) -> None:
    """What is gone was deleted, and is no change of what is there; undone it is still called so."""
    changes = kept_and_run(snapshots, command, folder)
    assert [journal.entry(number).kind for number in changes] == [kind]
    undo_changes(journal, changes)
    assert [journal.entry(number).kind for number in changes] == [kind]


@pytest.mark.parametrize("command", ["rm -r src", "mv src elsewhere"])
def test_folders_get_their_times_back(
    snapshots: Snapshots, journal: Journal, folder: Path, command: str
) -> None:
    """Also those within."""
    before = tree(folder)
    undo_changes(journal, kept_and_run(snapshots, command, folder))
    assert tree(folder) == before


@pytest.mark.skipif(not GIT, reason="git is not installed")
@pytest.mark.parametrize("command", ["git checkout -- a.txt", "git restore a.txt", "git rm -q -f a.txt"])
def test_uncommitted_work_comes_back(
    snapshots: Snapshots, journal: Journal, folder: Path, command: str
) -> None:
    """What git would lose."""
    start = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -q -m one"
    run(start, folder)
    (folder / "a.txt").write_text("hours of work")
    before = tree(folder)
    undo_changes(journal, kept_and_run(snapshots, command, folder))
    assert files(tree(folder)) == files(before)


def test_without_settling_what_was_removed_comes_back(
    snapshots: Snapshots, journal: Journal, folder: Path
) -> None:
    """An agent that does not tell when its command has ended."""
    before = tree(folder)
    undo_changes(journal, kept_and_run(snapshots, "rm -r src", folder, settle=False))
    assert files(tree(folder)) == files(before)


def test_without_settling_what_was_changed_is_asked_about(
    snapshots: Snapshots, journal: Journal, folder: Path
) -> None:
    """The command's change cannot be told from the user's; the old bytes are there all the same."""
    before = tree(folder)
    changes = kept_and_run(snapshots, "sed -i s/text/TEXT/ a.txt", folder, settle=False)
    with pytest.raises(ChangedSince):
        undo_changes(journal, changes)
    undo_changes(journal, changes, {changes[0]: OnChange.OVERWRITE})
    assert files(tree(folder)) == files(before)


@pytest.mark.parametrize(
    ("command", "since"),
    [
        ("sed -i s/text/TEXT/ a.txt", "a.txt"),
        ("rm a.txt", "a.txt"),
        ("mv a.txt c.txt", "c.txt"),
        ("mv src elsewhere", "elsewhere/one.py"),
    ],
)
def test_what_was_changed_since_is_not_overwritten(
    snapshots: Snapshots, journal: Journal, folder: Path, command: str, since: str
) -> None:
    """The user's later work is theirs."""
    changes = kept_and_run(snapshots, command, folder)
    (folder / since).write_text("the user's")
    with pytest.raises(ChangedSince):
        undo_changes(journal, changes)
    assert (folder / since).read_text() == "the user's"


def test_what_the_command_did_not_touch_is_forgotten(
    snapshots: Snapshots, journal: Journal, folder: Path
) -> None:
    """Only changes are listed, and their bytes alone are kept."""
    found = verdict("rm -r src a.txt", folder)
    changes = snapshots.take(found, folder, "c1")
    assert len(changes) == 6
    (folder / "a.txt").unlink()
    remaining = snapshots.settle("c1")
    assert [journal.entry(each).path for each in remaining] == ["a.txt"]
    assert journal.entry(remaining[0]).state is EntryState.DONE
    assert journal.used_bytes() == len(b"text of a.txt\n" * 3)
    assert snapshots.settle("c1") == ()
    assert snapshots.settle("nothing") == ()


NOT_WORTH = {
    "ls": "reads",
    "touch new": "makes",
    "make": "is unknown",
    "rm nowhere.txt": "names nothing that is there",
    "rm *.nothing": "matches nothing",
    "rm a.txt $X": "is not spelled out in part",
    "ls *.txt | xargs rm": "is not spelled out",
    "rm ../*.txt": "lies outside",
    "rm *.txt ../*.txt": "lies outside in part",
    'rm "$X"': "is not spelled out",
    "rm ../other.txt": "lies outside",
    "rm a.txt ../other.txt": "lies outside in part",
    "rm link": "names a link",
    "rm link/x": "goes through a link",
    "git reset --hard": "names nothing",
    "ssh host 'rm a.txt'": "is on another computer",
    "rm ~/a.txt": "lies outside",
}


@pytest.mark.parametrize("command", NOT_WORTH)
def test_what_cannot_be_kept_is_not_offered(snapshots: Snapshots, folder: Path, command: str) -> None:
    """Nothing outside is looked at, no link is followed."""
    (folder.parent / "other.txt").write_text("other")
    (folder.parent / "elsewhere").mkdir()
    (folder.parent / "elsewhere" / "x").write_text("x")
    (folder / "link").symlink_to(folder.parent / "elsewhere")
    assert not snapshots.worth(verdict(command, folder), folder), NOT_WORTH[command]


def test_links_are_left_out_of_a_folder(snapshots: Snapshots, journal: Journal, folder: Path) -> None:
    """What they point to is neither read nor kept."""
    secret = folder.parent / "secret.txt"
    secret.write_text("secret")
    (folder / "src" / "link").symlink_to(secret)
    changes = snapshots.take(verdict("rm -r src", folder), folder, "c1")
    assert "src/link" not in {journal.entry(each).path for each in changes}
    assert journal.used_bytes() == sum(len(each) for each in (b"text of src/one.py\n" * 3,) * 1) + len(
        b"text of src/deep/two.py\n" * 3
    )


@pytest.mark.parametrize(
    "limits", [SnapshotLimits(files=3), SnapshotLimits(total_bytes=20), SnapshotLimits(files=0)]
)
def test_too_much_is_not_kept(journal: Journal, folder: Path, limits: SnapshotLimits) -> None:
    """Not offered, and refused in words when asked for; nothing is half kept."""
    snapshots = Snapshots(journal, limits=limits)
    found = verdict("rm -r src", folder)
    assert not snapshots.worth(found, folder)
    with pytest.raises(TooMuch):
        snapshots.take(found, folder, "c1")
    assert journal.of_call("c1") == []


def test_our_own_folders_are_never_looked_into(database: Database, paths: Paths, folder: Path) -> None:
    """Even where a project lies around them."""
    own = folder / "own"
    own.mkdir()
    (own / "token").write_text("t")
    snapshots = Snapshots(Journal(database, paths.journal), (own,))
    assert not snapshots.worth(verdict("rm -r own", folder), folder)


def test_blocks_are_shared_where_the_file_system_can(
    snapshots: Snapshots, journal: Journal, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes that are kept are the same either way."""
    cloned: list[Path] = []

    def clone(file: object, path: Path) -> bool:
        path.write_bytes((folder / "a.txt").read_bytes())
        cloned.append(path)
        return True

    monkeypatch.setattr(content_store, "_clone", clone)
    before = tree(folder)
    undo_changes(journal, kept_and_run(snapshots, "rm a.txt", folder))
    assert cloned
    assert files(tree(folder)) == files(before)


def test_bytes_that_were_lost_are_not_put_back(
    snapshots: Snapshots, journal: Journal, paths: Paths, folder: Path
) -> None:
    """Copies are not waited for on the disk, so they are checked first."""
    changes = kept_and_run(snapshots, "rm a.txt", folder)
    entry = journal.entry(changes[0])
    (paths.journal / entry.before_sha256).write_bytes(b"")
    with pytest.raises(UserFacing, match="was not kept"):
        undo_changes(journal, changes)
    assert not (folder / "a.txt").exists()


names = st.sampled_from(["a", "b", "c", "d/e", "d/f", "d/g/h"])
steps: st.SearchStrategy[Callable[[str, str], str]] = st.sampled_from(
    [
        lambda one, _two: f"rm -f {one}",
        lambda one, _two: f"rm -rf {one.split('/')[0]}",
        lambda one, two: f"mv -f {one} {two} || true",
        lambda one, _two: f"sed -i s/1/2/ {one} || true",
        lambda one, _two: f"chmod 600 {one} || true",
        lambda one, two: f"cat {two} > {one} || true",
        lambda one, _two: f"echo x >> {one} || true",
    ]
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    content=st.dictionaries(names, st.binary(max_size=40), min_size=1),
    commands=st.lists(st.tuples(steps, names, names), min_size=1, max_size=3),
)
def test_whatever_a_line_does_to_what_it_names(
    journal: Journal,
    snapshots: Snapshots,
    tmp_path_factory: pytest.TempPathFactory,
    content: dict[str, bytes],
    commands: list[tuple[Callable[[str, str], str], str, str]],
) -> None:
    """Files come back with bytes, permission bits and times."""
    root = tmp_path_factory.mktemp("any")
    for name, data in content.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
        os.utime(root / name, ns=(OLD_NS, OLD_NS))
    before = tree(root)
    line = "; ".join(step(one, two) for step, one, two in commands)
    found = verdict(line, root)
    if not snapshots.worth(found, root):
        return
    call = str(root)
    changes = snapshots.take(found, root, call)
    subprocess.run(["bash", "-c", line], cwd=root, capture_output=True, check=False)
    snapshots.settle(call)
    undo_changes(journal, changes)
    assert files(tree(root)) == files(before), line
