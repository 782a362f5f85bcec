"""What is said about how long a set-up still takes."""

from __future__ import annotations

import pytest

from bootstrap.plan import Plan, current, following, spoken


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_slow_computer_corrects_what_is_to_come() -> None:
    """The first step took twice what was expected, so the others are expected to as well."""
    clock = Clock()
    plan = Plan({"Making": 5, "Installing": 20, "Trying": 5}, clock)
    assert plan.left_s() == 30
    plan.begin("Making the environment")
    clock.now_s = 10
    plan.end()
    assert plan.left_s() == 50
    plan.begin("Installing 84 packages: a minute or two")
    clock.now_s += 30
    assert plan.left_s() == 20


def test_a_step_that_is_overdue_is_never_said_to_be_done() -> None:
    """Longer than expected, it is expected to take a part of what it took already."""
    clock = Clock()
    plan = Plan({"Installing": 10}, clock)
    plan.begin("Installing")
    clock.now_s = 100
    assert plan.left_s() == pytest.approx(20)


def test_a_build_knows_how_far_it_is() -> None:
    """Its own count is better than any expectation."""
    clock = Clock()
    plan = Plan({"Compiling": 100, "Trying": 4}, clock)
    plan.begin("Compiling llama.cpp")
    clock.now_s = 30
    assert plan.left_s(0.25) == pytest.approx(94)


def test_a_step_of_no_plan_changes_nothing() -> None:
    """System packages, say, whose time nobody knows."""
    clock = Clock()
    plan = Plan({"Making": 5}, clock)
    plan.begin("Reading the list of system packages")
    clock.now_s = 500
    assert plan.left_s() == 5
    plan.end()
    assert plan.left_s() == 5


def test_what_comes_unexpected_is_added() -> None:
    """Where the prebuilt libraries fail, the compile is part of the estimate from then on."""
    with following(Plan({"Trying": 4})) as plan:
        current().add("Compiling", 120)
        assert plan.left_s() == 124
    assert current().left_s() == 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, ""),
        (4, "a few seconds"),
        (12, "about 10 s"),
        (44, "about 40 s"),
        (89, "about 90 s"),
        (95, "about 2 minutes"),
        (250, "about 4 minutes"),
    ],
)
def test_times_are_said_as_people_say_them(seconds: float, words: str) -> None:
    """In steps of ten seconds, then of minutes."""
    assert spoken(seconds) == words
