"""The server: its thread, its loop, in which order they begin and end, and `POST /api/classify`."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import psutil
import structlog
from aiohttp import web
from aiohttp.typedefs import Middleware
from pydantic import ValidationError
from pydantic_core import from_json

from desktop import __version__
from desktop.agents.events import HookDecided
from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.gate.verdict import Verdict
from desktop.server.auth import (
    BUG,
    BUSY,
    Authenticator,
    Refusal,
    Refused,
    of_library,
    problem,
    refused_origin,
)
from desktop.server.connection import (
    LARGEST_BYTES,
    Arrivals,
    Connection,
    FileListener,
    OpenConnections,
    ProtocolSwitch,
    read_body,
)
from desktop.server.held_calls import HELD, HeldCalls, TooManyHeld, held
from desktop.server.hooks import HookLine, HookLineParts, HookRoute
from desktop.server.metrics import CONTENT_TYPE, MetricReading, Metrics, labels
from desktop.server.openapi import (
    CLASS_NAMES,
    FOUR_WORDS,
    LONGEST_TIMEOUT_MS,
    Answered,
    Classified,
    ClassifiedMany,
    ClassifyMany,
    ClassifyOne,
    CommandLine,
    Health,
    JudgeOpinion,
    description,
)
from desktop.server.reasons import ServerReason
from desktop.server.sockets import Endpoint, ListenSockets, PortChanged, listen, listen_if_free

if TYPE_CHECKING:
    from desktop.agents.hook_handler import AgentHandler
    from desktop.agents.tokens import Tokens
    from desktop.gate.commands import Commands, Judged
    from desktop.server.mcp import AgentServices, McpRoute
    from desktop.server.openai.routes import ApiRoutes


log = structlog.get_logger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

API = "/v1/"


@dataclass(frozen=True)
class RequestHandlers:
    """Who answers what comes in. `facts` may hold what `FACTS` names; `api` makes the routes for programs,
    with the first request to them: what they need is not loaded before. `tools` are what agents may have
    done, and `offers_tools` says whether they may.
    """

    handler: AgentHandler
    commands: Commands
    facts: Callable[[], Mapping[str, Any]]
    api: Callable[[HeldCalls, Arrivals], ApiRoutes] | None = None
    tools: AgentServices | None = None
    offers_tools: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class RouteServices:
    """What the routes answer with. `port` and `url` are where this server listens."""

    hooks: HookRoute
    classify: ClassifyRoute
    metrics: Metrics
    figures: Callable[[], str]
    authenticator: Authenticator
    port: int
    url: str
    api: Callable[[], ApiRoutes] | None = None
    mcp: Callable[[], McpRoute] | None = None


def application(rooms: RouteServices) -> web.Application:
    """The routes behind their guards; to be served on the loop that it is set up on."""
    made = web.Application(client_max_size=LARGEST_BYTES, middlewares=[_guards(rooms)])
    router = made.router
    router.add_post("/api/classify", _for_user(rooms, rooms.classify.answer))
    router.add_post("/hooks/{agent}", rooms.hooks.answer)
    if rooms.mcp is not None:
        router.add_post("/mcp", _for_agents(rooms.mcp))
    router.add_get("/health", _health)
    router.add_get("/metrics", _for_user(rooms, _metrics(rooms)))
    router.add_get("/openapi.json", _description(rooms))
    return made


def _guards(rooms: RouteServices) -> Middleware:
    """Host and browser before any route; figures and the form of errors after it."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        started_s = time.perf_counter()
        connection = request.protocol
        assert isinstance(connection, Connection)
        connection.began()
        try:
            answer = await _answer(request, handler, rooms)
        finally:
            connection.ended()
        seconds = time.perf_counter() - started_s
        rooms.metrics.answered(_route(request), answer.status, seconds, request.get(HELD, False))
        return answer

    return guard


async def _answer(request: web.Request, handler: Handler, rooms: RouteServices) -> web.StreamResponse:
    try:
        # Programs are told in a form of their own, and some pages may come in there.
        if rooms.api is not None and request.path.startswith(API):
            return await rooms.api().answer(request, rooms.port)
        if (refusal := refused_origin(request.headers, rooms.port)) is not None:
            return problem(refusal)
        return await handler(request)
    except Refused as error:
        return problem(error.refusal)
    except web.HTTPException as error:
        return of_library(error)
    except Exception:  # the outermost edge of a request
        log.exception("a request failed", path=request.path)
        return problem(BUG)


def unread(first_line: bytes, refusal: Refusal) -> web.Response:
    """What cannot be read as a request, in the form of where it was going."""
    if f" {API}".encode() not in first_line:
        return problem(refusal)
    from desktop.server.openai.errors import refused_unread  # most runs have no request to it

    return refused_unread(refusal)


def _for_user(rooms: RouteServices, handler: Handler) -> Handler:
    async def guarded(request: web.Request) -> web.StreamResponse:
        refusal = rooms.authenticator.for_user(request.headers)
        return problem(refusal) if refusal is not None else await handler(request)

    return guarded


def _for_agents(mcp: Callable[[], McpRoute]) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        return await mcp().answer(request)

    return answer


async def _health(_request: web.Request) -> web.Response:
    return as_json(Health(version=__version__, pid=os.getpid()))


def _metrics(rooms: RouteServices) -> Handler:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=rooms.figures().encode(), headers={"Content-Type": CONTENT_TYPE})

    return answer


def _description(rooms: RouteServices) -> Handler:
    # Made once: it takes longer than the answer, and is the same for everybody.
    document = description(rooms.url)

    async def answer(_request: web.Request) -> web.Response:
        return web.json_response(document)

    return answer


def _route(request: web.Request) -> str:
    """The route's pattern, so that figures have as many labels as there are routes."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "none"


# How long a thread that computes in Python may keep the interpreter from the loop; Python's own 5 ms, paid at
# each of the few times that a hook waits for it, made the slowest of a hundred hooks wait for 80 ms, not 30.
SWITCH_S = 0.001
PORT_EVERY_S = 5.0  # how often a port that another program has is tried again


# Together they are what `close` may take: answers go out, connections end, held calls end.
LAST_ANSWERS_S = 0.5
LAST_CALLS_S = 0.5
THREAD_ENDS_S = 1.5


class Server:
    """Answers on this computer alone. `start` and `close` on any thread but its own; it is started once."""

    def __init__(self, answering: RequestHandlers, tokens: Tokens, endpoint: Endpoint, bus: Bus) -> None:
        self._answering = answering
        self._tokens = tokens
        self._endpoint = endpoint
        self._bus = bus
        self._metrics = Metrics()
        self._calls = HeldCalls()
        self._crowd = OpenConnections()
        self._authenticator = Authenticator(tokens)
        arrivals = self._arrivals = Arrivals()
        self._hooks = HookRoute(answering.handler, self._authenticator, self._calls, arrivals)
        self._proven = HookLineParts(tokens, self._hooks, self._metrics, self._figures, arrivals, self._crowd)
        self._classify = ClassifyRoute(answering.commands, self._calls, self._metrics)
        self._life = threading.Lock()  # who starts and who closes it may be two threads
        self._closed = False
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending = asyncio.Event()
        self._unsubscribe: Callable[[], None] = lambda: None
        self._started_s = 0.0
        self._switch_s = sys.getswitchinterval()
        self.address: str | None = None  # while it has its port, such as http://127.0.0.1:47615
        self.port_refusal: UserFacing | None = None  # why it has no port

    def start(self) -> int:
        """Listen, and return the port.

        Where another program has the port and hooks can come by the socket file, it answers there, keeps the
        error as `port_refusal`, publishes it and tries the port again now and then. Raises UserFacing, after
        which it may be tried again: `port-taken`, which names what answers there, or `runtime-refused`.
        Raises Cancelled after `close`.
        """
        with self._life:
            if self._closed:
                raise Cancelled
            # Listening before it is published: whoever reads the address finds somebody there.
            listening = listen(self._endpoint.port(), self._endpoint.file)
            url = f"http://127.0.0.1:{listening.port}"
            address = url if listening.ports else ""
            try:
                self._tokens.publish(address, str(listening.path or ""))
            except OSError as error:
                listening.close()
                raise _unpublished(error) from error
            try:
                self._begin(listening, url)
            except BaseException:
                self._end()
                raise
            self.address = address or None
            self.port_refusal = listening.refusal
        log.info("the server answers", address=address, socket=str(listening.path or ""))
        if listening.refusal is not None:
            self._bus.publish(PortChanged(listening.refusal))
        return listening.port

    def close(self) -> None:
        """Withdraw held questions, which answers them with no opinion, and end all threads. Two seconds."""
        with self._life:
            self._closed = True
            self._end()

    def _begin(self, listening: ListenSockets, address: str) -> None:
        self._started_s = time.monotonic()
        self._switch_s = sys.getswitchinterval()
        # Only while hooks may come: shorter turns cost all threads of the program something.
        sys.setswitchinterval(min(SWITCH_S, self._switch_s))
        self._unsubscribe = self._bus.subscribe(HookDecided, self._on_hook_decided)
        self._calls.start()
        ready: Future[None] = Future()
        self._thread = threading.Thread(
            target=self._live, args=(listening, address, ready), name="server", daemon=True
        )
        self._thread.start()
        ready.result()

    def _end(self) -> None:
        self.address = self.port_refusal = None
        thread, self._thread = self._thread, None
        if thread is None:
            return
        # First: whoever looks from now on finds no address that is about to go.
        self._tokens.withdraw()
        self._tell_to_end()
        thread.join(THREAD_ENDS_S)
        if thread.is_alive():
            # Left behind as a daemon thread, which does not keep the program from ending.
            log.error("the server did not end in time")
        self._calls.close(LAST_CALLS_S)
        sys.setswitchinterval(self._switch_s)
        self._unsubscribe()

    def _tell_to_end(self) -> None:
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._ending.set)
        except RuntimeError:  # a mistake has ended the loop before, which the log tells
            log.warning("the server had ended already")

    def _live(self, listening: ListenSockets, address: str, ready: Future[None]) -> None:
        try:
            with asyncio.Runner(loop_factory=_new_loop) as runner:
                runner.run(self._serve(listening, address, ready))
        except Exception as error:  # the outermost edge of this thread
            log.exception("the server ended by a mistake")
            if not ready.done():
                ready.set_exception(error)
        finally:
            listening.close()

    async def _serve(self, listening: ListenSockets, address: str, ready: Future[None]) -> None:
        loop = self._loop = asyncio.get_running_loop()
        rooms = RouteServices(
            self._hooks,
            self._classify,
            self._metrics,
            self._figures,
            self._authenticator,
            listening.port,
            address,
            (lambda: self._api) if self._answering.api is not None else None,
            (lambda: self._mcp) if self._answering.tools is not None else None,
        )
        runner = web.AppRunner(
            # A client that hangs up ends its handler, and with it the question; aiohttp's own way is to let
            # it run on.
            application(rooms),
            handler_cancellation=True,
            shutdown_timeout=LAST_ANSWERS_S,
            access_log=None,
        )
        await runner.setup()
        http = runner.server
        assert http is not None

        def connect() -> ProtocolSwitch:
            return ProtocolSwitch(
                self._crowd,
                lambda: HookLine(self._proven),
                lambda: Connection(http, self._crowd, loop, unread),
            )

        servers: list[asyncio.Server | FileListener] = [
            await loop.create_server(connect, sock=each) for each in listening.ports
        ]
        if listening.file is not None:
            servers.append(FileListener(listening.file, connect))
        ready.set_result(None)
        # Hooks come by the file meanwhile; the port follows as soon as it is free.
        if not listening.ports:
            servers += await self._port_when_free(listening, connect)
        await self._ending.wait()
        # In this order: nobody new, then the questions, then the answers, then the connections.
        for server in servers:
            server.close()
        self._hooks.close()
        if self._proven.tasks:
            await asyncio.wait(self._proven.tasks, timeout=LAST_ANSWERS_S)
        await runner.cleanup()
        self._crowd.end()
        await asyncio.sleep(0)  # what is closed has its last words sent

    async def _port_when_free(
        self, listening: ListenSockets, connect: Callable[[], ProtocolSwitch]
    ) -> list[asyncio.Server]:
        """Servers on the port, as soon as the program that has it ends; none where this one ends before."""
        loop = asyncio.get_running_loop()
        while not await self._ends_within(PORT_EVERY_S):
            ports = listen_if_free(listening.port)
            if not ports:
                continue
            url = f"http://127.0.0.1:{listening.port}"
            try:
                self._tokens.publish(url, str(listening.path or ""))
            except OSError as error:  # hooks come by the file all the same
                log.warning("the address could not be published", error=str(error))
            self.address, self.port_refusal = url, None
            log.info("the server has its port", address=url)
            self._bus.publish(PortChanged(None))
            return [await loop.create_server(connect, sock=each) for each in ports]
        return []

    async def _ends_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._ending.wait(), seconds)
        except TimeoutError:
            return False
        return True

    @cached_property
    def _api(self) -> ApiRoutes:
        assert self._answering.api is not None
        return self._answering.api(self._calls, self._arrivals)

    @cached_property
    def _mcp(self) -> McpRoute:
        from desktop.server.mcp import McpRoute

        answering = self._answering
        assert answering.tools is not None
        return McpRoute(
            answering.tools, answering.offers_tools, self._authenticator, self._calls, self._arrivals
        )

    # -- figures ------------------------------------------------------------------------------

    def _on_hook_decided(self, event: HookDecided) -> None:
        self._metrics.hook(event.agent, event.classed, event.tier, event.choice, event.by)

    def _figures(self) -> str:
        return self._metrics.text(self._readings())

    def _readings(self) -> Iterator[MetricReading]:
        up_s = time.monotonic() - self._started_s
        memory = psutil.Process().memory_info().rss
        yield MetricReading("steward_info", "gauge", "The version.", 1, labels(version=__version__))
        yield MetricReading("steward_uptime_seconds", "gauge", "Since the server started.", up_s)
        yield MetricReading("steward_held_calls", "gauge", "Calls that wait now.", self._calls.count)
        yield MetricReading("steward_connections", "gauge", "Open connections.", len(self._crowd))
        yield MetricReading("process_resident_memory_bytes", "gauge", "Memory of the whole program.", memory)
        facts = self._answering.facts()
        for name, (key, kind, help_text) in FACTS.items():
            if key in facts:
                yield MetricReading(name, kind, help_text, float(facts[key]))


FACTS = {
    "steward_model_loaded": ("loaded", "gauge", "Whether a model is in memory."),
    "steward_judge_asked_total": ("judge_asked", "counter", "Questions to the judge."),
    "steward_judge_answered_total": ("judge_answered", "counter", "Opinions of the judge."),
    "steward_judge_timed_out_total": (
        "judge_timed_out",
        "counter",
        "Questions it did not answer in time.",
    ),
    "steward_memory_blocks_total": ("memory_assembled", "counter", "Blocks of memory put together."),
    "steward_memory_assembly_p95_seconds": (
        "memory_assembly_p95_s",
        "gauge",
        "Putting a block together, of the latest 256.",
    ),
    "steward_memory_budget_use": ("memory_budget_use", "gauge", "Tokens of a block over its budget, mean."),
    "steward_memory_events_total": ("memory_captured", "counter", "Events that were written."),
    "steward_memory_events_waiting": ("memory_waiting", "gauge", "Events that wait to be written."),
    "steward_memory_overflow_total": ("memory_dropped", "counter", "Events that found the queue full."),
    "steward_memory_failed_total": ("memory_failed", "counter", "Events that the disk refused."),
    "steward_memory_capture_p99_seconds": (
        "memory_capture_p99_s",
        "gauge",
        "What capture took its callers, of the latest 1024.",
    ),
    "steward_memory_hindsight_p95_seconds": (
        "memory_hindsight_p95_s",
        "gauge",
        "Looking a failure up, of the latest 256.",
    ),
}


def _new_loop() -> asyncio.AbstractEventLoop:
    """The system's own, whatever the window's loop is."""
    if sys.platform == "win32":
        return asyncio.ProactorEventLoop()
    return asyncio.SelectorEventLoop()


def _unpublished(error: OSError) -> UserFacing:
    return UserFacing(ServerReason.RUNTIME_REFUSED.of(error=error.strerror or str(error)))


# -- POST /api/classify ------------------------------------------------------------------------

# What a command line would do. It allows nothing; it only says.

MOST_AT_ONCE = 8  # requests that wait; hooks must find threads too
NO_OPINION = "; no model gave an opinion within the time-out of {} ms"
NO_JUDGE = "; the judge was not asked, since the batch took too long"
BREATH_S = 0.0001  # between the lines of a batch: hooks that came meanwhile get the interpreter
LONGEST_BATCH_S = 30.0  # of waiting for the judge; later lines go without it


class ClassifyRoute:
    """Answers the route. Loop thread; what may wait, and a batch, goes to a held-call thread."""

    def __init__(self, commands: Commands, calls: HeldCalls, metrics: Metrics) -> None:
        self._commands = commands
        self._calls = calls
        self._metrics = metrics
        self._waiting = 0

    async def answer(self, request: web.Request) -> web.Response:
        try:
            asked = read(await read_body(request))
        except NotUnderstood as error:
            return problem(Refusal(400, str(error), "See /openapi.json for the form of a request."))
        batch = _Batch(asked)
        if isinstance(asked, ClassifyOne):
            verdict = self._commands.verdict(asked.command, asked.shell, asked.cwd)
            if not verdict.unknown_program:  # nothing is left to ask the judge about
                return as_json(self._counted(classified(asked.command, verdict)))
            batch.tier = verdict.tier
        # Hooks of agents wait on the same threads and go first.
        if self._waiting >= MOST_AT_ONCE:
            return problem(BUSY)
        return await self._waited(request, batch)

    async def _waited(self, request: web.Request, batch: _Batch) -> web.Response:
        request[HELD] = True
        self._waiting += 1
        try:
            return _json(await held(self._calls, lambda: written(self._all(batch))))
        except TooManyHeld:
            return problem(BUSY)
        finally:
            self._waiting -= 1
            batch.gone = True

    def _all(self, batch: _Batch) -> Classified | ClassifiedMany:
        started_s = time.perf_counter()
        results = []
        for line in batch.lines():
            results.append(self._judged(line, batch))
            # Classifying holds the interpreter; a hook that came meanwhile must not wait for the batch.
            time.sleep(BREATH_S)
        if batch.is_one:
            return results[0]
        return ClassifiedMany(results=results, ms=round((time.perf_counter() - started_s) * 1000, 3))

    def _judged(self, line: CommandLine, batch: _Batch) -> Classified:
        if batch.judge_is_late():
            verdict = self._commands.verdict(line.command, line.shell, line.cwd)
            note = NO_JUDGE if verdict.unknown_program else ""
            return self._counted(classified(line.command, verdict, note))
        judged = self._commands.judged(line.command, line.shell, line.cwd, batch.timeout_ms)
        found = with_opinion(line.command, judged, batch.timeout_ms)
        return self._counted(found.model_copy(update={"tier": max(found.tier, batch.tier)}))

    def _counted(self, found: Classified) -> Classified:
        self._metrics.verdict("api", found.class_name, found.tier, found.ms / 1000)
        return found


class _Batch:
    """One request's command lines; `gone` is set when nobody waits for the rest any more."""

    def __init__(self, asked: ClassifyOne | ClassifyMany) -> None:
        self._asked = asked
        self._started_s = time.monotonic()
        self.is_one = isinstance(asked, ClassifyOne)
        wanted_ms = asked.inference_timeout_ms
        self.timeout_ms = None if wanted_ms is None else min(wanted_ms, LONGEST_TIMEOUT_MS)
        self.tier = 0  # at which a single line was found out before, and is remembered now
        self.gone = False

    def lines(self) -> Iterator[CommandLine]:
        commands = [self._asked] if isinstance(self._asked, ClassifyOne) else self._asked.commands
        for each in commands:
            if self.gone:
                return
            yield CommandLine(command=each) if isinstance(each, str) else each

    def judge_is_late(self) -> bool:
        return time.monotonic() - self._started_s > LONGEST_BATCH_S


def read(body: bytes) -> ClassifyOne | ClassifyMany:
    """The request; whatever Content-Type says. Raises NotUnderstood."""
    try:
        content = from_json(body)
        is_batch = isinstance(content, dict) and "commands" in content
        return ClassifyMany.model_validate(content) if is_batch else ClassifyOne.model_validate(content)
    except ValidationError as error:
        raise NotUnderstood(_in_words(error)) from error
    except ValueError as error:
        raise NotUnderstood(f"This is not JSON: {error}.") from error


class NotUnderstood(Exception):
    """A request that is not in the form of this route; the reason in a sentence."""


def _in_words(error: ValidationError) -> str:
    # Without the input: the command that was sent need not come back in an error.
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"] if part not in ("CommandLine", "str"))
    return f"{place or 'the request'}: {first['msg']}."


def classified(
    command: str, verdict: Verdict, note: str = "", judge: JudgeOpinion | None = None
) -> Classified:
    """The wire form of a verdict."""
    return Classified(
        command=command,
        classification=FOUR_WORDS[verdict.effect],
        class_name=CLASS_NAMES[verdict.effect],
        flags=sorted(verdict.flags, key=lambda flag: flag.value),
        gate=verdict.gate,
        reason=f"{verdict.reason}{note}",
        span=verdict.span,
        tier=verdict.tier,
        ms=round(verdict.ms, 3),
        judge=judge,
    )


def with_opinion(command: str, judged: Judged, timeout_ms: int | None) -> Classified:
    """The wire form of what the judge was asked about, too. Whoever set a time-out hears what came of it."""
    opinion = judged.opinion
    if opinion is None:
        silent = timeout_ms and judged.verdict.unknown_program and not judged.judge_timed_out
        return classified(command, judged.verdict, NO_OPINION.format(timeout_ms) if silent else "")
    told = JudgeOpinion(
        class_name=CLASS_NAMES[opinion.effect],
        probability=opinion.probability,
        model=opinion.model,
        ms=round(opinion.ms, 3),
    )
    return classified(command, judged.verdict, f"; {opinion.in_words()}", told)


def as_json(found: Answered) -> web.Response:
    """The answer that holds `found`."""
    return _json(written(found))


def written(found: Answered) -> bytes:
    return found.model_dump_json(by_alias=True, exclude_none=True).encode()


def _json(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/json")
