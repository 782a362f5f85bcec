"""The installer for Windows: compiled here with makensis and, where Wine is, installed and removed."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pip
import pytest

from desktop import __version__
from tests.packaging_tests.conftest import ROOT

KEY = r"Software\Microsoft\Windows\CurrentVersion\Uninstall\Steward"
# A real program for Windows, from pip: the installer carries it, nothing here runs it on purpose.
PROGRAM = Path(pip.__file__).parent / "_vendor" / "distlib" / "t64.exe"


def script() -> Any:
    spec = importlib.util.spec_from_file_location("pack_windows", ROOT / "packaging/windows_installer.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def windows_bundle(tmp_path: Path) -> Path:
    """The files that the installer asks for, and one with a name that is not ASCII."""
    folder = tmp_path / "steward"
    (folder / "_internal" / "resources").mkdir(parents=True)
    for name in ("steward.exe", "steward-cli.exe"):
        shutil.copyfile(PROGRAM, folder / name)
    (folder / "THIRD_PARTY_LICENSES").write_text("texts")
    (folder / "_internal" / "resources" / "Grüße.txt").write_text("hello")
    return folder


@pytest.fixture
def setup(windows_bundle: Path, tmp_path: Path) -> Path:
    if shutil.which("makensis") is None:
        pytest.skip("makensis is missing")
    return Path(script().installer(windows_bundle, tmp_path, __version__))


def test_the_script_compiles_to_a_program_for_windows(setup: Path) -> None:
    """Of 64 bits, as the program that it installs."""
    content = setup.read_bytes()
    header = struct.unpack_from("<I", content, 0x3C)[0]
    assert content[header : header + 4] == b"PE\0\0"
    assert struct.unpack_from("<H", content, header + 4)[0] == 0x8664
    assert setup.name == f"steward-{__version__}-windows-x86_64-setup.exe"


def test_a_folder_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    """A bundle for Linux, say."""
    if shutil.which("makensis") is None:
        pytest.skip("makensis is missing")
    with pytest.raises(Exception, match="no bundle for Windows"):
        script().installer(tmp_path, tmp_path, __version__)


def test_the_icon_holds_every_size() -> None:
    """As Windows reads it: a table of pictures, each a PNG at its place."""
    content = script().icon(ROOT / "installers/linux/icons")
    count = struct.unpack_from("<HHH", content)[2]
    rows = [struct.unpack_from("<BBBBHHII", content, 6 + 16 * number) for number in range(count)]
    assert {row[0] or 256 for row in rows} >= {16, 32, 48, 256}
    assert all(content[row[7] : row[7] + 4] == b"\x89PNG" for row in rows)


def test_the_portable_zip_is_marked_and_reproducible(windows_bundle: Path, tmp_path: Path) -> None:
    """With the marker that keeps everything beside the program."""
    made = script().portable_zip(windows_bundle, tmp_path, __version__, 1_700_000_000)
    first = made.read_bytes()
    assert first == script().portable_zip(windows_bundle, tmp_path, __version__, 1_700_000_000).read_bytes()
    with zipfile.ZipFile(made) as packed:
        assert {"steward/portable", "steward/steward.exe"} <= set(packed.namelist())


@pytest.fixture
def wine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A Windows of its own; ends with its server."""
    if shutil.which("wine") is None or os.environ.get("STEWARD_WINE") == "no":
        pytest.skip("Wine is missing")
    monkeypatch.setenv("WINEPREFIX", str(tmp_path / "wine"))
    monkeypatch.setenv("WINEDEBUG", "-all")
    monkeypatch.setenv("WINEDLLOVERRIDES", "mscoree=;mshtml=")  # asks for no downloads
    monkeypatch.delenv("DISPLAY", raising=False)
    yield tmp_path / "wine" / "drive_c"
    subprocess.run(["wine", "wineboot", "-k"], capture_output=True, timeout=60)
    subprocess.run([server(), "-w"], capture_output=True, timeout=60)


def server() -> str:
    return shutil.which("wineserver") or "/usr/lib/wine/wineserver"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(["wine", *words], capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    return done


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("switches", "hive", "place"),
    [
        ((), "HKCU", "users/*/AppData/Local/Programs/Steward"),
        (("/ALLUSERS",), "HKLM", "Program Files/Steward"),
    ],
)
def test_installed_and_removed_without_a_window(
    setup: Path, wine: Path, switches: tuple[str, ...], hive: str, place: str
) -> None:
    """For one user without an administrator, or for all; the list of programs knows how to remove it."""
    run(str(setup), "/S", *switches)
    (folder,) = wine.glob(place)
    assert {"steward.exe", "steward-cli.exe", "Grüße.txt", "uninstall.exe"} <= names(folder)
    told = run("reg", "query", rf"{hive}\{KEY}").stdout
    assert __version__ in told
    assert "QuietUninstallString" in told
    assert "Steward.lnk" in names(wine)
    (folder / "letter.txt").write_text("the user's own")
    # As the list of programs does it; `_?=` keeps it from going on in a copy of itself.
    windows = "C:\\" + str(folder.relative_to(wine)).replace("/", "\\")
    run(str(folder / "uninstall.exe"), "/S", f"_?={windows}")
    assert names(folder) <= {"letter.txt", "uninstall.exe"}
    assert "Steward.lnk" not in names(wine)
    gone = subprocess.run(["wine", "reg", "query", rf"{hive}\{KEY}"], capture_output=True, timeout=60)
    assert gone.returncode != 0


def test_the_manifests_of_winget_name_the_very_file(tmp_path: Path) -> None:
    """One file for one user and, with a switch, for all; nothing is left to be filled in."""
    setup = tmp_path / "steward-0.1.0-windows-x86_64-setup.exe"
    setup.write_bytes(b"MZ")
    made = script().winget(setup, tmp_path, "0.1.0", "https://example.org/v0.1.0/")
    told = {path.name: path.read_text(encoding="utf-8") for path in made}
    assert len(told) == 3
    assert not [name for name, words in told.items() if "{" in words]
    assert all("PackageVersion: 0.1.0\n" in words for words in told.values())
    installers = told["Steward.Steward.installer.yaml"]
    assert re.findall(r"Scope: (\w+)", installers) == ["user", "machine"]
    assert installers.count(hashlib.sha256(b"MZ").hexdigest().upper()) == 2
    assert installers.count(f"https://example.org/v0.1.0/{setup.name}") == 2
