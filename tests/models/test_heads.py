"""Heads of model files that mean harm: each ends in a sentence, in a child."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.models.catalogue import Catalogue
from desktop.models.gguf import MAX_ARRAY_ITEMS, read_facts
from desktop.models.heads import ConfinedHeads
from desktop.models.library import Library
from desktop.paths import Paths
from desktop.sandbox.parser import Parser, ParserLimits
from tests.models.tiny_gguf import TinyGguf, text

pytestmark = pytest.mark.children

HEADS = ConfinedHeads(Parser.confined())
SHORT = ConfinedHeads(Parser.confined(), ParserLimits(time_s=1.0))
STRINGS = struct.pack("<II", 9, 8)  # an array of texts


def head(tensors: int, keys: int) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, keys)


def write(folder: Path, content: bytes) -> Path:
    file = folder / "stranger.gguf"
    file.write_bytes(content)
    return file


def endless(folder: Path) -> Path:
    """60,000 arrays of four million empty texts each: two terabytes long, a few megabytes on the disk."""
    file = folder / "endless.gguf"
    with open(file, "wb") as made:
        made.write(head(1, 60_000))
        for number in range(60_000):
            made.write(text(f"k{number}") + STRINGS + struct.pack("<Q", MAX_ARRAY_ITEMS))
            made.seek(8 * MAX_ARRAY_ITEMS, os.SEEK_CUR)
        made.write(b"\0")
    return file


def nested(folder: Path) -> Path:
    """Lists in lists, a thousand deep."""
    array = struct.pack("<IQ", 9, 1) * 1_000
    return write(folder, head(1, 1) + text("deep") + struct.pack("<I", 9) + array)


HOSTILE: dict[str, Callable[[Path], Path]] = {
    "2^60 tensors": lambda folder: write(folder, head(2**60, 1)),
    "2^60 properties": lambda folder: write(folder, head(1, 2**60)),
    "a list of 2^60": lambda folder: write(
        folder, head(1, 1) + text("a") + STRINGS + struct.pack("<Q", 2**60)
    ),
    "a text of 4 GB": lambda folder: write(
        folder, head(1, 1) + text("a") + struct.pack("<IQ", 8, 2**32) + b"x" * 100
    ),
    "a name of 4 GB": lambda folder: write(folder, head(1, 1) + struct.pack("<Q", 2**32)),
    "lists in lists": nested,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_head_that_means_harm_is_refused_in_time(kind: str, tmp_path: Path) -> None:
    """Whatever it says of its sizes, the answer is a sentence, and the file stays as it was."""
    with pytest.raises(UserFacing) as refused:
        SHORT.read(HOSTILE[kind](tmp_path))
    assert refused.value.code == "model-file-refused"


def test_the_sentence_says_what_was_too_much(tmp_path: Path) -> None:
    """A file that would be read for hours ends at its limit, and is not called damaged."""
    with pytest.raises(UserFacing, match="more time or memory"):
        SHORT.read(endless(tmp_path))


def test_a_good_head_is_read_as_it_would_be_here(tmp_path: Path) -> None:
    """Every fact comes back, and of the same kind."""
    file = write(tmp_path, TinyGguf().content)
    assert HEADS.read(file) == read_facts(file)


@pytest.mark.parametrize(
    "said",
    [None, 7, [], [{}], [[]], [{"architecture": "llama"}], ["x"], {"facts": 1}, [{}, {}], [None]],
    ids=str,
)
def test_a_child_that_was_taken_over_is_not_believed(
    said: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes back has the form of facts, or the file is refused."""
    monkeypatch.setattr(Parser, "parse", lambda *_, **__: said)
    with pytest.raises(UserFacing, match="cannot be read"):
        HEADS.read(write(tmp_path, TinyGguf().content))


def test_numbers_that_are_words_are_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where they could be taken for numbers."""
    from dataclasses import asdict

    file = write(tmp_path, TinyGguf().content)
    said = [asdict(read_facts(file)) | {"layer_count": "2"}]
    monkeypatch.setattr(Parser, "parse", lambda *_, **__: said)
    with pytest.raises(UserFacing, match="cannot be read"):
        HEADS.read(file)


def test_a_lost_list_is_made_again_by_one_child(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many files lie in the folder."""
    paths.models.mkdir(parents=True)
    for number in range(3):
        (paths.models / f"model-{number}.gguf").write_bytes(TinyGguf().content)
    (paths.models / "models.json").write_text("damaged")
    asked: list[str] = []
    parse = Parser.parse

    def counted(self: Parser, function: str, *rest: Any, **more: Any) -> Any:
        asked.append(function)
        return parse(self, function, *rest, **more)

    monkeypatch.setattr(Parser, "parse", counted)
    library = Library(paths, bus, Catalogue(()), lambda: HEADS)
    assert [model.id for model in library.installed()] == ["model-0", "model-1", "model-2"]
    assert len(asked) == 1
