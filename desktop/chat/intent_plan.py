"""The plan for a request, as values: its steps, the state between its parts, and what a reader may look at.

Immutable; any thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.references import Past


class Surroundings(Protocol):
    """What a request may mean: looked up only where its words ask for something to be done."""

    def files(self) -> Sequence[str]:
        """Of the workspace, each as its path from there."""
        ...

    def folders(self) -> Sequence[str]: ...

    def text(self, name: str) -> str:
        """What is in a file; "" where that cannot be told."""
        ...

    def whole(self, name: str) -> str:
        """All that is in a text file; "" where it is no text, or more than may be written."""
        ...

    def document(self, name: str) -> str:
        """The text of a document that has to be taken apart, such as a PDF; "" where it has none. Blocks."""
        ...

    def reminders(self) -> Sequence[tuple[int, str]]:
        """Number and text of those that are open, the one set last at the end."""
        ...

    def due(self, number: int) -> datetime | None:
        """When an open reminder is shown, in local time; None for one that is not there, or that repeats."""
        ...

    def is_due_at(self, number: int, words: str) -> bool:
        """Whether an open reminder is shown at the time that `words`, as a reminder takes them, name: set
        again for it, it would be the same one."""
        ...

    def worked_out(self, question: str) -> str:
        """The result of a sum or a conversion; "" where it is none."""
        ...

    def is_looked_up(self, question: str) -> bool:
        """Whether the computer tells it, such as the time or its address: a model would make it up."""
        ...

    def time_in(self, words: str, language: str) -> str:
        """The time that all of `words` name, as a reminder takes it; "" where they name none."""
        ...


@dataclass(frozen=True)
class Step:
    """One thing to do. Without a `call` it is not done, or known already, and `text` says which."""

    call: ParsedCall | None = None
    text: str = ""
    changes: bool = True
    # Whether `text` is only true where the call before it was made.
    if_done: bool = False
    # The part of the request that it names as not done, because no table read it.
    unread: str = ""
    # Whether `text` says only that the file was not found.
    lacks_file: bool = False
    # What is told of its result, where not all of it is wanted.
    quoted: str = ""
    # What the model is to write, where `call` writes a file with words of the model's.
    making: str = ""


@dataclass(frozen=True)
class IntentPlan:
    """All of a request, in order; `language` is that of its words."""

    language: str
    steps: tuple[Step, ...]
    # Whether the model answers once the calls, which only look, have been made.
    is_asked: bool = False
    # What is asked beside, to be answered for itself once all this has been told; "" for most.
    question: str = ""
    # What has to be read for that answer.
    looks: tuple[ParsedCall, ...] = ()

    @property
    def calls(self) -> tuple[ParsedCall, ...]:
        """Those whose values are all known before the first of them."""
        return tuple(step.call for step in self.steps if step.call is not None and not step.making)

    @property
    def changes(self) -> bool:
        """Whether anything but a look is planned."""
        return any(step.changes for step in self.steps)

    @property
    def written(self) -> Step | None:
        """The last step, where the model has to write its text."""
        last = self.steps[-1]
        return last if last.making else None


@dataclass(frozen=True)
class PlanState:
    """Where the plan stands after the parts before: names as they will be, what was made and meant last."""

    past: Past
    files: tuple[str, ...]
    folders: tuple[str, ...]
    made: tuple[str, ...] = ()  # folders of this request, in their order
    reminded: str = ""  # the time of the reminder that this request sets before


@dataclass(frozen=True)
class PlannedPart:
    """One part of a request, read: its steps, and where the plan stands after them."""

    steps: tuple[Step, ...]
    state: PlanState


def planned(calls: Sequence[ParsedCall], state: PlanState, changes: bool = True) -> PlannedPart:
    """A part that is these calls; `state` is what stands after them."""
    return PlannedPart(tuple(Step(call, changes=changes) for call in calls), state)


def touched(state: PlanState, name: str) -> PlanState:
    """`state` after the file `name` was read or written: it is the one that "it" means from now on."""
    files = state.files if name in state.files else (*state.files, name)
    return replace(state, files=files, past=replace(state.past, file=name, files=()))
