"""Wants to hear what the user opens."""

import ctypes

from attempts import place, succeeded


def on_plain_text(text, context):
    libc = ctypes.CDLL(None, use_errno=True)

    def checked(result):
        if result == -1:
            raise OSError(ctypes.get_errno(), "refused")

    place("secret")
    return succeeded(text, lambda: checked(libc.inotify_init1(0)), lambda: checked(libc.fanotify_init(0, 0)))
