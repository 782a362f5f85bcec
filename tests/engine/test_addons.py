"""Add-ons: what is taken in, what is refused, and that a refusal leaves everything as it was."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.engine.addons import MANIFEST, PROGRAM, AddOns, llama_version, read_manifest, this_system
from desktop.errors import UserFacing

FILES = {"libggml-cuda.so": b"library", "libcudart.so.13": b"runtime" * 1000, "LICENSES": b"text"}
Change = Callable[[dict[str, Any]], object]


def manifest(files: dict[str, bytes], **changed: object) -> dict[str, Any]:
    return {
        "program": PROGRAM,
        "name": "cuda",
        "version": "0.1.0",
        "llama_cpp_python": llama_version(),
        "system": this_system(),
        "library": "libggml-cuda.so",
        "files": {
            name: {"sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content)}
            for name, content in files.items()
        },
    } | changed


def pack(file: Path, told: dict[str, Any], files: dict[str, bytes]) -> Path:
    with tarfile.open(file, "w:xz") as archive:
        for name, content in {MANIFEST: json.dumps(told).encode(), **files}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return file


@pytest.fixture
def addons(tmp_path: Path) -> AddOns:
    return AddOns(tmp_path / "Zusätze" / "addons")


def state(folder: Path) -> dict[str, bytes]:
    """Every file below, hidden ones too."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_an_addon_is_unpacked_listed_and_removed(addons: AddOns, tmp_path: Path) -> None:
    """Its files lie in a folder of its name, the library is executable, and removing leaves nothing."""
    seen: list[tuple[int, int]] = []
    added = addons.add(
        pack(tmp_path / "a.tar.xz", manifest(FILES), FILES), lambda done, size: seen.append((done, size))
    )
    assert (added.name, added.size_bytes, added.misfit) == ("cuda", sum(map(len, FILES.values())), None)
    assert {name: (addons.folder / "cuda" / name).read_bytes() for name in FILES} == FILES
    assert addons.installed() == (added,)
    assert addons.libraries() == (addons.folder / "cuda" / "libggml-cuda.so",)
    assert os.access(addons.libraries()[0], os.X_OK)
    assert os.name != "posix" or {each.stat().st_mode & 0o077 for each in addons.folder.rglob("*")} == {0}
    assert seen[-1] == (added.size_bytes, added.size_bytes)
    addons.remove("cuda")
    assert addons.installed() == ()
    assert not addons.folder.exists()


def test_a_newer_one_takes_the_place_of_an_older(addons: AddOns, tmp_path: Path) -> None:
    """No file of the old one stays beside the new ones."""
    addons.add(pack(tmp_path / "a.tar.xz", manifest(FILES), FILES))
    newer = {"libggml-cuda.so": b"newer"}
    addons.add(pack(tmp_path / "b.tar.xz", manifest(newer, version="0.2.0"), newer))
    assert set(state(addons.folder)) == {f"cuda/{MANIFEST}", "cuda/libggml-cuda.so"}
    assert [one.version for one in addons.installed()] == ["0.2.0"]


def test_a_kill_between_the_older_and_the_newer_leaves_the_older(
    addons: AddOns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a moment neither lies in its place; the next start puts the older one back."""
    older = addons.add(pack(tmp_path / "a.tar.xz", manifest(FILES), FILES))
    newer, move = {"libggml-cuda.so": b"newer"}, Path.rename

    def moved(self: Path, target: Path) -> Path:
        if self.name.startswith(".adding-"):
            raise KeyboardInterrupt
        return move(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", moved)
        with pytest.raises(KeyboardInterrupt):
            addons.add(pack(tmp_path / "b.tar.xz", manifest(newer, version="0.2.0"), newer))
    assert not (addons.folder / "cuda").exists()
    assert AddOns(addons.folder).installed() == (older,)
    assert addons.libraries() == (addons.folder / "cuda" / "libggml-cuda.so",)


REFUSED: list[tuple[str, dict[str, bytes], dict[str, object]]] = [
    ("a changed byte", FILES | {"libggml-cuda.so": b"LIBRARY"}, {}),
    ("a longer file", FILES | {"libggml-cuda.so": b"library and more"}, {}),
    ("a file that is not listed", FILES | {"more.so": b"x"}, {}),
    ("a missing file", {"libggml-cuda.so": b"library"}, {}),
    ("another llama.cpp", FILES, {"llama_cpp_python": "0.0.1"}),
    ("another system", FILES, {"system": "plan9-mips"}),
    ("a name that leads elsewhere", FILES, {"name": "../cuda"}),
    ("no library", FILES, {"library": "libother.so"}),
    ("another program's", FILES, {"program": "other"}),
    ("no version", FILES, {"version": None}),
]


@pytest.mark.parametrize(("what", "files", "changed"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_is_not_right_is_refused_whole(
    addons: AddOns, tmp_path: Path, what: str, files: dict[str, bytes], changed: dict[str, object]
) -> None:
    """The add-on that is there stays as it is, and no half-unpacked files stay beside it."""
    addons.add(pack(tmp_path / "good.tar.xz", manifest(FILES), FILES))
    before = state(addons.folder)
    bad = pack(tmp_path / "bad.tar.xz", manifest(FILES, **changed), files)
    with pytest.raises(UserFacing) as refused:
        addons.add(bad)
    assert refused.value.code in ("addon-damaged", "addon-misfit")
    assert "Nothing was changed" in refused.value.not_lost
    assert state(addons.folder) == before


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "sub/file", ".hidden", MANIFEST, ""])
def test_a_file_cannot_be_written_elsewhere(addons: AddOns, tmp_path: Path, name: str) -> None:
    """Names with folders in them are refused before anything is written."""
    files = {"libggml-cuda.so": b"library", name: b"x"}
    with pytest.raises(UserFacing):
        addons.add(pack(tmp_path / "bad.tar.xz", manifest(files), files))
    assert state(addons.folder) == {}


def test_links_are_refused(addons: AddOns, tmp_path: Path) -> None:
    """An archive may name a link as it names a file; it would lead anywhere."""
    file = tmp_path / "bad.tar.xz"
    content = json.dumps(manifest({"libggml-cuda.so": b""})).encode()
    with tarfile.open(file, "w:xz") as archive:
        first, link = tarfile.TarInfo(MANIFEST), tarfile.TarInfo("libggml-cuda.so")
        first.size, link.type, link.linkname = len(content), tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(first, io.BytesIO(content))
        archive.addfile(link)
    with pytest.raises(UserFacing):
        addons.add(file)
    assert state(addons.folder) == {}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_half_a_download_is_refused(addons: AddOns, tmp_path: Path, share: float) -> None:
    files = FILES | {"libcublas.so.13": os.urandom(300_000)}
    whole = pack(tmp_path / "a.tar.xz", manifest(files), files)
    whole.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * share)])
    with pytest.raises(UserFacing):
        addons.add(whole)
    assert state(addons.folder) == {}


def test_an_addon_of_another_version_is_listed_but_not_loaded(addons: AddOns, tmp_path: Path) -> None:
    """After an update of Steward the old add-on is named with its reason, and llama.cpp never sees it."""
    addons.add(pack(tmp_path / "a.tar.xz", manifest(FILES), FILES))
    told = manifest(FILES, llama_cpp_python="0.0.1")
    (addons.folder / "cuda" / MANIFEST).write_text(json.dumps(told))
    assert addons.libraries() == ()
    assert "0.0.1" in str(addons.installed()[0].misfit)


def test_a_damaged_addon_is_not_loaded(addons: AddOns, tmp_path: Path) -> None:
    """A file that was cut short, or a manifest that nobody can read."""
    addons.add(pack(tmp_path / "a.tar.xz", manifest(FILES), FILES))
    (addons.folder / "cuda" / "libcudart.so.13").write_bytes(b"cut")
    assert addons.libraries() == ()
    (addons.folder / "cuda" / MANIFEST).write_text("{")
    assert addons.installed() == ()
    assert addons.libraries() == ()


@pytest.mark.parametrize("name", ["cuda", "..", "", "../addons"])
def test_removing_what_is_not_there_says_so(addons: AddOns, name: str) -> None:
    with pytest.raises(UserFacing) as refused:
        addons.remove(name)
    assert refused.value.code == "unknown-addon"


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"program": "steward-addon"}', b"\xff"])
def test_no_manifest_breaks_the_reader(content: bytes) -> None:
    """Whatever is wrong with it is one kind of error, with words."""
    with pytest.raises(ValueError, match=r"\w"):
        read_manifest(content)
