"""A computer that needs minutes to write what the user asked for does all of it in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.app import Services, build_core
from desktop.chat import turn_context
from desktop.engine.engine import Engine, start_thread
from desktop.paths import Paths
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.real_model import Person

SUMMARY = "The hen house is closed at night because of the fox."
LINE = "The fox comes at night, so the hen house is closed when the sun goes down.\n"


@pytest.fixture
def core(paths: Paths, tmp_path: Path) -> Iterator[Services]:
    """Whose turns have no time of their own left once the first call was made."""
    made = build_core(paths)
    made.asker = Person()
    backend = ScriptedBackend(SUMMARY, template=HERMES_TEMPLATE)
    made.engine = Engine(made.paths, made.bus, lambda: made.settings.current.model, backend)
    made.engine.use(installed(tmp_path, chat_template=HERMES_TEMPLATE))
    thread = start_thread(made.engine)
    try:
        yield made
    finally:
        made.engine.close()
        thread.join()
        made.close()


@pytest.mark.parametrize("lines", [3, 2000], ids=["at once", "in parts"])
def test_a_summary_that_took_long_is_saved(
    core: Services, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time that the text took is no reason to leave it unwritten."""
    monkeypatch.setattr(turn_context, "OWN_TIME_S", -1.0)
    (core.workspace.root / "page.md").write_text(LINE * lines, encoding="utf-8")
    chat = core.store.create()
    answer = core.turns.run(chat.id, "Summarise page.md and save it in short.txt")
    saved = core.workspace.root / "short.txt"
    assert saved.exists(), answer.text
    assert saved.read_text(encoding="utf-8").strip()
    assert "short.txt" in answer.text
