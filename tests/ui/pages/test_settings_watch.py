"""The settings file is watched whether or not its page was ever opened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from desktop.errors import UserFacing
from desktop.settings import SettingsChanged
from desktop.ui.pages.settings_watch import SettingsWatch
from tests.ui.pages.conftest import World


@pytest.fixture
def watch(world: World) -> Iterator[SettingsWatch]:
    made = SettingsWatch(world.settings, world.background)
    yield made
    made.close()


def test_a_file_that_is_made_deleted_and_made_again(world: World, watch: SettingsWatch) -> None:
    """Each counts, the default where there is none."""
    heard: list[int] = []
    world.bus.subscribe(SettingsChanged, lambda event: heard.append(event.settings.model.threads))
    for text, threads in (("[model]\nthreads = 2\n", 2), (None, 0), ("[model]\nthreads = 3\n", 3)):
        if text is None:
            world.paths.settings.unlink()
        else:
            world.paths.settings.write_text(text)
        world.until(lambda threads=threads: world.settings.current.model.threads == threads)  # type: ignore[misc]
    assert heard == [2, 0, 3]


def test_a_broken_file_is_told_once_it_is_broken_and_once_it_is_well(
    world: World, watch: SettingsWatch
) -> None:
    """The problem is kept for a page that is opened later, until the file is well again."""
    told: list[UserFacing] = []
    watch.refused.connect(told.append)
    world.paths.settings.write_text("[model]\nthreads = 999\n")
    world.until(lambda: watch.problem is not None)
    assert "model.threads (line 2)" in told[0].cause
    assert world.settings.current.model.threads == 0
    world.paths.settings.write_text("[model]\nthreads = 9\n")
    world.until(lambda: watch.problem is None)
    assert world.settings.current.model.threads == 9


def test_its_own_changes_are_no_news(world: World, watch: SettingsWatch) -> None:
    """What the program wrote itself is announced once."""
    heard: list[SettingsChanged] = []
    world.bus.subscribe(SettingsChanged, heard.append)
    with world.qtbot.waitSignal(watch.read, timeout=5000):
        world.settings.change("model", "threads", 2)
    assert len(heard) == 1


def test_a_closed_watch_reads_nothing(world: World) -> None:
    """After its end the pool may be closed."""
    closed = SettingsWatch(world.settings, world.background)
    world.paths.settings.write_text("[model]\nthreads = 2\n")
    closed.close()
    world.background.close()
    world.qtbot.wait(250)
    assert world.settings.current.model.threads == 0
