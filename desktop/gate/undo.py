"""The way back: undo one change that the journal holds, or all of one call, also after a restart.

What stands there now is compared with what the change left behind. If it is something else, the user has
changed it since, and nothing happens until they choose: keep what is there, overwrite it (it is journalled
first, so that this can be undone too), or save the old file beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from desktop.errors import UserFacing
from desktop.gate.content_store import IDENTITY, identity_mark, sha256_of
from desktop.gate.journal import ChangeKind, EntryState, Journal, JournalEntry, Origin
from desktop.gate.reasons import GateReason
from desktop.reasons import Reason
from desktop.sandbox.folder import EntryKind, Folder, blocks
from desktop.sandbox.workspace import HeldPath, hold_itself

UNDO = Origin("undo")
NAMES_TRIED = 1000


class OnChange(StrEnum):
    """What to do when the file was changed since."""

    KEEP = "keep"  # what is there
    OVERWRITE = "overwrite"
    BESIDE = "beside"  # save the old one under another name


class UndoResult(StrEnum):
    RESTORED = "restored"
    REMOVED = "removed"  # what the change had made
    MOVED_BACK = "moved back"
    ALREADY = "already as before"
    KEPT = "kept"
    SAVED_BESIDE = "saved beside"


@dataclass(frozen=True)
class Undone:
    result: UndoResult
    path: Path  # where the old file, or what was kept, is now


class ChangedSince(UserFacing):
    """The file was changed after the tool did. `choices` are the ones that make sense here."""

    def __init__(self, entry: JournalEntry, choices: tuple[OnChange, ...]) -> None:
        super().__init__(GateReason.CHANGED_SINCE.of(path=entry.shown))
        self.entry = entry
        self.choices = choices


def undo(journal: Journal, entry_id: int, on_change: OnChange | None = None) -> Undone:
    """Put back what entry `entry_id` changed. Raises UserFacing, ChangedSince among others.

    The user's own act, so it works in folders that are no longer granted. Any thread but the main one.
    """
    with journal.lock:
        entry = journal.entry(entry_id)
        _check_state(entry)
        with (
            hold_itself(entry.root) as folder,
            hold_itself(entry.to_root) as target,
        ):
            undone = _Undo(journal, entry, folder, target, on_change).run()
        # Last: after a kill in between the entry is still there, and undoing again finds all as before.
        journal.set_undone(entry)
        return undone


def _check_state(entry: JournalEntry) -> None:
    reasons = {
        EntryState.UNDONE: GateReason.UNDO_UNDONE,
        EntryState.LAPSED: GateReason.UNDO_LAPSED,
    }
    if entry.state in reasons:
        raise UserFacing(reasons[entry.state].of(path=entry.shown))


class _Undo:
    """One way back. `folder` and `target` hold where the entry's file was and where it was moved to."""

    def __init__(
        self,
        journal: Journal,
        entry: JournalEntry,
        folder: Folder,
        target: Folder,
        on_change: OnChange | None,
    ) -> None:
        self._journal = journal
        self._entry = entry
        self._place = HeldPath(folder, _parts(entry.path))
        self._target = HeldPath(target, _parts(entry.to_path))
        self._on_change = on_change

    def run(self) -> Undone:
        actions = {
            ChangeKind.WRITE: self._write,
            ChangeKind.DELETE: self._write,
            ChangeKind.MOVE: self._move,
            ChangeKind.FOLDER: self._folder,
        }
        return actions[self._entry.action]()

    # -- files written or deleted ---------------------------------------------------------------

    def _write(self) -> Undone:
        entry, now = self._entry, state_of(self._place)
        if now == self._state_before:
            return self._dress()
        # Nobody has touched it since, so there is nothing to ask.
        if now == entry.after_sha256:
            return self._put_back()
        return self._ask()

    @property
    def _state_before(self) -> str:
        deleted_folder = self._entry.action is ChangeKind.DELETE and not self._entry.before_sha256
        return FOLDER if deleted_folder else self._entry.before_sha256

    def _dress(self) -> Undone:
        """The content is as before; a command may have changed permission bits and times."""
        entry = self._entry
        # Only commands change the dress alone; our own tools always write content.
        if not entry.is_of_command or not self._state_before or entry.state is EntryState.PENDING:
            return self._done(UndoResult.ALREADY)
        if self._state_before == FOLDER:
            self._place.set_folder(entry.mode, entry.times_ns)
            return self._done(UndoResult.ALREADY)
        if entry.after_sha256 != entry.before_sha256:
            return self._done(UndoResult.ALREADY)
        self._restore(self._place, replace=True)
        return self._done(UndoResult.RESTORED)

    def _put_back(self) -> Undone:
        self._make_way()
        if self._state_before == FOLDER:
            self._place.make_folder()
            self._place.set_folder(self._entry.mode, self._entry.times_ns)
            return self._done(UndoResult.RESTORED)
        if not self._entry.before_sha256:
            self._place.remove()
            return self._done(UndoResult.REMOVED)
        self._restore(self._place, replace=True)
        return self._done(UndoResult.RESTORED)

    def _make_way(self) -> None:
        """Remove what a command has put in its place: a file for a folder, or a folder for a file."""
        now = state_of(self._place)
        if not self._state_before or not now or (now == FOLDER) == (self._state_before == FOLDER):
            return
        # What is in it now was put there after the change, and is not the journal's to remove.
        if now == FOLDER and self._place.entries():
            raise ChangedSince(self._entry, (OnChange.KEEP,))
        self._check_kept()
        self._place.remove()

    def _restore(self, place: HeldPath, replace: bool) -> None:
        """The old bytes, mode and times; the folder above is made when it is gone."""
        with self._open_kept() as file:
            _make_parent(place)
            place.write(blocks(file), replace, mode=self._entry.mode, times_ns=self._entry.times_ns)

    # -- changed since ----------------------------------------------------------------------------

    def _ask(self) -> Undone:
        """Do what the user chose; raises ChangedSince while they have not."""
        if (undone := self._chosen(self._choices())) is not None:
            return undone
        return self._put_back() if self._state_before else self._done(UndoResult.REMOVED)

    def _chosen(self, choices: tuple[OnChange, ...]) -> Undone | None:
        """What became of it; None where the old file takes the place, for which room has been made."""
        if self._on_change not in choices:
            raise ChangedSince(self._entry, choices)
        if self._on_change is OnChange.KEEP:
            return self._done(UndoResult.KEPT)
        if self._on_change is OnChange.BESIDE:
            return self._save_beside()
        self._check_kept()
        self._clear(self._place)
        return None

    def _choices(self) -> tuple[OnChange, ...]:
        if not self._entry.before_sha256:
            return (OnChange.KEEP, OnChange.OVERWRITE)
        return tuple(OnChange) if self._entry.kept else (OnChange.KEEP,)

    def _check_kept(self) -> None:
        """Before anything makes room for the old bytes. Raises UserFacing when they are gone."""
        if self._entry.before_sha256:
            self._open_kept().close()

    def _open_kept(self) -> BinaryIO:
        if not self._entry.kept:
            raise _not_kept(self._entry)
        try:
            return self._journal.open_kept(self._entry)
        except FileNotFoundError as error:
            raise _not_kept(self._entry) from error

    def _clear(self, place: HeldPath) -> None:
        """Make room for the old file; what the user made is in the journal before it goes."""
        if place.exists():
            self._journal.delete(place, UNDO)

    def _save_beside(self) -> Undone:
        name = PurePosixPath(self._place.parts[-1])
        for number in range(1, NAMES_TRIED):
            suffix = " (before)" if number == 1 else f" (before {number})"
            beside = self._place.beside(f"{name.stem}{suffix}{name.suffix}")
            if not beside.exists():
                self._restore(beside, replace=False)
                return Undone(UndoResult.SAVED_BESIDE, beside.path)
        raise UserFacing(GateReason.PATH_EXISTS.of(count=NAMES_TRIED, path=self._entry.shown))

    # -- moves and folders --------------------------------------------------------------------------

    def _move(self) -> Undone:
        moved = self._entry.after_sha256 or FOLDER
        # Compared in the way in which it was noted: a file of many gigabytes is not read for that.
        here, there = state_of(self._place, like=moved), state_of(self._target, like=moved)
        if not here and there == moved:
            _make_parent(self._place)
            self._target.move(self._place)
            return self._done(UndoResult.MOVED_BACK)
        if here == moved and not there:
            return self._done(UndoResult.ALREADY)
        return self._move_changed()

    def _move_changed(self) -> Undone:
        """Gone or changed at its new place, or its old name is taken: only the old bytes can come back."""
        undone = self._chosen(tuple(OnChange) if self._entry.kept else (OnChange.KEEP,))
        if undone is not None:
            return undone
        after = self._entry.after_sha256
        if state_of(self._target, like=after) == after:
            _make_parent(self._place)
            self._target.move(self._place)
        else:
            self._restore(self._place, replace=False)
        return self._done(UndoResult.RESTORED)

    def _folder(self) -> Undone:
        """Remove the folders that were made, from the deepest on, as long as they are empty."""
        place = self._place
        if not place.exists():
            return self._done(UndoResult.ALREADY)
        if place.entries():
            if self._on_change is not OnChange.KEEP:
                raise ChangedSince(self._entry, (OnChange.KEEP,))
            return self._done(UndoResult.KEPT)
        # One entry may stand for a whole path of new folders.
        for _ in range(self._entry.folders_made):
            if place.entries():
                break
            place.remove()
            place = HeldPath(place.folder, place.parts[:-1])
        return self._done(UndoResult.REMOVED)

    def _done(self, result: UndoResult) -> Undone:
        return Undone(result, self._place.path)


FOLDER = "folder"  # no SHA-256 is spelled so


def state_of(place: HeldPath, like: str = "") -> str:
    """What stands there: the SHA-256 of a file, `folder`, or nothing at all.

    Where `like` is the mark of a file's identity, so is the answer: such a file was too large to be read.
    """
    if not place.exists():
        return ""
    if place.facts().kind is EntryKind.FOLDER:
        return FOLDER
    with place.open_file(linked=True) as file:
        return identity_mark(file) if like.startswith(IDENTITY) else sha256_of(file)


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.split("/")) if path else ()


def _make_parent(place: HeldPath) -> None:
    if len(place.parts) > 1:
        HeldPath(place.folder, place.parts[:-1]).make_folder()


def _not_kept(entry: JournalEntry) -> UserFacing:
    return UserFacing(GateReason.UNDO_NOT_KEPT.of(path=entry.shown))


# -- all that one call changed, as one act: for the card, the tray and the list of changes ---------

LOOKED_AT = 1000  # entries, for the latest that can still be undone


class UndoStatus(StrEnum):
    """What can still be done about the changes of a call."""

    NOTHING = "nothing"  # it changed nothing
    UNDOABLE = "undoable"
    UNDONE = "undone"
    LAPSED = "lapsed"  # the old bytes made room for newer ones


def standing(journal: Journal, changes: Iterable[int]) -> UndoStatus:
    """How it stands with these entries together; one that can be undone is enough to offer it."""
    states = {entry.state for entry in _entries(journal, changes)}
    if states & {EntryState.DONE, EntryState.PENDING}:
        return UndoStatus.UNDOABLE
    if EntryState.LAPSED in states:
        return UndoStatus.LAPSED
    return UndoStatus.UNDONE if states else UndoStatus.NOTHING


def latest(journal: Journal) -> tuple[JournalEntry, ...]:
    """The entries of the latest call that can be undone, the newest first; empty when there is none."""
    candidates = [entry for entry in journal.entries(LOOKED_AT) if is_offered(entry)]
    if not candidates:
        return ()
    # What one call changed is one act for whoever looks at it.
    call = candidates[0].origin.call
    return tuple(entry for entry in candidates if call and entry.origin.call == call) or (candidates[0],)


def is_offered(entry: JournalEntry) -> bool:
    """Whether a list or a menu should offer to undo it: what an undo put aside is not the last change."""
    return entry.state in (EntryState.DONE, EntryState.PENDING) and entry.origin.tool != UNDO.tool


def undo_changes(
    journal: Journal, changes: Sequence[int], choices: Mapping[int, OnChange] | None = None
) -> tuple[Undone, ...]:
    """Undo these entries, the newest first; those that are undone or lapsed already are passed over.

    `choices` says, by entry, what to do with a file that was changed since. Raises ChangedSince for the first
    that needs one and has none, UserFacing for what cannot be undone: what came before it in this order is
    undone by then, and calling again goes on from there. Any thread but the main one.
    """
    chosen = choices or {}
    # Backwards: a file that was made and then moved is found where it is now.
    newest_first = sorted(_entries(journal, changes), key=lambda each: each.id, reverse=True)
    return tuple(
        _undo_one(journal, entry, chosen.get(entry.id), is_alone=len(changes) == 1)
        for entry in newest_first
        if entry.state in (EntryState.DONE, EntryState.PENDING)
    )


def _undo_one(journal: Journal, entry: JournalEntry, choice: OnChange | None, is_alone: bool) -> Undone:
    try:
        return undo(journal, entry.id, choice)
    except ChangedSince:
        if entry.action is ChangeKind.FOLDER and not is_alone:
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
        # The first entries of a command are made before it runs; what it really did is known after it.
        if entry.is_of_command:
            found |= {each.id: each for each in journal.of_call(entry.origin.call)}
    return list(found.values())


def title(entries: Sequence[JournalEntry]) -> Reason:
    """What taking these back is, "Undo the change to notes.txt". Raises ValueError without any."""
    if not entries:
        raise ValueError("nothing to undo")
    # A file's folders are made along with it; nobody thinks of them first.
    first = next((each for each in entries if each.action is not ChangeKind.FOLDER), entries[0])
    act = _ACTS[first.action]
    if first.action is ChangeKind.WRITE and not first.before_sha256:
        act = GateReason.UNDO_MAKING
    said = act.of(name=first.path.rsplit("/", 1)[-1])
    more = len(entries) - 1
    return GateReason.UNDO_SEVERAL.of(first=said, count=more) if more else said


_ACTS = {
    ChangeKind.WRITE: GateReason.UNDO_CHANGING,
    ChangeKind.DELETE: GateReason.UNDO_DELETING,
    ChangeKind.MOVE: GateReason.UNDO_MOVING,
    ChangeKind.FOLDER: GateReason.UNDO_FOLDER,
}


def in_words(undone: Sequence[Undone]) -> Reason:
    """One sentence for the toast, the notification and the card."""
    if not undone:
        return GateReason.NOTHING_TO_UNDO.of()
    first = undone[0]
    said = _RESULTS[first.result].of(name=first.path.name)
    more = len(undone) - 1
    return GateReason.AND_MORE_UNDONE.of(what=said, count=more) if more else said


_RESULTS = {
    UndoResult.RESTORED: GateReason.RESTORED,
    UndoResult.REMOVED: GateReason.REMOVED,
    UndoResult.MOVED_BACK: GateReason.MOVED_BACK,
    UndoResult.ALREADY: GateReason.ALREADY_AS_BEFORE,
    UndoResult.KEPT: GateReason.LEFT_AS_IT_IS,
    UndoResult.SAVED_BESIDE: GateReason.SAVED_BESIDE,
}
