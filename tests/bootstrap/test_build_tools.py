"""What builds llama.cpp is held to its hashes, too."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from bootstrap import llama
from bootstrap.environment import locked
from bootstrap.programs import pip

WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
# A build back end in the package itself, which needs another package to start.
BACK_END = f"""
import brush, zipfile
def build_wheel(folder, settings=None, metadata=None):
    with zipfile.ZipFile(folder + "/painting-1-py3-none-any.whl", "w") as wheel:
        about = "Metadata-Version: 2.1\\nName: painting\\nVersion: 1\\n"
        wheel.writestr("painting-1.dist-info/METADATA", about)
        wheel.writestr("painting-1.dist-info/WHEEL", {WHEEL!r})
        wheel.writestr("painting-1.dist-info/RECORD", "")
    return "painting-1-py3-none-any.whl"
"""
PROJECT = '[build-system]\nrequires = ["brush"]\nbuild-backend = "back_end"\nbackend-path = ["."]\n'
PROJECT += '[project]\nname = "painting"\nversion = "1"\n'


def tool(folder: Path) -> str:
    """The wheel that the build needs; returns its hash."""
    file = folder / "brush-1-py3-none-any.whl"
    about = "Metadata-Version: 2.1\nName: brush\nVersion: 1\n"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("brush.py", "")
        wheel.writestr("brush-1.dist-info/METADATA", about)
        wheel.writestr(
            "brush-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("brush-1.dist-info/RECORD", "")
    return hashlib.sha256(file.read_bytes()).hexdigest()


def source(folder: Path) -> str:
    """The source package; returns its hash."""
    file = folder / "painting-1.tar.gz"
    info = "Metadata-Version: 2.1\nName: painting\nVersion: 1\n"
    with tarfile.open(file, "w:gz") as archive:
        for name, text in {"pyproject.toml": PROJECT, "back_end.py": BACK_END, "PKG-INFO": info}.items():
            entry = tarfile.TarInfo(f"painting-1/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize("is_right", [True, False])
def test_a_build_tool_with_another_hash_ends_the_build(tmp_path: Path, is_right: bool) -> None:
    """The names that pip reads hold in the environment that it makes for building, not only around it."""
    right, lock, constraint = tool(tmp_path), tmp_path / "lock", tmp_path / "build.lock"
    lock.write_text(f"painting==1 --hash=sha256:{source(tmp_path)}\n")
    constraint.write_text(f"brush==1 --hash=sha256:{right if is_right else '0' * 64}\n")
    words = [
        "wheel",
        "--no-index",
        "--find-links",
        tmp_path,
        "--no-deps",
        "--require-hashes",
        "--no-cache-dir",
    ]
    command = pip(Path(sys.executable), *words, "-w", tmp_path / "out", "-r", lock)
    said = subprocess.run(
        [str(word) for word in command],
        env={"PATH": "/usr/bin:/bin"} | dict.fromkeys(llama.BUILD_TOOLS, str(constraint)),
        capture_output=True,
        text=True,
    )
    assert (said.returncode == 0) is is_right, said.stderr
    assert ("DO NOT MATCH THE HASHES" in said.stdout + said.stderr) is not is_right


def test_the_lock_names_what_the_source_package_asks_for() -> None:
    """The back end, and CMake and Ninja where the computer has none; each with hashes."""
    text = llama.BUILD_LOCK.read_text(encoding="utf-8")
    assert {"scikit-build-core", "cmake", "ninja"} <= set(locked(text))
    assert set(llama.BUILD_TOOLS.values()) == {str(llama.BUILD_LOCK)}
