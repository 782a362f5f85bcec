"""What the room tells the window."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.events import Event


@dataclass(frozen=True)
class ServersChanged(Event):
    """A server was started or ended, or says something else of its tools; `server` "": any of them."""

    server: str = ""
