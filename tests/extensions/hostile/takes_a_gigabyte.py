"""Wants all memory."""

from attempts import succeeded


def on_plain_text(text, context):
    return succeeded(text, lambda: bytearray(1 << 30), lambda: [bytearray(1 << 20) for _ in range(1 << 10)])
