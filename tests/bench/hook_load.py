"""Agents that send hooks, for `dev.py bench hook`: a process of its own, which imports nothing of Steward.

    python hook_load.py PORT TOKEN --agents N --rate HOOKS_PER_SECOND --seconds S [--held N]

Each agent has one connection, kept alive, and sends one hook after the other at its share of the rate. With
--held so many more connections each send a hook that asks, and stay. One JSON object on stdout: how long each
answer took, from sending to its last byte and from the moment at which it was due. One thread over plain
sockets, so that what is measured is the server and not its client.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import selectors
import socket
import sys
import time
from dataclasses import dataclass, field

PATIENCE_S = 30.0
READS = (
    "git status",
    "git log --oneline -n {n}",
    "ls -la src/part-{n} | head -{n}",
    "rg -n 'TODO {n}' --type py | sort | uniq -c",
    "cat src/module_{n}.py",
    "python --version && git diff --stat HEAD~{n}",
    "find . -name '*_{n}.py' -newer setup.py",
    "jq '.items[{n}].name' package.json",
)


@dataclass
class Seen:
    """What came back."""

    answer_ms: list[float] = field(default_factory=list)
    due_ms: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    lost: int = 0


def hook(token: str, command: str) -> bytes:
    body = json.dumps(
        {
            "session_id": "bench",
            "cwd": "/",
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command, "description": "What the agent says that it does"},
            "tool_use_id": f"toolu_{random.getrandbits(64):x}",
        }
    ).encode()
    head = (
        "POST /hooks/claude-code HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nAuthorization: Bearer {token}\r\n\r\n"
    )
    return head.encode() + body


class Agent:
    """One connection, on which a hook is on its way or the next one waits until it is due."""

    def __init__(self, port: int, token: str, every_s: float, seen: Seen) -> None:
        self._port, self._token, self._every_s, self._seen = port, token, every_s, seen
        self.line = connected(port)
        self.due_s = time.perf_counter() + random.random() * every_s
        self.sent_s: float | None = None
        self._answer = b""
        self._next = self._prepared()

    def send(self) -> None:
        self._answer, self.sent_s = b"", time.perf_counter()
        self.line.sendall(self._next)

    def receive(self) -> None:
        """What has come; and when that is all of it, the next hook is made ready."""
        assert self.sent_s is not None
        self._answer += self.line.recv(65_536)
        now_s = time.perf_counter()
        head, end, body = self._answer.partition(b"\r\n\r\n")
        if not end or len(body) < length(head):
            return
        self._seen.answer_ms.append((now_s - self.sent_s) * 1000)
        self._seen.due_ms.append((now_s - self.due_s) * 1000)
        if b" 200 " not in head[:20] or b'"allow"' not in body:
            self._seen.wrong.append((head[:40] + b" " + body)[:200].decode("utf-8", "replace"))
        self._rest()

    def give_up(self) -> None:
        """The answer did not come, or the line ended: the hook is lost."""
        self._seen.lost += 1
        self.line.close()
        self.line = connected(self._port)
        self._rest()

    def _rest(self) -> None:
        self.sent_s = None
        self.due_s += self._every_s
        self._next = self._prepared()

    def _prepared(self) -> bytes:
        return hook(self._token, random.choice(READS).format(n=random.randrange(1000)))


def connected(port: int) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


def length(head: bytes) -> int:
    lines = (line.partition(b":") for line in head.split(b"\r\n"))
    return next((int(value) for name, _, value in lines if name.lower() == b"content-length"), 0)


def work(agents: list[Agent], seconds: float) -> None:
    """Send what is due and take what comes, until the time is over and everything is answered."""
    ends_s = time.perf_counter() + seconds
    with selectors.DefaultSelector() as waiting:
        while True:
            now_s = time.perf_counter()
            resting = [each for each in agents if each.sent_s is None]
            if now_s >= ends_s and len(resting) == len(agents):
                return
            if now_s < ends_s:
                for each in resting:
                    if each.due_s <= now_s:
                        each.send()
                        waiting.register(each.line, selectors.EVENT_READ, each)
            next_s = min((each.due_s for each in agents if each.sent_s is None), default=now_s + 1)
            for key, _ in waiting.select(max(0.0, min(next_s, ends_s) - time.perf_counter())):
                take(key.data, waiting)
            for each in agents:
                if each.sent_s is not None and time.perf_counter() - each.sent_s > PATIENCE_S:
                    waiting.unregister(each.line)
                    each.give_up()


def take(each: Agent, waiting: selectors.BaseSelector) -> None:
    line = each.line
    try:
        each.receive()
    except OSError:
        waiting.unregister(line)
        each.give_up()
    else:
        if each.sent_s is None:
            waiting.unregister(line)


def ask(port: int, token: str, number: int) -> socket.socket:
    line = connected(port)
    line.sendall(hook(token, f"rm -rf build/{number}"))
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("token")
    parser.add_argument("--agents", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--held", type=int, default=0)
    options = parser.parse_args()
    seen = Seen()
    asking = [ask(options.port, options.token, number) for number in range(options.held)]
    if asking:
        sys.stderr.write("held\n")
        sys.stderr.flush()
        sys.stdin.readline()  # until the other side has seen them all
    gc.collect()
    gc.disable()  # its own pauses are not the server's
    every_s = options.agents / options.rate
    agents = [Agent(options.port, options.token, every_s, seen) for _ in range(options.agents)]
    work(agents, options.seconds)
    for line in (*asking, *(each.line for each in agents)):
        line.close()
    json.dump(vars(seen), sys.stdout)


if __name__ == "__main__":
    main()
