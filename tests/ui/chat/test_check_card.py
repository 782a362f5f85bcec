"""What a card shows of a check that is made to pass: tries, difference, Apply; a word for every state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.builder.job import (
    BuildState,
    FaultPlace,
    Improvement,
    JobEnding,
    LoopState,
    Round,
    Stage,
    TestState,
    TestStatus,
)
from desktop.builder.proposals import JobRecord, ProposedChange, RoundRecord
from desktop.builder.reasons import BuilderReason
from desktop.errors import UserFacing
from desktop.ui.chat.check_card import CheckPanel, JobView, now_words, round_words
from tests.ui.chat.conftest import *  # noqa: F403 - the fixture of the theme

PLACE = FaultPlace("text.py", "slug", 6, 9)
DIFF = "--- a/text.py\n+++ b/text.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
PROPOSAL = ProposedChange(
    Path("project"), "text.py", 1, 1, "a = 2\n", "", DIFF, solves=True, encoding="utf-8"
)
TRY = RoundRecord(1, "retry", "failed", 2, 1, "E  assert 'a_b' == 'a-b'\n   ^^^^^^\n", "")
RECORD = JobRecord(
    JobEnding.SOLVED,
    BuilderReason.SOLVED.of(function="slug", file="text.py", count=2),
    None,
    PROPOSAL,
    (TRY, replace(TRY, number=2, improvement="refine", status="passed", passed=3, failed=0, failure="")),
)


@pytest.mark.parametrize("stage", [each for each in Stage if each is not Stage.ENDED])
def test_every_stage_has_words(stage: Stage) -> None:
    """What is being done, as long as something is."""
    assert now_words(LoopState(stage, 1, 3, PLACE)).endswith("…")


def test_the_end_has_none() -> None:
    """Then the card says how it ended."""
    assert now_words(LoopState(Stage.ENDED)) == ""


@pytest.mark.parametrize("status", TestStatus)
@pytest.mark.parametrize("improvement", Improvement)
def test_every_try_has_a_line(status: TestStatus, improvement: Improvement) -> None:
    """Live and from the record alike."""
    test = TestState(status, "", 0.1, 2, 1)
    live = round_words(Round(1, improvement, BuildState(), test, TRY.failure))
    assert live == round_words(replace(TRY, improvement=improvement.value, status=status.value))
    assert live.startswith("1. ")
    assert "2 of 3 tests pass" in live


def test_what_failed_stands_below_its_try() -> None:
    """Without the marks that point at a column."""
    assert round_words(TRY).splitlines()[1:] == ["    E assert 'a_b' == 'a-b'"]


def test_the_panel_follows_the_call(holder: QWidget, qtbot: QtBot) -> None:
    """Nothing at first, then the steps, then how it ended with Apply; once applied no second time."""
    pressed: list[int] = []
    panel = CheckPanel(lambda: pressed.append(1), holder)
    panel.resize(500, 600)
    holder.show()
    panel.show_view(JobView())
    assert panel.isHidden()
    panel.show_view(JobView(LoopState(Stage.WRITING, 1, 3, PLACE)))
    assert "slug" in panel.now.text()
    assert panel.apply_button.isHidden()
    panel.show_view(JobView(record=RECORD))
    assert not panel.now.text()
    assert panel.fitted(500) > panel.fitted(1200) // 4
    qtbot.mouseClick(panel.apply_button, Qt.MouseButton.LeftButton)
    assert pressed == [1]
    panel.show_view(JobView(record=RECORD, is_busy=True))
    assert not panel.apply_button.isEnabled()
    panel.show_view(JobView(record=replace(RECORD, change=7)))
    assert panel.apply_button.isHidden()
    problem = UserFacing(BuilderReason.CHANGED_MEANWHILE.of(file="text.py"))
    panel.show_view(JobView(record=RECORD, problem=problem))
    assert "has changed since" in panel.problem.text()


def test_a_call_that_is_over_does_nothing_any_more(holder: QWidget) -> None:
    """Stopped, and its job still at its last step: the tries stay, the step is told no longer."""
    panel = CheckPanel(lambda: None, holder)
    panel.show_view(JobView(LoopState(Stage.WRITING, 1, 3, PLACE)), is_over=True)
    assert panel.isHidden()


@pytest.mark.parametrize("ending", JobEnding)
def test_how_it_ended_is_left_to_the_answer(holder: QWidget, ending: JobEnding) -> None:
    """The card does not say it a second time, and where it has nothing else to show it takes no room."""
    panel = CheckPanel(lambda: None, holder)
    panel.show_view(JobView(record=replace(RECORD, ending=ending)))
    assert not [each for each in panel.findChildren(QLabel) if "check passes: slug" in each.text()]
    panel.show_view(JobView(record=replace(RECORD, ending=ending, rounds=(), proposal=None)))
    assert panel.isHidden()
