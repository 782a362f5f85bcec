"""Who may ask the model, whose turn it is, and what becomes of an answer that nobody waits for."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.server.openai import routes
from desktop.server.openai.programs import ProgramAnswering
from desktop.server.openai.routes import LONGEST_RETRY_S, MOST_WAITING
from tests.fakes.scripted_model import ScriptedBackend
from tests.server.openai.conftest import Api, Gate, MakeApi, error_of

QUESTION = {"model": "steward", "messages": [{"role": "user", "content": "Hello"}]}


def wait_for(condition: Callable[[], bool]) -> None:
    """Until it is so; a machine that is busy gets ten seconds."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


# --- Who may come in


@pytest.mark.parametrize("path", ["/v1/models", "/v1/chat/completions", "/v1/nothing"])
def test_without_a_token_nothing_is_answered(api: Api, path: str) -> None:
    """Whatever is asked, the error says how to get one."""
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": api.token}):
        answer = api.client.post(path, json=QUESTION, headers=headers)
        assert answer.status_code == 401
        assert error_of(answer)["code"] == "invalid_api_key"
        assert "steward api token" in error_of(answer)["message"]


def test_tokens_of_agents_and_of_the_user_cannot_chat(api: Api) -> None:
    """An agent's hook token, that of a launched run and the general one are none of a program."""
    others = (api.agents.make("small"), api.agents.lend("small", "run-1"), api.agents.general())
    for token in others:
        answer = api.client.post(
            "/v1/chat/completions", json=QUESTION, headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.status_code == 401
    assert not api.backend.loads


def test_a_program_s_token_cannot_post_hooks_or_classify(api: Api) -> None:
    """To the gate it is a token that it does not know: a hook is denied, the rest refused."""
    hook = api.client.post("/hooks/small", json={"command": "ls"}, headers=api.bearer)
    assert hook.json()["decision"] == "deny"
    assert api.client.post("/api/classify", json={"command": "ls"}, headers=api.bearer).status_code == 401
    assert api.client.get("/metrics", headers=api.bearer).status_code == 401


def test_a_revoked_token_ends_at_once_and_a_new_one_replaces_the_old(api: Api) -> None:
    """What another process changes in the file counts with the next request."""
    assert api.ask().status_code == 200
    newer = api.tokens.make("llm")
    assert api.ask().status_code == 401
    api.token = newer
    assert api.ask().status_code == 200
    assert api.tokens.revoke("llm")
    assert api.ask().status_code == 401
    assert not api.tokens.revoke("llm")


def test_switched_off_nobody_is_answered(api: Api) -> None:
    """Off is the default, counts at once, and says where to switch it on."""
    api.change(enabled=False)
    answer = api.ask()
    assert (answer.status_code, error_of(answer)["code"]) == (403, "api_off")
    api.change(enabled=True)
    assert api.ask().status_code == 200


def test_another_name_of_this_address_is_refused(api: Api) -> None:
    """A page that lets its own name point here (DNS rebinding) gives itself away by Host."""
    answer = api.post("/v1/chat/completions", QUESTION, Host=f"evil.example:{api.port}")
    assert (answer.status_code, error_of(answer)["code"]) == (403, "wrong_host")


def test_web_pages_come_in_by_their_exact_origin_alone(api: Api) -> None:
    """Neither another port nor a longer name will do, and no page can read that it was refused."""
    allowed = "http://localhost:3000"
    assert (
        error_of(api.post("/v1/chat/completions", QUESTION, Origin=allowed))["code"] == "origin_not_allowed"
    )
    api.change(origins=[allowed])
    answer = api.post("/v1/chat/completions", QUESTION, Origin=allowed)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == allowed
    others = ("http://localhost:3001", "https://localhost:3000", "http://localhost:3000.evil.example", "null")
    for origin in others:
        answer = api.post("/v1/chat/completions", QUESTION, Origin=origin)
        assert answer.status_code == 403
        assert "Access-Control-Allow-Origin" not in answer.headers
    fetched = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty"}
    assert api.post("/v1/chat/completions", QUESTION, **fetched).status_code == 403


def test_a_browser_may_ask_beforehand_for_an_allowed_page(api: Api) -> None:
    """A preflight has no token; it is answered for allowed origins and for no other."""
    api.change(origins=["http://localhost:3000"])
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    answer = api.client.options("/v1/chat/completions", headers={"Origin": "http://localhost:3000", **asked})
    assert answer.status_code == 204
    assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
    other = api.client.options("/v1/chat/completions", headers={"Origin": "http://evil.example", **asked})
    assert other.status_code == 403


def test_unknown_addresses_and_methods_are_told_in_the_same_form(api: Api) -> None:
    """Clients print the error object, wherever they have strayed to."""
    assert error_of(api.post("/v1/images/generations", {}))["code"] == "unknown_url"
    wrong = api.client.get("/v1/chat/completions", headers=api.bearer)
    assert (wrong.status_code, wrong.headers["Allow"]) == (405, "POST")


def test_the_models_are_the_one_that_answers_its_lasting_name_and_that_of_vectors(api: Api) -> None:
    """Either may be named in a request, and looked up by itself."""
    listed = api.client.get("/v1/models", headers=api.bearer).json()
    names = [each["id"] for each in listed["data"]]
    assert names == ["scripted", "steward", "all-minilm-l6-v2"]
    for name in names:
        assert api.client.get(f"/v1/models/{name}", headers=api.bearer).json()["id"] == name
    assert error_of(api.client.get("/v1/models/gpt", headers=api.bearer))["code"] == "model_not_found"


def test_a_large_or_packed_request_is_refused(api: Api) -> None:
    """More than the server reads, and what could unpack to more, are named as such."""
    assert api.post("/v1/chat/completions", b" " * (1024 * 1024 + 1)).status_code == 413
    packed = api.post("/v1/chat/completions", b"x", **{"Content-Encoding": "gzip"})
    assert packed.status_code == 415
    assert error_of(packed)["message"]


# --- Whose turn it is


def test_one_is_answered_eight_wait_and_the_tenth_is_told_to_come_back(make_api: MakeApi) -> None:
    """The queue is as long as that, and whoever waits is answered in the end."""
    gate = Gate()
    api = make_api(ScriptedBackend(on_decode=gate))
    with ThreadPoolExecutor(9) as pool:
        asked = [pool.submit(api.ask) for _ in range(9)]
        wait_for(lambda: bool(api.routes) and api.routes[0].waiting == MOST_WAITING)
        refused = api.ask()
        gate.opened.set()
        assert [each.result().status_code for each in asked] == [200] * 9
    assert (refused.status_code, error_of(refused)["code"]) == (429, "rate_limit_exceeded")
    assert 1 <= int(refused.headers["Retry-After"]) <= LONGEST_RETRY_S


def test_a_dropped_connection_stops_the_model(make_api: MakeApi) -> None:
    """Nobody waits for the answer, so the next one is not kept waiting by it."""
    gate = Gate()
    api = make_api(ScriptedBackend("one two three", on_decode=gate))
    body = json.dumps({**QUESTION, "stream": True}).encode()
    line = socket.create_connection(("127.0.0.1", api.port))
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{api.port}\r\n"
    line.sendall(
        f"{head}Authorization: Bearer {api.token}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    )
    assert gate.arrived.wait(10)
    assert api.engine.is_busy
    line.close()
    wait_for(lambda: all(job.cancelled for job in api.engine._scheduler.jobs))
    gate.opened.set()
    wait_for(lambda: not api.engine.is_busy)
    assert api.ask().status_code == 200


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses"])
def test_a_program_hears_something_while_its_prompt_is_read(
    make_api: MakeApi, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """No word can come before the model has read; until then comments do, and the answer is whole after."""
    monkeypatch.setattr(routes, "QUIET_S", 0.05)
    gate = Gate()
    api = make_api(ScriptedBackend("one two three", on_decode=gate))
    asked = {"model": "steward", "stream": True}
    asked |= {"input": "Hello"} if path.endswith("responses") else {"messages": QUESTION["messages"]}
    with api.client.stream("POST", path, json=asked, headers=api.bearer) as answer:
        assert answer.status_code == 200
        lines = answer.iter_lines()
        # Nothing lets the model read on before two of them are here.
        assert [next(lines) for _ in range(4)] == [": still at it", ""] * 2
        gate.opened.set()
        rest = [line for line in lines if line and not line.startswith(":")]
    said = [json.loads(line.removeprefix("data: ")) for line in rest if line.startswith("data: {")]
    assert "".join(words_of(each) for each in said) == "one two three"


def words_of(event: dict[str, Any]) -> str:
    """What of the answer one event of either wire form brings."""
    if event.get("object") == "chat.completion.chunk":
        return "".join(each["delta"].get("content") or "" for each in event["choices"])
    return str(event["delta"]) if event.get("type") == "response.output_text.delta" else ""


def test_one_that_waits_for_its_turn_hears_something_too(
    make_api: MakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind another program's answer, as before its own first word; a failure then stands in the stream."""
    monkeypatch.setattr(routes, "QUIET_S", 0.05)
    gate = Gate()
    api = make_api(ScriptedBackend("one two three", on_decode=gate))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(api.ask)
        assert gate.arrived.wait(10)
        # More than fits: found out only once its turn has come.
        long = {**QUESTION, "stream": True, "messages": [{"role": "user", "content": "word " * 9000}]}
        with api.client.stream("POST", "/v1/chat/completions", json=long, headers=api.bearer) as answer:
            assert answer.status_code == 200
            lines = answer.iter_lines()
            assert next(lines) == ": still at it"
            gate.opened.set()
            rest = [line for line in lines if line.startswith("data: ")]
        assert first.result().status_code == 200
    assert "error" in json.loads(rest[0].removeprefix("data: "))


def test_who_is_answered_is_announced_and_counted(api: Api) -> None:
    """The window can name the program while it is answered, and afterwards what it has used."""
    told: list[str] = []
    api.bus.subscribe(ProgramAnswering, lambda event: told.append(event.name))
    usage = api.ask().json()["usage"]
    api.ask(model="gpt")
    # An answer is counted once it has been written, which the one that got it does not wait for.
    wait_for(lambda: api.uses.uses()["llm"].refused == 1 and api.uses.uses()["llm"].requests == 1)
    use = api.uses.uses()["llm"]
    assert told == ["llm", ""]
    assert (use.requests, use.refused) == (1, 1)
    assert (use.prompt_tokens, use.answer_tokens) == (usage["prompt_tokens"], usage["completion_tokens"])
    assert use.last_used


def test_the_window_s_question_goes_before_a_program_s_answer(make_api: MakeApi) -> None:
    """A question of the user's is answered whole while the program's answer waits between two tokens."""
    backend = ScriptedBackend(
        lambda prompt: "mine " * 3 if "window" in prompt else "theirs " * 200, token_s=0.002
    )
    api = make_api(backend)
    with ThreadPoolExecutor(1) as pool:
        theirs = pool.submit(api.ask)
        wait_for(lambda: any("theirs" in each.text for each in backend.evaluated))
        before = sum("theirs" in each.text for each in backend.evaluated)
        mine = GenerateRequest("chat-1", (Message("user", "window"),), Sampling(temperature=0), Priority.CHAT)
        assert api.engine.submit(mine).text() == "mine " * 3
        while_mine = sum("theirs" in each.text for each in backend.evaluated) - before
        assert theirs.result().status_code == 200
    # Counted, not timed: at most the token under way and what came between counting and asking.
    assert while_mine <= 12


def test_a_program_s_instructions_are_not_kept_on_disk(api: Api) -> None:
    """The state of its prompt stays in memory, where the own conversations' beginnings are saved."""
    long = {"role": "system", "content": "Be kind. " * 80}
    api.post("/v1/chat/completions", {"model": "steward", "messages": [long, *QUESTION["messages"]]})
    assert not list(api.engine._loader._paths.prefixes.glob("*"))
