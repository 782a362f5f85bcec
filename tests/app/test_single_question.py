"""`steward ask` beside a Steward that runs: its model answers, and nothing of it reaches its chats."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from desktop.app import Services, build_core
from desktop.app.single_question import Allow, QuestionOptions, forgotten_store
from desktop.chat.events import AnswerGrew, TurnStarted
from desktop.cli.chat import ask
from desktop.errors import UserFacing
from desktop.gate.grants import Covers, GrantKind, GrantScope
from desktop.paths import Paths
from desktop.server.question_socket import LAST, ask_running
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.desktop_session import wait_for
from tests.flows.memory_days import Days, days

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no socket files")

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "Which colour has the sky?"


@contextmanager
def running(folder: Path, backend: ScriptedBackend) -> Iterator[Days]:
    """A Steward with its model, which takes questions."""
    model = installed(folder / "profile" / "models", chat_template=HERMES_TEMPLATE)
    with days(folder / "profile", model, backend) as host:
        assert host.core.question_socket.open()
        yield host


@contextmanager
def terminal(folder: Path) -> Iterator[Services]:
    """The command's own services, in the same profile."""
    with closing(build_core(Paths.under(folder / "profile"))) as core:
        yield core


def test_the_running_program_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Streamed to the terminal; no second engine is made, and no chat and no event of it is seen there."""
    backend = ScriptedBackend("Blue as the sea.", template=HERMES_TEMPLATE)
    with running(tmp_path, backend) as host, terminal(tmp_path) as core:
        seen: list[object] = []
        for kind in (TurnStarted, AnswerGrew):
            host.core.bus.subscribe(kind, seen.append)
        capsys.readouterr()
        with capture_logs():
            assert ask(core, QuestionOptions(QUESTION), as_json=False) == 0
        assert capsys.readouterr().out == "Blue as the sea.\n"
        assert Services.engine.if_built(core) is None
        assert any(QUESTION in each for each in backend.prompts)
        assert host.core.store.conversations() == ()
        assert seen == []


def test_json_is_what_the_command_alone_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same keys, the figures of this answer, and the program's model."""
    with running(tmp_path, ScriptedBackend("Blue as the sea.", template=HERMES_TEMPLATE)) as host:
        capsys.readouterr()
        with terminal(tmp_path) as core, capture_logs():
            ask(core, QuestionOptions(QUESTION), as_json=True)
        found = json.loads(capsys.readouterr().out)
        assert (found["answer"], found["finish"]) == ("Blue as the sea.", "stop")
        assert found["model"] == host.core.engine.status.model_id
        assert found["metrics"]["answer_tokens"] > 0
        assert set(found) == {
            *("answer", "thinking", "finish", "model", "notice", "calls", "memory", "extensions", "seconds"),
            "metrics",
        }


@pytest.mark.parametrize(
    ("allow", "written"), [(Allow.NONE, False), (Allow.READ, False), (Allow.WORKSPACE, True)]
)
def test_the_command_line_alone_says_what_may_be_done(tmp_path: Path, allow: Allow, written: bool) -> None:
    """As without a program: nobody is asked, neither in the terminal nor in the windows."""
    wish = ("write_file", {"path": "sea.txt", "content": "deep"})
    backend = ScriptedBackend("Well.", template=HERMES_TEMPLATE, calls=(wish,))
    with running(tmp_path, backend) as host, terminal(tmp_path) as core:
        ask(core, QuestionOptions("Write the word deep into the file sea.txt", allow), as_json=False)
        assert (host.root / "sea.txt").exists() is written
        assert host.person.questions == []


def test_a_permission_for_a_chat_is_none_for_the_terminal(tmp_path: Path) -> None:
    """What was allowed for the first chat held for every question of a terminal: both were number 1."""
    wish = ("write_file", {"path": "sea.txt", "content": "deep"})
    backend = ScriptedBackend("Well.", template=HERMES_TEMPLATE, calls=(wish,))
    with running(tmp_path, backend) as host, terminal(tmp_path) as core:
        covers = Covers("write_file", GrantKind.BELOW, folder=host.root)
        host.core.grants.add(GrantScope.CHAT, covers, str(host.chat()))
        ask(core, QuestionOptions("Write the word deep into the file sea.txt"), as_json=False)
        assert not (host.root / "sea.txt").exists()


def test_histories_that_nobody_keeps_share_no_number() -> None:
    """Neither with the user's own nor with each other."""
    numbers = set()
    for _ in range(5):
        with forgotten_store() as store:
            numbers |= {store.create().id, store.create().id}
    assert len(numbers) == 10
    assert min(numbers) > 1 << 50


OTHERS: list[Callable[[Days, pytest.MonkeyPatch], QuestionOptions]] = [
    lambda _host, _patch: QuestionOptions(QUESTION, model="another"),
    lambda host, _patch: (host.core.engine.use(None), QuestionOptions(QUESTION))[1],
    lambda _host, patch: (
        patch.setattr("desktop.app.single_question.variables", dict),
        QuestionOptions(QUESTION),
    )[1],
]


@pytest.mark.parametrize("other", OTHERS)
def test_what_the_program_cannot_answer_so_the_command_does_itself(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    other: Callable[[Days, pytest.MonkeyPatch], QuestionOptions],
) -> None:
    """Another model is named, none is chosen there, or the environment sets something for this run alone."""
    backend = ScriptedBackend("Blue.", template=HERMES_TEMPLATE)
    monkeypatch.setenv("STEWARD_MODEL__TEMPERATURE", "0.5")
    with running(tmp_path, backend) as host:
        request = QuestionOptions(QUESTION).request()
        asked = other(host, monkeypatch)
        if asked.model:
            request = asked.request()
        lines = ask_running(host.core.paths, request)
        assert lines is not None
        assert list(lines) == [{"elsewhere": True}]
        assert backend.prompts == []


def test_where_no_program_runs_nobody_is_asked(tmp_path: Path) -> None:
    """Also where a killed one has left its socket and its token."""
    with running(tmp_path, ScriptedBackend("Blue.", template=HERMES_TEMPLATE)) as host:
        paths = host.core.paths
        token = paths.question_token.read_bytes()
    assert not paths.question_socket.exists()
    assert ask_running(paths, QuestionOptions(QUESTION).request()) is None
    paths.question_token.write_bytes(token)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(paths.question_socket))
    assert ask_running(paths, QuestionOptions(QUESTION).request()) is None


def test_who_does_not_know_the_token_gets_no_word(tmp_path: Path) -> None:
    """The path of the socket is no right: a confined command may know it, and sees no token."""
    backend = ScriptedBackend("Blue.", template=HERMES_TEMPLATE)
    with running(tmp_path, backend) as host:
        host.core.paths.question_token.write_text(json.dumps({"token": "another"}))
        lines = ask_running(host.core.paths, QuestionOptions(QUESTION, Allow.WORKSPACE).request())
        assert lines is not None
        with pytest.raises(UserFacing) as failed:
            next(lines)
        assert failed.value.code == "program-silent"
        assert backend.prompts == []


def test_who_hangs_up_stops_the_answer(tmp_path: Path) -> None:
    """As Ctrl+C does in the terminal; the program goes on with others."""
    backend = ScriptedBackend("word " * 5000, template=HERMES_TEMPLATE, token_s=0.01)
    with running(tmp_path, backend) as host:
        lines = ask_running(host.core.paths, QuestionOptions(QUESTION).request())
        assert lines is not None
        assert "grew" in next(lines)
        assert host.core.engine.is_busy
        lines.close()
        wait_for(lambda: not host.core.engine.is_busy, "the end of the answer")
        threads = {"question", "terminal turn"}
        wait_for(
            lambda: not threads & {each.name for each in threading.enumerate()}, "the end of its threads"
        )


def test_a_program_that_quits_says_so(tmp_path: Path) -> None:
    """An answer that was cut off with it is none."""
    backend = ScriptedBackend("word " * 5000, template=HERMES_TEMPLATE, token_s=0.01)
    with running(tmp_path, backend) as host:
        lines = ask_running(host.core.paths, QuestionOptions(QUESTION).request())
        assert lines is not None
        assert "grew" in next(lines)
        host.core.stop()
        said = list(lines)
    assert all("answer" not in each for each in said)


PROGRAM = """
import sys, time
from pathlib import Path
from tests.app.test_single_question import running
from tests.fakes.scripted_model import ScriptedBackend
from tests.chat.test_agent_loop import HERMES_TEMPLATE
with running(Path(sys.argv[1]), ScriptedBackend("word " * 5000, template=HERMES_TEMPLATE, token_s=0.01)):
    print("ready", flush=True)
    time.sleep(100)
"""
ASK = "import sys; from desktop.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.children
def test_a_program_that_is_killed_in_mid_answer_is_one_sentence(tmp_path: Path) -> None:
    """On stderr, with an exit code that says that there is no answer."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def started(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    with started(PROGRAM, str(tmp_path)) as program:
        assert program.stdout is not None
        assert "ready\n" in iter(program.stdout.readline, "")
        with started(ASK, "--profile", str(tmp_path / "profile"), "ask", QUESTION) as asking:
            assert asking.stdout is not None
            assert asking.stdout.read(4) == "word"
            program.send_signal(signal.SIGKILL)
            _rest, said = asking.communicate(timeout=60)
        program.wait()
    assert asking.returncode == 1
    assert said.splitlines()[0] == "The running Steward ended before the answer was complete."
    assert "Traceback" not in said


def lines_of(host: Days, asked: QuestionOptions) -> list[dict[str, Any]]:
    """All that is said, to the end."""
    lines = ask_running(host.core.paths, asked.request())
    assert lines is not None
    return [dict(each) for each in lines]


def test_a_failure_is_told_as_the_command_would(tmp_path: Path) -> None:
    """With its three sentences, and no mark of the line."""
    with running(tmp_path, ScriptedBackend("Blue.", template=HERMES_TEMPLATE)) as host:
        host.core.settings.change("model", "context_tokens", 512)
        (said,) = lines_of(host, QuestionOptions("why " * 3000))
        assert said["code"] == "message-too-long"
        assert len(said["failed"]) == 3
        assert LAST not in said
