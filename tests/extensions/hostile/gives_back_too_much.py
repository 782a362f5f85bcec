"""Gives back ten megabytes."""


def on_plain_text(text, context):
    return "ESCAPED" * 1_500_000


def on_llm_output(text, context):
    return "E" * 300_000
