"""Loading a model: refuse what cannot fit, survive what crashes, fall back to the processor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from desktop.engine import memory
from desktop.engine.backend import Backend, BackendError, LoadedModel
from desktop.engine.events import ModelLoading
from desktop.engine.load_marker import LoadMarker
from desktop.engine.prefixes import PrefixStore
from desktop.engine.session import Session, SessionShape
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.settings import ModelSettings

if TYPE_CHECKING:
    from desktop.models.library import InstalledModel

log = structlog.get_logger(__name__)

GPU_NOTICE = "The graphics card had no room for the conversation, so the processor computes instead."
PARKING_SHARE = 8  # of the available memory, one part in so many for conversations that rest
PARKING_BYTES = 512 * 1024 * 1024
NOTHING_LOST = "Conversations and settings are as they were."


@dataclass(frozen=True)
class Loaded:
    """A session, and a sentence for the user when something is not as asked."""

    session: Session
    notice: str


class Loader:
    """Turns an installed model into a session. Engine thread."""

    def __init__(
        self, paths: Paths, bus: Bus, settings: Callable[[], ModelSettings], backend: Backend
    ) -> None:
        self._paths = paths
        self._bus = bus
        self._settings = settings
        self._backend = backend
        self._marker = LoadMarker(paths.load_marker)

    def load(self, model: InstalledModel, insist: bool, go_on: Callable[[], bool]) -> Loaded:
        """Load `model`, announcing progress. Raises UserFacing, or LoadCancelled once `go_on` is False."""
        if not insist and self._marker.crashed(model.id):
            raise _crashed_before(model)
        context_tokens = self._context_tokens(model)
        self._marker.begin(model.id)
        try:
            return self._load(model, context_tokens, go_on)
        except BackendError as error:
            raise _refused(model, str(error)) from error
        finally:
            self._marker.end()

    def _load(self, model: InstalledModel, context_tokens: int, go_on: Callable[[], bool]) -> Loaded:
        def progress(fraction: float) -> bool:
            self._bus.publish(ModelLoading(model.id, fraction))
            return go_on()

        weights = self._backend.load(model.path, self._settings().gpu_layers, progress)
        try:
            return Loaded(self._session(model, weights, context_tokens), weights.notice)
        except BackendError:
            weights.close()
            if weights.device == "cpu":
                raise
        weights = self._backend.load(model.path, 0, progress)
        return Loaded(self._session(model, weights, context_tokens), GPU_NOTICE)

    def _session(self, model: InstalledModel, weights: LoadedModel, context_tokens: int) -> Session:
        cores = memory.physical_cores()
        shape = SessionShape(
            context_tokens=context_tokens,
            threads=self._settings().threads or cores,
            prefill_threads=self._settings().threads or cores,
            parking_bytes=min(memory.available_bytes() // PARKING_SHARE, PARKING_BYTES),
            whole_only=model.facts.is_recurrent,
            architecture=model.facts.architecture,
        )
        return Session(weights, shape, PrefixStore(self._paths.prefixes, self._identity(model, weights)))

    def _context_tokens(self, model: InstalledModel) -> int:
        trained = model.facts.context_tokens
        wanted = self._settings().context_tokens
        return min(wanted, trained) if trained else wanted

    def _identity(self, model: InstalledModel, weights: LoadedModel) -> str:
        """All that a saved state depends on, but its tokens."""
        file = model.path.stat()
        content = model.sha256 or f"{file.st_size} {file.st_mtime_ns}"
        return f"{content}\n{self._backend.build}\n{weights.device}\nf16"


def _crashed_before(model: InstalledModel) -> UserFacing:
    return UserFacing(
        f"Steward ended while it was loading {model.name} last time.",
        NOTHING_LOST,
        "Choose another model, or load this one anyway.",
        code="crashed-while-loading",
    )


def _refused(model: InstalledModel, reason: str) -> UserFacing:
    return UserFacing(
        f"{model.name} could not be loaded: {reason}.",
        NOTHING_LOST,
        "Verify the file in the model manager, or choose another model.",
        code="model-load-failed",
    )
