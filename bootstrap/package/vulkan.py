"""What lets llama.cpp compute on the cards of any vendor: its Vulkan back end, compiled alone.

Its shaders are compiled when it is built. What runs them, a card's driver and the loader libvulkan that finds
it, is the computer's own.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from bootstrap.package import back_end
from bootstrap.package.components import Component
from bootstrap.programs import ROOT, WINDOWS, Stop

OPTIONS = back_end.options(("GGML_VULKAN",))
OLDEST_HEADERS = (1, 4, 309)  # Debian 13's, the oldest tried; with Debian 12's it does not compile
SDK = "VULKAN_SDK"  # the usual variable: there CMake looks first; packaging/vulkan_sdk.sh makes one
NEEDED = "libvulkan-dev, spirv-headers and glslc of Debian 13, or a Vulkan SDK that VULKAN_SDK names"


@dataclass(frozen=True)
class Made(back_end.Made):
    """The back end alone."""

    word = "vulkan"

    @property
    def headers(self) -> Path:
        """A file with the version of the headers that it was compiled with."""
        return self.folder / "headers"

    @property
    def components(self) -> tuple[Component, ...]:
        """llama.cpp's work, and that of the headers, which are code of which the library is made."""
        version = self.headers.read_text(encoding="ascii")
        theirs = Component("generic", "Vulkan-Headers", version, "Apache-2.0", (ROOT / "LICENSE",))
        return (theirs, *super().components)


def build() -> Made:
    """From the cache, else compiled now; objects of a build that was broken off are used again."""
    made = Made(place())
    if not made.library.exists():
        back_end.need_build_tools()
        version = headers_version()
        # Its messages name the source by its folder: without ours, each computer makes the same library.
        flags = [] if WINDOWS else [f'-DCMAKE_CXX_FLAGS=-ffile-prefix-map="{made.folder}"=.']
        back_end.compile_library(made, (*OPTIONS, *flags))
        made.headers.write_text(version, encoding="ascii")
    return made


def place() -> Path:
    """Its folder in the cache."""
    return back_end.place_of("vulkan", *OPTIONS)


def headers_version() -> str:
    """Such as 1.4.309, of those that CMake will find. Raises Stop without usable ones or without glslc."""
    sdk = Path(os.environ.get(SDK) or "/usr")
    if shutil.which("glslc", path=f"{sdk / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}") is None:
        raise Stop(f"glslc is missing. Install {NEEDED}.", 3)
    header = sdk / "include" / "vulkan" / "vulkan_core.h"
    text = header.read_text(encoding="utf-8") if header.exists() else ""
    complete = re.search(r"VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION\(0, (\d+), (\d+)", text)
    patch = re.search(r"#define VK_HEADER_VERSION (\d+)", text)
    found = (int(complete[1]), int(complete[2]), int(patch[1])) if complete and patch else (0, 0, 0)
    told = ".".join(map(str, found))
    if found < OLDEST_HEADERS:
        oldest = ".".join(map(str, OLDEST_HEADERS))
        raise Stop(f"Vulkan's headers are {told}, and {oldest} is needed. Install {NEEDED}.", 3)
    return told
