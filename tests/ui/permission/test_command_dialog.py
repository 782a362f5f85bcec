"""A coding agent's command line: all that is needed to judge it, and no yes by accident."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QFont, QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.asking import ALLOWED_ONCE, DENIED, Answer, Choice, Question, Scope
from desktop.ui.permission.dialog import PermissionDialog
from desktop.ui.permission.shown_text import ShownText
from desktop.ui.permission.visible import visible
from desktop.ui.permission.words import CLASSES, class_mark
from desktop.ui.widgets.labels import Badge
from tests.ui.permission.conftest import (
    AGENT,
    CHARACTERS,
    HIDDEN,
    LINES,
    ONE_LINE,
    SHELL,
    Desk,
    a_command,
)

ALT = Qt.KeyboardModifier.AltModifier


def label(dialog: PermissionDialog, name: str) -> str:
    found = dialog.findChild(QLabel, name)
    assert found is not None
    return found.text().replace("\u200b", "")


def underlined(box: ShownText) -> str:
    """The letters with a whole line below and in bold: what decided."""
    found = []
    block = box.document().begin()
    while block.isValid():
        for run in block:
            drawn = run.fragment().charFormat()
            if drawn.fontUnderline() and drawn.fontWeight() == QFont.Weight.Bold:
                found.append(run.fragment().text())
        block = block.next()
    return "".join(found).replace("\u2068", "").replace("\u2069", "")


def press(desk: Desk, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        target: QWidget | None = QApplication.activePopupWidget() or QApplication.focusWidget()
        assert target is not None
        desk.qtbot.keyClick(target, key, modifier)


# -- what is shown --------------------------------------------------------------------------------


@pytest.mark.parametrize("question", [SHELL, HIDDEN, LINES, CHARACTERS, ONE_LINE])
def test_the_whole_command_is_there_and_the_deciding_part_underlined(desk: Desk, question: Question) -> None:
    """Complete, escapes and all; the line is under the same characters after escaping."""
    box = desk.armed(question).body.arguments
    text = box.toPlainText().replace("\u2068", "").replace("\u2069", "")
    assert text == visible(question.arguments)
    assert question.command is not None
    start, end = question.command.span
    assert underlined(box) == visible(question.arguments[start:end])


def test_a_line_of_very_many_pieces_keeps_its_underline(desk: Desk) -> None:
    """Even where colours would take too long, what decided can be told from the rest."""
    question = a_command("a;" * 4000 + "rm -rf /", "rm -rf /")
    box = desk.armed(question).body.arguments
    assert underlined(box) == "rm -rf /"
    assert box.toPlainText() == question.arguments


def test_colours_follow_the_theme_and_are_never_alone(desk: Desk) -> None:
    """A string has the colour of strings; bold and underline tell the deciding part without any."""
    box = desk.armed(SHELL).body.arguments
    cursor = box.document().find("'done'")
    assert cursor.charFormat().foreground().color().name() == desk.theme.tokens.code_string
    assert underlined(box) == "rm -rf build ../cache/*.tmp"


@pytest.mark.parametrize("classed", CLASSES)
def test_every_class_has_an_icon_and_a_word_of_its_own(desk: Desk, classed: str) -> None:
    """Five classes, five pictures, five words."""
    dialog = desk.armed(a_command("x", classed=classed, flags=()))
    words = [badge.accessibleName() for badge in dialog.findChildren(Badge)]
    assert words == [class_mark(classed).word]
    others = [class_mark(other) for other in CLASSES if other != classed]
    assert class_mark(classed).icon not in {mark.icon for mark in others}
    assert words[0] not in {mark.word for mark in others}


def test_flags_reason_opinion_and_files_are_shown(desk: Desk) -> None:
    """What it touches, why it is asked, what the model thinks, and each file with its size."""
    dialog = desk.armed(SHELL)
    words = [badge.accessibleName() for badge in dialog.findChildren(Badge)]
    assert words == ["Deletes", "Touches secrets", "Outside the folder"]
    assert label(dialog, "permission_reason") == "Asked because rm removes something."
    assert label(dialog, "permission_decided") == "Decided by: rm -rf build ../cache/*.tmp"
    assert label(dialog, "permission_opinion") == "What the model thinks, and it may be wrong: UPDATE, 72 %"
    assert label(dialog, "permission_origin") == "Asked by Claude Code in /home/me/projects/shop"
    assert label(dialog, "permission_risk") == (
        "Removes what the command names. Can be undone only if a copy is kept. May use the network."
    )
    assert dialog.body.files is not None
    assert "a.tmp  1.2 kB" in dialog.body.files.toPlainText()


def test_without_an_opinion_nothing_is_said_of_the_model(desk: Desk) -> None:
    """Also no empty line, and no deciding part where all of the line decided."""
    dialog = desk.armed(a_command("rm x", "rm x"))
    assert dialog.findChild(QLabel, "permission_opinion") is None
    assert not dialog.findChild(QLabel, "permission_decided").isVisible()  # type: ignore[union-attr]


def test_a_screen_reader_is_told_all_of_it(desk: Desk) -> None:
    """The command, what decided, the chips, the reason and the model's opinion, in words."""
    interface = QAccessible.queryAccessibleInterface(desk.armed(SHELL))
    spoken = interface.text(QAccessible.Text.Description)
    for words in (
        SHELL.arguments,
        "Decided by: rm -rf build ../cache/*.tmp",
        "Deletes, touches secrets, outside the folder",
        "Asked because rm removes something.",
        "What the model thinks, and it may be wrong: UPDATE, 72 %",
    ):
        assert words in spoken


def test_a_long_command_says_how_long_and_scrolls_in_one_place(desk: Desk) -> None:
    """Class, reason and the deciding part stay in sight beside 500 lines."""
    dialog = desk.armed(LINES)
    assert label(dialog, "permission_arguments_label") == "Command · 501 lines, 11,900 characters"
    assert dialog.body.verticalScrollBar().maximum() == 0
    assert dialog.body.arguments.verticalScrollBar().maximum() > 0
    assert label(dialog, "permission_decided") == "Decided by: rm -rf out"
    assert label(dialog, "permission_scroll_hint")


def test_a_deciding_part_far_down_is_one_key_away(desk: Desk) -> None:
    """The box opens at its beginning; a button, reached by Tab, leads to what is underlined."""
    dialog = desk.armed(LINES)
    box = dialog.body.arguments
    assert box.verticalScrollBar().value() == 0
    dialog.body.leads.click()
    assert box.verticalScrollBar().value() > 0
    assert box.viewport().rect().contains(box.cursorRect().center())
    assert box.textCursor().block().text() == "rm -rf out"
    for question in (SHELL, ONE_LINE, HIDDEN):
        assert not desk.armed(question).body.leads.isVisible()


# -- answering ------------------------------------------------------------------------------------


def every_key() -> list[Qt.Key]:
    return [key for key in Qt.Key if key not in (Qt.Key.Key_unknown, Qt.Key.Key_Any)]


def strike(desk: Desk, target: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier) -> None:
    """As from the keyboard; QTest knows no letters beyond ASCII, so those are sent by hand."""
    if key.value < 0x80 or key.value >= 0x01000000:
        desk.qtbot.keyClick(target, key, modifier)
        return
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(target, QKeyEvent(kind, key, modifier, chr(key.value)))


@pytest.mark.parametrize(
    "modifier", [Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier], ids=["plain", "shift"]
)
def test_no_single_key_allows(desk: Desk, modifier: Qt.KeyboardModifier) -> None:
    """Every key that Qt knows, one at a time, on a dialog that could be answered."""
    dialog = desk.armed(SHELL)
    for key in every_key():
        if not dialog.isVisible() or dialog.focusWidget() is not dialog.footer.deny:
            dialog.dismiss()
            dialog = desk.armed(SHELL)
        strike(desk, dialog.footer.deny, key, modifier)
        assert not any(answer.allowed for answer in desk.answers), key
        pressed = [button for button in (dialog.footer.allow, dialog.footer.scope) if button.isDown()]
        assert not pressed, key  # a shortcut lets go of its button only after 100 ms
    assert set(desk.answers) == {DENIED}


def test_no_single_key_allows_in_the_open_menu(desk: Desk) -> None:
    """Letters and Enter choose nothing there until an entry was gone to."""
    dialog = desk.armed(SHELL)
    for key in [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, *map(Qt.Key, range(0x41, 0x5B))]:
        dialog.footer.scope.click()
        desk.qtbot.waitUntil(dialog.footer.menu.isVisible)
        desk.qtbot.keyClick(dialog.footer.menu, key)
        assert desk.answers == [], key
        dialog.footer.menu.close()


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([("", Qt.Key.Key_Return)], DENIED),
        ([("alt", Qt.Key.Key_A)], Answer(Choice.ALLOW, snapshot=True)),
        ([("alt", Qt.Key.Key_K), ("alt", Qt.Key.Key_A)], ALLOWED_ONCE),
        (
            [("alt", Qt.Key.Key_L), ("", Qt.Key.Key_Down), ("", Qt.Key.Key_Return)],
            Answer(Choice.ALLOW, Scope.SESSION, snapshot=True),
        ),
    ],
    ids=["deny", "allow", "allow without a copy", "allow for the session"],
)
def test_three_keys_are_enough(desk: Desk, keys: list[tuple[str, Qt.Key]], expected: Answer) -> None:
    """Once it is armed, the keyboard answers in at most three strokes."""
    dialog = desk.armed(SHELL)
    assert len(keys) <= 3
    for modifier, key in keys:
        press(desk, key, modifier=ALT if modifier else Qt.KeyboardModifier.NoModifier)
        if key is Qt.Key.Key_L:
            desk.qtbot.waitUntil(dialog.footer.menu.isVisible)
        if key is Qt.Key.Key_K:
            desk.qtbot.waitUntil(lambda: not dialog.footer.snapshot.isChecked())
    desk.qtbot.waitUntil(lambda: bool(desk.answers))
    assert desk.answers == [expected]


@pytest.mark.parametrize("ticked", [False, True])
def test_a_copy_is_kept_unless_the_user_takes_the_tick_away(desk: Desk, qtbot: QtBot, ticked: bool) -> None:
    """The box goes with every yes, also a lasting one, and never with a no."""
    dialog = desk.armed(SHELL)
    assert dialog.footer.snapshot.isChecked()
    if not ticked:
        qtbot.mouseClick(dialog.footer.snapshot, Qt.MouseButton.LeftButton)
    dialog.footer.menu.actions()[0].trigger()
    assert desk.answers == [Answer(Choice.ALLOW, Scope.SESSION, snapshot=ticked)]
    again = desk.armed(SHELL)
    again.footer.snapshot.setChecked(ticked)
    again.footer.deny.click()
    assert desk.answers[1] == DENIED


def test_a_copy_is_offered_only_where_it_can_be_made(desk: Desk) -> None:
    """Not for a command without files that can be kept, and not for our own tools."""
    for question in (a_command("x"), AGENT):
        dialog = desk.armed(question)
        assert not dialog.footer.snapshot.isVisible()
        dialog.footer.allow.click()
        assert desk.answers[-1] == ALLOWED_ONCE


def test_an_agent_is_told_why(desk: Desk, qtbot: QtBot) -> None:
    """Denying can say why; the words go with the no."""
    dialog = desk.armed(SHELL)
    assert dialog.footer.instead.text() == "Deny and &say why…"
    dialog.footer.instead.click()
    qtbot.keyClicks(dialog.footer.field, "Use the trash")
    qtbot.keyClick(dialog.footer.field, Qt.Key.Key_Return)
    assert desk.answers == [Answer(Choice.DENY, instead="Use the trash")]


def test_the_queue_names_the_agents_behind_it(desk: Desk) -> None:
    """Each once; their names are written out like everything that comes from elsewhere."""
    dialog = desk.armed(replace(SHELL, timeout_s=None))
    dialog.set_waiting(4, ["Codex", "Gemini CLI", "Codex"])
    assert label(dialog, "permission_time") == "3 more are waiting: Codex, Gemini CLI"
    assert dialog.footer.deny_all.accessibleName() == "Deny all 4, 3 more are waiting: Codex, Gemini CLI"
    dialog.set_waiting(2, ["a\u202eb"])
    assert label(dialog, "permission_time") == "1 more is waiting: a\\u202eb"


def test_the_focus_passes_everything_that_is_read_before_allow(desk: Desk, qtbot: QtBot) -> None:
    """Deny, command, files, why, the copy, then Allow."""
    desk.armed(SHELL)
    seen = []
    for _ in range(8):
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.append(focused.objectName().removeprefix("permission_"))
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert seen == ["deny", "arguments", "files", "why", "snapshot", "allow", "scope", "instead"]
