"""Back ends for graphics cards beside llama.cpp: what is said when they find nothing to compute on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from desktop.engine.ggml_backends import carried, has_driver, load_for_gpus, why_unused

UNHELPFUL = "load_backend: failed to initialize /lib/libggml-vulkan.so: ggml_backend_init returned NULL"
INSUFFICIENT = "ggml_cuda_init: failed to initialize CUDA: CUDA driver version is insufficient"


@pytest.mark.parametrize(
    ("word", "complaints", "driver", "part"),
    [
        ("cuda", [INSUFFICIENT], False, "there is no NVIDIA driver"),
        ("cuda", [INSUFFICIENT], True, "(CUDA driver version is insufficient)"),
        ("cuda", ["another line"], True, "found no graphics card"),
        ("vulkan", [], False, "Vulkan is installed, but there is no Vulkan driver"),
        ("vulkan", [UNHELPFUL], True, "Vulkan is installed, but could not start (it found no graphics card)"),
    ],
)
def test_the_reason_is_one_sentence(word: str, complaints: list[str], driver: bool, part: str) -> None:
    """The driver's absence is told in plain words: what CUDA says then sounds like an old one. What llama.cpp
    says of a library that refused is about itself, and left out."""
    sentence = str(why_unused(word, complaints, driver))
    assert part in sentence
    assert sentence.endswith("so the processor is used.")
    assert sentence.count(". ") == 0


def test_without_a_back_end_nothing_is_said(tmp_path: Path) -> None:
    """Most copies carry none, and that is no news."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libggml-cpu.so").touch()
    api = SimpleNamespace(__file__=str(tmp_path / "api.py"), llama_supports_gpu_offload=lambda: False)
    found = load_for_gpus(api, (), ())
    assert (found.gpu, found.unused) == ("", None)


LOADING = """
import sys
from collections.abc import Mapping
from pathlib import Path
from desktop.engine import ggml_backends, llama
drivers, libraries = sys.argv[1].split(","), [Path(word) for word in sys.argv[2:]]
ggml_backends.has_driver = lambda word: word in drivers
api = llama._import_api()
complaints = llama._send_log_lines_to_structlog(api)
ggml_backends.load_for_processors(api)
found = ggml_backends.load_for_gpus(api, libraries, complaints)
print(found.gpu or found.unused)
assert bool(api.llama_supports_gpu_offload()) == bool(found.gpu), "loaded beside the llama.cpp that computes"
mapped = open("/proc/self/maps").read()
print(*(library.stem.removeprefix("libggml-") for library in libraries if library.name in mapped))
"""


def loaded(folder: Path, drivers: str, cards: Mapping[str, int]) -> list[str]:
    """What the real llama.cpp makes of add-ons with so many cards each, where there are these drivers: the
    card's word or why there is none, then the words of those that were loaded."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    libraries = [folder / f"libggml-{word}.so" for word in cards]
    source = Path(__file__).with_name("stand_in_back_end.c")
    for library, (word, count) in zip(libraries, cards.items(), strict=True):
        names = (f'-DNAME="{word.upper()}"', f"-DCARDS={count}")
        subprocess.run([compiler, "-shared", "-fPIC", *names, "-o", library, source], check=True)
    command = [sys.executable, "-c", LOADING, drivers, *map(str, libraries)]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=root, env=os.environ | {"NO_COLOR": "1"}
    )
    return done.stdout.splitlines()[-2:]


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux tells of loaded libraries")
@pytest.mark.parametrize(
    ("drivers", "cards", "told", "words"),
    [
        ("cuda", {"cuda": 0}, "CUDA is installed, but could not start (it found no graphics card)", "cuda"),
        ("none", {"cuda": 0}, "there is no NVIDIA driver", ""),
        ("none", {"vulkan": 1}, "there is no Vulkan driver", ""),
        ("vulkan", {"vulkan": 1}, "vulkan", "vulkan"),
        ("vulkan", {"cuda": 1, "vulkan": 1}, "vulkan", "vulkan"),
        ("cuda,vulkan", {"cuda": 0, "vulkan": 1}, "vulkan", "cuda vulkan"),
        ("cuda,vulkan", {"vulkan": 1, "cuda": 1}, "cuda", "cuda"),
    ],
)
def test_the_real_llama_cpp_loads_the_first_added_back_end_that_is_of_use(
    tmp_path: Path, drivers: str, cards: dict[str, int], told: str, words: str
) -> None:
    """Memory is spent only on what has its driver; the vendor's own comes before the one for all, which would
    list the same card once more; a card that is not found is told with the reason."""
    said, loaded_words = loaded(tmp_path, drivers, cards)
    assert told in said
    assert loaded_words == words


@pytest.mark.parametrize("word", ["cuda", "vulkan"])
def test_a_back_end_in_its_folder_of_a_bundle_is_known(tmp_path: Path, word: str) -> None:
    """There llama.cpp does not load it by itself."""
    (tmp_path / word).mkdir()
    (tmp_path / word / f"libggml-{word}.so").touch()
    (tmp_path / "libggml-cpu-x64.so").touch()
    assert carried(tmp_path) == {"cpu", word}


def test_what_needs_no_driver_is_not_kept_back() -> None:
    """A back end that nobody here has heard of is llama.cpp's to judge."""
    assert has_driver("metal")
    assert has_driver("other")
