"""`steward selftest`: the parts of this very checkout, and what a broken part looks like."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.cli import selftest
from desktop.cli.selftest import Check, LeftOut, Result, run

ROOT = Path(__file__).resolve().parents[2]


def steward(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "desktop", "selftest", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)


def test_a_checkout_is_whole() -> None:
    """Each part is named with what it said; what this computer lacks is left out, not broken."""
    done = steward("--json")
    found = {row["name"]: (row["result"], row["says"]) for row in json.loads(done.stdout)}
    assert done.returncode == 0, found
    assert found["Files"] == ("left out", "only a bundle has a list of its files")
    assert found["Model"][0] == "left out"
    for name in (
        "Command",
        "Data",
        "Command lines",
        "Libraries",
        "Database",
        "Child processes",
        "Documents",
        "Hook client",
    ):
        assert found[name][0] == "works", found[name]


def test_a_model_that_cannot_be_loaded_is_told(tmp_path: Path) -> None:
    """One broken part makes the exit code 1, and the others are tried all the same."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\xff" * 64)
    done = steward("--model", str(broken))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert any(line.startswith("broken    Model") for line in lines)
    assert any(line.startswith("works     Hook client") for line in lines)


@pytest.mark.parametrize(
    ("error", "result", "says"),
    [
        (LeftOut("there is no bus"), Result.LEFT_OUT, "there is no bus"),
        (OSError(2, "gone"), Result.BROKEN, "FileNotFoundError: [Errno 2] gone"),
    ],
)
def test_what_a_check_raises_is_its_finding(error: Exception, result: Result, says: str) -> None:
    """Whatever goes wrong in a part is told, and none stops the command."""

    def fails() -> str:
        raise error

    finding = run(Check("Part", fails))
    assert (finding.result, finding.says) == (result, says)


def test_wrong_words_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """An option that there is not: exit code 2 and the usage on stderr."""
    assert selftest.main(["--everything"]) == 2
    assert "usage: steward selftest" in capsys.readouterr().err
