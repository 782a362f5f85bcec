"""Starting anew after everything is closed: what a restored backup needs."""

from __future__ import annotations

import subprocess
import sys

from desktop.paths import Paths


def start_again(paths: Paths) -> None:
    """Start the tray app of this profile as a process of its own, which lives on when this one ends."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-P", "-m", "desktop"]
    profile = ["--profile", str(paths.profile)] if paths.profile else []
    subprocess.Popen([*program, *profile], start_new_session=True, close_fds=True)
