"""OpenCode: its hooks and answers, its own rules; and its plugin, run by Node against a real server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop.agents import client
from desktop.agents.opencode import OpenCode, plugin_text, read_plugin
from desktop.agents.settings_file import HookClient, HookTarget
from desktop.gate.request import Unfit
from tests.agents.agent_cases import REFUSED, AgentCases, recorded
from tests.agents.answering import TOKEN, Answer, Answering, Request, Talk, says

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed here")
CASES = AgentCases(
    **recorded("opencode"),
    hook=lambda tool: {
        "event": "tool.execute.before",
        "tool": tool,
        "args": {"x": "y"},
        "directory": "/p",
        "sessionID": "s",
    },
    file="o/opencode/plugins/steward.js",
    variables={"XDG_CONFIG_HOME": "o"},
    # What 1.18.33 offered its model, with what its package names beside it.
    asked=("batch",),
    passes=("question", "skill", "task", "todowrite"),
    without_answer=(
        ({"event": "tool.execute.before", "tool": "bash"}, REFUSED, REFUSED),
        ({"event": "tool.execute.before", "tool": "read"}, REFUSED, REFUSED),
    ),
    held_rules=(
        (
            ".config/opencode/opencode.json",
            {"permission": {"bash": {"*": "allow", "curl *": "ask"}}},
        ),
        ("work/project/opencode.jsonc", '// mine\n{"permission": {"bash": {"curl *": "deny"}}}'),
    ),
    allow_rules=(
        (
            "work/project/opencode.json",
            {"permission": {"bash": {"*": "ask", "npm test*": "allow", "git * x": "allow"}}},
            {"npm test*": None, "git * x": Unfit.PATTERN},
        ),
        (".config/opencode/opencode.json", {"permission": "allow"}, {"*": Unfit.EVERYTHING}),
    ),
)

# Calls what stands in CALLS one after another and prints what came of each, and the client's replies.
DRIVER = """
import { Steward } from "./steward.mjs"
const replies = []
const client = { postSessionIdPermissionsPermissionId: async (asked) => { replies.push(asked) } }
const hooks = await Steward({ client, directory: "/p" })
const results = []
const calls = JSON.parse(process.argv[2]).map(([name, ...words]) => ({ name, words }))
for (const { name, words } of calls) {
  try { await hooks[name](...words); results.push("ran") } catch (error) { results.push(error.message) }
}
const deadline = Date.now() + Number(process.argv[3])
while (replies.length === 0 && Date.now() < deadline) await new Promise((done) => setTimeout(done, 5))
console.log(JSON.stringify({ results, replies, calls: calls.map((each) => each.words) }))
"""
BEFORE = [
    "tool.execute.before",
    {"tool": "bash", "sessionID": "s", "callID": "c"},
    {"args": {"command": "ls"}},
]
ASKED = {"id": "per_1", "sessionID": "s", "permission": "bash", "tool": {"messageID": "m", "callID": "c"}}
PERMISSION = ["event", {"event": {"type": "permission.asked", "properties": ASKED}}]


OWN = HookClient((sys.executable, "-I", "-S", str(client.__file__)))


def run(
    folder: Path, port: str, calls: list[Any], wait_ms: int = 0, program: HookClient = OWN
) -> dict[str, Any]:
    (folder / "t").write_text(OpenCode().token_file_text(TOKEN))
    target = HookTarget("opencode", port, folder / "t", program)
    text = plugin_text(target).replace("holds_s * 1000", "holds_s * 5")  # three seconds instead of minutes
    (folder / "steward.mjs").write_text(text)
    (folder / "driver.mjs").write_text(DRIVER)
    command = [str(NODE), "driver.mjs", json.dumps(calls), str(wait_ms)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert isinstance(told, dict)
    return told


def posted(server: Answering) -> list[dict[str, Any]]:
    return [json.loads(request.body) for request in server.requests]


ANSWERS: list[tuple[str, Answer, str]] = [
    ("allow", says(b'{"action": "allow"}'), "ran"),
    ("none", says(b'{"action": "none"}'), "ran"),
    ("nothing", says(), "ran"),
    ("deny", says(b'{"action": "deny", "message": "it deletes"}'), "it deletes"),
    ("another word", says(b'{"action": "perhaps"}'), "was not understood"),
    ("a list", says(b"[]"), "was not understood"),
    ("no JSON", says(b"<html>"), "did not answer"),
    ("a refusal", says(b'{"action": "allow"}', "-", b"a mistake"), "a mistake"),
    ("an exit code", says(b'{"action": "allow"}', "2", b"not this"), "not this"),
    ("cut off", lambda talk: talk.send(talk.sealed(b'{"action": "allow"}')[:-4]), "did not answer"),
]


@pytest.mark.parametrize(("name", "answer", "result"), ANSWERS, ids=[each[0] for each in ANSWERS])
def test_a_tool_runs_only_after_an_answer(tmp_path: Path, name: str, answer: Answer, result: str) -> None:
    """Whatever is no answer stops it, because OpenCode itself asks for nothing."""
    with Answering(answer) as server:
        told = run(tmp_path, server.address, [BEFORE])
    assert result in told["results"][0]
    assert posted(server) == [
        {
            "event": "tool.execute.before",
            "tool": "bash",
            "sessionID": "s",
            "callID": "c",
            "args": {"command": "ls"},
            "directory": "/p",
        }
    ]
    assert server.requests[0] == Request("hooks/opencode", server.requests[0].body, was_proven=True)


def test_a_plugin_whose_program_is_gone_names_itself(tmp_path: Path) -> None:
    """Nothing runs, since OpenCode itself asks for nothing; whoever removed Steward reads how to go on."""
    told = run(tmp_path, "1", [BEFORE], program=HookClient((str(tmp_path / "steward-hook"),)))
    (said,) = told["results"]
    assert "Steward was removed" in said
    assert f"delete {tmp_path / 'steward.mjs'}" in said


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy"])
def test_a_proxy_gets_neither_hook_nor_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """And what it answers lets nothing run."""
    yes = b'HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{"action": "allow"}'
    deny = says(b'{"action": "deny", "message": "it deletes"}')
    with Answering(raw=lambda line: line.sendall(yes)) as proxy, Answering(deny) as server:
        monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.address}")
        assert "it deletes" in run(tmp_path, server.address, [BEFORE])["results"][0]
    assert proxy.heads == []


def test_a_stranger_on_the_port_lets_nothing_run(tmp_path: Path) -> None:
    """It says yes, and is not believed."""
    yes = b'HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{"action": "allow"}'
    with Answering(raw=lambda line: line.sendall(yes)) as stranger:
        told = run(tmp_path, stranger.address, [BEFORE])
    assert "another program answers" in told["results"][0]
    assert TOKEN.encode() not in stranger.heads[0]
    assert b'"ls"' not in stranger.heads[0]


def test_steward_is_not_running(tmp_path: Path) -> None:
    """Said in the error that the model reads."""
    with Answering() as server:
        port = server.address
    told = run(tmp_path, port, [BEFORE])
    assert "Steward did not answer" in told["results"][0]


def test_nobody_decides_in_time(tmp_path: Path) -> None:
    """Then it was not run."""

    def waits(talk: Talk) -> None:
        talk.line.recv(1)

    with Answering(waits) as server:
        told = run(tmp_path, server.address, [BEFORE])
    assert "so this was not run" in told["results"][0]


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ({"action": "allow"}, "ls"),
        ({"action": "allow", "args": {"command": "confined ls", "workdir": "src"}}, "confined ls"),
        ({"action": "none", "args": {"command": "confined ls"}}, "ls"),
    ],
)
def test_a_rewritten_command_stands_in_opencodes_own_object(
    tmp_path: Path, reply: dict[str, Any], line: str
) -> None:
    """OpenCode runs what it handed over, so it is changed there; only an allow changes it."""
    with Answering(says(json.dumps(reply).encode())) as server:
        told = run(tmp_path, server.address, [BEFORE])
    assert told["results"] == ["ran"]
    assert told["calls"][0][1]["args"]["command"] == line


REPLIES = [(b'{"action": "allow"}', "once"), (b'{"action": "deny", "message": "no"}', "reject")]


@pytest.mark.parametrize(("body", "response"), REPLIES)
def test_a_permission_is_answered(tmp_path: Path, body: bytes, response: str) -> None:
    """With all of the call that it is for; the answer goes back through OpenCode's client."""

    def answer(talk: Talk) -> None:
        talk.send(talk.sealed(b'{"action": "none"}' if len(server.requests) == 1 else body))

    with Answering(answer) as server:
        told = run(tmp_path, server.address, [BEFORE, PERMISSION], wait_ms=10_000)
    assert told["results"] == ["ran", "ran"]
    assert told["replies"] == [{"path": {"id": "s", "permissionID": "per_1"}, "body": {"response": response}}]
    asked = posted(server)[1]
    assert (asked["event"], asked["tool"], asked["args"]) == ("permission.asked", "bash", {"command": "ls"})
    assert asked["permission"] == ASKED


@pytest.mark.parametrize("body", [b'{"action": "none"}', b"", b"[]", b"<html>"])
def test_a_permission_without_an_answer_stays_with_opencode(tmp_path: Path, body: bytes) -> None:
    """Its own prompt is there."""

    def answer(talk: Talk) -> None:
        talk.send(talk.sealed(b'{"action": "none"}' if len(server.requests) == 1 else body))

    with Answering(answer) as server:
        told = run(tmp_path, server.address, [BEFORE, PERMISSION], wait_ms=200)
    assert told["replies"] == []


def test_a_permission_for_a_call_that_was_not_seen_is_not_posted(tmp_path: Path) -> None:
    """What cannot be shown in full is not asked."""
    with Answering(says(b'{"action": "allow"}')) as server:
        told = run(tmp_path, server.address, [PERMISSION], wait_ms=100)
    assert (told["replies"], server.requests) == ([], [])


def test_what_is_only_told_stops_nothing(tmp_path: Path) -> None:
    """Sessions and results go on without Steward."""
    after = ["tool.execute.after", {"tool": "bash", "sessionID": "s", "callID": "c", "args": {}}, {}]
    created = ["event", {"event": {"type": "session.created", "properties": {"info": {"id": "s"}}}}]
    with Answering(says(b"", "-", b"oops")) as server:
        told = run(tmp_path, server.address, [after, created])
    assert told["results"] == ["ran", "ran"]
    assert [each["event"] for each in posted(server)] == ["tool.execute.after", "session.created"]


def test_a_plugin_of_ours_is_known_again(tmp_path: Path) -> None:
    """By the line with its client, and an older one by its address; another file is not ours."""
    text = plugin_text(HookTarget("opencode", "5", tmp_path, HookClient(("x",))))
    line = f"x opencode 5 @{tmp_path} 598 --guards --fail-closed"
    assert read_plugin(text) == ({"command": line},)
    old = 'const STEWARD = {"url": "http://127.0.0.1:5/hooks/opencode", "token": "t", "holds_s": 598}'
    assert read_plugin(old) == ({"url": "http://127.0.0.1:5/hooks/opencode"},)
    assert read_plugin("export const Other = 1") == ()
    assert read_plugin("const STEWARD = {}") == ()
