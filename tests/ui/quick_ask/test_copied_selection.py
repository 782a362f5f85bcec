"""Selected text where it has to be copied: the other program gets the focus for a moment."""

from __future__ import annotations

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
