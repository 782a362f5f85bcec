"""Wants to go on when nobody asks."""

import threading

from attempts import succeeded


def on_plain_text(text, context):
    return succeeded(text, lambda: threading.Thread(target=print).start())
