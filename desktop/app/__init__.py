"""The composition root: the only room that knows everybody. `services` is without Qt, `desktop` adds it."""

from __future__ import annotations

# Imported for what they say of `Services`: each decorates its fields with the functions that build them.
from desktop.app import (  # noqa: F401 - see above
    chat_parts,
    gate_parts,
    model_parts,
    project_parts,
    request_parts,
    server_parts,
    single_question,
)
from desktop.app.desktop import Demo, run_desktop
from desktop.app.logs import LogFormat, end_logging, start_logging
from desktop.app.services import Services
from desktop.events import Bus
from desktop.paths import Paths
from desktop.sandbox import cgroup
from desktop.settings import SettingsFile

__all__ = [
    "Demo",
    "LogFormat",
    "Services",
    "build_core",
    "end_logging",
    "run_desktop",
    "start_logging",
]


def build_core(paths: Paths) -> Services:
    """The services of the profile at `paths`; next to nothing is built yet.

    Raises UserFacing when the settings cannot be read, or a backup cannot be put in place.
    """
    # Before anything reads the profile: a backup replaces its files.
    if paths.restoring.exists():
        from desktop.backup.restore import finish

        finish(paths)
    if any(paths.cache.glob("backup-*")):
        from desktop.backup.write import clear_left

        clear_left(paths)
    # What a Steward that was killed together with its supervisors has left running.
    cgroup.clear_left()
    bus = Bus()
    return Services(paths, bus, SettingsFile(paths.settings, bus))
