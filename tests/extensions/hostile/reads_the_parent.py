"""Wants what Steward has in memory and in its environment."""

import os

from attempts import succeeded


def on_plain_text(text, context):
    parent = os.getppid()
    wanted = ("environ", "mem", "maps", "cmdline", "fd/0", "task")
    files = [f"/proc/{parent}/{name}" for name in wanted]
    return succeeded(text, *(lambda file=file: open(file, "rb").read(10) for file in files))
