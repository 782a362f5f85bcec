"""The .deb: what it is made of, and one that is really packed."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path

import pytest

from bootstrap.package import deb
from desktop.agents.install import Installer
from desktop.agents.settings_file import Computer as Home
from desktop.agents.settings_file import HookClient
from desktop.agents.tokens import Tokens
from desktop.paths import Paths
from desktop.settings import HookSettings

needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is missing")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    folder = tmp_path / "steward"
    folder.mkdir()
    (folder / "steward").write_text("#!/bin/sh\necho small\n")
    (folder / "steward").chmod(0o755)
    (folder / "data").write_text("data")
    (folder / "link").symlink_to("data")
    return folder


def test_the_tree_has_what_a_desktop_looks_for(small: Path, tmp_path: Path) -> None:
    """Program and command, menu entry, icons in all sizes, man page, completions, copyright."""
    root = tmp_path / "root"
    deb.lay_out(root, small, "1.2.3")
    assert (root / "usr/bin/steward").resolve() == root / "usr/lib/steward/steward"
    assert (root / "usr/lib/steward/link").readlink() == Path("data")
    assert all((root / place).is_file() for place in deb.PLACES.values())
    sizes = {path.parent.parent.name for path in root.glob("usr/share/icons/hicolor/*/apps/steward.*")}
    assert sizes == {"scalable", *(f"{n}x{n}" for n in (16, 22, 24, 32, 48, 64, 128, 256, 512))}
    assert b"steward" in gzip.decompress((root / "usr/share/man/man1/steward.1.gz").read_bytes())
    assert "Version: 1.2.3\n" in (root / "DEBIAN/control").read_text()


def test_nothing_of_the_package_starts_by_itself() -> None:
    """No autostart entry, no service; the scripts of the installation start nothing of Steward."""
    places = " ".join(deb.PLACES.values())
    assert "autostart" not in places
    assert "systemd" not in places
    for name in deb.SCRIPTS:
        text = (deb.PARTS / name).read_text(encoding="utf-8")
        assert not re.search(r"usr/(bin|lib)/steward/?(steward)?(\s|$)|systemctl|update-rc", text), name
    others = {"AppRun", "flatpak", "steward.rpm.spec"}  # of other packages
    assert {path.name for path in deb.PARTS.iterdir()} - others == {
        *deb.PLACES,
        *deb.SCRIPTS,
        "control",
        "icons",
        "steward.1",
    }


@dataclass(frozen=True)
class Computer:
    """A root for the package's scripts, with programs of AppArmor's that write down how they were called."""

    root: Path

    @classmethod
    def under(cls, root: Path, knows_rule: bool, has_apparmor: bool = True) -> Computer:
        profile = root / "usr/lib/steward/_internal/resources/apparmor/steward-confine"
        (root / "etc/apparmor.d").mkdir(parents=True)
        (root / "bin").mkdir()
        profile.parent.mkdir(parents=True)
        shutil.copyfile(deb.ROOT / "resources/apparmor/steward-confine", profile)
        parser = f'echo "$1" >> {root}/calls\n[ "$1" != --skip-kernel-load ] || exit {int(not knows_rule)}\n'
        for name, text in {"apparmor_parser": parser, "aa-enabled": ""}.items() if has_apparmor else ():
            (root / "bin" / name).write_text(f"#!/bin/sh\n{text}")
            (root / "bin" / name).chmod(0o755)
        return cls(root)

    @property
    def profile(self) -> Path:
        return self.root / "etc/apparmor.d/steward-confine"

    def calls(self) -> list[str]:
        return (self.root / "calls").read_text().split() if (self.root / "calls").exists() else []

    def run(self, script: str, word: str) -> str:
        """What it says to whoever installs or removes the package."""
        text = (deb.PARTS / script).read_text(encoding="utf-8")
        text = text.replace("/usr/lib/", f"{self.root}/usr/lib/").replace("/etc/", f"{self.root}/etc/")
        environment = {"PATH": f"{self.root}/bin:/usr/bin:/bin"}
        command = ["/bin/sh", "-c", text, script, word]
        done = subprocess.run(
            command, env=environment, stderr=subprocess.PIPE, text=True, check=True, timeout=30
        )
        return done.stderr


def test_apparmor_is_told_of_the_client_and_nothing_stays(tmp_path: Path) -> None:
    """Loaded at installation, unloaded and gone with the package, also where it is purged later."""
    computer = Computer.under(tmp_path, knows_rule=True)
    computer.run("postinst", "configure")
    assert "flags=(unconfined)" in computer.profile.read_text()
    computer.run("postinst", "configure")  # an update
    computer.run("postrm", "upgrade")
    assert computer.profile.exists()
    computer.run("postrm", "remove")
    computer.run("postrm", "purge")
    assert not computer.profile.exists()
    assert computer.calls() == [*["--skip-kernel-load", "--replace"] * 2, "--remove"]


@pytest.mark.parametrize("has_apparmor", [True, False])
def test_an_apparmor_that_lacks_the_rule_is_left_alone(tmp_path: Path, has_apparmor: bool) -> None:
    """A file that it cannot read would break its start at every boot."""
    computer = Computer.under(tmp_path, knows_rule=False, has_apparmor=has_apparmor)
    computer.run("postinst", "configure")
    computer.run("postrm", "remove")
    assert not computer.profile.exists()
    assert computer.calls() == ["--skip-kernel-load"] * has_apparmor


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Computer, list[Path]]:
    """Three users on a computer with the package."""
    computer = Computer.under(tmp_path, knows_rule=False)
    homes = [tmp_path / "home" / name for name in ("ann", "bob b", "nobody")]
    for home in homes[:2]:
        home.mkdir(parents=True)
    users = "".join(f"{home.name}:x:1:1::{home}:/bin/sh\n" for home in (*homes, homes[0]))
    (tmp_path / "bin/getent").write_text(f"#!/bin/sh\nprintf '%s' '{users}'\n")
    (tmp_path / "bin/getent").chmod(0o755)
    return computer, homes


def test_whoever_removes_the_package_hears_which_hooks_are_left(homes: tuple[Computer, list[Path]]) -> None:
    """Of every user and every agent, by the files; nothing is said where there is none, and at an update."""
    computer, (ann, bob, _) = homes
    client = HookClient((f"{computer.root}/usr/lib/steward/_internal/resources/hook_client/steward-hook",))
    assert computer.run("prerm", "remove") == ""
    left = []
    for home in (ann, bob):
        paths = Paths.under(home / "profile")
        installer = Installer(paths, Tokens(paths), HookSettings(), Home(home), client)
        for place in installer.places:
            installer.install(place.agent)
            left.append(place.file)
    assert len(left) > 10
    assert computer.run("prerm", "upgrade") == ""
    said = computer.run("prerm", "remove").splitlines()
    assert sorted(line.strip() for line in said if line.startswith("    ")) == sorted(map(str, left))
    assert "steward agents uninstall" in said[-1]


def test_what_users_put_there_stops_no_removal(homes: tuple[Computer, list[Path]]) -> None:
    """A pipe, a folder, a link to somebody else's file, one that cannot be read."""
    computer, (ann, bob, _) = homes
    client = f"{computer.root}/usr/lib/steward/_internal/resources/hook_client/steward-hook"
    for name in (".claude", ".codex", ".gemini", ".cursor"):
        (ann / name).mkdir()
    os.mkfifo(ann / ".claude/settings.json")
    (ann / ".codex/hooks.json").mkdir()
    (bob / "his").write_text(client)
    (ann / ".gemini/settings.json").symlink_to(bob / "his")
    (ann / ".cursor/hooks.json").symlink_to("hooks.json")
    assert computer.run("prerm", "remove") == ""


def test_the_profile_names_where_the_package_puts_the_client(small: Path, tmp_path: Path) -> None:
    """And the scripts come along, to be run by dpkg."""
    root = tmp_path / "root"
    client = small / "_internal/resources/hook_client/steward-confine"
    client.parent.mkdir(parents=True)
    client.touch()
    deb.lay_out(root, small, "1.2.3")
    profile = (deb.ROOT / "resources/apparmor/steward-confine").read_text(encoding="utf-8")
    (place,) = re.findall(r"^profile steward-confine /(\S+) ", profile, re.MULTILINE)
    assert (root / place).is_file()
    assert all((root / "DEBIAN" / name).stat().st_mode & 0o777 == 0o755 for name in deb.SCRIPTS)


def test_the_menu_entry_starts_the_command() -> None:
    """And its name is the one that windows and the portal are told."""
    entry = ConfigParser(interpolation=None)
    entry.read(deb.PARTS / "steward.desktop", encoding="utf-8")
    assert entry["Desktop Entry"]["Exec"] == "steward"
    assert entry["Desktop Entry"]["Icon"] == "steward"
    metadata = ElementTree.parse(deb.PARTS / "steward.metainfo.xml")
    assert metadata.findtext("launchable") == "steward.desktop"


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="appstreamcli is missing")
def test_appstream_finds_nothing_wrong() -> None:
    """What software centres show passes their own checker."""
    command = ["appstreamcli", "validate", "--no-net", str(deb.PARTS / "steward.metainfo.xml")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_the_man_page_has_every_command() -> None:
    """Each verb of the command line stands in it; completions are compared in test_completions."""
    from typer.main import get_command

    from desktop.cli import app

    commands = get_command(app).commands  # type: ignore[attr-defined] # a group
    verbs = {name for name, each in commands.items() if not each.hidden}
    text = (deb.PARTS / "steward.1").read_text(encoding="utf-8")
    told = set(re.findall(r"^\.B (\S+)", text, re.MULTILINE))
    assert verbs - {"hook"} - told == set()


@pytest.mark.parametrize(
    "command",
    [["mandoc", "-T", "lint", "-W", "warning", "steward.1"], ["desktop-file-validate", "steward.desktop"]],
)
def test_the_checkers_of_man_page_and_menu_entry_find_nothing(command: list[str]) -> None:
    """What desktops and terminals read passes their own tools."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is missing")
    done = subprocess.run(command, cwd=deb.PARTS, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


@needs_dpkg
def test_the_same_bundle_gives_the_same_bytes(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed twice, by whoever builds: same file, everything owned by root."""
    monkeypatch.setattr(deb, "ROOT", _sources(tmp_path))
    monkeypatch.setattr("bootstrap.programs.cache_folder", lambda: tmp_path / "cache")  # its log, not ours
    first = deb.build(small, tmp_path, "1.2.3", 1_700_000_000).read_bytes()
    package = deb.build(small, tmp_path, "1.2.3", 1_700_000_000)
    assert package.read_bytes() == first
    listing = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, text=True, check=True).stdout
    assert all(" root/root " in line for line in listing.splitlines())
    assert "./usr/lib/steward/steward" in deb.installed_files(package)


@needs_dpkg
def test_one_that_was_broken_off_is_no_package(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release takes what is called .deb: half of one must not be."""
    monkeypatch.setattr(deb, "ROOT", _sources(tmp_path))

    def broken_off(_title: str, command: list[Path], **_environment: str) -> None:
        command[-1].write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(deb, "step", broken_off)
    with pytest.raises(KeyboardInterrupt):
        deb.build(small, tmp_path, "1.2.3", 1_700_000_000)
    assert not list(tmp_path.glob("*.deb"))


def _sources(folder: Path) -> Path:
    """A tree with what the package takes from the repository, so that its own build folder stays alone."""
    for name in ("CHANGELOG.md", "resources/icons/app.svg"):
        target = folder / "tree" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(deb.ROOT / name, target)
    return folder / "tree"
