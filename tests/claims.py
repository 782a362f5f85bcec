"""Runs of pytest that share the tests between them, a file at a time.

A run takes a file of tests when it comes to it, and leaves those that another has taken. It reads only what
it has taken: reading all files takes the processor some ten seconds, twenty where nothing is compiled yet,
and each run would do it anew.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.warnings import catch_warnings_for_item
from filelock import FileLock

CLAIMS = "STEWARD_CLAIMS"  # the folder in which files of tests are claimed


class Claims:
    """Which files of tests are this run's. A claim is a file in `folder` that can be made once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ours: dict[Path, bool] = {}
        self._found: list[pytest.File] = []
        self._is_looking = True
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, file: Path) -> bool:
        """Whether this run has the tests of `file`; asked again, it says the same."""
        if file not in self._ours:
            self._ours[file] = self._claim(hashlib.sha256(str(file).encode()).hexdigest())
        return self._ours[file]

    def _claim(self, name: str) -> bool:
        try:
            (self._folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> pytest.CollectReport | None:
        """While pytest collects, files are found and none is read."""
        if not (self._is_looking and isinstance(collector, pytest.File)):
            return None
        if collector.config.option.collectonly:
            return None
        self._found.append(collector)
        return pytest.CollectReport(collector.nodeid, "passed", None, [])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """As pytest's own loop, over the tests that are ours. A test must know which one comes after it, to
        leave to it what both share; so a file is taken and read when the last test before it begins."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        self._is_looking = False
        if "not slow" not in session.config.option.markexpr:
            # One run begins with what takes the model for long, so that all the others need not wait for it.
            is_first = self._claim("model first")
            self._found.sort(key=lambda file: _has_model(file) != is_first)
        ours = self._tests(session)
        item = next(ours, None)
        while item is not None:
            following = next(ours, None)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
            if following is not None and following.path != item.path:
                # What a file has made for all its tests is gone; its module stays, and is not walked again.
                gc.collect()
                gc.freeze()
            item = following
        if not session.testscollected:  # others have taken all: none is missing
            session.testscollected = len(self._found)
        return True

    def _tests(self, session: pytest.Session) -> Iterator[pytest.Item]:
        for file in self._found:
            if self.take(file.path):
                items = _read(session, file)
                session.items += items
                session.testscollected += len(items)
                yield from items


def _has_model(file: pytest.File) -> bool:
    return "mark.model" in file.path.read_text(encoding="utf-8")


class OneModel:
    """Of the slow tests with a real model one at a time, in all runs of the lanes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(folder / "model.lock")

    # Outermost: a test that waits for its turn has not begun, so no limit of its time runs.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        # Three models on two processors take far more than three times as long, and each test gives up.
        if item.get_closest_marker("slow") is None or item.get_closest_marker("model") is None:
            return (yield)
        with self._lock:
            return (yield)


def _read(session: pytest.Session, file: pytest.File) -> list[pytest.Item]:
    """Its tests, as pytest would have collected them at the start."""
    config = session.config
    gc.disable()  # nearly all that is made stays
    try:
        with catch_warnings_for_item(config=config, ihook=config.hook, when="collect", item=None):
            items = list(session.genitems(file))
            config.hook.pytest_collection_modifyitems(session=session, config=config, items=items)
    finally:
        gc.enable()
    return items
