"""What the server tells about itself."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.errors import UserFacing
from desktop.events import Event


@dataclass(frozen=True)
class PortChanged(Event):
    """Another program has the server's port, as `refusal` says; or it is the server's again: None."""

    refusal: UserFacing | None
