"""Settings on disk."""

from __future__ import annotations

import pytest

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.settings import Settings, SettingsChanged, SettingsFile, Theme


def _write(paths: Paths, text: str) -> None:
    paths.config.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(text, encoding="utf-8")


def test_without_a_file_the_defaults_hold(paths: Paths, bus: Bus) -> None:
    """A new profile has the declared defaults and no file yet."""
    assert SettingsFile(paths.settings, bus).current == Settings()
    assert not paths.settings.exists()


def test_a_change_is_on_disk_and_announced(paths: Paths, bus: Bus) -> None:
    """Another process that reads the file sees the change; listeners get the new value."""
    heard: list[SettingsChanged] = []
    bus.subscribe(SettingsChanged, heard.append)
    SettingsFile(paths.settings, bus).change("window", "theme", "dark")
    assert SettingsFile(paths.settings, bus).current.window.theme is Theme.DARK
    assert heard[0].settings.window.theme is Theme.DARK


def test_comments_survive_a_change(paths: Paths, bus: Bus) -> None:
    """What a person wrote beside the values is still there after the program changed one."""
    _write(paths, "# mine\n[model]\nthreads = 2  # quiet\n")
    SettingsFile(paths.settings, bus).change("model", "top_k", 10)
    text = paths.settings.read_text()
    assert "# mine" in text
    assert "threads = 2  # quiet" in text
    assert "top_k = 10" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[model]\nthreads = 2\nthreds = 3\n", "model.threds (line 3)"),
        ("[model]\ncontext_tokens = 12\n", "model.context_tokens (line 2)"),
        ("[window]\ntheme = 'pink'\n", "window.theme (line 2)"),
        ("[model\n", "line 1"),
        ("colour = 1\n", "colour (line 1)"),
    ],
)
def test_a_wrong_line_is_named(paths: Paths, bus: Bus, text: str, said: str) -> None:
    """The message names key and line, and the file stays as it was."""
    _write(paths, text)
    with pytest.raises(UserFacing) as refusal:
        SettingsFile(paths.settings, bus)
    assert said in refusal.value.cause
    assert paths.settings.read_text() == text


def test_an_invalid_change_changes_nothing(paths: Paths, bus: Bus) -> None:
    """A value outside its limits is refused before the disk is touched."""
    file = SettingsFile(paths.settings, bus)
    with pytest.raises(UserFacing):
        file.change("model", "threads", -5)
    assert not paths.settings.exists()
    assert file.current == Settings()


def test_the_environment_wins_for_one_run(paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """STEWARD_MODEL__THREADS overrides the file without being written to it."""
    _write(paths, "[model]\nthreads = 2\n")
    monkeypatch.setenv("STEWARD_MODEL__THREADS", "5")
    assert SettingsFile(paths.settings, bus).current.model.threads == 5


def test_a_file_broken_meanwhile_is_named_and_kept(paths: Paths, bus: Bus) -> None:
    """A change made in the program does not overwrite what a person is editing wrongly."""
    file = SettingsFile(paths.settings, bus)
    _write(paths, "[model\n")
    with pytest.raises(UserFacing):
        file.change("model", "top_k", 10)
    assert paths.settings.read_text() == "[model\n"
