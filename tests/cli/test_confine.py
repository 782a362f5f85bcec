"""`steward confine`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap.native import build_native
from desktop.cli import confine as module
from desktop.cli.confine import confine
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.sandbox.confiner import Confiner
from desktop.sandbox.refusals import SandboxReason

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.children


def run(profile: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-P", "-m", "desktop", "--profile", str(profile), "confine", *words]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(profile.parent), "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=profile.parent, env=environment, capture_output=True, check=False)


def test_a_command_reads_and_writes_nothing(tmp_path: Path) -> None:
    """Its options are its own, and its exit code is ours."""
    build_native()
    if reason := Confiner(Paths.under(tmp_path)).why_not():
        pytest.skip(str(reason))
    done = run(tmp_path / "profile", "--", "sh", "-c", "echo read; echo x > new; exit 3")
    assert (done.returncode, done.stdout) == (3, b"read\n")
    assert not (tmp_path / "new").exists()


def test_a_command_writes_in_its_project(tmp_path: Path) -> None:
    """And beside it nothing."""
    build_native()
    if reason := Confiner(Paths.under(tmp_path)).why_not_project():
        pytest.skip(str(reason))
    (tmp_path / "home").mkdir()
    project = tmp_path / "home/project"
    project.mkdir()
    done = run(
        tmp_path / "home/profile", "--project", str(project), "sh", "-c", f"echo x > {project}/a; echo x > b"
    )
    assert done.returncode == 2 or b"Read-only" in done.stderr
    assert (project / "a").read_text() == "x\n"
    assert not (tmp_path / "home/b").exists()


def test_where_nothing_confines_nothing_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is told instead."""
    monkeypatch.setattr(module.Confiner, "why_not", lambda _self: SandboxReason.CONFINED_BY_NOTHING.of(abi=3))
    with pytest.raises(UserFacing, match="lacks Landlock"):
        confine(Paths.under(tmp_path), None, False, ("touch", str(tmp_path / "new")))
    assert not (tmp_path / "new").exists()
