"""Is there a newer version: asked of a real server, believed only with a right signature."""

from __future__ import annotations

import hashlib
import json
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from desktop import __version__
from desktop.errors import UserFacing
from desktop.network import Network
from desktop.paths import Paths, resources
from desktop.settings import NetworkSettings
from desktop.system.updates import PAUSE_S, PublicKey, Source, Untrusted, Updates, check
from tests.models.file_server import FileServer, Resource

SEED = bytes(range(32))  # a key of this test alone
COMMENT = "timestamp:1795392000\tfile:release.json\thashed"
PAGE = "https://steward.example/9.9.0"


class Signer:
    """Signs as `minisign -S` does."""

    def __init__(self, seed: bytes = SEED, key_id: bytes = b"steward1") -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self._id = key_id

    @property
    def public(self) -> str:
        return b64encode(b"Ed" + self._id + self._private.public_key().public_bytes_raw()).decode()

    def signature(self, content: bytes, comment: str = COMMENT) -> bytes:
        signed = self._private.sign(hashlib.blake2b(content).digest())
        both = self._private.sign(signed + comment.encode())
        lines = (
            "untrusted comment: signature from minisign secret key",
            b64encode(b"ED" + self._id + signed).decode(),
            f"trusted comment: {comment}",
            b64encode(both).decode(),
        )
        return "".join(f"{line}\n" for line in lines).encode()


def release(version: str = "9.9.0", **changes: str) -> bytes:
    return json.dumps({"program": "steward", "version": version, "page": PAGE, **changes}).encode()


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as running:
        yield running


@pytest.fixture
def network() -> Iterator[Network]:
    made = Network(lambda: NetworkSettings(proxy=""))
    yield made
    made.close()


def publish(server: FileServer, content: bytes, signature: bytes | None = None) -> None:
    server.resources["/release.json"] = Resource(content)
    server.resources["/release.json.minisig"] = Resource(signature or Signer().signature(content))


def updates(
    server: FileServer,
    network: Network,
    paths: Paths,
    allowed: bool = True,
    clock: Callable[[], float] = time.time,
) -> Updates:
    source = Source(f"{server.url}/release.json", (PublicKey.read(Signer().public),))
    return Updates(network, source, paths, lambda: allowed, clock)


def test_a_newer_version_is_told_with_its_page(server: FileServer, network: Network, paths: Paths) -> None:
    publish(server, release())
    found = updates(server, network, paths).look()
    assert (found.version, found.page, found.is_newer) == ("9.9.0", PAGE, True)


@pytest.mark.parametrize("version", [__version__, "0.0.9"])
def test_the_same_or_an_older_version_is_none(
    server: FileServer, network: Network, paths: Paths, version: str
) -> None:
    """Also when somebody plays an old release file back, with its right signature."""
    publish(server, release(version))
    assert not updates(server, network, paths).look().is_newer
    assert updates(server, network, paths).look_if_due() is None


def test_a_file_changed_by_one_byte_is_refused(server: FileServer, network: Network, paths: Paths) -> None:
    """The user is told, and nothing of it is shown as true."""
    publish(server, release().replace(b"9.9.0", b"9.9.1"), Signer().signature(release()))
    with pytest.raises(UserFacing) as refused:
        updates(server, network, paths).look()
    assert refused.value.code == "update-untrusted"
    assert "signature is wrong" in refused.value.cause


def test_another_key_is_refused(server: FileServer, network: Network, paths: Paths) -> None:
    """By its number, and where the number is copied, by its signature."""
    for key_id, words in ((b"somebody", "another key"), (b"steward1", "signature is wrong")):
        publish(server, release(), Signer(bytes(32), key_id).signature(release()))
        with pytest.raises(UserFacing, match=words):
            updates(server, network, paths).look()


def test_a_changed_comment_is_refused() -> None:
    """The comment is shown in the log as true, so it is signed, too."""
    signer = Signer()
    forged = signer.signature(release()).replace(b"timestamp:1", b"timestamp:2")
    with pytest.raises(Untrusted, match="signature is wrong"):
        check(release(), forged.decode(), (PublicKey.read(signer.public),))


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_a_damaged_signature_is_refused(cut: int) -> None:
    """Any line of it missing."""
    signer = Signer()
    lines = signer.signature(release()).decode().splitlines()
    del lines[cut]
    with pytest.raises(Untrusted):
        check(release(), "\n".join(lines), (PublicKey.read(signer.public),))


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        b"no json",
        b"[]",
        release(program="another"),
        release("latest"),
        release(page="javascript:alert(1)"),
    ],
)
def test_what_is_signed_but_no_release_is_refused(
    server: FileServer, network: Network, paths: Paths, content: bytes
) -> None:
    publish(server, content)
    with pytest.raises(UserFacing, match=r"is not (?:a|one of Steward's) release file"):
        updates(server, network, paths).look()


def test_a_file_without_end_is_not_read_to_its_end(
    server: FileServer, network: Network, paths: Paths
) -> None:
    publish(server, b"x" * 3_000_000)
    with pytest.raises(UserFacing, match="far too long"):
        updates(server, network, paths).look()


def test_without_leave_nothing_is_asked(server: FileServer, network: Network, paths: Paths) -> None:
    """The setting is off unless the user switches it on."""
    publish(server, release())
    assert updates(server, network, paths, allowed=False).look_if_due() is None
    assert server.requests == []
    assert NetworkSettings().look_for_updates is False


def test_with_leave_it_is_asked_once_a_day(server: FileServer, network: Network, paths: Paths) -> None:
    """Also when the program is started ten times a day; a clock that was set back puts it off no longer."""
    publish(server, release())
    assert updates(server, network, paths, clock=lambda: 0.0).look_if_due() is not None
    asked = len(server.requests)
    assert updates(server, network, paths, clock=lambda: PAUSE_S - 60).look_if_due() is None
    assert len(server.requests) == asked
    assert updates(server, network, paths, clock=lambda: PAUSE_S + 60).look_if_due() is not None
    assert updates(server, network, paths, clock=lambda: 30.0).look_if_due() is not None


def test_a_server_that_does_not_answer_disturbs_nobody(
    server: FileServer, network: Network, paths: Paths
) -> None:
    """The daily question is silent; nothing is retried before tomorrow."""
    server.resources["/release.json"] = Resource(b"", always_status=500)
    assert updates(server, network, paths).look_if_due() is None


def test_offline_means_offline(server: FileServer, paths: Paths) -> None:
    publish(server, release())
    quiet = Network(lambda: NetworkSettings(offline=True))
    with pytest.raises(UserFacing):
        updates(server, quiet, paths).look()
    assert server.requests == []
    quiet.close()


def test_this_checkout_names_no_place_to_ask(network: Network, paths: Paths) -> None:
    """Whoever publishes releases fills it in; until then the question is refused in words."""
    assert Source.read(resources() / "release.toml") is None
    with pytest.raises(UserFacing) as refused:
        Updates(network, None, paths, lambda: True).look()
    assert refused.value.code == "no-update-source"


def test_a_published_copy_reads_its_source(tmp_path: Path) -> None:
    told = tmp_path / "release.toml"
    told.write_text(f'url = "https://steward.example/release.json"\npublic_keys = ["{Signer().public}"]\n')
    source = Source.read(told)
    assert source is not None
    assert source.keys[0].id == b"steward1"
    told.write_text('url = "https://steward.example/release.json"\npublic_keys = ["RWxx"]\n')
    with pytest.raises(Untrusted):
        Source.read(told)
