"""The way back: undo one change that the journal holds, also after a restart.

What stands there now is compared with what the change left behind. If it is something else, the user has
changed it since, and nothing happens until they choose: keep what is there, overwrite it (it is journalled
first, so that this can be undone too), or save the old file beside it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.journal_entry import Action, JournalEntry, Origin, State
from desktop.gate.kept_bytes import IDENTITY, identity_mark, sha256_of
from desktop.sandbox.folder import EntryKind, Folder, blocks
from desktop.sandbox.workspace import HeldPath, hold

UNDO = Origin("undo")
NAMES_TRIED = 1000


class OnChange(StrEnum):
    """What to do when the file was changed since."""

    KEEP = "keep"  # what is there
    OVERWRITE = "overwrite"
    BESIDE = "beside"  # save the old one under another name


class Result(StrEnum):
    RESTORED = "restored"
    REMOVED = "removed"  # what the change had made
    MOVED_BACK = "moved back"
    ALREADY = "already as before"
    KEPT = "kept"
    SAVED_BESIDE = "saved beside"


@dataclass(frozen=True)
class Undone:
    result: Result
    path: Path  # where the old file, or what was kept, is now


class ChangedSince(UserFacing):
    """The file was changed after the tool did. `choices` are the ones that make sense here."""

    def __init__(self, entry: JournalEntry, choices: tuple[OnChange, ...]) -> None:
        super().__init__(
            f"{entry.shown} was changed after Steward had changed it.",
            "Nothing was changed now.",
            "Choose whether to keep it, overwrite it, or save the old file beside it.",
            code="changed-since",
        )
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
            hold(_root(entry.root)) as folder,
            hold(_root(entry.to_root)) as target,
        ):
            undone = _Undo(journal, entry, folder, target, on_change).run()
        journal.set_undone(entry)
        return undone


def _check_state(entry: JournalEntry) -> None:
    reasons = {
        State.UNDONE: "was undone already",
        State.LAPSED: "can no longer be undone: its bytes made room for newer ones",
    }
    if entry.state in reasons:
        raise UserFacing(
            f"The change of {entry.shown} {reasons[entry.state]}.",
            "Nothing was changed.",
            "Choose another change.",
            code=f"undo-{entry.state.value}",
        )


def _root(path: Path) -> Path:
    if Path(os.path.realpath(path)) != path:
        raise UserFacing(
            f"The folder {path} has become a link since.",
            "Nothing was changed.",
            "Put the folder back, then try again.",
            code="path-link",
        )
    return path


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
            Action.WRITE: self._write,
            Action.DELETE: self._write,
            Action.MOVE: self._move,
            Action.FOLDER: self._folder,
        }
        return actions[self._entry.action]()

    # -- files written or deleted ---------------------------------------------------------------

    def _write(self) -> Undone:
        entry, now = self._entry, state_of(self._place)
        if now == self._state_before:
            return self._dress()
        if now == entry.after_sha256:
            return self._put_back()
        return self._ask()

    @property
    def _state_before(self) -> str:
        deleted_folder = self._entry.action is Action.DELETE and not self._entry.before_sha256
        return FOLDER if deleted_folder else self._entry.before_sha256

    def _dress(self) -> Undone:
        """The content is as before; a command may have changed permission bits and times."""
        entry = self._entry
        if not entry.is_of_command or not self._state_before or entry.state is State.PENDING:
            return self._done(Result.ALREADY)
        if self._state_before == FOLDER:
            self._place.set_folder(entry.mode, entry.times_ns)
            return self._done(Result.ALREADY)
        if entry.after_sha256 != entry.before_sha256:
            return self._done(Result.ALREADY)
        self._restore(self._place, replace=True)
        return self._done(Result.RESTORED)

    def _put_back(self) -> Undone:
        self._make_way()
        if self._state_before == FOLDER:
            self._place.make_folder()
            self._place.set_folder(self._entry.mode, self._entry.times_ns)
            return self._done(Result.RESTORED)
        if not self._entry.before_sha256:
            self._place.remove()
            return self._done(Result.REMOVED)
        self._restore(self._place, replace=True)
        return self._done(Result.RESTORED)

    def _make_way(self) -> None:
        """Remove what a command has put in its place: a file for a folder, or a folder for a file."""
        now = state_of(self._place)
        if not self._state_before or not now or (now == FOLDER) == (self._state_before == FOLDER):
            return
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
        choices = self._choices()
        if self._on_change not in choices:
            raise ChangedSince(self._entry, choices)
        if self._on_change is OnChange.KEEP:
            return self._done(Result.KEPT)
        if self._on_change is OnChange.BESIDE:
            return self._save_beside()
        self._check_kept()
        self._clear(self._place)
        return self._put_back() if self._state_before else self._done(Result.REMOVED)

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
                return Undone(Result.SAVED_BESIDE, beside.path)
        raise UserFacing(
            f"There are already {NAMES_TRIED} old files beside {self._entry.shown}.",
            "Nothing was changed.",
            "Remove some of them.",
            code="path-exists",
        )

    # -- moves and folders --------------------------------------------------------------------------

    def _move(self) -> Undone:
        moved = self._entry.after_sha256 or FOLDER
        here, there = state_of(self._place, like=moved), state_of(self._target, like=moved)
        if not here and there == moved:
            _make_parent(self._place)
            self._target.move(self._place)
            return self._done(Result.MOVED_BACK)
        if here == moved and not there:
            return self._done(Result.ALREADY)
        return self._move_changed()

    def _move_changed(self) -> Undone:
        """Gone or changed at its new place, or its old name is taken: only the old bytes can come back."""
        choices = tuple(OnChange) if self._entry.kept else (OnChange.KEEP,)
        if self._on_change not in choices:
            raise ChangedSince(self._entry, choices)
        if self._on_change is OnChange.KEEP:
            return self._done(Result.KEPT)
        if self._on_change is OnChange.BESIDE:
            return self._save_beside()
        self._check_kept()
        self._clear(self._place)
        after = self._entry.after_sha256
        if state_of(self._target, like=after) == after:
            _make_parent(self._place)
            self._target.move(self._place)
        else:
            self._restore(self._place, replace=False)
        return self._done(Result.RESTORED)

    def _folder(self) -> Undone:
        """Remove the folders that were made, from the deepest on, as long as they are empty."""
        place = self._place
        if not place.exists():
            return self._done(Result.ALREADY)
        if place.entries():
            if self._on_change is not OnChange.KEEP:
                raise ChangedSince(self._entry, (OnChange.KEEP,))
            return self._done(Result.KEPT)
        for _ in range(self._entry.folders_made):
            if place.entries():
                break
            place.remove()
            place = HeldPath(place.folder, place.parts[:-1])
        return self._done(Result.REMOVED)

    def _done(self, result: Result) -> Undone:
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
    return UserFacing(
        f"The old bytes of {entry.shown} were not kept, or have been removed.",
        "Nothing was changed.",
        "Look for a copy in the trash or in a backup.",
        code="undo-not-kept",
    )
