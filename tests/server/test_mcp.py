"""Steward as an MCP server: both forms of the protocol, its tools, and what none of them can do."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import threading
import venv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import platformdirs
import pytest

from desktop.agents.events import AgentSaid
from desktop.agents.mcp_bridge import McpBridge
from desktop.agents.tokens import Tokens
from desktop.app import build_core
from desktop.app.server_parts import agent_services
from desktop.events import Bus
from desktop.gate.commands import Commands
from desktop.gate.shell.classifier import Classifier
from desktop.memory.item import MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.paths import Paths
from desktop.server.mcp import HANDSHAKE, LONGEST, AgentServices, Caller
from desktop.server.server import RequestHandlers, Server
from tests.fakes.failures import failure
from tests.server.conftest import SmallHandler, any_port
from tests.shipped import command_tables


@dataclass
class Door:
    """A running server whose tools note what they were asked."""

    client: httpx.Client
    token: str
    tokens: Tokens
    is_on: bool = True
    asked: list[tuple[object, ...]] = field(default_factory=list)
    answer: str | None = "blue"
    opened: threading.Event = field(default_factory=threading.Event)
    gone: list[threading.Event] = field(default_factory=list)
    shown: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def post(self, message: object, **headers: str) -> httpx.Response:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        known = {"Authorization": f"Bearer {self.token}", "Accept": "application/json, text/event-stream"}
        return self.client.post("/mcp", content=body, headers={**known, **headers})

    def rpc(self, method: str, **params: Any) -> Any:
        answer = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def call(self, name: str, **arguments: Any) -> tuple[str, bool]:
        result = self.rpc("tools/call", name=name, arguments=arguments)["result"]
        return result["content"][0]["text"], result["isError"]


@pytest.fixture
def door(paths: Paths, bus: Bus) -> Iterator[Door]:
    tokens, handler = Tokens(paths), SmallHandler()
    made: list[Door] = []

    def ask(caller: Caller, question: str, options: tuple[str, ...]) -> str | None:
        made[0].asked.append((caller.agent, question, options))
        made[0].gone.append(caller.gone)
        made[0].shown.release()
        made[0].opened.wait(10)
        return made[0].answer

    def remind(agent: str, text: str, when: str) -> str:
        if when == "never":
            raise failure("The time never cannot be read.", "Nothing was set.", "Say it otherwise.")
        return f"{agent}: {text} at {when}"

    services = AgentServices(
        ask,
        lambda query: f"a note on {query}",
        lambda agent, text: f"{agent} proposed {text}",
        lambda command: f"{command} reads",
        lambda agent, text: made[0].asked.append((agent, text)),
        remind,
    )
    commands = Commands(Classifier(command_tables()))
    answering = RequestHandlers(handler, commands, dict, None, services, lambda: made[0].is_on)
    server = Server(answering, tokens, any_port(paths), bus)
    port = server.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=20) as client:
        made.append(Door(client, tokens.make("claude-code"), tokens))
        made[0].opened.set()
        yield made[0]
    server.close()
    handler.end()


@pytest.mark.parametrize("version", [*HANDSHAKE, "1999-01-01"])
def test_the_handshake_agrees_on_a_version(door: Door, version: str) -> None:
    """The client's where it is known, else our newest of this form. Its session is a label: nothing is kept
    for it, and one that was never given is served."""
    answer = door.post(
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": version}}
    )
    result = answer.json()["result"]
    assert result["protocolVersion"] == (version if version in HANDSHAKE else HANDSHAKE[0])
    assert result["serverInfo"]["name"] == "steward"
    assert "tools" in result["capabilities"]
    assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["Mcp-Session-Id"])
    for session in (answer.headers["Mcp-Session-Id"], "of a run before"):
        message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        begun = door.post(message, **{"Mcp-Session-Id": session})
        assert (begun.status_code, begun.content) == (202, b"")


def test_the_newer_form_needs_no_handshake(door: Door) -> None:
    """`server/discover` says the version, and lists what the handshake lists."""
    found = door.rpc("server/discover")["result"]
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["resultType"] == "complete"
    assert door.rpc("ping")["result"] == {}


def test_the_tools_are_these_and_no_others(door: Door) -> None:
    """None approves, grants, changes settings or reads chats."""
    tools = door.rpc("tools/list")["result"]["tools"]
    assert [each["name"] for each in tools] == [
        "ask_user",
        "recall",
        "remember",
        "classify",
        "notify",
        "remind",
    ]
    for each in tools:
        assert each["inputSchema"]["additionalProperties"] is False
        assert set(each["inputSchema"]["required"]) <= set(each["inputSchema"]["properties"])


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("ask_user", {"question": "Which colour?", "options": ["blue", "red"]}, "blue"),
        ("recall", {"query": "tea"}, "a note on tea"),
        ("remember", {"text": "Tea at four"}, "claude-code proposed Tea at four"),
        ("classify", {"command": "ls"}, "ls reads"),
        ("notify", {"text": "Done"}, "The user is told, unless notifications are switched off."),
        ("remind", {"text": "Tea", "when": "4 pm"}, "claude-code: Tea at 4 pm"),
    ],
)
def test_a_tool_does_what_it_says(door: Door, tool: str, arguments: dict[str, Any], said: str) -> None:
    """The answer is text; who asks is the agent whose token it is."""
    assert door.call(tool, **arguments) == (said, False)
    assert all(each[0] == "claude-code" for each in door.asked)


def test_no_answer_is_told_as_no_answer(door: Door) -> None:
    """And never as a yes."""
    door.answer = None
    text, failed = door.call("ask_user", question="May I?")
    assert "did not answer" in text
    assert not failed


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("ask_user", {}, "needs question"),
        ("ask_user", {"question": "x", "timeout": 5}, "no argument timeout"),
        ("ask_user", {"question": ""}, "question must be"),
        ("ask_user", {"question": 5}, "question must be"),
        ("ask_user", {"question": "x" * (LONGEST + 1)}, "question must be"),
        ("ask_user", {"question": "x", "options": "yes"}, "options must be"),
        ("ask_user", {"question": "x", "options": ["a"] * 7}, "at most 6"),
        ("ask_user", {"question": "x", "options": [1]}, "Each of options"),
        ("ask_user", {"question": "x", "options": ["yes", "yes"]}, "Two of options"),
        ("ask_user", {"question": "\u200b\u202e"}, "question must be"),
        ("ask_user", {"question": "x", "options": ["\u200b"]}, "Each of options"),
        ("remind", {"text": "x", "when": "never"}, "never"),
    ],
)
def test_bad_arguments_are_told_to_the_agent(
    door: Door, tool: str, arguments: dict[str, Any], said: str
) -> None:
    """As a result that failed, which the model reads, not as an error of the protocol."""
    text, failed = door.call(tool, **arguments)
    assert failed
    assert said in text


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"no json", -32700),
        (b"[" * 10_000, -32700),
        ([], -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"}, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "approve"}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": ["x"]}}, -32602),
    ],
)
def test_what_is_no_request_gets_the_protocol_s_error(door: Door, message: object, code: int) -> None:
    """JSON-RPC's codes, whatever comes."""
    assert door.post(message).json()["error"]["code"] == code


def test_the_oldest_version_sends_several_at_once(door: Door) -> None:
    """Each is answered by its number, notifications by nothing, what is no request by an error."""
    ask = {"jsonrpc": "2.0", "method": "tools/call"}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {**ask, "id": 2, "params": {"name": "recall", "arguments": {"query": "tea"}}},
        {**ask, "id": "x", "params": {"name": "approve"}},
        5,
        [],
    ]
    answer = door.post(sent)
    assert answer.status_code == 200
    said = answer.json()
    assert [each["id"] for each in said] == [1, 2, "x", None, None]
    assert said[1]["result"]["content"][0]["text"] == "a note on tea"
    assert [each["error"]["code"] for each in said[2:]] == [-32602, -32600, -32600]
    assert door.post([sent[1]]).status_code == 202
    for too_much, header in (([sent[0]] * 33, "2025-03-26"), ([sent[0]], "2025-11-25"), ([], "2025-03-26")):
        refused = door.post(too_much, **{"MCP-Protocol-Version": header})
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32600)
    many = [
        {**ask, "id": number, "params": {"name": "notify", "arguments": {"text": "x"}}} for number in range(9)
    ]
    told = [each["result"]["isError"] for each in door.post(many).json()]
    assert told.count(False) == 4


@pytest.mark.parametrize(
    ("method", "header", "meta", "code"),
    [
        ("ping", "1999-01-01", None, -32600),
        ("ping", "2025-06-18", None, 0),
        ("ping", None, None, 0),
        ("ping", None, "2026-07-28", 0),
        ("ping", "2025-11-25", "2026-07-28", -32020),
        ("server/discover", "2031-01-01", "2031-01-01", -32022),
        ("server/discover", None, 7, -32022),
        ("initialize", "2031-01-01", None, 0),
    ],
)
def test_a_version_that_is_not_spoken_is_refused_with_those_that_are(
    door: Door, method: str, header: str | None, meta: object, code: int
) -> None:
    """Where a request names one, in its header or in itself; the handshake agrees on one instead."""
    params = {"_meta": {"io.modelcontextprotocol/protocolVersion": meta}} if meta is not None else {}
    sent = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = door.post(sent, **({"MCP-Protocol-Version": header} if header else {}))
    assert answer.status_code == (400 if code else 200)
    error = answer.json().get("error", {"code": 0})
    assert error["code"] == code
    if code == -32022:
        assert error["data"]["supported"] == ["2026-07-28"]


NEWER = "2026-07-28"
WHOLE = {
    "io.modelcontextprotocol/protocolVersion": NEWER,
    "io.modelcontextprotocol/clientCapabilities": {},
}
LISTED, CALLED = {"Mcp-Method": "tools/list"}, {"Mcp-Method": "tools/call"}
CLASSIFY = {"name": "classify", "arguments": {"command": "ls"}}


@pytest.mark.parametrize(
    ("method", "headers", "meta", "status", "code"),
    [
        ("tools/list", LISTED, WHOLE, 200, 0),
        ("tools/list", {"mcp-method": "tools/list"}, WHOLE, 200, 0),
        ("tools/list", {}, WHOLE, 400, -32020),
        ("tools/list", {"Mcp-Method": "TOOLS/LIST"}, WHOLE, 400, -32020),
        ("tools/list", CALLED, WHOLE, 400, -32020),
        ("tools/list", LISTED, {}, 400, -32602),
        *(("tools/list", LISTED, {k: v for k, v in WHOLE.items() if k != key}, 400, -32602) for key in WHOLE),
        ("tools/call", {**CALLED, "Mcp-Name": "classify"}, WHOLE, 200, 0),
        ("tools/call", {**CALLED, "Mcp-Name": "=?base64?Y2xhc3NpZnk=?="}, WHOLE, 200, 0),
        ("tools/call", {**CALLED, "Mcp-Name": "=?base64?classify?="}, WHOLE, 400, -32020),
        ("tools/call", {**CALLED, "Mcp-Name": "notify"}, WHOLE, 400, -32020),
        ("tools/call", CALLED, WHOLE, 400, -32020),
        ("ping", {"Mcp-Method": "ping"}, WHOLE, 404, -32601),
        ("initialize", {"Mcp-Method": "initialize"}, WHOLE, 404, -32601),
        ("prompts/list", {"Mcp-Method": "prompts/list"}, WHOLE, 404, -32601),
    ],
)
def test_a_request_of_the_newer_form_is_whole(
    door: Door, method: str, headers: dict[str, str], meta: dict[str, Any], status: int, code: int
) -> None:
    """Its headers say what its body says, it says its version and what the client can, and what the form
    does not have has a status of its own. The answer says who gave it."""
    params = {**(CLASSIFY if method == "tools/call" else {}), "_meta": meta}
    sent = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    answer = door.post(sent, **{"MCP-Protocol-Version": NEWER, **headers})
    content = answer.json()
    assert (answer.status_code, content.get("error", {"code": 0})["code"]) == (status, code)
    assert content["id"] == 7
    if not code:
        assert content["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "steward"


def test_a_tool_is_called_only_so_often(door: Door) -> None:
    """A loop of an agent's does not become a storm on the screen."""
    said = [door.call("notify", text="again") for _ in range(5)]
    assert [failed for _, failed in said] == [False] * 4 + [True]
    assert "4 times a minute" in said[-1][0]


def test_who_may_not_come_in(door: Door) -> None:
    """No token, a wrong one, a web page, or while it is switched off."""
    assert door.post({}, Authorization="Bearer wrong").status_code == 401
    assert door.post({}, Origin="http://localhost:3000").status_code == 403
    assert door.client.get("/mcp").status_code == 405
    door.is_on = False
    assert door.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 403


def test_a_bridge_speaks_for_an_agent_that_is_one(door: Door) -> None:
    """With the user's own token; a name that no agent has is shown to nobody."""
    door.token = door.tokens.general()
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    params = {"name": "notify", "arguments": {"text": "x"}}
    for name in ("codex", "Your bank"):
        door.post({**ask, "params": params}, **{"X-Steward-Agent": name})
    assert [each[0] for each in door.asked] == ["codex", "a program"]


def test_a_question_whose_agent_hangs_up_is_known_to_be_over(door: Door) -> None:
    """So that its window can go."""
    door.opened.clear()
    with pytest.raises(httpx.ReadTimeout):
        door.client.post(
            "/mcp",
            json={
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "ask_user", "arguments": {"question": "x"}},
            },
            headers={"Authorization": f"Bearer {door.token}"},
            timeout=0.3,
        )
    try:
        assert door.gone[0].wait(10)
    finally:
        door.opened.set()


def test_a_question_that_the_agent_takes_back_is_over(door: Door) -> None:
    """Its call is answered as cancelled, and a number that could be another's ends nothing."""
    door.opened.clear()
    ask = {"name": "ask_user", "arguments": {"question": "x"}}
    calls = [{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": ask} for number in (7, 8, 8)]
    try:
        with ThreadPoolExecutor(3) as pool:
            answers = [pool.submit(door.post, each) for each in calls]
            assert all(door.shown.acquire(timeout=10) for _ in calls)
            for number in (8, True, ["x"], 7):
                cancel = {"method": "notifications/cancelled", "params": {"requestId": number}}
                assert door.post({"jsonrpc": "2.0", **cancel}).status_code == 202
            result = answers[0].result(10).json()["result"]
            assert (result["isError"], result["content"][0]["text"]) == (True, "The call was cancelled.")
            assert [each.is_set() for each in door.gone].count(True) == 1
            door.opened.set()
            assert [each.result(10).json()["result"]["isError"] for each in answers[1:]] == [False, False]
    finally:
        door.opened.set()


def test_two_programs_of_one_agent_take_back_their_own(door: Door) -> None:
    """With the same number at the same time, as with two windows: each has the label of its handshake."""
    door.opened.clear()
    begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
    labels = [{"Mcp-Session-Id": door.post(begin).headers["Mcp-Session-Id"]} for _ in range(2)]
    ask = {"name": "ask_user", "arguments": {"question": "x"}}
    call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": ask}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}
    try:
        with ThreadPoolExecutor(2) as pool:
            answers = [pool.submit(door.post, call, **label) for label in labels]
            assert all(door.shown.acquire(timeout=10) for _ in answers)
            door.post(cancel, **labels[1])
            assert answers[1].result(10).json()["result"]["isError"]
            assert [each.is_set() for each in door.gone].count(True) == 1
            door.opened.set()
            assert not answers[0].result(10).json()["result"]["isError"]
    finally:
        door.opened.set()


def test_a_bridge_hangs_up_for_an_agent_that_takes_a_question_back(door: Door) -> None:
    """Steward learns that nobody waits, the agent gets no answer to it, and other calls go on."""
    door.opened.clear()
    out = io.StringIO()
    bridge = McpBridge(door.tokens, "codex", door.client.base_url.port or 0, out)

    def lines() -> Iterator[str]:
        ask = {"name": "ask_user", "arguments": {"question": "x"}}
        yield json.dumps({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": ask})
        assert door.shown.acquire(timeout=10)
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        yield json.dumps({**cancel, "params": {"requestId": "another"}})
        yield json.dumps({**cancel, "params": {"requestId": ["a"]}})
        yield json.dumps(cancel)
        assert not door.gone[0].is_set()
        yield json.dumps({**cancel, "params": {"requestId": "a"}})
        assert door.gone[0].wait(10)
        yield json.dumps({"jsonrpc": "2.0", "id": "b", "method": "ping"})

    try:
        bridge.run(lines())
    finally:
        door.opened.set()
    assert [json.loads(each)["id"] for each in out.getvalue().splitlines()] == ["b"]


def test_a_bridge_carries_lines_both_ways(door: Door, paths: Paths) -> None:
    """By the socket file and with the user's token; notifications get no line, what is no request and a dead
    Steward an error.
    """
    out = io.StringIO()
    bridge = McpBridge(door.tokens, "codex", door.client.base_url.port or 0, out)
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "notify", "arguments": {"text": "x"}},
        },
    ]
    no_requests = ["\n", "no json\n", '{"jsonrpc": "2.0", "id": [1], "method": "ping"}\n']
    bridge.run(no_requests + [json.dumps(each) + "\n" for each in sent])
    answers = {each["id"]: each for each in map(json.loads, out.getvalue().splitlines())}
    assert set(answers) == {1, 2, None}
    assert answers[1]["result"]["serverInfo"]["name"] == "steward"
    assert door.asked == [("codex", "x")]
    door.is_on = False
    out.truncate(0)
    bridge.run([json.dumps(sent[0])])
    assert "switched off" in out.getvalue()
    door.tokens.withdraw()
    out.truncate(0)
    bridge.run([json.dumps(sent[0])])
    assert "not running" in out.getvalue()


def test_the_tools_of_the_whole_program(paths: Paths) -> None:
    """Notes are found and those of chats are not, a proposal waits, a reminder is set and announced, one that
    repeats is a proposal, a command is only judged.
    """
    core = build_core(paths)
    told_user: list[AgentSaid] = []
    core.bus.subscribe(AgentSaid, told_user.append)
    try:
        services = agent_services(core)
        core.memory.store.add(NewItem("Ada drinks green tea"))
        core.memory.store.add(NewItem("Ada hates green tea", kind=MemoryKind.EPISODE))
        assert services.recall("tea").endswith(": Ada drinks green tea")
        assert services.recall("quantum chromodynamics") == "No note fits."
        services.remember("codex", "Ada has a dog")
        (proposed,) = core.memory.store.latest(statuses=(MemoryStatus.SUGGESTED,))
        assert (proposed.text, proposed.source, proposed.origin) == (
            "Ada has a dog",
            MemorySource.TOOL,
            "codex",
        )
        assert "dog" not in services.recall("dog")
        # Kept after a yes to a question that names this computer's model, and no other program.
        core.memory.store.add(NewItem("My bank PIN is 4711 and the door code is 8052", is_agreed=True))
        told = services.recall("my bank PIN and the door code")
        assert "bank PIN" in told
        assert not any(secret in told for secret in ("4711", "8052"))
        assert "Tea" in services.remind("codex", "Tea", "in 20 minutes")
        (set_once,) = core.reminders.open()
        for when in ("every day", "every weekday at 8", "every Monday"):
            assert services.remind("codex", "Buy from me", when).startswith("Proposed")
        assert [each.reminder.is_on for each in core.reminders.schedules()] == [False] * 3
        assert core.reminders.next_due() == set_once.due
        assert [(each.agent, str(each.text)[:8]) for each in told_user] == [
            ("codex", "Reminder"),
            *[("codex", "Proposed")] * 3,
        ]
        assert "DELETE" in services.classify("rm -rf build").upper()
        assert services.ask(Caller("codex"), "Are you there?", ()) is None  # no window, so nobody
        core.settings.change("memory", "enabled", False)
        assert services.recall("tea") == "Memory is switched off."
    finally:
        core.close()


SDK = """
import asyncio, json, sys
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def main():
    told = {}
    for mode in ("legacy", "auto", "2026-07-28"):
        http = httpx2.AsyncClient(headers={"Authorization": "Bearer " + sys.argv[2]})
        async with Client(streamable_http_client(sys.argv[1], http_client=http), mode=mode) as client:
            tools = await client.list_tools()
            answer = await client.call_tool("ask_user", {"question": "Which colour?", "options": ["blue"]})
            told[mode] = [client.protocol_version, len(tools.tools), answer.content[0].text]
    print(json.dumps(told))

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.setup
def test_the_official_package_is_a_client_in_both_forms(door: Door, tmp_path: Path) -> None:
    """With the handshake, by itself, and with the newer form alone."""
    folder = platformdirs.user_cache_path("steward-dev") / "mcp-client"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not list(folder.glob("lib/*/site-packages/mcp")):
        venv.create(folder, with_pip=True)
        if subprocess.run([python, "-m", "pip", "install", "-q", "mcp"], check=False).returncode:
            pytest.skip("mcp cannot be installed here")
    script = tmp_path / "client.py"
    script.write_text(SDK, "utf-8")
    url = f"{str(door.client.base_url).rstrip('/')}/mcp"
    done = subprocess.run(
        [python, script, url, door.token], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert {mode: each[1:] for mode, each in told.items()} == {mode: [6, "blue"] for mode in told}
    assert told["legacy"][0] == HANDSHAKE[0]
    assert told["auto"][0] == told["2026-07-28"][0] == "2026-07-28"
