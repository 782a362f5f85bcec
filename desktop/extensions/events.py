"""What the extensions announce."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.events import Event


@dataclass(frozen=True)
class ExtensionsChanged(Event):
    """One was installed, accepted, switched, ordered, set or removed; or one has just failed."""
