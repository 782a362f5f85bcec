"""A model service on loopback that speaks each vendor's protocol, makes its tool calls, then says "done".

For the real programs of coding agents: they start without an account when their service is here.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass
class Script:
    """The call to be made, those after it, and what the program answered to the latest."""

    tool: str = ""
    arguments: Json = field(default_factory=dict)
    results: list[str] = field(default_factory=list)
    then: tuple[Json, ...] = ()  # arguments of further calls, one after the other
    after: str = ""  # another tool, for the calls after the first

    def name(self, number: int) -> str:
        """The tool of that call."""
        return self.after if number and self.after else self.tool

    def call(self, number: int) -> Json | None:
        """The arguments of that call; None after the last."""
        calls = (self.arguments, *self.then)
        return calls[number] if number < len(calls) else None


class Service:
    """Listens from the start until `close`."""

    def __init__(self) -> None:
        self.script = Script()
        service = self

        class Handler(_Handler):
            script = property(lambda _self: service.script)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), name="scripted service"
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Any

    def log_message(self, *_arguments: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self._plain({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_HEAD(self) -> None:
        self._plain({})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/messages"):
            self._stream(_anthropic(body, self.script))
        elif path.endswith("/responses"):
            self._stream(_responses(body, self.script))
        elif path.endswith("/chat/completions"):
            self._stream(_chat(body, self.script))
        elif path.endswith(":streamGenerateContent"):
            self._stream(_gemini(body, self.script))
        else:
            self._plain({})

    def _plain(self, value: Json) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _stream(self, events: Iterator[Json]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        self.close_connection = True


def _next(script: Script, results: list[Any], body: Json) -> Json | None:
    """The arguments of the call to be made now: tools are there, and it was not made yet."""
    if results:
        script.results.append(json.dumps(results[-1], ensure_ascii=False))
    return script.call(len(results)) if body.get("tools") else None


def _anthropic(body: Json, script: Script) -> Iterator[Json]:
    parts = [part for m in body["messages"] if isinstance(m["content"], list) for part in m["content"]]
    results = [part for part in parts if part["type"] == "tool_result"]
    arguments = _next(script, results, body)
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}}
    if arguments is None:
        block: Json = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "done"}
    else:
        block = {"type": "tool_use", "id": f"toolu_{len(results) + 1}", "input": {}}
        block["name"] = script.name(len(results))
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = {"stop_reason": "end_turn" if arguments is None else "tool_use", "stop_sequence": None}
    yield {"type": "message_delta", "delta": reason, "usage": usage}
    yield {"type": "message_stop"}


def _named(body: Json, tool: str) -> Json:
    """Codex hands tools of servers over in namespaces, and is called back with both names."""
    spaces = [each for each in body["tools"] if each.get("type") == "namespace"]
    for space in spaces:
        for inner in space["tools"]:
            if tool.removeprefix(space["name"]).lstrip("_") == inner["name"]:
                return {"namespace": space["name"], "name": inner["name"]}
    return {"name": tool}


def _responses(body: Json, script: Script) -> Iterator[Json]:
    results = [item for item in body["input"] if str(item.get("type")).endswith("_output")]
    arguments = _next(script, results, body)
    if arguments is None:
        text = {"type": "output_text", "text": "done", "annotations": []}
        item: Json = {"type": "message", "id": "m", "role": "assistant", "content": [text]}
    else:
        call = {**_named(body, script.name(len(results))), "arguments": json.dumps(arguments)}
        item = {"type": "function_call", "id": "f", "call_id": f"call_{len(results) + 1}", **call}
    response: Json = {"id": "r", "object": "response", "output": []}
    yield {"type": "response.created", "response": {**response, "status": "in_progress"}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.completed", "response": done}


def _chat(body: Json, script: Script) -> Iterator[Json]:
    results = [each for each in body["messages"] if each["role"] == "tool"]
    arguments = _next(script, results, body)
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    delta: Json = {"role": "assistant", "content": "done" if arguments is None else ""}
    if arguments is not None:
        call = {"name": script.name(len(results)), "arguments": json.dumps(arguments)}
        number = f"call_{len(results) + 1}"
        delta["tool_calls"] = [{"index": 0, "id": number, "type": "function", "function": call}]
    yield {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    reason = "stop" if arguments is None else "tool_calls"
    yield {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}


def _gemini(body: Json, script: Script) -> Iterator[Json]:
    parts = [part for content in body["contents"] for part in content["parts"]]
    results = [part for part in parts if "functionResponse" in part]
    arguments = _next(script, results, body)
    call = {"functionCall": {"name": script.name(len(results)), "args": arguments}}
    part = {"text": "done"} if arguments is None else call
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    yield {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
