"""Facts that the engine announces. Published on the engine's thread."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.engine.requests import Metrics
from desktop.engine.status import EngineStatus
from desktop.errors import UserFacing
from desktop.events import Event


@dataclass(frozen=True)
class ModelLoading(Event):
    """`fraction` of the weights is read, 0 to 1."""

    model_id: str
    fraction: float


@dataclass(frozen=True)
class ModelLoaded(Event):
    """`notice` is a sentence for the user when something is not as asked (no GPU could be used), or ""."""

    status: EngineStatus
    notice: str = ""


@dataclass(frozen=True)
class ModelUnloaded(Event):
    """`reason` is a short phrase ("idle", "memory is low"); `freed_bytes` of resident memory came back."""

    model_id: str
    reason: str
    freed_bytes: int


@dataclass(frozen=True)
class ModelFailed(Event):
    model_id: str
    error: UserFacing


@dataclass(frozen=True)
class ThreadsChanged(Event):
    """From now on tokens are computed with so many threads; `why` is a short phrase."""

    threads: int
    why: str


@dataclass(frozen=True)
class GenerationFinished(Event):
    """An answer ended, in whatever way."""

    conversation: str
    metrics: Metrics
