"""A disk that is full, and one that turns read-only, under each kind of work."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plug.fork_server import ForkServer, fork_server
from tests.plug.scenarios import SCENARIOS, Scenario

ALONE = ("unshare", "-rm")


def _may_mount() -> bool:
    if shutil.which(ALONE[0]) is None:
        return False
    done = subprocess.run([*ALONE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return done.returncode == 0


pytestmark = [
    pytest.mark.children,
    pytest.mark.skipif(not _may_mount(), reason="this system lets nobody mount a disk of their own"),
]


@pytest.fixture(scope="module")
def alone() -> Iterator[ForkServer]:
    """Its processes may mount what they like."""
    with fork_server(*ALONE) as server:
        yield server


def on_a_small_disk(
    alone: ForkServer, scenario: Scenario, folder: Path, mode: str, kilobytes: int = 0
) -> str:
    """What the work raised."""
    with alone.start("small disk", scenario.name, str(folder), mode, str(kilobytes)) as child:
        said = child.stdout.read()
        assert child.wait() == 0, child.errors()
    told = json.loads(said.splitlines()[-1])
    assert told["wrong"] == ""
    return str(told["raised"])


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [0, 4, 40, 400])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_a_full_disk_loses_nothing(
    alone: ForkServer, scenario: Scenario, kilobytes: int, tmp_path: Path
) -> None:
    """What was acknowledged is there once there is room again; what is refused is refused in a sentence."""
    raised = on_a_small_disk(alone, scenario, tmp_path, "full", kilobytes)
    assert not raised or raised.startswith("UserFacing"), raised


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_a_read_only_disk_is_said(alone: ForkServer, scenario: Scenario, tmp_path: Path) -> None:
    """Every kind of work that writes says in a sentence that it cannot."""
    raised = on_a_small_disk(alone, scenario, tmp_path, "read-only")
    assert not raised or raised.startswith("UserFacing"), raised


FIRST_RECORD = """
import subprocess, sys
from pathlib import Path
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate.audit import AuditLog
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.redaction import Redactor
from desktop.agents.tokens import Tokens
from desktop.paths import Paths, ensure
paths = Paths.under(Path(sys.argv[1]))
database = Database(paths.database, MIGRATIONS)
audit = AuditLog(database, Redactor(()), paths.audit_head, key_file=paths.audit_key)
tokens = Tokens(paths)
small = str(ensure(paths.config))
subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=4k,{sys.argv[2]}", "none", small], check=True)
if sys.argv[2] == "nr_inodes=9":  # room for names, and none for what they hold
    Path(small, "filler").write_bytes(bytes(4096))
for work in (lambda: audit.append("run", {"n": 1}), lambda: tokens.make("claude-code")):
    try:
        work()
        print("> done")
    except UserFacing as error:
        print(">", error.code)
subprocess.run(["umount", "--lazy", small], check=True)
audit.append("run", {"n": 2})
print(">", audit.verify().is_whole, [each.record["n"] for each in audit.records()])
print(">", tokens.make("claude-code") != "", tokens.agents())
"""


@pytest.mark.parametrize("disk", ["nr_inodes=1", "nr_inodes=9", "ro"])
def test_a_disk_that_fills_before_the_first_record_is_said(disk: str, tmp_path: Path) -> None:
    """The key of the log and the token of an agent, where the settings' disk takes no name or no byte."""
    command = [*ALONE, sys.executable, "-c", FIRST_RECORD, str(tmp_path / "profile"), disk]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    said = [line[2:] for line in done.stdout.splitlines() if line.startswith("> ")]  # the rest is the log
    assert said[:2] == ["log-not-written", "tokens-unwritten"], done.stderr
    assert said[2:] == ["True [2]", "True ('claude-code',)"], done.stderr
