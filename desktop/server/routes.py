"""The routes and what every request passes first. No route approves, lists grants or changes settings."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from aiohttp import web
from aiohttp.typedefs import Middleware

from desktop import __version__
from desktop.server.body import LARGEST_BYTES
from desktop.server.classifying import ClassifyRoute, as_json
from desktop.server.connection import Connection
from desktop.server.doors import Doorkeeper, visitor
from desktop.server.errors import BUG, Refused, of_library, problem
from desktop.server.forms import Health
from desktop.server.hooks import HookRoute
from desktop.server.metrics import CONTENT_TYPE, Metrics
from desktop.server.openapi import description
from desktop.server.waiting import HELD

log = structlog.get_logger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Rooms:
    """What the routes answer with. `port` and `url` are where this server listens."""

    hooks: HookRoute
    classify: ClassifyRoute
    metrics: Metrics
    figures: Callable[[], str]
    doors: Doorkeeper
    port: int
    url: str


def application(rooms: Rooms) -> web.Application:
    """The routes behind their guards; to be served on the loop that it is set up on."""
    made = web.Application(client_max_size=LARGEST_BYTES, middlewares=[_guards(rooms)])
    router = made.router
    router.add_post("/api/classify", _for_user(rooms, rooms.classify.answer))
    router.add_post("/hooks/{agent}", rooms.hooks.answer)
    router.add_get("/health", _health)
    router.add_get("/metrics", _for_user(rooms, _metrics(rooms)))
    router.add_get("/openapi.json", _description(rooms))
    return made


def _guards(rooms: Rooms) -> Middleware:
    """Host and browser before any route; figures and the form of errors after it."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        started_s = time.perf_counter()
        connection = request.protocol
        assert isinstance(connection, Connection)
        connection.began()
        try:
            answer = await _answer(request, handler, rooms.port)
        finally:
            connection.ended()
        seconds = time.perf_counter() - started_s
        rooms.metrics.answered(_route(request), answer.status, seconds, request.get(HELD, False))
        return answer

    return guard


async def _answer(request: web.Request, handler: Handler, port: int) -> web.StreamResponse:
    try:
        if (refusal := visitor(request.headers, port)) is not None:
            return problem(refusal)
        return await handler(request)
    except Refused as error:
        return problem(error.refusal)
    except web.HTTPException as error:
        return of_library(error)
    except Exception:  # the outermost edge of a request
        log.exception("a request failed", path=request.path)
        return problem(BUG)


def _for_user(rooms: Rooms, handler: Handler) -> Handler:
    async def guarded(request: web.Request) -> web.StreamResponse:
        refusal = rooms.doors.for_user(request.headers)
        return problem(refusal) if refusal is not None else await handler(request)

    return guarded


async def _health(_request: web.Request) -> web.Response:
    return as_json(Health(version=__version__, pid=os.getpid()))


def _metrics(rooms: Rooms) -> Handler:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=rooms.figures().encode(), headers={"Content-Type": CONTENT_TYPE})

    return answer


def _description(rooms: Rooms) -> Handler:
    document = description(rooms.url)

    async def answer(_request: web.Request) -> web.Response:
        return web.json_response(document)

    return answer


def _route(request: web.Request) -> str:
    """The route's pattern, so that figures have as many labels as there are routes."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "none"
