"""Talks all the time, in the words of the protocol too."""

import json
import os
import sys


def on_plain_text(text, context):
    for _ in range(500):
        print(json.dumps({"id": "", "result": "ESCAPED: printed"}))
    sys.stdout.write("x" * 100_000)
    sys.stderr.write("\x1b[2J\n")
    os.write(1, b'{"id": "", "result": "ESCAPED: descriptor"}\n')
    return text
