"""Which files lie in a project, where its own Git, its links and what ran in it may say otherwise.

Git names what its index names: a file of a folder that has become a link since, and that lies elsewhere by
now. And a repository's own settings can name a program that Git starts to list files.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

# In front of the words of every call of Git in somebody's repository. A monitor of the file system is a
# program that the repository's settings name, and `git ls-files` starts it.
GIT = ("git", "-c", "core.fsmonitor=false")


class PlainFolders:
    """The folders of a project that are no links, and lead to none. Each is looked at once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known = {"": True}

    def hold(self, path: str) -> bool:
        """Whether `path`, relative and with slashes, has only such folders above it; what it is itself does
        not count. False for one that is absolute, or climbs."""
        folder, _, name = path.rpartition("/")
        return name not in ("", ".", "..") and not path.startswith("/") and self._is_plain(folder)

    def _is_plain(self, folder: str) -> bool:
        if folder not in self._known:
            above, _, name = folder.rpartition("/")
            self._known[folder] = (
                name not in ("", ".", "..") and self._is_plain(above) and self._is_folder(folder)
            )
        return self._known[folder]

    def _is_folder(self, folder: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self._root / folder).st_mode)
        except OSError:
            return False
