"""Zip and tar files of strangers: what is taken of them, and how each way to do harm ends."""

from __future__ import annotations

import io
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.engine.addons import AddOns
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.extensions.registry import Registry
from desktop.paths import Paths
from desktop.sandbox.archives import ArchiveFailed, ArchiveFailure, Archives, MemberTarget, unpacked
from desktop.sandbox.parser import Parser

pytestmark = pytest.mark.children

MOST, MOST_BYTES = 100, 1_000_000
LITTLE_BYTES = 80_000_000  # of memory, so that what eats it need not be made large first


def zip_of(file: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file


def tar_of(file: Path, *members: tuple[str, bytes]) -> Path:
    with tarfile.open(file, "w:xz") as archive:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return file


def crowded(file: Path) -> Path:
    """A list of 200,000 entries of 47 bytes: 9 MB, and some 100 MB once it is read."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, 0, *(0,) * 7, 1, *(0,) * 6) + b"a"
    count = 200_000
    size = len(entry) * count
    with open(file, "wb") as made:
        made.write(entry * count)
        made.write(struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, 0))
        made.write(struct.pack("<4sLQL", b"PK\6\7", 0, size, 1))
        made.write(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, 2**32 - 1, 2**32 - 1, 0))
    return file


def hungry(file: Path) -> Path:
    """A tar.xz whose head asks for a dictionary of 3 GB."""
    content = bytearray(tar_of(file, ("manifest.json", b"{}")).read_bytes())
    begin, size = 12, (content[12] + 1) * 4
    at = content.index(b"\x21\x01", begin) + 2  # LZMA2, with one byte of properties
    content[at] = 39
    end = begin + size - 4
    content[end : end + 4] = struct.pack("<L", zlib.crc32(content[begin:end]))
    file.write_bytes(content)
    return file


def bottomless(file: Path) -> Path:
    """A tar.xz whose first entry is a header of 300 MB, which tarfile reads whole."""
    entry = tarfile.TarInfo("./@LongLink")
    entry.type, entry.size = tarfile.GNUTYPE_LONGNAME, 300_000_000
    packer = lzma.LZMACompressor(preset=0)
    with open(file, "wb") as made:
        made.write(packer.compress(entry.tobuf(tarfile.GNU_FORMAT)))
        zeros = bytes(20_000_000)
        for _ in range(entry.size // len(zeros)):
            made.write(packer.compress(zeros))
        made.write(packer.flush())
    return file


def test_what_is_asked_for_comes_out(tmp_path: Path) -> None:
    """Of a zip and of a tar file, by name, by number, and the largest alone."""
    members = (("first", b"1"), ("inside/second", b"22" * 1000))
    archives, packed = Archives(), zip_of(tmp_path / "a.zip", *members)
    taken = archives.take_zip(packed, folder(tmp_path, "a"), ["skipped"], MOST, MOST_BYTES)
    assert [(each.name, each.path.read_bytes()) for each in taken] == list(members)
    assert archives.zip_member(packed, "first", 10) == b"1"
    archives.take_largest(packed, MemberTarget(folder(tmp_path, "b") / "largest", 2_000))
    assert (tmp_path / "b" / "largest").read_bytes() == members[1][1]
    place = MemberTarget(folder(tmp_path, "c") / "named", 2_000)
    archives.unpack_zip(packed, {"inside/second": place}, (place.path.parent,))
    assert place.path.read_bytes() == members[1][1]
    tar = tar_of(tmp_path / "a.tar.xz", ("head", b"h"), ("body", b"b"))
    assert archives.tar_member(tar, "head", 10) == b"h"
    archives.unpack_tar(tar, {"body": MemberTarget(folder(tmp_path, "d") / "x", 10)}, (tmp_path / "d",))
    assert (tmp_path / "d" / "x").read_bytes() == b"b"


def folder(parent: Path, name: str) -> Path:
    made = parent / name
    made.mkdir()
    return made


TAKEN: dict[str, tuple[Callable[[Path], Path], ArchiveFailure]] = {
    "a bomb": (lambda file: zip_of(file, ("zeros", bytes(30_000_000))), ArchiveFailure.TOO_LONG),
    "many small bombs": (
        lambda file: zip_of(file, *((str(n), bytes(90_000)) for n in range(20))),
        ArchiveFailure.TOO_LONG,
    ),
    "a member too many": (
        lambda file: zip_of(file, *((str(n), b"") for n in range(MOST + 1))),
        ArchiveFailure.TOO_MANY,
    ),
    "no zip file": (lambda file: write(file, b"PK\3\4" + bytes(100)), ArchiveFailure.DAMAGED),
    "nothing": (lambda file: write(file, b""), ArchiveFailure.DAMAGED),
}


def write(file: Path, content: bytes) -> Path:
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("kind", TAKEN)
def test_a_zip_file_that_means_harm_ends(kind: str, tmp_path: Path) -> None:
    """Each in its word; what it had written by then stays below the limits."""
    make, failure = TAKEN[kind]
    packed, into = make(tmp_path / "a.zip"), folder(tmp_path, "into")
    with pytest.raises(ArchiveFailed) as failed:
        Archives().take_zip(packed, into, [], MOST, MOST_BYTES)
    assert failed.value.failure is failure
    assert sum(each.stat().st_size for each in into.iterdir()) <= MOST_BYTES


@pytest.mark.parametrize("make", [hungry, bottomless], ids=["dictionary", "header"])
def test_an_add_on_that_eats_memory_is_refused(
    make: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a byte of it is unpacked; nothing is left of it."""
    monkeypatch.setattr("desktop.sandbox.archives.MEMORY_BYTES", LITTLE_BYTES)
    with pytest.raises(UserFacing, match="too costly"):
        AddOns(tmp_path / "addons").add(make(tmp_path / "a.tar.xz"))
    assert list((tmp_path / "addons").iterdir()) == []


def test_an_extension_that_eats_memory_is_refused(
    paths: Paths, bus: Bus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a sentence of its own; nothing is left of it."""
    monkeypatch.setattr("desktop.sandbox.archives.MEMORY_BYTES", LITTLE_BYTES)
    with pytest.raises(UserFacing, match="more time or memory than any extension"):
        Registry(paths.extensions, bus).install(crowded(tmp_path / "a.zip"))
    assert [each for each in paths.extensions.rglob("*") if each.is_file()] == []


def link_out(into: Path) -> None:
    (into / "0").symlink_to("/etc/passwd")


def hard_link(into: Path) -> None:
    secret = into.parent / "secret"
    secret.write_text("secret")
    os.link(secret, into / "0")


def pipe(into: Path) -> None:
    os.mkfifo(into / "0")


def one_more(into: Path) -> None:
    (into / "0").write_text("x")
    (into / "more").write_text("x")


def linked_folder(into: Path) -> None:
    (into / "0").write_text("x")
    (into / "more").symlink_to("/etc")


def nothing(_into: Path) -> None:
    pass


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
@pytest.mark.parametrize("leave", [link_out, hard_link, pipe, one_more, linked_folder, nothing])
def test_a_child_that_was_taken_over_leaves_nothing_that_counts(
    leave: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a plain file of one name, where it was asked for, is taken."""
    into = folder(tmp_path, "into")

    def taken_over(*_: Any, **__: Any) -> Any:
        leave(into)
        return {"members": [["name", 0]]}

    monkeypatch.setattr(Parser, "parse", taken_over)
    with pytest.raises(ArchiveFailed) as failed:
        Archives().take_zip(zip_of(tmp_path / "a.zip"), into, [], MOST, MOST_BYTES)
    assert failed.value.failure in (ArchiveFailure.UNLISTED, ArchiveFailure.MISSING)


@pytest.mark.parametrize(
    "said", [None, [], {}, {"members": 7}, {"members": [1]}, {"members": [["a"]]}], ids=str
)
def test_an_answer_of_another_form_is_damage(
    said: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing in it is believed but its form."""
    monkeypatch.setattr(Parser, "parse", lambda *_, **__: said)
    with pytest.raises(ArchiveFailed):
        Archives().take_zip(zip_of(tmp_path / "a.zip"), folder(tmp_path, "into"), [], MOST, MOST_BYTES)


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_what_became_a_link_is_not_read(tmp_path: Path) -> None:
    """Also between the look and the reading."""
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(OSError, match="link"), unpacked(tmp_path / "link"):
        pass
