"""Remembers which fix worked for which failure, and offers it when the failure comes back.

A fix is learned when, after a failure, a call with the same goal goes well in the same session; it is
counted as a success only while the failure does not come back in that session. It is offered where it was
learned (in the project, or everywhere for the user) until the user promotes it.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from desktop.database import Connection, Database, Row
from desktop.errors import UserFacing
from desktop.gate.redaction import TOLD, Cleaner
from desktop.memory.hindsight.fixes import (
    PROMOTED_AT,
    PROMOTED_FROM,
    Fix,
    filled,
    is_of_one_name,
    is_of_other_word,
    is_other_word,
    proposal,
    said,
    same_goal,
    with_slots,
)
from desktop.memory.hindsight.problems import (
    FIXES,
    MeaningCache,
    as_fix,
    count_success,
    find,
    fixes_of,
    problem_seen,
    tidy,
)
from desktop.memory.hindsight.signature import (
    MODULE_MISSING,
    ErrorCauses,
    Failure,
    Signature,
    is_other_module,
    names_in,
)
from desktop.memory.item import Layer
from desktop.memory.reasons import MemoryReason

OPEN_FAILURES = 5  # of a session, that a later call may still resolve
OPEN_FOR_S = 1800.0
SESSIONS = 64
OFFERED = 3
_FILE = re.compile(r"\.\w{1,4}$")
FIRST = "_first"  # in `after`: what had to be done before the same call worked


@dataclass(frozen=True)
class FixOffer:
    """A fix for the failure at hand. `arguments` is the call to try, None where the change does not
    fit it."""

    fix: Fix
    likeness: float
    arguments: Mapping[str, Any] | None


@dataclass(frozen=True)
class SuggestedFix:
    """`arguments` are those of the call that failed, with the change that worked before."""

    fix_id: int
    tool: str
    arguments: Mapping[str, Any]
    applications: int
    successes: int
    last_at: float

    @property
    def line(self) -> str:
        """The call on one line."""
        return said(self.arguments)


def suggested(offers: Sequence[FixOffer]) -> SuggestedFix | None:
    """The most trusted that says what to call; None where none does, or where something secret that was
    left out would have to be filled in.
    """
    for offer in offers:
        fix = offer.fix
        if offer.arguments is not None and not fix.forbidden and "[redacted" not in str(offer.arguments):
            return SuggestedFix(
                fix.id, fix.tool, offer.arguments, fix.applications, fix.successes, fix.last_at
            )
    return None


@dataclass
class _OpenFailure:
    failure: Failure
    problem_id: int
    names: tuple[str, ...]
    at: float
    between: list[str] = field(default_factory=list)

    def is_resolved_by(self, arguments: Mapping[str, Any]) -> bool:
        if same_goal(self.failure.arguments, arguments):
            return True
        return not self.between and is_other_word(self.failure.arguments, self.failure.message, arguments)


@dataclass
class _Session:
    """What has happened in one: failures not yet resolved, and successes that a failure may still
    take back."""

    open: deque[_OpenFailure] = field(default_factory=lambda: deque(maxlen=OPEN_FAILURES))
    counted: dict[int, int] = field(default_factory=dict)  # problem to fix
    applied: dict[int, int] = field(default_factory=dict)  # problem to fix on trial


class Hindsight:
    """All methods may be called on any thread; they write, so not on the main one."""

    def __init__(
        self,
        database: Database,
        cleaner: Cleaner,
        causes: ErrorCauses,
        clock: Callable[[], float] = time.time,
        meaning: MeaningCache | None = None,
    ) -> None:
        self._meaning = meaning
        self._database = database
        self._cleaner = cleaner
        self._causes = causes
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._times_ms: deque[float] = deque(maxlen=256)

    # -- as things happen ---------------------------------------------------------------------

    def failed(self, failure: Failure) -> tuple[FixOffer, ...]:
        """Remember a failure; returns what worked the last times, the most trusted first."""
        clean = self._clean(failure)
        signature = self._causes.signature(clean)
        now = self._clock()
        problem_id = self._database.write(lambda c: problem_seen(c, signature, now))
        # Before it is counted as open: it takes back what the same session had counted as a success.
        self._comes_back(clean.session, problem_id)
        with self._lock:
            session = self._session(clean.session)
            session.open.append(_OpenFailure(clean, problem_id, names_in(clean.message), now))
        return self._offers(clean, signature)

    def lookup(self, failure: Failure) -> tuple[FixOffer, ...]:
        """The same without remembering it: for a screen that is drawn again, for an agent's command."""
        clean = self._clean(failure)
        return self._offers(clean, self._causes.signature(clean))

    def worked(
        self, tool: str, arguments: Mapping[str, Any], session: str = "", project: str = ""
    ) -> Fix | None:
        """A call went well: if it reached what an earlier one in the session had failed at, that
        is learned."""
        clean = self._cleaner.value(dict(arguments))
        resolved = self._resolved(tool, clean, session)
        if resolved is None:
            return None
        after = dict(clean)
        # The same call: either what was done in between helped, or it went by itself.
        if after == dict(resolved.failure.arguments):
            if not resolved.between:
                return None  # it went by itself
            after[FIRST] = resolved.between[-1]
        fix_id = self._learn(resolved, after, session, project)
        return self.fix(fix_id)

    def has_open(self, session: str) -> bool:
        """Whether a failure of the session still waits for what resolves it. Never waits for the disk."""
        with self._lock:
            known = self._sessions.get(session)
            return known is not None and bool(known.open)

    def applied(self, fix_id: int, session: str = "") -> None:
        """The user pressed the button, or a repair was tried by itself: counted now, its success when it
        comes.
        """
        fix = self.fix(fix_id)
        self._database.write(
            lambda c: c.execute(
                "UPDATE memory_fixes SET applications = applications + 1, last_at = ? WHERE id = ?",
                (self._clock(), fix_id),
            )
        )
        with self._lock:
            self._session(session).applied[fix.problem_id] = fix_id

    # -- what is known ------------------------------------------------------------------------

    def fix(self, fix_id: int) -> Fix:
        """Raises KeyError when there is no such fix. Names are numbers in braces where they differ
        by case."""
        row = self._database.read(lambda c: c.execute(f"{FIXES} WHERE f.id = ?", (fix_id,)).fetchone())
        if row is None:
            raise KeyError(fix_id)
        return as_fix(row, json.loads(row["example"]))

    def fixes(self) -> tuple[Fix, ...]:
        """All, the latest first: the page What I learned."""
        rows = self._database.read(lambda c: c.execute(f"{FIXES} ORDER BY f.last_at DESC").fetchall())
        return tuple(as_fix(row, json.loads(row["example"])) for row in rows)

    def preview(self, fix_id: int) -> str:
        """What others would see of a fix, cleaned: shown before it is promoted."""
        fix = self.fix(fix_id)
        lines = (f"{fix.tool}: {fix.message}", f"before: {said(fix.before)}", f"after: {said(fix.after)}")
        return self._cleaner.text("\n".join(lines))

    def promote(self, fix_id: int, layer: Layer, scope: str = "") -> Fix:
        """Offer a fix in a broader layer, after the user's yes to `preview`. Raises UserFacing if it is not
        proven.
        """
        if not self.fix(fix_id).may_be_promoted:
            raise UserFacing(MemoryReason.FIX_NOT_PROVEN.of(times=PROMOTED_FROM, share=PROMOTED_AT))
        self._change(fix_id, "layer = ?, scope = ?", layer.value, scope)
        return self.fix(fix_id)

    def forbid(self, fix_id: int, forbidden: bool = True) -> None:
        """Never offer it again."""
        self._change(fix_id, "forbidden = ?", int(forbidden))

    def forget(self, fix_id: int) -> None:
        """Delete it, and its problem with the last fix; gone from the file too."""

        def delete(connection: Connection) -> None:
            connection.execute("DELETE FROM memory_fixes WHERE id = ?", (fix_id,))
            tidy(connection)

        self._database.write(delete)
        self._database.scrub()

    def forget_everything(self) -> None:
        """Delete all problems and fixes, and what sessions are under way."""
        with self._lock:
            self._sessions.clear()
        if self._meaning is not None:
            self._meaning.forget()

        def delete(connection: Connection) -> None:
            connection.execute("DELETE FROM memory_fixes")
            tidy(connection, all_of_them=True)

        self._database.write(delete)
        self._database.scrub()

    @property
    def p95_ms(self) -> float:
        """The 95th percentile of the latest lookups, for the page of figures."""
        with self._lock:
            times = sorted(self._times_ms) or [0.0]
        return round(times[int(len(times) * 0.95)], 2)

    # -- inside -------------------------------------------------------------------------------

    def _clean(self, failure: Failure) -> Failure:
        return Failure(
            failure.tool,
            self._cleaner.text(failure.message),
            failure.error_class,
            self._cleaner.value(dict(failure.arguments)),
            failure.session,
            failure.project,
        )

    def _session(self, name: str) -> _Session:
        """Under the lock."""
        session = self._sessions.setdefault(name, _Session())
        self._sessions.move_to_end(name)
        # Sessions of agents never say that they have ended.
        while len(self._sessions) > SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def _comes_back(self, name: str, problem_id: int) -> None:
        """Whether the same failure came again in the session: what seemed to help had not."""
        with self._lock:
            session = self._session(name)
            fix_id = session.counted.pop(problem_id, None)
            session.applied.pop(problem_id, None)
        if fix_id is not None:
            self._change(fix_id, "successes = max(0, successes - 1)")

    def _offers(self, failure: Failure, signature: Signature) -> tuple[FixOffer, ...]:
        begun = time.perf_counter()
        by_meaning = self._meaning.likeness if self._meaning is not None else None
        found = self._database.read(lambda c: find(c, signature, by_meaning))
        if not found and failure.runner:
            # The lock file of `bundle exec rake` is bundle's own trouble, learned from `bundle install`.
            other = replace(signature, program=failure.runner)
            found = self._database.read(lambda c: find(c, other, by_meaning))
        likely = {match.problem_id: match.likeness for match in found}
        # A project's fixes are offered in it alone, until the user promotes them.
        rows = self._database.read(lambda c: fixes_of(c, list(likely), failure.project))
        names = names_in(failure.message)
        rows = [row for row in rows if not _is_for_another(row, failure, signature)]
        offers = [offer for row in rows if (offer := _offer(row, failure, names, likely[row["problem_id"]]))]
        offers.sort(key=lambda o: (o.arguments is not None, o.likeness >= 1.0, o.fix.rank), reverse=True)
        with self._lock:
            self._times_ms.append((time.perf_counter() - begun) * 1000)
        return tuple(offers[:OFFERED])

    def _resolved(self, tool: str, arguments: Mapping[str, Any], name: str) -> _OpenFailure | None:
        """The latest open failure that this call resolves; the others note that it happened in between."""
        with self._lock:
            session = self._session(name)
            fresh = [each for each in session.open if self._clock() - each.at <= OPEN_FOR_S]
            # Only what may still be the same try: half an hour later it is another task.
            fits = [each for each in fresh if each.failure.tool == tool and each.is_resolved_by(arguments)]
            session.open.clear()
            # The one that is resolved goes; the others wait on, and remember what was done meanwhile.
            session.open.extend(each for each in fresh if not fits or each is not fits[-1])
            for each in session.open:
                each.between.append(said(arguments))
            return fits[-1] if fits else None

    def _learn(self, resolved: _OpenFailure, after: Mapping[str, Any], name: str, project: str) -> int:
        before_text = with_slots(resolved.failure.arguments, resolved.names)
        after_text = with_slots(after, resolved.names)
        layer, scope = (Layer.PROJECT, project) if project else (Layer.USER, "")
        with self._lock:
            on_trial = self._session(name).applied.pop(resolved.problem_id, None)
        values = (resolved.problem_id, before_text, after_text, layer.value, scope)
        now, example = self._clock(), json.dumps(resolved.names)
        fix_id = self._database.write(lambda c: count_success(c, values, example, now, on_trial))
        with self._lock:
            self._session(name).counted[resolved.problem_id] = fix_id
        return fix_id

    def _change(self, fix_id: int, what: str, *values: object) -> None:
        statement = f"UPDATE memory_fixes SET {what} WHERE id = ?"  # noqa: S608 - from this file
        self._database.write(lambda c: c.execute(statement, (*values, fix_id)))


def _is_for_another(row: Row, failure: Failure, signature: Signature) -> bool:
    """Whether a fix speaks of something that this failure names otherwise."""
    learned = tuple(json.loads(row["example"]))
    after = json.loads(row["after"])
    used = _used(row, learned)
    # With the module's own name in it the fix is for any; the name of a file says nothing of that.
    is_of_any = any("/" not in name and not _FILE.search(name) for name in used)
    if signature.cause == MODULE_MISSING and not is_of_any:
        return is_other_module(learned, said(after), failure.message)
    return is_of_other_word(row["message"], signature.message, row["before"], row["after"])


def _used(row: Row, learned: Sequence[str]) -> list[str]:
    """The names of the failure learned from that the fix speaks of."""
    after = " ".join(map(str, json.loads(row["after"]).values()))
    return [name for n, name in enumerate(learned) if f"\x02{n}\x03" in after]


def _offer(row: Row, failure: Failure, names: tuple[str, ...], likeness: float) -> FixOffer | None:
    """Told with the names of the failure at hand, where it names as many; else with those it was learned
    with.
    """
    learned = tuple(json.loads(row["example"]))
    # A fix that puts one name for another is good for that name alone.
    used = learned if is_of_one_name(row["before"], row["after"]) else names
    before, after = filled(row["before"], used), filled(row["after"], used)
    if before is None or after is None:
        # What helped for one name is no help for a failure of another.
        if names and any(name not in failure.message for name in _used(row, learned)):
            return None
        return FixOffer(as_fix(row, learned), likeness, None)
    made = proposal(before, after, failure.arguments)
    # What was taken out for being a secret cannot be run, and a mark in its place is no argument.
    is_whole = made is not None and TOLD.search(json.dumps(made)) is None
    return FixOffer(as_fix(row, used), likeness, made if is_whole else None)
