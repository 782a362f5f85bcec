"""Back ends for graphics cards beside llama.cpp: what is said when they find nothing to compute on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from desktop.engine.back_ends import load_back_ends, why_unused

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
