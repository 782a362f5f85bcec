"""Agents that send hooks, for `dev.py bench hook`: a process of its own, which imports nothing of Steward.

    python hook_load.py ADDRESS TOKEN --agents N --rate HOOKS_PER_SECOND --seconds S [--held N]

ADDRESS is the server's socket file: then each hook comes as hook clients bring it, on a line of its own,
proven both ways. With a port it is HTTP over a connection that is kept alive. Each agent sends one hook after
the other at its share of the rate. With --held so many more lines each send a hook that asks, and stay. One
JSON object on stdout: how long each answer took, from the first byte sent to the last one of the answer, and
from the moment at which it was due. One thread over plain sockets: what is measured is the server, not its
client.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import hmac
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


def body_of(command: str) -> bytes:
    return json.dumps(
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


class Http:
    """One hook over a line that stays."""

    def __init__(self, line: socket.socket, token: str, body: bytes) -> None:
        self._line, self._answer = line, b""
        head = (
            "POST /hooks/claude-code HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        line.sendall(head.encode() + body)

    def answer(self) -> bytes | None:
        """What has come; None while that is not all of it."""
        self._answer += self._line.recv(65_536)
        head, end, body = self._answer.partition(b"\r\n\r\n")
        return body if end and len(body) >= length(head) else None


class Proven:
    """One hook as the hook client brings it (desktop/agents/tokens.py)."""

    def __init__(self, line: socket.socket, token: str, body: bytes) -> None:
        self._line, self._body, self._got = line, body, b""
        self._key = hashlib.sha256(token.encode()).digest()
        self._nonce = b"%032x" % random.getrandbits(128)
        self._nonces = b""
        name = hashlib.sha256(b"steward key\n" + self._key).hexdigest()[:16].encode()
        line.sendall(b"STEWARD/1 " + name + b" " + self._nonce + b"\n")

    def answer(self) -> bytes | None:
        """What has come; None while that is not all of it."""
        self._got += self._line.recv(65_536)
        if b"\n" not in self._got:
            return None
        head, _, rest = self._got.partition(b"\n")
        if not self._nonces:
            self._nonces, self._got = self._nonce + b" " + head.split(b" ")[0] + b"\n", b""
            content = b"request\n" + self._nonces + b"hooks/claude-code\n" + self._body
            proof = hmac.digest(self._key, content, "sha256").hex().encode()
            self._line.sendall(b"hooks/claude-code %d %s\n%s" % (len(self._body), proof, self._body))
            return None
        _code, error, output, _proof = head.split(b" ")
        return rest if len(rest) >= int(error) + int(output) else None


class Agent:
    """A hook that is on its way, or the next one that waits until it is due."""

    def __init__(self, address: str, token: str, every_s: float, seen: Seen) -> None:
        self._address, self._token, self._every_s, self._seen = address, token, every_s, seen
        self.line = connected(address)
        self.due_s = time.perf_counter() + random.random() * every_s
        self.sent_s: float | None = None
        self._hook: Http | Proven | None = None
        self._next = self._prepared()

    def send(self) -> None:
        self.sent_s = time.perf_counter()
        if not self._address.isdigit() and self._hook is not None:
            self.line.close()
            self.line = connected(self._address)  # a client of its own for each hook
        self._hook = (Http if self._address.isdigit() else Proven)(self.line, self._token, self._next)

    def receive(self) -> None:
        """What has come; and when that is all of it, the next hook is made ready."""
        assert self.sent_s is not None
        assert self._hook is not None
        answer = self._hook.answer()
        if answer is None:
            return
        now_s = time.perf_counter()
        self._seen.answer_ms.append((now_s - self.sent_s) * 1000)
        self._seen.due_ms.append((now_s - self.due_s) * 1000)
        if b'"allow"' not in answer:
            self._seen.wrong.append(answer[:200].decode("utf-8", "replace"))
        self._rest()

    def give_up(self) -> None:
        """The answer did not come, or the line ended: the hook is lost."""
        self._seen.lost += 1
        self.line.close()
        self.line, self._hook = connected(self._address), None
        self._rest()

    def _rest(self) -> None:
        self.sent_s = None
        self.due_s += self._every_s
        self._next = self._prepared()

    def _prepared(self) -> bytes:
        return body_of(random.choice(READS).format(n=random.randrange(1000)))


def connected(address: str) -> socket.socket:
    if not address.isdigit():
        line = socket.socket(socket.AF_UNIX)
        line.connect(address)
        return line
    line = socket.create_connection(("127.0.0.1", int(address)))
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
                        begin(each, waiting)
            next_s = min((each.due_s for each in agents if each.sent_s is None), default=now_s + 1)
            for key, _ in waiting.select(max(0.0, min(next_s, ends_s) - time.perf_counter())):
                take(key.data, waiting)
            for each in agents:
                if each.sent_s is not None and time.perf_counter() - each.sent_s > PATIENCE_S:
                    waiting.unregister(each.line)
                    each.give_up()


def begin(each: Agent, waiting: selectors.BaseSelector) -> None:
    try:
        each.send()
    except OSError:  # the other side has closed a line that rested
        each.give_up()
    else:
        waiting.register(each.line, selectors.EVENT_READ, each)


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


def ask(address: str, token: str, number: int) -> socket.socket:
    line = connected(address)
    asked = (Http if address.isdigit() else Proven)(line, token, body_of(f"rm -rf build/{number}"))
    if isinstance(asked, Proven):
        asked.answer()  # the greeting, after which the hook goes out
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("token")
    parser.add_argument("--agents", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--held", type=int, default=0)
    options = parser.parse_args()
    seen = Seen()
    asking = [ask(options.address, options.token, number) for number in range(options.held)]
    if asking:
        sys.stderr.write("held\n")
        sys.stderr.flush()
        sys.stdin.readline()  # until the other side has seen them all
    gc.collect()
    gc.disable()  # its own pauses are not the server's
    every_s = options.agents / options.rate
    agents = [Agent(options.address, options.token, every_s, seen) for _ in range(options.agents)]
    work(agents, options.seconds)
    for line in (*asking, *(each.line for each in agents)):
        line.close()
    json.dump(vars(seen), sys.stdout)


if __name__ == "__main__":
    main()
