"""Every part of the status line is a button that opens what it is about."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop.network.log import RequestLog
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


def test_the_line_claims_quiet_only_until_a_command_could_have_talked(desk: Desk) -> None:
    """Then it names the moment, and a later request of Steward's own does not bring the claim back."""
    log = RequestLog(desk.bus)
    network = desk.window.pane.status.network
    desk.window.controller.follow_traffic(lambda: log.traffic)
    assert network.text().startswith("no network since ")
    log.note_open_command()
    desk.qtbot.waitUntil(lambda: network.text().startswith("1 command may have used the network "))
    with log.record("GET", "https://example.org/x"):
        desk.qtbot.waitUntil(lambda: network.text() == "network in use")
    desk.qtbot.waitUntil(lambda: network.text().startswith("1 command may have used the network "))
