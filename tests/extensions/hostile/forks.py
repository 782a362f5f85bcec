"""Wants to be two."""

import os


def on_plain_text(text, context):
    if os.fork() == 0:
        os._exit(0)
    return "ESCAPED: forked"
