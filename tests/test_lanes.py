"""Runs that share the tests between them: each test is run by one of them, and none by two."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bootstrap import testing
from bootstrap.testing import Lane, Share
from tests.claims import CLAIMS, Claims
from tests.without_qt import PASSED, TESTS, needs_qt

ROOT = TESTS.parent


def run_of(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run with these arguments over four small files."""
    environment = {**os.environ, CLAIMS: str(folder), PASSED: str(folder / "passed"), "PYTHONPATH": str(ROOT)}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # pytest-qt and hypothesis take longer than the tests
    command = [sys.executable, "-m", "pytest", "-v", "-p", "tests.lanes", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "--rootdir", str(folder), *arguments, str(folder)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
    )


def ran(folder: Path, *arguments: str) -> set[str]:
    """The tests that such a run has run; all have passed."""
    done = run_of(folder, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line.split()[0] for line in done.stdout.splitlines() if line.endswith("%]") and "PASSED" in line}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("test_one", "test_two", "test_three"):
        (tmp_path / f"{name}.py").write_text("def test_a(): pass\ndef test_b(): pass\n")
    (tmp_path / "passed").mkdir()
    (tmp_path / "passed" / "1").write_text("test_three.py::test_a")
    (tmp_path / "passed" / "2").write_text("test_four.py::test_a\ntest_four.py")
    (tmp_path / "test_four.py").write_text("raise OSError('it was collected')")
    return tmp_path


@pytest.mark.children
def test_a_run_takes_what_no_other_has_taken_and_what_has_not_passed(folder: Path) -> None:
    """A file that the other run has is left whole; of a file that passed in part the rest is run, and one
    that passed whole is not read."""
    Claims(folder / "with-qt").take(folder / "test_two.py")
    assert ran(folder) == {"test_one.py::test_a", "test_one.py::test_b", "test_three.py::test_b"}
    assert ran(folder) == set()


@pytest.mark.children
def test_what_tests_share_ends_before_a_file_that_is_not_ours(folder: Path) -> None:
    """The tests of a package share it: it is left when the next of ours lies elsewhere."""
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").touch()
        (folder / name / "test_first.py").write_text("def test_a(): pass\n")
        (folder / name / "test_second.py").write_text("def test_b(): pass\n")
    Claims(folder / "with-qt").take(folder / "a" / "test_second.py")
    assert {"a/test_first.py::test_a", "b/test_first.py::test_a", "b/test_second.py::test_b"} <= ran(folder)


@pytest.mark.children
def test_slow_tests_with_a_model_run_one_at_a_time(folder: Path) -> None:
    """Those of two runs never compute at once; what needs no model waits for none."""
    code = """
import pathlib, time, pytest
log = pathlib.Path(__file__).parent / "log"
def note(word):
    with log.open("a") as file: file.write(word)
"""
    slow = """
@pytest.mark.slow
@pytest.mark.model
def test_slow():
    note("<"); time.sleep(1); note(">")
"""
    for number in range(4):  # a run takes two at once: the one it runs, and the next
        (folder / f"test_slow_{number}.py").write_text(code + slow)
    runs = [threading.Thread(target=run_of, args=(folder,)) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert (folder / "log").read_text() == "<>" * 4


@pytest.mark.children
@pytest.mark.parametrize("is_first", [True, False])
def test_one_run_begins_with_the_model_and_the_others_end_with_it(folder: Path, is_first: bool) -> None:
    """Else all of them wait for the model while other tests are left."""
    (folder / "test_three.py").write_text("import pytest\n@pytest.mark.model\ndef test_b(): pass\n")
    if not is_first:
        Claims(folder / "with-qt")._claim("model first")
    done = run_of(folder, "-W", "ignore::pytest.PytestUnknownMarkWarning").stdout
    files = [line.partition("::")[0] for line in done.splitlines() if "PASSED" in line]
    assert files[0 if is_first else -1] == "test_three.py", done


@pytest.mark.children
def test_a_file_that_another_run_has_is_not_read(folder: Path) -> None:
    """Reading all of them would take each run as long as it takes one."""
    (folder / "test_two.py").write_text("raise OSError('it was read')")
    Claims(folder / "with-qt").take(folder / "test_two.py")
    assert ran(folder) == {"test_one.py::test_a", "test_one.py::test_b", "test_three.py::test_b"}


@pytest.mark.children
def test_a_file_that_cannot_be_read_fails_the_run(folder: Path) -> None:
    """The others are run all the same; a warning while it is read is one more such failure."""
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    (folder / "test_one.py").write_text("raise OSError('it was read')")
    (folder / "test_two.py").write_text("import warnings\nwarnings.warn('it warned')\ndef test_a(): pass")
    done = run_of(folder)
    assert done.returncode == 1
    assert "it was read" in done.stdout
    assert "it warned" in done.stdout
    assert "1 passed" in done.stdout


def test_a_file_is_taken_once(tmp_path: Path) -> None:
    """Whoever asks first has it, and has it still when asked for its next test."""
    first, second = Claims(tmp_path), Claims(tmp_path)
    assert [first.take(Path("a")), second.take(Path("a"))] == [True, False]
    assert [second.take(Path("b")), first.take(Path("b"))] == [True, False]
    assert [first.take(Path("a")), second.take(Path("a"))] == [True, False]


@pytest.mark.parametrize(
    ("path", "needed"),
    [
        ("ui", True),
        ("ui/chat/test_bubble.py", True),
        ("test_dev.py", True),
        ("test_docs.py", False),
        ("chat/ui/test_tree.py", False),
        ("uim/test_other.py", False),
    ],
)
def test_the_rooms_that_need_qt(path: str, needed: bool) -> None:
    """They are told by the first folder below the tests, or by the file there."""
    assert needs_qt(TESTS / path) is needed
    assert not needs_qt(ROOT.parent / path)


WITH_NAME = "import sys, pathlib; pathlib.Path(sys.argv[1]).touch(); sys.exit(int(sys.argv[2]))"
ENDLESS = [sys.executable, "-c", "import time; time.sleep(600)"]


def named(file: Path, code: int = 0) -> list[str]:
    """A command that leaves this file and ends with this code."""
    return [sys.executable, "-c", WITH_NAME, str(file), str(code)]


@pytest.mark.children
def test_a_lane_that_is_through_helps_the_others(tmp_path: Path) -> None:
    """What nobody has come to the end of is run too; its end is waited for before what builds on it."""
    own, other = Share(), Share()
    with other.taken() as is_needed:
        assert is_needed
        with Lane(
            [(own, named(tmp_path / "own")), (other, named(tmp_path / "other"))], tmp_path / "log"
        ) as lane:
            assert lane.wait() == 0
    other.wait()
    assert own.is_over
    assert other.is_over
    assert (tmp_path / "own").exists()
    assert (tmp_path / "other").exists()


@pytest.mark.children
def test_no_help_is_begun_that_nobody_needs(tmp_path: Path) -> None:
    """A share of which one run has ended has nothing left for another."""
    own, other = Share(), Share()
    with other.taken():
        pass
    with Lane([(own, named(tmp_path / "own")), (other, named(tmp_path / "other"))], tmp_path / "log") as lane:
        assert lane.wait() == 0
    assert (tmp_path / "own").exists()
    assert not (tmp_path / "other").exists()


@pytest.mark.children
def test_a_lane_that_failed_helps_all_the_same(tmp_path: Path) -> None:
    """Its code is that of the failure, and what else it was to run is run."""
    own, other = Share(), Share()
    runs = [(own, named(tmp_path / "own", 1)), (other, named(tmp_path / "other"))]
    with Lane(runs, tmp_path / "log") as lane:
        assert lane.wait() == 1
    assert (tmp_path / "other").exists()


def test_a_share_is_waited_for_until_its_last_run_has_ended() -> None:
    """Over it is with the first that ends, as nothing is left to take then."""
    share, ended = Share(), threading.Event()

    def wait() -> None:
        share.wait()
        ended.set()

    waiting = threading.Thread(target=wait)
    with share.taken():
        with share.taken():
            waiting.start()
        assert share.is_over
        assert not ended.is_set()
    waiting.join()
    assert ended.is_set()


@pytest.mark.children
def test_a_lane_ends_with_what_broke_off_beside_it(tmp_path: Path) -> None:
    """Its command is ended, and no other begun."""
    lane = Lane([(Share(), ENDLESS), (Share(), named(tmp_path / "other"))], tmp_path / "log")
    with pytest.raises(KeyboardInterrupt), lane:
        raise KeyboardInterrupt
    assert lane.wait() != 0
    assert not (tmp_path / "other").exists()


def test_a_run_of_slow_tests_waits_for_the_slowest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The watch over what hangs in C ends no test before that test's own limit; quicker runs keep theirs."""
    monkeypatch.setattr(testing, "ARTEFACTS", tmp_path)
    monkeypatch.chdir(ROOT)
    marks = (
        re.findall(r"mark\.timeout\((\d+)\)", each.read_text("utf-8")) for each in TESTS.rglob("test_*.py")
    )
    longest_s = max(int(seconds) for found in marks for seconds in found)
    whole = [str(word) for word in testing.pytest(["python"], (), "all.xml")]
    (limit,) = (word for word in whole if word.startswith("faulthandler_timeout="))
    assert int(limit.partition("=")[2]) > longest_s
    shorter = [str(word) for word in testing.pytest(["python"], ("slow",), "some.xml")]
    assert not [word for word in shorter if word.startswith("faulthandler_timeout=")]


@pytest.mark.children
def test_what_a_run_leaves_goes_while_nobody_waits(tmp_path: Path) -> None:
    """Whatever is in it; the run itself is over before."""
    folder = tmp_path / "run" / "deep"
    folder.mkdir(parents=True)
    (folder / "file").write_text("left")
    assert testing.clear_away(str(tmp_path / "run")).wait(60) == 0
    assert not (tmp_path / "run").exists()
