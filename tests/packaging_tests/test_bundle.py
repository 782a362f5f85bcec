"""The last build, read: what is inside, how large it is, and that it is what it says."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from bootstrap.package.build import sizes, version

MB = 1_000_000
BUDGET_BYTES = 230 * MB
PACKAGE_BUDGET_BYTES = 65 * MB


def test_the_size_is_within_its_budget(manifest: dict[str, Any]) -> None:
    """Unpacked; whoever adds what is large sees here what takes the space."""
    parts = sizes(manifest["files"])
    largest = sorted(parts.items(), key=lambda part: -part[1])[:10]
    assert sum(parts.values()) <= BUDGET_BYTES, largest


def test_the_installer_is_within_its_budget(bundle: Path, manifest: dict[str, Any]) -> None:
    """The .deb beside the bundle, which is of the same version."""
    (package,) = bundle.parent.glob(f"steward_{manifest['version']}_*.deb")
    assert package.stat().st_size <= PACKAGE_BUDGET_BYTES
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
    """No numpy, no Qt Quick, no translations, no GTK, no library that every desktop has itself."""
    names = " ".join(manifest["files"])
    for part in ("numpy", "libQt6Quick", "translations", "libgtk", "libstdc++", "/tests/", "setuptools"):
        assert part not in names, part


def test_what_code_finds_at_run_time_is_inside(manifest: dict[str, Any]) -> None:
    """Data and libraries that no import names."""
    for name in (
        "_internal/resources/catalogue.toml",
        "_internal/resources/hook_client/steward-hook",
        "_internal/resources/commands/git.toml",
        "_internal/trafilatura/settings.cfg",
        "_internal/llama_cpp/lib/libllama.so.0",
        "_internal/tree_sitter_bash/_binding.abi3.so",
        "_internal/PySide6/Qt/plugins/platforms/libqxcb.so",
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
