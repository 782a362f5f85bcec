"""Whether this computer runs on its battery."""

from __future__ import annotations

import psutil


def on_battery() -> bool:
    """False where there is no battery or the system does not tell."""
    try:
        battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    except OSError:  # a driver that answers nonsense
        return False
    return battery is not None and battery.power_plugged is False
