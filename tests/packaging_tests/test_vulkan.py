"""The Vulkan back end: with which headers it is compiled, and an answer that it really computed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap.package import vulkan
from bootstrap.programs import ROOT, Stop
from desktop.engine.ggml_backends import has_driver
from desktop.system.doctor import VULKAN_DRIVERS
from tests.packaging_tests.test_back_end import answer, lay_vulkan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the back end is built on Linux")


def lay_sdk(folder: Path, version: tuple[int, int, int]) -> None:
    """What is looked at of a Vulkan SDK."""
    major, minor, patch = version
    header = folder / "include" / "vulkan" / "vulkan_core.h"
    header.parent.mkdir(parents=True)
    header.write_text(
        f"// Version of this file\n#define VK_HEADER_VERSION {patch}\n\n"
        "#define VK_HEADER_VERSION_COMPLETE "
        f"VK_MAKE_API_VERSION(0, {major}, {minor}, VK_HEADER_VERSION)\n"
    )
    (folder / "bin").mkdir()
    (folder / "bin" / "glslc").write_text("#!/bin/sh\n")
    (folder / "bin" / "glslc").chmod(0o755)


@pytest.fixture
def sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that VULKAN_SDK names; no compiler of shaders lies elsewhere."""
    monkeypatch.setenv(vulkan.SDK, str(tmp_path / "sdk"))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path / "sdk"


def test_an_sdk_is_taken_where_the_usual_variable_names_one(sdk: Path) -> None:
    """Its version goes into the papers."""
    lay_sdk(sdk, (1, 4, 309))
    assert vulkan.headers_version() == "1.4.309"


def test_headers_of_a_newer_generation_are_newer(sdk: Path) -> None:
    """1.10.0 comes after 1.4.309."""
    lay_sdk(sdk, (1, 10, 0))
    assert vulkan.headers_version() == "1.10.0"


def test_old_headers_are_refused_with_what_to_install(sdk: Path) -> None:
    """Those of Debian 12: the compiler would end with a page of errors after half an hour."""
    lay_sdk(sdk, (1, 3, 239))
    with pytest.raises(Stop, match=r"1\.3\.239.*libvulkan-dev") as refused:
        vulkan.headers_version()
    assert refused.value.code == 3


def test_a_missing_compiler_of_shaders_is_told(sdk: Path) -> None:
    """Before anything is fetched."""
    with pytest.raises(Stop, match="glslc is missing"):
        vulkan.headers_version()


def test_whose_work_it_is(tmp_path: Path) -> None:
    """The headers are code of which the library is made, so their licence goes along."""
    headers, llama = lay_vulkan(tmp_path).components
    assert (headers.name, headers.version, headers.licence) == ("Vulkan-Headers", "1.4.309", "Apache-2.0")
    assert "Apache License" in headers.texts[0].read_text(encoding="utf-8")
    assert llama.name == "llama.cpp"


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.timeout(300)
def test_the_real_one_computes(bundle: Path, smollm2: Path, tmp_path: Path) -> None:
    """With the driver that is here, be it Mesa's for the processor. Skips where nothing was compiled or no
    driver is."""
    made = vulkan.Made(vulkan.place())
    named = "VK_DRIVER_FILES" in os.environ or any(any(folder.glob("*.json")) for folder in VULKAN_DRIVERS)
    if not made.library.exists() or not has_driver("vulkan") or not named:
        pytest.skip("no Vulkan back end was compiled, or there is no driver")
    told, _graphics = answer(bundle, made, smollm2, tmp_path, GGML_VK_VISIBLE_DEVICES="0")
    assert told["metrics"]["device"] == "vulkan"
    assert told["answer"]
    assert not told["notice"]


def test_the_release_compiles_it_where_the_bundle_is_built() -> None:
    """In the same old system, with newer tools beside: it asks for no newer C library than the rest."""
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    built_in = dict(re.findall(r'name: linux-(\w+), os: [\w.-]+, container: "([^"]+)"', workflow))
    assert built_in["vulkan"] == built_in["cpu"]
    script = ROOT / "packaging" / "vulkan_sdk.sh"
    assert "packaging/vulkan_sdk.sh" in workflow
    assert subprocess.run([script], capture_output=True).returncode == 2  # it says how it is used
