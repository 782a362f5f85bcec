"""Starting anew after everything is closed: what a restored backup needs."""

from __future__ import annotations

import subprocess

from desktop.paths import Paths, own_program


def start_again(paths: Paths) -> None:
    """Start the tray app of this profile as a process of its own, which lives on when this one ends."""
    profile = ["--profile", str(paths.profile)] if paths.profile else []
    subprocess.Popen([*own_program(), *profile], start_new_session=True, close_fds=True)
