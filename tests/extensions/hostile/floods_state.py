"""A million keys."""


def on_plain_text(text, context):
    for number in range(1_000_000):
        context.state.put(str(number), number)
    return "ESCAPED: all kept"
