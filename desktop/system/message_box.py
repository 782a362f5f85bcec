"""A few words in a box of the desktop's own, for a start at which Qt cannot be loaded.

Whoever clicked an icon reads no terminal. Only what is there is used, and where nothing is, nothing happens.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys

MB_ICONERROR = 0x10  # winuser.h
# The box of GNOME, of KDE, of X itself; a notification last, because it goes by.
PROGRAMS = (
    ("zenity", "--error", "--no-markup", "--title={title}", "--text={words}"),
    ("kdialog", "--title", "{title}", "--error", "{words}"),
    ("xmessage", "-center", "-title", "{title}", "{words}"),
    ("notify-send", "--urgency=critical", "{title}", "{words}"),
)


def show(title: str, words: str) -> bool:
    """Show the words until they are read; False where this computer has no way to."""
    if sys.platform == "win32":
        ctypes.windll.user32.MessageBoxW(None, words, title, MB_ICONERROR)
        return True
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    return any(_ended_well([part.format(title=title, words=words) for part in each]) for each in PROGRAMS)


def _ended_well(command: list[str]) -> bool:
    """Whether the program is there and could show it. A closed box counts: zenity then ends with 1."""
    program = shutil.which(command[0])
    if program is None:
        return False
    try:
        done = subprocess.run([program, *command[1:]], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode in (0, 1)
