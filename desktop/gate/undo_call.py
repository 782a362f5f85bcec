"""Undo of all that one call changed, as one act: what the card, the tray and the list of changes offer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.journal_entry import Action, JournalEntry, State
from desktop.gate.undo import UNDO, ChangedSince, OnChange, Result, Undone, undo

LOOKED_AT = 1000  # entries, for the latest that can still be undone


class Standing(StrEnum):
    """What can still be done about the changes of a call."""

    NOTHING = "nothing"  # it changed nothing
    UNDOABLE = "undoable"
    UNDONE = "undone"
    LAPSED = "lapsed"  # the old bytes made room for newer ones


def standing(journal: Journal, changes: Iterable[int]) -> Standing:
    """How it stands with these entries together; one that can be undone is enough to offer it."""
    states = {entry.state for entry in _entries(journal, changes)}
    if states & {State.DONE, State.PENDING}:
        return Standing.UNDOABLE
    if State.LAPSED in states:
        return Standing.LAPSED
    return Standing.UNDONE if states else Standing.NOTHING


def latest(journal: Journal) -> tuple[JournalEntry, ...]:
    """The entries of the latest call that can be undone, the newest first; empty when there is none."""
    candidates = [entry for entry in journal.entries(LOOKED_AT) if is_offered(entry)]
    if not candidates:
        return ()
    call = candidates[0].origin.call
    return tuple(entry for entry in candidates if call and entry.origin.call == call) or (candidates[0],)


def is_offered(entry: JournalEntry) -> bool:
    """Whether a list or a menu should offer to undo it: what an undo put aside is not the last change."""
    return entry.state in (State.DONE, State.PENDING) and entry.origin.tool != UNDO.tool


def undo_changes(
    journal: Journal, changes: Sequence[int], choices: Mapping[int, OnChange] | None = None
) -> tuple[Undone, ...]:
    """Undo these entries, the newest first; those that are undone or lapsed already are passed over.

    `choices` says, by entry, what to do with a file that was changed since. Raises ChangedSince for the first
    that needs one and has none, UserFacing for what cannot be undone: what came before it in this order is
    undone by then, and calling again goes on from there. Any thread but the main one.
    """
    chosen = choices or {}
    newest_first = sorted(_entries(journal, changes), key=lambda each: each.id, reverse=True)
    return tuple(
        _undo_one(journal, entry, chosen.get(entry.id), is_alone=len(changes) == 1)
        for entry in newest_first
        if entry.state in (State.DONE, State.PENDING)
    )


def _undo_one(journal: Journal, entry: JournalEntry, choice: OnChange | None, is_alone: bool) -> Undone:
    try:
        return undo(journal, entry.id, choice)
    except ChangedSince:
        if entry.action is Action.FOLDER and not is_alone:
            # A folder made for a file, in which the user keeps things by now: it stays, nobody need be asked.
            return undo(journal, entry.id, OnChange.KEEP)
        raise


def _entries(journal: Journal, changes: Iterable[int]) -> list[JournalEntry]:
    """Those that the journal still knows; of a command also what it was seen to make afterwards."""
    found: dict[int, JournalEntry] = {}
    for number in changes:
        if number in found:
            continue
        try:
            entry = journal.entry(number)
        except UserFacing:
            continue  # forgotten after 20,000 newer ones, or unchanged by the command
        found[entry.id] = entry
        if entry.is_of_command:
            found |= {each.id: each for each in journal.of_call(entry.origin.call)}
    return list(found.values())


def in_words(undone: Sequence[Undone]) -> str:
    """One sentence for the toast, the notification and the card."""
    if not undone:
        return "There was nothing left to undo."
    first = undone[0]
    name = first.path.name
    sentences = {
        Result.RESTORED: f"{name} is as it was before.",
        Result.REMOVED: f"{name}, which was new, is gone again.",
        Result.MOVED_BACK: f"{name} is back at its old place.",
        Result.ALREADY: f"{name} was already as before.",
        Result.KEPT: f"{name} was left as it is now.",
        Result.SAVED_BESIDE: f"The old file was saved as {name}.",
    }
    more = len(undone) - 1
    rest = f" {more} more {'change was' if more == 1 else 'changes were'} undone with it." if more else ""
    return sentences[first.result] + rest
