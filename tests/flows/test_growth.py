"""What a long day leaves in memory: once the bounded lists are full, another hour of use adds nothing.

Counted are the objects that Python's collector knows, of the program without its windows. `dev.py bench day`
does the same with them, and by the clock.
"""

from __future__ import annotations

import gc
import json
import re
import time
import weakref
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from desktop.agents.hook_request import PendingHook
from desktop.agents.verdict_log import Recent
from desktop.app import Services, build_core
from desktop.chat.store import MessageStatus
from desktop.engine.engine import Engine, start_thread
from desktop.paths import Paths
from tests.fakes.scripted_model import ScriptedBackend, installed

QUESTIONS, HOOKS = 40, 100  # of one stretch, in four chats and ten sessions
# The lists that hold the latest of something, made so short that the first stretch fills them.
SHORT = {
    "desktop.agents.confined_runs.MOST_OPEN": 4,
    "desktop.agents.rewriting.MOST_SESSIONS": 2,
    "desktop.engine.kv_cache.MOST_PARKED": 2,
    "desktop.engine.session.ANSWERS_KEPT": 8,
    "desktop.engine.session.SEGMENTS_KEPT": 24,
    "desktop.memory.context.KEPT": 2,
    "desktop.memory.hindsight.hindsight.SESSIONS": 2,
    "desktop.sandbox.confiner.MOST_READY": 2,
}
COMMANDS = ("ls -la", "git status", "cat README.md", "grep -rn light src", "wc -l notes.txt")
# What is dropped now and then and not at once: the patterns that `re` keeps, and the weak references to its
# cursors of which a connection to the database clears its list every 200th time.
PASSING: tuple[type, ...] = (re.Pattern, weakref.ReferenceType)


class Use:
    """Somebody asks, and an agent works. `backend` forgets what it was asked."""

    def __init__(self, core: Services, backend: ScriptedBackend) -> None:
        self._core, self._backend = core, backend
        self._asked = self._called = 0
        self._chat = 0

    def stretch(self) -> None:
        for _ in range(QUESTIONS):
            if self._asked % 10 == 0:
                self._chat = self._core.store.create().id
            answer = self._core.turns.run(self._chat, f"Question {self._asked} about the sea?")
            assert answer.status is MessageStatus.COMPLETE
            self._asked += 1
        for _ in range(HOOKS):
            self._call(self._called)
            self._called += 1
        self._backend.evaluated.clear()
        self._backend.prompts.clear()
        self._backend.read_ahead.clear()

    def _call(self, number: int) -> None:
        """Every tenth is interrupted: its end is never told."""
        command = COMMANDS[number % len(COMMANDS)]
        said = self._hook("PreToolUse", number, {"command": command})
        told = json.loads(said)["hookSpecificOutput"] if said else {}
        if number % 10:
            arguments = told.get("updatedInput", {"command": command})
            self._hook("PostToolUse", number, arguments, tool_response={"stdout": "x"})

    def _hook(self, event: str, number: int, arguments: dict[str, str], **more: object) -> bytes:
        body = {
            "session_id": f"s{number // 10}",
            "cwd": "/tmp",
            "permission_mode": "default",
            "hook_event_name": event,
            "tool_name": "Bash",
            "tool_use_id": f"t{number}",
            "tool_input": arguments,
            **more,
        }
        handler = self._core.handler
        found = handler.quick("claude-code", json.dumps(body).encode())
        return (handler.hold(found) if isinstance(found, PendingHook) else found).body


@pytest.fixture
def use(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Use]:
    for name, most in SHORT.items():
        monkeypatch.setattr(name, most)
    monkeypatch.setattr("desktop.agents.hook_handler.Recent", partial(Recent, most=20))
    core, backend = build_core(paths), ScriptedBackend("The lighthouse stood there.")
    core.settings.change("chat", "workspace", str(tmp_path / "workspace"))
    core.engine = Engine(core.paths, core.bus, lambda: core.settings.current.model, backend)
    core.engine.use(installed(tmp_path / "models"))
    thread = start_thread(core.engine)
    yield Use(core, backend)
    core.close()
    thread.join()


def counted() -> Counter[str]:
    """By type, once the threads that write what happened have come to rest."""
    before: Counter[str] = Counter()
    while True:
        gc.collect()
        now = Counter(
            f"{type(each).__module__}.{type(each).__qualname__}"
            for each in gc.get_objects()
            if not isinstance(each, PASSING)
        )
        if now == before:
            return now
        before = now
        time.sleep(0.3)


def test_once_the_lists_are_full_use_leaves_nothing(use: Use) -> None:
    """Not one object for every fourth question, nor for every tenth call of an agent."""
    for _ in range(2):
        use.stretch()
    before = counted()
    use.stretch()
    grown = {kind: more for kind, more in (counted() - before).items() if more > 2}
    assert sum(grown.values()) < 10, grown
