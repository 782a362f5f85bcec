"""Reading what a request carries: little, plain, and soon. After the token was looked at, never before."""

from __future__ import annotations

import asyncio

from aiohttp import web

from desktop.server.connection import Connection
from desktop.server.errors import PACKED, TOO_LARGE, TOO_SLOW, Refused

LARGEST_BYTES = 1024 * 1024
ARRIVES_S = 10.0


async def read_body(request: web.Request) -> bytes:
    """All of it. Raises Refused when it is packed, larger than `LARGEST_BYTES`, or slow to come."""
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise Refused(PACKED)
    if (request.content_length or 0) > LARGEST_BYTES:
        raise Refused(TOO_LARGE)
    try:
        async with asyncio.timeout(ARRIVES_S):
            body = await request.read()
    except TimeoutError:
        raise Refused(TOO_SLOW) from None
    connection = request.protocol
    assert isinstance(connection, Connection)
    connection.arrived()
    return body
