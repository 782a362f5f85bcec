"""Spends its time inside a C function, which no signal of Python's interrupts."""

import re


def on_plain_text(text, context):
    return re.sub(r"(a+)+$", "", "a" * 60 + "b")
