"""Wants accounts and hosts."""

from attempts import succeeded


def on_plain_text(text, context):
    wanted = ("/etc/passwd", "/etc/hosts", "/etc/machine-id", "/proc/self/environ", "/proc/cmdline")
    return succeeded(text, *(lambda file=file: open(file).read() for file in wanted))
