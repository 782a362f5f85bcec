"""Tool cards: one line, a sign and a word for each state, all of it when opened."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.messages import ToolRecord
from desktop.chat.store import Message, MessageStatus, Role
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.past_changes import PastChange, unified
from desktop.gate.reasons import GateReason
from desktop.memory.events import FixesFound
from desktop.memory.hindsight.fixes import Fix
from desktop.memory.hindsight.hindsight import FixOffer, SuggestedFix, suggested
from desktop.memory.item import Layer
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import Theme as Mode
from desktop.tools.calls import CallStatus
from desktop.tools.reasons import ToolReason
from desktop.ui.chat.tool_card import FixOffers, ToolCard, ToolDetails
from desktop.ui.chat.tool_words import (
    ASKING,
    INTERRUPTED,
    RUNNING,
    UNSUCCESSFUL,
    called,
    line_of,
    state_of,
)
from desktop.ui.icons import folder as icons_folder
from desktop.ui.theme import Theme
from tests.fakes.failures import failure
from tests.ui.chat.conftest import *  # noqa: F403 - the fixture of the theme
from tests.ui.chat.conftest import show_active
from tests.ui.chat.test_transcript import message
from tests.ui.test_screens import ARTEFACTS, clipped

RECORD = ToolRecord(
    "c",
    "read_file",
    {"path": "notes.txt"},
    CallStatus.DONE,
    "it only reads",
    0.123,
    why=GateReason.IT_ONLY_READS.of(),
    verb=ToolReason.VERB_READ_FILE,
)


DENIED = replace(RECORD, ending=CallStatus.DENIED)


def card(record: ToolRecord = RECORD, status: MessageStatus = MessageStatus.COMPLETE) -> Message:
    return replace(message(3, "milk", Role.TOOL), tool=record, status=status)


COMPLETE, STREAMING = MessageStatus.COMPLETE, MessageStatus.STREAMING

LONG = "x" * 99

EXACTLY = GateReason.COVERS_EXACTLY.of(tool="write_file", text="/w/list.txt")
BY_GRANT = GateReason.ALLOWED_BEFORE.of(what=GateReason.GRANTED_FOR_THIS_CHAT.of(what=EXACTLY))

LINES = [
    (RECORD, COMPLETE, "Read notes.txt · allowed because it only reads · 0.1 s"),
    (
        replace(RECORD, why=GateReason.ALLOWED_BY_THE_USER.of()),
        COMPLETE,
        "Read notes.txt · you allowed it · 0.1 s",
    ),
    (replace(RECORD, why=BY_GRANT), COMPLETE, "Read notes.txt · allowed before · 0.1 s"),
    (
        replace(RECORD, ending=CallStatus.DENIED, why=GateReason.USER_SAID_NO.of()),
        COMPLETE,
        "Read notes.txt · not allowed: you said no",
    ),
    (
        replace(RECORD, ending=CallStatus.DENIED, decision="", why=None),
        COMPLETE,
        "Read notes.txt · not allowed",
    ),
    (replace(RECORD, ending=CallStatus.FAILED), COMPLETE, "Read notes.txt · failed · 0.1 s"),
    (replace(RECORD, seconds=0.04), COMPLETE, "Read notes.txt · allowed because it only reads"),
    (
        replace(RECORD, name="make_check_pass", verb=None, exit_code=1),
        COMPLETE,
        "Make check pass notes.txt · allowed because it only reads · ended without success · 0.1 s",
    ),
    (
        replace(RECORD, exit_code=0),
        COMPLETE,
        "Read notes.txt · allowed because it only reads · 0.1 s",
    ),
    (replace(RECORD, ending=None), STREAMING, "Read notes.txt · running"),
    (replace(RECORD, ending=None, asking=True), STREAMING, "Read notes.txt · asking you"),
    (
        replace(RECORD, ending=None),
        MessageStatus.INTERRUPTED,
        "Read notes.txt · interrupted when Steward ended",
    ),
    (
        replace(RECORD, name="current_time", verb=ToolReason.VERB_CURRENT_TIME, arguments={}),
        COMPLETE,
        "Look at the clock · allowed because it only reads · 0.1 s",
    ),
    (
        replace(RECORD, name="brew_tea", verb=None, decision="", why=None),
        COMPLETE,
        "Brew tea notes.txt · 0.1 s",
    ),
    (
        replace(RECORD, arguments={"path": LONG}, decision="", why=None),
        COMPLETE,
        f"Read {LONG[:47]}… · 0.1 s",
    ),
]


@pytest.mark.parametrize(("record", "status", "line"), LINES)
def test_the_line_says_what_and_how(record: ToolRecord, status: MessageStatus, line: str) -> None:
    """What on what, why it was allowed or what became of it, time."""
    assert line_of(card(record, status)) == line


def opened(view: ToolCard, qtbot: QtBot) -> ToolDetails:
    view.show()
    view.arrange(600)
    qtbot.mouseClick(view.button, Qt.MouseButton.LeftButton)
    view.arrange(600)
    assert view.details is not None
    return view.details


def words_in(details: ToolDetails) -> str:
    return "\n".join([*(box.toPlainText() for box in details.boxes), details.origin.text()])


def test_invisible_characters_are_written_out(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """A name that would read backwards is shown as what it is, in the line and in the details."""
    tricky = replace(RECORD, arguments={"path": "a\u202etxt.exe"})
    assert "\\u202e" in line_of(card(tricky))
    assert "202E" in words_in(opened(ToolCard(card(tricky), holder), qtbot)).upper()


def test_every_state_has_an_icon_and_all_but_done_a_word() -> None:
    """No state of a call is told by colour alone, and none looks like another that ends otherwise."""
    states = [state_of(card(replace(RECORD, ending=ending))) for ending in CallStatus]
    states += [ASKING, RUNNING, INTERRUPTED, UNSUCCESSFUL]
    assert all((icons_folder() / f"{state.icon}.svg").is_file() for state in states)
    assert [state.word for state in states].count("") == 1
    done = state_of(card())
    assert done.icon not in {state.icon for state in states if state.word}
    assert len({ASKING.icon, RUNNING.icon, done.icon, state_of(card(DENIED)).icon}) == 4


@pytest.mark.parametrize("code", [1, -1, 2])
def test_only_a_success_has_the_tick(code: int) -> None:
    """A check that still fails, and a command that says so, ended; neither looks as if all were well."""
    failed = card(replace(RECORD, exit_code=code))
    assert state_of(failed) is UNSUCCESSFUL
    assert state_of(failed).icon != state_of(card()).icon
    assert state_of(failed).ink != state_of(card()).ink


def test_a_card_opens_to_all_of_it(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """A click shows arguments, decision and result, and makes room for them."""
    view = ToolCard(card(), holder)
    closed = view.arrange(600)
    details = opened(view, qtbot)
    assert view.arrange(600) > closed
    assert all(part in words_in(details) for part in ("notes.txt", "it only reads", "milk"))
    assert all(QFontInfo(box.document().defaultFont()).fixedPitch() for box in details.boxes)
    assert "open" in view.button.accessibleName()


def test_a_line_too_long_for_the_window_is_cut_and_kept_in_the_tooltip(theme: Theme, holder: QWidget) -> None:
    """The whole line is spoken and shown on hover; the button never reaches beyond the message."""
    view = ToolCard(card(replace(RECORD, arguments={"path": LONG})), holder)
    view.show()
    view.arrange(300)
    assert view.button.geometry().right() <= 300
    assert "…" in view.button.text()
    assert line_of(view.message) in view.button.toolTip()
    assert view.button.accessibleName().startswith(line_of(view.message))


def test_a_missing_program_is_explained_without_opening(theme: Theme, holder: QWidget) -> None:
    """What a failed call says for itself stands below its line: how to get what is missing."""
    missing = replace(RECORD, name="screenshot_ocr", ending=CallStatus.FAILED)
    how = "Tesseract is not installed. Install it with: sudo apt install tesseract-ocr"
    view = ToolCard(replace(card(missing), text=how), holder)
    view.show()
    view.arrange(600)
    assert view.reason.isVisible()
    assert view.reason.text() == how
    assert view.reason.geometry().bottom() <= view.height()
    # Below the words of the line, not below its sign.
    assert view.reason.x() > view.folding.x() + view.button.iconSize().width()


def test_an_open_card_leads_to_its_file(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """Both ways, with the path as the tool was told it; a call without a file, or that failed, has none."""
    view = ToolCard(card(), holder)
    wanted: list[tuple[str, str]] = []
    view.file_wanted.connect(lambda path: wanted.append(("file", path)))
    view.folder_wanted.connect(lambda path: wanted.append(("folder", path)))
    details = opened(view, qtbot)
    qtbot.mouseClick(details.open_button, Qt.MouseButton.LeftButton)
    details.folder_button.setFocus()
    qtbot.keyClick(details.folder_button, Qt.Key.Key_Space)
    assert wanted == [("file", "notes.txt"), ("folder", "notes.txt")]
    for record in (DENIED, replace(RECORD, name="run_command", arguments={"command": "ls"})):
        assert opened(ToolCard(card(record), holder), qtbot).open_button.isHidden()


def test_what_was_changed_comes_first(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """With how much, in place of the arguments that would say it once more."""
    view = ToolCard(card(replace(RECORD, name="write_file", arguments={"content": "x"})), holder)
    details = opened(view, qtbot)
    before = view.arrange(600)
    changed = PastChange(Path("/w/list.txt"), unified("milk\n", "milk\nbread\n", "list.txt"))
    assert details.show_changes([changed])
    assert view.arrange(600) != before
    assert details.boxes[0].accessibleName() == "list.txt · +1 −0"
    assert "bread" in details.boxes[0].toPlainText()
    assert details.arguments.isHidden()


def test_output_keeps_its_columns(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """Blanks stay blanks, unlike in a question; what is unseen is written out all the same."""
    view = ToolCard(replace(card(), text="a   b\tc\n\u202ex"), holder)
    shown = opened(view, qtbot).output.toPlainText().splitlines()
    assert shown[0] == "a   b   c"
    assert "\u202e" not in shown[1]


def test_long_results_scroll(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """A box is at most 240 px high; the rest is reached by scrolling in it."""
    view = ToolCard(replace(card(), text="line\n" * 400), holder)
    details = opened(view, qtbot)
    assert details.output.height() <= theme.px(240)
    assert view.height() < theme.px(460)
    assert details.output.verticalScrollBar().maximum() > 0


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

OFFER = FixOffer(FIX, 1.0, FIX.after)


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

    def card(self, call_id: str = "c", hint: str = "", width: int = 700) -> ToolCard:
        record = ToolRecord(call_id, "run_command", {"command": "git push"}, CallStatus.FAILED, hint=hint)
        text = "fatal: The current branch topic has no upstream branch."
        view = ToolCard(replace(message(3, text, Role.TOOL), tool=record), self.holder)
        view.use_fixes(self.fixes)
        view.show()
        view.arrange(width)
        view.resized.connect(lambda: view.arrange(width))
        return view

    def found(self, call_id: str = "c", repaired: FixOffer | None = None) -> None:
        self.bus.publish(FixesFound(1, call_id, (OFFER,), repaired))
        self.qtbot.wait(20)


@pytest.fixture
def bench(theme: Theme, bus: Bus, qtbot: QtBot) -> Iterator[Bench]:
    made = Bench(theme, bus, qtbot)
    yield made
    made.relay.close()
    made.background.close()


def test_of_cards_of_long_ago_the_offer_is_looked_up_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of so many it is known, those that came last; whoever scrolls back to another sees its offer too."""
    monkeypatch.setattr("desktop.ui.chat.tool_card.MOST_CARDS", 3)
    for number in range(9):
        bench.found(f"c{number}")
    assert {*bench.fixes._offers} == {*bench.fixes._asked} == {"c6", "c7", "c8"}
    bench.card("c8", hint="known")
    view = bench.card("c1", hint="known")
    bench.qtbot.waitUntil(view.fix_button.isVisible)
    assert bench.looked_up == ["c1"]


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
    bench.error = failure("This chat is being answered.", "Nothing was changed.", "Wait.")
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({"change": 6}, "Undo change 6"), ({"change": 0}, "Undo the last change"), ({}, "Undo the last change")],
)
def test_what_is_undone_is_said_as_people_say_it(arguments: dict[str, int], said: str) -> None:
    """By its number, or as the last one where it has none."""
    record = ToolRecord("c", "undo_change", arguments, verb=ToolReason.VERB_UNDO_CHANGE)
    assert called(record) == said


def test_what_a_tool_words_by_itself_is_the_title_of_its_card(theme: Theme) -> None:
    """Also of a record that was read again; a name cannot reorder it."""
    title = GateReason.UNDO_DELETING.of(name="gpj.\u202etxt")
    record = ToolRecord("c", "undo_change", {"change": 6}, verb=ToolReason.VERB_UNDO_CHANGE, title=title)
    for each in (record, ToolRecord.read(record.as_json())):
        assert called(each).startswith("Undo deleting gpj.")
        assert "\u202e" not in called(each)
