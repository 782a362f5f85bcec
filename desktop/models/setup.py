"""The first run without its windows: what is on offer, does it fit, fetch it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

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
from desktop.models.hub import resolve_repository
from desktop.models.library import InstalledModel, Library
from desktop.models.progress import DownloadControl
from desktop.models.reasons import ModelReason
from desktop.models.sources import ModelFile, RemoteFile
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
