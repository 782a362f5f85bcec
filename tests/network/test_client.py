"""The only way out: requests, the log, the offline switch, pip."""

from __future__ import annotations

import gzip
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from desktop import network as network_module
from desktop.errors import Cancelled, UserFacing
from desktop.network import LOG_LENGTH, Network, NetworkFailure
from desktop.settings import NetworkSettings
from tests.models.file_server import FileServer
from tests.network.self_signed import write_certificate


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as running:
        yield running


class Settings:
    """Settings that a test changes."""

    def __init__(self) -> None:
        self.current = NetworkSettings()

    def __call__(self) -> NetworkSettings:
        return self.current


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def network(settings: Settings) -> Iterator[Network]:
    network = Network(settings, connect_timeout_s=2, stall_timeout_s=1)
    yield network
    network.close()


def test_import_is_cheap() -> None:
    """Importing the module, and the rooms that use it, brings in no HTTP client."""
    code = (
        "import sys, desktop.network, desktop.models.setup, desktop.models.library\n"
        "heavy = {'httpx', 'httpcore', 'truststore', 'llama_cpp', 'PySide6', 'numpy', 'http.cookiejar'}\n"
        "assert not heavy & set(sys.modules)"
    )
    root = Path(network_module.__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root).returncode == 0


def test_json_and_log(server: FileServer, network: Network) -> None:
    """An answer is parsed; the log has host, path and outcome, and no query."""
    server.serve("/a?secret=1", b'{"x": [1, 2]}')
    assert network.get_json(server.url + "/a?secret=1") == {"x": [1, 2]}
    (record,) = network.log
    assert (record.method, record.host, record.path, record.outcome) == ("GET", "127.0.0.1", "/a", "200")


@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b'{"a":' * 50_000, b"9" * 5_000])
def test_what_is_no_json_is_a_sentence(server: FileServer, network: Network, body: bytes) -> None:
    """Nested deeper than anybody follows, too, and numbers without end."""
    server.serve("/a", body)
    with pytest.raises(NetworkFailure) as failed:
        network.get_json(server.url + "/a")
    assert failed.value.code == "answer-invalid"


def test_log_is_bounded(server: FileServer, network: Network) -> None:
    """The log keeps the latest requests."""
    server.serve("/a", b"x")
    for _ in range(LOG_LENGTH + 5):
        network.get_text(server.url + "/a")
    assert len(network.log) == LOG_LENGTH


def test_offline_switch_works_at_once(server: FileServer, network: Network, settings: Settings) -> None:
    """Neither a request nor pip gets out, and the switch is read each time."""
    server.serve("/a", b"x")
    assert network.get_text(server.url + "/a") == "x"
    settings.current = NetworkSettings(offline=True)
    with pytest.raises(UserFacing) as refused:
        network.get_text(server.url + "/a")
    with pytest.raises(UserFacing) as pip_refused:
        network.run_pip(["--version"])
    assert refused.value.code == pip_refused.value.code == "offline"
    assert len(server.requests) == 1


def test_proxy_of_the_settings_is_used(server: FileServer, network: Network, settings: Settings) -> None:
    """A proxy gets the request with the whole address; changing it needs no restart."""
    server.serve("http://models.invalid/x", b"by proxy")
    settings.current = NetworkSettings(proxy=server.url)
    assert network.get_text("http://models.invalid/x") == "by proxy"
    settings.current = NetworkSettings()
    with pytest.raises(NetworkFailure) as refused:
        network.get_text("http://models.invalid/x")
    assert refused.value.code == "no-network"


def test_proxy_of_the_environment_is_used(
    server: FileServer, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a setting, the system's proxy counts."""
    monkeypatch.setenv("http_proxy", server.url)
    server.serve("http://models.invalid/x", b"by proxy")
    assert network.get_text("http://models.invalid/x") == "by proxy"


FAILURES = [
    ("http://models.invalid/x", "no-network", True),
    ("http://127.0.0.1:1/x", "connect-failed", True),
    ("ftp://127.0.0.1/x", "address-invalid", False),
    ("http://", "address-invalid", False),
    ("http://[bad", "no-network", True),
]


@pytest.mark.parametrize(("url", "code", "may_pass"), FAILURES)
def test_failures_are_told_apart(network: Network, url: str, code: str, may_pass: bool) -> None:
    """Each failure has its code, says whether waiting helps, and is logged."""
    with pytest.raises(NetworkFailure) as refused:
        network.get_text(url)
    assert (refused.value.code, refused.value.may_pass) == (code, may_pass)
    assert network.log[-1].outcome == code


def test_a_refused_connection_is_told_in_words(network: Network) -> None:
    """Of the language, without the system's number of the error."""
    with pytest.raises(NetworkFailure) as refused:
        network.get_text("http://127.0.0.1:1/x")
    assert (
        refused.value.reason.parts("en")[0] == "127.0.0.1 could not be reached: the connection was refused."
    )
    assert refused.value.reason.parts("de")[0].endswith("die Verbindung wurde abgelehnt.")


@pytest.mark.parametrize("proxy", ["nonsense", "ftp://x"])
def test_invalid_proxy(server: FileServer, network: Network, settings: Settings, proxy: str) -> None:
    """A proxy address that cannot be used is named, not a crash."""
    settings.current = NetworkSettings(proxy=proxy)
    with pytest.raises(NetworkFailure) as refused:
        network.get_text(server.url + "/a")
    assert refused.value.code == "proxy-invalid"


def test_stall(server: FileServer, network: Network) -> None:
    """A server that stops sending is given up after the time limit."""
    server.serve("/a", b"x" * 1000, stall_after=[10])
    with pytest.raises(NetworkFailure) as refused:
        network.get_text(server.url + "/a")
    assert (refused.value.code, refused.value.may_pass) == ("stalled", True)


def test_answer_without_end(server: FileServer, network: Network) -> None:
    """A text answer is bounded."""
    server.serve("/a", b"x" * (network_module.JSON_LIMIT_BYTES + 1))
    with pytest.raises(NetworkFailure) as refused:
        network.get_text(server.url + "/a")
    assert refused.value.code == "answer-invalid"


def test_redirects_of_a_download_end(server: FileServer, network: Network) -> None:
    """A circle is given up, and the bodies of redirects are nobody's: one without an end keeps nothing up."""
    server.serve("/a", b"x" * 1000, redirect="/b", stall_after=[10])
    server.serve("/b", b"here")
    assert network.get_text(server.url + "/a") == "here"
    server.serve("/a", b"", redirect="/b")
    server.serve("/b", b"", redirect="/a")
    with pytest.raises(NetworkFailure, match="redirects endlessly"):
        network.get_text(server.url + "/a")


def test_a_secure_request_is_not_led_into_the_open(
    tmp_path: Path, server: FileServer, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever can answer there could give another file, and would see an access token."""
    server.serve("/", b"anybody's")
    trusting = httpx.Client(verify=False)
    monkeypatch.setattr(network, "_client", trusting)
    with _tls_server(tmp_path) as secure:
        secure.serve("/", b"", redirect=server.url + "/")
        with pytest.raises(NetworkFailure) as refused:
            network.get_text(f"https://127.0.0.1:{secure.port}/")
    assert (refused.value.code, server.requests) == ("leads-into-the-open", [])


def test_a_packed_answer_without_end(server: FileServer, network: Network) -> None:
    """The answer of a search engine is bounded as it is unpacked."""
    bomb = gzip.compress(b"0" * (network_module.JSON_LIMIT_BYTES + 1))
    server.serve("/a", bomb, headers={"Content-Encoding": "gzip"})
    with pytest.raises(NetworkFailure) as refused:
        network.ask("GET", server.url + "/a")
    assert refused.value.code == "answer-invalid"


def test_foreign_certificate_is_refused(tmp_path: Path, network: Network) -> None:
    """A certificate that the system does not trust ends the connection before anything is sent."""
    with _tls_server(tmp_path) as secure, pytest.raises(NetworkFailure) as refused:
        network.get_text(f"https://127.0.0.1:{secure.port}/")
    assert (refused.value.code, refused.value.may_pass) == ("tls-failed", False)


class _tls_server:  # noqa: N801 - used as a context manager
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> FileServer:
        key, certificate = self._folder / "key.pem", self._folder / "certificate.pem"
        write_certificate(key, certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server = FileServer()
        self._server.use_tls(context)
        return self._server.start()

    def __exit__(self, *_error: object) -> None:
        self._server.close()


# -- pip ------------------------------------------------------------------------------------------


@pytest.fixture
def scripted_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No Python, but a `pip3` on the search path, whose behaviour the test writes."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin" if sys.platform != "win32" else str(folder))
    for name in ("python3", "python"):
        (folder / name).write_text("#!/bin/sh\nexit 1\n")
        (folder / name).chmod(0o755)
    return folder / "pip3"


def write_pip(path: Path, body: str) -> None:
    path.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "pip 24.0 from here"; exit; fi\n{body}\n')
    path.chmod(0o755)


posix = pytest.mark.skipif(sys.platform == "win32", reason="the scripted pip is a shell script")


@posix
def test_pip_on_the_search_path(network: Network, settings: Settings, scripted_pip: Path) -> None:
    """A pip outside the environment does; it gets the proxy of the settings and no terminal."""
    settings.current = NetworkSettings(proxy="http://proxy.invalid:1")
    write_pip(scripted_pip, 'echo "$@ $PIP_PROXY $PIP_NO_INPUT"')
    assert network.run_pip(["install", "x"]).split() == ["install", "x", "http://proxy.invalid:1", "1"]
    assert [(record.method, record.outcome) for record in network.log] == [("PIP", "exit 0")]


@posix
def test_pip_tells_its_reason(network: Network, scripted_pip: Path) -> None:
    """The last error line of pip reaches the user."""
    write_pip(scripted_pip, 'echo "WARNING: a" >&2; echo "ERROR: No matching distribution." >&2; exit 1')
    with pytest.raises(NetworkFailure) as refused:
        network.run_pip(["install", "x"])
    assert refused.value.code == "pip-failed"
    assert "No matching distribution" in refused.value.cause


@posix
def test_pip_can_be_cancelled(network: Network, scripted_pip: Path) -> None:
    """A pip that takes long is ended with the download."""
    write_pip(scripted_pip, "exec sleep 3600")
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    with pytest.raises(Cancelled):
        network.run_pip(["install", "x"], cancelled.is_set)
    timer.join()


@posix
def test_no_pip_at_all(network: Network, scripted_pip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any pip the user hears what would help."""
    monkeypatch.setenv("PATH", str(scripted_pip.parent))
    with pytest.raises(NetworkFailure) as refused:
        network.run_pip(["--version"])
    assert refused.value.code == "pip-missing"
