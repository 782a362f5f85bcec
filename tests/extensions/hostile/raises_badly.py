"""Its error cannot be told either."""


class Bad(Exception):
    def __str__(self):
        raise RuntimeError


def on_plain_text(text, context):
    raise Bad
