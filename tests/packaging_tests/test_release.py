"""What a release consists of: sums, the file that the update check reads, the workflow that builds it."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop import __version__
from desktop.errors import UserFacing
from desktop.network import Network
from desktop.paths import Paths
from desktop.settings import NetworkSettings
from desktop.system.updates import PublicKey, Release, Source, Updates, _release
from tests.models.file_server import FileServer, Resource
from tests.packaging_tests.conftest import ROOT

URL = "https://example.org/steward/v9.9.9"
PAGE = "https://example.org/steward/tag/v9.9.9"


def script(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"pack_{Path(name).stem}", ROOT / name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "steward_9.9.9_amd64.deb").write_bytes(b"deb")
    (folder / "Steward-9.9.9-x86_64.AppImage").write_bytes(b"appimage")
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="checks with sha256sum")
def test_the_sums_are_what_sha256sum_checks(packages: Path) -> None:
    """Every package, and no signature or list among them."""
    (packages / "release.json.minisig").write_text("signature")
    made = script("packaging/release.py").sums(packages)
    done = subprocess.run(["sha256sum", "-c", made.name], cwd=packages, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert len(done.stdout.splitlines()) == 2


def test_the_release_file_is_what_the_update_check_reads(packages: Path) -> None:
    """Written and read by different programs: they mean the same."""
    made = script("packaging/release.py").release_file(packages, "9.9.9", URL, PAGE)
    release = _release(made.read_bytes())
    assert (release.version, release.page, release.is_newer) == ("9.9.9", PAGE, True)
    files = json.loads(made.read_text(encoding="utf-8"))["files"]
    assert files["steward_9.9.9_amd64.deb"]["sha256"] == hashlib.sha256(b"deb").hexdigest()
    assert files["steward_9.9.9_amd64.deb"]["url"] == f"{URL}/steward_9.9.9_amd64.deb"


@pytest.mark.skipif(shutil.which("minisign") is None, reason="minisign is missing")
@pytest.mark.parametrize(("version", "is_newer"), [("9.9.9", True), (__version__, False), ("0.0.1", False)])
def test_what_the_script_signs_the_program_believes(
    version: str,
    is_newer: bool,
    packages: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    paths: Paths,
) -> None:
    """A key pair as the manual has it, a real server, the question for updates; nothing else is fetched."""
    key, public = key_pair(tmp_path / "right")
    out = released(packages, tmp_path, monkeypatch, version, key)
    with FileServer() as server:
        offer(server, out)
        found = asking(server, public, paths)
        assert (found.version, found.page, found.is_newer) == (version, PAGE, is_newer)
        assert {request.path for request in server.requests} == {"/release.json", "/release.json.minisig"}


@pytest.mark.skipif(shutil.which("minisign") is None, reason="minisign is missing")
def test_what_somebody_else_signed_is_refused(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: Paths
) -> None:
    """In words that say where it came from and that nothing was changed."""
    key, _ = key_pair(tmp_path / "wrong")
    _, public = key_pair(tmp_path / "right")
    out = released(packages, tmp_path, monkeypatch, "9.9.9", key)
    with FileServer() as server:
        offer(server, out)
        with pytest.raises(UserFacing) as refused:
            asking(server, public, paths)
    assert refused.value.code == "update-untrusted"
    assert "release.json" in refused.value.cause
    assert refused.value.not_lost == "Nothing was downloaded or changed."


def key_pair(folder: Path) -> tuple[Path, str]:
    """The secret key's file, and the line that goes into resources/release.toml."""
    folder.mkdir()
    secret, public = folder / "steward.key", folder / "steward.pub"
    command = ["minisign", "-G", "-W", "-s", secret, "-p", public]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return secret, public.read_text(encoding="utf-8").splitlines()[1]


def released(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, key: Path
) -> Path:
    """What the script makes of the packages of all systems."""
    release, out = script("packaging/release.py"), tmp_path / "out"
    monkeypatch.setattr(release, "OUT", out)
    monkeypatch.setattr("bootstrap.package.build.version", lambda: version)
    words = ["--collect", str(packages), "--url", URL, "--page", PAGE, "--sign-key", str(key)]
    monkeypatch.setattr(sys, "argv", ["release.py", *words])
    assert release.main() == 0
    return out


def offer(server: FileServer, out: Path) -> None:
    for name in ("release.json", "release.json.minisig"):
        server.resources[f"/{name}"] = Resource((out / name).read_bytes())


def asking(server: FileServer, public: str, paths: Paths) -> Release:
    network = Network(lambda: NetworkSettings(proxy=""))
    try:
        source = Source(f"{server.url}/release.json", (PublicKey.read(public),))
        return Updates(network, source, paths, lambda: True).look()
    finally:
        network.close()


def test_packages_of_all_systems_are_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each was built on a computer of its own; two different files of one name are an error."""
    release = script("packaging/release.py")
    monkeypatch.setattr(release, "OUT", tmp_path / "out")
    (tmp_path / "out").mkdir()
    parts = tmp_path / "parts"
    for system, name in (("linux", "a.deb"), ("windows", "b.exe"), ("linux", "SHA256SUMS")):
        (parts / system).mkdir(parents=True, exist_ok=True)
        (parts / system / name).write_text(name)
    release.collect(parts)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"a.deb", "b.exe"}
    (parts / "windows" / "a.deb").write_text("another")
    with pytest.raises(release.ReleaseFailed, match=r"two different files are called a\.deb"):
        release.collect(parts)


def test_packages_with_a_back_end_say_so_in_their_names(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual ones have the plain names, and winget's manifests are of those: no two files meet."""
    release = script("packaging/release.py")
    monkeypatch.setattr(release, "OUT", packages)
    (packages / "winget").mkdir()
    (packages / "winget" / "Steward.Steward.yaml").write_text("version")
    release.name_kind("vulkan")
    assert {path.name for path in packages.iterdir()} == {
        "steward_9.9.9_amd64-vulkan.deb",
        "Steward-9.9.9-x86_64-vulkan.AppImage",
    }


def test_macos_is_told_of_a_program_without_a_dock_icon() -> None:
    """The settings can be written as a property list, with the version of the program."""
    settings = script("installers/macos/bundle_settings.py").info_plist()
    told = plistlib.loads(plistlib.dumps(settings))
    assert told["LSUIElement"] is True
    assert told["CFBundleShortVersionString"] == __version__
    rights = plistlib.loads((ROOT / "installers/macos/entitlements.plist").read_bytes())
    assert all(value is True for value in rights.values())


def test_the_cask_is_of_this_version() -> None:
    words = (ROOT / "installers/macos/steward.rb").read_text(encoding="utf-8")
    assert f'version "{__version__}"' in words


def test_the_workflow_names_no_key_and_pins_what_it_uses() -> None:
    """Keys are secrets of the repository; an action is named by its commit, which nobody can move."""
    words = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    uses = re.findall(r"uses: (\S+)", words)
    assert uses
    assert [name for name in uses if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []
    assert "attest-build-provenance" in words
    assert "packaging/release.py" in words
    assert not re.search(r"BEGIN [A-Z ]*PRIVATE KEY|minisign encrypted", words)
