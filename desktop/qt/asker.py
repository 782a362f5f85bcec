"""Questions of any thread, in one queue on the main thread.

A thread that asks stands still, as a `Waiter`, until the user has answered; several may share one
`Prompt`. One prompt is open at a time; all that wait may be listed beside it and chosen in any order. Who
draws them hears `current_changed` and calls `answer`.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from desktop.asking import DENIED, SPARE_S, Answer, AskTimedOut, Question
from desktop.errors import Cancelled


class Waiter:
    """One call of `ask`. It ends exactly once, with an answer or an error; any thread may end it."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._answer: Answer | None = None
        self._error: Exception | None = None

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    @property
    def ends_at(self) -> float | None:
        """The moment of the monotonic clock at which an answer would come too late for the agent."""
        deadline = self.question.origin.deadline
        return None if deadline is None else deadline - SPARE_S

    def wait(self) -> Answer:
        """Block until it ends; raises what it ended with."""
        self._ended.wait()
        if self._answer is not None:
            return self._answer
        raise self._error or Cancelled

    def answer(self, answer: Answer) -> None:
        self._end(answer, None)

    def cancel(self) -> None:
        self._end(None, Cancelled())

    def time_out(self) -> None:
        self._end(None, AskTimedOut())

    def _end(self, answer: Answer | None, error: Exception | None) -> None:
        """The first ending counts."""
        with self._lock:
            # An answer, a time-out and a dropped connection may come at the same moment, on three threads.
            if not self._ended.is_set():
                self._answer, self._error = answer, error
                self._ended.set()


@dataclass(eq=False)
class Prompt:
    """A question as the user sees it, with everyone who waits for it. Main thread only."""

    question: Question
    waiters: list[Waiter] = field(default_factory=list)
    left_s: float | None = None
    is_shown: bool = False

    def prune(self, now: float) -> None:
        """Let go of those who ended, and of those whose agent stops listening."""
        for waiter in self.waiters:
            if waiter.ends_at is not None and now >= waiter.ends_at:
                waiter.time_out()
        self.waiters = [waiter for waiter in self.waiters if not waiter.ended]

    def pass_time(self, seconds: float) -> None:
        """Count down; at nothing everyone's time is out."""
        if self.left_s is None:
            return
        self.left_s = max(0.0, self.left_s - seconds)
        if self.left_s == 0:
            for waiter in self.waiters:
                waiter.time_out()

    def seconds_left(self, now: float) -> float | None:
        """Until it ends by itself, whichever clock is first; None if it waits for ever."""
        ends = [waiter.ends_at - now for waiter in self.waiters if waiter.ends_at is not None]
        if ends:
            # The last one counts: as long as somebody listens the prompt stays.
            agent_s = max(0.0, *ends)
            return agent_s if self.left_s is None else min(self.left_s, agent_s)
        return self.left_s


TICK_MS = 200
LONGEST_STEP_S = 1.0  # a window that stood still gave nobody time to read


class QtAsker(QObject):
    """Implements `Asker`. Made, listened to and closed on the main thread.

    `ask`, `withdraw`, `cancel_conversation`, `cancel_all` and `settle` may be called on any other thread too
    (`ask` only there); everything else belongs to the main thread.
    """

    current_changed = Signal(object)  # Prompt or None
    waiting_changed = Signal()  # how many wait, or who
    ticked = Signal(object)  # seconds left for the current prompt, or None

    _asked = Signal(object)
    _swept = Signal()

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        tick_ms: int = TICK_MS,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._lock = threading.Lock()
        self._waiters: list[Waiter] = []  # everyone who stands in `ask`, under the lock
        self._closed = False
        self._prompts: list[Prompt] = []
        self.current: Prompt | None = None  # the one prompt to be shown
        self._said: tuple[Question, ...] = ()  # what `waiting_changed` last told of
        self._attended = False
        self._listed = False
        self._last = clock()
        self._timer = QTimer(self)
        self._timer.setInterval(tick_ms)
        self._timer.timeout.connect(self._on_tick)
        self._asked.connect(self._on_asked, Qt.ConnectionType.QueuedConnection)
        self._swept.connect(self._sweep, Qt.ConnectionType.QueuedConnection)

    # -- for the threads that ask -------------------------------------------------------------

    def ask(self, question: Question) -> Answer:
        """Wait for the user. Raises AskTimedOut or Cancelled; RuntimeError on a thread that must not wait."""
        _refuse_a_thread_that_serves_others()
        waiter = Waiter(question)
        if waiter.ends_at is not None and self._clock() >= waiter.ends_at:
            raise AskTimedOut
        with self._lock:
            if self._closed:
                raise Cancelled
            self._waiters.append(waiter)
            self._asked.emit(waiter)
        try:
            return waiter.wait()
        finally:
            with self._lock:
                self._waiters.remove(waiter)

    def withdraw(self, question: Question) -> None:
        """Cancel the call that asked this very object, as when its connection dropped."""
        self._end_where(lambda asked: asked is question)

    def cancel_conversation(self, conversation_id: int) -> None:
        """Stop in a chat: its questions are cancelled, those of others stay."""
        self._end_where(lambda asked: asked.origin.conversation_id == conversation_id)

    def cancel_all(self) -> None:
        """Cancel every question; each `ask` raises Cancelled."""
        self._end_where(lambda _asked: True)

    def settle(self, decide: Callable[[Question], Answer | None]) -> None:
        """After a change of mode or grants: answer what needs no asking now; None leaves it to the user."""
        for waiter in self._standing():
            answer = decide(waiter.question)
            if answer is not None:
                waiter.answer(answer)
        self._emit_swept()

    # -- for the main thread ------------------------------------------------------------------

    @property
    def pending(self) -> tuple[Question, ...]:
        """What is waiting, the current one first."""
        rest = [prompt.question for prompt in self._prompts if prompt is not self.current]
        return tuple(([self.current.question] if self.current else []) + rest)

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All that wait, in the order in which they came."""
        return tuple(self._prompts)

    def left_of(self, prompt: Prompt) -> float | None:
        """Seconds until `prompt` ends by itself; None if it waits for ever."""
        return prompt.seconds_left(self._clock())

    @property
    def seconds_left(self) -> float | None:
        """For the current prompt; None if it waits for ever."""
        return self.current.seconds_left(self._clock()) if self.current else None

    def answer(self, prompt: Prompt, answer: Answer) -> None:
        """Hand the user's answer to everyone who waits for this prompt; the next prompt follows."""
        for waiter in prompt.waiters:
            waiter.answer(answer)
        self._sweep()

    def choose(self, prompt: Prompt) -> None:
        """The user wants to see this one now; the one that was open waits on."""
        if prompt in self._prompts and prompt is not self.current:
            prompt.is_shown = True
            self._open(prompt)

    def deny_all(self, agent: str = "") -> None:
        """Answer no to everything that waits now, or to all that `agent` asks."""
        for waiter in self._standing():
            if not agent or waiter.question.origin.agent == agent:
                waiter.answer(DENIED)
        self._sweep()

    def mark_shown(self, prompt: Prompt) -> None:
        """The user can see it: an agent's question no longer goes before it."""
        prompt.is_shown = True

    def set_attended(self, prompt: Prompt, attended: bool) -> None:
        """While somebody looks at `prompt` time stands still for all; an agent's deadline does not."""
        self._on_tick()
        if prompt is self.current:
            self._attended = attended

    def set_listed(self, listed: bool) -> None:
        """Whether all that wait are in sight: then time passes for each, not only for the open one."""
        self._on_tick()
        self._listed = listed

    def close(self) -> None:
        """Cancel everything; whoever asks from now on is told Cancelled at once."""
        with self._lock:
            self._closed = True
        self.cancel_all()
        self._sweep()

    # -- inside -------------------------------------------------------------------------------

    def _standing(self) -> list[Waiter]:
        with self._lock:
            return list(self._waiters)

    def _end_where(self, applies: Callable[[Question], bool]) -> None:
        for waiter in self._standing():
            if applies(waiter.question):
                waiter.cancel()
        self._emit_swept()

    def _emit_swept(self) -> None:
        """Tidy up on the main thread; at once where this is it."""
        if threading.current_thread() is threading.main_thread():
            self._sweep()
        else:
            self._swept.emit()

    @Slot(object)
    def _on_asked(self, waiter: Waiter) -> None:
        if waiter.ended:
            return
        key = waiter.question.key
        # The same question from two threads is shown once, and its answer is for both.
        same = next((prompt for prompt in self._prompts if prompt.question.key == key), None)
        if same is None:
            same = Prompt(waiter.question, left_s=waiter.question.timeout_s)
            self._prompts.append(same)
        same.waiters.append(waiter)
        self._sweep()

    @Slot()
    def _sweep(self) -> None:
        """Drop what nobody waits for, then choose what is shown."""
        now = self._clock()
        for prompt in self._prompts:
            prompt.prune(now)
        self._prompts = [prompt for prompt in self._prompts if prompt.waiters]
        chosen = self._choose()
        if chosen is not self.current:
            self._open(chosen)
        else:
            self._run_timer()
            self._tell()

    def _open(self, prompt: Prompt | None) -> None:
        self.current, self._attended, self._last = prompt, False, self._clock()
        self._run_timer()
        self._tell()
        self.current_changed.emit(prompt)

    def _tell(self) -> None:
        pending = self.pending
        if pending != self._said:
            self._said = pending
            self.waiting_changed.emit()

    def _choose(self) -> Prompt | None:
        """One that is seen stays; else an agent's, whose time is short; else the oldest."""
        current = self.current if self.current in self._prompts else None
        if current is not None and (current.is_shown or current.question.origin.is_agent):
            return current
        agents = (prompt for prompt in self._prompts if prompt.question.origin.is_agent)
        return next(agents, current or next(iter(self._prompts), None))

    def _run_timer(self) -> None:
        if self._prompts and not self._timer.isActive():
            self._last = self._clock()
            self._timer.start()
        elif not self._prompts:
            self._timer.stop()

    @Slot()
    def _on_tick(self) -> None:
        now = self._clock()
        passed, self._last = min(now - self._last, LONGEST_STEP_S), now
        # Whoever is reading it is not hurried.
        if not self._attended:
            for prompt in self._prompts:
                if self._listed or prompt is self.current:
                    prompt.pass_time(passed)
        self._sweep()
        if self.current is not None:
            self.ticked.emit(self.seconds_left)


def _refuse_a_thread_that_serves_others() -> None:
    """Waiting on the main thread, or inside an event loop, would stop everything else, the answer too."""
    if threading.current_thread() is threading.main_thread():
        raise RuntimeError("ask is refused on the main thread")
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError("ask is refused on a thread that runs an event loop")
