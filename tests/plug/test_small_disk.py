"""A disk that is full, and one that turns read-only, under each kind of work."""

from __future__ import annotations

import json
import shutil
import subprocess
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
