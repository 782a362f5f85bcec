"""Notes proposed while nobody does anything: when, from what, and that nobody waits for them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from desktop.chat.events import TurnEnded, TurnStarted
from desktop.chat.note_proposals import NoteProposals
from desktop.memory.events import NotesSuggested
from desktop.memory.item import MemoryStatus
from desktop.settings import MemorySettings
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days

SAID = "My brother Paul lives in Lisbon and works as a cook."
ANSWER = json.dumps({"notes": [{"text": "Paul lives in Lisbon", "quote": "Paul lives in Lisbon"}]})


class Writing(ScriptedBackend):
    """Writes proposals under their grammar."""

    def constrained(self, grammar: str, prompt: str = "") -> str:
        if "quote" not in grammar:
            return super().constrained(grammar)
        self.prompts.append("proposal")
        return ANSWER


@pytest.fixture
def used(tmp_path: Path) -> Iterator[Days]:
    with days(tmp_path / "profile", installed(tmp_path / "models"), Writing("Nice.")) as used:
        yield used


@pytest.fixture
def proposing(used: Days, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., NoteProposals]]:
    with ExitStack() as ending:

        def make(settings: MemorySettings, may: bool = True, idle_s: float = 0.0) -> NoteProposals:
            core = used.core
            monkeypatch.setattr("desktop.chat.note_proposals.IDLE_S", idle_s)
            made = NoteProposals(core.engine, core.memory.store, "", core.bus, lambda: settings, lambda: may)
            ending.callback(made.close)
            return made

        yield make


WANTED = MemorySettings(propose_on_idle=True)


def test_what_was_said_is_proposed_once_and_waits_for_a_yes(
    used: Days, proposing: Callable[..., NoteProposals]
) -> None:
    """After the answer, by itself; a suggestion is told to nobody, and the same turns are not read again."""
    suggested = threading.Event()
    used.core.bus.subscribe(NotesSuggested, lambda event: suggested.set())
    made = proposing(WANTED)
    used.say(SAID)
    assert suggested.wait(20)
    made.close()
    (note,) = [item for item in used.items() if item.status is MemoryStatus.SUGGESTED]
    assert (note.text, note.origin) == ("Paul lives in Lisbon", "“Paul lives in Lisbon”")
    assert made.propose() == ()


@pytest.mark.parametrize(
    ("settings", "may"),
    [
        (MemorySettings(), True),
        (MemorySettings(propose_on_idle=True, paused=True), True),
        (MemorySettings(propose_on_idle=True, enabled=False), True),
        (WANTED, False),
    ],
)
def test_nothing_is_proposed_unasked(
    used: Days, proposing: Callable[..., NoteProposals], settings: MemorySettings, may: bool
) -> None:
    """Off by default, not while paused, not on battery or without a loaded model."""
    made = proposing(settings, may)
    used.say(SAID)
    made.close()
    backend = used.core.engine._loader._backend
    assert "proposal" not in backend.prompts  # type: ignore[attr-defined]


def test_a_question_puts_it_off(used: Days, proposing: Callable[..., NoteProposals]) -> None:
    """Whoever asks within the wait starts it anew, and the end does not wait for it."""
    made = proposing(WANTED, idle_s=3600.0)
    answer = used.say(SAID)
    used.core.bus.publish(TurnStarted(1, None, answer))
    used.core.bus.publish(TurnEnded(1, answer))
    made.close()
    assert all(item.status is not MemoryStatus.SUGGESTED for item in used.items())
