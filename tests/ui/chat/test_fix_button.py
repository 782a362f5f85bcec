"""The button under a failed card: shown when a fix is known, one press makes the call."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.store import Message, Role
from desktop.chat.tool_record import ToolRecord
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.events import FixesFound
from desktop.memory.hindsight.fixes import Fix
from desktop.memory.hindsight.hindsight import Offer
from desktop.memory.hindsight.suggested import SuggestedFix, suggested
from desktop.memory.item import Layer
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import Theme as Mode
from desktop.tools.calls import Ending
from desktop.ui.chat.call_view import CallView
from desktop.ui.chat.fixes import FixOffers
from desktop.ui.theme import Theme
from tests.ui.chat.conftest import *  # noqa: F403 - the fixture of the theme
from tests.ui.chat.conftest import show_active
from tests.ui.chat.test_transcript import message
from tests.ui.test_screens import ARTEFACTS, clipped

WHEN = 1_794_475_200.0  # 12 November 2026
FIX = Fix(
    id=3,
    problem_id=1,
    tool="run_command",
    before={"command": "git push"},
    after={"command": "git push --set-upstream origin HEAD"},
    applications=5,
    successes=4,
    last_at=WHEN,
    layer=Layer.USER,
    scope="",
    message="the current branch has no upstream branch",
)
OFFER = Offer(FIX, 1.0, FIX.after)


class Bench:
    """Cards with the real offers; what is tried is only remembered."""

    def __init__(self, theme: Theme, bus: Bus, qtbot: QtBot) -> None:
        self.theme, self.bus, self.qtbot = theme, bus, qtbot
        self.relay, self.background = Relay(bus), Background()
        self.tried: list[tuple[int, SuggestedFix]] = []
        self.looked_up: list[str] = []
        self.error: UserFacing | None = None
        self.threads: set[int] = set()
        self.fixes = FixOffers(self.look_up, self.try_fix, self.relay, self.background)
        self.holder = QWidget()
        self.holder.resize(760, 260)
        qtbot.addWidget(self.holder)
        show_active(self.holder, qtbot)

    def look_up(self, message: Message) -> SuggestedFix | None:
        assert message.tool is not None
        self.looked_up.append(message.tool.call_id)
        return suggested((OFFER,))

    def try_fix(self, conversation_id: int, fix: SuggestedFix) -> None:
        self.threads.add(threading.get_ident())
        self.tried.append((conversation_id, fix))
        if self.error is not None:
            raise self.error

    def card(self, call_id: str = "c", hint: str = "", width: int = 700) -> CallView:
        record = ToolRecord(call_id, "run_command", {"command": "git push"}, Ending.FAILED, hint=hint)
        text = "fatal: The current branch topic has no upstream branch."
        view = CallView(self.theme, replace(message(3, text, Role.TOOL), tool=record), self.holder)
        view.use_fixes(self.fixes)
        view.show()
        view.arrange(width)
        view.resized.connect(lambda: view.arrange(width))
        return view

    def found(self, call_id: str = "c", repaired: Offer | None = None) -> None:
        self.bus.publish(FixesFound(1, call_id, (OFFER,), repaired))
        self.qtbot.wait(20)


@pytest.fixture
def bench(theme: Theme, bus: Bus, qtbot: QtBot) -> Iterator[Bench]:
    made = Bench(theme, bus, qtbot)
    yield made
    made.relay.close()
    made.background.close()


def test_a_known_fix_is_offered_under_its_card_alone(bench: Bench) -> None:
    """With the call and how often it worked; other cards stay as they are."""
    view, other = bench.card("c"), bench.card("d")
    assert not view.fix_button.isVisible()
    before = view.height()
    bench.found("c")
    assert view.fix_button.isVisible()
    assert not other.fix_button.isVisible()
    said = view.fix_button.accessibleName()
    assert said == "Try: git push --set-upstream origin HEAD — worked 4 of 5 times, last 12 November"
    assert view.height() > before


def test_a_press_tries_it_once_and_not_on_the_main_thread(bench: Bench) -> None:
    """The button goes at once: two fast clicks are one call."""
    view = bench.card()
    bench.found()
    bench.qtbot.mouseClick(view.fix_button, Qt.MouseButton.LeftButton)
    assert not view.fix_button.isVisible()
    bench.qtbot.waitUntil(lambda: len(bench.tried) == 1)
    conversation_id, fix = bench.tried[0]
    assert conversation_id == view.message.conversation_id
    assert (fix.fix_id, fix.tool, dict(fix.arguments)) == (3, "run_command", FIX.after)
    assert threading.get_ident() not in bench.threads


def test_the_keyboard_reaches_it(bench: Bench) -> None:
    """Space presses it."""
    view = bench.card()
    bench.found()
    view.fix_button.setFocus()
    bench.qtbot.keyClick(view.fix_button, Qt.Key.Key_Space)
    bench.qtbot.waitUntil(lambda: len(bench.tried) == 1)


def test_what_is_refused_is_offered_again(bench: Bench) -> None:
    """A chat that is being answered: the reason is said, nothing is lost."""
    bench.error = UserFacing("This chat is being answered.", "Nothing was changed.", "Wait.")
    said: list[UserFacing] = []
    bench.fixes.refused.connect(said.append)
    view = bench.card()
    bench.found()
    bench.qtbot.mouseClick(view.fix_button, Qt.MouseButton.LeftButton)
    bench.qtbot.waitUntil(lambda: bool(said))
    assert view.fix_button.isVisible()


def test_a_fix_that_was_applied_already_is_not_offered(bench: Bench) -> None:
    """What only reads may have been repaired by itself."""
    view = bench.card()
    bench.found(repaired=OFFER)
    assert not view.fix_button.isVisible()


def test_an_older_card_is_looked_up_once(bench: Bench) -> None:
    """After a restart; a card that knew of no fix is not."""
    view, plain = bench.card("c", hint="Last time …"), bench.card("d")
    bench.qtbot.waitUntil(view.fix_button.isVisible)
    view.show_message(view.message)
    plain.show_message(plain.message)
    bench.qtbot.wait(20)
    assert bench.looked_up == ["c"]


@pytest.mark.pictures
@pytest.mark.parametrize("look", ["light", "dark", "zoom-200", "narrow", "mirrored"])
def test_the_button_in_every_look(bench: Bench, look: str) -> None:
    """Whole and readable; a long call is shortened in its middle, not the figures."""
    if look == "dark":
        bench.theme.set_mode(Mode.DARK)
    elif look == "zoom-200":
        bench.theme.set_zoom(200)
    elif look == "mirrored":
        bench.holder.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    view = bench.card(width=340 if look == "narrow" else 740)
    bench.found()
    bench.qtbot.wait(30)
    ARTEFACTS.mkdir(exist_ok=True)
    assert bench.holder.grab().save(str(ARTEFACTS / f"chat-fix-{look}.png"))
    assert ("worked 4 of 5 times" in view.fix_button.text()) == (look != "narrow")
    assert view.fix_button.geometry().right() <= view.width()
    assert [each for each in clipped(bench.holder) if "tool_fix" in each] == []
