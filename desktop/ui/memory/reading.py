"""What each tab of the Memory page shows, read a page at a time. No Qt; called on the pool."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from desktop.memory.housekeeping import Housekeeping, Profile
from desktop.memory.item import Item, Kind, Status
from desktop.memory.layers import EVERYWHERE
from desktop.memory.memory import Memory
from desktop.ui.language import tr
from desktop.ui.memory.model import Shown

PAGE = 100
FOUND = 100  # of a search: further down nothing fits any more
MOST_WAITING = 99


class Tab(Enum):
    """In the order in which they stand."""

    PINNED = "pinned"
    NOTES = "notes"
    SUGGESTIONS = "suggestions"
    EPISODES = "episodes"
    LEARNED = "learned"

    @property
    def title(self) -> str:
        return {
            Tab.PINNED: tr("Pinned"),
            Tab.NOTES: tr("Notes"),
            Tab.SUGGESTIONS: tr("Suggestions"),
            Tab.EPISODES: tr("Episodes"),
            Tab.LEARNED: tr("What I learned"),
        }[self]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        if self is Tab.EPISODES:
            return (Kind.EPISODE,)
        return (Kind.NOTE, Kind.DIGEST) if self is Tab.NOTES else tuple(Kind)

    @property
    def statuses(self) -> tuple[Status, ...]:
        if self is Tab.PINNED:
            return (Status.PINNED,)
        return (Status.SUGGESTED,) if self is Tab.SUGGESTIONS else (Status.KEPT, Status.PINNED)

    @property
    def nothing_yet(self) -> str:
        """What will stand here."""
        return {
            Tab.PINNED: tr(
                "Nothing is pinned. Pin a note that should count in every conversation, or write in a "
                "chat “remember: always answer in short sentences”, which is pinned at once."
            ),
            Tab.NOTES: tr(
                "No notes yet. Write “remember that the shop opens at nine” in a chat and it is kept here. "
                "What tools did is gathered here as well."
            ),
            Tab.SUGGESTIONS: tr(
                "No suggestions wait. When Steward has nothing to do, it may propose notes from what you "
                "wrote, each with your own words beside it; none counts before you accept it."
            ),
            Tab.EPISODES: tr(
                "No conversation is kept yet. What you and the assistant say is kept here word for word, so "
                "that it can be found again."
            ),
            Tab.LEARNED: "",
        }[self]


@dataclass(frozen=True)
class Wanted:
    """A tab, and what is searched for in it."""

    tab: Tab
    text: str = ""

    @property
    def is_search(self) -> bool:
        return bool(self.text.strip())


@dataclass(frozen=True)
class Part:
    """Some rows, and whether there are more below."""

    rows: tuple[Shown, ...]
    has_more: bool
    profile: Profile | None = None
    waiting: int = 0  # suggestions without an answer


def read(memory: Memory, keeping: Housekeeping, wanted: Wanted, before_id: int | None = None) -> Part:
    """The first rows, or those after `before_id`. A search has one part, ranked as for an answer."""
    profile = keeping.profile() if wanted.tab is Tab.PINNED and before_id is None else None
    waiting = len(memory.store.latest(statuses=(Status.SUGGESTED,), limit=MOST_WAITING))
    if wanted.is_search:
        return Part(_found(memory, wanted), False, profile, waiting)
    tab = wanted.tab
    items = memory.store.latest(EVERYWHERE, tab.kinds, tab.statuses, PAGE, before_id)
    rows = tuple(Shown(item, note=_note(item, profile)) for item in items)
    return Part(rows, len(items) == PAGE, profile, waiting)


def first_filled(memory: Memory) -> Tab:
    """The first tab in which something stands; the first of all if there is nothing anywhere."""
    for tab in (Tab.PINNED, Tab.NOTES, Tab.SUGGESTIONS, Tab.EPISODES):
        if memory.store.latest(EVERYWHERE, tab.kinds, tab.statuses, 1):
            return tab
    return Tab.LEARNED if memory.hindsight.fixes() else Tab.PINNED


def _found(memory: Memory, wanted: Wanted) -> tuple[Shown, ...]:
    question = memory.search.question(
        wanted.text, EVERYWHERE, wanted.tab.kinds, wanted.tab.statuses, limit=2 * FOUND
    )
    hits = memory.search.hits(question, FOUND)
    return tuple(Shown(hit.item, hit.why, hit.score) for hit in hits)


def _note(item: Item, profile: Profile | None) -> str:
    left_out = profile is not None and item.id in profile.left_out
    return tr("does not fit into the profile") if left_out else ""
