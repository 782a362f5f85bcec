"""The CUDA back end: how it is compiled, what the add-on holds, and the program without a card."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

from bootstrap.package import cuda
from bootstrap.package.build import KINDS
from bootstrap.programs import Stop
from desktop.app import Core
from desktop.engine.addons import AddOns
from desktop.engine.back_ends import CUDA_FOLDER, has_driver
from desktop.paths import Paths
from tests.packaging_tests.test_started import call

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the back end is built on Linux")
EPOCH_S = 1_700_000_000
CUDA_FILES = {"libcudart.so.13": b"runtime", "libcublas.so.13": b"blas", "libcublasLt.so.13": b"light" * 999}


@pytest.fixture
def made(tmp_path: Path) -> cuda.Made:
    """A cache as a build leaves it, with small files in the place of the libraries."""
    made = cuda.Made(tmp_path / "cuda")
    lib = made.runtime / "nvidia" / "cu13" / "lib"
    licences = made.runtime / "nvidia_cublas-13.0.2.14.dist-info"
    source = made.folder / "llama_cpp_python-0.3.36" / "vendor" / "llama.cpp"
    for folder in (lib, licences / "licenses", source):
        folder.mkdir(parents=True)
    for name, content in (CUDA_FILES | {"libnvblas.so.13": b"not needed"}).items():
        (lib / name).write_bytes(content)
    (lib / "libcublas.so").symlink_to("libcublas.so.13")
    (licences / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: nvidia-cublas\nVersion: 13.0.2.14\nLicense-Expression: NVIDIA-Words\n"
    )
    (licences / "licenses" / "License.txt").write_text("NVIDIA's words")
    (licences / "RECORD").write_text("nvidia_cublas-13.0.2.14.dist-info/licenses/License.txt,,\n")
    (source / "LICENSE").write_text("llama.cpp's words")
    (made.folder / cuda.LIBRARY).write_bytes(b"back end")
    return made


def test_the_back_end_fits_the_llama_cpp_of_the_bundle() -> None:
    """It is a library of its own that is tuned to no computer, as the back ends for processors are; the rest
    of the bundle is that of the kind cpu, and is not compiled again."""
    options = cuda.Choice("90", flash_attention=False).options
    assert {"-DGGML_BACKEND_DL=ON", "-DGGML_NATIVE=OFF"} <= set(options) & set(KINDS["cpu"].split())
    assert {"-DGGML_CUDA_FA=OFF", "-DCMAKE_CUDA_ARCHITECTURES=90"} <= set(options)
    assert KINDS["cuda"] == KINDS["cpu"]


def test_each_choice_has_its_own_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick build to try never becomes part of a release."""
    monkeypatch.setenv("STEWARD_CUDA_ARCHITECTURES", "90")
    monkeypatch.setenv("STEWARD_CUDA_FA", "OFF")
    assert cuda.Choice.wanted() == cuda.Choice("90", flash_attention=False)
    monkeypatch.delenv("STEWARD_CUDA_ARCHITECTURES")
    monkeypatch.delenv("STEWARD_CUDA_FA")
    usual = cuda.Choice.wanted()
    assert usual.flash_attention
    assert cuda.place_of(usual) != cuda.place_of(cuda.Choice("90", flash_attention=False))
    assert cuda.llama_version() in cuda.place_of(usual).name


def test_a_toolkit_of_another_generation_is_refused() -> None:
    """Its headers would not fit the libraries that go along."""
    cuda.need_generation("Cuda compilation tools, release 13.0, V13.0.88")
    with pytest.raises(Stop, match="CUDA 13"):
        cuda.need_generation("Cuda compilation tools, release 12.6, V12.6.85")


def test_the_addon_is_one_that_steward_takes(made: cuda.Made, tmp_path: Path) -> None:
    """What the build packs, `steward addons add` unpacks: the back end with the libraries that it needs, no
    more, and every licence text."""
    file = cuda.addon(made, tmp_path / "out", "0.1.0", EPOCH_S)
    assert file.name.startswith("steward-cuda-addon-0.1.0-linux-")
    assert file.suffixes[-2:] == [".tar", ".xz"]
    addons = AddOns(tmp_path / "addons")
    added = addons.add(file)
    assert set(added.files) == {cuda.LIBRARY, cuda.LICENCES, *CUDA_FILES}
    assert addons.libraries() == (addons.folder / "cuda" / cuda.LIBRARY,)
    texts = (addons.folder / "cuda" / cuda.LICENCES).read_text(encoding="utf-8")
    assert "NVIDIA's words" in texts
    assert "llama.cpp's words" in texts
    told = json.loads((addons.folder / "cuda" / "manifest.json").read_text(encoding="utf-8"))
    assert {"name": "nvidia-cublas", "version": "13.0.2.14", "licence": "NVIDIA-Words"} in told["components"]


def test_the_same_build_gives_the_same_addon(made: cuda.Made, tmp_path: Path) -> None:
    """Whenever and wherever it is packed."""
    first = cuda.addon(made, tmp_path / "first", "0.1.0", EPOCH_S).read_bytes()
    os.utime(made.folder / cuda.LIBRARY, (1, 1))
    assert cuda.addon(made, tmp_path / "second", "0.1.0", EPOCH_S).read_bytes() == first


def test_in_a_bundle_they_lie_in_a_folder_of_their_own(made: cuda.Made, tmp_path: Path) -> None:
    """Under the names by which they ask for each other, nothing else of the packages, and where the program
    looks for them."""
    assert cuda.FOLDER == CUDA_FOLDER
    made.lay_into(tmp_path / "lib")
    laid = {path.name for path in (tmp_path / "lib").iterdir()}
    assert laid == {cuda.LIBRARY, *CUDA_FILES}


@pytest.mark.slow
@pytest.mark.model
def test_the_real_back_end_without_a_driver(bundle: Path, smollm2: Path, tmp_path: Path) -> None:
    """A bundle with the compiled library starts where there is no driver, answers on the processor and says
    so, in Doctor too. Skips where nothing was compiled (see docs/release.md)."""
    made = cuda.Made(cuda.place_of(cuda.Choice("90", flash_attention=False)))
    if not (made.folder / cuda.LIBRARY).exists() or has_driver():
        pytest.skip("no CUDA back end was compiled for a try, or there is a driver")
    copy = tmp_path / "steward"
    shutil.copytree(bundle, copy, symlinks=True)
    made.lay_into(copy / "_internal" / "llama_cpp" / "lib" / cuda.FOLDER)
    core = Core(Paths.under(tmp_path / "profile"))
    core.library.import_file(smollm2)
    core.close()
    words = ("--profile", str(tmp_path / "profile"))
    asked = call(copy / "steward", *words, "ask", "--json", "--no-memory", "Say hello.")
    assert asked.returncode == 0, asked.stderr
    told = json.loads(asked.stdout)
    assert told["metrics"]["device"] == "cpu"
    assert "there is no NVIDIA driver" in told["notice"]
    doctor = json.loads(call(copy / "steward", *words, "doctor", "--json").stdout)
    assert "CUDA is installed" in next(check["finding"] for check in doctor if check["name"] == "Graphics")


def test_the_archive_begins_with_its_manifest(made: cuda.Made, tmp_path: Path) -> None:
    """So that what does not fit is refused before half a gigabyte is unpacked."""
    with tarfile.open(cuda.addon(made, tmp_path, "0.1.0", EPOCH_S)) as archive:
        assert archive.getnames()[:2] == ["manifest.json", cuda.LICENCES]
