"""A real server on a free port of this computer, and what is needed to talk to it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import httpx
import pytest

from desktop.agents.action import BadPayload, Reply
from desktop.agents.tokens import Tokens
from desktop.events import Bus
from desktop.gate.commands import Commands
from desktop.gate.judge import Consulted, ModelVerdict
from desktop.gate.shell.classifier import Classifier
from desktop.paths import Paths
from desktop.reasons import Reason
from desktop.server.server import RequestHandlers, Server
from desktop.server.sockets import Endpoint
from tests.fakes.failures import failure
from tests.shipped import command_tables

ALLOW = Reply(b'{"decision": "allow"}')
NO_OPINION = Reply()


def unreadable(cause: str) -> Reason:
    return failure(cause, "Nothing was allowed.", "Look at it.").reason


@dataclass(eq=False)
class Question:
    """A hook that waits for its answer."""

    command: str
    settled: threading.Event = field(default_factory=threading.Event)
    reply: Reply = NO_OPINION
    dropped: bool = False

    def answer(self, reply: Reply) -> None:
        self.reply = reply
        self.settled.set()


class SmallHandler:
    """A complete handler for one agent: `ls` only reads, everything else waits for `answer` or `drop`."""

    def __init__(self) -> None:
        self.held: list[Question] = []
        self.dropped: list[Question] = []
        self.given_up: list[Question] = []
        self._changed = threading.Condition()

    def knows(self, agent: str) -> bool:
        return agent in ("small", "other")

    def quick(self, agent: str, body: bytes) -> Reply | Question:
        try:
            command = json.loads(body.decode())["command"]  # as the real one: UTF-8 and nothing else
        except (ValueError, KeyError, TypeError) as error:
            raise BadPayload(unreadable("The hook could not be read.")) from error
        if command == "fail":
            raise RuntimeError("a bug in the handler")
        return ALLOW if command == "ls" else Question(command)

    def hold(self, held: Question) -> Reply:
        with self._changed:
            self.held.append(held)
            self._changed.notify_all()
        if held.command == "fail later":
            raise RuntimeError("a bug while held")
        held.settled.wait()
        return held.reply

    def unread(self, agent: str, head: bytes, why: str) -> Reply:
        raise BadPayload(unreadable(f"The hook cannot be read: {why}."))

    def turned_away(self, agent: str, body: bytes, why: str) -> Reply:
        return Reply(json.dumps({"decision": "deny", "reason": why}).encode())

    def refuse(self, held: Question, why: str) -> Reply:
        self.given_up.append(held)
        return Reply(json.dumps({"decision": "deny", "reason": why}).encode())

    def give_up(self, held: Question) -> Reply:
        self.given_up.append(held)
        return NO_OPINION

    def drop(self, held: Question) -> None:
        held.dropped = True
        held.answer(NO_OPINION)
        with self._changed:
            self.dropped.append(held)
            self._changed.notify_all()

    def wait_for(self, condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, timeout_s)

    def end(self) -> None:
        for each in tuple(self.held):
            each.settled.set()


class SmallJudge:
    """Answers as told; None: too late. The real one is tested where it is."""

    def __init__(self) -> None:
        self.opinion: ModelVerdict | None = None
        self.is_there = True
        self.timeouts_s: list[float | None] = []
        self.may_answer = threading.Event()
        self.may_answer.set()

    def consult(self, command: str, timeout_s: float | None) -> Consulted:
        self.timeouts_s.append(timeout_s)
        assert self.may_answer.wait(10)
        return Consulted(self.opinion, timed_out=self.is_there and self.opinion is None)


@dataclass
class Running:
    """A server that answers, with its parts."""

    server: Server
    handler: SmallHandler
    judge: SmallJudge
    tokens: Tokens
    token: str  # of the user, who may call by HTTP
    agent_token: str
    port: int
    paths: Paths

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def general(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens.general()}"}

    def hook(self, client: httpx.Client, command: str, **more: object) -> httpx.Response:
        return client.post("/hooks/small", json={"command": command}, headers=self.bearer, **more)


def any_port(paths: Paths) -> Endpoint:
    return Endpoint(lambda: 0, paths.hook_socket)


@pytest.fixture
def running(paths: Paths, bus: Bus) -> Iterator[Running]:
    handler, judge, tokens = SmallHandler(), SmallJudge(), Tokens(paths)
    commands = Commands(Classifier(command_tables()), judge)
    facts = {"loaded": False, "judge_asked": 3, "judge_answered": 1, "judge_timed_out": 2}
    server = Server(RequestHandlers(handler, commands, lambda: facts), tokens, any_port(paths), bus)
    agent_token = tokens.make("small")
    port = server.start()
    try:
        yield Running(server, handler, judge, tokens, tokens.general(), agent_token, port, paths)
    finally:
        server.close()
        handler.end()


@pytest.fixture
def client(running: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{running.port}", trust_env=False, timeout=10) as made:
        yield made
