"""Every part of the status line is a button that opens what it is about."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop.chat.attachments import Draft
from desktop.engine.events import GenerationFinished
from desktop.engine.requests import Metrics
from desktop.network.log import RequestLog
from desktop.ui.chat import status_controller
from desktop.ui.chat.status_controller import timings
from tests.fakes.scripted_model import ScriptedContext
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import ask, wait_for_answers

LEFT = Qt.MouseButton.LeftButton


def test_the_model_part_offers_the_installed_models(desk: Desk) -> None:
    """The one in use is marked, another is chosen by a click, the manager is one entry away."""
    desk.window.menus._models = lambda: [("first", "First 1B"), ("second", "Second & third 2B")]
    desk.settings.change("model", "active", "first")
    desk.qtbot.mouseClick(desk.window.pane.status.model, LEFT)
    menu = desk.window.findChild(QMenu, "model_menu")
    assert menu is not None
    assert [action.isChecked() for action in menu.actions()[:2]] == [True, False]
    second = menu.findChild(QAction, "use_model_1")
    assert second is not None
    second.trigger()
    desk.qtbot.waitUntil(lambda: desk.settings.current.model.active == "second")
    manage = menu.findChild(QAction, "manage_models")
    assert manage is not None
    with desk.qtbot.waitSignal(desk.window.models_requested):
        manage.trigger()
    menu.close()


def test_without_a_model_the_manager_opens(desk: Desk) -> None:
    """There is nothing to choose from yet."""
    with desk.qtbot.waitSignal(desk.window.models_requested):
        desk.qtbot.mouseClick(desk.window.pane.status.model, LEFT)


def test_the_device_part_leads_to_its_settings(desk: Desk) -> None:
    """Where the model computes is set on the page of settings."""
    desk.use_model()
    ask(desk, "Hello")
    wait_for_answers(desk, 1)
    with desk.qtbot.waitSignal(desk.window.page_requested) as asked:
        desk.qtbot.mouseClick(desk.window.pane.status.device, LEFT)
    assert asked.args == ["Settings"]


def test_the_speed_part_shows_the_timings_of_the_latest_answer(desk: Desk) -> None:
    """What was read, what was known from before, and how fast the answer was written."""
    desk.use_model()
    desk.backend.answers = "one two three four five"
    desk.backend.token_s = 0.01
    ask(desk, "Hello")
    wait_for_answers(desk, 1)
    desk.qtbot.waitUntil(desk.window.pane.status.speed.isVisible)  # the engine tells it after the answer
    desk.qtbot.mouseClick(desk.window.pane.status.speed, LEFT)
    dialog = desk.window.findChild(QWidget, "timings")
    assert dialog is not None
    desk.qtbot.waitUntil(dialog.isVisible)
    spoken = dialog.accessibleDescription()
    assert "Writing the answer: " in spoken
    assert "for 5 tokens" in spoken
    assert "Speed: " in spoken
    dialog.close()


def test_the_first_word_is_counted_from_the_question_on(desk: Desk) -> None:
    """What memory and tools take before the answer is begun is told, and is in the sum."""
    rows = {fact.name: fact.value for fact in timings(Metrics(first_token_s=0.5, answer_tokens=3), 2.9)}
    assert (rows["Before the answer: memory and tools"], rows["First word after"]) == ("2.4 s", "2.9 s")
    rows = {fact.name: fact.value for fact in timings(Metrics(first_token_s=0.5, answer_tokens=3))}
    assert (rows["Before the answer: memory and tools"], rows["First word after"]) == ("0.0 s", "0.5 s")
    desk.use_model()
    desk.backend.answers = "one two three"
    ask(desk, "Hello")
    wait_for_answers(desk, 1)
    menus = desk.window.menus
    desk.qtbot.waitUntil(lambda: menus._waited_s.get(menus._answered, 0.0) > 0.0)


@pytest.mark.parametrize("prompt", ["chat-1", "chat-1 words", "chat-1 answer"])
def test_the_speed_is_shown_of_an_answer_by_whichever_prompt(desk: Desk, prompt: str) -> None:
    """A small model answers by one without tools, or by one that only tells what a tool has found."""
    desk.use_model()
    desk.backend.answers = "one two three four five"
    ask(desk, "Hello")
    wait_for_answers(desk, 1)
    desk.bus.publish(GenerationFinished(prompt, Metrics(answer_tokens=8, decode_s=0.5)))
    desk.qtbot.waitUntil(lambda: "14.0" in desk.window.pane.status.speed.text(), timeout=5000)


def test_the_speed_shown_is_of_an_answer_and_never_of_a_title(desk: Desk) -> None:
    """A generation that nobody reads tells no speed, whatever makes the line look at the engine again."""
    desk.use_model()
    desk.backend.answers = "one two three four five"
    ask(desk, "Hello")
    wait_for_answers(desk, 1)
    status, metrics = desk.window.pane.status, Metrics(answer_tokens=8, decode_s=0.5)
    desk.bus.publish(GenerationFinished("chat-1", metrics))
    desk.qtbot.waitUntil(lambda: "14.0" in status.speed.text())
    desk.bus.publish(GenerationFinished("title-1", replace(metrics, decode_s=1.0)))
    desk.bus.publish(GenerationFinished("chat-1", replace(metrics, decode_s=0.7)))
    desk.qtbot.waitUntil(lambda: "14.0" not in status.speed.text())
    assert "10.0" in status.speed.text()
    desk.bus.publish(GenerationFinished("chat-1 title", metrics))
    desk.bus.publish(GenerationFinished("chat-1", replace(metrics, decode_s=0.35)))
    desk.qtbot.waitUntil(lambda: "10.0" not in status.speed.text())
    assert "20.0" in status.speed.text()


def test_a_long_wait_says_what_is_being_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dots alone at first; once one wonders, how many tokens and, after the first part, how far."""
    go_on, read_on, write_on = threading.Event(), threading.Event(), threading.Event()
    chunks = list[int]()

    def hold(_context: ScriptedContext, tokens: Sequence[int]) -> None:
        chunks.append(len(tokens))
        if len(chunks) == 1:
            assert go_on.wait(30)
        if len(chunks) == 2:
            assert read_on.wait(30)
        if len(tokens) == 1:
            assert write_on.wait(30)

    desk.backend.on_decode = hold
    monkeypatch.setattr(status_controller, "WONDER_S", 0.0)
    waiting = desk.window.pane.transcript.maker
    desk.use_model()
    desk.window.controller.send(Draft("word " * 1200))
    desk.qtbot.waitUntil(lambda: waiting.waiting.startswith("Reading "), timeout=15000)
    assert re.fullmatch(r"Reading [\d,]+ tokens", waiting.waiting)
    go_on.set()
    desk.qtbot.waitUntil(lambda: len(chunks) == 2, timeout=15000)
    monkeypatch.setattr(status_controller, "WONDER_S", 3600.0)
    desk.qtbot.waitUntil(lambda: waiting.waiting == "", timeout=15000)
    monkeypatch.setattr(status_controller, "WONDER_S", 0.0)
    desk.qtbot.waitUntil(lambda: waiting.waiting.endswith("%"), timeout=15000)
    said = re.fullmatch(r"Reading ([\d,]+) tokens, (\d+)%", waiting.waiting)
    assert said is not None
    total, percent = int(said[1].replace(",", "")), int(said[2])
    assert percent == round(100 * chunks[0] / total)
    assert 0 < percent < 100
    read_on.set()
    # What it writes now need not be shown: a call, or what is to be changed in a table.
    desk.qtbot.waitUntil(lambda: waiting.waiting == "Working on it", timeout=15000)
    write_on.set()
    wait_for_answers(desk, 1)
    desk.qtbot.waitUntil(lambda: not desk.window.controller.status._looking.isActive())
    assert desk.engine.reading is None


def test_the_line_claims_quiet_only_until_a_command_could_have_talked(desk: Desk) -> None:
    """Then it names the moment, and a later request of Steward's own does not bring the claim back."""
    log = RequestLog(desk.bus)
    network = desk.window.pane.status.network
    desk.window.controller.status.follow_traffic(lambda: log.traffic)
    assert network.text().startswith("no network since ")
    log.note_open_command()
    desk.qtbot.waitUntil(lambda: network.text().startswith("1 command may have used the network "))
    with log.record("GET", "https://example.org/x"):
        desk.qtbot.waitUntil(lambda: network.text() == "network in use")
    desk.qtbot.waitUntil(lambda: network.text().startswith("1 command may have used the network "))
