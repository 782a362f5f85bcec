"""The engine: whoever wants an answer submits a request; one thread owns the model and works them off."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import structlog

from desktop.engine.events import (
    EngineState,
    EngineStatus,
    GenerationFinished,
    LargerContext,
    ModelFailed,
    ModelLoaded,
    ModelUnloaded,
    ThreadsChanged,
    banner,
)
from desktop.engine.generation import Generation
from desktop.engine.host import MB, HostMemory
from desktop.engine.inference import InferenceBackend, InferenceError, LoadCancelled
from desktop.engine.loader import Loader
from desktop.engine.reasons import EngineReason
from desktop.engine.requests import ContextOverflow, FinishReason, GenerateRequest, Priority, Reading, Stream
from desktop.engine.scheduler import Clock, Scheduler
from desktop.engine.session import Session
from desktop.engine.thread_tuning import ThreadChange, ThreadTuning
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.reasons import Reason
from desktop.settings import USUAL_CONTEXT_TOKENS, ModelSettings

if TYPE_CHECKING:
    from desktop.models.library import InstalledModel

log = structlog.get_logger(__name__)

AFTER_FAILURE_S = 1.0
PRESSURE_CHECK_S = 5.0  # how often memory is looked at while a model is loaded
SOONEST_S = 1.0  # nothing wakes an idle program more often
LONGEST_WAIT_S = 15.0  # a step under way may be a chunk of a prompt; who asks has an estimate to fall back on
T = TypeVar("T")


class Engine:
    """Public methods may be called on any thread and return at once, except `run`, which is the owner's."""

    def __init__(
        self,
        paths: Paths,
        bus: Bus,
        settings: Callable[[], ModelSettings],
        backend: InferenceBackend,
        clock: Clock | None = None,
        memory: HostMemory | None = None,
    ) -> None:
        self._bus = bus
        self._settings = settings
        self._clock = clock or Clock()
        self._memory = memory or HostMemory()
        self._loader = Loader(paths, bus, settings, backend, self._memory, self._clock)
        self._scheduler: Scheduler[Generation] = Scheduler(self._admits, self._clock)
        self._looks = SessionQueries(self._scheduler.wake)
        self._session: Session | None = None
        self._vocabulary = threading.Lock()  # held while another thread counts: the model stays so long
        self._tuning: ThreadTuning | None = None
        self._loaded: InstalledModel | None = None
        self.model: InstalledModel | None = None  # the model that answers from now on
        self._insist = False
        self._preload = False
        self._unload_reason: str | None = None
        self._closing = False
        self._used_at = 0.0
        self._loaded_with: tuple[int, ...] = ()
        self.status = EngineStatus()

    def use(self, model: InstalledModel | None, insist: bool = False) -> None:
        """Answer with `model` from now on; it is loaded when first needed. Answers under way end as they
        began. `insist` also loads a model during whose loading the program ended last time.
        """
        self.model, self._insist = model, insist
        self._scheduler.wake()

    def preload(self) -> None:
        """Load the chosen model before somebody asks."""
        self._preload = True
        self._scheduler.wake()

    def submit(self, request: GenerateRequest) -> Stream:
        """Ask for an answer. The stream also carries what went wrong."""
        stream = Stream(lambda: self._scheduler.cancel(job))
        job = Generation(request, stream)
        if not self._scheduler.submit(job):
            stream.end(FinishReason.CANCELLED, job.metrics(FinishReason.CANCELLED.value, 0, ""))
        return stream

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for an answer."""
        return bool(self._scheduler.jobs)

    @property
    def reading(self) -> Reading | None:
        """How far the prompt that is being computed has been read; None while none is. Any thread."""
        jobs = [job for job in self._scheduler.jobs if job.started]
        return min(jobs, key=lambda job: job.priority).reading if jobs else None

    def count_tokens(self, text: str) -> int | None:
        """How many tokens the loaded model makes of `text`; None while none is loaded. Any thread.

        It reads the vocabulary, which nothing changes, so it waits for no answer; see decision 37.
        """
        with self._vocabulary:
            return None if self._session is None else self._session.count_tokens(text)

    def measure(self, request: GenerateRequest) -> tuple[int, ...] | None:
        """The tokens of each message of `request`, with its share of the template, as `ContextOverflow` has
        them; None without a model. Blocks until the step under way is done; any thread but the engine's."""
        return self._look(lambda session: session.prompt_of(request).message_tokens)

    def smaller_context(self) -> int:
        """The largest context below the present one with which the chosen model would fit into the memory
        that is free now; 0 where none would. Any thread."""
        model = self.model
        return self._loader.smaller_context(model) if model is not None else 0

    def larger_context(self, missing: int) -> LargerContext | None:
        """A context with room for `missing` tokens more, where model and memory have it. Any thread."""
        model = self.model
        if model is None or missing <= 0:
            return None
        return self._loader.larger_context(model, missing, self.status.context_tokens)

    @property
    def context_tokens(self) -> int:
        """Of the loaded model; else what the chosen one would be loaded with now. Any thread."""
        model = self.model
        planned = self._loader.context_tokens(model) if model is not None else USUAL_CONTEXT_TOKENS
        return self.status.context_tokens or planned

    def unload(self, reason: str) -> None:
        """Give the model's memory back as soon as no answer is under way."""
        self._unload_reason = reason
        self._scheduler.wake()

    def close(self) -> None:
        """End `run`: answers under way are cancelled, the model is unloaded."""
        self._closing = True
        for job in self._scheduler.jobs:
            self._scheduler.cancel(job)
        self._scheduler.wake()

    def run(self) -> None:
        """Own the model until `close`. Blocks; exactly one thread calls it."""
        while not self._closing:
            try:
                if not self._work():
                    self._scheduler.rest(self._rest_s())
            except Exception:  # the outermost edge of the engine's thread
                log.exception("engine step failed")
                self._scheduler.rest(AFTER_FAILURE_S)  # what fails once mostly fails again
        for job in self._scheduler.close():
            self._finish(job, FinishReason.CANCELLED)
        self._free("the program ends")
        self._looks.close()

    def _work(self) -> bool:
        """Do one thing that is due; False when there is none."""
        # Questions first: whoever asks stands still until the answer comes.
        self._looks.answer(self._session)
        version = self._scheduler.version
        job = self._scheduler.next()
        if job is not None and job.cancelled:
            self._finish(job, FinishReason.CANCELLED)
        # Answers under way end as they began: another model waits for them.
        elif self._session is not None and self._unload_due() is not None and not self._under_way():
            self._free(self._unload_due() or "")
        elif job is None and not self._preload:
            return self._use_idle_time()
        elif self._session is None:
            self._load()
        elif job is not None:
            self._advance(job, self._session, version)
        else:
            self._preload = False
        return True

    def _look(self, what: Callable[[Session], T]) -> T | None:
        return self._looks.ask(what) if self._session is not None else None

    def _use_idle_time(self) -> bool:
        """Nobody waits: look whether the model may stay, and measure something."""
        if self._session is None:
            return False
        # Only while nobody waits: what a busy engine has no memory for is told by the answer that fails. And
        # not between the parts of one answer, which come at once: to look means to read files of the system.
        idle_s = self._clock.now() - self._used_at
        if idle_s >= SOONEST_S:
            memory = self._memory
            reason = reason_to_unload(self._settings(), idle_s, memory.available_bytes(), memory.on_battery())
            if reason is not None:
                self._free(reason)
                return True
        if self._tuning is None or not self._tuning.wants_idle_time:
            return False
        self._change_threads(self._guarded(self._session, self._tuning.idle_step))
        return True

    def _guarded(self, session: Session, compute: Callable[[], T]) -> T:
        """What a loaded model computes before it has read a prompt may end the program."""
        if session.prefill_tokens_per_s > 0:
            return compute()
        with self._loader.first_computing():
            result = compute()
        if session.prefill_tokens_per_s > 0:  # not where the step was cancelled or put off
            self._loader.has_computed()
        return result

    def _advance(self, job: Generation, session: Session, version: int) -> None:
        """Step after step, as long as nothing else has happened."""
        finish: FinishReason | None = None
        try:
            # Looking at the queue costs a lock: while nobody has come, one step follows the other.
            while finish is None:
                finish = self._guarded(session, lambda: job.step(session, self._scheduler))
                if self._scheduler.version != version:
                    break
        except Exception as error:  # an answer's failure is the asker's to hear, not the engine's end
            self._fail(job, error)
            return
        if finish is not None:
            self._finish(job, finish)

    def _finish(self, job: Generation, finish: FinishReason) -> None:
        self._scheduler.remove(job)
        job.finish(self._session)
        metrics = job.metrics(finish.value, self.status.threads, self.status.device)
        self._used_at = self._clock.now()
        if job.request.priority <= Priority.CHAT:  # the window shows what its own questions have cost
            self.status = replace(self.status, context_used=job.context_used)
        job.stream.end(finish, metrics)
        self._bus.publish(GenerationFinished(job.request.conversation, metrics))

    def _fail(self, job: Generation, error: Exception) -> None:
        self._scheduler.remove(job)
        job.finish(self._session)
        if isinstance(error, InferenceError):  # what it holds may be damaged: the next request loads it anew
            log.error("model failed", conversation=job.request.conversation, reason=str(error))
            self._unload_reason = "it failed"
            error = _model_failed(error)
        elif not isinstance(error, UserFacing | ContextOverflow):
            log.error("generation failed", conversation=job.request.conversation, exc_info=error)
        metrics = job.metrics("failed", self.status.threads, self.status.device)
        job.stream.fail(error, metrics)
        self._bus.publish(GenerationFinished(job.request.conversation, metrics))

    def _load(self) -> None:
        # Both were about the model before this one.
        self._preload, self._unload_reason = False, None
        model, self._loaded_with = self.model, _needs_reload(self._settings())
        begun = self._clock.now()
        try:
            if model is None:
                raise UserFacing(EngineReason.NO_MODEL.of())
            self._announce_loading(model)
            loaded = self._loader.load(model, self._insist, lambda: self._still_wanted(model))
        except LoadCancelled:
            self.status = EngineStatus()
        except Exception as error:  # all who wait have to hear of it, and the engine goes on
            self._load_failed(model, error)
        else:
            self._session, self._tuning, self._loaded = loaded.session, loaded.tuning, model
            if (tuning := loaded.tuning) is not None:
                # The session measures and the tuning decides: neither knows of the other.
                loaded.session.on_decoded = lambda seconds: self._change_threads(tuning.decoded(seconds))
            self._used_at = self._clock.now()
            # All of them have waited for it, not only the one that goes first.
            for waiting in self._scheduler.jobs:
                waiting.load_s += self._clock.now() - begun
            self.status = _ready(model, loaded.session, loaded.notice)
            log.info("model loaded", banner=banner(self.status, model))
            self._bus.publish(ModelLoaded(self.status, loaded.notice))

    def _announce_loading(self, model: InstalledModel) -> None:
        self.status = EngineStatus(EngineState.LOADING, model.id, model.name)

    def _load_failed(self, model: InstalledModel | None, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            log.error("loading failed", exc_info=error)
            error = _model_failed(error)
        if model is not None:
            self.status = EngineStatus(EngineState.FAILED, model.id, model.name)
            self._bus.publish(ModelFailed(model.id, error))
        for job in self._scheduler.jobs:
            self._fail(job, error)

    def _free(self, reason: str) -> None:
        self._unload_reason = None
        session, model = self._session, self._loaded
        if session is None or model is None:
            return
        before = self._memory.resident_bytes()
        if self._tuning is not None:
            self._tuning.close()
        with self._vocabulary:
            # Another thread may just be counting tokens with this vocabulary.
            self._session = self._tuning = self._loaded = None
        session.close()
        # Without this the C library keeps most of it, and other programs find no more memory than before.
        self._memory.trim()
        freed = max(before - self._memory.resident_bytes(), 0)
        self.status = EngineStatus()
        log.info("model unloaded", model=model.id, reason=reason, freed_bytes=freed)
        self._bus.publish(ModelUnloaded(model.id, reason))

    def _change_threads(self, change: ThreadChange | None) -> None:
        if change is None or self._session is None or self._tuning is None:
            return
        self._session.set_threads(change.threads, self._tuning.prefill_threads)
        self.status = replace(self.status, threads=change.threads)
        log.info("threads changed", threads=change.threads, why=change.why)
        self._bus.publish(ThreadsChanged(change.threads, change.why))

    def _admits(self, job: Generation) -> bool:
        """While a change of model waits for answers under way, no other begins."""
        return job.started or self._session is None or self._unload_due() is None

    def _under_way(self) -> bool:
        return any(job.started for job in self._scheduler.jobs)

    def _unload_due(self) -> str | None:
        """Why the loaded model has to go, or None."""
        if self._loaded is not None and self.model is not self._loaded and self.model != self._loaded:
            return "another model was chosen"
        if self._loaded is not None and self._loaded_with != _needs_reload(self._settings()):
            return "its settings were changed"
        return self._unload_reason

    def _still_wanted(self, model: InstalledModel) -> bool:
        return not self._closing and self.model == model and self._unload_reason is None

    def _rest_s(self) -> float | None:
        """Seconds to the next look at how long nobody asked; None while no model is loaded."""
        if self._session is None:
            return None
        return seconds_to_next_look(self._settings(), self._clock.now() - self._used_at)


def start_thread(engine: Engine) -> threading.Thread:
    """Run `engine` on a thread of its own, for programs without Qt. `engine.close()` ends it; then join."""
    thread = threading.Thread(target=engine.run, name="engine")
    thread.start()
    return thread


class SessionQueries:
    """Carries them to the engine's thread, which answers between two steps."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._asked: queue.SimpleQueue[tuple[Callable[[Session], Any], Future[Any]]] = queue.SimpleQueue()
        self._closed = False

    def ask(self, what: Callable[[Session], T]) -> T | None:
        """What `what` returns; None where no model is loaded, or none looked in time. Any other thread."""
        # Nobody would ever answer.
        if self._closed:
            return None
        answer: Future[T | None] = Future()
        self._asked.put((what, answer))
        self._wake()
        try:
            return answer.result(LONGEST_WAIT_S)
        except TimeoutError:
            return None

    def answer(self, session: Session | None) -> None:
        """Answer what was asked. Engine thread."""
        while not self._asked.empty():
            what, answer = self._asked.get()
            if session is None:
                answer.set_result(None)
                continue
            try:
                answer.set_result(what(session))
            except Exception as error:  # the asker's to hear, not the engine's end
                answer.set_exception(error)

    def close(self) -> None:
        """Nobody answers any more."""
        self._closed = True
        self.answer(None)


def _ready(model: InstalledModel, session: Session, notice: Reason | None) -> EngineStatus:
    return EngineStatus(
        state=EngineState.READY,
        model_id=model.id,
        model_name=model.name,
        device=session.model.device,
        threads=session.threads,
        gpu_layers=session.model.gpu_layers,
        context_tokens=session.context_tokens,
        notice=notice,
    )


def _needs_reload(settings: ModelSettings) -> tuple[int, ...]:
    """The settings that a loaded model cannot change."""
    return settings.context_tokens, settings.gpu_layers, settings.threads


def _model_failed(error: Exception) -> UserFacing:
    return UserFacing(EngineReason.MODEL_FAILED.of(error=str(error)))


def idle_limit_s(settings: ModelSettings, on_battery: bool) -> float:
    """How long a model may be idle; 0 for ever."""
    limit = settings.unload_after_minutes
    if on_battery and settings.battery_minutes:
        limit = min(limit, settings.battery_minutes) if limit else settings.battery_minutes
    return limit * 60.0


def reason_to_unload(
    settings: ModelSettings, idle_s: float, available_bytes: int, on_battery: bool = False
) -> str | None:
    """Why a model that has been idle so long has to go, or None."""
    limit_s = idle_limit_s(settings, on_battery)
    if limit_s and idle_s >= limit_s:
        return "idle, on battery" if on_battery and settings.battery_minutes else "idle"
    if available_bytes < settings.low_memory_mb * MB:
        return "memory is low"
    return None


def seconds_to_next_look(settings: ModelSettings, idle_s: float) -> float:
    """How long a loaded model may be left alone."""
    left = settings.unload_after_minutes * 60 - idle_s if settings.unload_after_minutes else PRESSURE_CHECK_S
    return max(min(left, PRESSURE_CHECK_S), SOONEST_S)
