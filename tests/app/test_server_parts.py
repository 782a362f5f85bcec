"""The MCP tool `build`: asked about like the agent's own command, run like a rewritten one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from desktop.app import Services, build_core
from desktop.app.server_parts import build_for_agent
from desktop.asking import ALLOWED_ONCE, DENIED
from desktop.offload.workers import Worker, WorkerFile
from desktop.paths import Paths
from tests.fakes.asker import FakeAsker
from tests.offload.conftest import Workplace
from tests.offload.conftest import tower as tower
from tests.offload.conftest import workplace as workplace
from tests.ports import free_port


@pytest.fixture
def core(tmp_path: Path) -> Iterator[Services]:
    """A profile with a worker that is switched off, so that what is allowed runs here."""
    core = build_core(Paths.under(tmp_path / "profile"))
    (tmp_path / "a" / "project").mkdir(parents=True)
    (tmp_path / "a" / "project" / "Makefile").write_text("all:\n\t@echo built; echo told >&2; exit 3\n")
    WorkerFile(core.paths).put(Worker("tower", "tower", (str(tmp_path),)))
    yield core
    core.close()


def build(core: Services, folder: str, command: str, agent: str = "claude-code") -> str:
    return build_for_agent(core.handler, core.paths, agent, command, folder)


def test_an_allowed_build_runs_and_is_told_whole(core: Services, tmp_path: Path) -> None:
    """Exit code and both streams, after one question; Activity has it."""
    asker = core.asker = FakeAsker(ALLOWED_ONCE)
    said = build(core, str(tmp_path / "a" / "project"), "make")
    assert said.startswith("exit code 2\n--- stdout ---\nbuilt\n--- stderr ---\n")
    assert "told\n" in said
    assert [question.arguments for question in asker.questions] == ["make"]
    assert [event.text for event in core.handler.recent] == ["make"]


def test_a_no_runs_nothing(core: Services, tmp_path: Path) -> None:
    """The agent is told that it was the user."""
    core.asker = FakeAsker(DENIED)
    said = build(core, str(tmp_path / "a" / "project"), "make")
    assert said.startswith("The user denied this")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("make | tee log", "more than one plain"),
        ("rm -rf x", "rm is not a program"),
        ("make install", "not a build"),
    ],
)
def test_what_is_no_build_is_left_to_the_agents_shell(
    core: Services, tmp_path: Path, command: str, why: str
) -> None:
    """Nobody is asked about it."""
    asker = core.asker = FakeAsker(ALLOWED_ONCE)
    assert why in build(core, str(tmp_path / "a" / "project"), command)
    assert asker.questions == []


def test_only_known_agents_and_folders_that_are_there(core: Services, tmp_path: Path) -> None:
    """A program with the user's token is no agent, and a relative folder is nobody's."""
    core.asker = FakeAsker(ALLOWED_ONCE)
    assert "Only an agent" in build(core, str(tmp_path / "a" / "project"), "make", "a program")
    assert "no folder here" in build(core, "a/project", "make")


@pytest.mark.children
def test_a_build_by_mcp_is_told_with_what_has_left(workplace: Workplace) -> None:
    """Through the server's own door: asked about once, run on the worker, and in the log of the network."""
    workplace.write({"Makefile": "all: out\nout:\n\t@echo built; echo made >out\n"})
    core = build_core(workplace.paths)
    try:
        asker = core.asker = FakeAsker(ALLOWED_ONCE)
        core.settings.change("hooks", "agent_tools", True)
        core.settings.change("hooks", "port", free_port())
        address = f"http://127.0.0.1:{core.server.start()}/mcp"
        given = {"command": "make", "folder": str(workplace.project)}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        answer = httpx.post(
            address,
            json={**call, "params": {"name": "build", "arguments": given}},
            headers={
                "Authorization": f"Bearer {core.tokens.make('claude-code')}",
                "Accept": "application/json, text/event-stream",
            },
            trust_env=False,
            timeout=100,
        ).json()
        assert answer["result"]["content"][0]["text"] == "exit code 0\n--- stdout ---\nbuilt\n"
        assert [question.arguments for question in asker.questions] == ["make"]
        assert (workplace.project / "out").read_text() == "made\n"
        assert workplace.last.worker == "tower"
        sent, fetched = (each for each in core.network.log if each.host == "tower")
        assert (sent.method, sent.path, fetched.method) == ("SEND", str(workplace.project), "FETCH")
        assert str(sent.why).endswith("for a build on tower")
        (event,) = core.handler.recent
        assert (event.text, event.worker, event.saved_s) == ("make", "tower", workplace.last.processor_s)
    finally:
        core.close()
