"""The folders of projects, each opened when a chat of its project is first answered."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.chat.reasons import ChatReason
from desktop.errors import UserFacing
from desktop.sandbox.workspace import Workspace

if TYPE_CHECKING:
    from desktop.chat.tool_mode import ToolRuntime


@dataclass(frozen=True)
class _AtWork:
    workspace: Workspace
    tools: ToolRuntime
    where: tuple[int, int]  # device and number of the folder


class ProjectFolders:
    """Tools by the folder that they work in. Any thread.

    What was allowed in a folder holds there: grants go by the folder that a call is made in.
    """

    def __init__(self, forbidden: tuple[Path, ...], at_work: Callable[[Workspace], ToolRuntime]) -> None:
        """`forbidden`: where no tool has anything to look for. `at_work` makes the tools of a folder."""
        self._forbidden = forbidden
        self._at_work = at_work
        self._lock = threading.Lock()
        self._open: dict[str, _AtWork] = {}

    def tools(self, folder: str) -> ToolRuntime:
        """Raises UserFacing where the folder is gone or may not be used."""
        return self._at(folder).tools

    def workspace(self, folder: str) -> Workspace:
        """The same for the folder itself."""
        return self._at(folder).workspace

    def close(self) -> None:
        with self._lock:
            for each in self._open.values():
                each.workspace.close()

    def _at(self, folder: str) -> _AtWork:
        with self._lock:
            # Never made: an empty folder in the place of one that is unplugged would look like lost files.
            # It was kept as it is without links: one in its place by now leads where nobody agreed to.
            # Asked this way, since a drive that does not answer, or a folder above that was closed to us,
            # is "gone" and no bug.
            if not os.path.isdir(folder) or os.path.realpath(folder) != folder:
                raise UserFacing(ChatReason.PROJECT_FOLDER_GONE.of(folder=folder))
            found = self._open.get(folder)
            # One that was deleted and made anew is another: the old handle would write where nobody looks.
            if found is not None and not _is_same(found.where, Path(folder)):
                found.workspace.close()
                found = None
            if found is None:
                self._open[folder] = found = self._made(folder)
            return found

    def _made(self, folder: str) -> _AtWork:
        try:
            facts = Path(folder).stat()
            workspace = Workspace(Path(folder), forbidden=self._forbidden)
        except OSError as error:
            reason = ChatReason.PROJECT_FOLDER_REFUSED.of(folder=folder, strerror=str(error.strerror))
            raise UserFacing(reason) from error
        # Looked at again once it is held: a link may have taken its place in between.
        if workspace.root != Path(folder):
            workspace.close()
            raise UserFacing(ChatReason.PROJECT_FOLDER_GONE.of(folder=folder))
        return _AtWork(workspace, self._at_work(workspace), (facts.st_dev, facts.st_ino))


def _is_same(where: tuple[int, int], folder: Path) -> bool:
    facts = folder.stat()
    return where == (facts.st_dev, facts.st_ino)
