"""Answers after everybody has gone."""

import time


def on_plain_text(text, context):
    time.sleep(60)
    return "ESCAPED: late"


on_llm_output = on_plain_text
