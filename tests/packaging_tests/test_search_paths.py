"""Where the loader looks for the libraries of a library: never in a folder of the computer that built."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bootstrap.package.search_paths import forget

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None or shutil.which("objdump") is None,
    reason="made with gcc, looked at with objdump",
)


def library(folder: Path, *options: str) -> Path:
    source, made = folder / "one.c", folder / "libone.so"
    source.write_text("int one(void) { return 1; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", *options, "-o", made, source], check=True)
    return made


@pytest.mark.parametrize("tags", ["--enable-new-dtags", "--disable-new-dtags"])
def test_a_folder_of_the_builder_is_taken_out(tmp_path: Path, tags: str) -> None:
    """No byte of its name stays, and the library still loads."""
    made = library(tmp_path, f"-Wl,{tags}", "-Wl,-rpath,/home/ada/python/lib")
    assert forget(made) == ("/home/ada/python/lib",)
    assert b"/home/ada" not in made.read_bytes()
    assert ctypes.CDLL(str(made)).one() == 1
    assert forget(made) == ()


def test_a_folder_beside_the_library_stays(tmp_path: Path) -> None:
    """$ORIGIN moves along with the bundle; nothing is written."""
    made = library(tmp_path, "-Wl,-rpath,$ORIGIN/Qt/lib")
    before = made.read_bytes()
    assert forget(made) == ()
    assert made.read_bytes() == before
    assert "$ORIGIN/Qt/lib" in subprocess.check_output(["objdump", "-p", made], text=True)


def test_what_is_no_library_stays(tmp_path: Path) -> None:
    """A linker script is called .so too."""
    text = tmp_path / "libtext.so"
    text.write_text("INPUT(-lm)\n")
    assert forget(text) == ()
    assert text.read_text() == "INPUT(-lm)\n"


def test_no_library_of_the_bundle_names_one(bundle: Path, manifest: dict[str, Any]) -> None:
    """Whoever could make that folder elsewhere could put a library into it."""
    libraries = [bundle / name for name in manifest["files"] if ".so" in name]
    told = subprocess.run(["objdump", "-p", *libraries], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"(?:RPATH|RUNPATH)\s+(/\S*)", told) == []
