"""Wants out, by every kind of socket."""

import socket

from attempts import place, succeeded


def on_plain_text(text, context):
    port = int(place("port"))
    kinds = (
        (socket.AF_INET, socket.SOCK_STREAM),
        (socket.AF_INET, socket.SOCK_DGRAM),
        (socket.AF_INET6, socket.SOCK_STREAM),
        (socket.AF_UNIX, socket.SOCK_STREAM),
        (socket.AF_UNIX, socket.SOCK_DGRAM),
        (socket.AF_NETLINK, socket.SOCK_RAW),
    )
    return succeeded(
        text,
        lambda: socket.create_connection(("127.0.0.1", port), timeout=1),
        lambda: socket.getaddrinfo("localhost", port),
        lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
        *(lambda kind=kind: socket.socket(*kind) for kind in kinds),
    )
