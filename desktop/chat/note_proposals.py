"""Notes that the model proposes while nobody does anything; the user says yes or no on the Memory page.

Off by default. It waits until a while after the last answer, only on mains, only with a model that is loaded
anyway, and goes behind whatever is asked meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import structlog

from desktop.chat.events import TurnEnded, TurnFailed, TurnStarted
from desktop.engine.requests import GenerateRequest, Stream
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.events import MemoryChanged, NotesSuggested
from desktop.memory.item import Item, MemoryKind
from desktop.memory.proposals import Engine, Proposer
from desktop.memory.store import EVERYWHERE, MemoryStore
from desktop.settings import MemorySettings

log = structlog.get_logger(__name__)
IDLE_S = 120.0  # after the last answer
TURNS = 20  # of the latest, that are looked at together
SEEN = "proposed"  # in the table of states: the last turn that was looked at


class NoteProposals:
    """A thread of its own, which sleeps but for a while after each answer. `close` ends it."""

    def __init__(
        self,
        engine: Engine,
        store: MemoryStore,
        prompt: str,
        bus: Bus,
        settings: Callable[[], MemorySettings],
        may_compute: Callable[[], bool],
    ) -> None:
        """`prompt` is `resources/memory/propose.txt`. `may_compute`: whether the model is loaded and the
        computer is not on battery; asked just before.
        """
        self._engine = _Watched(engine)
        self._proposer = Proposer(self._engine, store, prompt)
        self._store = store
        self._bus = bus
        self._settings = settings
        self._may_compute = may_compute
        self._idle_s = IDLE_S
        self._condition = threading.Condition()
        self._under_way: set[int] = set()  # conversations
        self._due = self._closed = False
        self._ends = [
            bus.subscribe(TurnStarted, self._on_started),
            bus.subscribe(TurnEnded, self._on_ended),
            bus.subscribe(TurnFailed, self._on_ended),
            bus.subscribe(MemoryChanged, self._on_changed),
        ]
        self._thread = threading.Thread(target=self._live, name="proposing", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; a proposal under way is given up. Safe to call twice."""
        for end in self._ends:
            end()
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        self._engine.stop()
        self._thread.join()

    def propose(self) -> tuple[Item, ...]:
        """Look through the turns that no one has looked at yet. Blocks while the model writes."""
        turns = self._new_turns()
        if not turns:
            return ()
        items = self._proposer.propose(turns)
        # Also where nothing came of them: the same turns are not looked at twice.
        self._remember(turns[-1].id)
        if items:
            self._bus.publish(NotesSuggested(items))
        return items

    # -- inside -------------------------------------------------------------------------------

    def _new_turns(self) -> tuple[Item, ...]:
        """Oldest first."""
        latest = self._store.latest(EVERYWHERE, (MemoryKind.EPISODE,), limit=TURNS)
        seen = self._store.state(SEEN)
        return tuple(turn for turn in reversed(latest) if turn.id > seen)

    def _remember(self, item_id: int) -> None:
        self._store.set_state(SEEN, item_id)

    def _live(self) -> None:
        while self._waited():
            try:
                if self._may_compute():
                    self.propose()
            except UserFacing as error:
                log.info("no notes were proposed", reason=str(error))
            except Exception:  # the edge of the thread
                log.exception("proposing notes failed")

    def _waited(self) -> bool:
        """True when it is time; False at the end."""
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._closed or (self._due and not self._under_way))
                # What comes while we wait counts anew: the idle time begins again.
                self._due = False
                disturbed = self._condition.wait_for(self._is_disturbed, self._idle_s)
                if self._closed:
                    return False
            settings = self._settings()
            if not disturbed and settings.enabled and not settings.paused and settings.propose_on_idle:
                return True

    def _is_disturbed(self) -> bool:
        return self._closed or bool(self._under_way)

    def _on_changed(self, _event: MemoryChanged) -> None:
        """A turn was kept, which comes after its end."""
        with self._condition:
            self._due = True
            self._condition.notify_all()

    def _on_started(self, event: TurnStarted) -> None:
        """Also after each call of a turn."""
        with self._condition:
            self._under_way.add(event.conversation_id)
            self._condition.notify_all()

    def _on_ended(self, event: TurnEnded | TurnFailed) -> None:
        with self._condition:
            self._under_way.discard(event.conversation_id)
            self._condition.notify_all()


class _Watched:
    """An engine of which the answer under way can be given up on another thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._stream: Stream | None = None
        self._stopped = False

    def submit(self, request: GenerateRequest) -> Stream:
        stream = self._engine.submit(request)
        with self._lock:
            self._stream = stream
            if self._stopped:
                stream.cancel()
        return stream

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._stream is not None:
                self._stream.cancel()
