"""Takes the pipes away."""

import os


def on_plain_text(text, context):
    os.closerange(0, 32)
    return "ESCAPED: closed"
