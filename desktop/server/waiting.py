"""From the loop to a thread that may wait, and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import structlog
from aiohttp import web

from desktop.server.held_calls import HeldCalls

log = structlog.get_logger(__name__)

T = TypeVar("T")

HELD = web.RequestKey("held", bool)  # this request waited for the judge or for a person


class TooManyHeld(Exception):
    """No thread is left for another call that waits."""


async def held(calls: HeldCalls, work: Callable[[], T]) -> T:
    """Run `work` on a held-call thread and return what it returns. Raises TooManyHeld.

    Cancelled when the connection goes; `work` then goes on, and its result is dropped.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: Exception | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type] # without an error there is a result

    def run() -> None:
        result, failed = None, None
        try:
            result = work()
        except Exception as error:  # handed to whoever awaits
            failed = error
        try:
            loop.call_soon_threadsafe(settle, result, failed)
        except RuntimeError:  # the loop has ended; nobody waits any more
            log.info("a held call ended after the server")

    if not calls.submit(run):
        raise TooManyHeld
    return await answer
