"""The memory of a group, as a conversation meets it: asked beside one's own, and never waited for long.

Every question is asked on a thread of its own and waited for until 300 ms have gone; a server that is silent
is left alone for a minute, so that the answers meanwhile do not wait at all, and it is said once. Of what it
answers only texts are told whose author is who they say, as far as that can be known (authors.py).
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedTooLong
from dataclasses import dataclass
from typing import TypeVar

import structlog

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.events import MemoryChanged, MemoryForgotten, TeamSilent
from desktop.memory.item import SHARED, Item, Layer, MemoryKind, MemorySource, MemoryStatus
from desktop.memory.reasons import MemoryReason
from desktop.memory.search import Hit, MemoryQuery
from desktop.memory.shared.authors import Authors, Authorship, JudgedItem
from desktop.memory.shared.connection import Passwords, TeamAddress, checked, opened
from desktop.memory.shared.store import LONGEST, SharedItem, SharedStore, StoreRole
from desktop.memory.text import Finder, stem
from desktop.network import Network
from desktop.settings import MemorySettings

log = structlog.get_logger(__name__)

LIMIT_S = 0.3  # that an answer waits for the server
PAUSE_S = 60.0  # that a silent server is left alone
# That a locked keyring is: whoever has said no to it must not be asked again with each question.
LOCKED_PAUSE_S = 3600.0
ASKED_FOR = 20
LOOKED_THROUGH = 500  # of the newest, for names whose key has changed
TRUSTED = 0.7  # of the score: behind what the user said, before what a page said
T = TypeVar("T")


@dataclass(frozen=True)
class TeamState:
    """For `steward memory team status`. `error` says why it does not answer, None where it does; `role` is
    what the login may do there; `doubted` are names under which texts wait that are not told.
    """

    place: TeamAddress
    author: str
    role: StoreRole = StoreRole.UNKNOWN
    doubted: tuple[str, ...] = ()
    error: UserFacing | None = None


@dataclass(frozen=True)
class TeamIdentity:
    """Who this computer is to a group: how it gets in, and whose signatures it knows."""

    passwords: Callable[[], Passwords]
    authors: Authors


class Team:
    """All methods may be called on any thread; `begin` returns at once, the others may take seconds."""

    def __init__(
        self,
        settings: Callable[[], MemorySettings],
        identity: TeamIdentity,
        network: Network,
        bus: Bus,
        vector: Callable[[str], Sequence[float]] = lambda _text: (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`identity` may block on the keyring; `vector` gives the meaning of a text, () where it is off."""
        self._settings = settings
        self._identity = identity
        self._authors = identity.authors
        self._network = network
        self._bus = bus
        self._vector = vector
        self._clock = clock
        self._asking = threading.Lock()  # whoever has it works with the store
        self._lock = threading.Lock()
        self._store: SharedStore | None = None
        self._place: TeamAddress | None = None
        self._not_before = 0.0
        self._is_silent = False
        self._is_locked = False  # no password came of the keyring
        self.version = 0  # another after whatever makes an earlier answer wrong, as far as is known here

    @property
    def place(self) -> TeamAddress:
        wanted = self._settings()
        return TeamAddress(wanted.team_store.strip(), wanted.team_group.strip(), wanted.team_cache.strip())

    @property
    def is_on(self) -> bool:
        """Whether a store has been named, and may be asked."""
        return bool(self.place.store) and not self._network.settings.offline

    # -- for an answer ----------------------------------------------------------------------------

    def begin(self, question: MemoryQuery, layers: Sequence[Layer] = SHARED) -> Callable[[], tuple[Hit, ...]]:
        """Ask the server; what is returned waits for the answer, until 300 ms after this call at most."""
        if not question.terms or not layers or not self._may_ask():
            return tuple
        answer: Future[tuple[Hit, ...]] = Future()
        until = time.monotonic() + LIMIT_S
        self._started(lambda: answer.set_result(self._hits(question, layers)))

        def waited() -> tuple[Hit, ...]:
            try:
                return answer.result(max(0.0, until - time.monotonic()))
            except WaitedTooLong:
                log.info("shared memory was not waited for")
                self.version += 1  # what was put together without it does not hold for long
                return ()

        return waited

    def warm(self) -> None:
        """Connect before the first question, which would not wait for it."""
        if self._may_ask():
            self._started(lambda: self._hits(None, SHARED))

    # -- by hand ----------------------------------------------------------------------------------

    def share(self, text: str, layer: Layer, source: MemorySource = MemorySource.USER) -> SharedItem:
        """Sign a text, which the user has seen and agreed to, and send it to all of the group. Raises
        UserFacing.
        """
        # By its content: sharing the same twice leaves one.
        key = hashlib.sha256(f"{layer.value}\n{text}".encode()).hexdigest()[:24]
        item = SharedItem(key, layer, text, source, self._settings().team_name, time.time())
        item = self._authors.sign(item, self.place.group)
        self._with(lambda store: store.add(item, self._vector(text)))
        self._changed()
        return item

    def latest(self, limit: int = 50) -> tuple[JudgedItem, ...]:
        """What the group shared last, also what is not told. Raises UserFacing."""
        return self._judged(self._with(lambda store: store.latest(SHARED, limit)))

    def trust(self, author: str) -> str:
        """Accept the key that the newest text under this name is signed with; returns the key. Raises
        UserFacing where no text under it has another key than before.
        """
        for judged in self.latest(LOOKED_THROUGH):
            if judged.item.author == author and judged.authorship is Authorship.KEY_CHANGED:
                # Also none: the person signs no longer, and the user says that this is so.
                self._authors.accept(self.place.group, author, judged.item.key)
                self._changed()
                return judged.item.key
        raise UserFacing(MemoryReason.NO_CHANGED_KEY.of(name=author))

    def withdraw(self, ids: Iterable[str]) -> int:
        """Delete these for everybody; returns how many there were. Raises UserFacing."""
        wanted = tuple(ids)
        count = self._with(lambda store: store.forget(wanted))
        self._changed()
        self._bus.publish(MemoryForgotten(frozenset(map(number, wanted))))
        return count

    def state(self) -> TeamState:
        """Ask the server now how it is."""
        place, author = self.place, self._settings().team_name
        if not place.store:
            return TeamState(place, author)
        try:
            role = self._with(lambda store: store.role)
            shared = self.latest(LOOKED_THROUGH)
        except UserFacing as error:
            return TeamState(place, author, error=error)
        doubted = sorted({each.item.author for each in shared if not each.authorship.is_told})
        return TeamState(place, author, role, tuple(doubted))

    def try_out(self, place: TeamAddress, passwords: Passwords) -> None:
        """Whether a store answers at this place. Raises UserFacing."""
        store = opened(checked(place), passwords, self._network)
        try:
            store.version()
        finally:
            store.close()

    def close(self) -> None:
        """End the connection. Safe to call twice; waits for a question under way as long as that may take."""
        with self._asking:
            self._drop()

    # -- inside -----------------------------------------------------------------------------------

    def _may_ask(self) -> bool:
        return self.is_on and self._clock() >= self._not_before and not self._asking.locked()

    def _started(self, work: Callable[[], object]) -> None:
        # A daemon: a server that never answers must not keep the program from ending.
        threading.Thread(target=work, name="shared memory", daemon=True).start()

    def _hits(self, question: MemoryQuery | None, layers: Sequence[Layer]) -> tuple[Hit, ...]:
        """On a thread of its own; without a question only the connection is made."""
        try:
            return self._with(lambda store: self._found(store, question, layers) if question else ())
        except UserFacing as error:
            self._fell_silent(error)
            return ()

    def _found(self, store: SharedStore, question: MemoryQuery, layers: Sequence[Layer]) -> tuple[Hit, ...]:
        # The server knows no endings of words; stems find more of them.
        terms = tuple(dict.fromkeys(map(stem, question.terms)))
        items = store.search(layers, terms, self._vector(question.text), ASKED_FOR)
        finder = Finder(question.terms)
        hits = tuple(_hit(each, finder) for each in self._judged(items) if each.authorship.is_told)
        # The nearest of many memories is always found, however far it is.
        return hits if any(not hit.by_meaning for hit in hits) else ()

    def _judged(self, items: Iterable[SharedItem]) -> tuple[JudgedItem, ...]:
        group = self.place.group
        return tuple(self._authors.judged(item, group) for item in items)

    def _with(self, work: Callable[[SharedStore], T]) -> T:
        with self._asking:
            try:
                found = work(self._opened())
            except UserFacing:
                self._drop()
                raise
        with self._lock:
            if self._is_silent:
                self.version += 1
            self._is_silent, self._not_before = False, 0.0
        return found

    def _opened(self) -> SharedStore:
        place = self.place
        if self._store is None or place != self._place:
            self._drop()
            passwords = self._passwords()
            self._store, self._place = opened(place, passwords, self._network), place
        return self._store

    def _passwords(self) -> Passwords:
        self._is_locked = True
        passwords = self._identity.passwords()
        self._is_locked = False
        return passwords

    def _drop(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def _fell_silent(self, error: UserFacing) -> None:
        log.warning("shared memory does not answer", reason=str(error))
        with self._lock:
            is_new, self._is_silent = not self._is_silent, True
            # Answers in the meantime do not wait for it at all.
            self._not_before = self._clock() + (LOCKED_PAUSE_S if self._is_locked else PAUSE_S)
            self.version += 1
        if is_new:
            self._bus.publish(TeamSilent(error))

    def _changed(self) -> None:
        with self._lock:
            self.version += 1
        self._bus.publish(MemoryChanged())


def number(shared_id: str) -> int:
    """A shared memory's number beside those of this computer, which are above zero."""
    return -1 - int.from_bytes(hashlib.sha256(shared_id.encode()).digest()[:6])


def _hit(judged: JudgedItem, finder: Finder) -> Hit:
    shared = judged.item
    unsigned = ", unsigned" if judged.authorship is Authorship.UNSIGNED else ""
    item = Item(
        id=number(shared.id),
        layer=shared.layer,
        scope="",
        kind=MemoryKind.NOTE,
        source=shared.source,
        status=MemoryStatus.KEPT,
        text=shared.text[:LONGEST],
        at=shared.at,
        speaker=shared.author,
        origin=f"shared by {shared.author or 'somebody'} ({shared.layer.value}{unsigned})",
    )
    score = round(TRUSTED * shared.score, 5)
    if not finder.in_text(item.text):
        return Hit(item, score, MemoryReason.ALIKE_IN_MEANING.of(), by_meaning=True)
    return Hit(item, score, finder.why(item.text))
