"""The last build, read: what is inside, how large it is, and that it is what it says."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bootstrap.package.build import BACK_ENDS, sizes, version
from tests.packaging_tests.conftest import ROOT

MB = 1_000_000
BUDGET_BYTES = 230 * MB
PACKAGE_BUDGET_BYTES = 65 * MB


def test_the_size_is_within_its_budget(manifest: dict[str, Any]) -> None:
    """Unpacked, without what computes on cards; whoever adds what is large sees here what takes the space."""
    card = tuple(f"_internal/llama_cpp/lib/{word}/" for word in BACK_ENDS)
    parts = sizes({name: entry for name, entry in manifest["files"].items() if not name.startswith(card)})
    largest = sorted(parts.items(), key=lambda part: -part[1])[:10]
    assert sum(parts.values()) <= BUDGET_BYTES, largest


def test_the_installer_is_within_its_budget(bundle: Path, manifest: dict[str, Any]) -> None:
    """The .deb beside the bundle, which is of the same version; what computes on cards may add as much as it
    takes as an add-on."""
    (package,) = bundle.parent.glob(f"steward_{manifest['version']}_*.deb")
    addons = bundle.parent.glob(f"steward-{manifest['kind']}-addon-{manifest['version']}-*")
    assert package.stat().st_size <= PACKAGE_BUDGET_BYTES + sum(file.stat().st_size for file in addons)
    assert manifest["version"] == version()


def test_every_file_is_listed_as_it_is(bundle: Path, manifest: dict[str, Any]) -> None:
    """No file beside the manifest, none missing, none changed."""
    there = {path for path in bundle.rglob("*") if path.is_file() and not path.is_symlink()}
    names = {path.relative_to(bundle).as_posix() for path in there} - {"manifest.json"}
    assert names == set(manifest["files"])
    changed = [
        name
        for name, entry in manifest["files"].items()
        if hashlib.sha256((bundle / name).read_bytes()).hexdigest() != entry["sha256"]
    ]
    assert changed == []


def test_what_is_not_needed_is_not_inside(manifest: dict[str, Any]) -> None:
    """No Qt Quick, no words of other languages, no GTK, no library that desktops have."""
    names = " ".join(manifest["files"])
    left_out = ("numpy/random", "libQt6Quick", "qtbase_fr", "libgtk", "libstdc++", "/tests/", "setuptools")
    for part in (*left_out, "zig"):
        assert part not in names, part


def test_what_code_finds_at_run_time_is_inside(manifest: dict[str, Any]) -> None:
    """Data and libraries that no import names."""
    for name in (
        "_internal/resources/catalogue.toml",
        "_internal/resources/hook_client/steward-hook",
        "_internal/resources/hook_client/steward-confine",
        "_internal/resources/commands/git.toml",
        "_internal/trafilatura/settings.cfg",
        "_internal/llama_cpp/lib/libllama.so.0",
        "_internal/tree_sitter_bash/_binding.abi3.so",
        "_internal/PySide6/Qt/plugins/platforms/libqxcb.so",
        "_internal/PySide6/Qt/translations/qtbase_de.qm",
        "THIRD_PARTY_LICENSES",
        "sbom.cdx.json",
    ):
        assert name in manifest["files"], name


def test_each_library_of_llama_is_there_once(manifest: dict[str, Any]) -> None:
    """Its second name is a link: a copy would be a second llama.cpp that knows nothing of the first."""
    assert manifest["links"]["_internal/llama_cpp/lib/libggml.so"] == "libggml.so.0"
    assert "_internal/llama_cpp/lib/libggml.so" not in manifest["files"]


def test_every_work_inside_has_a_licence(bundle: Path, manifest: dict[str, Any]) -> None:
    """Named in the manifest; the texts that the LGPL asks for are there."""
    found = {one["name"]: one["licence"] for one in manifest["components"]}
    assert {"pyside6-essentials", "python", "llama-cpp-python", "pyinstaller", "libffi8"} <= set(found)
    assert all(found.values()), found
    texts = (bundle / "THIRD_PARTY_LICENSES").read_text(encoding="utf-8")
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in texts
    assert "replaced there by builds of your own" in texts


# Libraries that the bundle leaves to the system, and the Debian package that has them.
FROM_PACKAGES = {
    "libc6": "libc.so.6 libm.so.6 libpthread.so.0 ld-linux-x86-64.so.2 librt.so.1 libdl.so.2 libresolv.so.2",
    "libgcc-s1": "libgcc_s.so.1",
    "libstdc++6": "libstdc++.so.6",
    "zlib1g": "libz.so.1",
    "libexpat1": "libexpat.so.1",  # of Debian's Python; another one may have a copy inside
    "libgl1": "libGL.so.1",
    "libegl1": "libEGL.so.1",
    "libx11-6": "libX11.so.6",
    "libx11-xcb1": "libX11-xcb.so.1",
    "libxcb1": "libxcb.so.1",
    "libfontconfig1": "libfontconfig.so.1",
    "libfreetype6": "libfreetype.so.6",
    "libglib2.0-0": "libglib-2.0.so.0 libgthread-2.0.so.0",
    "libdbus-1-3": "libdbus-1.so.3",
    "libgssapi-krb5-2": "libgssapi_krb5.so.2",
    "libbrotli1": "libbrotlidec.so.1 libbrotlicommon.so.1",
    "libzstd1": "libzstd.so.1",
    "libvulkan1": "libvulkan.so.1",  # only where there is a card
    "libwayland-client0": "libwayland-client.so.0",  # only where the session is a Wayland one
    "libwayland-cursor0": "libwayland-cursor.so.0",
}


@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is missing")
def test_every_library_comes_along_or_is_depended_on(bundle: Path, manifest: dict[str, Any]) -> None:
    """What the files of the bundle ask for is inside, or in a package that the .deb names."""
    libraries = [bundle / name for name in manifest["files"] if ".so" in name]
    told = subprocess.run(["objdump", "-p", *libraries], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED\s+(\S+)", told))
    inside = {Path(name).name for name in (*manifest["files"], *manifest["links"])}
    outside = {library: package for package, names in FROM_PACKAGES.items() for library in names.split()}
    assert needed - inside - set(outside) == set()
    control = (ROOT / "installers/linux/control").read_text(encoding="utf-8")
    named = set(re.findall(r"[a-z][a-z0-9.+-]+", control))
    assert {outside[library] for library in needed - inside} - named == set()
