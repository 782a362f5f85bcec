"""The CUDA back end: for which cards it is compiled, with which toolkit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bootstrap.package import cuda
from bootstrap.package.back_end import llama_version
from bootstrap.programs import Stop
from tests.packaging_tests.test_back_end import CUDA_FILES, lay_cuda

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the back end is built on Linux")


def test_each_choice_has_its_own_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick build to try never becomes part of a release."""
    monkeypatch.setenv("STEWARD_CUDA_ARCHITECTURES", "90")
    monkeypatch.setenv("STEWARD_CUDA_FA", "OFF")
    quick = cuda.Choice.wanted()
    assert quick == cuda.Choice("90", flash_attention=False)
    assert {"-DGGML_CUDA_FA=OFF", "-DCMAKE_CUDA_ARCHITECTURES=90"} <= set(quick.options)
    monkeypatch.delenv("STEWARD_CUDA_ARCHITECTURES")
    monkeypatch.delenv("STEWARD_CUDA_FA")
    usual = cuda.Choice.wanted()
    assert usual.flash_attention
    assert cuda.place_of(usual) != cuda.place_of(quick)
    assert llama_version() in cuda.place_of(usual).name


def test_a_toolkit_of_another_generation_is_refused() -> None:
    """Its headers would not fit the libraries that go along."""
    cuda.need_generation("Cuda compilation tools, release 13.0, V13.0.88")
    with pytest.raises(Stop, match="CUDA 13"):
        cuda.need_generation("Cuda compilation tools, release 12.6, V12.6.85")


def test_of_the_packages_only_what_is_needed_goes_along(tmp_path: Path) -> None:
    """The back end first, then the libraries of CUDA that it is linked with; their makers are named."""
    made = lay_cuda(tmp_path)
    assert [library.name for library in made.libraries] == ["libggml-cuda.so", *sorted(CUDA_FILES)]
    (theirs,) = (one for one in made.components if one.name == "nvidia-cublas")
    assert (theirs.version, theirs.licence) == ("13.0.2.14", "NVIDIA-Words")
    assert [text.read_text() for text in theirs.texts] == ["NVIDIA's words"]
