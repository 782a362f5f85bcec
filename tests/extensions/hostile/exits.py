"""Ends its process in the middle."""

import os


def on_plain_text(text, context):
    os._exit(0)
