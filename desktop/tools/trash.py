"""The trash: where deleted files go, so that the user finds them with the file manager.

On Linux the trash is a folder with a published layout (freedesktop.org Trash specification 1.0): the file
moves between two held folders, so that nothing can be swapped in between. Elsewhere Send2Trash asks the
system.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from desktop import cancellation
from desktop.errors import UserFacing
from desktop.paths import ensure
from desktop.sandbox.folder import EntryKind, blocks
from desktop.sandbox.workspace import HeldPath, hold
from desktop.tools.reasons import ToolReason

NAMES_TRIED = 10_000


def default_trash() -> Callable[[HeldPath], None]:
    """How this system throws away."""
    if platform.system() == "Linux":
        # Done by ourselves: Send2Trash goes by path, and a path can be exchanged under it.
        return Trash(Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "Trash").put
    return _send


class Trash:
    """One trash folder on Linux."""

    def __init__(self, folder: Path) -> None:
        """`folder` and what is in it are made when first needed."""
        self._folder = folder

    def put(self, place: HeldPath) -> None:
        """Move what is at `place` into the trash. Raises UserFacing."""
        ensure(self._folder / "files")
        ensure(self._folder / "info")
        with hold(self._folder) as trash:
            # The specification's order: a file without a note could not be restored, a note without a file
            # does no harm.
            name = self._note(HeldPath(trash, ("info",)), place)
            try:
                _move(place, HeldPath(trash, ("files", name)))
            except BaseException:
                with cancellation.shielded():
                    HeldPath(trash, ("info", f"{name}.trashinfo")).remove()
                raise

    def _note(self, info: HeldPath, place: HeldPath) -> str:
        """Take a name that is free, by writing where the file came from; the specification's order."""
        when = datetime.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S")
        content = f"[Trash Info]\nPath={quote(os.fsencode(place.path))}\nDeletionDate={when}\n".encode()
        original = Path(place.parts[-1])
        for number in range(NAMES_TRIED):
            # The ending stays, so that the file manager still knows what it is.
            name = f"{original.stem} {number}{original.suffix}" if number else original.name
            try:
                info.below(f"{name}.trashinfo").write(content, replace=False)
            except UserFacing as refusal:
                if refusal.code != "path-exists":
                    raise
            else:
                return name
        raise UserFacing(ToolReason.TRASH_FULL.of())


def _move(place: HeldPath, target: HeldPath) -> None:
    try:
        place.move(target)
    except UserFacing as refusal:
        if refusal.code != "path-other-drive" or place.facts().kind is not EntryKind.FILE:
            raise
        # A trash on another drive cannot be moved into; a folder would have to be copied file by file, so it
        # is refused.
        _copy(place, target)
        try:
            place.remove()
        except BaseException:  # given up in between, or refused: the file is where it was, and only there
            with cancellation.shielded():
                target.remove()
            raise


def _copy(place: HeldPath, target: HeldPath) -> None:
    """Copy it to a trash on another drive."""
    facts = place.facts()
    with place.open_file(linked=True) as file:
        times = (facts.accessed_ns, facts.modified_ns)
        target.write(blocks(file), replace=False, mode=facts.mode, times_ns=times)


def _send(place: HeldPath) -> None:
    from send2trash import send2trash

    place.facts()  # whatever is refused is refused first
    with cancellation.effect():
        send2trash(place.path)
