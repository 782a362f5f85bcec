"""A cluster: queue, place and limits are Slurm's; to whoever started the command it is the command here."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.offload.workers import WorkerFile
from tests.offload.conftest import Workplace, laid_out
from tests.offload.local_slurm import PARTITION, LocalSlurm
from tests.offload.local_slurm import why_not as why_no_cluster
from tests.offload.loopback_worker import LoopbackWorker, why_not

pytestmark = [pytest.mark.slow, pytest.mark.children, pytest.mark.timeout(240)]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Workplace]:
    """A login host whose only node has the same home folder, because it is the same machine."""
    if reason := why_not() or why_no_cluster():
        pytest.skip(reason)
    slurm = LocalSlurm(tmp_path / "slurm")
    client = tmp_path / "client"
    login = LoopbackWorker(
        tmp_path / "login", hidden=(client,), variables={"SLURM_CONF": str(slurm.configuration)}
    )
    place = laid_out(client, tmp_path / "profile", login)
    (known,) = WorkerFile(place.paths).all()
    WorkerFile(place.paths).put(replace(known, partition=PARTITION))
    login.start()
    slurm.inside = login.inside
    slurm.start()
    yield place
    slurm.stop()
    login.kill()


def test_a_build_goes_through_the_queue(cluster: Workplace) -> None:
    """Exit code, both streams and the artefact; the job ran under Slurm's own number."""
    cluster.write(
        {"Makefile": "all: out\nout:\n\t@echo built; echo told >&2; echo made >out\ncheck:\n\t@exit 7\n"}
    )
    done = cluster.run("make")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"built\n", b"told\n")
    assert cluster.last.worker == "tower"
    assert (cluster.project / "out").read_text() == "made\n"
    failed = cluster.run("make", "check")
    assert failed.returncode == 2
    assert b"Error 7" in failed.stderr


def test_an_interrupt_reaches_the_node(cluster: Workplace) -> None:
    """Through srun, to the command itself."""
    cluster.write({"Makefile": "all:\n\t@echo begun; sleep 86417\n"})
    process = cluster.start("make")
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    os.kill(process.pid, signal.SIGINT)
    said = process.communicate(timeout=60)
    assert process.returncode in (2, -signal.SIGINT), (said, cluster.last)


def test_a_partition_that_is_not_there_runs_here(cluster: Workplace) -> None:
    """Slurm's refusal comes before the command has begun."""
    (known,) = WorkerFile(cluster.paths).all()
    WorkerFile(cluster.paths).put(replace(known, partition="nowhere"))
    cluster.write({"Makefile": "all:\n\t@echo built\n"})
    done = cluster.run("make")
    assert (done.returncode, done.stdout) == (0, b"built\n")
    assert done.stderr.startswith(b"steward: runs here")
