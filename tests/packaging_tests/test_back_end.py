"""Back ends for graphics cards that are compiled alone: their shape, their add-ons, where they lie."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from bootstrap.package import addon, cuda, vulkan
from bootstrap.package.back_end import Made, llama_version, place_of
from bootstrap.package.build import BACK_ENDS, KINDS, package
from bootstrap.package.papers import LICENCES
from bootstrap.programs import Stop
from desktop.app import build_core
from desktop.engine.addons import AddOns
from desktop.engine.ggml_backends import GPU_BACKENDS, carried, has_driver, word_of
from desktop.paths import Paths
from tests.packaging_tests.test_started import call

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the back ends are built on Linux")
EPOCH_S = 1_700_000_000
CUDA_FILES = {"libcudart.so.13": b"runtime", "libcublas.so.13": b"blas", "libcublasLt.so.13": b"light" * 999}


def lay_vulkan(folder: Path) -> Made:
    """A folder of the cache as a build leaves it, with a small file in the place of the library."""
    made = vulkan.Made(folder)
    source = folder / "llama_cpp_python-0.3.36" / "vendor" / "llama.cpp"
    source.mkdir(parents=True)
    (source / "LICENSE").write_text("llama.cpp's words")
    made.library.write_bytes(b"back end")
    made.headers.write_text("1.4.309")
    return made


def lay_cuda(folder: Path) -> cuda.Made:
    """The same with CUDA's libraries."""
    lay_vulkan(folder).library.unlink()
    made = cuda.Made(folder)
    made.library.write_bytes(b"back end")
    lib = made.runtime / "nvidia" / "cu13" / "lib"
    licences = made.runtime / "nvidia_cublas-13.0.2.14.dist-info"
    for each in (lib, licences / "licenses"):
        each.mkdir(parents=True)
    for name, content in (CUDA_FILES | {"libnvblas.so.13": b"not needed"}).items():
        (lib / name).write_bytes(content)
    (lib / "libcublas.so").symlink_to("libcublas.so.13")
    (licences / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: nvidia-cublas\nVersion: 13.0.2.14\nLicense-Expression: NVIDIA-Words\n"
    )
    (licences / "licenses" / "License.txt").write_text("NVIDIA's words")
    (licences / "RECORD").write_text("nvidia_cublas-13.0.2.14.dist-info/licenses/License.txt,,\n")
    return made


@pytest.fixture(params=[lay_cuda, lay_vulkan], ids=["cuda", "vulkan"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    laid: Made = request.param(tmp_path / "cache")
    return laid


@pytest.mark.parametrize("options", [cuda.Choice("90", flash_attention=False).options, vulkan.OPTIONS])
def test_a_back_end_fits_the_llama_cpp_of_the_bundle(options: tuple[str, ...]) -> None:
    """It is a library of its own that is tuned to no computer, as the back ends for processors are."""
    assert {"-DGGML_BACKEND_DL=ON", "-DGGML_NATIVE=OFF"} <= set(options) & set(KINDS["cpu"].split())


def test_the_rest_of_a_bundle_is_that_for_the_processor() -> None:
    """So llama.cpp is compiled once for all these kinds; each is one that the program knows and ranks."""
    assert {KINDS[kind] for kind in BACK_ENDS} == {KINDS["cpu"]}
    assert set(BACK_ENDS) <= set(GPU_BACKENDS)


def test_what_shapes_a_library_names_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Objects of other options are not mixed up; a folder can be named by hand."""
    assert place_of("vulkan", "-DA=1") != place_of("vulkan", "-DA=2")
    assert llama_version() in place_of("vulkan").name
    monkeypatch.setenv("STEWARD_VULKAN_FOLDER", str(tmp_path))
    assert place_of("vulkan", "-DA=1") == tmp_path
    assert place_of("cuda", "-DA=1") != tmp_path


def test_the_addon_is_one_that_steward_takes(made: Made, tmp_path: Path) -> None:
    """What the build packs, `steward addons add` unpacks: the back end with the libraries that it needs, no
    more, and every licence text."""
    file = addon.pack(made, tmp_path / "out", "0.1.0", EPOCH_S)
    assert file.name.startswith(f"steward-{made.word}-addon-0.1.0-linux-")
    assert file.suffixes[-2:] == [".tar", ".xz"]
    addons = AddOns(tmp_path / "addons")
    added = addons.add(file)
    assert set(added.files) == {LICENCES, *(library.name for library in made.libraries)}
    assert addons.libraries() == (addons.folder / made.word / made.library.name,)
    assert word_of(addons.libraries()[0]) == made.word
    texts = (addons.folder / made.word / LICENCES).read_text(encoding="utf-8")
    assert "llama.cpp's words" in texts
    told = json.loads((addons.folder / made.word / "manifest.json").read_text(encoding="utf-8"))
    named = [(one.name, one.version, one.licence) for one in made.components]
    assert [(one["name"], one["version"], one["licence"]) for one in told["components"]] == named


def test_the_same_build_gives_the_same_addon(made: Made, tmp_path: Path) -> None:
    """Whenever and wherever it is packed."""
    first = addon.pack(made, tmp_path / "first", "0.1.0", EPOCH_S).read_bytes()
    os.utime(made.library, (1, 1))
    assert addon.pack(made, tmp_path / "second", "0.1.0", EPOCH_S).read_bytes() == first


def test_the_archive_begins_with_its_manifest(made: Made, tmp_path: Path) -> None:
    """So that what does not fit is refused before half a gigabyte is unpacked."""
    with tarfile.open(addon.pack(made, tmp_path, "0.1.0", EPOCH_S)) as archive:
        assert archive.getnames()[:2] == ["manifest.json", LICENCES]


def test_in_a_bundle_it_lies_where_the_program_looks_for_it(made: Made, tmp_path: Path) -> None:
    """In a folder of its own, under the names by which the libraries ask for each other."""
    made.lay_into(tmp_path)
    laid = {path.name for path in (tmp_path / made.word).iterdir()}
    assert laid == {library.name for library in made.libraries}
    assert carried(tmp_path) == {made.word}
    assert os.access(tmp_path / made.word / made.library.name, os.X_OK)


def answer(bundle: Path, made: Made, model: Path, folder: Path, **environment: str) -> tuple[Any, str]:
    """What a copy of the bundle with this back end answers, and what its Doctor says of the card."""
    copy, profile = folder / "steward", ("--profile", str(folder / "profile"))
    shutil.copytree(bundle, copy, symlinks=True)
    if made.word not in json.loads((copy / "manifest.json").read_text(encoding="utf-8"))["kind"]:
        made.lay_into(copy / "_internal" / "llama_cpp" / "lib")
    core = build_core(Paths.under(folder / "profile"))
    core.library.import_file(model)
    core.close()
    environment["STEWARD_MODEL__MAX_ANSWER_TOKENS"] = "16"
    asked = call(copy / "steward", *profile, "ask", "--json", "--no-memory", "Say hello.", **environment)
    assert asked.returncode == 0, asked.stderr
    doctor = json.loads(call(copy / "steward", *profile, "doctor", "--json", **environment).stdout)
    graphics = next(check["finding"] for check in doctor if check["name"] == "Graphics")
    return json.loads(asked.stdout), graphics


REAL = [cuda.Made(cuda.place_of(cuda.Choice("90", flash_attention=False))), vulkan.Made(vulkan.place())]


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.timeout(300)
@pytest.mark.parametrize("made", REAL, ids=lambda made: str(made.word))
def test_the_real_one_without_a_driver(made: Made, bundle: Path, smollm2: Path, tmp_path: Path) -> None:
    """A bundle with the compiled library starts where there is no driver, answers on the processor and says
    so, in Doctor too. Skips where nothing was compiled (see docs/release.md)."""
    if not made.library.exists() or has_driver(made.word):
        pytest.skip(f"no back end {made.word} was compiled for a try, or there is a driver")
    told, graphics = answer(bundle, made, smollm2, tmp_path)
    kind = GPU_BACKENDS[made.word]
    assert told["metrics"]["device"] == "cpu"
    assert f"{kind.title} is installed, but there is no {kind.driver} driver" in told["notice"]
    assert f"{kind.title} is installed" in graphics


@pytest.mark.parametrize("words", [["cpu", "--addon"], ["metal", "--addon"], ["vulkan", "--add"], []])
def test_an_addon_is_only_of_what_is_compiled_alone(words: list[str]) -> None:
    """Else the kinds are told."""
    with pytest.raises(Stop, match="cuda, vulkan"):
        package(words)
