"""The first run without its windows: what is on offer or named by the user, does it fit, fetch it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil

from desktop.errors import UserFacing
from desktop.models.catalogue import CLEARLY_SMALLER, RAM_CONTEXT_TOKENS, Catalogue, CatalogueEntry
from desktop.models.download import Downloader
from desktop.models.fit import (
    COMPUTE_BYTES,
    SYSTEM_BYTES,
    Fit,
    MeasuredSpeeds,
    SpeedEstimate,
    assumed_speed,
    fit,
    ram_needed_bytes,
)
from desktop.models.library import InstalledModel, Library
from desktop.models.progress import DownloadControl
from desktop.models.reasons import ModelReason
from desktop.models.sources import HUB, HttpsSource, ModelFile, RemoteFile, hub_url, mirrored
from desktop.network import Network, NetworkFailure, NetworkReason, because
from desktop.paths import Paths


@dataclass(frozen=True)
class ComputerMemory:
    """This computer's memory in bytes, and its processor's cores."""

    total_bytes: int
    available_bytes: int
    cores: int = 4


GOOD_CHOICES = 3
SMALLEST_GOOD_BYTES = 500_000_000  # what is smaller answers poorly, as the catalogue says of it


@dataclass(frozen=True)
class ModelChoice:
    """One line of the picker. `has_room`: the disk has space for what is still missing.

    `needed_bytes` of memory are judged against `memory`. `arrived_bytes` are there of a download that was
    given up or broken off.
    """

    entry: CatalogueEntry
    fit: Fit
    recommended: bool
    installed: bool
    needed_bytes: int
    memory: ComputerMemory
    has_room: bool = True
    speed: SpeedEstimate | None = None
    is_fallback: bool = False  # what always works
    arrived_bytes: int = 0

    @property
    def is_begun(self) -> bool:
        return bool(self.arrived_bytes) and not self.installed


def good_choices(choices: Sequence[ModelChoice]) -> tuple[ModelChoice, ...]:
    """At most three for this computer: the recommended one, the one that always works, which can be had from
    another place too, and a clearly smaller or larger one. Without a recommended one the first that fit.
    """
    fitting = [
        each
        for each in choices
        # Whoever sees a model for the first time is to be spared conditions and surprises: no specialist, no
        # licence with clauses, and a size that is known before it is fetched.
        if each.fit is Fit.FITS
        and each.has_room
        and (each.entry.general or each.entry.tried)
        and each.entry.size_bytes
        and not each.entry.licence_note
    ]
    first = next((each for each in choices if each.recommended), None)
    if first is None:
        return tuple((fitting or list(choices))[:GOOD_CHOICES])

    def size(choice: ModelChoice) -> int:
        return choice.needed_bytes

    quicker = [
        each
        for each in fitting
        if each.entry.weight_bytes >= SMALLEST_GOOD_BYTES
        and each.entry.weight_bytes < first.entry.weight_bytes * CLEARLY_SMALLER
    ]
    better = [
        each for each in fitting if first.needed_bytes < each.needed_bytes <= each.memory.total_bytes / 2
    ]
    always = [each for each in fitting if each.is_fallback]
    picked = (first, *always, *sorted(quicker, key=size)[-1:], *sorted(better, key=size)[-1:])
    return tuple({each.entry.id: each for each in picked}.values())[:GOOD_CHOICES]


FIRST_DAY = timedelta(days=1)


def better_choice(
    choices: Sequence[ModelChoice], active: InstalledModel | None, now: datetime
) -> ModelChoice | None:
    """The recommended one, where it is clearly more than the model that answers now; None on the first day,
    where nothing is to be gained, or where the user has chosen something of their own. `now` is aware.
    """
    # On the first day the answers of the model that is there are still to be seen.
    if active is None or active.by_reference or now - datetime.fromisoformat(active.installed_at) < FIRST_DAY:
        return None
    entry = next((each.entry for each in choices if each.entry.id == active.id), None)
    best = next((each for each in choices if each.recommended), None)
    if entry is None or best is None or best.installed or not best.has_room:
        return None
    # A model of the same kind that was chosen from the list is a choice, and is left alone.
    is_more = best.entry.general and not entry.general
    return best if is_more and best.fit is Fit.FITS else None


class UnknownHash(UserFacing):
    """The user must agree before a file is fetched that nothing can prove right.

    Ask, then call again with `accept_unknown_hash=True`.
    """

    def __init__(self, file: ModelFile) -> None:
        known = file.size_bytes
        size = ModelReason.SIZE.of(size=known) if known else ModelReason.UNKNOWN_SIZE.of()
        super().__init__(ModelReason.HASH_UNKNOWN.of(name=file.name, size=size))
        self.file = file


def this_memory() -> ComputerMemory:
    """What the operating system says now."""
    memory = psutil.virtual_memory()
    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    return ComputerMemory(memory.total, memory.available, cores)


class ModelSetup:
    """Choose and fetch a model. `get` and `get_remote` block: call them on a pool thread."""

    def __init__(
        self,
        catalogue: Catalogue,
        library: Library,
        downloader: Downloader,
        paths: Paths,
        memory: Callable[[], ComputerMemory] = this_memory,
        speeds: Callable[[], MeasuredSpeeds] = MeasuredSpeeds,
    ) -> None:
        """`speeds` are what was measured on this computer."""
        self._catalogue = catalogue
        self.library = library
        self._downloader = downloader
        self._paths = paths
        self._memory = memory
        self._speeds = speeds

    def choices(self, context_tokens: int) -> tuple[ModelChoice, ...]:
        """The whole catalogue, judged for a context of that length on this computer."""
        memory, speeds, free = self._memory(), self._speeds(), self._free_bytes()

        def speed(entry: CatalogueEntry) -> SpeedEstimate:
            known = speeds.estimate(entry.id, entry.weight_bytes, entry.layers)
            return known or assumed_speed(entry.weight_bytes, memory.cores)

        recommended = self._catalogue.recommended(memory.total_bytes, lambda each: speed(each).tokens_per_s)
        fallback = self._catalogue.fallback(memory.total_bytes)
        installed = {model.id: model for model in self.library.installed() if not model.is_missing}
        return tuple(
            replace(
                self._choice(
                    entry, context_tokens, memory, free, installed.get(entry.id), entry == recommended
                ),
                speed=speed(entry),
                is_fallback=entry == fallback,
            )
            for entry in self._catalogue.entries
        )

    def get(
        self, entry_id: str, control: DownloadControl, *, accept_unknown_hash: bool = False
    ) -> InstalledModel:
        """Fetch, verify and install an entry of the catalogue; instant when it is installed.

        Raises Cancelled, UnknownHash, or another UserFacing.
        """
        entry = self._catalogue.get(entry_id)
        if entry is None:
            raise UserFacing(ModelReason.MODEL_UNKNOWN.of(entry_id=entry_id))
        return self._fetch(entry.file, control, accept_unknown_hash)

    def resolve_repository(self, repository: str) -> RemoteFile:
        """The best-fitting file of a hub repository. Raises UserFacing; see `hub.resolve_repository`."""
        # All memory and not what is free now: the model is to be used tomorrow too.
        room = self._memory().total_bytes - SYSTEM_BYTES - COMPUTE_BYTES
        downloader = self._downloader
        return resolve_repository(downloader.network, repository, room, downloader.token)

    def get_remote(
        self, remote: RemoteFile, control: DownloadControl, *, accept_unknown_hash: bool = False
    ) -> InstalledModel:
        """Fetch, verify and install what `resolve_repository` found. Raises as `get` does."""
        return self._fetch(remote, control, accept_unknown_hash)

    def _fetch(self, file: ModelFile, control: DownloadControl, accept_unknown_hash: bool) -> InstalledModel:
        model = self.library.get(file.id)
        if model is not None and not model.is_missing:
            return model
        # Asked and never assumed: without a hash nothing tells the right file from another.
        if file.sha256 is None and not accept_unknown_hash:
            raise UnknownHash(file)
        return self._downloader.get(file, control)

    def _choice(
        self,
        entry: CatalogueEntry,
        context_tokens: int,
        memory: ComputerMemory,
        free_bytes: int,
        model: InstalledModel | None,
        recommended: bool,
    ) -> ModelChoice:
        begun = 0
        if model is None:
            needed = _estimated_bytes(entry, context_tokens)
            # What has arrived of an earlier try takes no room again.
            missing = (entry.size_bytes or 0) - self._downloader.arrived_bytes(entry.file)
            begun = self._downloader.begun_bytes(entry.file)
        else:
            needed, missing = ram_needed_bytes(model.facts, context_tokens), 0
        judged = fit(needed, memory.total_bytes, memory.available_bytes)
        has_room = missing <= free_bytes
        made = ModelChoice(entry, judged, recommended, model is not None, needed, memory, has_room)
        return replace(made, arrived_bytes=begun)

    def _free_bytes(self) -> int:
        return shutil.disk_usage(_existing(self._paths.models)).free


def _estimated_bytes(entry: CatalogueEntry, context_tokens: int) -> int:
    """The catalogue's need, with the part that the context causes brought to `context_tokens`."""
    if entry.size_bytes is None:
        return entry.ram_bytes
    # The catalogue's figure is for 4,096 tokens; of it only the KV cache grows with the context.
    kv_bytes = max(entry.ram_bytes - entry.size_bytes - COMPUTE_BYTES, 0)
    context = min(context_tokens, entry.context_tokens)
    return entry.ram_bytes - kv_bytes + kv_bytes * context // RAM_CONTEXT_TOKENS


def _existing(folder: Path) -> Path:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


# -- a repository that the user names ----------------------------------------------------------

# A repository that the user names, as one file to download.
#
# The hub lists a repository's files with size and, for large ones, the SHA-256 of its LFS object
# (https://huggingface.co/docs/hub/api, `/api/models/{id}?blobs=true`).

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
SHA256 = re.compile(r"[0-9a-f]{64}")
# One part of several, which llama.cpp would want all of.
SPLIT = re.compile(r"-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)
# Files that lie beside a model and are none.
ADDITIONS = ("mmproj", "imatrix", "lora", "adapter", "tokenizer", "vocab")
# Small and good first; what is larger than needed, or too coarse, last.
PREFERENCE = (
    *("Q4_K_M", "Q4_K_S", "Q4_K_L", "Q4_0", "IQ4_XS", "IQ4_NL", "Q4_1", "Q5_K_M", "Q5_K_S", "Q5_0", "Q5_1"),
    *("Q6_K", "Q8_0", "Q3_K_L", "Q3_K_M", "IQ3_M", "Q3_K_S", "IQ3_S", "IQ3_XS", "IQ3_XXS", "Q2_K"),
    *("IQ2_M", "IQ2_S", "IQ2_XS", "IQ2_XXS", "IQ1_M", "IQ1_S", "BF16", "F16", "F32"),
)


@dataclass(frozen=True)
class Candidate:
    """One GGUF file of a repository. `size_bytes` and `sha256` are None where the hub does not say."""

    path: str
    size_bytes: int | None
    sha256: str | None

    @property
    def rank(self) -> tuple[int, int]:
        """Smaller is preferred."""
        # Publishers write Q4-K-M, q4_k_m and Q4_K_M; within another word it is no label.
        name = self.path.upper().replace("-", "_")
        for place, label in enumerate(PREFERENCE):
            if re.search(rf"(?<![A-Z0-9]){label}(?![A-Z0-9_])", name):
                return place, self.size_bytes or 0
        return len(PREFERENCE), self.size_bytes or 0


def is_repository(text: str) -> bool:
    """Whether `text` has the form owner/name."""
    return REPOSITORY.fullmatch(text) is not None


def resolve_repository(
    network: Network, repository: str, largest_bytes: int, token: Callable[[], str | None]
) -> RemoteFile:
    """The best file of `repository` with at most `largest_bytes`.

    Raises UserFacing: `repository-invalid`, `no-gguf`, `too-large`, `licence-not-accepted`, or what the
    network says.
    """
    # Before anything is sent: the name becomes part of an address.
    if not is_repository(repository):
        raise UserFacing(ModelReason.REPOSITORY_INVALID.of(text=repository))
    listing = _listing(network, repository, token)
    candidates = _candidates(listing)
    if not candidates:
        raise UserFacing(ModelReason.NO_GGUF.of(repository=repository))
    # A size that is not stated may fit: the server tells it before a byte is taken.
    fitting = [c for c in candidates if c.size_bytes is None or c.size_bytes <= largest_bytes]
    if not fitting:
        raise _too_large(repository, min(c.size_bytes or 0 for c in candidates))
    return _remote(repository, _revision(listing), min(fitting, key=lambda c: c.rank))


def _listing(network: Network, repository: str, token: Callable[[], str | None]) -> dict[str, Any]:
    url = mirrored(f"{HUB}/api/models/{quote(repository)}?blobs=true", network.settings.mirror)
    with because(NetworkReason.FOR_REPOSITORY.of(repository=repository)):
        try:
            listing = network.get_json(url)
        except NetworkFailure as error:
            secret = token() if error.code == "licence-not-accepted" else None
            if not secret:
                raise
            # Only now: a token that is sent along everywhere tells the hub who looks at what.
            listing = network.get_json(url, {"Authorization": f"Bearer {secret}"})
    return listing if isinstance(listing, dict) else {}


def _candidates(listing: dict[str, Any]) -> list[Candidate]:
    rows = listing.get("siblings")
    found = [_candidate(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [candidate for candidate in found if _is_model(candidate.path)]


def _candidate(row: dict[str, Any]) -> Candidate:
    # The hash of the LFS object is that of the file; a small file has a Git hash, which is not that of its
    # bytes.
    large = row.get("lfs") if isinstance(row.get("lfs"), dict) else {}
    assert large is not None
    size = large.get("size", row.get("size"))
    sha256 = large.get("sha256", large.get("oid"))
    known = isinstance(sha256, str) and SHA256.fullmatch(sha256) is not None
    return Candidate(
        path=str(row.get("rfilename", "")),
        size_bytes=size if type(size) is int and size > 0 else None,
        sha256=sha256 if known else None,
    )


def _is_model(path: str) -> bool:
    name = path.lower()
    return (
        name.endswith(".gguf")
        and SPLIT.search(name) is None
        and ".." not in name.split("/")
        and not any(word in name.rsplit("/", 1)[-1] for word in ADDITIONS)
    )


def _revision(listing: dict[str, Any]) -> str:
    # Pinned: a branch may move between this question and the download.
    revision = listing.get("sha")
    return revision if isinstance(revision, str) and re.fullmatch(r"[0-9a-f]{40}", revision) else "main"


def _remote(repository: str, revision: str, candidate: Candidate) -> RemoteFile:
    file_name = candidate.path.rsplit("/", 1)[-1]
    return RemoteFile(
        id=repository,
        name=file_name.removesuffix(".gguf"),
        file_name=f"{repository.replace('/', '--')}--{file_name}",
        size_bytes=candidate.size_bytes,
        sha256=candidate.sha256,
        sources=(HttpsSource(hub_url(repository, revision, candidate.path)),),
        repository=repository,
        revision=revision,
    )


def _too_large(repository: str, smallest_bytes: int) -> UserFacing:
    return UserFacing(ModelReason.TOO_LARGE.of(repository=repository, smallest_bytes=smallest_bytes))
