"""`steward serve`, the gate without a window, one a profile, ended by a signal, and `steward api`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from filelock import FileLock
from typer.testing import CliRunner

from desktop.agents.tokens import Tokens
from desktop.app import Services, build_core
from desktop.cli.serve import api_app, serve
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure
from tests.flows.desktop_session import wait_for
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import sys
from pathlib import Path
from desktop.app import build_core, start_logging
from desktop.cli.serve import serve
from desktop.errors import UserFacing
from desktop.paths import Paths
paths = Paths.under(Path(sys.argv[1]))
start_logging(paths, None)
core = build_core(paths)
try:
    sys.exit(serve(core))
except UserFacing as error:
    sys.stderr.write(str(error))
    sys.exit(1)
finally:
    core.close()
"""

pytestmark = pytest.mark.children


def command(paths: Paths) -> list[str]:
    return [sys.executable, "-P", "-c", PROGRAM, str(paths.data.parent)]


@contextmanager
def serving(paths: Paths) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The program, once it has said that it answers."""
    port = free_port()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "STEWARD_HOOKS__PORT": str(port)}
    with subprocess.Popen(
        command(paths), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as program:
        try:
            assert program.stdout.readline() == f"Steward answers hooks at http://127.0.0.1:{port}.\n"
            yield program, port
        finally:
            program.kill()


def hook(paths: Paths, port: int, tool_command: str) -> httpx.Response:
    body = json.dumps({"tool": "Bash", "input": {"command": tool_command}})
    headers = {"Authorization": f"Bearer {Tokens(paths).make('generic')}"}
    url = f"http://127.0.0.1:{port}/hooks/generic"
    return httpx.post(url, content=body, headers=headers, trust_env=False, timeout=20)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_answers_until_it_is_told_to_end(paths: Paths, number: signal.Signals) -> None:
    """What reads is allowed, the rest is left to the agent; a signal ends it, and nothing is left."""
    with serving(paths) as (program, port):
        assert hook(paths, port, "ls").json()["decision"] == "allow"
        assert hook(paths, port, "rm x").json()["decision"] == "ask"
        program.send_signal(number)
        said, complained = program.stdout.read(), program.stderr.read()
        assert (program.wait(20), complained) == (0, "")
    assert "no window" in said
    assert said.endswith("Steward has stopped answering hooks.\n")
    assert Tokens(paths).published() is None
    assert not paths.hook_socket.exists()


def test_what_another_process_sets_holds_at_once(paths: Paths) -> None:
    """`steward api on` and `steward agents install --mcp` write the file beside a running Steward; one with a
    mistake is told once, and changes nothing."""
    with serving(paths) as (program, port):
        token = Tokens(paths).make("generic")
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

        def tools() -> int:
            headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
            url = f"http://127.0.0.1:{port}/mcp"
            return httpx.post(url, json=asked, headers=headers, trust_env=False, timeout=20).status_code

        assert tools() == 403
        other = build_core(paths)
        other.settings.change("hooks", "agent_tools", True)
        wait_for(lambda: tools() == 200, "the tools")
        good = other.settings.path.read_text("utf-8")
        other.settings.path.write_text(good.replace("true", '"maybe"'), "utf-8")
        assert "agent_tools" in str(program.stderr.readline() if program.stderr else "")
        assert tools() == 200
        other.settings.path.write_text(good, "utf-8")
        other.settings.change("hooks", "agent_tools", False)
        wait_for(lambda: tools() == 403, "no tools")
        other.close()
        program.send_signal(signal.SIGTERM)
        assert "maybe" not in program.communicate(timeout=20)[1]


def test_a_second_one_says_that_the_first_is_there(paths: Paths) -> None:
    """One process a profile; the error names where it answers."""
    with serving(paths) as (first, port):
        done = subprocess.run(
            command(paths), capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        assert done.returncode == 1
        assert "already running for this profile" in done.stderr
        assert f"http://127.0.0.1:{port} (process {first.pid})" in done.stderr
        assert hook(paths, port, "ls").status_code == 200


def test_an_app_that_serves_no_hooks_is_named_too(paths: Paths) -> None:
    """The lock alone tells; what a killed process has published is not believed."""
    ensure(paths.runtime)
    Tokens(paths).publish(f"http://127.0.0.1:{free_port()}")
    core = build_core(paths)
    with FileLock(paths.instance_lock), pytest.raises(UserFacing, match="does not answer hooks") as raised:
        serve(core)
    assert raised.value.code == "already-serving"
    core.close()


def test_a_taken_port_is_told_with_the_reason(paths: Paths) -> None:
    """Hooks still come by the socket file, and never by another port."""
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "STEWARD_HOOKS__PORT": str(stranger.getsockname()[1]),
        }
        with subprocess.Popen(command(paths), stdout=subprocess.PIPE, text=True, env=environment) as program:
            try:
                said = [program.stdout.readline(), program.stdout.readline()]
                published = Tokens(paths).published()
            finally:
                program.kill()
    assert said[0] == "Steward answers hooks at its socket file alone.\n"
    assert "is taken" in said[1]
    assert f"process {os.getpid()}" in said[1]
    assert published is not None
    assert (published.url, published.socket) == ("", str(paths.hook_socket))


def said(core: Services, *words: str) -> str:
    done = CliRunner().invoke(api_app, words, obj=core)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_it_is_off_until_somebody_switches_it_on(core: Services) -> None:
    """And off again afterwards; the address is told either way."""
    assert "The API is off" in said(core, "status")
    assert "http://127.0.0.1:47615/v1" in said(core, "status")
    assert "The API is on" in said(core, "on")
    assert core.settings.current.api.enabled
    said(core, "off")
    assert not core.settings.current.api.enabled


def test_a_token_is_printed_once_and_ends_when_it_is_revoked(core: Services) -> None:
    """The token alone stands on standard output, so that it can be piped."""
    token = said(core, "token", "llm").strip()
    assert core.program_tokens.name_of(token) == "llm"
    assert said(core, "list") == "llm\n"
    assert "llm" in said(core, "status")
    said(core, "revoke", "llm")
    assert core.program_tokens.name_of(token) is None
    with pytest.raises(UserFacing) as refused:
        said(core, "revoke", "llm")
    assert refused.value.code == "program-unknown"


def test_what_was_used_is_told_in_words_and_as_json(core: Services) -> None:
    """Requests, tokens and the time of the last one."""
    core.program_tokens.make("llm")
    core.program_tokens.make("idle")
    core.program_log.answered("llm", 20, 7)
    words = said(core, "status")
    assert "1 answered, 0 refused, 20 tokens read, 7 written" in words
    assert "has not asked yet" in words
    assert "was refused" not in words
    core.program_log.refused("llm", "context_length_exceeded")
    assert "the last request was refused: context_length_exceeded" in said(core, "status")
    told = json.loads(said(core, "status", "--json"))
    assert told["programs"]["llm"]["answer_tokens"] == 7
    assert told["programs"]["idle"] is None
