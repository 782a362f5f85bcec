"""The services of one profile, with the functions that build them."""

from __future__ import annotations

# Imported for what they say of `Services`: each decorates its fields with the functions that build them.
from desktop.app import (  # noqa: F401 - see above
    builder_parts,
    chat_parts,
    extension_parts,
    gate_parts,
    mcp_parts,
    model_parts,
    project_parts,
    server_parts,
)
from desktop.app.services import Services
from desktop.events import Bus
from desktop.paths import Paths
from desktop.sandbox import cgroup
from desktop.settings import SettingsFile


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
