"""A held hook: what the judge thinks, what copies are kept, and connections that drop."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from desktop.agents.events import DecidedBy
from desktop.agents.hook_request import PendingHook
from desktop.asking import Answer, Scope
from desktop.asking import Choice as Click
from desktop.gate.judge import Consulted, ModelVerdict
from desktop.gate.policy import PolicySettings
from desktop.gate.verdict import Effect, Verdict
from desktop.settings import HookSettings, Snapshots
from tests.agents.gatehouse import Gatehouse, WaitingAsker, reason, word
from tests.fakes.asker import FakeAsker
from tests.fakes.failures import failure

# -- the judge ----------------------------------------------------------------------------------


class Judge:
    """A model of one opinion."""

    def __init__(self, opinion: ModelVerdict | None) -> None:
        self.opinion = opinion
        self.asked: list[str] = []

    def consult(self, command: str, timeout_s: float | None) -> Consulted:
        self.asked.append(command)
        return Consulted(self.opinion, timed_out=self.opinion is None)


READING = ModelVerdict(Effect.READ, 0.99, {"READ": 0.99}, "Qwen", 120.0)


def test_the_judge_is_asked_about_unknown_programs_only(house: Gatehouse) -> None:
    """Its opinion is shown; by itself it allows nothing."""
    judge = Judge(READING)
    house.make(judge=judge)
    house.answer(house.bash("rm -rf build"))
    house.answer(house.bash("xyzzy --list"))
    assert judge.asked == ["xyzzy --list"]
    view = house.questions[-1].command
    assert view is not None
    assert "Qwen thinks that it only reads" in str(view.opinion)


def test_the_judge_allows_only_where_the_user_switched_that_on(house: Gatehouse) -> None:
    """Then what it takes for reading passes without a question, also without a window."""
    house.make(judge=Judge(READING))
    house.policy = PolicySettings(judge_may_allow=True)
    house.asker = None
    assert house.says(house.bash("xyzzy --list")) == "allow"
    assert house.decided[-1].by is DecidedBy.JUDGE


def test_a_judge_that_times_out_is_told_in_the_reason(house: Gatehouse) -> None:
    """The question comes without an opinion."""
    house.make(judge=Judge(None))
    house.answer(house.bash("xyzzy --list"))
    assert "the model timed out" in str(house.questions[0].text)


# -- copies -------------------------------------------------------------------------------------


class Keeper:
    """Keeps nothing, or fails; remembers what it was asked to keep."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.kept: list[tuple[str, ...]] = []
        self.calls: list[str] = []
        self.settled: list[str] = []

    def worth(self, verdict: Verdict, folder: Path) -> bool:
        return bool(verdict.touched)

    def take(self, verdict: Verdict, folder: Path, call: str) -> tuple[int, ...]:
        if self.fails:
            raise failure("The disk is full.", "Nothing was changed.", "Free some space.")
        self.kept.append(verdict.touched)
        self.calls.append(call)
        return (7, 8)

    def settle(self, call: str) -> tuple[int, ...]:
        self.settled.append(call)
        return (7,)


def test_copies_are_offered_and_taken_where_the_user_wants_them(house: Gatehouse) -> None:
    """Their numbers in the journal are with the verdict, for Undo."""
    keeper = Keeper()
    house.make(snapshots=keeper)
    house.answer(house.bash("rm -rf build"))
    assert house.questions[0].command is not None
    assert house.questions[0].command.can_snapshot
    assert house.questions[0].reversible is None
    assert not keeper.kept
    house.asker = FakeAsker(Answer(Click.ALLOW, snapshot=True))
    assert house.says(house.bash("rm -rf dist")) == "allow"
    assert keeper.kept == [("dist",)]
    assert house.decided[-1].changes == (7, 8)


def test_by_setting_copies_are_always_taken_before_it_is_allowed(house: Gatehouse) -> None:
    """Also for what a grant allows; the dialog then says that it can be undone."""
    keeper = Keeper()
    house.make(snapshots=keeper)
    house.settings = HookSettings(snapshots=Snapshots.ALWAYS)
    house.asker = FakeAsker(Answer(Click.ALLOW, Scope.SESSION))
    house.answer(house.bash("touch -d yesterday a"))
    house.answer(house.bash("touch -d yesterday a"))
    assert len(house.questions) == 1
    assert house.questions[0].reversible is True
    assert keeper.kept == [("a",), ("a",)]


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
def test_when_the_command_has_ended_its_copies_are_settled(house: Gatehouse, event: str) -> None:
    """Once, for exactly that call, also where the agent names none; on a thread that may use the disk."""
    keeper = Keeper()
    house.make(snapshots=keeper)
    house.asker = FakeAsker(Answer(Click.ALLOW, snapshot=True))
    house.answer(house.bash("rm -rf build"))
    assert not isinstance(house.handler.quick("claude-code", house.bash("rm -rf other", event)), PendingHook)
    ended = house.handler.quick("claude-code", house.bash("rm -rf build", event, tool_use_id="toolu_1"))
    assert isinstance(ended, PendingHook)
    assert house.handler.hold(ended).body == b""
    assert keeper.settled == keeper.calls
    assert not isinstance(house.handler.quick("claude-code", house.bash("rm -rf build", event)), PendingHook)
    assert len(house.decided) == 1


def test_without_room_for_copies_it_is_not_run(house: Gatehouse) -> None:
    """The user counted on Undo."""
    house.make(snapshots=Keeper(fails=True))
    house.asker = FakeAsker(Answer(Click.ALLOW, snapshot=True))
    reply = house.answer(house.bash("rm -rf build"))
    assert word(reply) == "deny"
    assert "The disk is full" in reason(reply)


# -- a connection that drops --------------------------------------------------------------------


def test_a_dropped_connection_withdraws_its_question(house: Gatehouse) -> None:
    """The dialog goes, the verdict says that nobody decided."""
    asker = WaitingAsker()
    house.asker = asker
    held = house.handler.quick("claude-code", house.bash("rm -rf build"))
    assert isinstance(held, PendingHook)
    holder = threading.Thread(target=house.handler.hold, args=(held,))
    holder.start()
    assert asker.asked.acquire(timeout=10)
    house.handler.drop(held)
    holder.join(10)
    assert house.withdrawn[0] is held.question
    assert [event.by for event in house.decided] == [DecidedBy.NOBODY]


def test_many_held_questions_leave_the_rest_alone(house: Gatehouse) -> None:
    """With fifty dialogs open what reads is still answered at once, and all of them end."""
    asker = WaitingAsker()
    house.asker = asker
    held = [house.handler.quick("claude-code", house.bash(f"rm {number}")) for number in range(50)]
    holders = [threading.Thread(target=house.handler.hold, args=(each,)) for each in held]
    for holder in holders:
        holder.start()
    assert all(asker.asked.acquire(timeout=10) for _ in holders)
    assert house.says(house.bash("ls")) == "allow"
    asker.withdraw()
    for holder in holders:
        holder.join(10)
    assert len(house.decided) == 51
    assert len(house.logged()) == 51


def test_what_is_dropped_before_it_was_asked_is_not_asked(house: Gatehouse) -> None:
    """And ends once; should somebody listen after all, it is not let through."""
    body = house.bash("rm -rf build", permission_mode="bypassPermissions")
    held = house.handler.quick("claude-code", body)
    assert isinstance(held, PendingHook)
    house.handler.drop(held)
    assert word(house.handler.hold(held)) == "deny"
    house.handler.drop(held)
    assert not house.questions
    assert len(house.decided) == 1


def test_what_cannot_be_held_is_answered_by_nobody(house: Gatehouse) -> None:
    """As when too many questions wait."""
    body = house.bash("rm -rf build", permission_mode="bypassPermissions")
    held = house.handler.quick("claude-code", body)
    assert isinstance(held, PendingHook)
    assert word(house.handler.give_up(held)) == "deny"
    assert word(house.handler.give_up(held)) == "deny"
    assert len(house.decided) == 1
