"""`steward hook`: the daemon's answer, or the tables' own where none runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.agents.tokens import Tokens
from desktop.paths import Paths
from tests.agents.answering import Answering, says

pytestmark = pytest.mark.children

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import sys
from desktop.agents.hook import main
code = main(sys.argv[2:], sys.argv[1])
heavy = {"PySide6", "llama_cpp", "numpy", "httpx", "pydantic_settings", "typer"} & set(sys.modules)
sys.exit(f"heavy: {heavy}" if heavy else code)
"""


def hook(paths: Paths, *words: str, told: object = None) -> subprocess.CompletedProcess[str]:
    text = told if isinstance(told, str) else json.dumps(told or command("ls"))
    return subprocess.run(
        [sys.executable, "-c", CODE, str(paths.data.parent), *words],
        input=text,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )


def command(line: str, tool: str = "Bash") -> dict[str, object]:
    return {"tool": tool, "input": {"command": line}}


ALONE = [
    (command("ls -la"), "allow"),
    (command("git status && cat README.md"), "allow"),
    (command("rm -rf build"), "ask"),
    (command("cat ~/.ssh/id_rsa"), "ask"),
    (command("some-unknown-program x"), "ask"),
    (command("Get-ChildItem", "PowerShell"), "allow"),
    ({"tool": "Write", "input": {"file_path": "/x", "content": ""}}, "ask"),
]


@pytest.mark.parametrize(("told", "decision"), ALONE)
def test_without_a_daemon_the_tables_answer(paths: Paths, told: dict[str, object], decision: str) -> None:
    """What only reads is allowed; nobody can be asked about the rest. Nothing heavy is imported."""
    done = hook(paths, told=told)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["decision"] == decision
    assert answer["reason"]


@pytest.mark.parametrize(
    "told", ["", "garbage", "[]", "{}", '{"tool": "Bash"}', '{"tool": 1, "input": 2}', "null"]
)
def test_what_is_no_hook_gets_no_answer(paths: Paths, told: str) -> None:
    """Empty output and exit code 0, as everywhere."""
    done = hook(paths, told=told or " ")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("text", ["[permissions]\nauto_allow_read = false\n", "= broken"])
def test_settings_count_without_a_daemon_too(paths: Paths, text: str) -> None:
    """Whoever wants to be asked about reading is; settings that cannot be read allow nothing."""
    paths.config.mkdir(parents=True)
    paths.settings.write_text(text)
    assert json.loads(hook(paths).stdout)["decision"] == "ask"


def test_a_daemon_is_asked(paths: Paths) -> None:
    """With the general token, under the agent's name; body, exit code and reason are passed on."""
    tokens = Tokens(paths)
    with Answering(says(b'{"x":1}', "2", b"no!"), tokens=lambda: (tokens.general(),)) as server:
        tokens.publish(f"http://127.0.0.1:{server.address}")
        done = hook(paths, "codex")
    assert (done.returncode, done.stdout, done.stderr) == (2, '{"x":1}\n', "no!\n")
    assert (server.requests[0].what, server.requests[0].was_proven) == ("hooks/codex", True)


def test_a_killed_daemon_is_none(paths: Paths) -> None:
    """Its address still lies there."""
    with Answering() as server:
        Tokens(paths).publish(f"http://127.0.0.1:{server.address}")
    assert json.loads(hook(paths).stdout)["decision"] == "allow"


def test_a_daemon_that_fails_is_not_overruled(paths: Paths) -> None:
    """It may know a reason to refuse: the tables do not answer in its place."""
    tokens = Tokens(paths)
    with Answering(says(b"", "-", b"a mistake"), tokens=lambda: (tokens.general(),)) as server:
        tokens.publish(f"http://127.0.0.1:{server.address}")
        silent, closed = hook(paths), hook(paths, "--fail-closed")
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")
    assert (closed.returncode, closed.stdout) == (2, "")
    assert "a mistake" in closed.stderr


@pytest.mark.parametrize(("words", "code"), [(("codex",), 0), (("codex", "--fail-closed"), 2)])
def test_other_agents_get_silence_without_a_daemon(paths: Paths, words: tuple[str, ...], code: int) -> None:
    """Their forms differ; their own prompts do not need us."""
    done = hook(paths, *words)
    assert (done.returncode, done.stdout) == (code, "")


@pytest.mark.parametrize(
    "words", [("--what",), ("a", "b"), ("--timeout", "x"), ("--timeout", "²"), ("../x",)]
)
def test_wrong_words_are_refused(paths: Paths, words: tuple[str, ...]) -> None:
    """With the usage on stderr."""
    done = hook(paths, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage:" in done.stderr
