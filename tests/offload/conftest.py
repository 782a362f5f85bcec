"""A project on this computer, a profile, and a worker that is a real sshd of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from desktop.offload.history import CommandRecord, History
from desktop.offload.workers import Worker, WorkerFile
from desktop.paths import Paths
from tests.offload.loopback_worker import LoopbackWorker, why_not

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Workplace:
    """The client's side: `project` is sent to `worker`, which sees nothing else of `client`."""

    client: Path
    paths: Paths
    worker: LoopbackWorker
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def project(self) -> Path:
        return self.client / "project"

    @property
    def profile(self) -> Path:
        assert self.paths.profile is not None
        return self.paths.profile

    def words(self, *words: str) -> list[str]:
        head = [sys.executable, "-P", "-m", "desktop", "--profile", str(self.profile), "offload", "run", "--"]
        return [*head, *words]

    @property
    def environment(self) -> Mapping[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT), **self.extra}

    def run(self, *words: str, folder: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        """What an agent would have started in place of `words`."""
        return subprocess.run(
            self.words(*words),
            cwd=folder or self.project,
            env=self.environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.words(*words),
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            file = self.project / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    @property
    def last(self) -> CommandRecord:
        """What the history says of the latest command."""
        return History(self.paths).jobs()[-1]

    def settings(self, **values: object) -> None:
        lines = [f"{name} = {str(value).lower()}" for name, value in values.items()]
        self.paths.settings.parent.mkdir(parents=True, exist_ok=True)
        self.paths.settings.write_text("\n".join(["[offload]", *lines, ""]))


@pytest.fixture(scope="module")
def tower(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackWorker]:
    """One that the tests of a module share; none of them ends it."""
    if reason := why_not():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("tower")
    (folder / "clients").mkdir()
    worker = LoopbackWorker(folder / "worker", hidden=(folder / "clients",))
    worker.start()
    yield worker
    worker.kill()


@pytest.fixture
def workplace(tower: LoopbackWorker, tmp_path: Path) -> Workplace:
    """A repository of its own and a profile that knows the module's worker."""
    for shim in tower.shims.iterdir():
        shim.unlink()
    shutil.rmtree(tower.base, ignore_errors=True)
    return laid_out(tower.folder.parent / "clients" / tmp_path.name, tmp_path / "profile", tower)


@pytest.fixture
def own_worker(tmp_path: Path) -> Iterator[Workplace]:
    """The same with a worker that may be ended."""
    if reason := why_not():
        pytest.skip(reason)
    client = tmp_path / "client"
    worker = LoopbackWorker(tmp_path / "worker", hidden=(client,))
    place = laid_out(client, tmp_path / "profile", worker)
    worker.start()
    yield place
    worker.kill()


def laid_out(client: Path, profile: Path, worker: LoopbackWorker) -> Workplace:
    """An empty repository in `client`, and a profile that has the worker switched on."""
    place = Workplace(client, Paths.under(profile), worker)
    place.project.mkdir(parents=True)
    subprocess.run(("git", "init", "-q", str(place.project)), check=True)
    place.settings(enabled=True, least_seconds=0)
    WorkerFile(place.paths).put(Worker("tower", "tower", (str(client),), str(worker.ssh_config)))
    return place
