"""The list of installed models and the files behind it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.models import library as library_module
from desktop.models.catalogue import Catalogue, CatalogueEntry
from desktop.models.library import FileState, Library, ModelsChanged
from desktop.paths import Paths
from tests.models.tiny_gguf import TinyGguf

BODY = TinyGguf(padding=3_000_000).content


@pytest.fixture
def own(paths: Paths) -> Path:
    """A finished download of ours."""
    paths.models.mkdir(parents=True)
    path = paths.models / "tiny.gguf"
    path.write_bytes(BODY)
    return path


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A file that the user has somewhere."""
    path = tmp_path / "My model.gguf"
    path.write_bytes(BODY)
    return path


def test_empty_profile(library: Library, paths: Paths) -> None:
    """Looking makes no folders."""
    assert library.installed() == ()
    assert library.get("x") is None
    assert library.find("x") is None
    assert not paths.models.exists()


def test_survives_a_restart(library: Library, own: Path, paths: Paths, bus: Bus) -> None:
    """What was added is there in the next run, facts included."""
    added = library.add_downloaded("tiny", "Tiny", own, "ab" * 32)
    assert Library(paths, bus).installed() == (added,)
    assert added.facts.architecture == "llama"


def test_profile_may_be_moved(library: Library, own: Path, paths: Paths, bus: Bus, tmp_path: Path) -> None:
    """Our own files are listed by name, not by place."""
    library.add_downloaded("tiny", "Tiny", own, None)
    os.rename(tmp_path / "profile", tmp_path / "elsewhere")
    moved = Library(Paths.under(tmp_path / "elsewhere"), bus).get("tiny")
    assert moved is not None
    assert moved.state is FileState.PRESENT


def test_import_by_reference(library: Library, foreign: Path, paths: Paths, bus: Bus) -> None:
    """Nothing is copied; a second import of the same file is the same model."""
    heard: list[ModelsChanged] = []
    bus.subscribe(ModelsChanged, heard.append)
    model = library.import_file(foreign)
    assert (model.id, model.path, model.by_reference) == ("my-model", foreign, True)
    assert library.import_file(foreign).id == "my-model"
    assert len(library.installed()) == 1
    assert [p.name for p in paths.models.glob("*.gguf")] == []
    assert len(heard) == 2


def test_two_files_of_one_name(library: Library, foreign: Path, tmp_path: Path) -> None:
    """Another file of the same name gets an id of its own."""
    other = tmp_path / "other" / foreign.name
    other.parent.mkdir()
    other.write_bytes(BODY)
    assert [library.import_file(path).id for path in (foreign, other)] == ["my-model", "my-model-2"]


def test_refused_file_is_not_listed(library: Library, tmp_path: Path) -> None:
    """What is not a model does not get in."""
    path = tmp_path / "page.gguf"
    path.write_text("<html>")
    with pytest.raises(UserFacing):
        library.import_file(path)
    assert library.installed() == ()


def test_remove_deletes_only_our_files(library: Library, own: Path, foreign: Path) -> None:
    """The user's own file stays where it is."""
    library.add_downloaded("tiny", "Tiny", own, None)
    library.import_file(foreign)
    library.remove("tiny")
    library.remove("my-model")
    library.remove("never there")
    assert library.installed() == ()
    assert not own.exists()
    assert foreign.exists()


def test_file_deleted_by_hand(library: Library, own: Path) -> None:
    """A missing file is reported as missing, and can be removed from the list."""
    library.add_downloaded("tiny", "Tiny", own, None)
    own.unlink()
    (model,) = library.installed()
    assert model.is_missing
    with pytest.raises(UserFacing) as refused:
        library.verify("tiny", lambda _done, _total: None)
    assert refused.value.code == "model-file-missing"
    library.remove("tiny")
    assert library.installed() == ()


def test_changed_file_is_noticed(library: Library, foreign: Path) -> None:
    """A referenced file that was replaced is told apart until it is verified again."""
    library.import_file(foreign)
    foreign.write_bytes(TinyGguf(padding=10).content)
    assert library.installed()[0].state is FileState.CHANGED
    assert library.verify("my-model", lambda _done, _total: None)
    (model,) = library.installed()
    assert (model.state, model.size_bytes) == (FileState.PRESENT, foreign.stat().st_size)


def test_verify_finds_a_changed_byte(library: Library, foreign: Path) -> None:
    """Verifying reports progress, keeps the first hash, and notices one byte."""
    library.import_file(foreign)
    seen: list[tuple[int, int]] = []
    assert library.verify("my-model", lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(BODY), len(BODY))
    assert len(seen) > 2
    changed = bytearray(BODY)
    changed[-1] ^= 1
    foreign.write_bytes(bytes(changed))
    assert library.verify("my-model", lambda _done, _total: None) is False


def test_verify_can_be_stopped(library: Library, foreign: Path) -> None:
    """An exception of the progress callback ends the hashing."""
    library.import_file(foreign)

    def stop(_done: int, _total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        library.verify("my-model", stop)
    assert library.installed()[0].sha256 is None


def test_find(library: Library, own: Path, foreign: Path) -> None:
    """By id, name, file, or a prefix that fits only one."""
    library.add_downloaded("qwen2.5-coder-1.5b", "Qwen2.5 Coder", own, None)
    library.import_file(foreign)
    for text in ("qwen2.5-coder-1.5b", "QWEN2.5 coder", "tiny.gguf", str(own), "qwen"):
        found = library.find(text)
        assert found is not None
        assert found.path == own
    assert library.find("my") == library.get("my-model")
    assert library.find("") is None
    assert library.find("absent") is None


@pytest.mark.parametrize(
    "damage", ["", "{", '{"version": 1}', '{"version": 99, "models": []}', "[]", '{"version":1,"models":[7]}']
)
def test_damaged_list_is_made_again(library: Library, own: Path, paths: Paths, bus: Bus, damage: str) -> None:
    """The files are listed again with their facts, the damaged list is kept, and no file is touched."""
    library.add_downloaded("tiny", "Tiny", own, None)
    (paths.models / "broken.gguf").write_bytes(b"GGUF")
    (paths.models / "models.json").write_text(damage)
    (model,) = Library(paths, bus, Catalogue(())).installed()
    assert (model.id, model.name, model.path) == ("tiny", "Tiny", own)
    assert (paths.models / "models.damaged.json").read_text() == damage
    assert (paths.models / "broken.gguf").exists()
    assert json.loads((paths.models / "models.json").read_text())["models"][0]["id"] == "tiny"


def test_damaged_list_gives_catalogue_files_their_ids(own: Path, paths: Paths, bus: Bus) -> None:
    """A catalogue's file gets its id back, and its published hash still judges it."""
    entry = CatalogueEntry(
        "the-id", "The name", "f", "l", "", own.name, len(BODY), "00" * 32, 1, 1, "", True, None, ()
    )
    (paths.models / "models.json").write_text("damaged")
    library = Library(paths, bus, Catalogue((entry,)))
    assert [(m.id, m.name) for m in library.installed()] == [("the-id", "The name")]
    assert library.verify("the-id", lambda _done, _total: None) is False


def test_unreadable_list_is_told(library: Library, paths: Paths) -> None:
    """A list that cannot be read at all is not taken for a damaged one."""
    (paths.models / "models.json").mkdir(parents=True)
    with pytest.raises(UserFacing) as refused:
        library.installed()
    assert refused.value.code == "models-unreadable"


ADD = """
import sys
from pathlib import Path
from desktop.events import Bus
from desktop.models.library import Library
from desktop.paths import Paths
library = Library(Paths.under(Path(sys.argv[1])), Bus())
for path in sys.argv[2:]:
    library.import_file(Path(path))
"""


def test_two_processes_lose_no_entry(library: Library, paths: Paths, tmp_path: Path) -> None:
    """Both add at once; the list holds everything, and this process sees what the others wrote."""
    files = [tmp_path / f"m{n}.gguf" for n in range(12)]
    for path in files:
        path.write_bytes(TinyGguf().content)
    root = Path(library_module.__file__).parents[2]
    halves = (files[::2], files[1::2])
    workers = [
        subprocess.Popen([sys.executable, "-c", ADD, str(paths.data.parent), *map(str, half)], cwd=root)
        for half in halves
    ]
    assert [worker.wait(30) for worker in workers] == [0, 0]
    assert {model.path for model in library.installed()} == set(files)
