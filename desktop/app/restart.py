"""Starting anew after everything is closed: for a restored backup, and what counts from the next start."""

from __future__ import annotations

import subprocess

from desktop.paths import Paths, own_program


def start_again(paths: Paths, chat: int = 0) -> None:
    """Start the tray app of this profile as a process of its own, which lives on when this one ends, with the
    conversation `chat` open."""
    profile = ["--profile", str(paths.profile)] if paths.profile else []
    opened = ["run", "--chat", str(chat)] if chat else []
    subprocess.Popen([*own_program(), *profile, *opened], start_new_session=True, close_fds=True)
