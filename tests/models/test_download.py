"""Downloads over a line that is not kind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.models.download import Downloader, SingleFile
from desktop.models.library import Library
from desktop.models.progress import DownloadPhase, DownloadProgress
from desktop.models.sources import HUB, HttpsSource, ModelFile
from desktop.models.transfer import Patience
from desktop.network import Network
from desktop.paths import Paths
from tests.models.a_download import BODY, PATH, SHA256, SIZE, a_file, part_of
from tests.models.conftest import QUICK, Heard, NetworkMaker
from tests.models.file_server import FileServer, Request


def test_installs_whole_and_verified(
    server: FileServer, downloader: Downloader, paths: Paths, heard: Heard
) -> None:
    """A good line ends in an installed model with nothing left in the downloads folder."""
    server.serve(PATH, BODY)
    model = downloader.get(a_file(server.url + PATH))
    assert model.path.read_bytes() == BODY
    assert (model.sha256, model.size_bytes, model.by_reference) == (SHA256, SIZE, False)
    assert [p.name for p in paths.downloads.iterdir()] == ["tiny.gguf.lock"]
    assert heard.phases == [
        DownloadPhase.QUEUED,
        DownloadPhase.CONNECTING,
        DownloadPhase.DOWNLOADING,
        DownloadPhase.VERIFYING,
        DownloadPhase.INSTALLING,
        DownloadPhase.DONE,
    ]
    assert heard.events[-1].bytes_done == heard.events[-1].bytes_total == SIZE


def test_second_time_is_instant(server: FileServer, downloader: Downloader) -> None:
    """What is installed is not asked for again."""
    server.serve(PATH, BODY)
    file = a_file(server.url + PATH)
    first = downloader.get(file)
    assert downloader.get(file).path == first.path
    assert len(server.requests) == 1


def test_line_cut_twice_fetches_no_byte_twice(server: FileServer, downloader: Downloader) -> None:
    """A broken line goes on where it broke, guarded by If-Range."""
    server.serve(PATH, BODY, cut_after=[300_000, 400_000])
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256
    assert server.ranges() == [None, "bytes=300000-", "bytes=700000-"]
    assert [request.headers.get("if-range") for request in server.requests] == [None, '"v1"', '"v1"']
    assert server.sent_bytes == SIZE


def test_a_line_that_is_long_gone_is_waited_for(
    server: FileServer, make_downloader: Callable[..., Downloader]
) -> None:
    """Once something has come, no number of failures ends a download: it goes on where it was."""
    server.serve(PATH, BODY, cut_after=[300_000, *[0] * 40])
    patient = Patience(first_contact=2, back_off_s=lambda _attempt: 0.0)
    assert make_downloader(patience=patient).get(a_file(server.url + PATH)).sha256 == SHA256
    assert server.sent_bytes == SIZE
    assert len(server.requests) > 40


def test_patience_has_an_end_where_another_source_waits() -> None:
    """Only the last source is waited for without end."""
    assert Patience().once_begun is None
    assert Patience().impatient().first_contact == 1
    assert Patience().impatient().once_begun == 8


def test_resumes_in_a_new_process(
    server: FileServer, make_downloader: Callable[..., Downloader], paths: Paths
) -> None:
    """What an earlier run left behind is hashed again and continued."""
    resource = server.serve(PATH, BODY, cut_after=[300_000], statuses=[])
    resource.cut_after = [300_000] + [0] * 10
    with pytest.raises(UserFacing) as refused:
        make_downloader().get(a_file(server.url + PATH))
    assert refused.value.code == "line-cut"
    assert part_of(paths).stat().st_size == 300_000
    resource.cut_after.clear()
    sent = server.sent_bytes
    assert make_downloader().get(a_file(server.url + PATH)).sha256 == SHA256
    assert server.sent_bytes - sent == SIZE - 300_000


@pytest.mark.parametrize(
    ("change", "expected_ranges"),
    [
        ({"ignore_range": True}, [None, "bytes=300000-"]),
        ({"etag": '"v2"'}, [None, "bytes=300000-"]),
        ({"etag": None, "last_modified": "Fri, 01 Aug 2025 10:00:00 GMT"}, [None, "bytes=300000-"]),
    ],
    ids=["range ignored", "etag changed", "other validator"],
)
def test_starts_again_when_it_must(
    server: FileServer,
    downloader: Downloader,
    change: dict[str, object],
    expected_ranges: list[str | None],
) -> None:
    """A server that cannot or must not continue sends everything, and the result is right."""
    resource = server.serve(PATH, BODY, cut_after=[300_000])
    server.resources[PATH] = resource

    def after_first_request() -> None:
        for name, value in change.items():
            setattr(resource, name, value)

    original = server.note

    def note(request: Request) -> None:
        if server.requests:
            after_first_request()
        original(request)

    server.note = note  # type: ignore[method-assign]  # the server changes between two requests
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256
    assert server.ranges() == expected_ranges


def test_without_validator_the_hash_guards(server: FileServer, downloader: Downloader) -> None:
    """A known hash allows a resume without a validator."""
    server.serve(PATH, BODY, etag=None, cut_after=[300_000])
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256
    assert server.sent_bytes == SIZE


def test_without_validator_or_hash_it_starts_again(server: FileServer, downloader: Downloader) -> None:
    """Nothing could tell whether the pieces fit, so they are not put together."""
    server.serve(PATH, BODY, etag=None, cut_after=[300_000])
    assert downloader.get(a_file(server.url + PATH, sha256=None)).sha256 == SHA256
    assert server.ranges() == [None, None]


def test_blend_of_two_files_is_fetched_again(
    server: FileServer, downloader: Downloader, paths: Paths
) -> None:
    """A resume without a validator onto the wrong beginning costs one more download, not an error."""
    paths.downloads.mkdir(parents=True)
    part_of(paths).write_bytes(b"x" * 300_000)
    server.serve(PATH, BODY, etag=None)
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256
    assert server.ranges() == ["bytes=300000-", None]
    assert not paths.quarantine.exists()


def test_wrong_byte_is_quarantined(
    server: FileServer, downloader: Downloader, paths: Paths, library: Library, heard: Heard
) -> None:
    """One wrong byte: its own message, the file put aside, nothing installed; the next try is clean."""
    resource = server.serve(PATH, BODY, wrong_byte_at=SIZE - 10)
    with pytest.raises(UserFacing) as refused:
        downloader.get(a_file(server.url + PATH))
    assert refused.value.code == "wrong-hash"
    assert str(paths.quarantine) in refused.value.not_lost
    assert (paths.quarantine / "tiny.gguf").stat().st_size == SIZE
    assert library.installed() == ()
    assert not (paths.models / "tiny.gguf").exists()
    assert heard.phases[-1] is DownloadPhase.FAILED
    resource.wrong_byte_at = None
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256


def test_next_source_after_a_wrong_one(server: FileServer, downloader: Downloader) -> None:
    """Sources are tried in order until one has the right file."""
    server.serve("/bad", BODY, wrong_byte_at=5)
    server.serve("/gone", BODY, always_status=404)
    server.serve(PATH, BODY)
    file = a_file(server.url + "/bad", server.url + "/gone", server.url + PATH)
    assert downloader.get(file).sha256 == SHA256


def test_the_wrong_file_is_told_rather_than_the_closed_door(
    server: FileServer, downloader: Downloader
) -> None:
    """When all sources fail, the user hears what matters most."""
    server.serve("/bad", BODY, wrong_byte_at=5)
    with pytest.raises(UserFacing) as refused:
        downloader.get(a_file(server.url + "/bad", server.url + "/missing"))
    assert refused.value.code == "wrong-hash"


STATUSES = [
    (401, "licence-not-accepted", 1),
    (403, "licence-not-accepted", 1),
    (404, "not-found", 1),
    (410, "not-found", 1),
    (418, "request-refused", 1),
    (429, "server-failed", 2),
    (500, "server-failed", 2),
    (503, "server-failed", 2),
]


@pytest.mark.parametrize(("status", "code", "requests"), STATUSES)
def test_each_refusal_has_its_message(
    server: FileServer, downloader: Downloader, status: int, code: str, requests: int
) -> None:
    """Statuses are told apart, and only those that may pass are asked for again."""
    server.serve(PATH, BODY, always_status=status)
    with pytest.raises(UserFacing) as refused:
        downloader.get(a_file(server.url + PATH))
    assert refused.value.code == code
    assert len(server.requests) == requests
    assert all((refused.value.cause, refused.value.not_lost, refused.value.action))


def test_server_error_passes(server: FileServer, downloader: Downloader, heard: Heard) -> None:
    """A server that recovers is waited for."""
    server.serve(PATH, BODY, statuses=[503])
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256
    assert DownloadPhase.WAITING in heard.phases


def test_other_size_is_refused_before_a_byte(
    server: FileServer, downloader: Downloader, paths: Paths
) -> None:
    """A sign-in page in place of the file is recognised by its length; what had arrived stays."""
    paths.downloads.mkdir(parents=True)
    part_of(paths).write_bytes(BODY[:1000])
    server.serve(PATH, b"<html>Please sign in</html>", etag=None, ignore_range=True)
    with pytest.raises(UserFacing) as refused:
        downloader.get(a_file(server.url + PATH))
    assert refused.value.code == "wrong-size"
    assert part_of(paths).stat().st_size == 1000


@pytest.mark.parametrize("extra", [-1000, 1000])
def test_undeclared_length_is_checked_at_the_end(
    server: FileServer, downloader: Downloader, extra: int
) -> None:
    """Without Content-Length a short answer counts as a cut, a long one as the wrong file."""
    body = BODY[:extra] if extra < 0 else BODY + b"x" * extra
    server.serve(PATH, body, declare_length=False, ignore_range=True)
    with pytest.raises(UserFacing) as refused:
        downloader.get(a_file(server.url + PATH))
    assert refused.value.code == ("line-cut" if extra < 0 else "wrong-size")


def test_foreign_file_without_hash_is_refused(
    server: FileServer, downloader: Downloader, paths: Paths
) -> None:
    """With neither size nor hash known, what is not a model still never gets in."""
    server.serve(PATH, b"<html>not found</html>")
    with pytest.raises(UserFacing) as refused:
        downloader.get(a_file(server.url + PATH, size=None, sha256=None))
    assert refused.value.code == "model-file-refused"
    assert "web page" in refused.value.cause
    assert (paths.quarantine / "tiny.gguf").exists()


def test_stall_is_noticed(
    server: FileServer, make_downloader: Callable[..., Downloader], make_network: NetworkMaker
) -> None:
    """A line on which nothing comes is given up and taken up again."""
    server.serve(PATH, BODY, stall_after=[200_000])
    downloader = make_downloader(network=make_network(stall_timeout_s=0.3))
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256
    assert server.ranges() == [None, "bytes=200000-"]


def test_no_server(downloader: Downloader, make_network: NetworkMaker) -> None:
    """Nobody listens: said with the host's name."""
    with FileServer() as closed:
        url = closed.url
    with pytest.raises(UserFacing) as refused:
        downloader.get(a_file(url + PATH))
    assert refused.value.code == "connect-failed"
    assert "127.0.0.1" in refused.value.cause


def test_no_network(downloader: Downloader) -> None:
    """A name that cannot be found means that there is no network."""
    with pytest.raises(UserFacing) as refused:
        downloader.get(a_file("http://models.invalid/x.gguf"))
    assert refused.value.code == "no-network"


def test_offline_sends_nothing(
    server: FileServer, make_downloader: Callable[..., Downloader], make_network: NetworkMaker
) -> None:
    """The offline switch holds for downloads."""
    server.serve(PATH, BODY)
    with pytest.raises(UserFacing) as refused:
        make_downloader(network=make_network(offline=True)).get(a_file(server.url + PATH))
    assert refused.value.code == "offline"
    assert server.requests == []


def test_mirror_stands_in_for_the_hub(
    server: FileServer, make_downloader: Callable[..., Downloader], make_network: NetworkMaker
) -> None:
    """The user's mirror gets the requests that the hub would get, with the same path."""
    server.serve("/mirror/owner/name/resolve/main/tiny.gguf", BODY)
    downloader = make_downloader(network=make_network(mirror=server.url + "/mirror/"))
    file = a_file(f"{HUB}/owner/name/resolve/main/tiny.gguf")
    assert downloader.get(file).sha256 == SHA256


def test_token_is_used_only_when_refused(
    server: FileServer, make_downloader: Callable[..., Downloader], make_network: NetworkMaker
) -> None:
    """A gated file is asked for with the token, after the first refusal."""
    server.serve("/owner/name/resolve/main/tiny.gguf", BODY, token="secret")
    network = make_network(mirror=server.url)
    file = a_file(f"{HUB}/owner/name/resolve/main/tiny.gguf")
    with pytest.raises(UserFacing) as refused:
        make_downloader(network=network).get(file)
    assert refused.value.code == "licence-not-accepted"
    assert make_downloader(network=network, token=lambda: "secret").get(file).sha256 == SHA256
    assert "authorization" not in server.requests[1].headers


def test_token_stays_away_from_other_servers(
    server: FileServer, make_downloader: Callable[..., Downloader]
) -> None:
    """A server that is not the hub never sees the token."""
    server.serve(PATH, BODY, token="secret")
    with pytest.raises(UserFacing):
        make_downloader(token=lambda: "secret").get(a_file(server.url + PATH))
    assert all("authorization" not in request.headers for request in server.requests)


CONTENT = bytes(range(256)) * 4000


def wanted(server: FileServer, *paths: str, sha256: str = "") -> ModelFile:
    right = hashlib.sha256(CONTENT).hexdigest()
    sources = tuple(HttpsSource(f"{server.url}/{path}") for path in paths)
    return ModelFile("small", "Small", "small.bin", len(CONTENT), sha256 or right, sources)


@pytest.fixture
def files(network: Network, bus: Bus, tmp_path: Path) -> SingleFile:
    return SingleFile(network, bus, tmp_path / "files", QUICK)


def test_it_arrives_whole_and_is_not_asked_for_twice(
    server: FileServer, files: SingleFile, bus: Bus, tmp_path: Path
) -> None:
    """The second time it is there already; nothing else is left in the folder."""
    server.serve("/small.bin", CONTENT)
    phases: list[DownloadPhase] = []
    bus.subscribe(DownloadProgress, lambda event: phases.append(event.phase))
    path = files.get(wanted(server, "small.bin"))
    assert path.read_bytes() == CONTENT
    assert (phases[0], phases[-1]) == (DownloadPhase.QUEUED, DownloadPhase.DONE)
    count = len(server.requests)
    assert files.get(wanted(server, "small.bin")) == path
    assert len(server.requests) == count
    assert {each.name for each in path.parent.iterdir()} == {"small.bin", "small.bin.lock"}


def test_the_next_source_is_tried(server: FileServer, files: SingleFile) -> None:
    """One that has nothing is passed by."""
    server.serve("/small.bin", CONTENT)
    assert files.get(wanted(server, "missing.bin", "small.bin")).exists()


def test_a_wrong_file_is_never_used(server: FileServer, files: SingleFile) -> None:
    """It is put aside, and said."""
    server.serve("/small.bin", CONTENT)
    file = wanted(server, "small.bin", sha256="0" * 64)
    with pytest.raises(UserFacing, match="SHA-256"):
        files.get(file)
    assert not files.path(file).exists()
