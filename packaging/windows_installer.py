#!/usr/bin/env python3
"""Pack a bundle for Windows: the installer and the portable zip. Runs on any system that has makensis.

  python3 packaging/windows_installer.py BUNDLE --version 0.1.0 --out dist [--sign COMMAND] [--url ADDRESS]

BUNDLE is the folder `steward` that `dev.py package cpu` made on Windows. COMMAND signs one file, whose name
is put behind it (`signtool sign /fd sha256 /a /tr URL`); keys are its matter. SOURCE_DATE_EPOCH sets all
times. ADDRESS is the folder of the release's files, for winget's manifests.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bootstrap.package.icons import ico as icon  # noqa: E402 - the path above leads there

SCRIPT = ROOT / "installers" / "windows" / "steward.nsi"
MANIFESTS = SCRIPT.parent / "winget"

ACCENT = (0x25, 0x63, 0xEB)  # of desktop/ui/theme.py, light
PORTABLE = "portable"  # desktop/paths.py looks for it beside the program
TARGET = "amd64-unicode"  # as the program itself: 64 bits


class PackingFailed(Exception):
    """What was missing, or what makensis said."""


def picture() -> bytes:
    """The left part of the installer's last page, a BMP of one colour: NSIS has a picture of the nineties."""
    width, height = 164, 314
    row = bytes(ACCENT[::-1]) * width
    row += bytes(-len(row) % 4)
    size = 54 + len(row) * height
    head = struct.pack("<2sIHHI", b"BM", size, 0, 0, 54)
    facts = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(row) * height, 2835, 2835, 0, 0)
    return head + facts + row * height


def delete_lines(bundle: Path) -> str:
    """For the uninstaller: the files beside `_internal`, one by one."""
    return "".join(f'Delete "$INSTDIR\\{path.name}"\n' for path in sorted(bundle.iterdir()) if path.is_file())


def installer(bundle: Path, out: Path, version: str, sign: str = "") -> Path:
    """The setup program. Raises PackingFailed."""
    makensis = shutil.which("makensis")
    if makensis is None:
        raise PackingFailed("makensis is missing. Install it with: sudo apt-get install nsis")
    if not (bundle / "steward.exe").exists():
        raise PackingFailed(f"{bundle} is no bundle for Windows")
    made = out.resolve() / f"steward-{version}-windows-x86_64-setup.exe"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "steward.ico").write_bytes(icon())
        (folder / "picture.bmp").write_bytes(picture())
        (folder / "files.nsh").write_text(delete_lines(bundle), encoding="utf-8")
        defined = {
            "OUT": made,
            "VERSION": version,
            "BUNDLE": bundle.resolve(),
            "ICON": folder / "steward.ico",
            "PICTURE": folder / "picture.bmp",
            "LICENCE": ROOT / "LICENSE",
            "FILES": folder / "files.nsh",
            "NSIS_TARGET": TARGET,
            **({"SIGN": sign} if sign else {}),
        }
        words = [f"-D{key}={value}" for key, value in defined.items()]
        done = subprocess.run(
            [makensis, "-V2", "-INPUTCHARSET", "UTF8", *words, str(SCRIPT)],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise PackingFailed(done.stdout[-2000:] + done.stderr[-2000:])
    return made


def portable_zip(bundle: Path, out: Path, version: str, epoch_s: int) -> Path:
    """The folder with the marker that keeps everything beside the program; reproducible."""
    made = out / f"steward-{version}-windows-x86_64-portable.zip"
    stamp = time.gmtime(epoch_s)[:6]
    with zipfile.ZipFile(made, "w") as packed:
        for path in sorted(path for path in bundle.rglob("*") if path.is_file()):
            _put(packed, f"steward/{path.relative_to(bundle).as_posix()}", path.read_bytes(), stamp)
        _put(packed, f"steward/{PORTABLE}", b"", stamp)
    return made


def winget(setup: Path, out: Path, version: str, url: str) -> tuple[Path, ...]:
    """winget's three manifests, in a folder of their own."""
    folder = out / "winget"
    folder.mkdir(exist_ok=True)
    digest = hashlib.sha256(setup.read_bytes()).hexdigest().upper()
    made = []
    for template in sorted(MANIFESTS.glob("*.yaml")):
        words = template.read_text(encoding="utf-8")
        words = words.format(version=version, sha256=digest, url=f"{url.rstrip('/')}/{setup.name}")
        made.append(folder / template.name)
        made[-1].write_text(words, encoding="utf-8", newline="\n")
    return tuple(made)


def _put(packed: zipfile.ZipFile, name: str, content: bytes, stamp: tuple[int, ...]) -> None:
    entry = zipfile.ZipInfo(name, (stamp[0], stamp[1], stamp[2], stamp[3], stamp[4], stamp[5]))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    packed.writestr(entry, content)


def main() -> int:
    parser = argparse.ArgumentParser(description="Pack a bundle for Windows.")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--sign", default="", help="command that signs the file whose name follows it")
    parser.add_argument("--url", default="https://example.org/steward", help="where the files will be")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    try:
        made = installer(asked.bundle, asked.out, asked.version, asked.sign)
    except PackingFailed as error:
        sys.stderr.write(f"{error}\n")
        return 1
    epoch_s = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    portable = portable_zip(asked.bundle, asked.out, asked.version, epoch_s)
    manifests = winget(made, asked.out, asked.version, asked.url)
    sys.stdout.write("".join(f"{path.stat().st_size:10} {path}\n" for path in (made, portable, *manifests)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
