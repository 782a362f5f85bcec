"""Copies of files from before an agent's command runs, so that Undo takes it back."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import structlog

from desktop.agents.action import Action, HookChoice
from desktop.agents.events import DecidedBy
from desktop.agents.hook_request import HookDecision, HookRequest, fingerprint, session_name
from desktop.errors import UserFacing
from desktop.gate.command_question import CopyKeeper, CopyOffer, copy_offer
from desktop.gate.reasons import GateReason
from desktop.gate.verdict import Effect, Verdict
from desktop.settings import HookSettings, Snapshots

log = structlog.get_logger(__name__)

MOST = 500  # calls of which the end is waited for
MOST_SESSIONS = 64  # that have left something in the background and were not seen to end


class ProjectKeeper(Protocol):
    """Keeps whole projects; `settle` is told when the command has ended."""

    def begin(self, root: Path, call: str) -> None: ...

    def settle(self, call: str) -> tuple[int, ...]: ...


class Copies:
    """Methods may be called on any thread; `keep` and `settle` use the disk."""

    def __init__(
        self,
        keeper: CopyKeeper | None,
        settings: Callable[[], HookSettings],
        projects: ProjectKeeper | None = None,
    ) -> None:
        self._keeper = keeper
        self._projects = projects
        self._settings = settings
        self._lock = threading.Lock()
        # By what the hook afterwards says again; the folder may be another one by then.
        # An agent that never tells of an end must not fill the memory.
        self._open: OrderedDict[str, str] = OrderedDict()
        self._going_on: OrderedDict[str, list[str]] = OrderedDict()  # calls in the background, by session

    @property
    def are_always_kept(self) -> bool:
        return self._keeper is not None and self._settings().snapshots is Snapshots.ALWAYS

    def may_be_due(self, verdict: Verdict) -> bool:
        """Whether copies are to be taken, as far as can be told without the disk."""
        changes = verdict.effect in (Effect.UPDATE, Effect.DELETE) and bool(verdict.touched)
        return changes and self.are_always_kept

    def offer(self, verdict: Verdict, folder: Path) -> CopyOffer:
        """What the question says of copies; uses the disk."""
        return copy_offer(self._keeper, self._settings().snapshots, verdict, folder)

    def keep(
        self, hook: HookRequest, verdict: Verdict, outcome: HookDecision, *, is_promised: bool = False
    ) -> HookDecision:
        """The same outcome, with its files kept; a no where they should be and cannot.

        `is_promised`: the question said that they would be kept, so that what is no longer there, or too
        large by now, is no reason to run without.
        """
        folder = hook.action.folder
        if self._keeper is None:
            return outcome
        can_keep = self._keeper.worth(verdict, folder)
        if not can_keep and not is_promised:
            return outcome
        call = hook.action.call_id or f"hook-{hook.id}"
        try:
            changes = self._keeper.take(verdict, folder, call)
            if not can_keep:
                self._keeper.settle(call)
                raise UserFacing(GateReason.FILES_TO_KEEP_ARE_GONE.of())
        # A way back was promised; without one the command does not run.
        except UserFacing as error:
            says = f"Steward could not keep copies of the files first, so it was not run: {error}"
            return HookDecision(
                HookChoice.DENY,
                DecidedBy.ERROR,
                GateReason.NO_COPIES_KEPT.of(what=error.reason),
                says,
            )
        self._remember(hook.action, call)
        return replace(outcome, changes=changes)

    def keep_project(self, hook: HookRequest, root: Path) -> bool:
        """Keep all that a command may change in its project; False where that cannot be."""
        if self._projects is None:
            return False
        call = hook.action.call_id or f"hook-{hook.id}"
        try:
            self._projects.begin(root, call)
        except (UserFacing, OSError) as error:
            log.warning("no copies of a project could be kept", folder=str(root), reason=str(error))
            return False
        self._remember(hook.action, call)
        return True

    def wait_for(self, action: Action) -> bool:
        """Whether the end of this call is waited for."""
        if not self._open:
            return False
        with self._lock:
            return fingerprint(action) in self._open

    def settle(self, action: Action) -> tuple[int, ...]:
        """The call has ended: what it changed is written down. Returns the entries of the journal."""
        with self._lock:
            call = self._open.pop(fingerprint(action), None)
        if call is None:
            return ()
        named = self._keeper.settle(call) if self._keeper is not None else ()
        return named + self._settled(call)

    def leave_open(self, action: Action) -> None:
        """The call goes on in the background: what it changes is looked for when its session ends."""
        with self._lock:
            call = self._open.pop(fingerprint(action), None)
            if call is None:
                return
            self._going_on.setdefault(session_name(action), []).append(call)
            self._going_on.move_to_end(session_name(action))
            given_up = self._going_on.popitem(last=False)[1] if len(self._going_on) > MOST_SESSIONS else []
        for each in given_up:
            self._settled(each)

    def goes_on(self, action: Action) -> bool:
        """Whether something of this session was left open."""
        with self._lock:
            return session_name(action) in self._going_on

    def settle_session(self, action: Action) -> None:
        """The session has ended, and with it what it left in the background."""
        with self._lock:
            calls = self._going_on.pop(session_name(action), [])
        for call in calls:
            self._settled(call)

    def _settled(self, call: str) -> tuple[int, ...]:
        try:
            return self._projects.settle(call) if self._projects is not None else ()
        except (UserFacing, OSError) as error:  # what it changed is looked for again at the next start
            log.warning("a project could not be looked at", call=call, reason=str(error))
            return ()

    def _remember(self, action: Action, call: str) -> None:
        with self._lock:
            self._open[fingerprint(action)] = call
            if len(self._open) > MOST:
                self._open.popitem(last=False)
