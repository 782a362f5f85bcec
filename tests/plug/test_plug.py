"""kill -9 at any moment: nothing that was acknowledged is lost, nothing is half there."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.app import build_core
from desktop.mcp.pins import Pins, PinState
from desktop.paths import Paths
from tests.models.a_download import BODY, PATH
from tests.models.file_server import FileServer
from tests.plug.fork_server import ForkServer, fork_server
from tests.plug.scenarios import BESIDE, BY_TWO, ONE_SCHEMA, SCENARIOS, Scenario, a_tool, paths_of, whole

pytestmark = [
    pytest.mark.children,
    pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX"),
]

LONGEST_S = 0.6  # from the moment at which the program is up
STARTED, STARTS = b'ack "started"\n', 2  # what a start beside other work says, and how many go by
ONE_MIGRATION_S = 0.06  # what the longest one takes on a slow computer
PULLED = 17  # times each in the full run: two hundred in all


@pytest.fixture(scope="module")
def processes() -> Iterator[ForkServer]:
    with fork_server() as server:
        yield server


def pull(processes: ForkServer, scenario: Scenario, root: Path, seed: int, address: str) -> list[Any]:
    """Start the work, end it at a random moment, and return what it had acknowledged."""
    chance = random.Random(f"{scenario.name} {seed}")
    with processes.start("program", scenario.name, str(root), address) as child:
        assert child.stdout.readline() == b"ready\n", child.errors()
        time.sleep(chance.uniform(0, LONGEST_S))
        os.kill(child.pid, signal.SIGKILL)
        lines = child.stdout.read().splitlines()
        assert child.wait() == -signal.SIGKILL, child.errors()
    return told(lines)


def told(lines: list[bytes]) -> list[Any]:
    """What was acknowledged; the last line may be half there."""
    acks = [line[4:] for line in lines if line.startswith(b"ack ")]
    return [json.loads(each) for each in acks if each.endswith((b"}", b"]", b'"')) or each.isdigit()]


def open_to_others(paths: Paths) -> dict[str, str]:
    """What the work has made that is not for its owner alone, with its mode."""
    root = paths.data.parent
    modes = {place: place.lstat().st_mode for place in (root, *root.rglob("*")) if root.exists()}
    return {
        str(place): oct(mode)
        for place, mode in modes.items()
        if paths.workspace not in (place, *place.parents) and mode & 0o077
    }


def hold(processes: ForkServer, scenario: Scenario, folder: Path, seed: int) -> None:
    with FileServer() as server:
        server.serve(PATH, BODY, bytes_per_s=4_000_000)
        scenario.prepare(folder)
        acks = pull(processes, scenario, folder, seed, server.url + PATH)
        assert whole(paths_of(folder).database)
        assert open_to_others(paths_of(folder)) == {}
        scenario.check(folder, acks)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_the_plug_is_pulled(processes: ForkServer, scenario: Scenario, tmp_path: Path) -> None:
    """Once for each kind of work, in every run of the tests."""
    hold(processes, scenario, tmp_path, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, PULLED))
@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_the_plug_is_pulled_again(
    processes: ForkServer, scenario: Scenario, seed: int, tmp_path: Path
) -> None:
    """Two hundred moments in all."""
    hold(processes, scenario, tmp_path, seed)


@pytest.mark.slow
def test_no_schema_is_left_half_migrated(processes: ForkServer, tmp_path: Path) -> None:
    """Each that this program comes from, killed on its way to the newest one."""
    core = build_core(paths_of(tmp_path))
    core.close()
    chance = random.Random(ONE_SCHEMA.name)
    for schema in range(1, len(core.migrations)):
        folder = tmp_path / str(schema)
        folder.mkdir()
        with processes.start("program", ONE_SCHEMA.name, str(folder), str(schema)) as child:
            assert b'ack "old"\n' in iter(child.stdout.readline, b""), (
                child.errors()
            )  # among lines of the log
            time.sleep(chance.uniform(0, ONE_MIGRATION_S))
            os.kill(child.pid, signal.SIGKILL)
            child.stdout.read()
            assert child.wait() == -signal.SIGKILL, child.errors()
        ONE_SCHEMA.check(folder, [])


@pytest.mark.parametrize("scenario", SCENARIOS[:3], ids=[scenario.name for scenario in SCENARIOS[:3]])
def test_a_second_pull_finds_the_first_mended(
    processes: ForkServer, scenario: Scenario, tmp_path: Path
) -> None:
    """Work goes on in the same profile after a kill, and is killed again."""
    with FileServer() as server:
        server.serve(PATH, BODY)
        scenario.prepare(tmp_path)
        pull(processes, scenario, tmp_path, 1, server.url + PATH)
        acks = pull(processes, scenario, tmp_path, 2, server.url + PATH)
        assert whole(paths_of(tmp_path).database)
        if scenario.name == "streaming an answer":
            scenario.check(tmp_path, acks)


@pytest.mark.parametrize("name", BY_TWO)
def test_two_starts_lose_nothing_of_each_other(processes: ForkServer, name: str, tmp_path: Path) -> None:
    """Both make the profile at the same moment, work in it with names of their own, and are killed."""
    chance = random.Random(name)
    with (
        processes.start("program", name, str(tmp_path), "a") as first,
        processes.start("program", name, str(tmp_path), "b") as second,
    ):
        for child in (first, second):
            assert child.stdout.readline() == b"ready\n", child.errors()
        time.sleep(LONGEST_S + chance.uniform(0, LONGEST_S))
        for child in (first, second):
            os.kill(child.pid, signal.SIGKILL)
        lines = [child.stdout.read().splitlines() for child in (first, second)]
        assert [child.wait() for child in (first, second)] == [-signal.SIGKILL] * 2, lines
    assert whole(paths_of(tmp_path).database)
    for who, said in zip("ab", map(told, lines), strict=True):
        BY_TWO[name](tmp_path, said, who)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_starts_beside_it_take_nothing_away(
    processes: ForkServer, scenario: Scenario, tmp_path: Path
) -> None:
    """Each start puts in order what a killed process left; what a living one has open is not that."""
    chance = random.Random(scenario.name)
    with FileServer() as server:
        server.serve(PATH, BODY, bytes_per_s=4_000_000)
        scenario.prepare(tmp_path)
        with (
            processes.start("program", scenario.name, str(tmp_path), server.url + PATH) as work,
            processes.start("program", BESIDE.name, str(tmp_path), "") as beside,
        ):
            assert work.stdout.readline() == b"ready\n", work.errors()
            said: list[bytes] = []
            while said.count(STARTED) < STARTS and (line := beside.stdout.readline()):
                said.append(line)
            time.sleep(chance.uniform(0, LONGEST_S))
            for child in (work, beside):
                os.kill(child.pid, signal.SIGKILL)
            lines = work.stdout.read().splitlines()
            said += beside.stdout.readlines()
            raised = [line for line in (*lines, *said) if line.startswith(b"raised")]
            assert [child.wait() for child in (work, beside)] == [-signal.SIGKILL] * 2, raised
        assert whole(paths_of(tmp_path).database)
        scenario.check(tmp_path, told(lines))


def test_two_processes_that_agree_keep_each_others_word(tmp_path: Path) -> None:
    """The tray app has read the file when `steward mcp tools --agree` writes it, and writes it later."""
    tray, verb = Pins(tmp_path / "pins.json"), Pins(tmp_path / "pins.json")
    tray.see("one", [a_tool(1)])
    verb.see("two", [a_tool(1)])
    verb.see("one", [a_tool(2)])
    verb.agree("one")
    tray.used("one", "look")
    tray.keep()
    found = Pins(tmp_path / "pins.json")
    assert [each.agreed for each in found.tools("one")] == [a_tool(2)]
    assert [each.used_at > 0 for each in found.tools("one")] == [True]
    assert found.is_known("two")
    verb.see("one", [a_tool(3)])
    tray.see("one", [a_tool(4)])
    verb.agree("one")  # to what it has shown itself
    assert [each.state for each in tray.tools("one")] == [PinState.CHANGED]
