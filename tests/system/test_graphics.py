"""The card, the back ends and what would be faster: from lists of the kernel and names of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.engine.ggml_backends import carried
from desktop.system.graphics import Graphics, Vendor, _vendors, _vulkan_drivers


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["libggml-cpu-haswell.so", "libggml-cpu-zen4.so", "libggml-base.so.0"], {"cpu"}),
        (["libggml-cpu.so", "libggml-cuda.so", "libggml-base.so"], {"cpu", "cuda"}),
        (["ggml-cpu-x64.dll", "ggml-vulkan.dll", "ggml-base.dll"], {"cpu", "vulkan"}),
        (["libggml-metal.dylib", "libggml-cpu.dylib", "libllama.dylib"], {"cpu", "metal"}),
        ([], set()),
    ],
)
def test_back_ends_are_known_by_their_files(tmp_path: Path, names: list[str], found: set[str]) -> None:
    for name in names:
        (tmp_path / name).touch()
    assert carried(tmp_path) == found


def test_cards_are_known_by_their_vendor(tmp_path: Path) -> None:
    """As the kernel lists them: outputs of a card stand beside it and have no vendor."""
    for name, number in (("card0", "0x10de\n"), ("card1", "0x8086\n"), ("card2", "0x1234\n")):
        (tmp_path / name / "device").mkdir(parents=True)
        (tmp_path / name / "device" / "vendor").write_text(number)
    (tmp_path / "card0-HDMI-A-1").mkdir()
    assert _vendors(tmp_path) == {Vendor.NVIDIA, Vendor.INTEL}


def test_drivers_of_vulkan_are_known_by_their_files(tmp_path: Path) -> None:
    """As Mesa and NVIDIA name them; software that draws without a card is none."""
    for name in ("radeon_icd.x86_64.json", "intel_hasvk_icd.x86_64.json", "lvp_icd.x86_64.json", "notes.txt"):
        (tmp_path / name).touch()
    assert _vulkan_drivers([tmp_path, tmp_path / "nowhere"]) == {Vendor.AMD, Vendor.INTEL}
    (tmp_path / "nvidia_icd.json").touch()
    assert Vendor.NVIDIA in _vulkan_drivers([tmp_path])


NVIDIA, AMD, INTEL = ({vendor} for vendor in Vendor)
NONE: set[Vendor] = set()


@pytest.mark.parametrize(
    ("vendors", "driver", "vulkan", "there", "computes_with", "advised"),
    [
        (NVIDIA, True, NONE, {"cpu"}, "the processor", "CUDA add-on"),
        (NVIDIA, True, NVIDIA, {"cpu", "cuda", "vulkan"}, "CUDA", ""),
        (NVIDIA, False, NONE, {"cpu", "cuda"}, "the processor", "driver"),
        (NVIDIA, False, NVIDIA, {"cpu", "vulkan"}, "Vulkan", ""),
        (AMD, False, AMD, {"cpu"}, "the processor", "Vulkan add-on"),
        (AMD, False, AMD, {"cpu", "vulkan"}, "Vulkan", ""),
        (AMD, False, NONE, {"cpu", "vulkan"}, "the processor", "mesa-vulkan-drivers"),
        (AMD, False, NVIDIA, {"cpu", "vulkan"}, "the processor", "mesa-vulkan-drivers"),
        (INTEL, False, INTEL, {"cpu"}, "the processor", ""),
        (INTEL, False, INTEL, {"cpu", "vulkan"}, "Vulkan", ""),
        (AMD | INTEL, False, INTEL, {"cpu", "vulkan"}, "Vulkan", ""),
        (NONE, False, NONE, {"cpu", "cuda"}, "the processor", ""),
        (NONE, False, AMD, {"cpu", "vulkan"}, "the processor", ""),
    ],
)
def test_what_would_be_faster(
    vendors: set[Vendor], driver: bool, vulkan: set[Vendor], there: set[str], computes_with: str, advised: str
) -> None:
    """Advice only where something would be; a copy whose back end lacks its driver computes with the
    processor."""
    found = Graphics(frozenset(vendors), driver, frozenset(there), frozenset(vulkan))
    assert found.computes_with == computes_with
    idle = bool(there & {"cuda", "vulkan"}) and computes_with == "the processor"
    assert ("because" in str(found.finding)) == idle  # a back end that is there and stays unused is told
    assert advised in str(found.advice or "")
    assert bool(found.advice) == bool(advised)


def test_this_computer_is_looked_at_without_loading_anything() -> None:
    assert "models compute with" in str(Graphics.here().finding)
