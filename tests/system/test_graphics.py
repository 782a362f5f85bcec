"""The card, the back ends and what would be faster: from lists of the kernel and names of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.engine.back_ends import carried
from desktop.system.graphics import Graphics, Vendor, _vendors


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


@pytest.mark.parametrize(
    ("vendors", "driver", "there", "computes_with", "advised"),
    [
        ({Vendor.NVIDIA}, True, {"cpu"}, "the processor", "CUDA add-on"),
        ({Vendor.NVIDIA}, True, {"cpu", "cuda"}, "CUDA", ""),
        ({Vendor.NVIDIA}, False, {"cpu", "cuda"}, "the processor", "driver"),
        ({Vendor.AMD}, False, {"cpu"}, "the processor", "Vulkan"),
        ({Vendor.AMD}, False, {"cpu", "vulkan"}, "Vulkan", ""),
        ({Vendor.INTEL}, False, {"cpu"}, "the processor", ""),
        (set(), False, {"cpu", "cuda"}, "the processor", ""),
    ],
)
def test_what_would_be_faster(
    vendors: set[Vendor], driver: bool, there: set[str], computes_with: str, advised: str
) -> None:
    """Advice only where something would be; a CUDA copy without a driver computes with the processor."""
    found = Graphics(frozenset(vendors), driver, frozenset(there))
    assert found.computes_with == computes_with
    idle = bool(there & {"cuda", "vulkan"}) and computes_with == "the processor"
    assert ("because" in found.finding) == idle  # a back end that is there and stays unused is told
    assert advised in found.advice
    assert bool(found.advice) == bool(advised)


def test_this_computer_is_looked_at_without_loading_anything() -> None:
    assert "models compute with" in Graphics.here().finding
