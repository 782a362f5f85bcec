"""What the user sees in place of a model's excuse, and of its talk about a remark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.chat import excuse_fallback
from desktop.memory.store import View
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days

EXCUSE = "Sorry, but as an AI language model, I don't have access to your financial records. Ask your bank."
SQUAD = "player,subs\nAlfie Marsh,paid\nLeo Pritchard,owes\n"


def _excuse(prompt: str) -> str:
    """The excuse, or what is left of it where the prompt ends with its beginning."""
    begun = prompt[prompt.rfind(EXCUSE[:20]) :]
    return EXCUSE.removeprefix(begun) if EXCUSE.startswith(begun) else EXCUSE


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Days]:
    """A workspace with one table, and a model that excuses itself whatever it is asked."""
    backend = ScriptedBackend(_excuse, template=HERMES_TEMPLATE)
    model = installed(tmp_path / "profile" / "models", chat_template=HERMES_TEMPLATE)
    with days(tmp_path / "profile", model, backend) as used:
        (used.root / "squad.csv").write_text(SQUAD, encoding="utf-8")
        yield used


def test_the_file_stands_for_an_excuse(lived: Days, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named and shown, and nothing of the excuse is left in the chat. No script ranks files."""
    monkeypatch.setattr(excuse_fallback, "LEAST_OVER_NONE", -20.0)
    answer = lived.say("whos still not coughed up there subs")
    assert answer.text.startswith("I cannot say that for certain. This is in squad.csv:")
    assert "\nLeo Pritchard,owes\n" in answer.text
    messages = lived.core.store.messages(answer.conversation_id)
    assert not any("AI language model" in each.text for each in messages)
    assert any(each.tool is not None and each.tool.name == "read_file" for each in messages)


def test_what_no_file_can_tell_leaves_the_models_words(lived: Days) -> None:
    """In an empty workspace there is nothing to look into."""
    (lived.root / "squad.csv").unlink()
    assert lived.say("whos still not coughed up there subs").text == EXCUSE


def test_a_remark_changes_nothing_and_is_kept(lived: Days) -> None:
    """A sentence of ours fits it; what was said is remembered as if the model had answered."""
    said = "alfie played a blinder though to be fair, so happy for him"
    answer = lived.say(said)
    assert answer.text.endswith("I have changed no file; say so if it is to be written down.")
    assert answer.model == ""
    assert (lived.root / "squad.csv").read_text(encoding="utf-8") == SQUAD
    assert not lived.person.questions
    assert any(said in each.text for each in lived.core.memory.store.latest(View.of()))
