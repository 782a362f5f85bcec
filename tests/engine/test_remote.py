"""Model servers: what is sent, what is read of their answers, and how hostile ones end."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from desktop.engine.remote import (
    Keyring,
    RemoteEngines,
    RemoteRequest,
    RemoteServer,
    RemoteSetup,
    base_address,
    is_loopback,
    refuse_address,
)
from desktop.engine.remote_wire import SAID_CHARACTERS, AnswerStreamReader, UnreadableAnswer, plain, said_in
from desktop.engine.requests import FinishReason, Sampling
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.network import Network, NetworkFailure
from desktop.paths import Paths
from desktop.settings import ModelServer as Wanted
from desktop.settings import NetworkSettings, SettingsFile
from desktop.system.reasons import SystemReason
from tests.fakes.model_server import (
    DONE,
    Answer,
    Handler,
    ModelServer,
    calls,
    event,
    for_ever,
    model_server,
    silence,
    status,
    stream,
    words,
)

HELLO = RemoteRequest(({"role": "user", "content": "Hello"},))
TOOL = {"type": "function", "function": {"name": "roll", "parameters": {"type": "object"}}}


class House:
    """Model servers of a profile, over the real network room."""

    def __init__(self, silent_s: float = 30.0, list_s: float = 20.0) -> None:
        self.network_settings = NetworkSettings()
        self.network = Network(lambda: self.network_settings)
        self.wanted: dict[str, Wanted] = {}
        self.keys: dict[str, str] = {}
        self.engines = RemoteEngines(lambda: self.wanted, self.network, self.keys.get, silent_s, list_s)

    def know(self, server: ModelServer, **fields: Any) -> RemoteServer:
        self.wanted["it"] = Wanted(url=server.url, model="big-model", **fields)
        return self.engines.get("it")

    def ask(self, server: ModelServer, request: RemoteRequest = HELLO, **fields: Any) -> str:
        return self.engines.submit(self.know(server, **fields), request).text(30)

    def failure(self, server: ModelServer, **fields: Any) -> UserFacing:
        with pytest.raises(UserFacing) as failed:
            self.ask(server, **fields)
        return failed.value


@pytest.fixture
def house() -> Iterator[House]:
    made = House()
    yield made
    made.network.close()


def test_an_answer_comes_in_pieces_with_its_figures(house: House) -> None:
    """Pieces in order, why it ended, and the tokens that the server has counted."""
    with model_server(words("Blue", " sky", ".")) as server:
        answer = house.engines.submit(house.know(server), HELLO)
        assert list(answer) == ["Blue", " sky", "."]
        assert answer.finish is FinishReason.STOP
        assert (answer.metrics.prompt_tokens, answer.metrics.answer_tokens) == (12, 3)
        assert answer.metrics.first_token_s > 0


def test_what_is_sent_is_what_was_asked_for(house: House) -> None:
    """Model, messages, sampling and tools in the protocol's form; nothing else of this computer."""
    request = RemoteRequest(HELLO.messages, Sampling(temperature=0.2, top_p=0.5, max_tokens=7), (TOOL,))
    with model_server() as server:
        house.ask(server, request)
        path, headers, body = server.seen[0]
    assert path == "/v1/chat/completions"
    assert body == {
        "model": "big-model",
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.2,
        "top_p": 0.5,
        "max_tokens": 7,
        "tools": [TOOL],
    }
    names = {name.lower() for name in headers}
    assert names <= {
        *("host", "accept", "accept-encoding", "connection", "content-length", "content-type", "user-agent")
    }


def test_a_server_without_tools_is_told_of_none(house: House) -> None:
    """The setting of a server counts, whatever the chat would offer."""
    with model_server() as server:
        house.ask(server, RemoteRequest(HELLO.messages, tools=(TOOL,)), tools=False)
        assert "tools" not in server.asked[0]


def test_the_key_goes_to_the_server_and_into_no_log(house: House) -> None:
    """As the protocol wants it; and where a server repeats the key that it refuses, it is not shown."""
    house.keys["model-server:it"] = "sk-secret-1234"
    refused = status(401, json.dumps({"error": {"message": "Bad key sk-secret-1234."}}).encode())
    with model_server(refused) as server:
        error = house.failure(server, has_key=True)
        assert server.seen[0][1]["Authorization"] == "Bearer sk-secret-1234"
    assert error.code == "remote-key-refused"
    assert "sk-secret" not in str(error)
    assert "sk-secret" not in repr(house.network.log)


KEY = "sk-secret-1234"
TOLD = f"Bad key {KEY}."
ECHOES: list[tuple[str, Answer]] = [
    ("a refusal", status(400, json.dumps({"error": {"message": TOLD}}).encode())),
    ("a refusal that is cut in the key", status(
        500, json.dumps({"error": {"message": "x" * (SAID_CHARACTERS - 9) + KEY}}).encode()
    )),
    ("with what cannot be seen in it", status(
        429, json.dumps({"error": {"message": f"Bad key {KEY[:6]}\u200b{KEY[6:]}."}}).encode()
    )),
    ("an error in the middle", stream(
        event({"content": "Ha"}) + b"data: " + json.dumps({"error": {"message": TOLD}}).encode() + b"\n\n"
    )),
    ("an error in place of an answer", stream(json.dumps({"error": TOLD}).encode(), "application/json")),
    ("another path", status(308, location=f"/v1/{KEY}/chat/completions")),
    ("another host", status(307, location=f"https://{KEY}.example/v1")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer"), ECHOES, ids=[each[0] for each in ECHOES])
def test_a_key_that_a_server_repeats_is_told_to_nobody(
    house: House, caplog: pytest.LogCaptureFixture, name: str, answer: Answer
) -> None:
    """Wherever it says it: the sentence stands in the chat, and in the log."""
    caplog.set_level(logging.INFO)
    house.keys["model-server:it"] = KEY
    with model_server(answer) as server:
        error = house.failure(server, has_key=True)
        server.listing = answer
        with pytest.raises(UserFacing) as listed:
            house.engines.models("it")
    for said in (str(error), repr(error.reason), str(listed.value), repr(listed.value.reason), caplog.text):
        assert KEY[:5] not in said, name


@pytest.mark.parametrize("key", ["sk-secret-1234\n", "sk secret", "sk-s\u00e9cret", "sk\r\nHost: evil"])
def test_a_key_that_is_none_by_now_is_not_sent(house: House, key: str) -> None:
    """Other programs write the keyring, too; no library's error repeats what could not be sent."""
    house.keys["model-server:it"] = key
    with model_server() as server:
        error = house.failure(server, has_key=True)
        assert not server.seen
    assert error.code == "remote-key-unfit"
    assert key.strip() not in str(error)


def test_a_list_of_models_comes_in_its_time_or_not_at_all() -> None:
    """A byte now and then is no list, and whoever waits for it is let go."""

    def drip(handler: Any) -> None:
        handler.head(200, "application/json")
        try:
            while not handler.server_of.closing.wait(0.05):
                handler.wfile.write(b" ")
                handler.wfile.flush()
        except OSError:
            handler.server_of.hung_up.set()

    made = House(list_s=0.5)
    with model_server() as server:
        server.listing = drip
        made.know(server)
        with pytest.raises(UserFacing) as failed:
            made.engines.models("it")
        assert failed.value.code == "stalled"
        assert failed.value.not_lost == "Nothing was changed."
        assert server.hung_up.wait(30)
    made.network.close()


def test_what_another_protocol_says_is_not_told_at_length(house: House) -> None:
    """The library repeats all that it could not read."""
    with model_server(
        lambda handler: handler.wfile.write(b"SSH-2.0-" + b"x" * 60_000 + b"\r\n\r\n")
    ) as server:
        error = house.failure(server)
    assert error.code == "line-cut"
    assert len(str(error)) < 500


def test_without_its_key_nothing_is_sent(house: House) -> None:
    """The settings say that there is one, and the keyring has lost it."""
    with model_server() as server:
        assert house.failure(server, has_key=True).code == "remote-key-missing"
        assert not server.seen


def test_every_request_has_its_line_on_the_network_page(house: House) -> None:
    """Method, host, why, and the bytes that came."""
    with model_server() as server:
        house.ask(server)
        house.engines.models("it")
    asked, listed = house.network.log
    assert (asked.method, asked.host, asked.outcome) == ("POST", "127.0.0.1", "200")
    assert server.shown in str(asked.why)
    assert asked.received_bytes > 100
    assert (listed.method, str(listed.why)) == ("GET", f"Which models {server.shown} has")


def test_offline_refuses(house: House) -> None:
    """The switch holds here too."""
    with model_server() as server:
        house.network_settings = NetworkSettings(offline=True)
        assert house.failure(server).code == "offline"
        with pytest.raises(NetworkFailure):
            house.engines.models("it")
        assert not server.seen


def test_thinking_is_told_from_words(house: House) -> None:
    """Servers send it in a field of its own, by one of two names; here it stands between the tags."""
    thought = event({"reasoning_content": "Let me"}) + event({"reasoning": " see."})
    with model_server(stream(thought + event({"content": "Yes"}, "stop") + DONE)) as server:
        assert house.ask(server) == "<think>\nLet me see.\n</think>\n\nYes"


def test_thinking_without_an_answer_is_closed() -> None:
    """What follows must not be taken for more of it."""
    events = [event({"reasoning": "Hm"}), event({}, "length")]
    assert "".join(AnswerStreamReader().pieces("text/event-stream", events)) == "<think>\nHm\n</think>\n\n"


def test_an_answer_in_one_piece_is_read(house: House) -> None:
    """Some servers do not stream."""
    whole = {"choices": [{"message": {"role": "assistant", "content": "Whole."}, "finish_reason": "stop"}]}
    with model_server(stream(json.dumps(whole).encode(), "application/json; charset=utf-8")) as server:
        assert house.ask(server) == "Whole."


def test_calls_are_joined_from_their_pieces(house: House) -> None:
    """Two calls, their arguments in halves."""
    with model_server(calls(("read_file", '{"path": "a.txt"}'), ("roll_dice", "{}"))) as server:
        answer = house.engines.submit(house.know(server), HELLO)
        assert answer.text(30) == ""
    assert [(each.name, each.arguments) for each in answer.calls] == [
        ("read_file", {"path": "a.txt"}),
        ("roll_dice", {}),
    ]


JUNK_CALLS = [
    [{"index": 0, "function": {"name": "roll", "arguments": "{not json"}}],
    [{"index": 0, "function": {"name": "roll", "arguments": "[1, 2]"}}],
    [{"index": 0, "function": {"name": "roll", "arguments": '{"sides": NaN}'}}],
    [{"index": 0, "function": {"name": "roll", "arguments": "[" * 5000}}],
]


@pytest.mark.parametrize("junk", JUNK_CALLS)
def test_arguments_that_are_no_object_are_none(junk: list[Any]) -> None:
    """So that no tool runs with what nobody wrote."""
    reader = AnswerStreamReader()
    list(reader.pieces("text/event-stream", [event({"tool_calls": junk}, "tool_calls")]))
    assert [each.arguments for each in reader.calls] == [None]


@pytest.mark.parametrize(
    "junk",
    [
        "calls",
        {"index": 0},
        [None, 7, "x", []],
        [{"index": "first", "function": {"name": "roll"}}],
        [{"index": -1, "function": {"name": "roll"}}],
        [{"index": 10**9, "function": {"name": "roll"}}],
        [{"index": 0, "function": "roll"}],
    ],
)
def test_what_is_no_call_is_none(junk: Any) -> None:
    """Whatever kind of junk stands in its place."""
    reader = AnswerStreamReader()
    assert list(
        reader.pieces("text/event-stream", [event({"content": "a", "tool_calls": junk}, "stop")])
    ) == ["a"]
    assert reader.calls == ()


def test_an_object_for_arguments_is_taken() -> None:
    """Older servers send it instead of its text."""
    part = [{"function": {"name": "roll", "arguments": {"sides": 6}}}]
    reader = AnswerStreamReader()
    list(reader.pieces("text/event-stream", [event({"tool_calls": part}, "stop")]))
    assert [(each.name, each.arguments) for each in reader.calls] == [("roll", {"sides": 6})]


def _refused(code: int, message: str, kind: str, in_error: bool = True) -> Answer:
    """With the object around it that vLLM and Ollama send; vLLM before 0.10 sent it bare."""
    said = {"message": message, "type": kind, "param": None, "code": code}
    return status(code, json.dumps({"error": said} if in_error else {"object": "error", **said}).encode())


BAD = "BadRequestError"
# As their trackers and manuals show them; none of these three was run here.
FOREIGN: list[tuple[str, Answer, str]] = [
    ("vLLM, a chat too long", _refused(
        400, "This model's maximum context length is 4096 tokens. However, your request has 5120 tokens.", BAD
    ), "remote-no-room"),
    ("vLLM before 0.10, an answer too long", _refused(
        400, "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 "
        "in the messages, 6048 in the completion). Please reduce the length.", BAD, in_error=False
    ), "remote-no-room-for-answer"),
    ("vLLM, an answer too long", _refused(
        400, "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum context "
        "length is 4096 tokens and your request has 3900 input tokens.", BAD
    ), "remote-no-room-for-answer"),
    ("vLLM without a parser of calls", _refused(
        400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', BAD
    ), "remote-no-tools"),
    ("vLLM before 0.10, an error in the middle", stream(
        event({"content": "Ha"}) + b'data: {"object": "error", "message": "Internal server error"}\n\n' + DONE
    ), "remote-gave-up"),
    ("vLLM, no such model", _refused(
        404, "The model `x` does not exist.", "NotFoundError"
    ), "remote-not-found"),
    ("Ollama, no such model", _refused(
        404, 'model "x" not found, try pulling it first', "not_found_error"
    ), "remote-not-found"),
    ("Ollama, a model without tools", _refused(
        400, "registry.ollama.ai/library/gemma:2b does not support tools", "api_error"
    ), "remote-no-tools"),
    ("LM Studio, an address without /v1", stream(
        b'{"error":"Unexpected endpoint or method. (POST /chat/completions)"}', "application/json"
    ), "remote-gave-up"),
    ("LM Studio, a chat too long", stream(
        b'event: error\ndata: {"error":{"message":"Trying to keep the first 10136 tokens when context the '
        b'overflows. However, the model is loaded with context length of only 7866 tokens, which is '
        b'not enough."}}\n\n'
    ), "remote-no-room"),
    ("LM Studio, a chat too long, with MLX", stream(
        b'event: error\ndata: {"error":{"message":"Context size has been exceeded."}}\n\n'
    ), "remote-no-room"),
    ("LM Studio, a chat too long, with GGUF", stream(
        event({"role": "assistant", "content": ""}) + event({}, "stop") + DONE
    ), "remote-empty"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer", "code"), FOREIGN, ids=[each[0] for each in FOREIGN])
def test_what_other_servers_say_is_told_with_a_way_on(
    house: House, name: str, answer: Answer, code: str
) -> None:
    """Each in its own form, with status 200 too; the server's own words stand in the sentence."""
    with model_server(answer, words("Fine.")) as server:
        assert house.failure(server).code == code, name
        assert house.ask(server) == "Fine."


def _part(identity: str, name: str, arguments: str, index: int | None = 0) -> bytes:
    part = {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}
    return event({"tool_calls": [part if index is None else {**part, "index": index}]})


@pytest.mark.parametrize(
    "parts",
    [
        # Ollama up to 0.20 numbers every call 0; up to 0.4.6 it numbered none.
        (_part("call_1", "roll", '{"sides": 6}'), _part("call_2", "roll", '{"sides": 8}')),
        (_part("call_1", "roll", '{"sides": 6}', None), _part("call_2", "roll", '{"sides": 8}', None)),
        # Some say the whole name and the identity in every part.
        (
            *(_part("call_1", "roll", half) for half in ('{"sides"', ": 6}")),
            *(_part("call_2", "roll", half, 1) for half in ('{"sides"', ": 8}")),
        ),
    ],
)
def test_calls_are_told_apart_by_what_they_are(house: House, parts: tuple[bytes, ...]) -> None:
    """A number that is used again is no reason to write two calls into one."""
    with model_server(stream(b"".join((*parts, event({}, "tool_calls"), DONE)))) as server:
        answer = house.engines.submit(house.know(server), HELLO)
        assert answer.text(30) == ""
        assert [(each.name, each.arguments) for each in answer.calls] == [
            ("roll", {"sides": 6}),
            ("roll", {"sides": 8}),
        ]


def test_models_that_make_numbers_of_texts_answer_nobody(house: House) -> None:
    """LM Studio and Ollama name them beside the others; so the only one that answers needs no name."""
    with model_server() as server:
        server.models = ("qwen3-8b", "text-embedding-nomic-embed-text-v1.5", "mxbai-embed-large:latest")
        house.know(server)
        assert house.engines.models("it") == ("qwen3-8b",)


@pytest.mark.parametrize(
    ("listing", "code"),
    [
        (b'{"error":"Unexpected endpoint or method. (GET /models)"}', "remote-not-found"),
        (b'{"object": "list", "data": null}', ""),
    ],
)
def test_a_list_of_models_may_be_an_error_or_empty(house: House, listing: bytes, code: str) -> None:
    """LM Studio answers 200 to what it does not know; Ollama without models lists nothing at all."""
    with model_server() as server:
        server.listing = status(200, listing)
        house.know(server)
        if not code:
            assert house.engines.models("it") == ()
            return
        with pytest.raises(UserFacing) as failed:
            house.engines.models("it")
        assert failed.value.code == code


def packed(handler: Handler) -> None:
    """Nobody has asked for it."""
    handler.head(200, "text/event-stream", content_encoding="gzip")
    handler.wfile.write(gzip.compress(event({"content": "x"}) + DONE))


def another_protocol(handler: Handler) -> None:
    """Something else listens there."""
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")


def too_short(handler: Handler) -> None:
    """Less than it says."""
    handler.head(200, "text/event-stream", length=10**9)
    handler.wfile.write(event({"content": "Half"}))


HOSTILE: list[tuple[str, Answer, str]] = [
    ("endless words", for_ever(event({"content": "more and more " * 500})), ""),
    ("endless comments", for_ever(b": still here" + b"." * 100_000 + b"\n"), "remote-flood"),
    ("one endless line", for_ever(b"data: " + b"x" * 100_000), "remote-flood"),
    ("endless arguments", for_ever(event(
        {"tool_calls": [{"index": 0, "function": {"name": "a", "arguments": "x" * 9000}}]}
    )), "remote-flood"),
    ("an endless object", for_ever(b'{"a": "' + b"x" * 100_000, "application/json"), "remote-flood"),
    ("half an object", stream(event({"content": "Half"}) + b'data: {"choices": [{"del'), "remote-cut"),
    ("no end", stream(event({"content": "Half"})), "remote-cut"),
    ("nothing at all", stream(b""), "remote-cut"),
    ("only the end", stream(DONE), "remote-cut"),
    ("no JSON", stream(b"data: hello\n\n"), "remote-nonsense"),
    ("a list", stream(b"data: [1, 2]\n\n"), "remote-nonsense"),
    ("packed", packed, "remote-nonsense"),
    ("another protocol", another_protocol, "line-cut"),
    ("too short", too_short, "line-cut"),
    ("not a number", stream(b'data: {"a": NaN}\n\n'), "remote-nonsense"),
    ("too deep", stream(b'data: {"a": ' + b"[" * 20_000 + b"]" * 20_000 + b"}\n\n"), "remote-nonsense"),
    ("a page", stream(b"<html>", "text/html"), "remote-no-server"),
    ("no kind", stream(b"data: {}", ""), "remote-no-server"),
    ("an error in the middle", stream(
        event({"content": "Ha"}) + b'data: {"error": {"message": "out of memory"}}\n\n'
    ), "remote-gave-up"),
    ("another host", status(307, location="https://elsewhere.example/v1"), "remote-redirect"),
    ("another path", status(308, location="/v2/chat/completions"), "remote-redirect"),
    ("no key", status(401), "remote-key-refused"),
    ("not this key", status(403, b'{"error": "no"}'), "remote-key-refused"),
    ("no such model", status(404, b'{"error": {"message": "model not found"}}'), "remote-not-found"),
    ("too much", status(429, b'{"error": {"message": "slow down"}}', retry_after="60"), "remote-busy"),
    ("broken", status(500), "remote-gave-up"),
    ("broken on the way", status(502, b"<html>"), "remote-gave-up"),
    ("too long", status(400, b'{"error": {"message": "This model\'s maximum context length is 4096"}}'),
     "remote-no-room"),
    ("too large", status(413), "remote-no-room"),
    ("refused", status(400, b'{"detail": "top_p is too high"}'), "remote-refused"),
    ("a long refusal", for_ever(b"x" * 100_000), "remote-flood"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer", "code"), HOSTILE, ids=[each[0] for each in HOSTILE])
def test_a_hostile_server_ends_in_a_sentence(house: House, name: str, answer: Answer, code: str) -> None:
    """Whatever it does: three sentences, the line closed, and the next question is answered."""
    with model_server(answer, words("Fine.")) as server:
        if code:
            error = house.failure(server)
            assert error.code == code, name
            assert "goes on from there" not in error.action, name
            assert all((error.cause, error.not_lost, error.action))
        else:
            asked = house.engines.submit(house.know(server), HELLO)
            assert 400_000 < len(asked.text(60)) < 500_000
            assert asked.finish is FinishReason.LENGTH
        assert house.ask(server) == "Fine."
        assert {path for path, *_ in server.seen} == {"/v1/chat/completions"}


ODD: list[tuple[str, bytes, str]] = [
    ("a mark of the encoding", b"\xef\xbb\xbf" + event({"content": "Fine."}) + event({}, "stop"), "Fine."),
    ("more than a float holds", event({"content": "Fine."}, "stop")
     + b'data: {"usage": {"prompt_tokens": 1e400, "completion_tokens": ' + b"9" * 400 + b"}}\n\n", "Fine."),
    ("a second answer", b'data: {"choices": [{"index": 1, "delta": {"content": "No."}}]}\n\n'
     + event({"content": "Fine."}, "stop"), "Fine."),
    ("a refusal", event({"refusal": "I cannot do that."}, "stop"), "I cannot do that."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sent", "said"), ODD, ids=[each[0] for each in ODD])
def test_what_is_odd_but_an_answer_is_told(house: House, name: str, sent: bytes, said: str) -> None:
    """A mark before it, figures that nobody counts, answers beside it, and a field of its own for no."""
    with model_server(stream(sent)) as server:
        assert house.ask(server) == said, name


def test_a_redirect_names_where_it_leads(house: House) -> None:
    """Another host, or another path of the same one."""
    for location, shown in (
        ("https://elsewhere.example/v1", "elsewhere.example"),
        ("/v2/chat/completions", "{host}/v2/chat/completions"),
        ("file:///etc/passwd", "?"),
    ):
        with model_server(status(307, location=location)) as server:
            assert f" to {shown.format(host=house.know(server).shown)} instead" in house.failure(server).cause


def test_a_server_that_is_not_there_has_changed_nothing(house: House) -> None:
    """While it is added, where nothing had arrived that could be kept."""
    with model_server() as server:
        house.know(server)
    with pytest.raises(NetworkFailure) as failed:
        house.engines.models("it")
    assert failed.value.not_lost == "Nothing was changed."


def test_names_of_models_are_sent_as_they_stand(house: House) -> None:
    """One that had to be tidied to be shown would be another's."""
    names = ["fine", "a\x1b[31m", "a\nb", "", "\u202eabc", "x" * 300, 5, None]
    with model_server() as server:
        server.listing = status(200, json.dumps({"data": [{"id": each} for each in names]}).encode())
        house.know(server)
        assert house.engines.models("it") == ("fine",)


def test_bad_utf8_and_control_characters_are_text(house: House) -> None:
    """Broken bytes become signs, and what would steer a terminal or break the database is left out."""
    text = b'"a\xff\\u001b[31mb\\ud800c\\n"'
    said = b'data: {"choices": [{"delta": {"content": ' + text + b'}, "finish_reason": "stop"}]}\n'
    with model_server(stream(said)) as server:
        assert house.ask(server) == "a\N{REPLACEMENT CHARACTER}[31mbc\n"


def test_a_server_that_says_nothing_is_left(house: House) -> None:
    """After the time that it has between two pieces, with and without a head."""
    quick = House(silent_s=0.3)
    for answer in (silence(head=False), silence(event({"content": "So"}))):
        with model_server(answer) as server:
            assert quick.failure(server).code in ("remote-silent", "stalled")
    quick.network.close()


def test_a_slow_drip_is_left_too() -> None:
    """Bytes that never become a piece keep no answer alive."""
    quick = House(silent_s=0.5)

    def drip(handler: Any) -> None:
        handler.head(200, "text/event-stream")
        while not handler.server_of.closing.wait(0.05):
            handler.wfile.write(b":")
            handler.wfile.flush()

    with model_server(drip) as server:
        assert quick.failure(server).code == "remote-silent"
        assert server.hung_up.wait(30)
    quick.network.close()


@pytest.mark.parametrize("head", [True, False])
def test_cancel_ends_at_once_and_closes_the_line(house: House, head: bool) -> None:
    """Also before the server has answered at all; the server sees that nobody listens any more."""
    with model_server(silence(head=head)) as server:
        answer = house.engines.submit(house.know(server), HELLO)
        assert server.began.wait(30)
        answer.cancel()
        assert answer.text(30) == ""
        assert answer.finish is FinishReason.CANCELLED
        assert server.hung_up.wait(30)


def test_nobody_there_is_a_sentence(house: House) -> None:
    """The network room's own."""
    with model_server() as server:
        known = house.know(server)
    with pytest.raises(UserFacing) as failed:
        house.engines.submit(known, HELLO).text(30)
    assert failed.value.code == "connect-failed"


def test_a_certificate_that_nobody_vouches_for_is_refused(house: House) -> None:
    """No words go to who only claims to be the host."""
    received: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def answer_without_tls() -> None:
        connection, _ = listener.accept()
        received.append(connection.recv(4096))
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        connection.close()

    thread = threading.Thread(target=answer_without_tls)
    thread.start()
    house.wanted["it"] = Wanted(url=f"https://127.0.0.1:{listener.getsockname()[1]}/v1", model="m")
    with pytest.raises(UserFacing) as failed:
        house.engines.submit(house.engines.get("it"), HELLO).text(30)
    thread.join()
    listener.close()
    assert failed.value.code in ("tls-failed", "connect-failed")
    assert b"Hello" not in b"".join(received)


def test_loopback_passes_no_proxy(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the sign "this computer" would lie: the words would go to the proxy first."""
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:9")
    monkeypatch.setenv("http_proxy", "http://192.0.2.1:9")
    house.network_settings = NetworkSettings(proxy="http://192.0.2.1:9")
    with model_server() as server:
        assert house.ask(server) == "Hello there"


@pytest.mark.parametrize(
    ("url", "unencrypted", "code"),
    [
        ("https://models.example.org/v1", False, ""),
        ("http://127.0.0.1:8080/v1", False, ""),
        ("http://[::1]:8080/v1", False, ""),
        ("http://localhost/v1", False, ""),
        ("http://192.168.1.7:8080/v1", True, ""),
        ("http://10.0.0.7/v1", True, ""),
        ("http://192.168.1.7:8080/v1", False, "remote-needs-https"),
        ("http://models.example.org/v1", False, "remote-needs-https"),
        ("http://93.184.215.14/v1", True, "remote-too-far"),
        ("http://[2606:2800:21f::1]/v1", True, "remote-too-far"),
        ("http://[::ffff:93.184.215.14]/v1", True, "remote-too-far"),
        ("https://me:pass@models.example.org/v1", False, "remote-address-unfit"),
        ("https://127.0.0.1@evil.example/v1", False, "remote-address-unfit"),
        ("https://models.example.org/v1?key=1", False, "remote-address-unfit"),
        ("https://models.example.org/v1#a", False, "remote-address-unfit"),
        ("https://mödels.example/v1", False, "remote-address-unfit"),
        ("ftp://models.example.org/v1", False, "remote-address-unfit"),
        ("models.example.org", False, "remote-address-unfit"),
        ("https://", False, "remote-address-unfit"),
        ("https://host:port/v1", False, "remote-address-unfit"),
        ("https://[::1/v1", False, "remote-address-unfit"),
        ("https://models.example.org/v1\r\nX: y", False, "remote-address-unfit"),
    ],
)
def test_words_go_to_encrypted_addresses_or_near_ones(url: str, unencrypted: bool, code: str) -> None:
    """https; without it this computer and, where that was said, the own network."""
    if not code:
        refuse_address(url, unencrypted)
        return
    with pytest.raises(UserFacing) as refused:
        refuse_address(url, unencrypted)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("https://a.example", "https://a.example/v1"),
        ("https://a.example/", "https://a.example/v1"),
        (" https://a.example/v1/ ", "https://a.example/v1"),
        ("https://a.example/v1/chat/completions", "https://a.example/v1"),
        ("https://a.example/openai/v1", "https://a.example/openai/v1"),
    ],
)
def test_addresses_are_taken_as_people_type_them(typed: str, address: str) -> None:
    """With and without the protocol's own path."""
    assert base_address(typed) == address


def test_only_an_address_of_this_computer_is_this_computer() -> None:
    """A name that somebody could lead elsewhere is not taken for it."""
    here = ("localhost", "127.0.0.1", "127.8.9.1", "::1")
    assert all(map(is_loopback, here))
    assert not any(map(is_loopback, ("localhost.example", "127.0.0.1.example", "10.0.0.1", "")))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "no room"}}, "no room"),
        ({"error": "no"}, "no"),
        ({"message": "m"}, "m"),
        ({"detail": [{"loc": 1}]}, ""),
        ([], ""),
        ({"error": {"message": "a\n\x1b[2Jb" + "c" * 500}}, "a [2Jb" + "c" * 194),
        ({"error": {"message": "no \u202emoor\u2066"}}, "no moor"),
    ],
)
def test_what_a_server_says_is_one_short_line(body: Any, said: str) -> None:
    """Of every form that servers are known to send."""
    assert said_in(body) == said


def test_plain_text_stays_as_it_is() -> None:
    """Also in other scripts and with signs of joined letters."""
    for text in ("Grüße, 世界 👩‍👩‍👧", "one\n\ttwo", ""):
        assert plain(text) == text


def test_a_reader_names_what_it_cannot_read() -> None:
    """The reason with the host that its caller knows."""
    with pytest.raises(UnreadableAnswer) as unreadable:
        list(AnswerStreamReader().pieces("text/plain", []))
    assert "here.example" in str(unreadable.value.reason("here.example"))


# -- adding and taking away servers ------------------------------------------------------------


class Locked:
    """A keyring that a person may refuse to unlock."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.is_locked = False

    def set(self, name: str, value: str) -> None:
        self._ask()
        self.kept[name] = value

    def delete(self, name: str) -> None:
        self._ask()
        self.kept.pop(name, None)

    def _ask(self) -> None:
        if self.is_locked:
            raise UserFacing(SystemReason.KEYRING_LOCKED.of())


def test_what_the_keyring_keeps_back_stays_in_the_list(paths: Paths, bus: Bus) -> None:
    """Refused, nothing is changed, and trying again works; a server without a key needs no keyring."""
    settings, ring = SettingsFile(paths.settings, bus), Locked()
    network = Network(lambda: settings.current.network)
    engines = RemoteEngines(lambda: settings.current.engines.servers, network, ring.kept.get)
    setup = RemoteSetup(settings, engines, Keyring(ring.set, ring.delete))
    with model_server() as server:
        setup.add("big", server.url, key="sk-1")
        setup.add("open", server.url)
    ring.is_locked = True
    with pytest.raises(UserFacing) as caught:
        setup.remove("big")
    assert caught.value.code == "keyring-locked"
    assert [each.name for each in engines.all()] == ["big", "open"]
    setup.remove("open")
    ring.is_locked = False
    setup.remove("big")
    assert (engines.all(), ring.kept) == ((), {})
    network.close()


def test_a_server_that_does_not_answer_is_told_so_with_a_locked_keyring(paths: Paths, bus: Bus) -> None:
    """It has no key, so the keyring has no say in it."""
    settings, ring = SettingsFile(paths.settings, bus), Locked()
    ring.is_locked = True
    network = Network(lambda: settings.current.network)
    engines = RemoteEngines(lambda: settings.current.engines.servers, network, ring.kept.get)
    with pytest.raises(UserFacing) as caught:
        RemoteSetup(settings, engines, Keyring(ring.set, ring.delete)).add("none", "http://127.0.0.1:9/v1")
    assert caught.value.code != "keyring-locked"
    assert settings.current.engines.servers == {}
    network.close()
