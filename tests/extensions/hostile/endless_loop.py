"""Never comes back."""


def on_plain_text(text, context):
    while True:
        pass
