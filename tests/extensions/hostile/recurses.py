"""Goes down until there is no stack."""


def on_plain_text(text, context):
    return on_plain_text(text, context)
