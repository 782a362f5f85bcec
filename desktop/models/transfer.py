"""One address into one unfinished file: resume, retries, pause.

Resuming: the rest is asked for with Range, and with If-Range where the server gave a validator, so that a
changed file starts again by itself (RFC 9110, 13.1.5 and 14.2). Without a validator the rest is still asked
for when the SHA-256 is known, because that decides in the end; else the file starts again.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import structlog

from desktop.models.part import PartFile, Validators
from desktop.models.progress import DownloadControl, Phase, Progress
from desktop.models.refusals import no_room, other_file
from desktop.network import Network, NetworkFailure, Response

log = structlog.get_logger(__name__)

CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")
ROOM_TO_SPARE_BYTES = 64 * 1024 * 1024


def doubling(attempt: int) -> float:
    """Seconds to wait after the `attempt`-th failure in a row: 1, 2, 4, … 30."""
    return float(min(2 ** (attempt - 1), 30))


@dataclass(frozen=True)
class Patience:
    """How often a failing address is asked again. Any byte that arrives starts the count anew."""

    first_contact: int = 3  # attempts while nothing has come
    once_begun: int = 8  # attempts in a row after bytes have come
    back_off_s: Callable[[int], float] = doubling

    def impatient(self) -> Patience:
        """For a source after which another one can be tried."""
        return replace(self, first_contact=1)


@dataclass(frozen=True)
class Wanted:
    """What is known about the file before it arrives."""

    name: str
    size_bytes: int | None
    sha256: str | None


class Transfer:
    """Brings one address into `part`. Used by one thread."""

    def __init__(
        self,
        network: Network,
        control: DownloadControl,
        progress: Progress,
        patience: Patience,
    ) -> None:
        self._network = network
        self._control = control
        self._progress = progress
        self._patience = patience

    def run(self, url: str, part: PartFile, wanted: Wanted, headers: Mapping[str, str] | None = None) -> None:
        """Return when `part` holds everything that the server has; the caller checks size and hash.

        Raises Cancelled, NetworkFailure when patience has run out, or UserFacing.
        """
        base = self._progress.bytes_done
        fetch = _Fetch(self._network, url, part, wanted, dict(headers or {}))
        self._take_up(part)
        failures, begun = 0, False
        while True:
            self._control.checkpoint(lambda: self._progress.enter(Phase.PAUSED))
            before = part.size
            try:
                if self._attempt(fetch, base):
                    return
                failures += 1
            except NetworkFailure as error:
                if self._control.is_interrupted:
                    continue
                failures = 1 if part.size > before else failures + 1
                begun = begun or part.size > before
                self._be_patient(error, failures, begun)

    def _take_up(self, part: PartFile) -> None:
        if not part.found_bytes:
            return
        self._progress.enter(Phase.CONNECTING, "Checking what has already arrived")

        def hashed(count: int) -> None:
            self._control.checkpoint(lambda: self._progress.enter(Phase.PAUSED))
            self._progress.at(self._progress.bytes_done + count)

        part.take_up(hashed)

    def _attempt(self, fetch: _Fetch, base: int) -> bool:
        """One request. True when everything is there, False when the user or the server wants another."""
        if fetch.is_complete():
            return True
        if self._progress.phase is not Phase.DOWNLOADING:  # the next of several wheels is not worth a word
            self._progress.enter(Phase.CONNECTING)
        with (
            self._network.stream("GET", fetch.url, fetch.headers()) as response,
            self._control.interruptible(response.interrupt),
        ):
            if not fetch.accept(response):
                return fetch.is_complete()
            self._progress.at(base + fetch.part.size)
            self._progress.enter(Phase.DOWNLOADING)
            self._receive(response, fetch)
        return not self._control.is_interrupted and fetch.came_whole()

    def _receive(self, response: Response, fetch: _Fetch) -> None:
        for chunk in response.chunks():
            fetch.part.append(chunk)
            self._progress.add(len(chunk))
            if self._control.is_interrupted or fetch.is_too_long():
                return

    def _be_patient(self, error: NetworkFailure, failures: int, begun: bool) -> None:
        limit = self._patience.once_begun if begun else self._patience.first_contact
        if not error.may_pass or failures >= limit:
            raise error
        seconds = self._patience.back_off_s(failures)
        log.info("asking again", code=error.code, failures=failures, wait_s=seconds)
        self._progress.enter(Phase.WAITING, f"{error.cause} Trying again in {seconds:.0f} s")
        self._control.wait(seconds)


class _Fetch:
    """The HTTP side of one resumable file: what to ask, and what an answer means."""

    def __init__(
        self, network: Network, url: str, part: PartFile, wanted: Wanted, headers: Mapping[str, str]
    ) -> None:
        self.url = url
        self.part = part
        self._network = network
        self._wanted = wanted
        self._own_headers = headers
        self._total = wanted.size_bytes

    def is_complete(self) -> bool:
        return self._total is not None and self.part.size == self._total

    def is_too_long(self) -> bool:
        """An answer of undeclared length that does not end where it should."""
        return self._total is not None and self.part.size > self._total

    def came_whole(self) -> bool:
        """After the server ended its answer: short of the known size means that the line was cut."""
        if self._total is not None and self.part.size < self._total:
            raise NetworkFailure(
                f"{self._host} ended the answer early.",
                "What has arrived so far is kept.",
                "Try again; it goes on from there.",
                code="line-cut",
                may_pass=True,
            )
        return True

    def headers(self) -> dict[str, str]:
        """The headers of the next request; starts the part again when it cannot be continued safely."""
        headers = {"Accept-Encoding": "identity", **self._own_headers}
        if self.is_too_long():
            self.part.restart()
        if not self.part.size:
            return headers
        guard = self.part.validators.guard(self.url)
        if not guard and self._wanted.sha256 is None:
            self.part.restart()
            return headers
        headers["Range"] = f"bytes={self.part.size}-"
        if guard:
            headers["If-Range"] = guard
        else:
            self.part.remember(replace(self.part.validators, unguarded=True))
        return headers

    def accept(self, response: Response) -> bool:
        """Prepare the part for the body of `response`; False when the body is of no use."""
        offset, total = _content_range(response)
        if response.status == 416:
            self._after_unsatisfied(total)
            return False
        if response.status == 206 and offset != self.part.size:
            self.part.restart()
            return False
        if response.status != 206:
            total = _content_length(response)
        self._check_size(total)
        if response.status != 206 and self.part.size:
            self.part.restart()
        self._remember(response, total)
        return True

    def _after_unsatisfied(self, total: int | None) -> None:
        if self._total is None and total == self.part.size:
            self._total = total
        elif not self.is_complete():
            self.part.restart()

    def _check_size(self, total: int | None) -> None:
        if total is None:
            return
        if self._wanted.size_bytes is not None and total != self._wanted.size_bytes:
            raise other_file(self._wanted.name, self._wanted.size_bytes, total, self._host)
        folder = self.part.path.parent
        free = shutil.disk_usage(folder).free
        if total - self.part.size + ROOM_TO_SPARE_BYTES > free:
            raise no_room(folder, total - self.part.size, free)

    def _remember(self, response: Response, total: int | None) -> None:
        self._total = total if self._wanted.size_bytes is None else self._wanted.size_bytes
        self.part.remember(
            Validators(
                url=self.url,
                etag=response.headers.get("etag", ""),
                last_modified=response.headers.get("last-modified", ""),
                unguarded=self.part.validators.unguarded and self.part.size > 0,
            )
        )

    @property
    def _host(self) -> str:
        return urlsplit(self.url).hostname or self.url


def _content_range(response: Response) -> tuple[int | None, int | None]:
    match = CONTENT_RANGE.fullmatch(response.headers.get("content-range", "").strip())
    if match is None:
        return None, None
    offset, total = match.groups()
    return (int(offset) if offset else None), (int(total) if total != "*" else None)


def _content_length(response: Response) -> int | None:
    text = response.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else None
