"""Who may ask the model, whose turn it is, and what becomes of an answer that nobody waits for."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.server.openai import routes
from desktop.server.openai.answers import AnswerRequest, ModelAnswer
from desktop.server.openai.fields import Fields
from desktop.server.openai.programs import ProgramAnswering
from desktop.server.openai.routes import LONGEST_RETRY_S, MOST_OF_ONE, MOST_WAITING
from tests.fakes.scripted_model import ScriptedBackend
from tests.server import raw
from tests.server.openai.conftest import Api, Gate, MakeApi, error_of, events

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


def raw_error(line: socket.socket) -> tuple[int, dict[str, Any]]:
    """Status and error object of an answer to what no client library sends."""
    status, body = raw.answer(line)
    content = json.loads(body)
    assert set(content) == {"error"}, content
    assert set(content["error"]) == {"message", "type", "param", "code"}
    return status, content["error"]


def test_a_body_in_chunks_has_the_same_limit(api: Api) -> None:
    """No head tells how long it is, so that it is counted as it comes."""
    parts = (b" " * 65_536 for _ in range(17))
    answer = api.client.post("/v1/chat/completions", content=parts, headers=api.bearer)
    assert answer.status_code == 413
    assert "1 MB" in error_of(answer)["message"]


def head_of(api: Api, path: str, *more: str, token: str = "") -> bytes:
    bearer = f"Authorization: Bearer {token or api.token}"
    lines = (f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{api.port}", bearer)
    return "\r\n".join((*lines, *more, "", "")).encode()


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/embeddings"])
@pytest.mark.parametrize("chunk", [b"zz\r\n{}\r\n", b"5\r\n{}\r\n0\r\n\r\n", b"-1\r\n{}\r\n"])
def test_a_chunk_that_is_none_is_the_sender_s_mistake(api: Api, path: str, chunk: bytes) -> None:
    """And none of Steward's own."""
    with raw.line_to(api.port) as line:
        line.sendall(head_of(api, path, "Transfer-Encoding: chunked") + chunk)
        status, error = raw_error(line)
    assert status == 400
    assert "HTTP" in error["message"]
    assert api.ask().status_code == 200


UNREADABLE = {
    "a header of 1 MB": b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 1_000_000,
    "an address of 1 MB": b"GET /v1/models?" + b"a" * 1_000_000 + b" HTTP/1.1\r\n\r\n",
    "no version": b"POST /v1/chat/completions\r\n\r\n",
    "another version": b"POST /v1/chat/completions HTTP/9.9\r\n\r\n",
    "no name of a header": b"POST /v1/chat/completions HTTP/1.1\r\n: x\r\n\r\n",
    "a header on two lines": b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n x\r\n\r\n",
    "two lengths": b"POST /v1/responses HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "a length that is none": b"POST /v1/embeddings HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
}


@pytest.mark.parametrize("sent", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_http_is_told_in_the_same_form(api: Api, sent: bytes) -> None:
    """Nobody knows yet whose request it would have been; where it was going stands in its first line."""
    with raw.line_to(api.port) as line:
        # Whoever is told early may hang up before all of it is sent.
        with contextlib.suppress(ConnectionError):
            line.sendall(sent)
        status, error = raw_error(line)
    assert status in (400, 403)  # what names no version names no host either
    assert len(error["message"]) < 300
    assert api.ask().status_code == 200


@pytest.mark.parametrize(
    "path", ["/v1/%ff", "/v1/%00", "/v1/..%2fhealth", "/v1//models", "/v1/models/%ff%fe"]
)
def test_an_odd_address_is_told_in_the_same_form(api: Api, path: str) -> None:
    """Whatever bytes it is made of, the error can repeat it."""
    for sent in (path.encode(), path.replace("%ff", "\xff").replace("%fe", "\xfe").encode("latin-1")):
        head = b"GET %b HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % (sent, api.port)
        with raw.line_to(api.port) as line:
            line.sendall(head + f"Authorization: Bearer {api.token}\r\n\r\n".encode())
            status, error = raw_error(line)
        # Bytes beyond ASCII may be no address at all to the parser, which answers before any route.
        assert status == 404 if sent.isascii() else status in (400, 404)
        assert error["message"]


# --- Whose turn it is


def asked_by(api: Api, token: str) -> bytes:
    """A whole request for a chat completion, as it goes over the line."""
    body = json.dumps(QUESTION).encode()
    return head_of(api, "/v1/chat/completions", f"Content-Length: {len(body)}", token=token) + body


def test_one_is_answered_eight_wait_and_the_tenth_is_told_to_come_back(make_api: MakeApi) -> None:
    """The queue is as long as that, and whoever waits is answered in the end."""
    gate = Gate()
    api = make_api(ScriptedBackend(on_decode=gate))
    tokens = [api.token, *(api.tokens.make(name) for name in ("b", "c", "d"))]
    with contextlib.ExitStack() as lines:
        asked = [lines.enter_context(raw.line_to(api.port)) for _ in range(9)]
        asked[0].sendall(asked_by(api, tokens[0]))
        assert gate.arrived.wait(10)
        for number, line in enumerate(asked[1:]):
            line.sendall(asked_by(api, tokens[number % 3]))
        wait_for(lambda: api.routes[0].waiting == MOST_WAITING)
        api.token = tokens[3]
        refused = api.ask()
        gate.opened.set()
        assert [raw.answer(line)[0] for line in asked] == [200] * 9
    assert (refused.status_code, error_of(refused)["code"]) == (429, "rate_limit_exceeded")
    assert error_of(refused)["message"].startswith(f"{MOST_WAITING} requests wait already")
    assert 1 <= int(refused.headers["Retry-After"]) <= LONGEST_RETRY_S


def test_a_greedy_program_leaves_places_for_the_others(make_api: MakeApi) -> None:
    """Of one token three wait, by whichever form they ask; the fourth is told so while others come in, and
    after one of the three has hung up there is a place again."""
    gate = Gate()
    api = make_api(ScriptedBackend(on_decode=gate))
    greedy, other = api.token, api.tokens.make("other")
    with contextlib.ExitStack() as lines:
        asked = [lines.enter_context(raw.line_to(api.port)) for _ in range(1 + MOST_OF_ONE)]
        asked[0].sendall(asked_by(api, greedy))
        assert gate.arrived.wait(10)
        for line in asked[1:]:
            line.sendall(asked_by(api, greedy))
        wait_for(lambda: api.routes[0].waiting == MOST_OF_ONE)
        for path, more in (
            ("/v1/chat/completions", QUESTION),
            ("/v1/chat/completions", {**QUESTION, "stream": True}),
            ("/v1/responses", {"model": "steward", "input": "Hello"}),
            ("/v1/embeddings", {"model": "all-minilm-l6-v2", "input": "Hello"}),
        ):
            refused = api.post(path, more)
            assert (refused.status_code, error_of(refused)["code"]) == (429, "rate_limit_exceeded")
            assert error_of(refused)["type"] == "rate_limit_error"
            assert error_of(refused)["message"].startswith("3 requests with this API key wait already")
            assert 1 <= int(refused.headers["Retry-After"]) <= LONGEST_RETRY_S
        line = lines.enter_context(raw.line_to(api.port))
        line.sendall(asked_by(api, other))
        wait_for(lambda: api.routes[0].waiting == MOST_OF_ONE + 1)
        asked.pop().close()
        wait_for(lambda: api.routes[0].waiting == MOST_OF_ONE)
        asked.append(lines.enter_context(raw.line_to(api.port)))
        asked[-1].sendall(asked_by(api, greedy))
        wait_for(lambda: api.routes[0].waiting == MOST_OF_ONE + 1)
        gate.opened.set()
        assert [raw.answer(each)[0] for each in (*asked, line)] == [200] * len((*asked, line))


@pytest.mark.parametrize("streamed", [False, True])
def test_a_dropped_connection_stops_the_model(make_api: MakeApi, streamed: bool) -> None:
    """Nobody waits for the answer, so the next one is not kept waiting by it."""
    gate = Gate()
    api = make_api(ScriptedBackend("one two three", on_decode=gate))
    body = json.dumps({**QUESTION, "stream": streamed}).encode()
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


def test_whoever_hangs_up_gives_his_place_back(make_api: MakeApi) -> None:
    """Of eight that wait none is there any more: as many others may wait."""
    gate = Gate()
    api = make_api(ScriptedBackend("one two three", on_decode=gate))
    tokens = [api.token, *(api.tokens.make(name) for name in ("b", "c"))]
    last = api.tokens.make("d")

    def come(lines: contextlib.ExitStack) -> list[socket.socket]:
        """As many as may wait, of three programs."""
        made = [lines.enter_context(raw.line_to(api.port)) for _ in range(MOST_WAITING)]
        for number, line in enumerate(made):
            line.sendall(asked_by(api, tokens[number % 3]))
        wait_for(lambda: api.routes[0].waiting == MOST_WAITING)
        return made

    with contextlib.ExitStack() as lines:
        first = lines.enter_context(raw.line_to(api.port))
        first.sendall(asked_by(api, last))
        assert gate.arrived.wait(10)
        for _ in range(2):
            with contextlib.ExitStack() as gone:
                come(gone)
                with raw.line_to(api.port) as refused:
                    refused.sendall(asked_by(api, last))
                    assert raw.answer(refused)[0] == 429
            wait_for(lambda: api.routes[0].waiting == 0)
        rest = come(lines)
        gate.opened.set()
        assert [raw.answer(line)[0] for line in (first, *rest)] == [200] * 9


def test_requests_behind_each_other_on_one_line_are_answered_in_order(api: Api) -> None:
    """Also where one of them is refused; each has an answer of its own."""
    bodies = [
        json.dumps({**QUESTION, "max_tokens": 1}).encode(),
        b"nonsense",
        json.dumps({**QUESTION, "model": "gpt"}).encode(),
        json.dumps(QUESTION).encode(),
    ]
    sent = [head_of(api, "/v1/chat/completions", f"Content-Length: {len(each)}") + each for each in bodies]
    with raw.line_to(api.port) as line:
        line.sendall(b"".join(sent))
        assert [raw.answer(line)[0] for _ in bodies] == [200, 400, 404, 200]


COMMENT = ": still at it"
PATIENCE = {
    "/v1/chat/completions": [COMMENT, COMMENT],
    # Codex counts the events of this form, and hangs up after five minutes without one.
    "/v1/responses": [
        *("event: response.created", "event: response.in_progress"),
        *("event: response.in_progress", "event: response.in_progress"),
    ],
}


@pytest.mark.parametrize("path", PATIENCE)
def test_a_program_hears_something_while_its_prompt_is_read(
    make_api: MakeApi, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """No word can come before the model has read; until then there are comments, or the events that say
    nothing new, and the answer is whole after."""
    monkeypatch.setattr(routes, "QUIET_S", 0.05)
    gate = Gate()
    api = make_api(ScriptedBackend("one two three", on_decode=gate))
    asked = {"model": "steward", "stream": True}
    asked |= {"input": "Hello"} if path.endswith("responses") else {"messages": QUESTION["messages"]}
    with api.client.stream("POST", path, json=asked, headers=api.bearer) as answer:
        assert answer.status_code == 200
        lines = (line for line in answer.iter_lines() if line)
        heard: list[str] = []
        # Nothing lets the model read on before these are here.
        while len([line for line in heard if not line.startswith("data: ")]) < len(PATIENCE[path]):
            heard.append(next(lines))
        assert [line for line in heard if not line.startswith("data: ")] == PATIENCE[path]
        gate.opened.set()
        told = [line.removeprefix("data: ") for line in (*heard, *lines) if line.startswith("data: {")]
    said = [json.loads(each) for each in told]
    assert "".join(words_of(each) for each in said) == "one two three"
    if path.endswith("responses"):
        assert [each["sequence_number"] for each in said] == list(range(len(said)))
        assert [each["type"] for each in said].count("response.created") == 1


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
            assert next(lines) == COMMENT
            gate.opened.set()
            rest = [line for line in lines if line.startswith("data: ")]
        assert first.result().status_code == 200
    assert "error" in json.loads(rest[0].removeprefix("data: "))


@pytest.mark.parametrize("how", ["token", "switch"])
def test_whoever_is_shut_out_stops_being_answered(make_api: MakeApi, how: str, monkeypatch: Any) -> None:
    """A token that is ended ends the answer that its program is being given, and what it has waiting; so
    does switching the API off. The stream says why, and the model is free."""
    monkeypatch.setattr(routes, "ADMITTED_EVERY_S", 0.0)
    # Each word once: an answer that repeats itself is ended by the engine.
    api = make_api(ScriptedBackend(" ".join(f"w{n}" for n in range(3000)), token_s=0.002))

    def shut_out() -> None:
        if how == "token":
            assert api.tokens.revoke("llm")
        else:
            api.change(enabled=False)

    with ThreadPoolExecutor(1) as pool:
        asked = {**QUESTION, "stream": True}
        with api.client.stream("POST", "/v1/chat/completions", json=asked, headers=api.bearer) as answer:
            lines = (each for each in answer.iter_lines() if each.startswith("data: "))
            next(lines)
            waiting = pool.submit(api.ask)
            wait_for(lambda: api.routes[0].waiting == 1)
            shut_out()
            *_, last = lines
        code = {"token": "invalid_api_key", "switch": "api_off"}[how]
        assert json.loads(last.removeprefix("data: "))["error"]["code"] == code
        assert error_of(waiting.result())["code"] == code
    wait_for(lambda: not api.engine.is_busy)


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses"])
def test_a_bug_in_the_middle_of_a_stream_ends_it_with_an_error(
    make_api: MakeApi, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """On the same line, and not as a second answer behind the first, which no client can read."""
    api = make_api(ScriptedBackend("one two three four five six"))
    emit = ModelAnswer._say_plain
    said_by_now: list[str] = []

    def said(answer: ModelAnswer, thinking: str, text: str) -> None:
        emit(answer, thinking, text)
        said_by_now.append(text)
        if len(list(filter(None, said_by_now))) > 1:
            raise RuntimeError("a bug")

    monkeypatch.setattr(ModelAnswer, "_say_plain", said)
    asked = {"model": "steward", "stream": True}
    asked |= {"input": "Hello"} if path.endswith("responses") else {"messages": QUESTION["messages"]}
    answer = api.client.post(path, json=asked, headers=api.bearer)
    assert "HTTP/1.1" not in answer.text
    assert "internal_error" in repr(events(answer.text)[-1])
    monkeypatch.undo()
    assert api.ask().status_code == 200


@pytest.mark.parametrize(("length", "thread"), [(10, "server"), (10_000, "held-call")])
def test_a_long_request_is_understood_beside_the_loop(
    api: Api, monkeypatch: pytest.MonkeyPatch, length: int, thread: str
) -> None:
    """Its schemas may take a while, in which every hook would wait."""
    seen: list[str] = []
    read = routes.read_request

    def noted(fields: Fields) -> AnswerRequest:
        seen.append(threading.current_thread().name)
        return read(fields)

    monkeypatch.setattr(routes, "read_request", noted)
    assert api.ask("x" * length).status_code == 200
    assert seen == [thread]


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
