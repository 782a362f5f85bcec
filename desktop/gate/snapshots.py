"""Copies of what a command is about to change or remove, so that Undo takes it back.

`take` keeps the files and folders that a verdict names, through the same journal as our own tools; `settle`,
once the command has ended, writes down what became of them and what came new. Undo then knows the command's
change from a later one. Without `settle` it restores what was removed and asks about what was changed.
Links are neither kept nor followed, and nothing outside the folder is looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from desktop.errors import UserFacing
from desktop.gate.journal import ChangeKind, EntryState, Journal, JournalEntry
from desktop.gate.named_files import changed_paths
from desktop.gate.reasons import GateReason
from desktop.gate.undo import FOLDER, state_of
from desktop.gate.verdict import Effect, Verdict
from desktop.sandbox.folder import EntryFacts, EntryKind, Folder
from desktop.sandbox.workspace import HeldPath, hold_itself

log = structlog.get_logger(__name__)

CHANGES = frozenset({Effect.UPDATE, Effect.DELETE})


@dataclass(frozen=True)
class SnapshotLimits:
    """How much is kept for one command; above it nothing is."""

    files: int = 2_000
    total_bytes: int = 200_000_000


class TooMuch(UserFacing):
    """More files or bytes than are kept for one command."""


class Snapshots:
    """Methods may be called on any thread but the main one."""

    def __init__(
        self, journal: Journal, forbidden: Iterable[Path] = (), limits: SnapshotLimits | None = None
    ) -> None:
        """`forbidden` are folders that are never looked into: Steward's own."""
        self._journal = journal
        self._forbidden = tuple(forbidden)
        self._limits = limits or SnapshotLimits()

    def worth(self, verdict: Verdict, folder: Path) -> bool:
        """Whether what it names can be kept: something that is there, in `folder`, and not too much."""
        # What only makes files is undone by removing them, without a copy.
        if verdict.effect not in CHANGES or not _named(verdict, folder):
            return False
        try:
            with self._held(folder) as held:
                places = list(self._places(verdict, held))
                return any(place.exists() for place in places)
        except (UserFacing, OSError):
            return False

    def take(self, verdict: Verdict, folder: Path, call: str) -> tuple[int, ...]:
        """Keep it; the numbers of the journal's entries. Raises UserFacing, and keeps nothing then."""
        with self._held(folder) as held:
            places = list(self._places(verdict, held))
            return self._journal.keep(places, call)

    def settle(self, call: str) -> tuple[int, ...]:
        """The command has ended: what it changed stays in the journal, with what it made; what it did not
        touch is forgotten. Returns the entries that remain. Harmless for a call without a snapshot.
        """
        entries = self._journal.of_call(call)
        waiting = [each for each in entries if each.is_of_command and each.state is EntryState.PENDING]
        if not waiting:
            return ()
        known = {(each.root, each.path) for each in waiting}
        try:
            with self._held(waiting[0].root) as held:
                self._settle(held, call, sorted(waiting, key=lambda each: each.id), known)
        except (UserFacing, OSError) as error:
            log.warning("a command's changes could not be looked at", call=call, reason=str(error))
        return tuple(each.id for each in reversed(self._journal.of_call(call)))

    def can_keep(self, folder: Path) -> bool:
        """Whether all of `folder` can be kept: it is there, and not too much."""
        try:
            with self._held(folder) as held:
                list(self._within(HeldPath(held, ())))
        except (UserFacing, OSError):
            return False
        return True

    def take_folder(self, folder: Path, call: str) -> tuple[int, ...]:
        """Keep all that is in `folder`, for what names nothing of it beforehand. `call` belongs to this
        folder alone. Raises UserFacing, and keeps nothing then."""
        with self._held(folder) as held:
            places = [each for each in self._within(HeldPath(held, ())) if each.parts]
            return self._journal.keep(places, call)

    def settle_folder(self, folder: Path, call: str) -> tuple[int, ...]:
        """As `settle`, of a folder that was kept whole: what came new in it stays in the journal too."""
        known = {each.path for each in self._journal.of_call(call)}
        self.settle(call)
        try:
            with self._held(folder) as held:
                new = [each for each in HeldPath(held, ()).entries() if each.name not in known]
                for entry in new[: self._limits.files]:
                    self._note_made(HeldPath(held, (entry.name,)), call)
        except (UserFacing, OSError) as error:
            log.warning("what came new in a folder could not be looked at", call=call, reason=str(error))
        return tuple(each.id for each in reversed(self._journal.of_call(call)))

    # -- before -----------------------------------------------------------------------------------

    @contextmanager
    def _held(self, folder: Path) -> Iterator[Folder]:
        with hold_itself(Path(os.path.realpath(folder)), self._forbidden) as held:
            yield held

    def _places(self, verdict: Verdict, held: Folder) -> Iterator[HeldPath]:
        """What is named and all that is in it, folders before their content. Raises TooMuch."""
        named = (HeldPath(held, parts) for parts in _named(verdict, held.root))
        yield from (place for place in self._within(*named) if place.parts)

    def _within(self, *places: HeldPath) -> Iterator[HeldPath]:
        """These and all that is in them, each once. Raises TooMuch."""
        count = size_bytes = 0
        seen: set[tuple[str, ...]] = set()
        for begun in places:
            for place, facts in _with_content(begun):
                # `rm -r a a/b` names one folder twice.
                if place.parts in seen:
                    continue
                seen.add(place.parts)
                count += 1
                size_bytes += facts.size_bytes if facts is not None and facts.kind is EntryKind.FILE else 0
                if count > self._limits.files or size_bytes > self._limits.total_bytes:
                    raise self._too_much()
                yield place

    def _too_much(self) -> TooMuch:
        files, size_mb = self._limits.files, self._limits.total_bytes // 1_000_000
        return TooMuch(GateReason.SNAPSHOT_TOO_LARGE.of(files=files, size_mb=size_mb))

    # -- after ------------------------------------------------------------------------------------

    def _settle(
        self, held: Folder, call: str, waiting: list[JournalEntry], known: set[tuple[Path, str]]
    ) -> None:
        # A command may have unpacked a million files; a list of them helps nobody.
        left = self._limits.files
        for entry in waiting:
            place = HeldPath(held, tuple(entry.path.split("/")))
            now = _state(place)
            self._settle_one(entry, place, now)
            if now != FOLDER:
                continue
            for inner, facts in _with_content(place):
                path = "/".join(inner.parts)
                if (held.root, path) in known or left <= 0 or facts is None:
                    continue
                known.add((held.root, path))
                left -= 1
                self._journal.add_made(inner, call, "" if facts.kind is EntryKind.FOLDER else _state(inner))

    def _note_made(self, begun: HeldPath, call: str) -> None:
        for place, facts in _with_content(begun):
            if facts is not None:
                self._journal.add_made(place, call, "" if facts.kind is EntryKind.FOLDER else _state(place))

    def _settle_one(self, entry: JournalEntry, place: HeldPath, now: str) -> None:
        before = FOLDER if entry.was_folder else entry.before_sha256
        # Equal content with another time was written anew, and undo gives the time back.
        if now == before and (not now or _looks_the_same(entry, place.facts())):
            self._journal.forget(entry)
        elif now == FOLDER and not before:
            self._journal.settle(entry, "", ChangeKind.FOLDER)
        else:
            self._journal.settle(entry, "" if now == FOLDER == before else now)


def _looks_the_same(entry: JournalEntry, facts: EntryFacts) -> bool:
    return (facts.mode, facts.modified_ns) == (entry.mode, entry.times_ns[1])


def _state(place: HeldPath) -> str:
    """As undo sees it; what cannot be looked at any more is nothing."""
    try:
        return state_of(place)
    except UserFacing:
        return ""


def _named(verdict: Verdict, folder: Path) -> list[tuple[str, ...]]:
    """The components beneath `folder` of all that is named or matched; empty where one of them lies
    elsewhere, or where the text does not tell all of them."""
    root = os.path.realpath(folder)
    found: list[tuple[str, ...]] = []
    # All or nothing: a copy of half of what is changed would promise too much.
    for path in changed_paths(verdict, Path(root)) or ():
        relative = os.path.relpath(os.path.normpath(os.path.join(root, path)), root)
        if relative.split(os.sep)[0] == "..":
            return []
        found.append(() if relative == "." else tuple(relative.split(os.sep)))
    return found


def _with_content(place: HeldPath) -> Iterator[tuple[HeldPath, EntryFacts | None]]:
    """`place` and what is in it, without links and devices; facts are None where there is nothing yet."""
    waiting: list[tuple[HeldPath, EntryFacts | None]] = [(place, _facts(place))]
    while waiting:
        here, facts = waiting.pop()
        if facts is not None and facts.kind not in (EntryKind.FILE, EntryKind.FOLDER):
            continue
        yield here, facts
        if facts is not None and facts.kind is EntryKind.FOLDER:
            below = [(here.below(each.name), each.facts) for each in here.entries()]
            waiting.extend(reversed(below))


def _facts(place: HeldPath) -> EntryFacts | None:
    return place.facts() if place.exists() else None
