"""The plugin for OpenCode, run by Node as OpenCode runs it, against a real server."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from desktop.agents import plugin
from desktop.agents.client_command import Client
from desktop.agents.install_entries import Door
from tests.agents.answering import Answer, Answering, http, says

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed here")

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


def run(folder: Path, port: str, calls: list[Any], wait_ms: int = 0) -> dict[str, Any]:
    door = Door("opencode", int(port), port, "tok-en", folder / "t", Client(("x",)))
    text = plugin.written(door).replace("holds_s * 1000", "holds_s * 1")  # half a second instead of minutes
    (folder / "steward.mjs").write_text(text)
    (folder / "driver.mjs").write_text(DRIVER)
    command = [str(NODE), "driver.mjs", json.dumps(calls), str(wait_ms)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert isinstance(told, dict)
    return told


def posted(server: Answering) -> list[dict[str, Any]]:
    return [json.loads(request.partition(b"\r\n\r\n")[2]) for request in server.requests]


ANSWERS: list[tuple[str, Answer, str]] = [
    ("allow", says(http(b'{"action": "allow"}')), "ran"),
    ("none", says(http(b'{"action": "none"}')), "ran"),
    ("nothing", says(http(b"")), "ran"),
    ("deny", says(http(b'{"action": "deny", "message": "it deletes"}')), "it deletes"),
    ("another word", says(http(b'{"action": "perhaps"}')), "was not understood"),
    ("a list", says(http(b"[]")), "was not understood"),
    ("no JSON", says(http(b"<html>")), "did not answer"),
    ("an error", says(http(b'{"action": "allow"}', status="500 Oops")), "did not answer (status 500)"),
    ("moved", says(http(b'{"action": "allow"}', "Location: /x", status="302 Found")), "did not answer"),
    ("cut off", says(http(b'{"action": "allow"}')[:-4]), "did not answer"),
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
    head = server.requests[0].partition(b"\r\n\r\n")[0].lower()
    assert head.startswith(b"post /hooks/opencode ")
    assert b"authorization: bearer tok-en" in head


def test_steward_is_not_running(tmp_path: Path) -> None:
    """Said in the error that the model reads."""
    with Answering(says(b"")) as server:
        port = server.address
    told = run(tmp_path, port, [BEFORE])
    assert "Steward did not answer" in told["results"][0]


def test_nobody_decides_in_time(tmp_path: Path) -> None:
    """Then it was not run."""

    def waits(line: Any) -> None:
        line.recv(1)

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
    with Answering(says(http(json.dumps(reply).encode()))) as server:
        told = run(tmp_path, server.address, [BEFORE])
    assert told["results"] == ["ran"]
    assert told["calls"][0][1]["args"]["command"] == line


REPLIES = [(b'{"action": "allow"}', "once"), (b'{"action": "deny", "message": "no"}', "reject")]


@pytest.mark.parametrize(("body", "response"), REPLIES)
def test_a_permission_is_answered(tmp_path: Path, body: bytes, response: str) -> None:
    """With all of the call that it is for; the answer goes back through OpenCode's client."""

    def answer(line: Any) -> None:
        line.sendall(http(b'{"action": "none"}' if len(server.requests) == 1 else body))

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

    def answer(line: Any) -> None:
        line.sendall(http(b'{"action": "none"}' if len(server.requests) == 1 else body))

    with Answering(answer) as server:
        told = run(tmp_path, server.address, [BEFORE, PERMISSION], wait_ms=200)
    assert told["replies"] == []


def test_a_permission_for_a_call_that_was_not_seen_is_not_posted(tmp_path: Path) -> None:
    """What cannot be shown in full is not asked."""
    with Answering(says(http(b'{"action": "allow"}'))) as server:
        told = run(tmp_path, server.address, [PERMISSION], wait_ms=100)
    assert (told["replies"], server.requests) == ([], [])


def test_what_is_only_told_stops_nothing(tmp_path: Path) -> None:
    """Sessions and results go on without Steward."""
    after = ["tool.execute.after", {"tool": "bash", "sessionID": "s", "callID": "c", "args": {}}, {}]
    created = ["event", {"event": {"type": "session.created", "properties": {"info": {"id": "s"}}}}]
    with Answering(says(http(b"", status="500 Oops"))) as server:
        told = run(tmp_path, server.address, [after, created])
    assert told["results"] == ["ran", "ran"]
    assert [each["event"] for each in posted(server)] == ["tool.execute.after", "session.created"]


def test_a_plugin_of_ours_is_known_again(tmp_path: Path) -> None:
    """By the line with its address; another file is not ours."""
    text = plugin.written(Door("opencode", 5, "5", "tok", tmp_path, Client(("x",))))
    assert plugin.read(text) == (
        {"url": "http://127.0.0.1:5/hooks/opencode", "headers": {"Authorization": "Bearer tok"}},
    )
    assert plugin.read("export const Other = 1") == ()
    assert plugin.read("const STEWARD = {}") == ()
