"""`steward addons` as a user types it, with a library that llama.cpp really loads."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.engine.ggml_backends import has_driver
from tests.cli.conftest import Steward
from tests.engine.test_addons import manifest, pack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at the places of Linux")
STAND_IN = Path(__file__).parents[1] / "engine" / "stand_in_back_end.c"


@pytest.fixture
def addon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An add-on with a back end that finds no card, and a data folder of its own for this user."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    library = tmp_path / "libggml-cuda.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, STAND_IN], check=True)
    files = {library.name: library.read_bytes()}
    return pack(tmp_path / "steward-cuda-addon.tar.xz", manifest(files), files)


def test_an_addon_is_added_listed_told_and_removed(steward: Steward, addon: Path, tmp_path: Path) -> None:
    """It belongs to the program: the profile of the command does not matter, and nothing of it is left."""
    assert steward("addons", "list").stdout == "No add-on is installed.\n"
    added = steward("addons", "add", str(addon))
    assert added.returncode == 0
    assert "cuda 0.1.0" in added.stdout
    assert "Restart Steward" in added.stdout
    assert (tmp_path / "data" / "steward" / "addons" / "cuda" / "libggml-cuda.so").is_file()
    (listed,) = json.loads(steward("addons", "list", "--json").stdout)
    assert (listed["name"], listed["misfit"]) == ("cuda", "")
    doctor = {check["name"]: check["finding"] for check in json.loads(steward("doctor", "--json").stdout)}
    assert "cuda" in doctor["Add-ons"]
    if not has_driver("cuda"):
        assert "the processor, because there is no NVIDIA driver" in doctor["Graphics"]
    assert steward("addons", "remove", "cuda").returncode == 0
    assert not (tmp_path / "data" / "steward" / "addons").exists()


def test_what_is_no_addon_is_refused(steward: Steward, addon: Path, tmp_path: Path) -> None:
    """Cause, what was not lost and what to do; a missing file is wrong usage."""
    (tmp_path / "other.tar.xz").write_bytes(b"something else")
    refused = steward("addons", "add", str(tmp_path / "other.tar.xz"))
    assert refused.returncode == 1
    assert "Nothing was changed." in refused.stderr
    assert steward("addons", "add", str(tmp_path / "nowhere")).returncode == 2
    assert steward("addons", "remove", "cuda").returncode == 1


@pytest.mark.model
def test_without_a_driver_the_processor_answers_and_the_reason_is_told(
    steward: Steward, addon: Path, with_model: Path
) -> None:
    """The answer comes, with device and reason."""
    if has_driver("cuda"):
        pytest.skip("this computer has NVIDIA's driver")
    assert steward("addons", "add", str(addon)).returncode == 0
    told = json.loads(steward("ask", "--json", "--no-memory", "Say hello.").stdout)
    assert told["answer"]
    assert told["metrics"]["device"] == "cpu"
    assert told["notice"] == "CUDA is installed, but there is no NVIDIA driver, so the processor computes."
