"""What the gate decided becomes the words of the confining client."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bootstrap.native import build_native
from desktop.agents.boxes import NativeBoxes
from desktop.agents.confined_runs import Box
from desktop.agents.events import Refused
from desktop.gate.policy import Confined
from desktop.network import Network
from desktop.network.index_proxy import IndexProxy
from desktop.paths import Paths
from desktop.sandbox.confine import Confiner
from desktop.settings import NetworkSettings

pytestmark = pytest.mark.children


@pytest.fixture
def boxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NativeBoxes]:
    build_native()
    (tmp_path / "home/project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    paths = Paths.under(tmp_path / "profile")
    if reason := Confiner(paths).why_not_project():
        pytest.skip(reason)
    proxy = IndexProxy(Network(NetworkSettings), lambda: ())
    yield NativeBoxes(Confiner(paths), paths, lambda: proxy)
    proxy.close()


def test_a_host_that_is_no_index_is_refused_and_told(boxes: NativeBoxes, tmp_path: Path) -> None:
    """Once, with the call that asked for it; what ignores the proxy is told by its address."""
    project = tmp_path / "home/project"
    box = Box(Confined.PROJECT, project, uses_network=True, session="s", keeps_folder=False)
    command = "curl -sS -m 5 http://steward.example/; curl -sS -m 5 --noproxy '*' http://192.0.2.7/ 2>&1"
    line = boxes.line(box, command, "call")
    done = subprocess.run(["/bin/bash", "-c", line], cwd=project, capture_output=True, text=True, check=False)
    assert "steward.example port 80 is no package index" in done.stdout
    assert set(boxes.refusals("call")) == {
        Refused("connection", "steward.example"),
        Refused("connection", "192.0.2.7 port 80"),
    }
    assert boxes.refusals("call") == (Refused("connection", "192.0.2.7 port 80"),)
