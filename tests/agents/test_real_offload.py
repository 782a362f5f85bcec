"""The real Claude Code asks for a test; it is rewritten, runs on a worker, and its output is in the agent.

Found as in test_real_programs.py, by STEWARD_TEST_AGENTS; the worker is a real sshd on loopback.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agents.events import ConfinedOutcome
from desktop.asking import ALLOWED_ONCE
from desktop.offload.history import History
from desktop.offload.workers import Worker, WorkerFile
from tests.agents.test_real_programs import DENIED, Bench
from tests.agents.test_real_programs import bench as bench
from tests.offload.loopback_worker import LoopbackWorker, why_not

pytestmark = [pytest.mark.children, pytest.mark.slow, pytest.mark.timeout(300)]

MANIFEST = '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n'
SOURCE = "pub fn sum(a: i32, b: i32) -> i32 { a + b }\n#[test]\nfn adds() { assert_eq!(sum(1, 1), 2); }\n"


@pytest.fixture
def worker(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackWorker]:
    """One that takes the project, which is a crate in a repository."""
    if reason := why_not():
        pytest.skip(reason)
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    (bench.project / "src").mkdir()
    (bench.project / "Cargo.toml").write_text(MANIFEST)
    (bench.project / "src" / "lib.rs").write_text(SOURCE)
    (bench.project / ".gitignore").write_text("target\n")
    subprocess.run(("git", "init", "-q", str(bench.project)), check=True)
    # The agent's home folder is the test's; rustup's toolchains are the user's.
    for name, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
        bench.environment[name] = os.environ.get(name, str(Path.home() / folder))
    found = LoopbackWorker(tmp_path / "worker", hidden=(bench.project,))
    bench.core.settings.change("offload", "enabled", True)
    known = Worker("tower", "tower", (str(bench.project),), str(found.ssh_config))
    WorkerFile(bench.core.paths).put(known)
    found.start()
    yield found
    found.kill()


def test_a_test_runs_on_the_worker_and_is_read_by_the_agent(bench: Bench, worker: LoopbackWorker) -> None:
    """Asked about once, with where it will run; the model reads the output, Activity says where."""
    if bench.program.agent != "claude-code":
        pytest.skip("shown with Claude Code")
    told = bench.run("cargo test", ALLOWED_ONCE, "ls")
    assert "test adds ... ok" in " ".join(bench.service.script.results), told
    (question,) = bench.asker.questions
    assert (question.arguments, question.worker) == ("cargo test", "tower")
    assert "It is sent to tower with its project, and runs there." in map(str, question.plain_sentences)
    (job,) = History(bench.core.paths).jobs()
    assert (job.worker, job.code, job.command) == ("tower", 0, "cargo test"), job
    event = next(each for each in bench.core.handler.recent if each.text == "cargo test")
    assert (event.worker, event.ran) == ("tower", ConfinedOutcome.CONFINED)
    assert event.saved_s > 0
    sent = [each for each in bench.core.network.log if each.method == "SEND"]
    assert [each.host for each in sent] == ["tower"]
    assert (worker.base / "caches").is_dir()
    # What came back is what cargo would have made here.
    again = subprocess.run(("cargo", "test", "--no-run"), cwd=bench.project, capture_output=True, text=True)
    assert "Compiling" not in again.stderr, again.stderr


def test_a_no_is_a_no_also_with_a_worker(bench: Bench, worker: LoopbackWorker) -> None:
    """Nothing is sent that was not allowed."""
    if bench.program.agent != "claude-code":
        pytest.skip("shown with Claude Code")
    bench.run("cargo test", DENIED)
    assert not worker.base.exists()
    assert History(bench.core.paths).jobs() == []
