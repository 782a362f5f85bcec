"""Reads where there is nothing."""

import ctypes


def on_plain_text(text, context):
    return ctypes.string_at(0)
