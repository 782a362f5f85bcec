"""The .deb: the bundle below /usr/lib/steward, and what desktops and terminals want to find elsewhere."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from pathlib import Path

from bootstrap.programs import ROOT, step

PARTS = ROOT / "installers" / "linux"
DPKG_DEB = "/usr/bin/dpkg-deb"
ARCHITECTURE = "amd64"
# What AppArmor is told of the confining client, and that again taken back; which hooks are left.
SCRIPTS = ("postinst", "prerm", "postrm")
# Where each file of installers/linux goes.
PLACES = {
    "steward.desktop": "usr/share/applications/steward.desktop",
    "steward.metainfo.xml": "usr/share/metainfo/io.github.steward.desktop.metainfo.xml",
    "steward.bash": "usr/share/bash-completion/completions/steward",
    "_steward": "usr/share/zsh/vendor-completions/_steward",
    "steward.fish": "usr/share/fish/vendor_completions.d/steward.fish",
    "copyright": "usr/share/doc/steward/copyright",
}


def build(bundle: Path, out: Path, version: str, epoch_s: int) -> Path:
    """Returns the file. The same bundle and time give the same bytes."""
    root = ROOT / "build" / "deb"
    shutil.rmtree(root, ignore_errors=True)
    lay_out(root, bundle, version)
    _set_times(root, epoch_s)
    made = out / f"steward_{version}_{ARCHITECTURE}.deb"
    draft = made.with_suffix(".part")  # one that was broken off is no package, and nobody takes it for one
    # The eleven back ends for processors are much alike, and a window of 64 MB sees all of them.
    command: list[str | Path] = [DPKG_DEB, "--root-owner-group", "-Zxz", "-z9", "--build", root, draft]
    step("Packing the .deb", command, SOURCE_DATE_EPOCH=str(epoch_s))
    os.replace(draft, made)
    return made


def lay_out(root: Path, bundle: Path, version: str) -> None:
    """The tree that dpkg-deb packs."""
    shutil.copytree(bundle, root / "usr/lib/steward", symlinks=True)
    (root / "usr/bin").mkdir()
    (root / "usr/bin/steward").symlink_to("../lib/steward/steward")
    for name, place in PLACES.items():
        _put(root / place, (PARTS / name).read_bytes())
    _put(
        root / "usr/share/icons/hicolor/scalable/apps/steward.svg",
        (ROOT / "resources/icons/app.svg").read_bytes(),
    )
    for size, picture in _icons().items():
        _put(root / f"usr/share/icons/hicolor/{size}x{size}/apps/steward.png", picture)
    _put(root / "usr/share/man/man1/steward.1.gz", _gzip((PARTS / "steward.1").read_bytes()))
    _put(root / "usr/share/doc/steward/changelog.gz", _gzip((ROOT / "CHANGELOG.md").read_bytes()))
    size_kib = sum(path.lstat().st_size for path in root.rglob("*") if path.is_file()) // 1024
    control = (PARTS / "control").read_text(encoding="utf-8")
    _put(root / "DEBIAN/control", control.format(version=version, size=size_kib).encode())
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    for name in SCRIPTS:
        _put(root / "DEBIAN" / name, (PARTS / name).read_bytes())
        (root / "DEBIAN" / name).chmod(0o755)


def _icons() -> dict[int, bytes]:
    """The pictures of installers/linux/icons, by their width in pixels."""
    return {int(path.stem): path.read_bytes() for path in sorted((PARTS / "icons").glob("*.png"))}


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def _set_times(root: Path, epoch_s: int) -> None:
    for path in (root, *root.rglob("*")):
        os.utime(path, (epoch_s, epoch_s), follow_symlinks=False)


def installed_files(package: Path) -> list[str]:
    """What the package would put on a computer."""
    done = subprocess.run([DPKG_DEB, "-c", package], capture_output=True, text=True, check=True)
    return [line.split(None, 5)[5] for line in done.stdout.splitlines()]
