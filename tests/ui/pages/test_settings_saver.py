"""Changes reach the file in order, the last of each, also those that were wanted just before the end."""

from __future__ import annotations

from desktop.settings import SettingsFile
from desktop.ui.pages.settings_saver import Saver
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
