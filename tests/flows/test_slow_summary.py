"""A computer that needs minutes to write what the user asked for does all of it in the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.chat import turn_context
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import days

SUMMARY = "The hen house is closed at night because of the fox."
LINE = "The fox comes at night, so the hen house is closed when the sun goes down.\n"


@pytest.mark.parametrize("lines", [3, 2000], ids=["at once", "in parts"])
def test_a_summary_that_took_long_is_saved(
    tmp_path: Path, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time that the text took is no reason to leave it unwritten."""
    # No time of the turn's own is left once the first call was made.
    monkeypatch.setattr(turn_context, "OWN_TIME_S", -1.0)
    backend = ScriptedBackend(SUMMARY, template=HERMES_TEMPLATE)
    with days(tmp_path / "profile", installed(tmp_path, chat_template=HERMES_TEMPLATE), backend) as used:
        (used.root / "page.md").write_text(LINE * lines, encoding="utf-8")
        answer = used.say("Summarise page.md and save it in short.txt")
        saved = used.root / "short.txt"
        assert saved.exists(), answer.text
        assert saved.read_text(encoding="utf-8").strip()
        assert "short.txt" in answer.text
