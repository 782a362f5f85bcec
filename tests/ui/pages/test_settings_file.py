"""Changes reach the file in order, the last of each, also those that were wanted just before the end."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from desktop.errors import UserFacing
from desktop.qt.background import POOL_THREADS
from desktop.settings import SettingsChanged, SettingsFile
from desktop.ui.pages.settings_file import Saver, SettingsWatch
from tests.ui.pages.conftest import World


def test_the_last_of_many_counts(world: World) -> None:
    """However fast they come, and it is said once how each saving ended."""
    saver = Saver(world.settings, world.background)
    heard: list[tuple[str, str]] = []
    saver.saved.connect(lambda key, _settings: heard.append(key))
    for value in range(1, 200):
        saver.change("model", "top_k", value)
        saver.change("chat", "steps", value % 20 + 1)
    assert saver.is_busy("model", "top_k")
    world.until(lambda: not saver.is_busy("model", "top_k") and not saver.is_busy("chat", "steps"))
    current = SettingsFile(world.paths.settings, world.bus).current
    assert (current.model.top_k, current.chat.steps) == (199, 20)
    assert 2 <= len(heard) < 398


def test_what_was_wanted_before_the_end_is_saved(world: World) -> None:
    """The pool is closed while changes wait: all of them are on disk then."""
    saver = Saver(world.settings, world.background)
    for name, value in (("top_k", 7), ("threads", 3), ("top_p", 0.5)):
        saver.change("model", name, value)
    world.background.close()
    model = SettingsFile(world.paths.settings, world.bus).current.model
    assert (model.top_k, model.threads, model.top_p) == (7, 3, 0.5)


def test_what_waits_for_a_busy_pool_is_saved_at_the_end(world: World) -> None:
    """A run that never began is dropped with the pool; its changes are not."""
    saver = Saver(world.settings, world.background)

    def hold() -> None:
        while not world.background._closed:
            time.sleep(0.01)

    for _ in range(POOL_THREADS):
        world.background.run(hold)
    saver.change("model", "threads", 3)
    world.background.close()
    assert SettingsFile(world.paths.settings, world.bus).current.model.threads == 3


def test_a_refusal_does_not_stop_what_comes_after(world: World) -> None:
    """Each change hears how it ended itself."""
    saver = Saver(world.settings, world.background)
    refused: list[str] = []
    saver.refused.connect(lambda key, error: refused.append(f"{key[1]} {error.code}"))
    saver.change("model", "threads", 999)
    saver.change("model", "top_k", 7)
    saver.reset("model", "top_p")
    world.until(lambda: not saver.is_busy("model", "top_k") and not saver.is_busy("model", "threads"))
    assert refused == ["threads settings-invalid"]
    assert world.settings.current.model.top_k == 7


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
