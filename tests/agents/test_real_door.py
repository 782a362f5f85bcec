"""The real programs in modes in which they ask nobody, and everything that has kept a hook from its answer.

Found as in test_real_programs.py, by STEWARD_TEST_AGENTS. Each is told by its model to make a file.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.agents.install import Installer
from desktop.agents.settings_file import Computer
from desktop.app import build_core
from desktop.asking import Answer
from desktop.asking import Choice as Click
from desktop.paths import Paths
from tests.agents.answering import Answering
from tests.agents.installing import Daemon
from tests.agents.scripted_service import Script, Service
from tests.agents.test_real_programs import ENDS_S, FOLDER, PROGRAMS, Program
from tests.fakes.asker import FakeAsker
from tests.ports import free_port

pytestmark = [pytest.mark.children, pytest.mark.slow, pytest.mark.timeout(180)]

WAITS_S = 25  # for a program that asks, and has no terminal
# What makes each of them run everything unasked.
UNASKED = {
    "claude-code": ("-p", "go", "--dangerously-skip-permissions"),
    "codex": (
        *("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
        *("--dangerously-bypass-approvals-and-sandbox", "go"),
    ),
    "gemini-cli": ("-m", "gemini-2.5-pro", "-p", "go", "--approval-mode", "yolo"),
    "copilot-cli": ("-p", "go", "--allow-all-tools"),
    "opencode": ("run", "go"),
}
YES = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
ALLOWS = (
    b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"},"action":"allow",'
    b'"decision":"allow","permissionDecision":"allow","permission":"allow","program":"steward"}'
)


class Proxy:
    """Takes what is for the model's service there, and says yes to everything else."""

    def __init__(self, service: Service) -> None:
        self._service_port = int(service.url.rpartition(":")[2])
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.others: list[bytes] = []
        self._threads = [threading.Thread(target=self._serve, name="proxy")]
        self._threads[0].start()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for each in self._threads:
            each.join(10)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                line, _ = self._socket.accept()
                thread = threading.Thread(target=self._one, args=(line,), name="proxied")
                self._threads.append(thread)
                thread.start()

    def _one(self, line: socket.socket) -> None:
        with line, contextlib.suppress(OSError):
            line.settimeout(ENDS_S)
            head = line.recv(65_536)
            if f":{self._service_port}".encode() not in head.partition(b"\r\n")[0]:
                self.others.append(head)
                line.sendall(YES % (len(ALLOWS), ALLOWS))
                return
            with socket.create_connection(("127.0.0.1", self._service_port)) as service:
                if head.startswith(b"CONNECT"):
                    line.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                else:
                    method, url, rest = head.split(b" ", 2)
                    service.sendall(b" ".join((method, b"/" + url.split(b"/", 3)[3], rest)))
                back = threading.Thread(target=_pour, args=(service, line), name="poured")
                back.start()
                _pour(line, service)
                back.join(10)


def _pour(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while part := source.recv(65_536):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)


class Unasked:
    """One agent that asks nobody, with our hooks in its settings unless told otherwise."""

    def __init__(self, program: Program, folder: Path, service: Service, paths: Paths) -> None:
        self.program = replace(program, arguments=UNASKED[program.agent])
        self.folder, self.service, self.paths = folder, service, paths
        self.home, self.project = folder / "home", folder / "project"
        self.project.mkdir()
        self.made = self.project / "made.txt"
        self.core = build_core(paths)
        self.more: dict[str, str] = {}
        for each in (".claude", ".codex", ".gemini", ".copilot", ".config/opencode"):
            (self.home / each).mkdir(parents=True)

    def install(self) -> None:
        computer = Computer(self.home, {"PATH": os.environ["PATH"]})
        settings = self.core.settings.current.hooks
        Installer(self.paths, self.core.tokens, settings, computer).install(self.program.agent)

    def run(self) -> list[str]:
        """Let the model make the file; what it was told of it, nothing where the agent waits for somebody."""
        if not (self.home / ".gemini" / "settings.json").exists():
            (self.home / ".gemini" / "settings.json").write_text("{}")
        variables = self.program.prepare(self.home, self.service.url)
        script = Script(self.program.tool, {self.program.command: "touch made.txt", **self.program.more})
        self.service.script = script
        path = {"PATH": os.environ["PATH"], "HOME": str(self.home), "IS_SANDBOX": "1"}
        agent = subprocess.Popen(
            self.program.argv,
            cwd=self.project,
            env={**path, **variables, **self.more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            agent.wait(ENDS_S if self.program.ends_unanswered else WAITS_S)
        except subprocess.TimeoutExpired:
            assert not self.program.ends_unanswered, "it did not end"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(agent.pid, signal.SIGKILL)
            agent.wait(10)
        return script.results


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.agent)
def unasked(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Unasked]:
    program: Program = request.param
    if not FOLDER or not (Path(FOLDER) / program.file).exists():
        pytest.skip(f"{program.agent} is not in the folder that STEWARD_TEST_AGENTS names")
    monkeypatch.setenv("STEWARD_HOOKS__PORT", str(free_port()))
    service = Service()
    made = Unasked(program, tmp_path, service, Paths.under(tmp_path / "p"))
    yield made
    made.core.close()
    service.close()


def test_without_hooks_it_is_made(unasked: Unasked) -> None:
    """Else the tests below would show nothing."""
    unasked.run()
    assert unasked.made.exists()


@contextmanager
def deny(unasked: Unasked) -> Iterator[None]:
    """Steward is there, and the user says no."""
    unasked.core.asker = FakeAsker(Answer(Click.DENY, instead="use the trash"))
    unasked.install()
    unasked.core.server.start()
    yield
    assert isinstance(unasked.core.asker, FakeAsker)
    assert unasked.core.asker.questions, "nobody was asked"


@contextmanager
def proxy_set(unasked: Unasked) -> Iterator[None]:
    proxy = Proxy(unasked.service)
    names = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY")
    unasked.more = dict.fromkeys(names, proxy.url)
    try:
        with deny(unasked):
            yield
        assert not any(b"/hooks/" in each or b"touch" in each for each in proxy.others)
    finally:
        proxy.close()


@contextmanager
def port_taken(unasked: Unasked) -> Iterator[None]:
    with stranger(unasked), deny(unasked):
        yield


@contextmanager
def stranger(unasked: Unasked) -> Iterator[None]:
    """Another program has the port and says yes to all."""
    port = unasked.core.settings.current.hooks.port
    with Answering(raw=lambda line: line.sendall(YES % (len(ALLOWS), ALLOWS)), port=port):
        yield


@contextmanager
def stranger_alone(unasked: Unasked) -> Iterator[None]:
    unasked.install()
    with stranger(unasked):
        yield


@contextmanager
def nobody(unasked: Unasked) -> Iterator[None]:
    """Steward is not running."""
    unasked.install()
    yield


@contextmanager
def killed(unasked: Unasked) -> Iterator[None]:
    """Steward ends by kill -9 with the question open: the line ends without an answer."""
    unasked.install()
    unasked.paths.runtime.mkdir(parents=True, exist_ok=True)
    with Daemon(unasked.paths, unasked.paths.hook_socket, answer=lambda talk: talk.line.close()) as daemon:
        yield
    assert daemon.requests, "no hook came"


@contextmanager
def token_stale(unasked: Unasked) -> Iterator[None]:
    unasked.install()
    unasked.core.tokens.forget(unasked.program.agent)
    unasked.core.server.start()
    yield


CONDITIONS = (proxy_set, port_taken, stranger_alone, nobody, killed, token_stale)


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda each: each.__name__)
def test_nothing_is_made_unasked(unasked: Unasked, condition: object) -> None:
    """Whatever keeps the hook from Steward, or Steward's answer from the agent."""
    with ExitStack() as stack:
        stack.enter_context(condition(unasked))  # type: ignore[operator] # one of the above
        told = unasked.run()
    assert not unasked.made.exists(), told
