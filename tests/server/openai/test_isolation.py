"""What a program's question cannot reach: tools, memory, chats. The whole program, all of them in use."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from desktop.database import Connection, Database
from desktop.server.openai.answers import AnswerEnd, Piece, TextPiece, Usage
from desktop.server.openai.routes import PieceBox
from desktop.tools.executor import Executor
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days
from tests.ports import free_port

CANARY = "Berta"  # of the boat that memory, a chat and a file know


def own_tool(name: str) -> dict[str, Any]:
    """A tool of the program that is called as one of Steward's is."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}, "query": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "description": "Looks.", "parameters": schema}}


def opened(used: Days) -> httpx.Client:
    """The server of the whole program, as the program `llm` sees it."""
    core = used.core
    core.settings.change("api", "enabled", True)
    core.settings.change("hooks", "port", free_port())
    headers = {"Authorization": f"Bearer {core.program_tokens.make('llm')}"}
    port = core.server.start()
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False, timeout=30)


def ask(client: httpx.Client, text: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": text}]
    answer = client.post("/v1/chat/completions", json={"model": "steward", "messages": messages, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_program_s_question_touches_no_tool_no_memory_and_no_chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one read or write of the database, no run of the executor, nothing remembered in the prompt; not
    where the program brings tools with the names of Steward's own either."""
    wish = ("recall_notes", {"query": "boat"})
    backend = ScriptedBackend("Done.", template=HERMES_TEMPLATE, calls=(wish,))
    model = installed(tmp_path / "models", chat_template=HERMES_TEMPLATE)
    with days(tmp_path, model, ScriptedBackend("Ahoy.", template=HERMES_TEMPLATE)) as used:
        used.say(f"Remember that my boat is called {CANARY}")
        (used.root / "boat.txt").write_text(CANARY)
    touched: list[str] = []

    def counted(name: str) -> Callable[..., Any]:
        original = getattr(Database, name)

        def access(database: Database, fn: Callable[[Connection], Any]) -> Any:
            touched.append(name)
            return original(database, fn)

        return access

    with days(tmp_path, model, backend) as used, opened(used) as client:
        assert used.items()
        assert used.core.store.conversations()
        ask(client, "Good morning")  # what is built for the first request is no part of it
        for name in ("read", "write"):
            monkeypatch.setattr(Database, name, counted(name))
        monkeypatch.setattr(Executor, "run", lambda *_a, **_k: touched.append("tool"))
        before = len(backend.prompts)
        tools = [own_tool(name) for name in ("recall_notes", "read_file", "write_file")]
        answer = ask(client, "Look up what my boat is called", tools=tools)
        said = ask(client, "What is my boat called?")
        monkeypatch.undo()
        asked = backend.prompts[before:]
    assert touched == []
    assert asked
    assert not any(CANARY in each for each in asked)
    assert answer["choices"][0]["finish_reason"] == "tool_calls"
    assert CANARY not in f"{answer}{said}"


def test_what_comes_at_once_is_taken_at_once() -> None:
    """For one wake of the loop, in order; an error comes after all that was said before it."""

    async def run() -> tuple[list[Piece], list[Piece], str, int]:
        wakes = 0
        loop = asyncio.get_running_loop()
        box = PieceBox(loop)
        wake = box._wake

        def counted() -> None:
            nonlocal wakes
            wakes += 1
            wake()

        box._wake = counted  # type: ignore[method-assign] # a spy that still wakes

        def say() -> None:
            for number in range(50):
                box.put(TextPiece(str(number)))

        taking = asyncio.create_task(box.take())
        await asyncio.sleep(0)  # it waits from here on
        # The loop stands still meanwhile, so that none of them is taken before the last is put.
        speaker = threading.Thread(target=say)
        speaker.start()
        speaker.join()
        first = await taking
        box.put(AnswerEnd("stop", Usage()))
        box.put(ValueError("broken"))
        last = await box.take()
        try:
            await box.take()
        except ValueError as error:
            return first, last, str(error), wakes
        raise AssertionError

    first, last, error, wakes = asyncio.run(run())
    assert [each.text for each in first if isinstance(each, TextPiece)] == [str(each) for each in range(50)]
    assert last == [AnswerEnd("stop", Usage())]
    assert error == "broken"
    assert wakes == 1  # what follows is there when it is asked for
