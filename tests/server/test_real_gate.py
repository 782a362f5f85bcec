"""The server with the real gate behind it: adapters, policy, grants, log. Only the user is a test's."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from desktop.agents import client as hook_client
from desktop.agents.agent_list import AGENTS
from desktop.agents.tokens import Tokens
from desktop.asking import ALLOWED_ONCE, DENIED, Answer, Question
from desktop.errors import Cancelled
from desktop.gate.commands import Commands
from desktop.gate.shell.classifier import Classifier
from desktop.paths import Paths
from desktop.server.server import RequestHandlers, Server
from tests.agents.gatehouse import TABLES, Gatehouse
from tests.fakes.asker import FakeAsker
from tests.server import raw
from tests.server.conftest import any_port

CLAUDE = "claude-code"


class PatientAsker:
    """Every question waits for its own answer or for being withdrawn, as in the window."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.waiting: dict[int, Question] = {}
        self.settled: dict[int, Answer | None] = {}

    def ask(self, question: Question) -> Answer:
        with self.changed:
            self.waiting[id(question)] = question
            self.changed.notify_all()
            assert self.changed.wait_for(lambda: id(question) in self.settled, 20)
            del self.waiting[id(question)]
            self.changed.notify_all()
        answer = self.settled[id(question)]
        if answer is None:
            raise Cancelled
        return answer

    def settle(self, question: Question, answer: Answer | None) -> None:
        with self.changed:
            self.settled.setdefault(id(question), answer)
            self.changed.notify_all()

    def wait_for(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.waiting) == count, 20)


@dataclass
class Gate:
    """The gatehouse and its server."""

    house: Gatehouse
    server: Server
    tokens: Tokens
    port: int

    def post(self, body: bytes, agent: str = CLAUDE) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.tokens.general()}"}
        url = f"http://127.0.0.1:{self.port}/hooks/{agent}"
        return httpx.post(url, content=body, headers=headers, trust_env=False, timeout=20)

    def raw_bash(self, command: str, token: str) -> bytes:
        body = self.house.bash(command)
        return raw.request(f"/hooks/{CLAUDE}", "POST", body, Authorization=f"Bearer {token}")


@pytest.fixture
def gate(paths: Paths, tmp_path: Path) -> Iterator[Gate]:
    house = Gatehouse(paths, tmp_path)
    tokens = Tokens(paths)
    commands = Commands(Classifier(TABLES))
    server = Server(RequestHandlers(house.handler, commands, dict), tokens, any_port(paths), house.bus)
    port = server.start()
    yield Gate(house, server, tokens, port)
    server.close()
    house.close()


@pytest.fixture
def patient(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> PatientAsker:
    asker = PatientAsker()
    gate.house.asker = asker
    monkeypatch.setattr(gate.house.handler, "_withdraw", lambda question: asker.settle(question, None))
    return asker


@pytest.mark.parametrize(
    ("command", "answer", "decision"),
    [
        ("git status", None, "allow"),
        ("rm -rf build", ALLOWED_ONCE, "allow"),
        ("rm -rf build", DENIED, "deny"),
        ("rm -rf build", None, None),
    ],
)
def test_the_click_goes_back_in_the_agents_own_form(
    gate: Gate, command: str, answer: Answer | None, decision: str | None
) -> None:
    """Reading asks nobody; the rest is what the user says, and no opinion where nobody answers."""
    gate.house.asker = FakeAsker(answer)
    found = gate.post(gate.house.bash(command))
    assert found.status_code == 200
    if decision is None:
        assert b'"allow"' not in found.content
    else:
        specific = found.json()["hookSpecificOutput"]
        assert (specific["hookEventName"], specific["permissionDecision"]) == ("PreToolUse", decision)
    assert len(gate.house.questions) == (0 if command == "git status" else 1)


@pytest.mark.parametrize("agent", [each.name for each in AGENTS])
@pytest.mark.parametrize("body", [b"", b"garbage", b"{}", b"[]", b'{"tool_name": 5}', b"[" * 5000])
def test_no_agent_is_allowed_anything_by_garbage(gate: Gate, agent: str, body: bytes) -> None:
    """Every agent has its route; what it cannot have sent is an error or no opinion."""
    found = gate.post(body, agent)
    assert found.status_code in (200, 400)
    assert b"allow" not in found.content.replace(b"Nothing was allowed", b"")


@pytest.mark.parametrize(("mode", "status"), [("bypassPermissions", 200), ("default", 413)])
def test_too_large_to_read_is_not_let_through(gate: Gate, mode: str, status: int) -> None:
    """A session that would go on after an error is denied; where the agent asks by itself it is an error."""
    hook = json.loads(gate.house.bash("rm -rf build"))
    before = {key: value for key, value in hook.items() if key != "tool_input"}
    body = json.dumps({**before, "permission_mode": mode, "tool_input": {"command": "x" * 2_000_000}})
    found = gate.post(body.encode())
    assert found.status_code == status
    if status == 200:
        assert found.json()["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_fifty_open_dialogs_delay_nothing(gate: Gate, patient: PatientAsker) -> None:
    """The fifty-first hook reads, and is answered; then each dialog's own click goes to its own agent."""
    token = gate.tokens.general()
    lines = [raw.socket.create_connection(("127.0.0.1", gate.port), 20) for _ in range(50)]
    try:
        for number, line in enumerate(lines):
            line.sendall(gate.raw_bash(f"rm file-{number}", token))
        patient.wait_for(50)
        with raw.line_to(gate.port) as reader:
            reader.sendall(gate.raw_bash("ls", token))
            assert b'"allow"' in raw.answer(reader)[1]
            assert len(patient.waiting) == 50
        for question in list(patient.waiting.values()):
            even = int(question.arguments.rpartition("-")[2]) % 2 == 0
            patient.settle(question, ALLOWED_ONCE if even else DENIED)
        for number, line in enumerate(lines):
            specific = json.loads(raw.answer(line)[1])["hookSpecificOutput"]
            assert specific["permissionDecision"] == ("allow" if number % 2 == 0 else "deny")
    finally:
        for line in lines:
            line.close()


def test_a_client_that_goes_closes_its_dialog(gate: Gate, patient: PatientAsker) -> None:
    """The question is withdrawn, and the log says that the agent has gone."""
    with raw.line_to(gate.port) as line:
        line.sendall(gate.raw_bash("rm x", gate.tokens.general()))
        patient.wait_for(1)
    patient.wait_for(0)
    gate.server.close()
    last = gate.house.logged()[-1]
    assert last["by"] == "nobody"
    assert last["gate"] != "allow"


def test_ending_answers_open_dialogs_with_no_allow(gate: Gate, patient: PatientAsker) -> None:
    """Nobody has clicked, and all threads end."""
    token = gate.tokens.general()
    lines = [raw.socket.create_connection(("127.0.0.1", gate.port), 20) for _ in range(20)]
    for number, line in enumerate(lines):
        line.sendall(gate.raw_bash(f"rm file-{number}", token))
    patient.wait_for(20)
    gate.server.close()
    for line in lines:
        assert b'"allow"' not in raw.until_closed(line)
        line.close()


@pytest.mark.parametrize("by_file", [False, True])
@pytest.mark.parametrize(
    ("command", "answer", "decision"),
    [("ls", None, "allow"), ("rm x", DENIED, "deny"), ("rm x", None, "ask")],
)
def test_the_hook_client_brings_the_answer(
    gate: Gate, by_file: bool, command: str, answer: Answer | None, decision: str
) -> None:
    """The small program that agents start, as they start it, over the port and over the socket file."""
    gate.house.asker = FakeAsker(answer)
    address = str(gate.house.paths.hook_socket) if by_file else str(gate.port)
    token = gate.tokens.make("generic")
    done = subprocess.run(
        [sys.executable, "-I", "-S", hook_client.__file__, "generic", address, token, "10"],
        input=json.dumps({"tool": "Bash", "input": {"command": command}}).encode(),
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["decision"] == decision


def test_verdicts_are_counted(gate: Gate) -> None:
    """What the real gate decided stands in the figures."""
    gate.house.asker = FakeAsker(DENIED)
    gate.post(gate.house.bash("ls"))
    gate.post(gate.house.bash("rm x"))
    headers = {"Authorization": f"Bearer {gate.tokens.general()}"}
    told = httpx.get(f"http://127.0.0.1:{gate.port}/metrics", headers=headers, trust_env=False).text
    assert 'steward_hooks_total{agent="claude-code",choice="allow",by="reading"} 1' in told
    assert 'steward_hooks_total{agent="claude-code",choice="deny",by="user"} 1' in told
    assert 'steward_verdicts_total{source="hook",class="DELETE",tier="2"} 1' in told
