"""The program's own log file."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.app import logs
from desktop.paths import Paths


@pytest.fixture
def paths(tmp_path: Path) -> Iterator[Paths]:
    """A profile that is logged to, with small files; afterwards the log is as it was."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    made = Paths.under(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logs, "LOG_BYTES", 400)
        logs.start_logging(made, None)
    yield made
    logs.end_logging()
    root.handlers, root.level = before, level


@pytest.mark.filterwarnings("default")
def test_what_libraries_warn_of_is_logged(paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    """In the terminal it would stand between the lines of an answer."""
    warnings.warn("Can not find any timezone configuration", UserWarning, stacklevel=1)
    assert "timezone configuration" in paths.log_file.read_text(encoding="utf-8")
    assert capsys.readouterr().err == ""


def test_a_full_log_goes_on_in_a_new_file(paths: Paths) -> None:
    for number in range(9):
        logging.getLogger("steward").info("line %d %s", number, "x" * 100)
    assert "line 8" in paths.log_file.read_text(encoding="utf-8")
    assert paths.log_file.with_name("steward.log.1").exists()


def test_a_log_that_another_process_holds_grows_and_loses_no_line(
    paths: Paths, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Windows renames no file that somebody else has open."""

    def held(source: str, target: str) -> None:
        raise PermissionError(13, "used by another process", source, 32, target)

    monkeypatch.setattr(os, "rename", held)
    for number in range(9):
        logging.getLogger("steward").info("line %d %s", number, "x" * 100)
    written = paths.log_file.read_text(encoding="utf-8")
    assert [f"line {number} " in written for number in range(9)] == [True] * 9
    assert capsys.readouterr().err == ""


def test_a_full_disk_loses_lines_without_a_word(
    paths: Paths, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of them would otherwise be a traceback in the terminal."""

    def full(_handler: object, _record: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(logs._LogFile, "shouldRollover", full)
    logging.getLogger("steward").info("lost")
    assert capsys.readouterr().err == ""


def test_an_ended_log_has_nothing_open(paths: Paths) -> None:
    """Windows removes no folder while a file in it is open."""
    logging.getLogger("steward").info("first")
    (file,) = [one for one in logging.getLogger().handlers if isinstance(one, logging.FileHandler)]
    assert paths.log_file.exists()
    logs.end_logging()
    logging.getLogger("steward").info("second")
    assert file.stream is None
    assert "second" not in paths.log_file.read_text(encoding="utf-8")
