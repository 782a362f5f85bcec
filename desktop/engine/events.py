"""What the engine is doing, and what it announces about it. Published on the engine's thread."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from desktop.engine.requests import Metrics
from desktop.errors import UserFacing
from desktop.events import Event
from desktop.models.library import InstalledModel
from desktop.reasons import Reason, size_text


class EngineState(StrEnum):
    UNLOADED = "unloaded"  # nothing in memory; a request loads the chosen model
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"  # the chosen model could not be loaded; ModelFailed said why


@dataclass(frozen=True)
class LargerContext:
    """A context that could be had: in tokens, and what the model needs with it."""

    tokens: int
    memory_bytes: int


@dataclass(frozen=True)
class EngineStatus:
    """`device` is "cpu", "cuda", "metal" or "vulkan"."""

    state: EngineState = EngineState.UNLOADED
    model_id: str = ""
    model_name: str = ""
    device: str = ""
    threads: int = 0
    gpu_layers: int = 0
    context_tokens: int = 0
    context_used: int = 0  # tokens of the conversation that was answered last
    # Why the graphics card is not used, where the settings and what is installed want it.
    notice: Reason | None = None


def banner(status: EngineStatus, model: InstalledModel) -> str:
    """One line that names what runs: backend, model file, size, context, GPU layers, threads."""
    return (
        f"llama.cpp on {status.device} · {model.path.name} ({size_text(model.size_bytes)}) · "
        f"context {status.context_tokens} · {status.gpu_layers} GPU layers · {status.threads} threads"
    )


@dataclass(frozen=True)
class ModelLoading(Event):
    """`fraction` of the weights is read, 0 to 1."""

    model_id: str
    fraction: float


@dataclass(frozen=True)
class ModelLoaded(Event):
    """`notice` is for the user when something is not as asked (no GPU could be used)."""

    status: EngineStatus
    notice: Reason | None = None


@dataclass(frozen=True)
class ModelUnloaded(Event):
    """`reason` is a short phrase ("idle", "memory is low")."""

    model_id: str
    reason: str


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
