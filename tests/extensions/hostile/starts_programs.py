"""Starts a program in every way that Python has."""

import os
import subprocess

from attempts import succeeded


def on_plain_text(text, context):
    ways = (
        lambda: subprocess.run(["/bin/true"], check=True),
        lambda: os.posix_spawn("/bin/true", ["true"], {}),
        lambda: os.execv("/bin/sh", ["sh", "-c", "true"]),
        lambda: os.system("true") and 1 / 0,
    )
    return succeeded(text, *ways)
