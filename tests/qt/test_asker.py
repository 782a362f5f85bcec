"""Questions of many threads, one prompt at a time, each ending exactly once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest
from pytestqt.qtbot import QtBot

from desktop.asking import ALLOWED_ONCE, DENIED, Answer, AskTimedOut, Origin, Question, Risk
from desktop.errors import Cancelled
from desktop.qt.asker import Prompt, QtAsker
from tests.fakes.clock import SetTime
from tests.fakes.failures import spoken


@dataclass
class Room:
    """An asker with threads that ask it."""

    asker: QtAsker
    clock: SetTime
    pool: ThreadPoolExecutor
    qtbot: QtBot
    shown: list[Prompt | None] = field(default_factory=list)

    def ask(self, question: Question) -> Future[Answer]:
        """Ask on a thread, and wait until the question has arrived."""
        before = self.waiting()
        asked = self.pool.submit(self.asker.ask, question)
        self.qtbot.waitUntil(lambda: self.waiting() > before or asked.done())
        return asked

    def waiting(self) -> int:
        return sum(len(prompt.waiters) for prompt in self.asker._prompts)

    def answer(self, answer: Answer) -> None:
        assert self.asker.current is not None
        self.asker.answer(self.asker.current, answer)

    def pass_time(self, seconds: float) -> None:
        """Second by second, as the timer would see it."""
        for _ in range(int(seconds)):
            self.clock.now += 1
            self.asker._on_tick()


@pytest.fixture
def room(qtbot: QtBot) -> Iterator[Room]:
    clock = SetTime(1000.0)
    asker = QtAsker(clock, tick_ms=100_000)  # the test ticks
    pool = ThreadPoolExecutor(8)
    room = Room(asker, clock, pool, qtbot)
    asker.current_changed.connect(room.shown.append)
    yield room
    asker.close()
    pool.shutdown(wait=True)
    asker.deleteLater()


def question(name: str, **fields: object) -> Question:
    made = Question(
        spoken(f"Run {name}?"), spoken("Runs a program."), Risk.RUNS, name, origin=Origin(conversation_id=1)
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def agent(name: str, deadline: float | None = None) -> Question:
    return question(name, origin=Origin(agent="Claude Code", session="s", deadline=deadline))


def titles(room: Room) -> list[str]:
    return [asked.arguments for asked in room.asker.pending]


def test_the_thread_waits_for_the_one_answer(room: Room) -> None:
    """The caller stands still, the prompt comes on the main thread, the answer goes back."""
    asked = room.ask(question("ls"))
    assert room.asker.current is not None
    assert not asked.done()
    answer = replace(DENIED, instead="look first")
    room.answer(answer)
    assert asked.result(60) == answer
    assert room.asker.current is None


def test_refused_on_the_main_thread(room: Room) -> None:
    """There the answer could never come."""
    with pytest.raises(RuntimeError, match="main thread"):
        room.asker.ask(question("ls"))


def test_refused_on_a_thread_that_runs_an_event_loop(room: Room) -> None:
    """A server's thread would stop answering everyone else."""

    async def ask() -> Answer:
        return room.asker.ask(question("ls"))

    with pytest.raises(RuntimeError, match="event loop"):
        room.pool.submit(asyncio.run, ask()).result(60)


def test_rule_5_one_prompt_at_a_time_in_the_order_of_asking(room: Room) -> None:
    """Two threads ask; the second is shown when the first is answered, and each gets its own answer."""
    first, second = room.ask(question("one")), room.ask(question("two"))
    assert titles(room) == ["one", "two"]
    assert len(room.shown) == 1
    room.answer(ALLOWED_ONCE)
    assert first.result(60) == ALLOWED_ONCE
    assert not second.done()
    assert titles(room) == ["two"]
    room.answer(DENIED)
    assert second.result(60) == DENIED


def test_rule_5_an_identical_request_does_not_stack(room: Room) -> None:
    """Reason and clocks apart it is the same question: one prompt, the same answer to both."""
    first = room.ask(question("ls", why="Because."))
    second = room.ask(question("ls", why="To look.", timeout_s=10.0))
    assert titles(room) == ["ls"]
    room.answer(ALLOWED_ONCE)
    assert first.result(60) == second.result(60) == ALLOWED_ONCE


@pytest.mark.parametrize(
    "other",
    [
        question("ls "),
        question("ls", diff="+a"),
        question("ls", outside=True),
        question("ls", origin=Origin(conversation_id=2)),
        agent("ls"),
    ],
)
def test_rule_5_what_differs_in_anything_is_asked_apart(room: Room, other: Question) -> None:
    """A yes to one request is never a yes to a similar one."""
    first = room.ask(question("ls"))
    second = room.ask(other)
    assert len(room.asker.pending) == 2
    room.answer(ALLOWED_ONCE)
    assert not (first.done() and second.done())


def test_rule_5_deny_all(room: Room) -> None:
    """Everything that waits is denied, also what nobody has seen yet."""
    asked = [room.ask(question(name)) for name in ("one", "two", "three")]
    room.asker.deny_all()
    assert [future.result(60) for future in asked] == [DENIED] * 3
    assert room.asker.pending == ()


def test_rule_5_stop_cancels_the_questions_of_its_chat_only(room: Room) -> None:
    """The turn that was stopped is told so; another chat's question stays."""
    mine = room.ask(question("one"))
    other = room.ask(question("two", origin=Origin(conversation_id=2)))
    room.asker.cancel_conversation(1)
    with pytest.raises(Cancelled):
        mine.result(60)
    assert titles(room) == ["two"]
    assert not other.done()


def test_rule_5_stop_works_from_another_thread_too(room: Room) -> None:
    """The prompt goes away on the main thread."""
    asked = room.ask(question("one"))
    room.pool.submit(room.asker.cancel_all).result(60)
    with pytest.raises(Cancelled):
        asked.result(60)
    room.qtbot.waitUntil(lambda: room.asker.current is None)
    assert room.shown[-1] is None


def test_rule_5_a_change_of_mode_answers_what_needs_no_asking_now(room: Room) -> None:
    """What the new mode decides is answered, the rest stays."""
    first, second = room.ask(question("ls")), room.ask(question("rm"))
    room.asker.settle(lambda asked: ALLOWED_ONCE if asked.arguments == "ls" else None)
    assert first.result(60) == ALLOWED_ONCE
    assert not second.done()
    assert titles(room) == ["rm"]


def test_a_dropped_connection_cancels_its_own_call_alone(room: Room) -> None:
    """Of two callers of the same question only the one that is gone is cancelled."""
    gone, stays = agent("ls"), agent("ls")
    first, second = room.ask(gone), room.ask(stays)
    room.asker.withdraw(gone)
    with pytest.raises(Cancelled):
        first.result(60)
    assert titles(room) == ["ls"]
    room.answer(ALLOWED_ONCE)
    assert second.result(60) == ALLOWED_ONCE


def test_rule_3_time_runs_out(room: Room) -> None:
    """After the limit the caller is told; it is not an answer, and nothing is allowed."""
    asked = room.ask(question("ls", timeout_s=5.0))
    room.pass_time(4)
    assert not asked.done()
    assert room.asker.seconds_left == 1.0
    room.pass_time(1)
    with pytest.raises(AskTimedOut):
        asked.result(60)
    assert room.asker.current is None


def test_rule_3_time_stands_still_while_attended(room: Room) -> None:
    """Hovered or focused, the prompt waits; afterwards the rest of the time runs."""
    asked = room.ask(question("ls", timeout_s=5.0))
    assert room.asker.current is not None
    room.asker.set_attended(room.asker.current, True)
    room.pass_time(1000)
    assert not asked.done()
    room.asker.set_attended(room.asker.current, False)
    room.pass_time(4)
    assert not asked.done()
    room.pass_time(1)
    with pytest.raises(AskTimedOut):
        asked.result(60)


def test_rule_3_waiting_in_the_queue_costs_no_time(room: Room) -> None:
    """Each prompt has its whole time when its turn comes."""
    room.ask(question("one", timeout_s=None))
    room.ask(question("two", timeout_s=5.0))
    room.pass_time(60)
    room.answer(DENIED)
    assert room.asker.seconds_left == 5.0


def test_rule_3_a_window_that_stood_still_costs_no_time(room: Room) -> None:
    """Nobody could read while nothing was painted."""
    room.ask(question("ls", timeout_s=5.0))
    room.clock.now += 600
    room.asker._on_tick()
    assert room.asker.seconds_left == 4.0


def test_rule_3_an_agents_question_ends_five_seconds_before_its_hook(room: Room) -> None:
    """Also while the user looks at it, and while it waits behind another one."""
    first = room.ask(agent("one", room.clock.now + 60))
    second = room.ask(agent("two", room.clock.now + 30))
    assert room.asker.current is not None
    room.asker.set_attended(room.asker.current, True)
    room.pass_time(24)
    assert not second.done()
    room.pass_time(1)
    with pytest.raises(AskTimedOut):
        second.result(60)
    assert titles(room) == ["one"]
    room.pass_time(30)
    with pytest.raises(AskTimedOut):
        first.result(60)


def test_rule_3_an_agent_that_stops_listening_too_soon_is_not_asked_for(room: Room) -> None:
    """Nobody could answer in time."""
    asked = room.ask(agent("ls", room.clock.now + 5))
    with pytest.raises(AskTimedOut):
        asked.result(60)
    assert room.shown == []


def test_an_agent_goes_before_a_question_that_nobody_has_seen(room: Room) -> None:
    """A chat whose window is away would keep the agent waiting; one that is seen is not taken away."""
    room.ask(question("chat"))
    room.ask(agent("agent"))
    assert titles(room) == ["agent", "chat"]
    room.answer(DENIED)
    assert room.asker.current is not None
    room.asker.mark_shown(room.asker.current)
    room.ask(agent("later"))
    assert titles(room) == ["chat", "later"]


def test_closing_cancels_everything_and_refuses_what_comes_later(room: Room) -> None:
    """The app ends while it asks: no thread is left waiting, and nothing was allowed."""
    asked = [room.ask(question(name)) for name in ("one", "two")]
    room.asker.close()
    for future in asked:
        with pytest.raises(Cancelled):
            future.result(60)
    with pytest.raises(Cancelled):
        room.pool.submit(room.asker.ask, question("three")).result(60)


def test_closing_while_a_question_is_on_its_way_leaves_no_thread_waiting(room: Room) -> None:
    """Asked, but not yet arrived on the main thread."""
    asked = room.pool.submit(room.asker.ask, question("one"))
    deadline = time.monotonic() + 2
    while not room.asker._waiters and time.monotonic() < deadline:
        time.sleep(0.001)  # without the event loop of the main thread
    room.asker.close()
    with pytest.raises(Cancelled):
        asked.result(60)
    room.qtbot.wait(10)
    assert room.asker.current is None


def test_many_threads_each_get_exactly_their_answer(room: Room) -> None:
    """Eight threads ask twenty times each while the main thread answers: none is lost or mixed up."""
    results: list[tuple[str, str]] = []
    lock = threading.Lock()

    def ask_often(number: int) -> None:
        for turn in range(20):
            name = f"{number}-{turn}"
            answer = room.asker.ask(question(name))
            with lock:
                results.append((name, answer.instead))

    room.asker.current_changed.connect(
        lambda prompt: (
            prompt and room.asker.answer(prompt, replace(DENIED, instead=prompt.question.arguments))
        )
    )
    asking = [room.pool.submit(ask_often, number) for number in range(8)]
    room.qtbot.waitUntil(lambda: all(future.done() for future in asking))
    assert len(results) == 160
    assert all(asked == answered for asked, answered in results)


def test_any_of_the_queue_can_be_chosen(room: Room) -> None:
    """The one that was open waits on in its place; the answer reaches the right one."""
    asked = [room.ask(agent(name)) for name in ("one", "two", "three")]
    room.asker.choose(room.asker.prompts[2])
    assert titles(room) == ["three", "one", "two"]
    assert [prompt.question.arguments for prompt in room.asker.prompts] == ["one", "two", "three"]
    room.answer(ALLOWED_ONCE)
    assert asked[2].result(60) == ALLOWED_ONCE
    assert not asked[0].done()


def test_all_of_one_agent_are_denied(room: Room) -> None:
    """The questions of others stay."""
    mine, chat = room.ask(agent("one")), room.ask(question("chat"))
    room.asker.deny_all("Claude Code")
    assert mine.result(60) == DENIED
    assert not chat.done()


def test_what_is_listed_has_a_clock_of_its_own(room: Room) -> None:
    """Time passes for all in sight, and for none while somebody looks."""
    room.ask(question("one", timeout_s=50.0))
    second = room.ask(question("two", timeout_s=5.0))
    assert room.asker.current is not None
    room.asker.set_listed(True)
    room.asker.set_attended(room.asker.current, True)
    room.pass_time(100)
    assert [room.asker.left_of(prompt) for prompt in room.asker.prompts] == [50.0, 5.0]
    room.asker.set_attended(room.asker.current, False)
    room.pass_time(5)
    with pytest.raises(AskTimedOut):
        second.result(60)
    assert room.asker.seconds_left == 45.0
