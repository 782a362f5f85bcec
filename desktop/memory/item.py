"""One remembered thing, and the words for what it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

OWN_SPEAKER = "user"  # of the turns of whoever uses this computer; a value of the table, no word to be shown


class Layer(StrEnum):
    """How far a memory reaches. The first four are on this computer."""

    AGENT = "agent"  # how this assistant works, whoever uses it
    USER = "user"
    SESSION = "session"  # one conversation
    PROJECT = "project"  # one workspace folder
    TEAM = "team"
    ORGANISATION = "organisation"
    COMPANY = "company"

    @property
    def is_shared(self) -> bool:
        """Whether others see it too, on a server that somebody runs."""
        return self in (Layer.TEAM, Layer.ORGANISATION, Layer.COMPANY)


class MemorySource(StrEnum):
    """Who said it. Only what the USER typed may become a standing instruction."""

    USER = "user"
    TOOL = "tool"
    WEB = "web"
    MODEL = "model"


class MemoryKind(StrEnum):
    """What it is."""

    NOTE = "note"  # somebody wanted it kept
    EPISODE = "episode"  # a turn of a conversation, word for word
    DIGEST = "digest"  # distilled from what tools did


class MemoryStatus(StrEnum):
    """Where it stands."""

    KEPT = "kept"
    PINNED = "pinned"  # in every context
    SUGGESTED = "suggested"  # waits for the user's yes, and is recalled by nobody


@dataclass(frozen=True)
class Item:
    """One row of the store. Times in seconds since 1970.

    `scope` says which one of its layer: the conversation, the folder; "" where there is only one. `origin`
    says where a text that is not the user's came from (an address, a tool). `supersedes` is the id of the
    item that this one replaces, `superseded_by` that of its own successor.
    """

    id: int
    layer: Layer
    scope: str
    kind: MemoryKind
    source: MemorySource
    status: MemoryStatus
    text: str
    at: float
    speaker: str = ""
    thread: str = ""
    origin: str = ""
    supersedes: int | None = None
    superseded_by: int | None = None
    used: int = 0
    used_at: float | None = None

    @property
    def date(self) -> str:
        """The day it was said, where this computer is: 2026-11-20."""
        return f"{datetime.fromtimestamp(self.at).astimezone():%Y-%m-%d}"

    @property
    def as_said(self) -> str:
        """For people: the user's own words alone, those of others behind the name of who said them."""
        return self.text if self.speaker in ("", OWN_SPEAKER) else f"{self.speaker}: {self.text}"

    @property
    def may_instruct(self) -> bool:
        """Whether it may be put as something to follow, not only as something to know."""
        return self.source is MemorySource.USER and not self.layer.is_shared


@dataclass(frozen=True)
class NewItem:
    """What `MemoryStore.add` takes. `at` None: now."""

    text: str
    layer: Layer = Layer.USER
    scope: str = ""
    kind: MemoryKind = MemoryKind.NOTE
    source: MemorySource = MemorySource.USER
    status: MemoryStatus = MemoryStatus.KEPT
    speaker: str = ""
    thread: str = ""
    origin: str = ""
    at: float | None = None
    supersedes: int | None = None
    is_agreed: bool = False  # the user was told that it is a secret and where it lies, and wants it kept


LOCAL = (Layer.USER, Layer.SESSION, Layer.PROJECT, Layer.AGENT)
SHARED = (Layer.TEAM, Layer.ORGANISATION, Layer.COMPANY)
