"""The verb `package`, as far as it shares the computer with another one."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from bootstrap.environment import only_one
from bootstrap.package import build
from bootstrap.programs import Stop

KIND = "metal" if sys.platform == "darwin" else "cpu"


def test_a_second_build_waits_for_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both write into the same environment and the same wheel's folder in the cache."""
    monkeypatch.setattr("bootstrap.environment.cache_folder", lambda: tmp_path)
    is_built, waits = threading.Event(), threading.Event()

    def built(kind: str, wheel: Path) -> Path:
        is_built.set()
        raise Stop("far enough")

    def say_waiting() -> None:
        waits.set()

    monkeypatch.setattr(build, "build", built)
    monkeypatch.setattr(build, "say_waiting", say_waiting)

    def run() -> None:
        with pytest.raises(Stop, match="far enough"):
            build.package([KIND, "--llama", str(tmp_path / "made.whl")])

    second = threading.Thread(target=run)
    with only_one(work="package"):
        second.start()
        assert waits.wait(30)
        assert not is_built.is_set()
    second.join(30)
    assert is_built.is_set()
