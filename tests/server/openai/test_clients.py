"""Real clients from their packages: OpenAI's own and `llm`, in an environment of their own; two agents."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path

import platformdirs
import pytest

from desktop.settings import ModelSettings
from tests.fakes.scripted_model import ScriptedBackend
from tests.server.openai.conftest import HERMES, MODEL_OF_VECTORS, Api, MakeApi

pytestmark = [pytest.mark.slow, pytest.mark.setup]

PACKAGES = ("openai", "llm")


@pytest.fixture(scope="module")
def clients() -> Path:
    """Where the clients' programs are; made once on this computer, skipped where no index can be reached."""
    folder = platformdirs.user_cache_path("steward-dev") / "api-clients"
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    if not (programs / "llm").exists():
        venv.create(folder, with_pip=True)
        made = subprocess.run([programs / "python", "-m", "pip", "install", "-q", *PACKAGES], check=False)
        if made.returncode:
            pytest.skip("openai and llm cannot be installed here")
    return programs


SDK = """
import json, sys
from openai import APIStatusError, OpenAI
from pydantic import BaseModel

class Person(BaseModel):
    name: str

client = OpenAI(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0)
ask = lambda **more: dict(model="steward", messages=[{"role": "user", "content": "Hello"}], **more)
told = {}
told["models"] = [each.id for each in client.models.list()]
whole = client.chat.completions.create(**ask())
told["whole"] = whole.choices[0].message.content
told["tokens"] = whole.usage.completion_tokens
chunks = [*client.chat.completions.create(**ask(stream=True, stream_options={"include_usage": True}))]
told["stream"] = "".join(each.choices[0].delta.content or "" for each in chunks if each.choices)
told["streamed_tokens"] = chunks[-1].usage.completion_tokens
told["vector"] = len(client.embeddings.create(model=sys.argv[3], input=["hello"]).data[0].embedding)
told["response"] = client.responses.create(model="steward", input="Hello").output_text
with client.responses.stream(model="steward", input="Hello") as stream:
    pieces = [each.delta for each in stream if each.type == "response.output_text.delta"]
    told["response_stream"] = "".join(pieces)
    told["response_final"] = stream.get_final_response().output_text
told["parsed"] = client.chat.completions.parse(**ask(response_format=Person)).choices[0].message.parsed.name
try:
    client.chat.completions.create(model="gpt-4o", messages=[])
except APIStatusError as error:
    told["error"] = [error.status_code, error.code, error.param]
print(json.dumps(told))
"""


TOOLS = """
import json, sys
from openai import OpenAI

city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tool = {"name": "get_weather", "description": "Weather of a city.", "parameters": city}
client = OpenAI(base_url=sys.argv[1], api_key=sys.argv[2])
(choice,) = client.chat.completions.create(
    model="steward",
    tools=[{"type": "function", "function": tool}],
    messages=[{"role": "user", "content": "What is the weather in Oslo?"}],
).choices
call = choice.message.tool_calls[0].function
print(json.dumps([call.name, json.loads(call.arguments), choice.finish_reason]))
"""


class Typist(ScriptedBackend):
    """Writes a person wherever a grammar asks for an object."""

    def constrained(self, grammar: str, prompt: str = "") -> str:
        return '{"name": "Ada"}' if "root-value" in grammar else ""


def run(*command: object, **environment: str) -> str:
    done = subprocess.run(
        [str(each) for each in command],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def address(api: Api) -> str:
    return f"http://127.0.0.1:{api.port}/v1"


def test_openai_s_own_package(make_api: MakeApi, clients: Path, tmp_path: Path) -> None:
    """Chat, streams, typed answers, vectors, responses and errors, all read by its own models."""
    api = make_api(Typist())
    script = tmp_path / "sdk.py"
    script.write_text(SDK, "utf-8")
    told = json.loads(run(clients / "python", script, address(api), api.token, MODEL_OF_VECTORS))
    assert told["models"][:2] == ["scripted", "steward"]
    assert told["whole"] == told["stream"] == told["response"] == "Hello there."
    assert told["response_stream"] == told["response_final"] == "Hello there."
    assert told["tokens"] == told["streamed_tokens"] == 3
    assert told["parsed"] == "Ada"
    assert told["vector"] > 0
    assert told["error"] == [400, "empty_array", "messages"]


def test_tools_of_openai_s_own_package(make_api: MakeApi, clients: Path, tmp_path: Path) -> None:
    """A call comes out as the package's own object."""
    calls = [("get_weather", {"city": "Oslo"})]
    api = make_api(ScriptedBackend("x", template=HERMES, calls=calls), chat_template=HERMES)
    script = tmp_path / "tools.py"
    script.write_text(TOOLS, "utf-8")
    told = json.loads(run(clients / "python", script, address(api), api.token))
    assert told == ["get_weather", {"city": "Oslo"}, "tool_calls"]


def test_llm(make_api: MakeApi, clients: Path, tmp_path: Path) -> None:
    """The command line that many use, with the model in its list of extra ones."""
    api = make_api()
    models = tmp_path / "extra-openai-models.yaml"
    entry = {
        "model_id": "steward",
        "model_name": "steward",
        "api_base": address(api),
        "api_key_name": "steward",
    }
    models.write_text(json.dumps([entry]), "utf-8")  # JSON is YAML
    for how in ([], ["--no-stream"]):
        command = (clients / "llm", "-m", "steward", "--key", api.token, *how, "Hello")
        assert run(*command, LLM_USER_PATH=str(tmp_path)).strip() == "Hello there."


AGENTS = os.environ.get("STEWARD_TEST_AGENTS", "")
OPENCODE = Path(AGENTS) / "opencode-linux-x64" / "bin" / "opencode"


@pytest.mark.skipif(not AGENTS or not OPENCODE.exists(), reason="STEWARD_TEST_AGENTS names no OpenCode")
def test_opencode(make_api: MakeApi, tmp_path: Path) -> None:
    """With its long instructions and all of its tools: a call of the model runs, its answer is read."""
    call = {"command": "echo made > made.txt", "description": "Make a file"}
    backend = ScriptedBackend("Hello there.", template=HERMES, calls=[("bash", call)])
    api = make_api(backend, ModelSettings(threads=2, context_tokens=32_768), chat_template=HERMES)
    home, project = tmp_path / "home", tmp_path / "project"
    settings = home / ".config" / "opencode" / "opencode.json"
    for folder in (settings.parent, project):
        folder.mkdir(parents=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": address(api), "apiKey": api.token},
        "models": {"steward": {"name": "Steward"}},
    }
    model = "steward/steward"
    content = {"model": model, "small_model": model, "provider": {"steward": provider}}
    settings.write_text(json.dumps(content), "utf-8")
    quiet = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    said = run(OPENCODE, "run", "--dir", project, "Make a file.", HOME=str(home), **quiet)
    assert "Hello there." in said
    assert (project / "made.txt").read_text() == "made\n"


CODEX = Path(AGENTS) / "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"


@pytest.mark.skipif(not AGENTS or not CODEX.exists(), reason="STEWARD_TEST_AGENTS names no Codex")
def test_codex(make_api: MakeApi, tmp_path: Path) -> None:
    """By `responses`, with its tools: a call of the model runs, its answer is read."""
    backend = ScriptedBackend(
        "Hello there.", template=HERMES, calls=[("exec_command", {"cmd": "echo made > made.txt"})]
    )
    api = make_api(backend, ModelSettings(threads=2, context_tokens=32_768), chat_template=HERMES)
    home, project = tmp_path / "home", tmp_path / "project"
    settings = home / ".codex" / "config.toml"
    for folder in (settings.parent, project):
        folder.mkdir(parents=True)
    provider = f'base_url = "{address(api)}"\nwire_api = "responses"\nenv_key = "KEY"\nname = "Steward"\n'
    settings.write_text(
        f'model = "steward"\nmodel_provider = "steward"\n[model_providers.steward]\n{provider}', "utf-8"
    )
    words = (
        "exec",
        "--skip-git-repo-check",
        "-C",
        project,
        "--sandbox",
        "danger-full-access",
        "Make a file.",
    )
    assert "Hello there." in run(CODEX, *words, HOME=str(home), KEY=api.token)
    assert (project / "made.txt").read_text() == "made\n"


CONTINUE = Path(AGENTS) / "@continuedev" / "cli" / "dist" / "cn.js"


@pytest.mark.skipif(not AGENTS or not CONTINUE.exists(), reason="STEWARD_TEST_AGENTS names no Continue")
def test_continue(make_api: MakeApi, tmp_path: Path) -> None:
    """Its command line, with its tools: a call of the model runs, its answer is read."""
    call = {"command": "echo made > made.txt"}
    backend = ScriptedBackend("Hello there.", template=HERMES, calls=[("Bash", call)])
    api = make_api(backend, ModelSettings(threads=2, context_tokens=32_768), chat_template=HERMES)
    home, project = tmp_path / "home", tmp_path / "project"
    settings = home / "config.yaml"
    for folder in (home, project):
        folder.mkdir()
    model = {
        "name": "Steward",
        "provider": "openai",
        "model": "steward",
        "apiBase": address(api),
        "apiKey": api.token,
        "roles": ["chat"],
        "capabilities": ["tool_use"],
    }
    content = {"name": "Steward", "version": "1.0.0", "schema": "v1", "models": [model]}
    settings.write_text(json.dumps(content), "utf-8")  # JSON is YAML
    quiet = {"CONTINUE_TELEMETRY_ENABLED": "0", "CONTINUE_CLI_AUTO_UPDATED": "1", "CI": "1"}
    # It has a tool that reads files, too, whose description shares more words with less than this.
    asked = "Make a file by a terminal command in bash."
    words = ("node", CONTINUE, "--config", settings, "--auto", "-p", asked)
    said = run("sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", project, *words, HOME=str(home), **quiet)
    assert "Hello there." in said
    assert (project / "made.txt").read_text() == "made\n"
