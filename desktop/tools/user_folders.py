"""Downloads, Documents and the like: folders that people name without saying where they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import platformdirs

# As people and models write them, in English and German.
_NAMES = {
    "downloads": platformdirs.user_downloads_dir,
    "documents": platformdirs.user_documents_dir,
    "dokumente": platformdirs.user_documents_dir,
    "desktop": platformdirs.user_desktop_dir,
    "schreibtisch": platformdirs.user_desktop_dir,
    "pictures": platformdirs.user_pictures_dir,
    "bilder": platformdirs.user_pictures_dir,
    "music": platformdirs.user_music_dir,
    "musik": platformdirs.user_music_dir,
    "videos": platformdirs.user_videos_dir,
}


def user_folders() -> Mapping[str, Path]:
    """Where they are on this computer, by their names in lower case."""
    return {name: Path(where()) for name, where in _NAMES.items()}


def spelled_out(path: str, folders: Mapping[str, Path]) -> str:
    """`path` with `~` and a user's folder at its beginning as the whole path they stand for."""
    parts = path.replace("\\", "/").split("/")
    while len(parts) > 1 and parts[0] == ".":
        parts = parts[1:]
    start = Path.home() if parts[0] == "~" else folders.get(parts[0].casefold())
    if parts[0] == "~" and len(parts) > 1 and parts[1].casefold() in folders:
        start, parts = folders[parts[1].casefold()], parts[1:]
    return path if start is None else str(start.joinpath(*(part for part in parts[1:] if part)))
