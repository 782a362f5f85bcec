"""Wants to leave something behind."""

import os

from attempts import place, succeeded


def on_plain_text(text, context):
    secret = place("secret")
    folder = os.path.dirname(secret)
    own = os.path.dirname(__file__)
    return succeeded(
        text,
        lambda: open(secret, "w").write("ESCAPED"),
        lambda: open(os.path.join(folder, "new"), "w"),
        lambda: open("/tmp/steward-escaped", "w"),
        lambda: open(os.path.join(own, "extension.py"), "a").write("#"),
        lambda: open("/dev/shm/steward-escaped", "w"),
        lambda: os.mkdir(os.path.join(folder, "made")),
        lambda: os.remove(secret),
        lambda: os.rename(secret, secret + "2"),
        lambda: os.symlink(secret, os.path.join(own, "link")),
        lambda: os.link(secret, os.path.join(own, "link")),
        lambda: os.chmod(secret, 0o777),
        lambda: os.utime(secret, (0, 0)),
        lambda: os.truncate(secret, 0),
        lambda: os.mkfifo(os.path.join(folder, "fifo")),
    )
