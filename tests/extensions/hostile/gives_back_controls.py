"""Gives back what steers a terminal, ends a string, or is half a letter."""

TEXTS = ["\x00", "ESCAPED \x1b[2J", "\ud800", "a\x08b", "\x7f"]


def on_plain_text(text, context):
    return TEXTS.pop() if TEXTS else "\x9b"[:0] + "\x07"
