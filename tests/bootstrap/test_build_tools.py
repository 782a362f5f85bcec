"""What builds llama.cpp is held to its hashes, too."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from bootstrap import llama, programs
from bootstrap.locks import locked
from bootstrap.programs import ROOT, Stop, pip, step

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


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of the build tools, beside the folder that stands for the index."""
    monkeypatch.setattr(programs, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(llama, "BUILD_LOCK", tmp_path / "build.lock")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    return tmp_path / "build.lock"


def test_the_source_package_is_built_by_what_the_lock_names(lock: Path, tmp_path: Path) -> None:
    """By whatever pip there is: nothing is fetched for the build but what has its hash."""
    lock.write_text(f"brush==1 --hash=sha256:{tool(tmp_path)}\n")
    ours = tmp_path / "lock"
    ours.write_text(f"painting==1 --hash=sha256:{source(tmp_path)}\n")
    python = Path(sys.executable)
    options = [each for each in llama.FROM_SOURCE if each not in ("--no-binary", "llama-cpp-python")]
    command = [*pip(python, "wheel", "--no-cache-dir"), *options, "-w", tmp_path / "out", "-r", ours]
    with llama.build_tools(python) as tools:
        step("Building", command, **tools)
    assert list((tmp_path / "out").glob("painting-1-*.whl"))


def test_a_build_tool_with_another_hash_ends_the_build(lock: Path, tmp_path: Path) -> None:
    """Before anything of it is run."""
    tool(tmp_path)
    lock.write_text(f"brush==1 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(Stop, match="DO NOT MATCH THE HASHES"), llama.build_tools(Path(sys.executable)):
        pytest.fail("the tools were taken")


def test_files_alone_are_built_without_cmake(lock: Path, tmp_path: Path) -> None:
    """The prebuilt libraries need no compiler, so nobody waits for CMake."""
    lock.write_text(f"cmake==1 --hash=sha256:{'0' * 64}\nbrush==1 --hash=sha256:{tool(tmp_path)}\n")
    with llama.build_tools(Path(sys.executable), without_cmake=True) as tools:
        assert (Path(tools["PYTHONPATH"]) / "brush.py").exists()


def test_the_lock_names_what_the_source_package_asks_for() -> None:
    """The back end, and CMake and Ninja where the computer has none; each with hashes."""
    text = llama.BUILD_LOCK.read_text(encoding="utf-8")
    assert {"scikit-build-core", "cmake", "ninja"} <= set(locked(text))


@pytest.mark.setup
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every Python has its pip")
def test_a_python_without_pip_is_given_one(tmp_path: Path) -> None:
    """As Debian's, with which releases are built: its pip is a package that nothing asks for."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    python = tmp_path / "bare/bin/python"
    assert subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode != 0
    told = subprocess.run(
        [python, "-c", "from bootstrap.programs import python_with_pip; print(python_with_pip())"],
        cwd=ROOT,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    found = told.stdout.strip()
    assert subprocess.run([found, "-m", "pip", "--version"], capture_output=True).returncode == 0
