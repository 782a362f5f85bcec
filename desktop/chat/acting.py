"""What lets a conversation act: its tools, who runs them, and how long it may go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from desktop.chat.deciding import Done
from desktop.chat.tool_record import ToolRecord
from desktop.tools.calls import Ended, Ending
from desktop.tools.executor import Executor
from desktop.tools.tool import Toolbox

WALL_CLOCK_S = 60.0  # of the model's own time in one turn; what the user takes to answer does not count
FAILURES = 2  # one after another, and the model has to say so in words


@dataclass(frozen=True)
class Acting:
    """Handed to `Turns` by the composition root.

    `native_only`: models whose template knows no tools answer in words alone; for them the decision whether
    to call is not tuned, and the list of tools would take a quarter of a small context.
    """

    toolbox: Toolbox
    executor: Executor
    cancel_questions: Callable[[int], None] = lambda _conversation_id: None
    native_only: bool = False


@dataclass
class Steps:
    """How far one turn has come. Used by its one thread."""

    limit: int
    clock: Callable[[], float] = time.monotonic
    records: list[ToolRecord] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    stopped_because: str = ""

    def __post_init__(self) -> None:
        self._until = self.clock() + WALL_CLOCK_S
        self._failures = 0

    @property
    def may_call(self) -> bool:
        if len(self.records) >= self.limit:
            self.stopped_because = f"the limit of {self.limit} steps was reached"
        elif self.clock() > self._until:
            self.stopped_because = f"it took longer than {WALL_CLOCK_S:.0f} seconds"
        return not self.stopped_because

    def was_made(self, record: ToolRecord) -> bool:
        """Whether the very same call was made in this turn; then nothing new would come of it."""
        if any(each.same_as == record.same_as for each in self.records):
            self.stopped_because = "the same call was asked for twice"
        return bool(self.stopped_because)

    def add(self, ended: Ended) -> None:
        self.records.append(ToolRecord.ended(ended))
        self.done.append(Done(ended.call.name, ended.text))
        self._until += ended.seconds
        self._failures = 0 if ended.ok else self._failures + 1
        if ended.ending is Ending.DENIED:
            self.stopped_because = "it was not allowed"
        elif self._failures >= FAILURES:
            self.stopped_because = "two calls failed one after another"

    @property
    def notice(self) -> str:
        """What the reader has to know when a turn ended before the model was done; else ""."""
        told = ("limit", "longer", "failed")
        if any(word in self.stopped_because for word in told):
            return f"The assistant stopped using tools, because {self.stopped_because}."
        return ""
