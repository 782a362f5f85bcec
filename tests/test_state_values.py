"""Any value in the place of any other in the small files of a profile: a sentence, or nothing at all."""

from __future__ import annotations

import copy
import itertools
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PySide6", reason="one of the files belongs to a window")

from desktop.agents.settings_file import Receipt, Receipts
from desktop.agents.tokens import Tokens
from desktop.app import build_core
from desktop.chat.tool_mode import REVISION, ToolMode
from desktop.engine.thread_tuning import CalibrationFile, ThreadRates
from desktop.errors import UserFacing
from desktop.models.fit import MeasuredSpeed, SpeedFile
from desktop.offload.history import History
from desktop.offload.workers import SeenFile, WorkerFile, WorkerReport
from desktop.paths import Paths, ensure
from desktop.server.openai.programs import ProgramUse
from desktop.ui.placement import WindowState, save_window_state
from tests.models.tiny_gguf import TinyGguf
from tests.plug import scenarios
from tests.test_state_file import READERS

ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1e300, float("nan"), float("inf"), 10**30, 10**400, -(10**18), "", "\ud800", "a\0b"),
    *("../../x", "x" * 5_000, "2026-13-45T99:99:99", [], {}, [[]], {"a": {}}, [None]),
)
TRIED = 50  # of the values in the places of a file


class Enough(Exception):
    """So much was done."""


def do(work: Callable[[Path, scenarios.Ack, str], None], root: Path, times: int) -> None:
    left = itertools.count(1)

    def ack(_value: Any) -> None:
        if next(left) >= times:
            raise Enough

    with pytest.raises(Enough):
        work(root, ack, "a")


def fill(root: Path) -> None:
    """A profile in which every one of the files has something of each kind."""
    paths = scenarios.paths_of(root)
    for work in (scenarios.let_in, scenarios.agree, scenarios.send_builds, scenarios.install_extensions):
        do(work, root, 6)
    do(scenarios.add_servers, root, 3)
    do(scenarios.log_verdicts, root, 3)
    Tokens(paths).make("claude-code")
    Tokens(paths).publish("http://127.0.0.1:1")
    Receipts(ensure(paths.data / "agents")).write("claude-code", Receipt("f", "", None))
    for place in (paths.window, paths.pages):
        save_window_state(place, WindowState(1, 2))
    CalibrationFile(paths.calibration).write("k", ThreadRates(2, {2: 1.0}))
    SpeedFile(paths.fit, "k").write(MeasuredSpeed("m", 1, 1, 1.0, 1.0, 1.0))
    SeenFile(paths).put({"w1": WorkerReport(1.0, 2, 0.5, 9, {"cc": "1"}, ("bwrap",), "Linux")})
    trial = {"way": ToolMode.WORDS.value, "calls": 1.0, "restraint": 1.0}
    attempt = {"model_id": "m", "gpu_layers": 0, "card": False, "step": "load", "version": "1"}
    by_hand = {
        paths.load_marker: {"now": {**attempt, "pid": 1, "time": 1.0}, "past": [attempt]},
        paths.capabilities: {"k": {"way": trial["way"], "trials": [trial], "revision": REVISION}},
        paths.tried_models: {"tried": ["a", "b"]},
        paths.toolchains: {"make\0x\0y": [1.0, "1"]},
        paths.restoring: {"names": ["data/steward.sqlite3", "data/models/a.gguf"], "aside": ".before-1"},
        paths.program_use: {"editor": asdict(ProgramUse(1, last_used="2026-01-02T03:04:05+00:00"))},
        paths.running_marker: {"pid": 1, "started_at": 1.0, "version": "1"},
        paths.question_token: {"token": "ab" * 16},
    }
    core = build_core(paths)
    file = root / "m.gguf"
    file.write_bytes(TinyGguf().content)
    core.library.import_file(file)
    core.close()
    for place, content in by_hand.items():
        ensure(place.parent)
        place.write_text(json.dumps(content))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a value stands in another one, the whole itself included."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in itertools.islice(parts, 12):
        yield from places(part, (*path, name))


def put(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    made = copy.deepcopy(value)
    at = made
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = odd
    return made


def altered(text: str, seed: str) -> Iterator[bytes]:
    """Some of all its alterations: a line of a file of lines, or the whole."""
    whole = json.loads(text.splitlines()[-1] if "\n{" in text and "\n " not in text else text)
    cases = [(path, odd) for path in places(whole) for odd in ODD]
    for path, odd in random.Random(seed).sample(cases, min(TRIED, len(cases))):
        yield json.dumps(put(whole, path, odd)).encode()


def words_of_workers(paths: Paths) -> None:
    """What the list names is handed to ssh as it is: no half characters, no zero bytes."""
    for each in WorkerFile(paths).all():
        for text in (each.name, each.host, each.ssh_config, each.partition, *each.folders, *each.options):
            assert b"\0" not in os.fsencode(text)


USES: dict[str, tuple[Callable[[Paths], Path], Callable[[Paths], object]]] = {
    **READERS,
    "workers": (lambda p: p.workers, words_of_workers),
    "what was sent": (
        lambda p: p.offload_jobs,
        lambda p: [f"{job.seconds:.1f}" for job in History(p).jobs()],
    ),
    "a receipt": (
        lambda p: p.data / "agents" / "claude-code.json",
        lambda p: Receipts(p.data / "agents").read("claude-code"),
    ),
}
# Made by what is tried elsewhere: a note of a download, and tokens that exist while a program runs.
ELSEWHERE = {"a download", "launched runs' tokens"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("filled")
    fill(root)
    return root / "profile"


@pytest.mark.parametrize("name", [name for name in USES if name not in ELSEWHERE])
def test_a_value_of_another_kind_ends_nothing(name: str, filled: Path, tmp_path: Path) -> None:
    """Wherever it stands: what reads the file raises no error but a sentence, the second time as well."""
    place, use = USES[name]
    file = place(Paths.under(filled))
    paths = Paths.under(tmp_path / "profile")
    shutil.copytree(filled, tmp_path / "profile")
    for content in altered(file.read_text(encoding="utf-8"), name):
        place(paths).write_bytes(content)
        place(paths).chmod(0o600)
        for _ in range(2):
            try:
                with suppress(UserFacing):
                    use(paths)
            except Exception as error:  # told with what was tried
                raise AssertionError(f"{content[:300]!r}") from error
