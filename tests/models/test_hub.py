"""Choosing a file in a repository that the user names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from desktop.errors import UserFacing
from desktop.models.hub import is_repository, resolve_repository
from desktop.models.sources import HUB, RemoteFile
from tests.models.conftest import NetworkMaker
from tests.models.file_server import FileServer

GB = 1_000_000_000
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
