"""Wants pages that nobody agreed to."""

from attempts import place, succeeded


def on_plain_text(text, context):
    port = place("port")
    urls = (
        f"http://127.0.0.1:{port}/",
        f"http://localhost:{port}/",
        "https://example.com/",
        f"http://allowed.example@127.0.0.1:{port}/",
        "file:///etc/passwd",
        "http://[::1",
        "//allowed.example",
        "",
    )
    return succeeded(text, *(lambda url=url: context.fetch(url) for url in urls))
