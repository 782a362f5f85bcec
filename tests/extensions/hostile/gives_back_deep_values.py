"""Gives back what cannot be written either."""


def on_plain_text(text, context):
    value = []
    for _ in range(100_000):
        value = [value]
    return value
