"""When a model has to go: idle, low memory, battery."""

from __future__ import annotations

import pytest

from desktop.engine.memory import MB, reason_to_unload
from desktop.settings import ModelSettings

PLENTY = 8_000 * MB


@pytest.mark.parametrize(
    ("settings", "idle_s", "available", "on_battery", "reason"),
    [
        ({}, 599, PLENTY, False, None),
        ({}, 600, PLENTY, False, "idle"),
        ({}, 180, PLENTY, True, "idle, on battery"),
        ({}, 179, PLENTY, True, None),
        ({"unload_after_minutes": 2}, 120, PLENTY, True, "idle, on battery"),
        ({"battery_minutes": 0}, 180, PLENTY, True, None),
        ({"battery_minutes": 0}, 600, PLENTY, True, "idle"),
        ({"unload_after_minutes": 0}, 86_400, PLENTY, False, None),
        ({"unload_after_minutes": 0}, 180, PLENTY, True, "idle, on battery"),
        ({}, 0, 499 * MB, False, "memory is low"),
        ({"low_memory_mb": 0}, 0, 1 * MB, False, None),
    ],
)
def test_a_model_goes_when_nobody_needs_it_or_others_need_the_memory(
    settings: dict[str, int], idle_s: float, available: int, on_battery: bool, reason: str | None
) -> None:
    """On battery sooner; each of the three can be switched off."""
    assert reason_to_unload(ModelSettings(**settings), idle_s, available, on_battery) == reason
