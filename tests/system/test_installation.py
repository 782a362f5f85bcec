"""The set-up behind the first window is followed, told in sentences when it fails, and ends in time."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.errors import UserFacing
from desktop.system.installation import Installation, InstallationStep, NotInstalledYet, Ran, awaited_packages

LONG_MS = 60_000
# Stands for dev.py: does what the lines in `script` beside it say.
PROGRAM = """
import json, sys, time
from pathlib import Path
assert sys.argv[1:] == ["finish"]
exec((Path(__file__).parent / "script").read_text())
"""


class World:
    def __init__(self, folder: Path, qtbot: QtBot) -> None:
        self.folder, self.qtbot = folder, qtbot
        program = folder / "dev.py"
        program.write_text(PROGRAM)
        self.installation = Installation(program)
        self.runs: list[Ran] = []
        self.installation.ended.connect(self.runs.append)

    def run(self, script: str) -> UserFacing | None:
        """To its end; the error, if there is one."""
        (self.folder / "script").write_text(script)
        with self.qtbot.waitSignal(self.installation.ended, timeout=LONG_MS):
            self.installation.start()
        return self.installation.error


@pytest.fixture
def world(tmp_path: Path, qtbot: QtBot) -> World:
    return World(tmp_path, qtbot)


def test_progress_is_followed_to_the_end(world: World) -> None:
    """Each line is told, what nobody knows is left out, and the end is told once."""
    seen, done = [], []
    world.installation.changed.connect(lambda: seen.append(world.installation.progress))
    world.installation.done.connect(lambda: done.append(True))
    error = world.run(
        "print(json.dumps({'step': 'packages', 'bytes': 20, 'of_bytes': 50}))\n"
        "print('no line of the set-up')\n"
        "print(json.dumps({'step': 'later than this program', 'share': 0.5}))\n"
        "print(json.dumps({'step': 'trying', 'share': 0.9, 'left_s': 3.5}))\n"
        "print(json.dumps({'done': True}))".replace("\\\n", "\n")
    )
    assert error is None
    assert done == [True]
    assert world.installation.is_done
    first, packages, unknown, last = seen
    assert first.step is InstallationStep.STARTING
    assert (packages.bytes_done, packages.bytes_total, packages.seconds_left) == (20, 50, None)
    assert unknown.step is InstallationStep.STARTING
    assert (last.step, last.share, last.seconds_left) == (InstallationStep.TRYING, 0.9, 3.5)
    assert [(run.received_bytes, run.exit_code) for run in world.runs] == [(20, 0)]


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ("print(json.dumps({'failed': 'offline'})); sys.exit(1)", "set-up-offline", "connection"),
        ("print(json.dumps({'failed': 'disk-full'})); sys.exit(1)", "set-up-disk-full", "Free about 1 GB"),
        ("print(json.dumps({'failed': 'wrong-hash'})); sys.exit(1)", "set-up-wrong-hash", "lock file"),
        (
            "print(json.dumps({'failed': 'by-hand', 'detail': 'sudo x'})); sys.exit(1)",
            "set-up-by-hand",
            "sudo x",
        ),
        ("print(json.dumps({'failed': 'other', 'detail': 'bang'})); sys.exit(1)", "set-up-failed", "bang"),
        ("import os; os.kill(os.getpid(), 9)", "set-up-ended", "from outside"),
        ("", "set-up-ended", "Try again"),
    ],
)
def test_why_it_failed_is_a_sentence(world: World, script: str, code: str, words: str) -> None:
    """With one thing to do; also where it was killed, or said nothing at all."""
    error = world.run(script)
    assert error is not None
    assert error.code == code
    assert words in str(error)
    assert not world.installation.is_done


def test_the_next_try_begins_without_the_error(world: World) -> None:
    """And may be done."""
    assert world.run("print(json.dumps({'failed': 'offline'})); sys.exit(1)") is not None
    assert world.run("print(json.dumps({'done': True}))") is None
    assert world.installation.is_done


def test_it_ends_with_the_program(world: World) -> None:
    """It is asked to end, and waited for."""
    ended = world.folder / "ended"
    script = (
        "import signal\n"
        f"signal.signal(signal.SIGTERM, lambda *_: (Path({str(ended)!r}).touch(), sys.exit(3)))\n"
        "print(json.dumps({'step': 'trying'}), flush=True)\n"
        "time.sleep(600)"
    ).replace("\\\n", "\n")
    (world.folder / "script").write_text(script)
    with world.qtbot.waitSignal(
        world.installation.changed,
        timeout=LONG_MS,
        check_params_cb=lambda: world.installation.progress.step is InstallationStep.TRYING,
    ):
        world.installation.start()
    world.installation.close()
    assert ended.exists()
    assert world.installation.error is None


def test_a_program_that_is_not_there(tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is an error like the others, and not a wait without end."""
    monkeypatch.setattr(sys, "_base_executable", str(tmp_path / "no python"), raising=False)
    installation = Installation(tmp_path / "dev.py")
    with qtbot.waitSignal(installation.changed, check_params_cb=lambda: installation.error is not None):
        installation.start()
    assert installation.error is not None


def test_a_package_that_is_on_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who can do without it goes on, anybody else is told to wait; once it is there it is found."""
    monkeypatch.syspath_prepend(tmp_path)
    with awaited_packages():
        with pytest.raises(ImportError) as wanted:
            importlib.import_module("xqz_on_its_way")
        assert isinstance(wanted.value, NotInstalledYet)
        assert "still being installed" in str(wanted.value)
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("json.xqz_part")
        (tmp_path / "xqz_on_its_way.py").write_text("there = True\n")
    assert importlib.import_module("xqz_on_its_way").there
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("xqz_never")
    del sys.modules["xqz_on_its_way"]
