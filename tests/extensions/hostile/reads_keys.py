"""Wants the user's files, by every way to a file."""

import io
import mmap
import os

from attempts import place, succeeded


def on_plain_text(text, context):
    secret = place("secret")

    def through_path():
        descriptor = os.open(secret, os.O_PATH)
        return open(f"/proc/self/fd/{descriptor}").read()

    return succeeded(
        text,
        lambda: open(secret).read(),
        lambda: io.FileIO(secret).readall(),
        lambda: os.read(os.open(secret, os.O_RDONLY), 100),
        lambda: os.read(os.open(secret, os.O_RDONLY | os.O_NONBLOCK), 100),
        lambda: mmap.mmap(os.open(secret, os.O_RDONLY), 0).read(10),
        through_path,
    )
