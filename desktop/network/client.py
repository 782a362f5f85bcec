"""The only way out of this computer.

One client with the system's certificates and proxy, an offline switch, and a log of every request, runs of
pip included. Nothing here retries: whoever asked knows how long to be patient.

httpx is imported when the first request is made, so that a program that never asks for anything does not
pay for it.
"""

from __future__ import annotations

import os
import ssl
import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from desktop import cancellation
from desktop.events import Bus
from desktop.network import pages, pip
from desktop.network.abort import AbortHandle, shut
from desktop.network.addresses import is_reachable
from desktop.network.failures import KEPT, NetworkFailure, host_of, refuse_status, translated
from desktop.network.log import OpenRequest, RequestLog, RequestRecord, Traffic
from desktop.network.pages import PageLimits, WebPage, fetch
from desktop.network.reasons import NetworkReason
from desktop.settings import NetworkSettings

if TYPE_CHECKING:
    import httpx

CONNECT_TIMEOUT_S = 10.0
STALL_TIMEOUT_S = 20.0
READ_BYTES = 512 * 1024
MOST_REDIRECTS = 10
JSON_LIMIT_BYTES = 16 * 1024 * 1024
PAGE = PageLimits()


class Response:
    """The head of an answer and its body as it arrives; valid inside the `with` that made it."""

    def __init__(self, raw: httpx.Response, recording: OpenRequest) -> None:
        self._raw = raw
        self._recording = recording
        self.status = raw.status_code
        self.headers: Mapping[str, str] = raw.headers

    def chunks(self) -> Iterator[bytes]:
        """The body as it was sent, undecoded. Raises NetworkFailure (connection lost, stalled)."""
        with translated(str(self._raw.url)):
            for chunk in self._raw.iter_raw():
                cancellation.check()
                self._recording.received(len(chunk))
                yield chunk

    def interrupt(self) -> None:
        """Wake a reader that waits for bytes; it then sees a lost connection. May be called on any thread."""
        shut(self._raw.extensions.get("network_stream"))


class Network:
    """Requests for everyone. Thread-safe. `close` gives the connections back."""

    def __init__(
        self,
        settings: Callable[[], NetworkSettings],
        *,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        stall_timeout_s: float = STALL_TIMEOUT_S,
        may_reach: Callable[[str], bool] = is_reachable,
        bus: Bus | None = None,
    ) -> None:
        """`may_reach` says of a numeric address whether a page may be fetched from there.

        `bus` hears TrafficChanged when a request begins or ends, or a command could make one.
        """
        self._settings = settings
        self._may_reach = may_reach
        self._timeouts = (connect_timeout_s, stall_timeout_s)
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._client_proxy = ""
        self._direct_client: httpx.Client | None = None
        self._log = RequestLog(bus)

    @property
    def log(self) -> tuple[RequestRecord, ...]:
        """The latest requests, oldest first; without queries and credentials."""
        return self._log.records

    @property
    def log_under_way(self) -> tuple[RequestRecord, ...]:
        """Those that have not ended, oldest first, with what has come so far."""
        return self._log.under_way

    @property
    def started(self) -> datetime:
        """Since when the log is kept."""
        return self._log.started

    @property
    def traffic(self) -> Traffic:
        """How many requests there were since the start, and since when there is none."""
        return self._log.traffic

    def note_open_command(self) -> None:
        """A command began that nothing keeps from the network; what it does there is not seen."""
        self._log.note_open_command()

    def note_sent(self, record: RequestRecord) -> None:
        """What another program of ours has sent: told like a request."""
        self._log.note(record)

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
        with self._log.record(method, url) as record:
            with translated(url):
                request = client.build_request(method, url, headers=dict(headers or {}))
                raw = _followed(client, request)
            try:
                record(str(raw.status_code))
                refuse_status(url, raw)
                yield Response(raw, record)
            finally:
                raw.close()

    @contextmanager
    def asked(
        self,
        method: str,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        stall_timeout_s: float,
        *,
        abort: AbortHandle | None = None,
        direct: bool = False,
    ) -> Iterator[Response]:
        """Send `body` and hand over the answer when its head has arrived, whatever its status: the
        caller's to judge. No redirect is followed: what is sent was meant for this host. `abort` can end
        the request at any moment. `direct`: past every proxy, for a host of which it was said that nobody
        else sees the words. Raises NetworkFailure."""
        client = self._usable_direct_client() if direct else self._usable_client()
        with self._log.record(method, url) as record:
            with translated(url):
                request = client.build_request(method, url, content=body, headers=dict(headers))
                request.extensions["timeout"] = {**request.extensions["timeout"], "read": stall_timeout_s}
                if abort is not None:
                    request.headers["Connection"] = "close"
                    request.extensions["trace"] = abort.on_event
                raw = client.send(request, stream=True)
            try:
                record(str(raw.status_code))
                yield Response(raw, record)
            finally:
                raw.close()

    def get_text(self, url: str, headers: Mapping[str, str] | None = None) -> str:
        """The body of `url` as text, at most 16 MB. Raises NetworkFailure."""
        # Unpacked it could be of any size.
        plain = {"Accept-Encoding": "identity", **(headers or {})}
        body = bytearray()
        with self.stream("GET", url, plain) as response:
            for chunk in response.chunks():
                body += chunk
                # Counted as it comes: the length that a server states may be anything.
                if len(body) > JSON_LIMIT_BYTES:
                    raise _makes_no_sense(url, NetworkReason.TOO_LONG)
        return body.decode("utf-8", errors="replace")

    def get_json(self, url: str, headers: Mapping[str, str] | None = None) -> Any:
        """The body of `url`, parsed. Raises NetworkFailure, also when it is not JSON."""
        import json

        text = self.get_text(url, headers)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:  # nested deeper than Python follows
            raise _makes_no_sense(url, NetworkReason.NOT_JSON) from error

    def page(self, url: str, limits: PageLimits = PAGE, hosts: Container[str] | None = None) -> WebPage:
        """Fetch a page that somebody else has named: public addresses only, at every redirect again, and
        only from `hosts` where those are given.

        Sends no cookies and keeps none. Raises NetworkFailure.
        """
        client = self._usable_client()
        with _nothing_begun(), self._log.record("GET", url) as record, translated(url):
            by_proxy = bool(self.settings.proxy)
            found = fetch(client, url, limits, self._may_reach, by_proxy=by_proxy, hosts=hosts)
            record(str(found.status))
            record.received(len(found.body))
        return found

    def refuse_near(self, url: str) -> None:
        """Raise NetworkFailure where `page` would refuse the address as it is written; nothing is asked."""
        pages.refuse_near(url, self._may_reach)

    def ask(self, method: str, url: str, **parts: Any) -> str:
        """What a search engine answers, as text of at most 16 MB; `parts` as httpx names them.

        Raises NetworkFailure.
        """
        client = self._usable_client()
        with _nothing_begun(), self._log.record(method, url) as record, translated(url):
            with closing(_followed(client, client.build_request(method, url, **parts))) as raw:
                record(str(raw.status_code))
                refuse_status(url, raw)
                body = bytearray()
                # Counted as it is unpacked: some kilobytes may be packed gigabytes.
                for chunk in raw.iter_bytes():
                    cancellation.check()
                    body += chunk
                    if len(body) > JSON_LIMIT_BYTES:
                        raise _makes_no_sense(url, NetworkReason.TOO_LONG)
                record.received(raw.num_bytes_downloaded)
            return body.decode(raw.encoding or "utf-8", "replace")

    @contextmanager
    def connection(self, method: str, url: str) -> Iterator[OpenRequest]:
        """For servers that are asked in another way than by HTTP: refused offline, and logged like a request.

        Call what is yielded with the outcome. Raises NetworkFailure `offline`.
        """
        self.refuse_offline()
        with self._log.record(method, url) as record:
            yield record

    def run_pip(self, args: Sequence[str], cancelled: Callable[[], bool] = lambda: False) -> str:
        """Run pip with its own configuration and return what it printed to stdout.

        Raises NetworkFailure `pip-missing`, `pip-failed` with its last line, `offline`; or Cancelled soon
        after `cancelled()` turns true.
        """
        self.refuse_offline()
        return pip.run(args, self._pip_environment(), lambda: self._log.record("PIP", ""), cancelled)

    def close(self) -> None:
        """Close every connection. A later request opens new ones."""
        with self._lock:
            # Out of the lock before it is closed: a request under way may hold its connection for seconds.
            clients = (self._client, self._direct_client)
            self._client = self._direct_client = None
        for client in clients:
            if client is not None:
                client.close()

    def _usable_client(self) -> httpx.Client:
        self.refuse_offline()
        proxy = self.settings.proxy
        with self._lock:
            # httpx decides about the proxy once, when its client is made.
            if self._client is not None and proxy != self._client_proxy:
                self._client.close()
                self._client = None
            if self._client is None:
                self._client = _new_client(proxy, *self._timeouts)
                self._client_proxy = proxy
            return self._client

    def _usable_direct_client(self) -> httpx.Client:
        self.refuse_offline()
        with self._lock:
            if self._direct_client is None:
                # Nor that of the environment, which httpx would read by itself.
                self._direct_client = _new_client("", *self._timeouts, reads_environment=False)
            return self._direct_client

    def refuse_offline(self) -> None:
        """Raise NetworkFailure `offline` where nothing may leave; Cancelled in work that was given up."""
        cancellation.check()
        # Looked at before every request, not once: the switch holds from the next one on.
        if self.settings.offline:
            raise NetworkFailure(NetworkReason.OFFLINE.of())

    def _pip_environment(self) -> dict[str, str]:
        # It must not ask on a terminal that nobody watches.
        environment = {**os.environ, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        if self.settings.proxy:
            environment["PIP_PROXY"] = self.settings.proxy
        return environment


@contextmanager
def _nothing_begun() -> Iterator[None]:
    """For what is asked in one go: there is no part of it that could be kept."""
    try:
        yield
    except NetworkFailure as failure:
        raise failure.with_nothing_begun() from failure


def _followed(client: httpx.Client, request: httpx.Request) -> httpx.Response:
    """The head of the answer to which the redirects lead; its body is the caller's to read and to close."""
    for _ in range(MOST_REDIRECTS + 1):
        cancellation.check()
        raw = client.send(request, stream=True)
        following = raw.next_request
        if following is None:
            return raw
        raw.close()
        # What was asked for over TLS is not fetched in the open after all, where anybody could answer.
        if request.url.scheme == "https" and following.url.scheme == "http":
            raise NetworkFailure(NetworkReason.LEADS_INTO_THE_OPEN.of(host=request.url.host))
        request = following
    raise _makes_no_sense(str(request.url), NetworkReason.ENDLESS_REDIRECTS)


def _makes_no_sense(url: str, why: NetworkReason) -> NetworkFailure:
    return NetworkFailure(NetworkReason.ANSWER_INVALID.of(host=host_of(url), reason=why.of(), kept=KEPT))


def _new_client(
    proxy: str, connect_timeout_s: float, stall_timeout_s: float, reads_environment: bool = True
) -> httpx.Client:
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpcore
    import httpx
    import truststore

    # Larger reads than httpcore's 64 KB: each one costs a pass through the parser, which at loopback and
    # 10-gigabit speed is what limits a download.
    httpcore.HTTP11Connection.READ_NUM_BYTES = READ_BYTES
    timeout = httpx.Timeout(stall_timeout_s, connect=connect_timeout_s)
    # No cookie is taken or sent, so that nobody is recognised again.
    nobody = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    # The system's certificates: those of a company's proxy are among them.
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return httpx.Client(
            timeout=timeout,
            proxy=proxy or None,
            verify=context,
            # Followed here: httpx reads the body of each redirect to its end, which there may be none of.
            follow_redirects=False,
            cookies=nobody,
            trust_env=reads_environment,
        )
    except (ValueError, httpx.InvalidURL) as error:
        raise NetworkFailure(NetworkReason.PROXY_INVALID.of(reason=str(error))) from error
