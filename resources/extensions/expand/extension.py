"""Short forms at the beginning of a word, written out."""

import re

FORM = re.compile(r"(?:^|;\s*)(;[a-z0-9]{1,16})\s*=\s*(.*?)\s*(?=;\s*;[a-z0-9]|;?\s*$)", re.IGNORECASE)
USED = re.compile(r"(?<!\S);[a-z0-9]{1,16}(?!\w)", re.IGNORECASE)


def on_input_messages(text, context):
    known = forms(context)
    return USED.sub(lambda found: known.get(found[0].casefold(), found[0]), text)


def tool_expand_list(context):
    return "\n".join(f"{short}: {long}" for short, long in forms(context).items()) or "None."


def forms(context):
    return {found[1].casefold(): found[2] for found in FORM.finditer(context.settings["forms"])}
