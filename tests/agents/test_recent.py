"""The last verdicts are bounded in number and in size."""

from __future__ import annotations

from desktop.agents.action import Choice
from desktop.agents.events import By, HookDecided
from desktop.agents.recent import Recent


def event(number: int, text: str = "ls") -> HookDecided:
    return HookDecided(
        number,
        0.0,
        "codex",
        "s",
        "/p",
        "Bash",
        text,
        "READ",
        (),
        "",
        (0, 0),
        2,
        Choice.ALLOW,
        By.READING,
        0.1,
    )


def test_the_oldest_go_first() -> None:
    """When there are more than are kept."""
    recent = Recent(most=3)
    for number in range(5):
        recent.add(event(number))
    assert [each.id for each in recent.listed()] == [2, 3, 4]


def test_large_texts_push_others_out_but_not_themselves() -> None:
    """One that is larger than all together is still shown."""
    recent = Recent(most_characters=100)
    for number in range(4):
        recent.add(event(number, "x" * 40))
    assert [each.id for each in recent.listed()] == [2, 3]
    recent.add(event(9, "x" * 500))
    assert [each.id for each in recent.listed()] == [9]
    recent.add(event(10))
    assert [each.id for each in recent.listed()] == [10]
