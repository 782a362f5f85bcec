"""A conversation that Quick-ask is still answering, open in the main window."""

from __future__ import annotations

import pytest

pytest.importorskip("PySide6", reason="the chat is a window")

from desktop.chat.attachments import Draft
from desktop.chat.store import Role
from tests.ui.chat.conftest import Desk, acting, desk

__all__ = ["acting", "desk"]


def test_what_is_sent_there_waits_for_the_answer(desk: Desk) -> None:
    """Nothing is lost: it is asked when the turn that was begun elsewhere has returned."""
    desk.use_model()
    number = desk.store.create().id
    desk.window.open_conversation(number)
    controller = desk.window.controller
    controller.set_answering(number, True)
    controller.send(Draft("And then?"))
    assert desk.store.messages(number) == ()
    controller.set_answering(number, False)
    desk.qtbot.waitUntil(lambda: not controller.is_busy and len(desk.store.messages(number)) == 2)
    assert desk.store.messages(number)[0].role is Role.USER


def test_a_turn_that_ends_elsewhere_unheard_of_changes_nothing(desk: Desk) -> None:
    """The main window may have been made only afterwards."""
    number = desk.store.create().id
    desk.window.controller.set_answering(number, False)
    assert not desk.window.controller.is_busy
