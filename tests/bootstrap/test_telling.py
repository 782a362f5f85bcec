"""What a set-up says for the window: amounts, an estimate that was measured, and why it failed."""

from __future__ import annotations

import errno
import io
import json
from pathlib import Path

import pytest

from bootstrap import telling
from bootstrap.plan import Plan
from bootstrap.programs import Stop
from bootstrap.telling import UNPACKING, Telling, failure
from tests.bootstrap.test_plan import Clock

TITLE = "Installing 3 packages behind the window"
PLAN = {"Installing": 10.0, UNPACKING: 20.0, "Installing llama.cpp": 2.0, "Trying": 4.0}


class Told:
    """A set-up of three packages of 1,000 bytes together."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.out = Clock(), io.StringIO()
        self.packages, self.log = folder / "packages", folder / "log"
        self.packages.mkdir()
        self.log.write_text("Collecting one==1.0\n")
        self.plan = Plan(PLAN, self.clock)
        self.telling = Telling(self.out, self.plan, 1000, self.packages, self.clock)

    def look(self, title: str = TITLE) -> dict[str, float]:
        self.telling.look(title, self.log)
        last: dict[str, float] = json.loads(self.out.getvalue().splitlines()[-1])
        return last

    def arrive(self, name: str, size_bytes: int) -> None:
        (self.telling.arriving / name).write_bytes(bytes(size_bytes))


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    for name in ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    return Told(tmp_path)


def test_no_estimate_before_there_is_one(told: Told) -> None:
    """Bytes are said at once; the time only when enough of them have come to tell the rate of this line."""
    told.plan.begin(TITLE)
    assert told.look() == {"step": "packages", "bytes": 0, "of_bytes": 1000}
    told.arrive("one.whl", 20)
    told.clock.now_s = 30
    assert told.look() == {"step": "packages", "bytes": 20, "of_bytes": 1000}
    told.arrive("two.whl", 480)
    told.clock.now_s = 40
    assert told.look()["left_s"] == 40 + 26  # as long again, and what the plan has for the others


def test_unpacking_is_counted(told: Told) -> None:
    """From the moment at which pip says so, also over packages that were there before."""
    (told.packages / "one-1.0.dist-info").mkdir()
    (told.packages / "zero-1.0.dist-info").mkdir()
    told.telling = Telling(told.out, told.plan, 1000, told.packages, told.clock)
    told.plan.begin(TITLE)
    told.clock.now_s = 20
    told.log.write_text("Collecting one==1.0\nInstalling collected packages: one, two, three\n")
    first = told.look()
    assert (first["step"], first["count"], first["of"]) == ("unpacking", 0, 3)
    assert first["left_s"] == pytest.approx(2 * 26)  # fetching took twice what was expected
    (told.packages / "one-1.0.dist-info" / "RECORD").touch()
    (told.packages / "two-1.0.dist-info").mkdir()
    told.clock.now_s = 30
    assert told.look()["count"] == 2


def test_the_bar_never_goes_back(told: Told) -> None:
    """Where the estimate grows it stands still."""
    told.plan.begin(TITLE)
    told.look()
    told.arrive("one.whl", 900)
    told.clock.now_s = 9
    share = told.look()["share"]
    told.clock.now_s = 60
    told.log.write_text("Installing collected packages: one, two, three\n")
    assert told.look()["share"] >= share
    (told.packages / "one-1.0.dist-info").mkdir()
    told.clock.now_s = 200
    assert told.look()["share"] >= share


def test_every_step_has_its_word(told: Told) -> None:
    """What the window knows them by."""
    for title, word in (
        ("Fetching llama.cpp's libraries", "engine"),
        ("Fetching what builds it", "engine"),
        ("Compiling llama.cpp: about 2 minutes on 2 cores", "compiling"),
        ("Installing llama.cpp", "engine-installing"),
        ("Installing system packages: g++", "system"),
        ("Trying what was installed", "trying"),
    ):
        assert told.look(title)["step"] == word


def test_what_a_killed_set_up_was_fetching_is_deleted(told: Told) -> None:
    """Each set-up begins with an empty folder for what arrives."""
    told.arrive("one.whl", 10)
    again = telling.arriving()
    assert list(again.iterdir()) == []
    assert not told.telling.arriving.exists()


SAID = "Installing 3 packages\n  failed with exit code 1. Its last lines:\n    {tail}\n  All of it: {log}"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
            "disk-full",
        ),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "wrong-hash"),
        ("[Errno -3] Temporary failure in name resolution", "offline"),
        ("Failed to establish a new connection: [Errno 111] Connection refused", "offline"),
        ("ReadTimeoutError: Read timed out.", "offline"),
        ("IncompleteRead(4096 bytes read, 12288 more expected)", "offline"),
        ("error: incomplete-download", "offline"),
        ("npm error code ENOTFOUND", "offline"),
        ("ERROR: No matching distribution; could not find a version that satisfies", "offline"),
        ("Segmentation fault", "other"),
    ],
)
def test_why_a_step_failed(tmp_path: Path, line: str, kind: str) -> None:
    """By the words of pip and npm anywhere in the log, whose end may be a long list; the error goes along."""
    log = tmp_path / "x.log"
    tail = "\n".join(f"Expected or {number:064}" for number in range(200))
    log.write_text(f"Collecting one\n{line}\n")
    stop = Stop(SAID.format(tail=line, log=log))
    assert failure(stop) == {"failed": kind, "detail": line, "log": str(log)}
    log.write_text(f"Collecting one\n{line}\n{tail}\n")
    assert failure(Stop(SAID.format(tail=tail, log=log)))["failed"] == kind


def test_what_is_to_be_installed_by_hand() -> None:
    """The command alone, for people to copy."""
    stop = Stop("System packages are missing. Install them, then start again:\n\n  sudo apt install g++\n", 3)
    assert failure(stop)["detail"] == "sudo apt install g++"
    assert failure(stop)["failed"] == "by-hand"


def test_an_error_of_the_disk_itself() -> None:
    """Met by dev.py instead of by a program that it started."""
    assert failure(OSError(errno.ENOSPC, "No space left"))["failed"] == "disk-full"
    assert failure(OSError(errno.EACCES, "Permission denied"))["failed"] == "other"
