"""Runs of pytest that share the tests between them, a file at a time.

A run takes a file of tests when it comes to the first of them, and leaves those that another has taken.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

CLAIMS = "STEWARD_CLAIMS"  # the folder in which files of tests are claimed


class Claims:
    """Which files of tests are this run's. A claim is a file in `folder` that can be made once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ours: dict[Path, bool] = {}
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
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """As pytest's own loop, over the tests that are ours. A test must know which one comes after it, to
        leave to it what both share; so a file is taken when the last test before it begins."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        ours = (item for item in session.items if self.take(item.path))
        item = next(ours, None)
        while item is not None:
            following = next(ours, None)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
            item = following
        return True
