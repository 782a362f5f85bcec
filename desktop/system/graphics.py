"""Which graphics card is here, which of llama.cpp's back ends this copy carries, and which would be faster.

Read from the kernel's lists and from file names; nothing is loaded. Other systems than Linux tell less.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.engine.addons import AddOns
from desktop.engine.ggml_backends import GPU_BACKENDS, installed_words
from desktop.reasons import Reason
from desktop.system.reasons import DoctorReason

PROCESSOR = "the processor"
CARDS = Path("/sys/class/drm")
NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
# Where drivers of Vulkan say what they are, for its loader: one file for each.
VULKAN_DRIVERS = tuple(Path(place, "vulkan/icd.d") for place in ("/etc", "/usr/share", "/usr/local/share"))


class Vendor(StrEnum):
    NVIDIA = "NVIDIA"
    AMD = "AMD"
    INTEL = "Intel"


# Numbers of PCI's list of vendors.
VENDORS = {"0x10de": Vendor.NVIDIA, "0x1002": Vendor.AMD, "0x8086": Vendor.INTEL}
# How the names of those files begin; others are of software or of cards that models cannot use.
DRIVERS = {
    "nvidia": Vendor.NVIDIA,
    "nouveau": Vendor.NVIDIA,
    "radeon": Vendor.AMD,
    "amd": Vendor.AMD,
    "intel": Vendor.INTEL,
}


@dataclass(frozen=True)
class Graphics:
    """What is here. `back_ends` are the words of ggml: cpu, cuda, vulkan, metal; `vulkan_drivers` tell for
    whose cards there is a driver that Vulkan finds."""

    vendors: frozenset[Vendor]
    has_nvidia_driver: bool
    back_ends: frozenset[str]
    vulkan_drivers: frozenset[Vendor] = frozenset()

    @classmethod
    def here(cls) -> Graphics:
        return cls(_vendors(CARDS), NVIDIA_DRIVER.exists(), back_ends(), _vulkan_drivers(VULKAN_DRIVERS))

    @property
    def finding(self) -> Reason:
        """One sentence for the report."""
        by = self.computes_with
        computing = DoctorReason.BY_PROCESSOR.of() if by == PROCESSOR else by
        words = [word for word in GPU_BACKENDS if word in self.back_ends]
        if not words or by != PROCESSOR:
            return DoctorReason.CARDS.of(cards=self._cards, by=computing)
        # A back end that was installed and finds nothing to compute on.
        title = GPU_BACKENDS[words[0]].title
        return DoctorReason.CARDS_UNUSED.of(
            cards=self._cards, by=computing, why=self._why_unused(words[0]), title=title
        )

    @property
    def _cards(self) -> Reason | str:
        if not self.vendors:
            return DoctorReason.NO_CARD.of()
        *others, last = sorted(self.vendors)
        if others:
            return DoctorReason.SEVERAL_CARDS.of(first=", ".join(others), last=last)
        return last

    def _why_unused(self, word: str) -> Reason:
        if word == "cuda":
            code = DoctorReason.NO_NVIDIA_CARD if self.has_nvidia_driver else DoctorReason.NO_NVIDIA_DRIVER
            return code.of()
        if word == "vulkan" and self.vendors:
            return DoctorReason.NO_VULKAN_DRIVER.of()
        return DoctorReason.FINDS_NO_CARD.of()

    @property
    def computes_with(self) -> str:
        if "cuda" in self.back_ends and Vendor.NVIDIA in self.vendors and self.has_nvidia_driver:
            return "CUDA"
        if "metal" in self.back_ends and sys.platform == "darwin":
            return "Metal"
        if "vulkan" in self.back_ends and self.vendors & self.vulkan_drivers:
            return "Vulkan"
        return PROCESSOR

    @property
    def advice(self) -> Reason | None:
        """What would be faster here; None where nothing would, or nobody knows."""
        if self.computes_with != PROCESSOR:
            return None
        if Vendor.NVIDIA in self.vendors and not self.has_nvidia_driver:
            return DoctorReason.INSTALL_NVIDIA_DRIVER.of()
        if Vendor.NVIDIA in self.vendors:
            return DoctorReason.ADD_CUDA.of()
        if "vulkan" in self.back_ends and self.vendors:
            return DoctorReason.INSTALL_VULKAN_DRIVER.of()
        return DoctorReason.ADD_VULKAN.of() if Vendor.AMD in self.vendors else None


def back_ends() -> frozenset[str]:
    """Those that were installed with Steward and those that were added."""
    return installed_words(AddOns.here().libraries())


def _vulkan_drivers(folders: Iterable[Path]) -> frozenset[Vendor]:
    names = [file.name for folder in folders for file in folder.glob("*.json")]
    return frozenset(vendor for start, vendor in DRIVERS.items() for name in names if name.startswith(start))


def _vendors(cards: Path) -> frozenset[Vendor]:
    numbers = set()
    for file in cards.glob("card*/device/vendor"):
        try:
            numbers.add(file.read_text(encoding="ascii").strip())
        except (OSError, ValueError):  # a connector, or a card that is being taken away
            continue
    return frozenset(VENDORS[number] for number in numbers if number in VENDORS)
