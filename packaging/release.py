#!/usr/bin/env python3
"""Everything that a release for this system consists of, in dist/release. What the hosted build runs.

  python3 packaging/release.py [--kind KIND] [--bundle DIR] [--url ADDRESS] [--sign-key FILE] [--without LIST]
  python3 packaging/release.py --collect DIR --url ADDRESS [--sign-key FILE]    of all systems, built already

Builds the bundle unless one is named, packs it in every way of this system, copies manifest and bill of
materials, and writes SHA256SUMS. With --url also release.json, which `steward update` reads; with --sign-key,
a minisign key without a password, its signature. Keys are parameters: none is kept here.

Environment: STEWARD_SIGN_COMMAND signs a program for Windows (the file's name is put behind it),
STEWARD_CODESIGN_IDENTITY and STEWARD_NOTARY_PROFILE one for macOS, STEWARD_APPIMAGE_RUNTIME is the file that
an AppImage begins with. Each step without its parameter is left out, and said so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
OUT = ROOT / "dist" / "release"
SUMS = "SHA256SUMS"
RELEASE = "release.json"
USUAL = ("cpu", "metal")  # what a system gets where nothing is said
NOWHERE = "https://example.org/steward"  # in manifests for winget, until an address is given


class ReleaseFailed(Exception):
    """Which step, and why."""


def run(words: Sequence[str | Path], **extra: str) -> None:
    say("+ " + " ".join(str(word) for word in words))
    done = subprocess.run([str(word) for word in words], env=os.environ | extra, cwd=ROOT, check=False)
    if done.returncode:
        raise ReleaseFailed(f"{words[0]} ended with {done.returncode}")


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def pack(bundle: Path, version: str, url: str, without: frozenset[str]) -> None:
    """Every package of this system into OUT."""
    if sys.platform == "win32":
        sign = os.environ.get("STEWARD_SIGN_COMMAND", "")
        script = ROOT / "packaging" / "windows_installer.py"
        words = [sys.executable, script, bundle, "--version", version, "--out", OUT, "--url", url]
        run([*words, *(("--sign", sign) if sign else ())])
    elif sys.platform == "darwin":
        run(
            [
                "bash",
                ROOT / "installers" / "macos" / "make_dmg.sh",
                bundle.parent / "Steward.app",
                version,
                OUT,
            ]
        )
    else:
        for package in bundle.parent.glob(f"steward_{version}_*.deb"):
            shutil.copy2(package, OUT)
        _pack_linux(bundle, without)


def _pack_linux(bundle: Path, without: frozenset[str]) -> None:
    script = ROOT / "packaging" / "linux_packages.py"
    runtime = os.environ.get("STEWARD_APPIMAGE_RUNTIME")
    if "rpm" not in without:
        run([sys.executable, script, "rpm", bundle, "--out", OUT])
    if "appimage" in without:
        return
    if runtime:
        run([sys.executable, script, "appimage", bundle, "--out", OUT, "--runtime", runtime])
    else:
        say("No AppImage: STEWARD_APPIMAGE_RUNTIME names no runtime.")


def papers(bundle: Path) -> None:
    """Manifest and bill of materials lie beside the packages, under the name of the system."""
    told = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    for name in ("manifest.json", "sbom.cdx.json"):
        shutil.copyfile(
            bundle / name, OUT / f"steward-{told['version']}-{told['system']}-{told['kind']}-{name}"
        )


def sums(folder: Path) -> Path:
    """As `sha256sum -c` reads them."""
    lines = (f"{digest}  {path.name}\n" for path, digest in _digests(folder))
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")
    return folder / SUMS


def _digests(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name not in (SUMS, RELEASE) and path.suffix != ".minisig":
            yield path, hashlib.sha256(path.read_bytes()).hexdigest()


def name_kind(kind: str) -> None:
    """The same packages exist for the processor alone: these say in their names what they compute with.

    winget installs the usual ones: its manifests are made of those.
    """
    shutil.rmtree(OUT / "winget", ignore_errors=True)
    for path in sorted(OUT.iterdir()):
        if path.is_file():
            path.rename(path.with_name(f"{path.stem}-{kind}{path.suffix}"))


def collect(parts: Path) -> None:
    """The packages of all systems, each built on its own, into OUT; their own sums are made anew."""
    for path in sorted(parts.rglob("*")):
        if path.is_file() and path.name not in (SUMS, RELEASE):
            if (OUT / path.name).exists() and (OUT / path.name).read_bytes() != path.read_bytes():
                raise ReleaseFailed(f"two different files are called {path.name}")
            shutil.copyfile(path, OUT / path.name)


def release_file(folder: Path, version: str, url: str, page: str) -> Path:
    """What `steward update` reads (desktop/system/updates.py), and where each file is."""
    files = {
        path.name: {
            "sha256": digest,
            "size_bytes": path.stat().st_size,
            "url": f"{url.rstrip('/')}/{path.name}",
        }
        for path, digest in _digests(folder)
    }
    told = {"program": "steward", "version": version, "page": page, "files": files}
    (folder / RELEASE).write_text(json.dumps(told, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return folder / RELEASE


def sign(files: Sequence[Path], key: Path) -> None:
    """With minisign; the key has no password, or minisign asks for it."""
    if shutil.which("minisign") is None:
        raise ReleaseFailed("minisign is missing")
    run(["minisign", "-S", "-s", key, "-m", *files])


def make(asked: argparse.Namespace) -> list[Path]:
    """Fill OUT; returns the files that are signed. Raises ReleaseFailed."""
    from bootstrap.package.build import version

    if asked.collect is not None:
        collect(asked.collect)
    else:
        bundle = (asked.bundle or ROOT / "dist" / "steward").resolve()
        if asked.bundle is None:
            run([sys.executable, "dev.py", "package", asked.kind])
        pack(bundle, version(), asked.url or NOWHERE, frozenset(asked.without.split(",")))
        if asked.kind not in USUAL:
            name_kind(asked.kind)
        for addon in bundle.parent.glob(f"steward-{asked.kind}-addon-{version()}-*.tar.xz"):
            shutil.copy2(addon, OUT)
        papers(bundle)
    written = [sums(OUT)]
    if asked.url:
        written.append(release_file(OUT, version(), asked.url, asked.page or asked.url))
    return written


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Everything that a release consists of.")
    parser.add_argument("--kind", default="cpu", help="cpu, cuda, vulkan or metal")
    parser.add_argument("--bundle", type=Path, help="a bundle that is built already")
    parser.add_argument("--collect", type=Path, metavar="DIR", help="packages of all systems, built already")
    parser.add_argument("--url", default="", help="where the files will be; writes release.json")
    parser.add_argument("--page", default="", help="what users are sent to; the same where it is left out")
    parser.add_argument("--sign-key", type=Path, help="secret key of minisign")
    parser.add_argument("--without", default="", help="packages to leave out: rpm,appimage")
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    try:
        written = make(asked)
        if asked.sign_key:
            sign(written, asked.sign_key)
        else:
            say("Not signed: no --sign-key.")
    except ReleaseFailed as error:
        say(str(error))
        return 1
    say("".join(f"{path.stat().st_size:12} {path.name}\n" for path in sorted(OUT.iterdir())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
