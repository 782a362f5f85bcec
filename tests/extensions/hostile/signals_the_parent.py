"""Wants Steward to end."""

import ctypes
import os
import signal

from attempts import succeeded


def on_plain_text(text, context):
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)

    def queued():
        if libc.sigqueue(parent, signal.SIGTERM, None) == -1:
            raise OSError

    return succeeded(
        text,
        lambda: os.kill(parent, signal.SIGTERM),
        lambda: os.kill(parent, signal.SIGKILL),
        lambda: os.killpg(os.getpgid(parent), signal.SIGTERM),
        lambda: os.kill(-1, signal.SIGTERM),
        lambda: os.kill(parent, 0),
        queued,
    )
