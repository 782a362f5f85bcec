"""Loading a model: refuse what cannot fit, survive what crashes, fall back to the processor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from desktop.engine.crash_marker import CrashMarker, LoadAttempt, LoadStep
from desktop.engine.events import LargerContext, ModelLoading
from desktop.engine.host import HostMemory, OtherPrograms, physical_cores, processor_name
from desktop.engine.inference import InferenceBackend, InferenceError, LoadedModel
from desktop.engine.kv_cache import PrefixStore
from desktop.engine.reasons import EngineReason
from desktop.engine.scheduler import Clock
from desktop.engine.session import Session, SessionShape
from desktop.engine.thread_tuning import CalibrationFile, ThreadTuning, calibration_key
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.models.fit import Fit, automatic_context_tokens, fit, ram_needed_bytes
from desktop.paths import Paths
from desktop.reasons import Reason
from desktop.settings import USUAL_CONTEXT_TOKENS, ModelSettings

if TYPE_CHECKING:
    from desktop.models.library import InstalledModel

log = structlog.get_logger(__name__)

PARKING_SHARE = 8  # of the available memory, one part in so many for conversations that rest
PARKING_BYTES = 512 * 1024 * 1024
LEAST_CONTEXT = 1024  # tokens: with fewer there is no conversation


@dataclass(frozen=True)
class Loaded:
    """A session, and a notice for the user when something is not as asked.

    `tuning` None: the user has set the number of threads, and nothing is measured or changed.
    """

    session: Session
    tuning: ThreadTuning | None
    notice: Reason | None


class Loader:
    """Turns an installed model into a session. Engine thread."""

    def __init__(
        self,
        paths: Paths,
        bus: Bus,
        settings: Callable[[], ModelSettings],
        backend: InferenceBackend,
        memory: HostMemory,
        clock: Clock,
    ) -> None:
        self._memory = memory
        self._clock = clock
        self._paths = paths
        self._bus = bus
        self._settings = settings
        self._backend = backend
        self._marker = CrashMarker(paths.load_marker)
        self._attempt = LoadAttempt("", 0)
        self._others = OtherPrograms()

    def load(self, model: InstalledModel, insist: bool, go_on: Callable[[], bool]) -> Loaded:
        """Load `model`, announcing progress. Raises UserFacing, or LoadCancelled once `go_on` is False."""
        attempt = self._attempt_with(model)
        # With the card in play a crash says nothing about the model: it is the driver that is not tried
        # again.
        failed = None if insist or attempt.card else self._marker.failed_step(model.id)
        if failed is not None:
            raise _crashed_before(model, failed)
        # Said in our words: what llama.cpp says of a missing file is about a path.
        if not model.path.is_file():
            raise _gone(model)
        context_tokens = self.context_tokens(model)
        self._attempt = attempt
        try:
            with self._marker.trying(attempt):  # the first question about the card starts its driver
                self._refuse_too_large(model, context_tokens, insist)
                return self._load(model, context_tokens, go_on)
        except InferenceError as error:
            raise _refused(model, str(error)) from error

    @contextmanager
    def first_computing(self) -> Iterator[None]:
        """Around what the loaded model computes first: a driver, and a library that does not fit the
        processor, mostly end the program there."""
        with self._marker.trying(replace(self._attempt, step=LoadStep.COMPUTE)):
            yield

    def has_computed(self) -> None:
        """The loaded model did so, and the program is still there."""
        self._marker.forget(self._attempt)

    def _attempt_with(self, model: InstalledModel) -> LoadAttempt:
        """The attempt with the card, unless that has ended the program."""
        layers = self._settings().gpu_layers
        return LoadAttempt(
            model.id, layers, self._asks_for_card(layers) and not self._marker.card_failed(layers)
        )

    def _asks_for_card(self, gpu_layers: int) -> bool:
        return gpu_layers != 0 and self._backend.has_gpu_backend

    def _load(self, model: InstalledModel, context_tokens: int, go_on: Callable[[], bool]) -> Loaded:
        def progress(fraction: float) -> bool:
            self._bus.publish(ModelLoading(model.id, fraction))
            return go_on()

        left = self._asks_for_card(self._attempt.gpu_layers) and not self._attempt.card
        self._others = OtherPrograms()
        weights = self._backend.load(model.path, 0 if left else self._attempt.gpu_layers, progress)
        notice = EngineReason.CARD_CRASHED.of() if left else weights.notice
        try:
            return self._loaded(model, weights, context_tokens, notice)
        except InferenceError as error:
            weights.close()
            if weights.device == "cpu":
                raise _no_room(model, context_tokens) from error
        # The weights fitted on the card and the conversation did not: the processor takes both.
        weights = self._backend.load(model.path, 0, progress)
        try:
            return self._loaded(model, weights, context_tokens, EngineReason.CARD_FULL.of())
        except InferenceError as error:
            weights.close()
            raise _no_room(model, context_tokens) from error

    def _loaded(
        self, model: InstalledModel, weights: LoadedModel, context_tokens: int, notice: Reason | None
    ) -> Loaded:
        cores = physical_cores()
        identity = self._identity(model, weights)
        fixed = self._settings().threads
        key = calibration_key(identity, self._backend.build, processor_name(), cores)
        file = CalibrationFile(self._paths.calibration)
        busy = self._others.busy_cores()
        tuning = None if fixed else ThreadTuning(weights, file, key, cores, self._clock.now, busy)
        shape = SessionShape(
            context_tokens=context_tokens,
            threads=tuning.threads if tuning is not None else fixed,
            prefill_threads=tuning.prefill_threads if tuning is not None else fixed,
            # Resting conversations live on what the model leaves: an eighth of it, so that they never drive
            # it out.
            parking_bytes=min(self._memory.available_bytes() // PARKING_SHARE, PARKING_BYTES),
            whole_only=model.facts.is_recurrent,
            architecture=model.facts.architecture,
        )
        session = self._session(weights, shape, PrefixStore(self._paths.prefixes, identity))
        if session.context_tokens < context_tokens:
            less = EngineReason.CONTEXT_REDUCED.of(tokens=session.context_tokens, wanted=context_tokens)
            notice = _both(notice, less)
        if session.template_trouble:
            notice = _both(notice, EngineReason.PLAIN_TEMPLATE.of(trouble=session.template_trouble))
        return Loaded(session, tuning, notice)

    def _session(self, weights: LoadedModel, shape: SessionShape, prefixes: PrefixStore) -> Session:
        """With the context of `shape`, or where that was our choice and cannot be had, with half of it, and
        so on. Raises InferenceError."""
        while True:
            try:
                return Session(weights, shape, prefixes)
            except InferenceError:
                # What the user has named is not made smaller behind their back.
                if not self._chooses or shape.context_tokens <= USUAL_CONTEXT_TOKENS:
                    raise
                log.warning("no memory for the automatic context", tokens=shape.context_tokens)
                halved = max(shape.context_tokens // 2, USUAL_CONTEXT_TOKENS)
                shape = replace(shape, context_tokens=halved)

    def _refuse_too_large(self, model: InstalledModel, context_tokens: int, insist: bool) -> None:
        if self._attempt.card and self._backend.has_gpu:
            return  # the weights go to the card's memory, which its driver guards
        needed = ram_needed_bytes(model.facts, context_tokens)
        total, available = self._memory.total_bytes(), self._memory.available_bytes()
        if fit(needed, total, available) is Fit.TOO_LARGE or (needed > available and not insist):
            raise _too_large(model, needed, available, total)

    def smaller_context(self, model: InstalledModel) -> int:
        """Half the present context, or half of that and so on, until it fits; 0 where the model alone is
        too large. Any thread."""
        # One that was chosen here was tried down to the usual one before anything failed.
        now = _at_most_trained(model, USUAL_CONTEXT_TOKENS) if self._chooses else self.context_tokens(model)
        # The largest power of two below it, and then halves: finer steps would save next to nothing.
        tokens = 1 << (now - 1).bit_length() - 1
        while tokens >= LEAST_CONTEXT:
            needed = ram_needed_bytes(model.facts, tokens)
            if fit(needed, self._memory.total_bytes(), self._memory.available_bytes()) is Fit.FITS:
                return tokens
            tokens //= 2
        return 0

    def larger_context(self, model: InstalledModel, missing: int, loaded_tokens: int) -> LargerContext | None:
        """The next power of two that has room for `missing` tokens more, or all that the model was trained
        for; None where that is less, or where memory does not suffice. `loaded_tokens`: the context that it
        has now, 0 where it is not loaded. Any thread."""
        now, trained = loaded_tokens or self.context_tokens(model), model.facts.context_tokens
        if trained and now + missing > trained:
            return None
        # An answer gets its share of the larger context, too.
        tokens = 1 << (now + missing + missing // 4 - 1).bit_length()
        tokens = min(tokens, trained) if trained else tokens
        needed = ram_needed_bytes(model.facts, tokens)
        # What it holds now is given back before it is loaded with more.
        held = ram_needed_bytes(model.facts, now) if loaded_tokens else 0
        free = self._memory.available_bytes() + held
        is_had = tokens > now and fit(needed, self._memory.total_bytes(), free) is Fit.FITS
        return LargerContext(tokens, needed) if is_had else None

    def context_tokens(self, model: InstalledModel) -> int:
        """The context that the model would be loaded with now. Any thread."""
        named = self._settings().context_tokens
        if named:
            return _at_most_trained(model, named)
        return automatic_context_tokens(model.facts, self._memory.available_bytes())

    @property
    def _chooses(self) -> bool:
        return not self._settings().context_tokens

    def _identity(self, model: InstalledModel, weights: LoadedModel) -> str:
        """All that a saved state depends on, but its tokens."""
        file = model.path.stat()
        # A file that was imported has no hash; size and time stand in for it.
        content = model.sha256 or f"{file.st_size} {file.st_mtime_ns}"
        return f"{content}\n{self._backend.build}\n{weights.device}\nf16"


def _both(first: Reason | None, second: Reason) -> Reason:
    return EngineReason.TWO_NOTICES.of(first=first, second=second) if first else second


def _at_most_trained(model: InstalledModel, tokens: int) -> int:
    trained = model.facts.context_tokens
    return min(tokens, trained) if trained else tokens


def _crashed_before(model: InstalledModel, step: LoadStep) -> UserFacing:
    if step is LoadStep.LOAD:
        return UserFacing(EngineReason.CRASHED_WHILE_LOADING.of(name=model.name))
    return UserFacing(EngineReason.CRASHED_WHILE_COMPUTING.of(name=model.name))


def _gone(model: InstalledModel) -> UserFacing:
    return UserFacing(EngineReason.MODEL_FILE_MISSING.of(name=model.name, path=model.path))


def _too_large(model: InstalledModel, needed: int, available: int, total: int) -> UserFacing:
    return UserFacing(
        EngineReason.MODEL_TOO_LARGE.of(name=model.name, needed=needed, available=available, total=total)
    )


def _no_room(model: InstalledModel, context_tokens: int) -> UserFacing:
    return UserFacing(EngineReason.CONTEXT_TOO_LARGE.of(name=model.name, context_tokens=context_tokens))


def _refused(model: InstalledModel, reason: str) -> UserFacing:
    return UserFacing(EngineReason.MODEL_LOAD_FAILED.of(name=model.name, reason=reason))
