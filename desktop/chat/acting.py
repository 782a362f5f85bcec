"""What lets a conversation act: its tools, who runs them, and how long it may go on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from desktop.chat.hints import Hints, own_hints
from desktop.chat.judging import Done
from desktop.chat.lessons import Lessons
from desktop.chat.tool_record import ToolRecord
from desktop.tools.calls import Ended, Ending
from desktop.tools.executor import Executor
from desktop.tools.tool import Toolbox

WALL_CLOCK_S = 60.0  # of the model's own time after the first call; what the user takes does not count
FAILURES = 2  # one after another, and the model has to say so in words


@dataclass(frozen=True)
class Acting:
    """Handed to `Turns` by the composition root.

    `native_only`: models whose template knows no tools answer in words alone, unless the capability test has
    found that they can do more. `hints` None: the tools are somebody else's. `lessons` None: nothing is
    learned from calls.
    """

    toolbox: Toolbox
    executor: Executor
    cancel_questions: Callable[[int], None] = lambda _conversation_id: None
    native_only: bool = False
    hints: Hints | None = field(default_factory=own_hints)
    lessons: Lessons | None = None


@dataclass
class Steps:
    """How far one turn has come. Used by its one thread."""

    limit: int
    clock: Callable[[], float] = time.monotonic
    records: list[ToolRecord] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    stopped_because: str = ""
    latest: Ended | None = None
    hint: str = ""  # what worked when the latest call failed before

    def __post_init__(self) -> None:
        self._until = math.inf  # before the first call the model may have to be loaded
        self._failures = 0

    @property
    def may_call(self) -> bool:
        if len(self.records) >= self.limit:
            self.stopped_because = f"the limit of {self.limit} steps was reached"
        elif self.clock() > self._until:
            self.stopped_because = f"it took longer than {WALL_CLOCK_S:.0f} seconds"
        return not self.stopped_because

    @property
    def left(self) -> int:
        """How many calls may still be made."""
        return max(self.limit - len(self.records), 0)

    def was_made(self, record: ToolRecord, beside: Sequence[ToolRecord] = ()) -> bool:
        """Whether the very same call was made in this turn, or is about to be; then nothing new would come
        of it."""
        if any(each.same_as == record.same_as for each in (*self.records, *beside)):
            self.stopped_because = "the same call was asked for twice"
        return bool(self.stopped_because)

    def add(self, ended: Ended, changed: bool = False, hint: str = "") -> None:
        """`changed`: its tool does more than look. `hint`: what is known of its failure."""
        self.hint = hint
        self.records.append(ToolRecord.ended(ended))
        touched = " ".join(str(value) for value in (ended.arguments or ended.call.arguments).values())
        self.done.append(Done(ended.call.name, ended.text, ended.ok, changed, touched))
        self._until = self._until + ended.seconds if self.latest else self.clock() + WALL_CLOCK_S
        self.latest = ended
        self._failures = 0 if ended.ok else self._failures + 1
        if ended.ending is Ending.DENIED:
            self.stopped_because = "it was not allowed"
        elif self._failures >= FAILURES:
            self.stopped_because = "two calls failed one after another"

    @property
    def refusal(self) -> str:
        """What the answer has to say, and nothing else, when nothing came of the calls; else "".

        A small model that was refused a file makes up what might be in it, and one that was not allowed to
        write says that it has written.
        """
        latest = self.latest
        if latest is None or latest.ok or "asks instead" in latest.decision:
            return ""
        if latest.ending is Ending.DENIED:
            return f"I did not do that: {latest.decision.replace('the user', 'you')}. Nothing was changed."
        if any(each.ok for each in self.done):
            return ""
        return f"{latest.text}\n\n{self.hint}" if self.hint else latest.text

    @property
    def notice(self) -> str:
        """What the reader has to know when a turn ended before the model was done; else ""."""
        told = ("limit", "longer", "failed")
        if any(word in self.stopped_because for word in told):
            return f"The assistant stopped using tools, because {self.stopped_because}."
        return ""
