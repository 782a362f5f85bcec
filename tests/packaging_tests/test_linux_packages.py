"""The .rpm and the file system of an AppImage, packed by the real programs from a small bundle."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop import __version__
from tests.packaging_tests.conftest import ROOT
from tests.packaging_tests.test_bundle import FROM_PACKAGES

RUNTIME = b"\x7fELF\x02\x01\x01\0AI\x02 runtime"  # what the type 2 runtime begins with

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
    assert "glibc >= 2.35" in query("--requires", made)
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
    runtime.write_bytes(RUNTIME)
    made = script().appimage(small_bundle, tmp_path, runtime)
    content = made.read_bytes()
    assert content.startswith(RUNTIME + b"hsqs")
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


def test_a_file_that_is_no_runtime_is_refused(small_bundle: Path, tmp_path: Path) -> None:
    """An error page that was saved under its name would make an AppImage that nobody can start."""
    packed_by("mksquashfs")
    (tmp_path / "runtime").write_text("<html>Not found</html>")
    packing = script()
    with pytest.raises(packing.PackingFailed, match="no type 2 runtime"):
        packing.appimage(small_bundle, tmp_path, tmp_path / "runtime")
    assert not list(tmp_path.glob("*.AppImage"))


def test_the_commands_of_the_flatpak_fill_its_folder(small_bundle: Path, tmp_path: Path) -> None:
    """Run as flatpak-builder runs them but for the sandbox: files have the names that Flatpak exports."""
    packed_by("flatpak-builder")
    packed_by("desktop-file-edit")
    told = subprocess.run(
        [
            "flatpak-builder",
            "--show-manifest",
            ROOT / "installers/linux/flatpak/io.github.steward.desktop.yml",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,  # where it keeps a folder of its own
    )
    (module,) = json.loads(told.stdout)["modules"]
    tree, app = script().tree(small_bundle, tmp_path / "tree"), tmp_path / "app"
    app.mkdir()
    for command in module["build-commands"]:
        subprocess.run(["sh", "-ec", command.replace("/app/", f"{app}/")], cwd=tree, check=True)
    name = "io.github.steward.desktop"
    assert (app / "bin/steward").resolve() == app / "lib/steward/steward"
    entry = (app / f"share/applications/{name}.desktop").read_text(encoding="utf-8")
    assert f"Icon={name}\n" in entry
    assert f">{name}.desktop<" in (app / f"share/metainfo/{name}.metainfo.xml").read_text(encoding="utf-8")
    icons = {path.name for path in app.glob("share/icons/hicolor/*/apps/*")}
    assert icons == {f"{name}.png", f"{name}.svg"}


# The oldest system that the packages promise has these; a library built elsewhere may ask for newer ones.
PROMISED = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30)}


@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is missing")
def test_a_bundle_asks_for_no_newer_system_than_its_packages_say(
    bundle: Path, manifest: dict[str, Any]
) -> None:
    """Who builds on something newer than Debian 12 makes packages that can be installed and do not start."""
    files = [bundle / name for name in manifest["files"] if ".so" in name or name == "steward"]
    told = subprocess.run(["objdump", "-p", *files], capture_output=True, text=True, check=True).stdout
    for word, promised in PROMISED.items():
        found = re.findall(rf" {word}_([\d.]+)\n", told)
        assert max(tuple(map(int, version.split("."))) for version in found) <= promised
    spec = (ROOT / "installers/linux/steward.rpm.spec").read_text(encoding="utf-8")
    assert "glibc >= 2.35, libstdc++.so.6(GLIBCXX_3.4.30)" in spec
    assert "libc6 (>= 2.35)" in (ROOT / "installers/linux/control").read_text(encoding="utf-8")
