"""A call that was given up, for time or by Stop, doesn't act afterwards; what happens is told as it is."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from desktop import cancellation
from desktop.database import Database
from desktop.errors import Cancelled
from desktop.events import Bus
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.journal import Journal, JournalLimits, Origin
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.policy import PolicySettings
from desktop.gate.undo import ChangedSince, undo
from desktop.gate.verdict import Effect
from desktop.paths import Paths
from desktop.sandbox.workspace import Workspace
from desktop.tools import executor as executor_module
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.executor import Executor, Stop
from desktop.tools.files import FileOperations
from desktop.tools.tool import Running, Tool, Toolbox, tool
from desktop.tools.trash import Trash
from tests.fakes.asker import FakeAsker

LIMIT_S = 0.2
PATIENCE_S = 20.0


class Disk:
    """A disk that doesn't answer until it is let go: `fsync` of the workspace, as on a drive that sleeps."""

    def __init__(self) -> None:
        self.asked, self.answers = threading.Event(), threading.Event()
        self.answers.set()

    def sync(self, descriptor: int) -> None:
        self.asked.set()
        assert self.answers.wait(PATIENCE_S)
        os.fsync(descriptor)

    def hang(self) -> None:
        self.asked.clear()
        self.answers.clear()


@dataclass
class Log:
    """The audit log; `late` is set when the end of a call that was given up is written down."""

    records: list[Mapping[str, Any]] = field(default_factory=list)
    late: threading.Event = field(default_factory=threading.Event)

    def append(self, kind: str, record: Mapping[str, Any]) -> None:
        if kind == "tool":
            self.records.append(record)
        if record.get("late"):
            self.late.set()


class Room:
    """File tools over a disk that can hang, run by an executor with a short time-out."""

    def __init__(self, database: Database, bus: Bus, root: Path, trash: Path, kept: Path) -> None:
        self.root, self.disk, self.log, self.database = root, Disk(), Log(), database
        self.workspace = Workspace(root)
        self.workspace._own._sync = self.disk.sync
        self.journal = Journal(database, kept)
        files = FileOperations(self.workspace, self.journal, Trash(trash).put)
        self.tools = (
            tool(files.write_file, Effect.UPDATE),
            tool(files.delete_file, Effect.DELETE),
            tool(files.move_file, Effect.UPDATE),
            tool(files.make_directory, Effect.CREATE),
        )
        gatekeeper = Gatekeeper(Grants(database), PolicySettings)
        self.executor = Executor(bus, FakeAsker(), gatekeeper, root, self.log, timeout_s=lambda: LIMIT_S)

    def run(
        self,
        name: str,
        stop: Stop | None = None,
        tools: tuple[Tool, ...] = (),
        on_late: Callable[[CallResult], None] = lambda _ended: None,
        **arguments: Any,
    ) -> CallResult:
        box = Toolbox((*self.tools, *tools))
        return self.executor.run(Call(name, name, arguments), box, (), 7, stop, on_late=on_late)

    def run_and_stop(self, begun: threading.Event, name: str, **more: Any) -> CallResult:
        """The call, stopped by the user once `begun` is set; its time is never up."""
        stop, results = Stop(), list[CallResult]()
        self.executor.timeout_s = lambda: PATIENCE_S
        thread = threading.Thread(target=lambda: results.append(self.run(name, stop, **more)))
        thread.start()
        assert begun.wait(PATIENCE_S)
        stop.stop()
        thread.join(PATIENCE_S)
        return results[0]

    def contents(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.root.iterdir()) if path.is_file()}


@pytest.fixture
def room(paths: Paths, bus: Bus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    monkeypatch.setattr(executor_module, "SETTLE_S", 0.05)
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "note.txt").write_bytes(b"old")
    database = Database(paths.database, MIGRATIONS)
    made = Room(database, bus, root, tmp_path / "Trash", paths.journal)
    yield made
    made.disk.answers.set()
    made.workspace.close()
    database.close()


def test_a_write_that_was_given_up_never_happens(room: Room) -> None:
    """The disk answers a moment too late: file, journal and folder are as before, and the log says so."""
    room.disk.hang()
    ended = room.run("write_file", path="note.txt", content="new")
    assert (ended.ending, ended.changes) == (CallStatus.TIMED_OUT, ())
    assert "Nothing was changed, and none of it will happen later." in ended.text
    room.disk.answers.set()
    assert room.log.late.wait(PATIENCE_S)
    assert room.contents() == {"note.txt": b"old"}
    assert room.journal.entries() == []
    told, late = room.log.records
    assert (told["ending"], late["ending"], late["call"]) == ("timed out", "timed out", "write_file")


BEHIND = [
    ("write_file", {"path": "note.txt", "content": "new"}),
    ("write_file", {"path": "other.txt", "content": "new"}),
    ("delete_file", {"path": "note.txt"}),
    ("move_file", {"source": "note.txt", "destination": "other.txt"}),
    ("make_directory", {"path": "folder"}),
]


@pytest.mark.parametrize(("name", "arguments"), BEHIND)
def test_what_waits_behind_another_does_not_begin_after_its_time(
    room: Room, name: str, arguments: dict[str, Any]
) -> None:
    """One tool holds the journal; the next is given up while it waits, and its turn comes to nothing."""
    with room.journal.lock:
        ended = room.run(name, **arguments)
    assert ended.ending is CallStatus.TIMED_OUT
    assert room.log.late.wait(PATIENCE_S)
    assert room.contents() == {"note.txt": b"old"}
    assert [path.name for path in room.root.iterdir()] == ["note.txt"]
    assert room.journal.entries() == []


def test_rows_that_wait_for_the_database_are_not_written_after_the_time(room: Room) -> None:
    """A note, a reminder: whatever a tool writes into the database has lost its turn."""
    busy, release = threading.Event(), threading.Event()

    def keep_a_row(running: Running) -> str:
        """Write one row."""
        room.database.write(lambda c: c.execute("CREATE TABLE late_row (id)"))
        return "kept"

    def hold(_connection: object) -> None:
        busy.set()
        assert release.wait(PATIENCE_S)

    writer = threading.Thread(target=lambda: room.database.write(hold))
    writer.start()
    assert busy.wait(PATIENCE_S)
    ended = room.run("keep_a_row", tools=(tool(keep_a_row, Effect.CREATE),))
    release.set()
    writer.join(PATIENCE_S)
    assert ended.ending is CallStatus.TIMED_OUT
    assert room.log.late.wait(PATIENCE_S)
    sql = "SELECT count(*) FROM sqlite_master WHERE name = 'late_row'"
    assert room.database.read(lambda c: c.execute(sql).fetchone()[0]) == 0


def test_what_happened_before_the_end_is_told_and_can_be_undone(room: Room) -> None:
    """The folder was made, the file in it not: the call has the folder's entry, and undo takes it away."""
    room.disk.hang()
    ended = room.run_and_stop(room.disk.asked, "write_file", path="deep/new.txt", content="new")
    assert ended.ending is CallStatus.STOPPED
    assert "What it had already changed can be undone" in ended.text
    room.disk.answers.set()
    assert room.log.late.wait(PATIENCE_S)
    assert list((room.root / "deep").iterdir()) == []
    for entry in ended.changes:
        undo(room.journal, entry)
    assert [path.name for path in room.root.iterdir()] == ["note.txt"]


@pytest.mark.parametrize("has_more", [False, True])
def test_a_step_that_cannot_be_interrupted_is_told_as_still_running(room: Room, has_more: bool) -> None:
    """Card, model and log hear that it runs; later log and card hear how it went."""
    begun, release, over = threading.Event(), threading.Event(), threading.Event()
    late: list[CallResult] = []

    def grind() -> str:
        """Work in one step."""
        with cancellation.effect():
            begun.set()
            assert release.wait(PATIENCE_S)
        if has_more:
            cancellation.check()
        return "ground"

    def hear(ended: CallResult) -> None:
        late.append(ended)
        over.set()

    ended = room.run_and_stop(begun, "grind", tools=(tool(grind, Effect.UPDATE),), on_late=hear)
    assert ended.ending is CallStatus.STILL_RUNNING
    assert "still running; nothing follows it" in ended.text
    release.set()
    assert over.wait(PATIENCE_S)
    (then,) = late
    assert then.ending is (CallStatus.STOPPED if has_more else CallStatus.DONE)
    assert ("Part of it had already happened" in then.text) if has_more else then.text == "ground"
    assert [record["ending"] for record in room.log.records] == ["still running", then.ending.value]


def test_stop_ends_a_write_for_good(room: Room) -> None:
    """Stop is not only the end of waiting: the file isn't written when the disk answers again."""
    room.disk.hang()
    ended = room.run_and_stop(room.disk.asked, "write_file", path="note.txt", content="new")
    room.disk.answers.set()
    assert ended.ending is CallStatus.STOPPED
    assert room.log.late.wait(PATIENCE_S)
    assert room.contents() == {"note.txt": b"old"}


def test_a_move_of_a_file_too_large_to_keep_reads_nothing_of_it(
    room: Room, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes no longer than that of a small one, undo finds the same file, and a changed one asks."""
    journal = Journal(room.database, paths.journal, JournalLimits(file_bytes=2))
    read: list[object] = []
    monkeypatch.setattr("desktop.gate.journal.sha256_of", read.append)
    place, to = room.workspace.place("note.txt"), room.workspace.place("moved.txt")
    entry = journal.move(place, to, Origin("move_file"))
    assert room.contents() == {"moved.txt": b"old"}
    undo(journal, entry)
    assert room.contents() == {"note.txt": b"old"}
    entry = journal.move(place, to, Origin("move_file"))
    (room.root / "moved.txt").write_bytes(b"changed since")
    with pytest.raises(ChangedSince):
        undo(journal, entry)
    assert read == []


def test_a_copy_to_the_trash_of_another_drive_leaves_nothing_half_there(tmp_path: Path) -> None:
    """Given up at any step: the file is where it was, and the trash has neither a copy nor its note."""
    other = Path("/dev/shm")  # the one folder of Linux that is surely another drive
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("this computer has no second drive to copy to")
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "big.bin").write_bytes(bytes(3 * 256 * 1024))
    with TemporaryDirectory(dir=other) as made:
        trash = Trash(Path(made))
        for at_step in range(1, 6):
            workspace = Workspace(root)
            with cancellation.held(_Ending(at_step)), pytest.raises(Cancelled):
                trash.put(workspace.place("big.bin"))
            workspace.close()
            assert (root / "big.bin").stat().st_size == 3 * 256 * 1024
            assert [path for path in Path(made).rglob("*") if path.is_file()] == []


class _Ending(cancellation.Token):
    """A token that ends at the given step or check."""

    def __init__(self, at_step: int) -> None:
        super().__init__()
        self._left = at_step

    def _check(self) -> None:
        self._left -= 1
        if not self._left:
            self._is_ended = True
        super()._check()


def test_what_is_still_at_work_when_the_program_ends_is_written_down(room: Room) -> None:
    """The log says that nobody knows how it ended, once, and a late end finds nothing to write to."""
    begun, go_on = threading.Event(), threading.Event()

    def grind() -> str:
        """Work that heeds nothing."""
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return "done"

    room.run_and_stop(begun, "grind", tools=(tool(grind, Effect.UPDATE),))
    room.executor.settle(wait_s=0.0)
    told, late = room.log.records
    assert (late["call"], late["ending"], late["late"]) == (told["call"], "outcome unknown", True)
    go_on.set()
    for thread in threading.enumerate():
        if thread.name == "tool grind":
            thread.join(PATIENCE_S)
    assert len(room.log.records) == 2


def test_what_ends_in_time_is_told_as_it_was(room: Room) -> None:
    """The end of the program waits a moment for it."""
    begun, go_on = threading.Event(), threading.Event()

    def grind() -> str:
        """Work that heeds nothing."""
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return "done"

    room.run_and_stop(begun, "grind", tools=(tool(grind, Effect.UPDATE),))
    go_on.set()
    room.executor.settle(wait_s=PATIENCE_S)
    assert room.log.late.wait(PATIENCE_S)
    assert [each["ending"] for each in room.log.records if each.get("late")] != ["outcome unknown"]
