"""Wants to know what there is."""

import os

from attempts import place, succeeded


def on_plain_text(text, context):
    secret = place("secret")
    folder = os.path.dirname(secret)
    return succeeded(
        text,
        lambda: os.listdir(folder),
        lambda: os.listdir("/"),
        lambda: os.listdir("/proc"),
        lambda: next(os.scandir(folder)),
        lambda: os.listdir(os.open(folder, os.O_RDONLY)),
    )
