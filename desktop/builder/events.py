"""What is announced while a check is made to pass."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.builder.job import LoopState
from desktop.events import Event


@dataclass(frozen=True)
class CheckProgress(Event):
    """How far the call has come. Published on the thread of the job."""

    call_id: str
    state: LoopState


@dataclass(frozen=True)
class CheckRecorded(Event):
    """What came of the call is kept now, or was applied."""

    call_id: str
