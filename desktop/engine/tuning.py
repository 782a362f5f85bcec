"""The number of threads of a loaded model: what the user set, else measured, then watched."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from desktop.engine.backend import BackendError, LoadedModel
from desktop.engine.calibration import Calibrated, Calibration, CalibrationFile
from desktop.engine.throughput import Change, ThroughputWatch

log = structlog.get_logger(__name__)


class ThreadTuning:
    """Engine thread."""

    def __init__(
        self,
        model: LoadedModel,
        file: CalibrationFile,
        key: str,
        cores: int,
        fixed_threads: int,
        now: Callable[[], float],
    ) -> None:
        """`fixed_threads` above 0 is the user's word: nothing is measured or changed."""
        self._file = file
        self._key = key
        self._now = now
        self._cores = fixed_threads or cores
        self._calibration: Calibration | None = None
        self._watch: ThroughputWatch | None = None
        self.threads = fixed_threads or cores
        if fixed_threads:
            return
        known = file.read(key)
        if known is None or not known.steady:
            self._calibration = Calibration(model, cores)
        if known is not None:
            self._begin_watch(known)

    @property
    def prefill_threads(self) -> int:
        """Prompts use every core, unless other programs need them."""
        return self.threads if self._watch is not None and self._watch.held_back else self._cores

    @property
    def wants_idle_time(self) -> bool:
        """Whether there is something to measure while nobody waits."""
        return self._calibration is not None

    def idle_step(self) -> Change | None:
        """Measure for the time of one token."""
        assert self._calibration is not None
        try:
            result = self._calibration.step()
        except BackendError as error:  # no memory to spare: compute with what is known
            log.warning("calibration failed", reason=str(error))
            self.close()
            return None
        if result is None:
            return None
        self.close()
        self._file.write(self._key, result)
        log.info("threads calibrated", threads=result.threads, tokens_per_s=result.tokens_per_s)
        before = self.threads
        self._begin_watch(result)
        return Change(self.threads, "measured on this computer") if self.threads != before else None

    def decoded(self, seconds: float) -> Change | None:
        """A token of an answer took so long."""
        change = self._watch.decoded(seconds, self._now()) if self._watch is not None else None
        if change is not None:
            self.threads = change.threads
        return change

    def close(self) -> None:
        """Free what measuring needs."""
        if self._calibration is not None:
            self._calibration.close()
            self._calibration = None

    def _begin_watch(self, calibrated: Calibrated) -> None:
        self._watch = ThroughputWatch(calibrated)
        self.threads = calibrated.threads
