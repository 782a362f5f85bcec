"""What memory announces. Published on the thread that wrote, after the write is committed."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.errors import UserFacing
from desktop.events import Event
from desktop.memory.hindsight.hindsight import FixOffer
from desktop.memory.item import Item


@dataclass(frozen=True)
class MemoryChanged(Event):
    """Something was kept, changed, accepted, moved or forgotten: lists on a screen are to be read anew."""


@dataclass(frozen=True)
class MemoryForgotten(Event):
    """These items are gone for good, and so must be every copy of their words. `ids` None: all there were."""

    ids: frozenset[int] | None = None


@dataclass(frozen=True)
class TeamSilent(Event):
    """The shared memory does not answer; said once, until it has answered again."""

    error: UserFacing


@dataclass(frozen=True)
class NotesSuggested(Event):
    """The model has proposed notes, which wait for the user's yes."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class FixesFound(Event):
    """A failed call is a known problem. `call_id` is that of the call's card; the most trusted offer first.

    `repaired` is the offer that was applied at once, None where that is for the user to say.
    """

    conversation_id: int
    call_id: str
    offers: tuple[FixOffer, ...]
    repaired: FixOffer | None = None
