"""A model service on loopback that speaks each vendor's protocol and makes one tool call, then says "done".

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
    """The call to be made, and what the program answered to it."""

    tool: str = ""
    arguments: Json = field(default_factory=dict)
    results: list[str] = field(default_factory=list)


class Service:
    """Listens from the start until `close`."""

    def __init__(self) -> None:
        self.script = Script()
        service = self

        class Handler(_Handler):
            script = property(lambda _self: service.script)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, name="scripted service")
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


def _answered(script: Script, results: list[Any], body: Json) -> bool:
    """Whether the call is to be made now: tools are there, and it was not made yet."""
    if results:
        script.results.append(json.dumps(results[-1], ensure_ascii=False))
    return bool(results) or not body.get("tools")


def _anthropic(body: Json, script: Script) -> Iterator[Json]:
    parts = [part for m in body["messages"] if isinstance(m["content"], list) for part in m["content"]]
    over = _answered(script, [part for part in parts if part["type"] == "tool_result"], body)
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}}
    if over:
        block: Json = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "done"}
    else:
        block = {"type": "tool_use", "id": "toolu_1", "name": script.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(script.arguments)}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = {"stop_reason": "end_turn" if over else "tool_use", "stop_sequence": None}
    yield {"type": "message_delta", "delta": reason, "usage": usage}
    yield {"type": "message_stop"}


def _responses(body: Json, script: Script) -> Iterator[Json]:
    results = [item for item in body["input"] if str(item.get("type")).endswith("_output")]
    if _answered(script, results, body):
        text = {"type": "output_text", "text": "done", "annotations": []}
        item: Json = {"type": "message", "id": "m", "role": "assistant", "content": [text]}
    else:
        call = {"name": script.tool, "arguments": json.dumps(script.arguments)}
        item = {"type": "function_call", "id": "f", "call_id": "call_1", **call}
    response: Json = {"id": "r", "object": "response", "output": []}
    yield {"type": "response.created", "response": {**response, "status": "in_progress"}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.completed", "response": done}


def _chat(body: Json, script: Script) -> Iterator[Json]:
    over = _answered(script, [each for each in body["messages"] if each["role"] == "tool"], body)
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    delta: Json = {"role": "assistant", "content": "done" if over else ""}
    if not over:
        call = {"name": script.tool, "arguments": json.dumps(script.arguments)}
        delta["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": call}]
    yield {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    reason = "stop" if over else "tool_calls"
    yield {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}


def _gemini(body: Json, script: Script) -> Iterator[Json]:
    parts = [part for content in body["contents"] for part in content["parts"]]
    over = _answered(script, [part for part in parts if "functionResponse" in part], body)
    part = {"text": "done"} if over else {"functionCall": {"name": script.tool, "args": script.arguments}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    yield {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
