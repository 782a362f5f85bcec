"""The first run without its windows."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.models.catalogue import Catalogue, CatalogueEntry, load_catalogue
from desktop.models.download import Downloader
from desktop.models.fit import Fit
from desktop.models.library import Library
from desktop.models.progress import DownloadControl
from desktop.models.setup import (
    ComputerMemory,
    ModelSetup,
    UnknownHash,
    good_choices,
    is_repository,
    resolve_repository,
)
from desktop.models.sources import HUB, HttpsSource, RemoteFile
from desktop.paths import Paths
from tests.models.conftest import NetworkMaker
from tests.models.file_server import FileServer
from tests.models.tiny_gguf import TinyGguf

GB = 1_000_000_000
BODY = TinyGguf(padding=1000).content
SHA256 = hashlib.sha256(BODY).hexdigest()


def an_entry(url: str, **changes: object) -> CatalogueEntry:
    entry = CatalogueEntry(
        id="tiny",
        name="Tiny",
        family="llama",
        licence="MIT",
        licence_note="",
        file_name="tiny.gguf",
        size_bytes=len(BODY),
        sha256=SHA256,
        context_tokens=512,
        ram_bytes=GB,
        good_for="Tests",
        tried=True,
        general=False,
        sources=(HttpsSource(url),),
    )
    return dataclasses.replace(entry, **changes)  # type: ignore[arg-type]  # fields by name


@pytest.fixture
def make_setup(library: Library, downloader: Downloader, paths: Paths) -> Callable[..., ModelSetup]:
    def make(*entries: CatalogueEntry, total: int = 8 * GB, available: int = 6 * GB) -> ModelSetup:
        catalogue = Catalogue(entries) if entries else load_catalogue()
        return ModelSetup(catalogue, library, downloader, paths, lambda: ComputerMemory(total, available))

    return make


def test_get_downloads_once(server: FileServer, make_setup: Callable[..., ModelSetup]) -> None:
    """From the picker's id to an installed model; the second time at once."""
    server.serve("/tiny.gguf", BODY)
    setup = make_setup(an_entry(server.url + "/tiny.gguf"))
    assert not setup.choices(4096)[0].installed
    model = setup.get("tiny", DownloadControl())
    assert setup.get("tiny", DownloadControl()) == model
    assert setup.choices(4096)[0].installed
    assert len(server.requests) == 1


def test_deleted_file_is_fetched_again(server: FileServer, make_setup: Callable[..., ModelSetup]) -> None:
    """A model whose file is gone is not installed."""
    server.serve("/tiny.gguf", BODY)
    setup = make_setup(an_entry(server.url + "/tiny.gguf"))
    setup.get("tiny", DownloadControl()).path.unlink()
    assert not setup.choices(4096)[0].installed
    assert setup.get("tiny", DownloadControl()).path.exists()


@pytest.mark.parametrize(
    ("name", "changes", "is_known"),
    [
        ("tiny.gguf", {}, True),
        ("tiny-1b.gguf", {}, False),
        ("tiny.gguf", {"size_bytes": len(BODY) + 1}, False),
        ("tiny.gguf", {"size_bytes": None}, False),
    ],
)
def test_a_file_of_the_catalogue_that_the_user_has_is_not_offered_again(
    paths: Paths,
    downloader: Downloader,
    tmp_path: Path,
    name: str,
    changes: dict[str, object],
    is_known: bool,
) -> None:
    """A file with an entry's name and size is that entry, without a download, and stays the user's."""
    catalogue = Catalogue((an_entry("http://127.0.0.1:9/tiny.gguf", id="tiny-1b", **changes),))
    library = Library(paths, Bus(), catalogue)
    setup = ModelSetup(catalogue, library, downloader, paths, lambda: ComputerMemory(8 * GB, 6 * GB))
    (tmp_path / name).write_bytes(BODY)
    model = library.import_file(tmp_path / name)
    assert setup.choices(4096)[0].installed is is_known
    assert not library.is_published(model.path)  # nobody has looked at its bytes
    if is_known:
        assert setup.get("tiny-1b", DownloadControl()) == model
        library.remove(model.id)
        assert (tmp_path / name).exists()


def test_unknown_hash_is_asked_about_first(server: FileServer, make_setup: Callable[..., ModelSetup]) -> None:
    """Nothing is fetched without a known hash until the user agrees; then what came is remembered."""
    server.serve("/tiny.gguf", BODY)
    setup = make_setup(an_entry(server.url + "/tiny.gguf", sha256=None, size_bytes=None))
    with pytest.raises(UnknownHash) as asked:
        setup.get("tiny", DownloadControl())
    assert asked.value.file is not None
    assert asked.value.file.id == "tiny"
    assert server.requests == []
    assert setup.get("tiny", DownloadControl(), accept_unknown_hash=True).sha256 == SHA256


def test_remote_file(server: FileServer, make_setup: Callable[..., ModelSetup]) -> None:
    """A file of a repository is installed under the repository's name."""
    server.serve("/x", BODY)
    remote = RemoteFile(
        "owner/name", "n", "owner--name--n.gguf", len(BODY), SHA256, (HttpsSource(server.url + "/x"),)
    )
    model = make_setup().get_remote(remote, DownloadControl())
    assert (model.id, model.path.name) == ("owner/name", "owner--name--n.gguf")


def test_unknown_entry(make_setup: Callable[..., ModelSetup]) -> None:
    """A wrong id is refused in words."""
    with pytest.raises(UserFacing) as refused:
        make_setup().get("no-such-model", DownloadControl())
    assert refused.value.code == "model-unknown"


@pytest.mark.parametrize(
    ("total", "available", "recommended", "fit"),
    [
        (16 * GB, 12 * GB, "qwen3-4b-2507", Fit.FITS),
        (4 * GB, GB, "granite-4.0-1b", Fit.TIGHT),
        (2 * GB, 1.5 * GB, "smollm2-135m", Fit.FITS),
        (1 * GB, 0.5 * GB, "smollm2-135m", Fit.TOO_LARGE),
    ],
)
def test_recommended(
    make_setup: Callable[..., ModelSetup], total: float, available: float, recommended: str, fit: Fit
) -> None:
    """Exactly one entry is preselected, by this computer's memory and speed."""
    choices = make_setup(total=int(total), available=int(available)).choices(4096)
    (chosen,) = (choice for choice in choices if choice.recommended)
    assert (chosen.entry.id, chosen.fit) == (recommended, fit)


@pytest.mark.parametrize(
    ("total", "good"),
    [
        (3 * GB, ["qwen3-0.6b", "smollm2-135m"]),
        (8 * GB, ["qwen3-4b-2507", "qwen2.5-coder-1.5b", "qwen3-1.7b"]),
        (32 * GB, ["qwen3-4b-2507", "qwen2.5-coder-1.5b", "qwen3-1.7b"]),
    ],
)
def test_three_good_choices(make_setup: Callable[..., ModelSetup], total: int, good: list[str]) -> None:
    """The recommended one, the one that always works, and a quicker one; none with conditions."""
    choices = good_choices(make_setup(total=total, available=int(total * 0.8)).choices(4096))
    assert [choice.entry.id for choice in choices] == good
    assert all(not each.entry.licence_note for each in choices)


def test_a_longer_context_needs_more(make_setup: Callable[..., ModelSetup]) -> None:
    """The fit is judged for the context that the user has set."""
    setup = make_setup(total=16 * GB, available=int(1.9 * GB))
    fits = {tokens: setup.choices(tokens)[0].fit for tokens in (4096, 32768)}
    assert fits == {4096: Fit.FITS, 32768: Fit.TIGHT}


def test_a_disk_without_room_is_shown(server: FileServer, make_setup: Callable[..., ModelSetup]) -> None:
    """The picker can say that the disk is too small."""
    small, huge = (
        an_entry(server.url),
        an_entry(server.url, id="huge", file_name="h.gguf", size_bytes=1 << 60),
    )
    assert [choice.has_room for choice in make_setup(small, huge).choices(512)] == [True, False]


# -- a repository that the user names ----------------------------------------------------------

COMMIT = "ab" * 20
API = "/api/models/owner/Name-GGUF?blobs=true"


def row(name: str, size: int | None = GB, sha256: str | None = "cd" * 32) -> dict[str, Any]:
    """A file as the hub lists it: large ones have an `lfs` object."""
    listed: dict[str, Any] = {"rfilename": name, "blobId": "0" * 40}
    if size is not None:
        listed["size"] = size
    if sha256 is not None:
        listed["lfs"] = {"sha256": sha256, "size": size, "pointerSize": 135}
    return listed


def resolve(
    server: FileServer, make_network: NetworkMaker, rows: Any, largest: int = 8 * GB, **options: Any
) -> RemoteFile:
    body = json.dumps({"id": "owner/Name-GGUF", "sha": COMMIT, "siblings": rows}).encode()
    server.serve(API, body, content_type="application/json", **options)
    network = make_network(mirror=server.url)
    return resolve_repository(network, "owner/Name-GGUF", largest, lambda: "secret")


CHOICES = [
    (["m-Q8_0.gguf", "m-Q4_K_M.gguf", "m-Q4_0.gguf"], "m-Q4_K_M.gguf"),
    (["m.Q5_K_M.gguf", "m.q4_k_s.gguf"], "m.q4_k_s.gguf"),
    (["m-F16.gguf", "m-BF16.gguf", "m-Q2_K.gguf"], "m-Q2_K.gguf"),
    (["mmproj-m-Q4_K_M.gguf", "m-Q8_0.gguf"], "m-Q8_0.gguf"),
    (["m-Q4_K_M-00001-of-00002.gguf", "m-Q4_K_M-00002-of-00002.gguf", "m-Q8_0.gguf"], "m-Q8_0.gguf"),
    (["README.md", "m.safetensors", "UD/m-IQ4_XS.gguf"], "m-IQ4_XS.gguf"),
    (["gemma-q4_0-it.gguf", "gemma-odd.gguf"], "gemma-q4_0-it.gguf"),
    (["m-IQ4_XS.gguf", "m-Q3_K_XL.gguf"], "m-IQ4_XS.gguf"),
]


@pytest.mark.parametrize(("names", "expected"), CHOICES)
def test_preferred_file(
    server: FileServer, make_network: NetworkMaker, names: list[str], expected: str
) -> None:
    """Q4_K_M first; no parts of a split model, no image encoders."""
    remote = resolve(server, make_network, [row(name) for name in names])
    assert remote.file_name == f"owner--Name-GGUF--{expected}"


def test_everything_that_is_needed_to_fetch_it(server: FileServer, make_network: NetworkMaker) -> None:
    """The revision is pinned, and size and hash come from the hub's LFS data."""
    remote = resolve(server, make_network, [row("m-Q4_K_M.gguf", size=123, sha256="ef" * 32)])
    assert (remote.id, remote.size_bytes, remote.sha256) == ("owner/Name-GGUF", 123, "ef" * 32)
    (source,) = remote.sources
    assert source.address("") == f"{HUB}/owner/Name-GGUF/resolve/{COMMIT}/m-Q4_K_M.gguf"  # type: ignore[union-attr]


@pytest.mark.parametrize("sha256", [None, "short", "Z" * 64])
def test_no_hash_is_invented(server: FileServer, make_network: NetworkMaker, sha256: str | None) -> None:
    """A hash that the hub does not state properly is unknown."""
    assert resolve(server, make_network, [row("m-Q4_K_M.gguf", sha256=sha256)]).sha256 is None


def test_larger_than_this_computer(server: FileServer, make_network: NetworkMaker) -> None:
    """A smaller quantization is taken when the preferred one does not fit; none fits: refused with sizes."""
    rows = [row("m-Q4_K_M.gguf", size=5 * GB), row("m-Q2_K.gguf", size=3 * GB)]
    assert resolve(server, make_network, rows, largest=4 * GB).file_name.endswith("m-Q2_K.gguf")
    with pytest.raises(UserFacing) as refused:
        resolve(server, make_network, rows, largest=2 * GB)
    assert refused.value.code == "too-large"
    assert "3.0 GB" in refused.value.cause


@pytest.mark.parametrize(
    "rows", [[], None, "nonsense", [7], [{}], [row("a.safetensors")], [row("../../x.gguf")]]
)
def test_no_model(server: FileServer, make_network: NetworkMaker, rows: Any) -> None:
    """A repository without a usable file is refused in words, however odd its listing is."""
    with pytest.raises(UserFacing) as refused:
        resolve(server, make_network, rows)
    assert refused.value.code == "no-gguf"


def test_gated_repository_uses_the_token(server: FileServer, make_network: NetworkMaker) -> None:
    """The token is sent only after the first refusal."""
    assert resolve(server, make_network, [row("m-Q4_K_M.gguf")], token="secret").size_bytes == GB
    assert ["authorization" in request.headers for request in server.requests] == [False, True]


def test_unknown_repository(server: FileServer, make_network: NetworkMaker) -> None:
    """A wrong name is told as not found."""
    network = make_network(mirror=server.url)
    with pytest.raises(UserFacing) as refused:
        resolve_repository(network, "owner/none", GB, lambda: None)
    assert refused.value.code == "not-found"


def test_answer_that_is_no_json(server: FileServer, make_network: NetworkMaker) -> None:
    """A sign-in page in place of the listing has its own message."""
    server.serve("/api/models/owner/page?blobs=true", b"<html>")
    with pytest.raises(UserFacing) as refused:
        resolve_repository(make_network(mirror=server.url), "owner/page", GB, lambda: None)
    assert refused.value.code == "answer-invalid"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Qwen/Qwen3-4B-GGUF", True),
        ("a/b.c_d-e", True),
        ("model", False),
        ("a/b/c", False),
        ("../b", False),
        ("a/..", False),
        ("/etc/passwd", False),
        ("a /b", False),
        ("", False),
    ],
)
def test_names(text: str, expected: bool) -> None:
    """owner/name, and nothing that could be a path."""
    assert is_repository(text) is expected
