"""Pictures of every state of Quick-ask, kept in test-artefacts/quick-ask/, and what must be true of each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from desktop.ui.language import words_of

pytest.importorskip("PySide6", reason="Quick-ask is a window")
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAccessible, QColor, QImage, QPalette
from PySide6.QtWidgets import QWidget

from desktop.chat.attachments import Draft
from desktop.settings import Theme as Mode
from desktop.system.hotkey.global_hotkey import GlobalHotkey
from desktop.system.hotkey.grabber import GrabStatus, HotkeyState
from desktop.tools.clipboard import Clip
from desktop.ui.quick_ask.hotkey import QuickAskPage
from desktop.ui.theme import Theme
from tests.ui.quick_ask.conftest import Quick
from tests.ui.quick_ask.hotkeys import FakeGrabber
from tests.ui.test_screens import ARTEFACTS, clipped, readable

pytestmark = pytest.mark.pictures

ANSWER = (
    "A list can be **changed**, a tuple cannot.\n\n```python\na = [1, 2]\nb = (1, 2)\n```\n\n"
    "| | list | tuple |\n|---|---|---|\n| changes | yes | no |\n| is a key | no | yes |\n\n"
    "Use a tuple for what belongs together and stays as it is."
)
HEBREW = "מה ההבדל בין רשימה לטאפל?"


def empty(quick: Quick) -> None:
    quick.board.clip = Clip("some words from elsewhere")
    quick.show()
    quick.qtbot.waitUntil(lambda: quick.board.reads > 0)


def rule(quick: Quick) -> None:
    empty(quick)
    quick.type("remind me at 3 pm to call Anna about the invoice of October")


def attached(quick: Quick) -> None:
    empty(quick)
    quick.ask.window.chips._offers["clipboard"].click()
    quick.type("Summarise this")


def streaming(quick: Quick) -> None:
    quick.use_model()
    quick.backend.answers, quick.backend.token_s = ANSWER * 20, 0.004
    empty(quick)
    quick.ask.talk.send(Draft("What is the difference?"))
    quick.ask.window.show_talk(True)
    quick.ask.talk.send(Draft("And which is faster?"))
    transcript = quick.ask.window.transcript
    quick.qtbot.waitUntil(lambda: len(transcript.messages) == 2 and len(transcript.messages[1].text) > 150)


def loading(quick: Quick) -> None:
    quick.use_model()
    quick.backend.prompt_token_s = 0.05
    empty(quick)
    quick.ask.talk.send(Draft("What is the difference?"))
    quick.ask.window.show_talk(True)
    quick.qtbot.waitUntil(lambda: len(quick.ask.window.transcript.messages) == 2)
    quick.ask.window.show_waiting("Loading model 43%")


def answered(quick: Quick) -> None:
    quick.use_model()
    quick.backend.answers = ANSWER
    empty(quick)
    quick.send("What is the difference between a list and a tuple?")


def no_model(quick: Quick) -> None:
    empty(quick)
    quick.send("What is the difference between a list and a tuple?")


def problem(quick: Quick) -> None:
    quick.ocr.here = False
    empty(quick)
    quick.ask.window.chips._offers["screen"].click()


STATES = (empty, rule, attached, streaming, loading, answered, no_model, problem)


def plain(_quick: Quick, _patch: pytest.MonkeyPatch) -> None:
    """Light, 100 %."""


def dark(quick: Quick, _patch: pytest.MonkeyPatch) -> None:
    quick.theme.set_mode(Mode.DARK)


def large(quick: Quick, _patch: pytest.MonkeyPatch) -> None:
    quick.theme.set_zoom(200)


def mirrored(quick: Quick, _patch: pytest.MonkeyPatch) -> None:
    quick.ask.window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)


def contrast(quick: Quick, patch: pytest.MonkeyPatch) -> None:
    high_contrast(quick.theme, patch)


def high_contrast(theme: Theme, patch: pytest.MonkeyPatch) -> None:
    palette = QPalette(QColor("#000000"))
    role = QPalette.ColorRole
    for which in (role.WindowText, role.Text, role.ButtonText, role.PlaceholderText):
        palette.setColor(which, QColor("#ffff00"))
    palette.setColor(role.Base, QColor("#000000"))
    palette.setColor(role.Link, QColor("#00ffff"))
    palette.setColor(role.Highlight, QColor("#00ff00"))
    palette.setColor(role.HighlightedText, QColor("#000000"))
    theme._system_palette = palette
    patch.setattr(Theme, "high_contrast", property(lambda _self: True))
    theme.apply()


LOOKS = (plain, dark, large, mirrored, contrast)


def picture(widget: QWidget, name: str) -> QImage:
    for _ in range(20):
        QCoreApplication.processEvents()
    folder = ARTEFACTS / "quick-ask"
    folder.mkdir(parents=True, exist_ok=True)
    image = widget.grab().toImage()
    assert image.save(str(folder / f"{name}.png"))
    return image


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.__name__)
@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_every_state_in_every_look(
    quick: Quick,
    state: Callable[[Quick], None],
    look: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is cut off, the words can be read, and the window stays within 60 % of the screen."""
    look(quick, monkeypatch)
    state(quick)
    quick.settle()
    quick.qtbot.wait(30)
    window = quick.ask.window
    image = picture(window, f"{state.__name__}-{look.__name__}")
    assert clipped(window) == []
    assert readable(image, window, window.footer.keys) >= 4.5
    area = window.screen().availableGeometry()
    assert area.contains(window.inner.translated(window.pos()))
    if look is not large:  # 200 % on a screen of 800 pixels takes what it needs
        assert window.inner.height() <= area.height() * 0.6 + 1
    _stop(quick)


def _stop(quick: Quick) -> None:
    if quick.ask.talk.is_busy:
        quick.ask.talk.leave()
        quick.turns.stop_all()


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_every_control_has_a_name_and_a_role(quick: Quick, state: Callable[[Quick], None]) -> None:
    """For a screen reader; what can have the focus and what can be pressed."""
    state(quick)
    quick.settle()
    found = [
        widget
        for widget in quick.ask.window.findChildren(QWidget)
        if widget.isVisible()
        and (widget.focusPolicy() & Qt.FocusPolicy.TabFocus or hasattr(widget, "clicked"))
    ]
    assert found
    for widget in found:
        face = QAccessible.queryAccessibleInterface(widget)
        assert face.text(QAccessible.Text.Name), widget.objectName()
        assert face.role() is not QAccessible.Role.NoRole
    _stop(quick)


def test_a_question_in_hebrew(quick: Quick) -> None:
    """The field follows its text, in a window that reads from the left."""
    quick.use_model()
    quick.backend.answers = "רשימה אפשר לשנות, טאפל לא.\n\n```python\na = [1, 2]\n```"
    empty(quick)
    quick.send(HEBREW)
    quick.ask.window.field.setPlainText(HEBREW)
    picture(quick.ask.window, "hebrew")
    assert clipped(quick.ask.window) == []


@pytest.mark.parametrize("look", [plain, dark, large, contrast], ids=lambda look: look.__name__)
@pytest.mark.parametrize(
    "grab",
    [GrabStatus.READY, GrabStatus.TAKEN, GrabStatus.ABSENT, GrabStatus.UNBOUND],
    ids=lambda grab: grab.name,
)
def test_the_page(
    quick: Quick, grab: GrabStatus, look: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hotkey, whether it works here, and the command."""
    look(quick, monkeypatch)
    hotkey = GlobalHotkey(FakeGrabber(answer=grab), "steward toggle-quick-ask")
    hotkey.use("Ctrl+Shift+Space")
    page = QuickAskPage(hotkey, lambda _keys: None)
    page.resize(quick.theme.px(640), quick.theme.px(460))
    page.show()
    quick.qtbot.waitExposed(page)
    picture(page, f"page-{grab.name.lower()}-{look.__name__}")
    assert clipped(page) == []
    state: HotkeyState = hotkey.state
    assert page.edit.words.text() == words_of(state.words)
    hotkey.close()
    page.hide()
    page.deleteLater()
