"""`steward offload`: the verbs, through the real command line and a real worker."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from desktop.cli import main
from desktop.offload.workers import WorkerFile
from tests.offload.conftest import Workplace
from tests.offload.conftest import tower as tower
from tests.offload.conftest import workplace as workplace


def said(place: Workplace, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["--profile", str(place.profile), "offload", *words])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_a_worker_is_added_used_and_removed(
    workplace: Workplace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would leave is shown first; nothing is sent without a yes; removing takes the copies with it."""
    place = workplace
    place.paths.workers.unlink()
    place.settings(enabled=False)
    place.write({"Makefile": "all:\n\t@echo built\n", "server.key": "x"})
    monkeypatch.chdir(place.project)
    words = ("add", "tower", "--ssh-config", str(place.worker.ssh_config))
    code, out, err = said(place, capsys, *words)
    assert code != 0
    assert "1 file, " in out
    assert "Never: server.key" in out
    assert "--yes" in err
    assert not place.worker.base.exists()
    assert said(place, capsys, *words, "--yes")[0] == 0
    assert WorkerFile(place.paths).named("tower").folders == (str(place.project),)
    code, out, _ = said(place, capsys, "why", "make")
    assert out.startswith("tower: build")
    assert said(place, capsys, "why", "make | tee x")[1] == "here: it is more than one plain command.\n"
    # As it would run now, and not only by the table.
    why = said(place, capsys, "why", "make test")[1]
    assert why.startswith("here: server.key looks like a secret")
    (place.project / "server.key").unlink()
    assert place.run("make").stdout == b"built\n"
    told = json.loads(said(place, capsys, "status", "--json")[1])
    assert told["enabled"]
    assert [each["mirrors"] for each in told["workers"]] == [1]
    assert [each["worker"] for each in told["jobs"]] == ["tower"]
    place.worker.shim("make", 'echo "GNU Make of another world"')
    place.paths.workers_seen.unlink()
    assert (
        said(place, capsys, "why", "make")[1] == "here: tower has a different toolchain (make --version).\n"
    )
    assert said(place, capsys, "remove", "tower")[1] == "tower is removed.\n"
    assert list(place.worker.base.glob("*/mirror")) == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        pytest.param(
            ("add", "nowhere.invalid"),
            "could not be reached",
            marks=pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed"),
        ),
        (("add", "-oProxyCommand=x"), ""),
        (("add", "a b"), "is not the name"),
        (("add", "--slurm", "login"), "needs a partition"),
        (("remove", "tower2"), "There is no worker tower2"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str
) -> None:
    """With what to do, and nothing is changed."""
    code = main(["--profile", str(tmp_path), "offload", *words])
    assert code != 0
    assert why in capsys.readouterr().err
    assert not (tmp_path / "config" / "workers.json").exists()


def test_what_is_missing_here_is_named_with_its_package(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One package, not a choice of three."""
    for name in ("ssh", "git"):
        place = shutil.which(name)
        assert place is not None
        (tmp_path / name).symlink_to(place)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["--profile", str(tmp_path / "profile"), "offload", "add", "tower"]) == 1
    said = capsys.readouterr().err
    assert "rsync is not installed on this computer." in said
    assert "Debian has it in rsync." in said
