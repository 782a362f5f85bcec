#!/usr/bin/env python3
"""Pack a bundle for Linux beyond the .deb.

  python3 packaging/linux_packages.py rpm BUNDLE [--out DIR]                        with rpmbuild
  python3 packaging/linux_packages.py appimage BUNDLE [--out DIR] [--runtime FILE]   with mksquashfs
  python3 packaging/linux_packages.py tree BUNDLE [--out DIR]                       the files, for Flatpak

FILE is the type 2 runtime of AppImage for this processor (github.com/AppImage/type2-runtime), which mounts
what follows it. Without it only the file system is made. SOURCE_DATE_EPOCH sets all times.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bootstrap.package import deb  # noqa: E402 - a script that is started by its path
from bootstrap.package.build import epoch_s, version  # noqa: E402

PARTS = ROOT / "installers" / "linux"
MAGIC = b"AI\x02"  # docs.appimage.org, the specification of type 2: at byte 8


class PackingFailed(Exception):
    """What was missing, or what the packer said."""


def tree(bundle: Path, folder: Path) -> Path:
    """The files as a package puts them on a computer, without Debian's own."""
    deb.lay_out(folder, bundle, version())
    shutil.rmtree(folder / "DEBIAN")
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (epoch_s(), epoch_s()), follow_symlinks=False)
    return folder


def rpm(bundle: Path, out: Path) -> Path:
    """Raises PackingFailed."""
    rpmbuild = _needed("rpmbuild", "rpm")
    with tempfile.TemporaryDirectory() as name:
        root = tree(bundle, Path(name) / "tree")
        defined = {
            "_topdir": f"{name}/rpm",
            "_rpmdir": f"{name}/made",
            "steward_root": root,
            "steward_version": version(),
            "_buildhost": "steward",
            "_binary_payload": "w19T2.zstdio",
            "use_source_date_epoch_as_buildtime": 1,
        }
        words = [word for key, value in defined.items() for word in ("--define", f"{key} {value}")]
        _run([rpmbuild, "-bb", *words, str(PARTS / "steward.rpm.spec")])
        (made,) = (Path(name) / "made").rglob("*.rpm")
        return Path(shutil.copy(made, out / made.name))


def appimage(bundle: Path, out: Path, runtime: Path | None) -> Path:
    """Raises PackingFailed."""
    if runtime is not None and runtime.read_bytes()[8:11] != MAGIC:
        raise PackingFailed(f"{runtime} is no type 2 runtime of AppImage.")
    mksquashfs = _needed("mksquashfs", "squashfs-tools")
    with tempfile.TemporaryDirectory() as name:
        folder = app_folder(bundle, Path(name) / "AppDir")
        packed = Path(name) / "packed"
        words = ["-noappend", "-root-owned", "-comp", "zstd", "-Xcompression-level", "19", "-quiet"]
        _run([mksquashfs, str(folder), str(packed), *words, "-no-progress"])
        if runtime is None:
            return Path(shutil.copy(packed, out / f"Steward-{version()}-x86_64.squashfs"))
        made = out / f"Steward-{version()}-x86_64.AppImage"
        made.write_bytes(runtime.read_bytes() + packed.read_bytes())
        made.chmod(0o755)
        return made


def app_folder(bundle: Path, folder: Path) -> Path:
    """An AppDir: the tree, and what starts, names and pictures it at its top."""
    tree(bundle, folder)
    shutil.copy(PARTS / "AppRun", folder / "AppRun")
    shutil.copy(PARTS / "steward.desktop", folder / "steward.desktop")
    shutil.copy(PARTS / "icons" / "256.png", folder / "steward.png")
    (folder / ".DirIcon").symlink_to("steward.png")
    return folder


def _needed(program: str, package: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise PackingFailed(f"{program} is missing. Install it with: sudo apt-get install {package}")
    return found


def _run(command: list[str]) -> None:
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch_s())}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PackingFailed(f"{command[0]}: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Pack a bundle for Linux beyond the .deb.")
    parser.add_argument("kind", choices=("rpm", "appimage", "tree"))
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--runtime", type=Path, help="the runtime that an AppImage begins with")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    try:
        if asked.kind == "rpm":
            made = rpm(asked.bundle, asked.out)
        elif asked.kind == "appimage":
            made = appimage(asked.bundle, asked.out, asked.runtime)
        else:
            made = tree(asked.bundle, asked.out / "tree")
    except PackingFailed as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{made}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
