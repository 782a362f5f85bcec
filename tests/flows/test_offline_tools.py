"""What offline mode leaves of the web: nothing is asked or invented, and it is back without a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.app import Services, build_core
from desktop.asking import DENIED
from desktop.chat.messages import Message, Role
from desktop.paths import Paths
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import days

WEATHER = "What's the weather in Paris?"


@pytest.fixture
def core(tmp_path: Path) -> Iterator[Services]:
    """Started in offline mode, and nobody lets a request out."""
    profile = tmp_path / "profile"
    first = build_core(Paths.under(profile))
    first.settings.change("network", "offline", True)
    first.close()
    backend = ScriptedBackend(
        "It is sunny.", template=HERMES_TEMPLATE, calls=[("web_search", {"query": "pancakes"})]
    )
    with days(profile, installed(tmp_path, chat_template=HERMES_TEMPLATE), backend) as used:
        used.person.answer = DENIED
        yield used.core


def test_a_live_question_offline_is_said_to_be_unknown(core: Services) -> None:
    """Neither a search that would be refused nor a guess of the model's."""
    answer, called = ask(core, WEATHER)
    assert called == []
    assert "sunny" not in answer.text


def test_a_search_that_is_asked_for_offline_tells_the_cause(core: Services) -> None:
    """The user reads that it is offline mode which holds the search back."""
    answer, called = ask(core, "Search the web for pancakes")
    assert called == [("web_search", "network.offline")]
    assert core.network.log == ()
    assert "offline" in answer.text


def test_the_web_is_back_once_offline_mode_is_off(core: Services) -> None:
    """Without a restart: the same question is looked up now."""
    ask(core, WEATHER)
    core.settings.change("network", "offline", False)
    _, called = ask(core, WEATHER)
    assert [name for name, _ in called] == ["web_search"]


def ask(core: Services, text: str) -> tuple[Message, list[tuple[str, str]]]:
    """The answer, and the calls of its chat with what went wrong with each."""
    conversation = core.store.create()
    answer = core.turns.run(conversation.id, text)
    shown = core.store.messages(conversation.id, limit=None)
    tools = [each.tool for each in shown if each.role is Role.TOOL and each.tool is not None]
    return answer, [(each.name, str(each.failure.code) if each.failure else "") for each in tools]
