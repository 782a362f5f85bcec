"""Manifest, bill of materials and licences of a small bundle."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from bootstrap.package.components import Component
from bootstrap.package.papers import Made, write_papers


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Two works that share a text, one with a text of its own."""
    texts = {}
    for name, words in {
        "mit": "Permission is granted\n",
        "mit-again": "Permission is granted\n",
        "own": "Own words\n",
    }.items():
        texts[name] = tmp_path / name
        texts[name].write_text(words)
    works = (
        Component("deb", "libffi8", "3.4.4-1+b1", "MIT", (texts["mit"],)),
        Component("generic", "python", "3.11.7", "PSF-2.0", (texts["own"],)),
        Component("pypi", "rich", "15.0.0", "MIT", (texts["mit-again"],)),
    )
    return Made("0.1.0", "cpu", "linux-x86_64", 1_700_000_000, works)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    (folder / "lib").mkdir(parents=True)
    (folder / "steward").write_bytes(b"program")
    (folder / "lib" / "liba.so.0").write_bytes(b"library")
    (folder / "lib" / "liba.so").symlink_to("liba.so.0")
    return folder


def test_the_manifest_lists_every_file_and_link(bundle: Path, made: Made) -> None:
    """With hash and size, the other papers too; links with what they lead to; itself not."""
    write_papers(bundle, made)
    listed = json.loads((bundle / "manifest.json").read_text())
    assert set(listed["files"]) == {"steward", "lib/liba.so.0", "THIRD_PARTY_LICENSES", "sbom.cdx.json"}
    assert listed["files"]["steward"] == {"sha256": hashlib.sha256(b"program").hexdigest(), "size_bytes": 7}
    assert listed["links"] == {"lib/liba.so": "liba.so.0"}
    assert {"name": "rich", "version": "15.0.0", "licence": "MIT"} in listed["components"]


def test_the_same_build_has_the_same_papers(bundle: Path, made: Made) -> None:
    """No clock and no chance: byte for byte."""
    write_papers(bundle, made)
    before = {path.name: path.read_bytes() for path in bundle.iterdir() if path.is_file()}
    write_papers(bundle, made)
    assert {path.name: path.read_bytes() for path in bundle.iterdir() if path.is_file()} == before


def test_the_bill_of_materials_names_packages_as_others_do(bundle: Path, made: Made) -> None:
    """CycloneDX with package URLs; what stands for something else in a URL is escaped."""
    write_papers(bundle, made)
    bill = json.loads((bundle / "sbom.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert [one["purl"] for one in bill["components"]] == [
        "pkg:deb/debian/libffi8@3.4.4-1%2Bb1",
        "pkg:generic/python@3.11.7",
        "pkg:pypi/rich@15.0.0",
    ]
    assert bill["dependencies"][0]["dependsOn"] == [one["bom-ref"] for one in bill["components"]]


def test_a_licence_that_two_share_is_printed_once(bundle: Path, made: Made) -> None:
    """Under both their names."""
    write_papers(bundle, made)
    texts = (bundle / "THIRD_PARTY_LICENSES").read_text()
    assert texts.count("Permission is granted") == 1
    assert "libffi8, rich" in texts
    assert "Own words" in texts
