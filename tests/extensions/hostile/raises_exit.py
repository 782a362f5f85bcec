"""Raises what most programs do not catch."""

import sys


def on_plain_text(text, context):
    sys.exit("ESCAPED")


def on_llm_output(text, context):
    raise KeyboardInterrupt
