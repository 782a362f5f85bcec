"""Begins an answer and leaves it."""

import os


def on_plain_text(text, context):
    for descriptor in range(3, 32):
        try:
            os.write(descriptor, b'{"id": "0", "result": "ESCA')
        except OSError:
            continue
    os._exit(0)
