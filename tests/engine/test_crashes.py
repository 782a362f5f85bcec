"""The program is ended by native code, again and again, and the next start knows what not to try."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signals")


class Starts:
    """Starts of the program, each a process of its own."""

    def __init__(self, helper: subprocess.Popen[str]) -> None:
        self._helper = helper

    def __call__(self, profile: Path, *words: str) -> dict[str, Any] | None:
        """What a process said; None where it was ended."""
        assert self._helper.stdin
        assert self._helper.stdout
        self._helper.stdin.write(json.dumps([str(profile), *words]) + "\n")
        self._helper.stdin.flush()
        said: dict[str, Any] | None = json.loads(self._helper.stdout.readline())
        return said


@pytest.fixture(scope="module")
def run() -> Iterator[Starts]:
    command = [sys.executable, "-m", "tests.engine.crashing_engine"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as helper:
        yield Starts(helper)
    assert helper.returncode == 0


@pytest.mark.parametrize("step", ["load", "compute"])
def test_a_driver_that_ends_the_program_does_so_once(run: Starts, tmp_path: Path, step: str) -> None:
    """The next starts answer with the processor and say why, until the setting is another; a card that works
    by then is used again."""
    assert run(tmp_path, "card", step, "card", "-1") is None
    for _start in range(2):
        said = run(tmp_path, "card", step, "card", "-1")
        assert said is not None
        assert (said["text"], said["device"]) == ("Done.", "cpu")
        assert "ended while the graphics card was in use" in said["notice"]
    chosen = run(tmp_path, "card", step, "card", "0")
    assert chosen is not None
    assert (chosen["device"], chosen["notice"]) == ("cpu", "")
    again = run(tmp_path, "card", "never", "card", "-1")
    assert again is not None
    assert (again["device"], again["notice"]) == ("cuda", "")


@pytest.mark.parametrize(("step", "crashes"), [("load", 1), ("compute", 2)])
@pytest.mark.parametrize("has", ["card", "processor"])
def test_a_model_that_ends_the_program_with_the_processor_is_refused(
    run: Starts, tmp_path: Path, has: str, step: str, crashes: int
) -> None:
    """Not at every start anew; where the user insists and it works, all is forgotten."""
    if has == "card":
        assert run(tmp_path, has, step, "card", "-1") is None
    for _start in range(crashes):
        assert run(tmp_path, has, step, "processor", "-1") is None
    refused = run(tmp_path, has, step, "processor", "-1")
    assert refused is not None
    assert refused["code"] == "crashed-while-loading"
    assert "Scripted" in refused["text"]
    for words in (("insist",), ()):
        answered = run(tmp_path, has, "never", "processor", "-1", *words)
        assert answered is not None
        assert answered["text"] == "Done."
        assert answered["device"] == "cpu"


def test_where_nothing_ended_nothing_is_said(run: Starts, tmp_path: Path) -> None:
    """Neither with a card nor without."""
    for has, device in (("processor", "cpu"), ("card", "cuda")):
        said = run(tmp_path, has, "never", "card", "-1")
        assert said == {"code": "", "text": "Done.", "device": device, "notice": ""}
