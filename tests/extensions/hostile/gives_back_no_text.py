"""Gives back everything but text."""

VALUES = [1, 1.5, True, [], {}, ["a"], {"text": "ESCAPED"}, float("nan"), 10**4000]


def on_plain_text(text, context):
    return VALUES.pop() if VALUES else b"bytes"
