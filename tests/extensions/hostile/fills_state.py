"""Keeps as much as goes in, and keys that are none."""

import random

from attempts import succeeded


def on_plain_text(text, context):
    for number in range(40):
        context.state.put(f"large {number}", random.randbytes(60_000).hex())
    keys = ("", "k" * 1000, "\ud800", None, 3)
    too_large = lambda: context.state.put("k", "v" * 300_000)  # noqa: E731 - as short as the others
    return succeeded(text, too_large, *(lambda key=key: context.state.put(key, 1) for key in keys))
