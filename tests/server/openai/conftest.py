"""A real server with the API on, and an engine whose model says what its script says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from desktop.agents.tokens import Tokens
from desktop.engine.engine import Engine, start_thread
from desktop.events import Bus
from desktop.gate.commands import Commands
from desktop.gate.shell.classifier import Classifier
from desktop.memory.vectors.minilm import MiniLM
from desktop.paths import Paths
from desktop.server.connection import Arrivals
from desktop.server.held_calls import HeldCalls
from desktop.server.openai.embeddings import Embeddings
from desktop.server.openai.programs import ProgramLog, ProgramTokens
from desktop.server.openai.routes import ApiParts, ApiRoutes
from desktop.server.server import RequestHandlers, Server
from desktop.settings import ApiSettings, ModelSettings, Settings
from tests.engine.conftest import PlentyOfMemory
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.memory.vectors.conftest import tensors, write_safetensors
from tests.server.conftest import SmallHandler, any_port
from tests.shipped import command_tables

HERMES = (
    "{% if tools %}<|im_start|>system\n{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}<tool_call>"
    "<|im_end|>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@dataclass
class Api:
    """A running API: `ask` posts a chat completion with the token of the program `llm`."""

    client: httpx.Client
    backend: ScriptedBackend
    engine: Engine
    tokens: ProgramTokens
    agents: Tokens
    uses: ProgramLog
    bus: Bus
    port: int
    token: str
    settings: list[Settings] = field(default_factory=list)
    routes: list[ApiRoutes] = field(default_factory=list)  # once somebody has asked

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def change(self, **api: Any) -> None:
        """Other settings of the API, at once."""
        self.settings[0] = self.settings[0].model_copy(
            update={"api": ApiSettings(**{"enabled": True, **api})}
        )

    def post(self, path: str, content: Any, **headers: str) -> httpx.Response:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self.client.post(path, content=body, headers={**self.bearer, **headers})

    def ask(self, text: str = "Good morning", **more: Any) -> httpx.Response:
        messages = [{"role": "user", "content": text}]
        return self.post("/v1/chat/completions", {"model": "steward", "messages": messages, **more})

    def stream(self, text: str = "Good morning", **more: Any) -> list[Any]:
        """The events of a streamed answer; the last is "[DONE]" where it came whole."""
        answer = self.ask(text, stream=True, **more)
        assert answer.status_code == 200, answer.text
        return events(answer.text)


def events(text: str) -> list[Any]:
    """The data of server-sent events, read as JSON where it is JSON."""
    found = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(each) if each != "[DONE]" else each for each in found]


def error_of(answer: httpx.Response) -> dict[str, Any]:
    """The error object, which is all that the body holds."""
    content = answer.json()
    assert set(content) == {"error"}, content
    assert set(content["error"]) == {"message", "type", "param", "code"}
    found: dict[str, Any] = content["error"]
    return found


MODEL_OF_VECTORS = "all-minilm-l6-v2"
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "world", "good", "morning")


def embedding_model(folder: Path) -> MiniLM:
    """A small model of the real kind that knows eight words."""
    weights, pieces = folder / "small.safetensors", folder / "pieces.txt"
    write_safetensors(weights, tensors())
    pieces.write_text("\n".join(WORDS), "utf-8")
    return MiniLM(weights, pieces)


MakeApi = Callable[..., Api]


@pytest.fixture
def make_api(paths: Paths, bus: Bus, tmp_path: Path) -> Iterator[MakeApi]:
    """Makes a running API; `backend` is its model's script, `facts` what the model's file says of itself."""
    endings: list[Callable[[], None]] = []

    def make(backend: ScriptedBackend | None = None, model: ModelSettings | None = None, **facts: Any) -> Api:
        backend = backend or ScriptedBackend()
        settings = [
            Settings(
                api=ApiSettings(enabled=True), model=model or ModelSettings(threads=2, context_tokens=4096)
            )
        ]
        engine = Engine(paths, bus, lambda: settings[0].model, backend, None, PlentyOfMemory())
        thread = start_thread(engine)
        engine.use(installed(tmp_path / "models", is_recurrent=backend.whole_only, **facts))
        agents, tokens, uses = Tokens(paths), ProgramTokens(paths), ProgramLog(paths, bus)
        embedder = embedding_model(tmp_path)
        embeddings = Embeddings(lambda: embedder.is_there, lambda: embedder, lambda: False)
        parts = ApiParts(engine, lambda: settings[0], tokens, uses, bus, embeddings)

        made: list[ApiRoutes] = []

        def routes(calls: HeldCalls, arrivals: Arrivals) -> ApiRoutes:
            made.append(ApiRoutes(parts, calls, arrivals))
            return made[0]

        handler = SmallHandler()
        commands = Commands(Classifier(command_tables()))
        server = Server(RequestHandlers(handler, commands, dict, routes), agents, any_port(paths), bus)
        port = server.start()
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=20)

        def end() -> None:
            client.close()
            server.close()
            handler.end()
            engine.close()
            thread.join(10)
            uses.close()

        endings.append(end)
        token = tokens.make("llm")
        return Api(client, backend, engine, tokens, agents, uses, bus, port, token, settings, made)

    yield make
    for end in endings:
        end()


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    return make_api()


class Gate:
    """Holds the model before each batch until it is opened; `arrived` is set when something waits."""

    def __init__(self) -> None:
        self.arrived = threading.Event()
        self.opened = threading.Event()

    def __call__(self, context: object, tokens: object) -> None:
        self.arrived.set()
        assert self.opened.wait(20)
