"""Selected text where it has to be copied: the other program gets the focus for a moment."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication

from desktop.system.selection import CopiedSelection, MacCopying
from tests.system.test_selection import MacRecorded
from tests.ui.quick_ask.conftest import Quick


def _with(quick: Quick, board: MacRecorded) -> None:
    copying = CopiedSelection(MacCopying(board), lambda _milliseconds, do: do())
    quick.ask._surroundings._copying = copying


def test_the_chip_is_offered_without_a_length_and_brings_the_text(quick: Quick) -> None:
    """Nothing is copied before the click; the focus goes there, and back again."""
    board = MacRecorded([{"public.utf8-plain-text": b"old"}], selected="The selected words")
    _with(quick, board)
    quick.show()
    offer = quick.ask.window.chips._offers["selection"]
    quick.qtbot.waitUntil(lambda: not offer.isHidden())
    assert offer.text().strip() == "Selected text"
    assert board.calls == []
    quick.focus.calls.clear()
    offer.click()
    assert quick.focus.calls[0] == "give back"
    assert quick.ask.window.isVisible()
    (attached,) = quick.ask.window.chips.attached
    assert (attached.text, attached.about.tainted_by) == ("The selected words", "the selected text")
    assert board.held == [{"public.utf8-plain-text": b"old"}]
    assert offer.isHidden()


def test_a_program_that_is_left_alone_is_named(quick: Quick) -> None:
    """The window is back with the reason, and the draft is kept."""
    _with(quick, MacRecorded([], selected="x", front="Terminal"))
    quick.show()
    quick.type("what is this")
    quick.ask.window.chips.selection_wanted.emit()
    assert quick.ask.window.isVisible()
    assert quick.ask.window.chips.attached == ()
    assert quick.ask.window.field.toPlainText() == "what is this"


def shown(quick: Quick) -> list[str]:
    return [each.text().strip() for each in quick.ask.window.chips.action_buttons if not each.isHidden()]


def test_what_is_selected_is_shortened_at_one_press(quick: Quick) -> None:
    """Four buttons beside the chip; the result stands in a window, can be copied, and nothing is asked."""
    quick.use_model()
    quick.backend.answers = "Short."
    _with(quick, MacRecorded([], selected="The selected words"))
    quick.show()
    quick.qtbot.waitUntil(lambda: shown(quick) == ["Rewrite", "Shorten", "Translate", "Explain"])
    quick.ask.window.chips.action_buttons[1].click()
    selected = quick.ask.selected
    quick.qtbot.waitUntil(lambda: selected.window is not None and selected.window.written == "Short.")
    assert selected.window is not None
    assert quick.ask.window.isVisible(), "the window stays while its result is looked at"
    selected.window.copy.click()
    assert QGuiApplication.clipboard().text() == "Short."
    assert quick.store.conversations() == ()
    quick.focus.calls.clear()
    selected.window.take.click()
    assert quick.focus.calls[0] == "give back"
    assert not quick.ask.window.isVisible()
    QGuiApplication.clipboard().clear()


def test_nothing_selected_is_said(quick: Quick) -> None:
    """No window opens over nothing."""
    _with(quick, MacRecorded([], selected=""))
    quick.show()
    quick.qtbot.waitUntil(lambda: bool(shown(quick)))
    quick.ask.window.chips.action_buttons[0].click()
    assert quick.ask.window.footer.keys.text() == "Nothing was selected"
    assert not quick.ask.selected.is_open


def test_the_setting_keeps_other_programs_text_out_of_sight(
    quick: Quick, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Switched off, the selection is not even looked at."""
    looked: list[bool] = []
    monkeypatch.setattr(type(quick.ask._surroundings), "selection", lambda _self: looked.append(True) or "x")
    quick.settings.change("window", "selected_text", False)
    quick.show()
    quick.qtbot.wait(50)
    assert (shown(quick), looked) == ([], [])
    quick.ask.hide()
    quick.settings.change("window", "selected_text", True)
    quick.show()
    quick.qtbot.waitUntil(lambda: bool(looked) and bool(shown(quick)))
