"""Asks for what nobody offers."""

from attempts import succeeded


def on_plain_text(text, context):
    channel = context._channel
    wishes = ("", "state", "state.drop", "fetch.all", "shared.get", "read", "exec", "state.get.key", "../x")
    return succeeded(
        text,
        *(lambda wish=wish: channel.ask(wish, key="a", url="file:///etc/passwd") for wish in wishes),
        lambda: channel.ask("state.put", key="a", value="no json"),
        lambda: channel.ask("state.put", key="a", value="[" * 100_000),
        lambda: channel.ask("state.get", key={"a": 1}),
    )
