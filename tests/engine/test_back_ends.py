"""Back ends for graphics cards beside llama.cpp: what is said when they find nothing to compute on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from desktop.engine.back_ends import carried, load_back_ends, why_unused

INSUFFICIENT = "ggml_cuda_init: failed to initialize CUDA: CUDA driver version is insufficient"


@pytest.mark.parametrize(
    ("word", "complaints", "driver", "part"),
    [
        ("cuda", [INSUFFICIENT], False, "there is no NVIDIA driver"),
        ("cuda", [INSUFFICIENT], True, "(CUDA driver version is insufficient)"),
        ("cuda", ["another line"], True, "found no graphics card"),
        ("vulkan", [], False, "Vulkan is installed, but could not start"),
    ],
)
def test_the_reason_is_one_sentence(word: str, complaints: list[str], driver: bool, part: str) -> None:
    """The driver's absence is told in plain words: what CUDA says then sounds like an old one."""
    sentence = why_unused(word, complaints, driver)
    assert part in sentence
    assert sentence.endswith("so the processor computes.")
    assert sentence.count(". ") == 0


def test_without_a_back_end_nothing_is_said(tmp_path: Path) -> None:
    """Most copies carry none, and that is no news."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libggml-cpu.so").touch()
    api = SimpleNamespace(__file__=str(tmp_path / "api.py"), llama_supports_gpu_offload=lambda: False)
    found = load_back_ends(api, (), ())
    assert (found.gpu, found.unused) == ("", "")


LOADING = """
import sys
from pathlib import Path
from desktop.engine import back_ends, llama
if sys.argv[2] == "driver":
    back_ends.has_driver = lambda: True
api = llama._import_api()
complaints = llama._send_log_lines_to_structlog(api)
print(back_ends.load_back_ends(api, [Path(sys.argv[1])], complaints).unused)
print(sum("libggml-cuda" in line for line in open("/proc/self/maps")) > 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux tells of loaded libraries")
@pytest.mark.parametrize(
    ("driver", "reason", "is_loaded"),
    [("driver", "(it found no graphics card)", True), ("none", "there is no NVIDIA driver", False)],
)
def test_the_real_llama_cpp_loads_an_added_back_end_where_there_is_a_driver(
    tmp_path: Path, driver: str, reason: str, is_loaded: bool
) -> None:
    """Its memory is spent only where it might be of use; a card that is not found is told with the reason."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    library = tmp_path / "libggml-cuda.so"
    source = Path(__file__).with_name("stand_in_back_end.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    command = [sys.executable, "-c", LOADING, str(library), driver]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=root, env=os.environ | {"NO_COLOR": "1"}
    )
    assert reason in done.stdout
    assert done.stdout.splitlines()[-1] == str(is_loaded)


def test_cuda_in_its_folder_of_a_bundle_is_known(tmp_path: Path) -> None:
    """There llama.cpp does not load it by itself."""
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / "libggml-cuda.so").touch()
    (tmp_path / "libggml-cpu-x64.so").touch()
    assert carried(tmp_path) == {"cpu", "cuda"}
