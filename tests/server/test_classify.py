"""`POST /api/classify`: what a command line would do, one or many; it only says."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.gate.judge import ModelVerdict
from desktop.gate.verdict import Effect
from desktop.server.classify import MOST_AT_ONCE, NotUnderstood, read
from desktop.server.openapi import Classified, ClassifiedMany, ClassifyOne
from tests.server import raw
from tests.server.conftest import Running

UNKNOWN_PROGRAM = "frobnicate --all things"


def classify(running: Running, client: httpx.Client, content: object) -> httpx.Response:
    return client.post("/api/classify", json=content, headers=running.general)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ls -la", ("READ", "READ", "allow")),
        ("mkdir new", ("CREATE", "CREATE", "ask")),
        ("sed -i s/a/b/ x", ("UPDATE", "UPDATE", "ask")),
        ("rm -rf build", ("DELETE", "DELETE", "ask")),
        ('bash -c "$X"', ("CREATE", "UNKNOWN", "ask")),
        ("cat ~/.ssh/id_rsa", ("READ", "READ", "ask")),
    ],
)
def test_the_class_is_given_in_four_words(
    running: Running, client: httpx.Client, command: str, words: tuple[str, str, str]
) -> None:
    """What the text does not show is CREATE in four words, UNKNOWN beside it, and asks."""
    answer = classify(running, client, {"command": command})
    assert answer.status_code == 200
    found = answer.json()
    assert (found["classification"], found["class"], found["gate"]) == words
    assert found["command"] == command
    assert found["reason"]
    assert found["ms"] >= 0


def test_shell_and_folder_are_taken_into_account(running: Running, client: httpx.Client) -> None:
    """The same words mean something else in another shell."""
    line = {"command": "Remove-Item x", "shell": "powershell", "cwd": "/tmp"}
    assert classify(running, client, line).json()["class"] == "DELETE"


def test_a_batch_is_answered_in_order(running: Running, client: httpx.Client) -> None:
    """Lines may be texts or objects; every answer stands where its line stood."""
    lines = ["ls", {"command": "rm x"}, {"command": "Get-ChildItem", "shell": "powershell"}]
    answer = classify(running, client, {"commands": lines})
    found = ClassifiedMany.model_validate(renamed(answer.json()))
    assert [each.class_name for each in found.results] == ["READ", "DELETE", "READ"]
    assert running.judge.timeouts_s == [], "tables knew them all"


def test_a_judge_that_is_late_is_named_and_asks(running: Running, client: httpx.Client) -> None:
    """With a millisecond for the model the reason says that it timed out, and the gate asks."""
    asked = {"command": UNKNOWN_PROGRAM, "inference_timeout_ms": 1}
    found = classify(running, client, asked).json()
    assert (found["classification"], found["class"], found["gate"]) == ("CREATE", "UNKNOWN", "ask")
    assert "timed out" in found["reason"]
    assert found["tier"] == 4
    assert running.judge.timeouts_s == [0.001]


def test_without_a_model_the_time_out_is_named_too(running: Running, client: httpx.Client) -> None:
    """Whoever gives the model a millisecond hears that none answered in it, also where none is loaded."""
    running.judge.is_there = False
    found = classify(running, client, {"command": UNKNOWN_PROGRAM, "inference_timeout_ms": 1}).json()
    assert found["gate"] == "ask"
    assert "time-out of 1 ms" in found["reason"]
    assert found["tier"] == 2, "the tables decided"
    assert "time-out" not in classify(running, client, {"command": UNKNOWN_PROGRAM}).json()["reason"]


def test_the_judge_gives_an_opinion_and_decides_nothing(running: Running, client: httpx.Client) -> None:
    """It stands beside the verdict, labelled, and the verdict stays what the tables say."""
    running.judge.opinion = ModelVerdict(Effect.READ, 0.99, {"READ": 0.99}, "Small model", 12.0)
    found = classify(running, client, {"command": UNKNOWN_PROGRAM, "inference_timeout_ms": 90_000}).json()
    assert found["judge"] == {"class": "READ", "probability": 0.99, "model": "Small model", "ms": 12.0}
    assert (found["classification"], found["gate"]) == ("CREATE", "ask")
    assert "Small model thinks" in found["reason"]
    assert running.judge.timeouts_s == [2.0], "more than two seconds are not waited for"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"[1]", "the request"),
        (b"{}", "command"),
        (b'{"command": 5}', "command"),
        (b'{"command": "ls", "shell": "fish"}', "shell"),
        (b'{"command": "ls", "inference_timeout_ms": 0}', "inference_timeout_ms"),
        (b'{"command": "ls", "inference_timeout_ms": "soon"}', "inference_timeout_ms"),
        (b'{"commands": []}', "commands"),
        (b'{"commands": "ls"}', "commands"),
        (b'{"commands": [5]}', "commands.0"),
        (json.dumps({"commands": ["ls"] * 1001}).encode(), "commands"),
        (b'{"command": "' + b"\xff\xfe" + b'"}', "JSON"),
        (b"[" * 100_000, "JSON"),
    ],
)
def test_what_cannot_be_read_is_explained(
    running: Running, client: httpx.Client, body: bytes, named: str
) -> None:
    """The error names the place; nothing is classified."""
    answer = client.post("/api/classify", content=body, headers=running.general)
    assert answer.status_code == 400
    assert named in answer.json()["error"]
    assert answer.json()["action"]


@given(st.text(max_size=50))
def test_every_text_is_a_command(command: str) -> None:
    """What the command line holds is not looked at before it is classified."""
    found = read(json.dumps({"command": command}).encode())
    assert found == ClassifyOne(command=command)


@given(st.binary(max_size=200))
def test_noise_is_not_understood(body: bytes) -> None:
    """Reading fails in one way, whatever the bytes."""
    with pytest.raises(NotUnderstood, match=r"."):
        read(body)


@pytest.mark.parametrize("whose", ["agent", "none"])
def test_agents_tokens_do_not_open_the_api(running: Running, client: httpx.Client, whose: str) -> None:
    """What an agent has is good for its hook alone."""
    headers = {"Authorization": f"Bearer {running.agent_token}"} if whose == "agent" else {}
    answer = client.post("/api/classify", json={"command": "ls"}, headers=headers)
    assert answer.status_code == (403 if whose == "agent" else 401)


def test_hooks_are_answered_while_a_judge_thinks(running: Running, client: httpx.Client) -> None:
    """The model is waited for elsewhere; and of the API only so many wait at once."""
    running.judge.may_answer.clear()
    port, at_once = running.port, MOST_AT_ONCE
    body = json.dumps({"command": UNKNOWN_PROGRAM}).encode()
    asked = raw.request("/api/classify", "POST", body, **running.general)
    lines = [raw.socket.create_connection(("127.0.0.1", port), 10) for _ in range(at_once)]
    try:
        for line in lines:
            line.sendall(asked)
        wait_until(lambda: len(running.judge.timeouts_s) == at_once)
        assert running.hook(client, "ls").status_code == 200
        assert classify(running, client, {"command": UNKNOWN_PROGRAM}).status_code == 503
        assert classify(running, client, {"command": "ls"}).status_code == 200
        running.judge.may_answer.set()
        assert {raw.answer(line)[0] for line in lines} == {200}
    finally:
        running.judge.may_answer.set()
        for line in lines:
            line.close()


def test_a_batch_that_nobody_waits_for_ends(running: Running) -> None:
    """The rest of the lines is not worked on once the connection is gone."""
    running.judge.may_answer.clear()
    body = json.dumps({"commands": [f"{UNKNOWN_PROGRAM} {number}" for number in range(50)]}).encode()
    with raw.line_to(running.port) as line:
        line.sendall(raw.request("/api/classify", "POST", body, **running.general))
        wait_until(lambda: len(running.judge.timeouts_s) == 1)
    wait_until(lambda: len(running.server._crowd) == 0)
    running.judge.may_answer.set()
    wait_until(lambda: running.server._calls.count == 0)
    assert len(running.judge.timeouts_s) < 5


def test_a_long_batch_goes_on_without_the_judge(
    running: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand unknown programs do not take half an hour; the reason says what was left out."""
    monkeypatch.setattr("desktop.server.classify.LONGEST_BATCH_S", -1.0)
    answer = classify(running, client, {"commands": [UNKNOWN_PROGRAM, "ls"]}).json()
    assert "was not asked" in answer["results"][0]["reason"]
    assert "was not asked" not in answer["results"][1]["reason"]
    assert running.judge.timeouts_s == []


def test_many_batches_at_once_keep_every_answer(running: Running) -> None:
    """Batches on several threads do not mix."""

    def one(number: int) -> list[str]:
        with httpx.Client(base_url=f"http://127.0.0.1:{running.port}", trust_env=False) as own:
            lines = [f"ls {number}-{line}" for line in range(30)]
            results = classify(running, own, {"commands": lines}).json()["results"]
            assert [each["command"] for each in results] == lines
            return [Classified.model_validate(renamed(each)).class_name for each in results]

    with ThreadPoolExecutor(4) as pool:
        assert all(set(each) == {"READ"} for each in pool.map(one, range(8)))


def renamed(content: object) -> object:
    """The wire's `class` under its name in Python, as often as it occurs."""
    return json.loads(json.dumps(content).replace('"class":', '"class_name":'))


def wait_until(condition: object, timeout_s: float = 10.0) -> None:
    pause = threading.Event()
    for _ in range(round(timeout_s / 0.01)):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it did not come to that in time")
