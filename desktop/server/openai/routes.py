"""`/v1/…`: who may come in, whose turn it is, and the way of an answer from the model to the socket.

One answer at a time: two that share the model are each more than twice as slow, and both keep the window
waiting. So the others stand in a queue, and whoever finds it full is told to come back. Everything here is on
the server's loop, except the work of an answer, which has a held-call thread for itself.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import structlog
from aiohttp import web

from desktop.engine.engine import Engine
from desktop.errors import Cancelled
from desktop.events import Bus
from desktop.models.library import InstalledModel
from desktop.server.auth import BEARER, OF_BROWSERS, Refused, is_here
from desktop.server.connection import LARGEST_BYTES, Arrivals, Connection, read_body
from desktop.server.held_calls import HELD, HeldCalls, TooManyHeld, held
from desktop.server.openai import responses
from desktop.server.openai.answers import AnswerEnd, AnswerRequest, ModelAnswer, Piece, unknown_model
from desktop.server.openai.chat_completions import Completion, ignored, read_request, wants_usage
from desktop.server.openai.embeddings import KNOWN as EMBEDDING_FIELDS
from desktop.server.openai.embeddings import Embeddings
from desktop.server.openai.errors import (
    ApiError,
    foreign_page,
    in_words,
    own_mistake,
    problem_of,
    queue_full,
    share_full,
    stopped,
    switched_off,
    wrong_token,
)
from desktop.server.openai.fields import Fields, read_json
from desktop.server.openai.programs import ProgramAnswering, ProgramLog, ProgramTokens
from desktop.settings import Settings

log = structlog.get_logger(__name__)

MOST_WAITING = 8
MOST_OF_ONE = 3  # that wait of one program: one that asks and asks leaves places for the others
ANY_MODEL = "steward"  # whichever answers now: a program's settings outlive the choice of a model
WRITE_S = 30.0  # a program that reads nothing for so long does not keep the others waiting
# A long prompt is read for minutes without a word, and whoever waits for 30 s or 60 s and hears nothing hangs
# up. Within it a failure has a status of its own.
QUIET_S = 15.0
IGNORED_HEADER = "X-Steward-Ignored"
LONGEST_HEADER = 500
USUAL_ANSWER_S = 10.0  # until there is one to go by
ADMITTED_EVERY_S = 1.0  # how often an answer under way looks whether its program may still come in
READ_AT_ONCE_BYTES = 4096  # the fields of a longer request are read on a thread: hooks wait for the loop
LONGEST_RETRY_S = 120


@dataclass(frozen=True)
class ApiParts:
    """What the API answers with, put together by the composition root."""

    engine: Engine
    settings: Callable[[], Settings]
    tokens: ProgramTokens
    uses: ProgramLog
    bus: Bus
    embeddings: Embeddings


class Writer(Protocol):
    """Puts an answer into one of the wire forms."""

    def begin(self) -> Iterable[Mapping[str, Any]]: ...

    def waiting(self) -> Iterable[Mapping[str, Any]]: ...

    def events(self, piece: Piece) -> Iterable[Mapping[str, Any]]: ...

    def whole(self, pieces: Sequence[Piece]) -> Mapping[str, Any]: ...

    def failed(self, error: ApiError) -> Mapping[str, Any]: ...


class AnswerQueue:
    """One at a time, first come first served. Loop thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = asyncio.Lock()
        self._usual_s = USUAL_ANSWER_S
        self._of: Counter[str] = Counter()

    @property
    def waiting(self) -> int:
        """How many wait, of all programs."""
        return self._of.total()

    @asynccontextmanager
    async def turn(self, program: str) -> AsyncIterator[None]:
        """Wait for the turn and keep it while the block runs. Raises ApiError where too many wait already, of
        this program or of all."""
        # Refused at once and not after a wait: a program that is told when to come again can do something
        # else.
        if self._lock.locked() and self._of[program] >= MOST_OF_ONE:
            raise share_full(self._of[program], self._retry_after_s())
        if self._lock.locked() and self.waiting >= MOST_WAITING:
            raise queue_full(self.waiting, self._retry_after_s())
        self._of[program] += 1
        try:
            await self._lock.acquire()
        finally:
            self._of[program] -= 1
        begun = self._clock()
        try:
            yield
        finally:
            # A running mean: the latest answers count most, and one long one does not decide.
            self._usual_s += (self._clock() - begun - self._usual_s) / 4
            self._lock.release()

    def _retry_after_s(self) -> int:
        """When the queue will have moved on by one, as far as the latest answers tell."""
        return max(1, min(LONGEST_RETRY_S, round(self._usual_s)))


class PieceBox:
    """What one thread says and the loop takes: all that has come at once, for one wake of the loop.

    A wake is a write to a pipe and a pass of the loop, dearer than everything else that a piece costs.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._items: deque[Piece | Exception] = deque()
        self._ready = asyncio.Event()
        self._is_woken = False

    def put(self, item: Piece | Exception) -> None:
        """The answer's thread."""
        self._items.append(item)
        if self._is_woken:
            return
        self._is_woken = True
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:  # the server has ended; nobody listens any more
            log.info("a program's answer came after the server had ended")

    async def take(self) -> list[Piece]:
        """At least one, in order. Raises what was put in place of a piece, once all before it were taken."""
        while not self._items:
            self._ready.clear()
            await self._ready.wait()
        taken: list[Piece] = []
        while self._items:
            if isinstance(item := self._items[0], Exception):
                if taken:
                    break
                raise item
            taken.append(item)
            self._items.popleft()
        return taken

    def _wake(self) -> None:
        # Before anything is taken: what is put from here on wakes the loop again.
        self._is_woken = False
        self._ready.set()


class ApiRoutes:
    """Answers everything below `/v1/`. Loop thread."""

    def __init__(self, parts: ApiParts, calls: HeldCalls, arrivals: Arrivals) -> None:
        self._parts = parts
        self._calls = calls
        self._arrivals = arrivals
        self._queue = AnswerQueue()
        self._routes: Mapping[tuple[str, str], Callable[[ProgramRequest], Awaitable[web.StreamResponse]]] = {
            ("GET", "/v1/models"): self._models,
            ("POST", "/v1/chat/completions"): self._chat,
            ("POST", "/v1/responses"): self._respond,
            ("POST", "/v1/embeddings"): self._embed,
        }

    @property
    def waiting(self) -> int:
        """How many requests wait for their turn."""
        return self._queue.waiting

    async def answer(self, request: web.Request, port: int) -> web.StreamResponse:
        """The answer, whatever happens; errors have OpenAI's form. `port` is the one that Host must name."""
        origin = program = code = ""
        try:
            origin = self._admitted(request, port)
            # Before the token: a browser asks for leave without one.
            if request.method == "OPTIONS":
                return _preflight(origin)
            program = self._program(request)
            return await self._answered(ProgramRequest(request, program, origin))
        except Cancelled:  # from this side: whoever hangs up is not there to be told
            answer, code = problem_of(stopped()), stopped().code or ""
        except ApiError as error:
            answer, code = problem_of(error), error.code or ""
        except Refused as refused:
            answer = problem_of(in_words(refused.refusal))
        except Exception:  # the outermost edge of a request
            log.exception("a program's request failed", path=request.path)
            answer = problem_of(own_mistake())
        if program:
            self._parts.uses.refused(program, code)
        answer.headers.update(_allowing(origin))
        return answer

    # -- who may come in ----------------------------------------------------------------------

    def _admitted(self, request: web.Request, port: int) -> str:
        """The origin of an allowed page; "" for a program. Raises ApiError for everybody else."""
        hosts = request.headers.getall("Host", ())
        # A page that has its own name point here (DNS rebinding) gives itself away by that name.
        if len(hosts) != 1 or not is_here(hosts[0], port):
            raise ApiError(
                "This address is not one of this computer. Use 127.0.0.1 and the port.",
                code="wrong_host",
                status=403,
                type="permission_error",
            )
        settings = self._parts.settings().api
        origin = request.headers.get("Origin", "")
        of_page = "Origin" in request.headers or any(name in request.headers for name in OF_BROWSERS)
        if of_page and origin not in settings.origins:
            raise foreign_page()
        if not settings.enabled:
            raise switched_off()
        return origin

    def _program(self, request: web.Request) -> str:
        text = request.headers.get("Authorization", "")
        is_bearer = text[: len(BEARER)].lower() == BEARER.lower()
        program = self._parts.tokens.name_of(text[len(BEARER) :].strip()) if is_bearer else None
        if program is None:
            raise wrong_token()
        return program

    def _refuse_ended(self, asking: ProgramRequest) -> None:
        """Raise ApiError where the program may not come in any more: its token was ended, or the API switched
        off, while it waited or was being answered. Whoever ends a token wants the program to stop."""
        if not self._parts.settings().api.enabled:
            raise switched_off()
        if self._program(asking.request) != asking.program:
            raise wrong_token()

    async def _answered(self, asking: ProgramRequest) -> web.StreamResponse:
        method, path = asking.request.method, asking.request.path.rstrip("/")
        route = self._routes.get((method, path))
        if route is not None:
            return await route(asking)
        # By its beginning, since the name of a model may hold slashes.
        if method == "GET" and path.startswith("/v1/models/"):
            return self._model(asking, path.removeprefix("/v1/models/"))
        known = [known for known, at in self._routes if at == path]
        if known:
            raise ApiError(
                f"Not allowed to {method} on {path[:80]} (HINT: use {known[0]}).",
                code="method_not_supported",
                status=405,
                headers={"Allow": ", ".join(known)},
            )
        raise ApiError(f"Unknown request URL: {method} {path[:80]}.", code="unknown_url", status=404)

    # -- models -------------------------------------------------------------------------------

    async def _models(self, asking: ProgramRequest) -> web.StreamResponse:
        return asking.json({"object": "list", "data": [*self._listed().values()]})

    def _model(self, asking: ProgramRequest, name: str) -> web.StreamResponse:
        listed = self._listed()
        if name not in listed:
            raise unknown_model(name, tuple(listed))
        return asking.json(listed[name])

    def _listed(self) -> dict[str, dict[str, Any]]:
        """What may stand in `model`: the one that answers now, and the name that always does."""
        model = self._parts.engine.model
        if model is None:
            return {}
        created = int(datetime.fromisoformat(model.installed_at).timestamp())
        names = tuple(filter(None, (model.id, ANY_MODEL, self._parts.embeddings.model)))
        return {
            name: {"id": name, "object": "model", "created": created, "owned_by": "steward"} for name in names
        }

    def _answering_model(self, name: str) -> InstalledModel | None:
        """Raises ApiError where another one is asked for; without any the engine says so itself."""
        model = self._parts.engine.model
        if model is not None and name not in (model.id, model.name, ANY_MODEL):
            raise unknown_model(name, (model.id, ANY_MODEL))
        return model

    # -- answers ------------------------------------------------------------------------------

    async def _chat(self, asking: ProgramRequest) -> web.StreamResponse:
        fields = await self._read(asking)
        asked = await self._understood(asking, fields, read_request)
        streamed = fields.flag("stream")
        include_usage = wants_usage(fields)
        model = self._answering_model(asked.model)
        asking.ignored = ignored(fields)
        writer = Completion(secrets.token_hex(12), model.id if model else asked.model, include_usage)
        return await self._written(asking, asked, writer, streamed)

    async def _respond(self, asking: ProgramRequest) -> web.StreamResponse:
        fields = await self._read(asking)
        asked = await self._understood(asking, fields, responses.read_request)
        streamed = fields.flag("stream")
        model = self._answering_model(asked.model)
        asking.ignored, asking.names_events = responses.passed_over(fields), True
        writer = responses.ResponseWriter(secrets.token_hex(24), asked, model.id if model else asked.model)
        return await self._written(asking, asked, writer, streamed)

    async def _written(
        self, asking: ProgramRequest, asked: AnswerRequest, writer: Writer, streamed: bool
    ) -> web.StreamResponse:
        if streamed:
            return await self._streamed(asking, asked, writer)
        async with self._in_turn(asking, asked) as pieces:
            return asking.json(writer.whole([piece async for some in pieces for piece in some]))

    @asynccontextmanager
    async def _in_turn(
        self, asking: ProgramRequest, asked: AnswerRequest
    ) -> AsyncIterator[AsyncGenerator[list[Piece]]]:
        # Closed with the block: a client that hangs up must stop the model, or the next one waits for nobody.
        async with self._queue.turn(asking.program), aclosing(self._pieces(asking, asked)) as pieces:
            yield pieces

    async def _embed(self, asking: ProgramRequest) -> web.StreamResponse:
        fields = await self._read(asking)
        embeddings = self._parts.embeddings
        asked = embeddings.read(fields)
        asking.ignored = ignored(fields, EMBEDDING_FIELDS)
        given_up = threading.Event()
        asking.request[HELD] = True
        async with self._queue.turn(asking.program):
            self._refuse_ended(asking)
            try:
                content = await held(self._calls, lambda: embeddings.answer(asked, given_up))
            except TooManyHeld as error:
                raise queue_full(self._queue.waiting, 1) from error
            finally:
                given_up.set()
                embeddings.done()
        self._parts.uses.answered(asking.program, content["usage"]["prompt_tokens"], 0)
        return asking.json(content)

    async def _read(self, asking: ProgramRequest) -> Fields:
        connection = asking.request.protocol
        assert isinstance(connection, Connection)
        with self._arrivals.one(f"program {asking.program}", connection.end):
            return read_json(await read_body(asking.request))

    async def _understood(
        self, asking: ProgramRequest, fields: Fields, read: Callable[[Fields], AnswerRequest]
    ) -> AnswerRequest:
        """What is asked for. A long request, whose schemas take a while to become grammars, keeps no hook
        waiting."""
        if (asking.request.content_length or LARGEST_BYTES) <= READ_AT_ONCE_BYTES:
            return read(fields)
        try:
            return await held(self._calls, lambda: read(fields))
        except TooManyHeld as error:
            raise queue_full(self._queue.waiting, 1) from error

    async def _pieces(self, asking: ProgramRequest, asked: AnswerRequest) -> AsyncGenerator[list[Piece]]:
        """What the model says, as it says it. Whoever stops listening stops the model."""
        box = PieceBox(asyncio.get_running_loop())
        answer = ModelAnswer(self._parts.engine, self._parts.settings().model, asked, asking.program, box.put)

        def work() -> None:
            try:
                end = answer.run()
                self._parts.uses.answered(asking.program, end.usage.prompt_tokens, end.usage.answer_tokens)
            except Exception as error:  # handed to whoever listens
                box.put(error)

        asking.request[HELD] = True
        self._refuse_ended(asking)  # it may have waited for long
        looked_s = time.monotonic()
        self._parts.bus.publish(ProgramAnswering(asking.program))
        try:
            if not self._calls.submit(work):
                raise queue_full(self._queue.waiting, 1)
            while True:
                pieces = await box.take()
                if time.monotonic() - looked_s >= ADMITTED_EVERY_S:
                    self._refuse_ended(asking)
                    looked_s = time.monotonic()
                yield pieces
                if isinstance(pieces[-1], AnswerEnd):
                    return
        finally:
            answer.cancel()
            self._parts.bus.publish(ProgramAnswering(""))

    async def _streamed(
        self, asking: ProgramRequest, asked: AnswerRequest, writer: Writer
    ) -> web.StreamResponse:
        # The status goes out with the first word, or where that takes long: until then a failure still has
        # one of its own.
        stream = _EventStream(asking)
        waiting = asyncio.create_task(stream.keep_alive(writer))
        try:
            async with self._in_turn(asking, asked) as pieces:
                first = await anext(pieces)
                await stream.write([*writer.begin(), *(e for piece in first for e in writer.events(piece))])
                async for some in pieces:
                    await stream.write([each for piece in some for each in writer.events(piece)])
            if not asking.names_events:
                await stream.write((None,))
        except (TimeoutError, ConnectionError):
            log.info("a program does not read its answer", program=asking.program)
            _end(asking.request)
        except Exception as error:
            if not stream.is_open:
                raise
            await self._ended_badly(asking, stream, writer, error)
        finally:
            waiting.cancel()
        return stream.answer

    async def _ended_badly(
        self, asking: ProgramRequest, stream: _EventStream, writer: Writer, error: Exception
    ) -> None:
        """What went wrong goes where the words went: the status is out already, and a second answer on the
        same line would be read as part of the first."""
        if isinstance(error, Cancelled):
            log.info("a program's answer was stopped", program=asking.program)
            _end(asking.request)
            return
        if not isinstance(error, ApiError):
            log.error("a program's request failed", path=asking.request.path, exc_info=error)
        try:
            await stream.write((writer.failed(error if isinstance(error, ApiError) else own_mistake()),))
        except (TimeoutError, ConnectionError):
            _end(asking.request)


class _EventStream:
    """Server-sent events of one answer. Its head goes out with what is written first, by whom ever."""

    def __init__(self, asking: ProgramRequest) -> None:
        self.answer = asking.events()
        self._asking = asking
        self._writing = asyncio.Lock()
        self._said_at = time.monotonic()

    @property
    def is_open(self) -> bool:
        """Whether the status is out, or on its way."""
        return self.answer.prepared or self._writing.locked()

    async def write(self, events: Sequence[Mapping[str, Any] | None]) -> None:
        """In one write; None is the last event of all. Raises TimeoutError where nobody reads."""
        await self._send(self._lines(events))

    async def keep_alive(self, writer: Writer) -> None:
        """Wherever nothing was said for long, what the form has for that; else a comment, which every reader
        of events passes over."""
        try:
            while True:
                left_s = self._said_at + QUIET_S - time.monotonic()
                if left_s > 0:
                    await asyncio.sleep(left_s)
                else:
                    await self._send(self._lines(writer.waiting()) or ": still at it\n\n")
        except (TimeoutError, ConnectionError):
            log.info("a program does not wait for its answer", program=self._asking.program)
            _end(self._asking.request)

    def _lines(self, events: Iterable[Mapping[str, Any] | None]) -> str:
        return "".join(_line(event, self._asking.names_events) for event in events)

    async def _send(self, text: str) -> None:
        async with self._writing, asyncio.timeout(WRITE_S):
            if not self.answer.prepared:
                await self.answer.prepare(self._asking.request)
            await self.answer.write(text.encode())
        self._said_at = time.monotonic()


@dataclass
class ProgramRequest:
    """One request of a program, and how it is answered."""

    request: web.Request
    program: str
    origin: str
    ignored: tuple[str, ...] = ()
    # Each event has its name in a line of its own, and none says that it is the last.
    names_events: bool = False

    def json(self, content: Mapping[str, Any]) -> web.Response:
        body = json.dumps(content, ensure_ascii=False).encode()
        return web.Response(body=body, content_type="application/json", headers=self._headers())

    def events(self) -> web.StreamResponse:
        """Server-sent events, to be prepared and written."""
        plain = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
        return web.StreamResponse(headers={**plain, **self._headers()})

    def _headers(self) -> dict[str, str]:
        found = {"X-Request-Id": f"req_{secrets.token_hex(12)}", **_allowing(self.origin)}
        # A name is a stranger's text: what could end a header is left out of it.
        names = ", ".join(name for name in self.ignored if name.isascii() and name.isprintable())
        if names:
            found[IGNORED_HEADER] = names[:LONGEST_HEADER]
        return found


def _line(content: Mapping[str, Any] | None, is_named: bool) -> str:
    if content is None:
        return "data: [DONE]\n\n"
    name = f"event: {content['type']}\n" if is_named else ""
    return f"{name}data: {json.dumps(content, ensure_ascii=False)}\n\n"


def _end(request: web.Request) -> None:
    """Break the connection off: a stream that just ended would read as an answer that is whole."""
    connection = request.protocol
    assert isinstance(connection, Connection)
    connection.end()


def _allowing(origin: str) -> dict[str, str]:
    """What lets the page of an allowed origin read the answer; nothing for programs."""
    return {"Access-Control-Allow-Origin": origin, "Vary": "Origin"} if origin else {}


def _preflight(origin: str) -> web.Response:
    return web.Response(
        status=204,
        headers={
            **_allowing(origin),
            "Access-Control-Allow-Methods": "GET, POST",
            "Access-Control-Allow-Headers": "*, Authorization",
            "Access-Control-Max-Age": "600",
        },
    )
