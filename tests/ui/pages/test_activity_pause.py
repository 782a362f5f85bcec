"""A pause with a clock that cannot be overlooked."""

from __future__ import annotations

import time
from collections.abc import Callable

from desktop.ui.pages.activity import ActivityPage
from desktop.ui.pages.activity_pause import PAUSE_S, PauseBar
from tests.ui.pages.activity_samples import (
    FIRST,
    Hooks,
    hooks_fixture,
    open_page_fixture,
)
from tests.ui.pages.conftest import World

hooks, open_page = hooks_fixture, open_page_fixture


def test_a_pause_is_seen_and_ended(
    world: World, open_page: Callable[..., ActivityPage], hooks: Hooks
) -> None:
    """Ten minutes, with the end and the time left in words, and Resume beside it."""
    page = open_page(FIRST)
    page.pause_button.click()
    world.until(page.bar.isVisible)
    assert hooks.paused_until is not None
    assert abs(hooks.paused_until - time.time() - PAUSE_S) < 5
    assert "10:00 left" in page.bar.words.text() or "9:5" in page.bar.words.text()
    assert "agents go by their own rules" in page.bar.words.text()
    assert not page.pause_button.isVisible()
    page.bar.resume.click()
    world.until(lambda: not page.bar.isVisible())
    assert hooks.paused_until is None
    assert page.pause_button.isVisible()


def test_the_clock_counts_down_and_ends_by_itself(world: World) -> None:
    """The last second is not shown for ever."""
    now = [1000.0]
    bar = PauseBar(world.theme, lambda: now[0])
    world.qtbot.addWidget(bar)
    bar.show_pause(1061.0)
    assert "1:01 left" in bar.words.text()
    now[0] = 1060.2
    world.until(lambda: "0:01 left" in bar.words.text())
    now[0] = 1061.0
    world.until(lambda: not bar.isVisible())
    assert bar.until is None


def test_a_pause_from_elsewhere_is_shown(
    world: World, open_page: Callable[..., ActivityPage], hooks: Hooks
) -> None:
    """From the tray, and one that had begun before the page was made."""
    hooks.pause(120)
    page = open_page(FIRST)
    assert page.bar.isVisible()
    hooks.resume()
    world.until(lambda: not page.bar.isVisible())
