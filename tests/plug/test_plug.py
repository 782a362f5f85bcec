"""kill -9 at any moment: nothing that was acknowledged is lost, nothing is half there."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.models.a_download import BODY, PATH
from tests.models.file_server import FileServer
from tests.plug.scenarios import SCENARIOS, Scenario, paths_of, whole

pytestmark = [
    pytest.mark.children,
    pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX"),
]

LONGEST_S = 0.6  # from the moment at which the program is up
PULLED = 17  # times each in the full run: two hundred in all


def pull(scenario: Scenario, root: Path, seed: int, address: str) -> list[Any]:
    """Start the work, end it at a random moment, and return what it had acknowledged."""
    chance = random.Random(f"{scenario.name} {seed}")
    command = [sys.executable, "-m", "tests.plug.program", scenario.name, str(root), address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == b"ready\n", child.stderr.read().decode()
        time.sleep(chance.uniform(0, LONGEST_S))
        child.send_signal(signal.SIGKILL)
        lines = child.stdout.read().splitlines()
        assert child.wait() == -signal.SIGKILL, child.stderr.read().decode()
    acks = [line[4:] for line in lines if line.startswith(b"ack ")]
    return [json.loads(each) for each in acks if each.endswith((b"}", b"]", b'"')) or each.isdigit()]


def hold(scenario: Scenario, folder: Path, seed: int) -> None:
    with FileServer() as server:
        server.serve(PATH, BODY, bytes_per_s=4_000_000)
        scenario.prepare(folder)
        acks = pull(scenario, folder, seed, server.url + PATH)
        assert whole(paths_of(folder).database)
        scenario.check(folder, acks)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_the_plug_is_pulled(scenario: Scenario, tmp_path: Path) -> None:
    """Once for each kind of work, in every run of the tests."""
    hold(scenario, tmp_path, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, PULLED))
@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_the_plug_is_pulled_again(scenario: Scenario, seed: int, tmp_path: Path) -> None:
    """Two hundred moments in all."""
    hold(scenario, tmp_path, seed)


@pytest.mark.parametrize("scenario", SCENARIOS[:3], ids=[scenario.name for scenario in SCENARIOS[:3]])
def test_a_second_pull_finds_the_first_mended(scenario: Scenario, tmp_path: Path) -> None:
    """Work goes on in the same profile after a kill, and is killed again."""
    with FileServer() as server:
        server.serve(PATH, BODY)
        scenario.prepare(tmp_path)
        pull(scenario, tmp_path, 1, server.url + PATH)
        acks = pull(scenario, tmp_path, 2, server.url + PATH)
        assert whole(paths_of(tmp_path).database)
        if scenario.name == "streaming an answer":
            scenario.check(tmp_path, acks)
