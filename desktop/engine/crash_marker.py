"""Remembers, across a crash of the whole program, what was being tried with which model.

A damaged file, a driver of a graphics card or a faulty library can end the process inside native code: while
a model is loaded, or when it computes for the first time. A marker is written before either and removed after
it; one that a dead process left behind says what must not be tried again without a word.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop import __version__
from desktop.paths import write_atomically
from desktop.state_file import fits, read_object

log = structlog.get_logger(__name__)

# A kill or a power cut looks like a crash. While a model computes for the first time either may happen: once
# is no reason to refuse it.
COMPUTINGS_REFUSED = 2


class LoadStep(StrEnum):
    """What can end the program."""

    LOAD = "load"
    COMPUTE = "compute"  # for the first time


@dataclass(frozen=True)
class LoadAttempt:
    """`card`: whether a graphics card might take part. `gpu_layers`: as the settings had it."""

    model_id: str
    gpu_layers: int
    card: bool = False
    step: LoadStep = LoadStep.LOAD
    version: str = __version__


class CrashMarker:
    """The file `path`. Engine thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def card_failed(self, gpu_layers: int) -> bool:
        """Whether the program ended while the card took part, with this setting and version: with whatever
        model, because the driver is the same for all."""
        return any(each.card and each.gpu_layers == gpu_layers for each in self._ends())

    def failed_step(self, model_id: str) -> LoadStep | None:
        """Why this model should not be tried with the processor: at which step the program ended."""
        steps = [each.step for each in self._ends() if each.model_id == model_id and not each.card]
        if LoadStep.LOAD in steps:
            return LoadStep.LOAD
        return LoadStep.COMPUTE if steps.count(LoadStep.COMPUTE) >= COMPUTINGS_REFUSED else None

    @contextmanager
    def trying(self, attempt: LoadAttempt) -> Iterator[None]:
        """Around the step. An orderly end, also by an exception, is none that is remembered. What ended with
        the card is forgotten once the setting is another: the user wants it to be tried again."""
        ends = [each for each in self._ends() if not each.card or each.gpu_layers == attempt.gpu_layers]
        self._write(ends, attempt)
        try:
            yield
        finally:
            self._write(ends)

    def forget(self, attempt: LoadAttempt) -> None:
        """It went well to the end: what was held against this model, or against the card, is over."""
        ends = self._ends()
        kept = [each for each in ends if not _is_refuted(each, attempt)]
        if len(kept) != len(ends):
            self._write(kept)

    # -- the file -----------------------------------------------------------------------------

    def _ends(self) -> list[LoadAttempt]:
        """At what the program ended, the oldest first. Another version may do better."""
        file = self._read()
        rows = [*_rows(file.get("past")), *([file["now"]] if _has_ended(file.get("now")) else [])]
        return [each for each in map(_attempt, rows) if each is not None and each.version == __version__]

    def _read(self) -> dict[str, Any]:
        return read_object(self._path, "The list of models that ended the program")

    def _write(self, ends: list[LoadAttempt], now: LoadAttempt | None = None) -> None:
        if not ends and now is None:
            self._path.unlink(missing_ok=True)
            return
        # The number and time of this process tell the next start whether it is still alive.
        marker: dict[str, Any] = {"past": [asdict(each) for each in ends]}
        if now is not None:
            marker["now"] = {**asdict(now), "pid": os.getpid(), "time": time.time()}
        try:
            write_atomically(self._path, json.dumps(marker).encode())
        except OSError as error:  # a full disk must not keep the model from loading
            log.warning("load marker could not be written", path=str(self._path), reason=str(error))


def _is_refuted(end: LoadAttempt, success: LoadAttempt) -> bool:
    if end.card or success.card:
        return end.card and success.card
    return end.model_id == success.model_id


def _rows(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _attempt(row: object) -> LoadAttempt | None:
    """The attempt that was noted; None for what no version of this file has written."""
    if not isinstance(row, dict):
        return None
    try:
        made = LoadAttempt(**{name: row[name] for name in LoadAttempt.__annotations__})
        return replace(made, step=LoadStep(made.step))
    except (KeyError, TypeError, ValueError):
        return None


def _has_ended(now: object) -> bool:
    """Whether the process that wrote it is gone; a later one with its number does not count as it."""
    if not isinstance(now, dict):
        return False
    try:
        # The number may have been given to another process since; one that began later did not write this.
        started_at = psutil.Process(int(now["pid"])).create_time()
    except (psutil.Error, KeyError, ValueError, TypeError, OverflowError):
        return True
    written_at = now.get("time", 0.0)
    return not (fits(written_at, float) and started_at <= written_at + 1.0)
