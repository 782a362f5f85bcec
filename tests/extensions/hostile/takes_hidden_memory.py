"""Wants memory that no limit of the address space counts."""

import os

from attempts import succeeded


def on_plain_text(text, context):
    return succeeded(text, lambda: os.memfd_create("hidden"))
