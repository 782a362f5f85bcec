"""A model that cannot be loaded: the buttons of the card do what they say."""

from __future__ import annotations

import re
import tomllib
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton

from desktop.engine.crash_marker import LoadAttempt
from desktop.engine.events import EngineState
from desktop.engine.reasons import EngineReason
from desktop.errors import UserFacing
from desktop.models.reasons import ModelReason
from desktop.paths import resources
from desktop.ui.chat.error_actions import ErrorActions
from desktop.ui.widgets.error_card import ErrorCard
from tests.engine.test_crash_marker import crash
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import LEFT, ask, wait_for_answers

ROOMS = {"engine": EngineReason, "models": ModelReason}
NEVER_OF_AN_ANSWER = {"no-source", "packages-missing"}  # of a download


def buttons(desk: Desk) -> dict[str, QPushButton]:
    """Of the error card under the answer, by their words."""
    cards = [card for card in desk.window.pane.transcript.findChildren(ErrorCard) if card.isVisible()]
    return {each.text(): each for card in cards for each in card.findChildren(QPushButton)}


def test_a_smaller_context_is_one_click(desk: Desk) -> None:
    """The setting is changed, the question is answered, and the model has the smaller context."""
    desk.use_model()
    desk.backend.context_error = lambda _device: True
    ask(desk, "Hello")
    desk.qtbot.waitUntil(lambda: "Use 2,048 tokens" in buttons(desk), timeout=8000)
    assert {"Choose a model", "Try again"} <= set(buttons(desk))
    desk.backend.context_error = lambda _device: False
    desk.qtbot.mouseClick(buttons(desk)["Use 2,048 tokens"], LEFT)
    desk.qtbot.waitUntil(lambda: desk.engine.status.state is EngineState.READY, timeout=8000)
    wait_for_answers(desk, 1)
    assert desk.settings.current.model.context_tokens == 2048
    assert desk.engine.status.context_tokens == 2048
    assert not buttons(desk)


def test_no_smaller_context_is_offered_where_none_would_help(desk: Desk) -> None:
    """Below a thousand tokens there is no conversation."""
    desk.settings.change("model", "context_tokens", 1024)
    desk.use_model()
    desk.backend.context_error = lambda _device: True
    ask(desk, "Hello")
    desk.qtbot.waitUntil(lambda: "Try again" in buttons(desk), timeout=8000)
    assert not any(words.startswith("Use ") for words in buttons(desk))


@pytest.mark.parametrize("room", ["engine", "models"])
def test_who_is_told_to_choose_another_model_has_the_button(desk: Desk, room: str) -> None:
    """What the sentence of a failure names is there to be clicked."""
    services: Any = SimpleNamespace(engine=desk.engine, settings=desk.settings, background=None)
    shown = ErrorActions(services, lambda: None)
    table = tomllib.loads((resources() / "messages" / "en" / f"{room}.toml").read_text(encoding="utf-8"))
    told = [name for name, text in table.items() if "another model" in action_of(text)]
    assert told
    for name in set(told) - NEVER_OF_AN_ANSWER:
        code = ROOMS[room](f"{room}.{name}")
        names = set(re.findall(r"{(\w+)", " ".join(table[name].values())))
        error = UserFacing(code.of(**dict.fromkeys(names, 1)))
        words = [words for words, _act in shown.actions(error, lambda: None)]
        assert "Choose a model" in words, name


def action_of(text: str | dict[str, str]) -> str:
    return "" if isinstance(text, str) else text.get("action", "")


def test_a_model_that_ended_the_program_is_loaded_where_the_user_insists(desk: Desk) -> None:
    """The card says so and has the button; one click answers the question."""
    crash(desk.paths.load_marker, LoadAttempt("scripted", -1))
    desk.use_model()
    ask(desk, "Hello")
    desk.qtbot.waitUntil(lambda: "Load it anyway" in buttons(desk), timeout=8000)
    assert "Choose a model" in buttons(desk)
    assert desk.backend.loads == []
    desk.qtbot.mouseClick(buttons(desk)["Load it anyway"], LEFT)
    wait_for_answers(desk, 1)
    assert len(desk.backend.loads) == 1
    assert not buttons(desk)
