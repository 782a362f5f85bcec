"""Several calls of one answer: what was only looked at stands behind one line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from desktop.chat.messages import ToolRecord
from desktop.chat.store import Message, MessageStatus, Role
from desktop.tools.calls import CallStatus
from desktop.tools.reasons import ToolReason
from desktop.ui.chat.tool_card import ToolCard
from desktop.ui.chat.transcript_items import TranscriptItem, regroup, toggle
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_transcript import message

READ = ToolRecord(
    "c",
    "read_file",
    {"path": "a.txt"},
    CallStatus.DONE,
    "it only reads",
    0.1,
    verb=ToolReason.VERB_READ_FILE,
)
WROTE = ToolRecord(
    "d", "write_file", {"path": "b.txt"}, CallStatus.DONE, "allowed by the user", 0.1, changes=(1,)
)
DENIED = replace(READ, ending=CallStatus.DENIED)
UNDER_WAY = replace(READ, ending=None)
FAILED = replace(READ, exit_code=1)


def items(*kinds: ToolRecord | Role) -> list[TranscriptItem]:
    made = []
    for number, kind in enumerate(kinds):
        record = kind if isinstance(kind, ToolRecord) else None
        role = kind if isinstance(kind, Role) else Role.TOOL
        made.append(TranscriptItem(replace(message(number, "x", role), tool=record), 20))
    return made


@pytest.mark.parametrize(
    ("kinds", "hidden"),
    [
        ((READ, READ, READ), [False, True, True]),
        ((READ,), [False]),
        ((READ, Role.ASSISTANT, READ), [False, False, False]),
        ((READ, WROTE), [False, False]),
        ((READ, READ, WROTE, DENIED), [False, True, False, False]),
        ((READ, UNDER_WAY), [False, False]),
        ((READ, READ, FAILED), [False, True, False]),
        ((Role.USER, READ, READ, Role.ASSISTANT), [False, False, True, False]),
    ],
)
def test_only_finished_looks_in_a_row_are_folded(
    kinds: tuple[ToolRecord | Role, ...], hidden: list[bool]
) -> None:
    """What changed something, was refused or goes on stays in sight."""
    made = items(*kinds)
    regroup(made)
    assert [item.hidden for item in made] == hidden


def test_a_group_opens_closes_and_grows() -> None:
    """The choice of the user holds when another call joins."""
    made = items(READ, READ)
    regroup(made)
    assert made[0].fold.line == "2 actions: Read a.txt, Read a.txt"
    toggle(made, made[0])
    regroup(made)
    assert [item.hidden for item in made] == [False, False]
    made += items(READ)
    regroup(made)
    assert made[0].fold.line.startswith("3 actions")
    assert not any(item.hidden for item in made)
    toggle(made, made[0])
    regroup(made)
    assert [item.hidden for item in made] == [False, True, True]
    assert regroup(made) == [], "nothing is measured again for nothing"


def conversation(desk: Desk, *records: ToolRecord) -> list[Message]:
    made = desk.store.create()
    desk.store.add(made.id, Role.USER, "Look around.")
    cards = []
    for record in records:
        opened = desk.store.add_call(made.id, replace(record, ending=None))
        cards.append(desk.store.close_call(opened.id, record, "milk"))
    desk.store.add(made.id, Role.ASSISTANT, "That is all.", MessageStatus.COMPLETE)
    desk.window.open_conversation(made.id)
    desk.settle()
    return cards


def test_the_line_of_a_group_opens_it_in_the_window(desk: Desk) -> None:
    """Closed it takes one line; a click or a key shows every card, in its place, and the end moves down."""
    cards = conversation(desk, READ, replace(READ, arguments={"path": "z.txt"}), READ)
    transcript = desk.window.pane.transcript
    views = [transcript.view(card.id) for card in cards]
    head = views[0]
    assert isinstance(head, ToolCard)
    assert head.group.isVisible()
    assert [view.isVisible() for view in views if view is not None] == [True, False, False]
    closed = head.height()
    answer = transcript.live_views[-1].y()
    desk.qtbot.mouseClick(head.group.button, Qt.MouseButton.LeftButton)
    desk.settle()
    assert all(view is not None and view.isVisible() for view in views)
    assert head.height() > closed
    assert transcript.live_views[-1].y() > answer
    assert "open" in head.group.button.accessibleName()
    tops = [view.y() for view in views if view is not None]
    assert tops == sorted(set(tops))
    head.group.button.setFocus()
    desk.qtbot.keyClick(head.group.button, Qt.Key.Key_Space)
    desk.settle()
    assert transcript.live_views[-1].y() == answer


def test_arrow_keys_pass_what_is_hidden(desk: Desk) -> None:
    """Down from the group's card goes to the answer below."""
    cards = conversation(desk, READ, READ, READ)
    transcript = desk.window.pane.transcript
    head = transcript.view(cards[0].id)
    assert head is not None
    head.setFocus()
    desk.qtbot.keyClick(head, Qt.Key.Key_Down)
    assert transcript.live_views[-1].hasFocus()
