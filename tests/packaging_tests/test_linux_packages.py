"""The .rpm and the file system of an AppImage, packed by the real programs from a small bundle."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop import __version__
from tests.packaging_tests.conftest import ROOT
from tests.packaging_tests.test_bundle import FROM_PACKAGES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="packages of Linux")


def script() -> Any:
    spec = importlib.util.spec_from_file_location("pack_linux", ROOT / "packaging/linux_packages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def small_bundle(tmp_path: Path) -> Path:
    """A program that says with what it was started."""
    folder = tmp_path / "steward"
    (folder / "_internal").mkdir(parents=True)
    (folder / "steward").write_text('#!/bin/sh\necho "started with $*"\n')
    (folder / "steward").chmod(0o755)
    (folder / "_internal" / "libexample.so.1").write_bytes(b"library")
    return folder


def packed_by(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is missing")


def test_the_rpm_holds_the_bundle_and_what_desktops_look_for(
    small_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files where Fedora has them; asks for libraries of the system, offers none of its own."""
    packed_by("rpmbuild")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    made = script().rpm(small_bundle, tmp_path)
    assert made.name == f"steward-{__version__}-1.x86_64.rpm"
    names = query("-l", made)
    for name in (
        "/usr/bin/steward",
        "/usr/lib/steward/_internal/libexample.so.1",
        "/usr/share/applications/steward.desktop",
        "/usr/share/zsh/site-functions/_steward",
        "/usr/share/man/man1/steward.1.gz",
    ):
        assert name in names, name
    assert "glibc >= 2.36" in query("--requires", made)
    assert not [line for line in query("--provides", made) if ".so" in line]


def test_the_rpm_asks_for_the_libraries_that_the_deb_asks_for(
    small_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their own names; that these are all that a bundle needs is looked at in test_bundle."""
    packed_by("rpmbuild")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    made = script().rpm(small_bundle, tmp_path)
    told = [line for what in ("--requires", "--recommends", "--suggests") for line in query(what, made)]
    asked = {line.partition("(")[0] for line in told}
    needed = {
        name for package, names in FROM_PACKAGES.items() if package != "libc6" for name in names.split()
    }
    assert needed - asked == set()
    assert {name for name in asked if ".so." in name} - needed == set()


def test_the_rpm_is_installed_and_leaves_nothing(
    small_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Into an empty root: the same files as the .deb but for zsh's place; gone with the package."""
    packed_by("rpmbuild")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setenv("HOME", str(tmp_path))
    packing, root = script(), tmp_path / "root"
    made = packing.rpm(small_bundle, tmp_path)
    (root / "var/lib/rpm").mkdir(parents=True)
    rpm = ["rpm", "--root", str(root), "--dbpath", "/var/lib/rpm", "--nodeps"]
    subprocess.run([*rpm, "--force-debian", "-i", made], check=True)
    wanted = packing.tree(small_bundle, tmp_path / "tree") / "usr"
    moved = {"share/zsh/vendor-completions/_steward": "share/zsh/site-functions/_steward"}
    names = {path.relative_to(wanted).as_posix() for path in wanted.rglob("*") if not path.is_dir()}
    assert names_in(root / "usr") == {moved.get(name, name) for name in names}
    subprocess.run([*rpm, "-e", "steward"], check=True)
    assert names_in(root / "usr") == set()
    assert not (root / "usr/lib/steward").exists()
    assert query("--scripts", made) == []


def names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def query(what: str, package: Path) -> list[str]:
    done = subprocess.run(["rpm", "-qp", what, package], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_folder_of_an_appimage_starts_from_anywhere(small_bundle: Path, tmp_path: Path) -> None:
    """As its runtime does it: AppRun with the arguments, in a folder that nobody knows before."""
    folder = script().app_folder(small_bundle, tmp_path / "mounted here")
    done = subprocess.run([folder / "AppRun", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == "started with --version\n"
    assert (folder / "steward.desktop").exists()
    assert (folder / ".DirIcon").resolve().name == "steward.png"


def test_an_appimage_is_the_runtime_and_the_files(
    small_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file that can be started; the same bundle gives the same bytes."""
    packed_by("mksquashfs")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    runtime = tmp_path / "runtime"
    runtime.write_bytes(b"\x7fELF runtime")
    made = script().appimage(small_bundle, tmp_path, runtime)
    content = made.read_bytes()
    assert content.startswith(b"\x7fELF runtimehsqs")
    assert made.stat().st_mode & 0o111
    told = content.index(b"hsqs") + 8  # the time in seconds, behind that word and a count
    assert int.from_bytes(content[told : told + 4], "little") == 1_700_000_000
    assert script().appimage(small_bundle, tmp_path, runtime).read_bytes() == content
    listed = subprocess.run(
        ["unsquashfs", "-o", str(runtime.stat().st_size), "-l", made],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "squashfs-root/usr/lib/steward/steward" in listed.stdout
