"""The rules of the permission dialog, each by its name. A stray key or click can at worst deny."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.asking import (
    ALLOWED_ONCE,
    DENIED,
    Answer,
    Choice,
    FileMatch,
    NetworkUse,
    Origin,
    Question,
    Risk,
    Scope,
)
from desktop.ui.permission.dialog import ARM_MS, PermissionDialog
from desktop.ui.permission.visible import visible
from tests.fakes.failures import spoken
from tests.processor_time import processor_time
from tests.ui.permission.conftest import AGENT, COMMAND, DELETE, LONG, WRITE, Desk

LEFT = Qt.MouseButton.LeftButton
KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Escape, Qt.Key.Key_Tab)


def label(dialog: PermissionDialog, name: str) -> str:
    found = dialog.findChild(QLabel, name)
    assert found is not None
    return found.text().replace("\u200b", "")


def hammer(dialog: PermissionDialog, qtbot: QtBot) -> None:
    """Everything that a user might do without having read."""
    for key in KEYS:
        qtbot.keyClick(QApplication.focusWidget() or dialog, key)
    for letter in (Qt.Key.Key_A, Qt.Key.Key_D, Qt.Key.Key_S):
        qtbot.keyClick(dialog.footer.deny, letter, Qt.KeyboardModifier.AltModifier)
    for target in (dialog.footer.allow, dialog.footer.deny, dialog.footer.scope, dialog):
        qtbot.mouseClick(target, LEFT)
        qtbot.mouseDClick(target, LEFT)
        qtbot.mouseRelease(target, LEFT)
    dialog.footer.allow.click()


# -- rule 4: armed late ---------------------------------------------------------------------------


def test_rule_4_within_500_ms_of_showing_nothing_answers(desk: Desk, qtbot: QtBot) -> None:
    """Enter, Space, Esc, mnemonics, clicks and double clicks are swallowed; after that Esc denies."""
    start = time.monotonic()
    dialog = desk.show(WRITE, arm_ms=ARM_MS)
    while time.monotonic() - start < 0.45:
        hammer(dialog, qtbot)
        assert desk.answers == []
        assert dialog.isVisible()
        assert dialog.focusWidget() is dialog.footer.deny
        qtbot.wait(20)
    assert not dialog.input_guard.armed
    qtbot.waitUntil(lambda: dialog.input_guard.armed)
    assert time.monotonic() - start >= 0.5
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert desk.answers == [DENIED]


def test_rule_4_a_click_that_only_focused_the_window_answers_nothing(
    desk: Desk, window: QWidget, qtbot: QtBot
) -> None:
    """After each activation the half second begins again."""
    dialog = desk.armed(COMMAND)
    window.activateWindow()
    qtbot.waitUntil(lambda: not dialog.isActiveWindow())
    assert not dialog.input_guard.armed
    qtbot.mouseClick(dialog.footer.allow, LEFT)  # activates, as a click on a window does
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.mouseClick(dialog.footer.allow, LEFT)
    assert desk.answers == []
    qtbot.waitUntil(lambda: dialog.input_guard.armed)
    qtbot.mouseClick(dialog.footer.allow, LEFT)
    assert desk.answers == [ALLOWED_ONCE]


def test_rule_4_a_press_before_and_a_release_after_the_arming_answer_nothing(
    desk: Desk, qtbot: QtBot
) -> None:
    """A click needs both halves after the arming, by mouse and by Space."""
    dialog = desk.show(COMMAND)
    qtbot.mousePress(dialog.footer.allow, LEFT)
    qtbot.keyPress(dialog.footer.deny, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: dialog.input_guard.armed)
    qtbot.mouseRelease(dialog.footer.allow, LEFT)
    qtbot.keyRelease(dialog.footer.deny, Qt.Key.Key_Space)
    assert desk.answers == []


def test_rule_4_a_double_click_across_the_arming_answers_nothing(desk: Desk, qtbot: QtBot) -> None:
    """Its second half comes as a double click and a release, which press no button."""
    dialog = desk.armed(COMMAND)
    qtbot.mouseDClick(dialog.footer.allow, LEFT)
    qtbot.mouseRelease(dialog.footer.allow, LEFT)
    assert desk.answers == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Escape])
def test_rule_4_a_key_held_down_since_before_answers_nothing(desk: Desk, key: Qt.Key) -> None:
    """What repeats by itself was pressed for something else."""
    dialog = desk.armed(COMMAND)
    held = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, "", True)
    QApplication.sendEvent(dialog.footer.deny, held)
    assert desk.answers == []


def test_rule_4_a_window_that_stood_still_arms_anew(desk: Desk, qtbot: QtBot) -> None:
    """Input that piled up while nothing could be painted is not taken for an answer."""
    dialog = desk.show(COMMAND)
    time.sleep(0.4)  # the main thread is busy, and the arming would be over
    QApplication.processEvents()
    assert not dialog.input_guard.armed
    qtbot.waitUntil(lambda: dialog.input_guard.armed)


def test_rule_4_a_yes_cannot_be_pressed_by_another_way_before_the_arming(desk: Desk) -> None:
    """A program that drives the screen reader's interface meets a disabled button."""
    dialog = desk.show(WRITE)
    for button in (dialog.footer.allow, dialog.footer.scope):
        assert not button.isEnabled()
    dialog.footer.answered.emit(ALLOWED_ONCE)
    assert desk.answers == []


def test_rule_4_an_agents_question_is_not_activated_and_not_armed(
    desk: Desk, window: QWidget, qtbot: QtBot
) -> None:
    """It stands on top without the keyboard; half a second after the user's click it can be answered."""
    dialog = PermissionDialog(AGENT, None, 50)
    desk.dialogs.append(dialog)
    dialog.answered.connect(desk.answers.append)
    assert dialog.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
    assert dialog.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
    assert dialog.isWindow()
    assert not dialog.isModal()
    dialog.ask()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.wait(100)
    assert not dialog.input_guard.armed
    qtbot.waitUntil(lambda: label(dialog, "permission_time").startswith("Click here first"))
    qtbot.mouseClick(dialog.footer.allow, LEFT)
    qtbot.waitUntil(lambda: dialog.input_guard.armed)
    assert desk.answers == []
    qtbot.mouseClick(dialog.footer.allow, LEFT)
    assert desk.answers == [ALLOWED_ONCE]


# -- rule 2: buttons ------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Escape])
def test_rule_2_deny_has_the_focus_and_a_key_at_worst_denies(desk: Desk, qtbot: QtBot, key: Qt.Key) -> None:
    """Also when the dialog is armed."""
    dialog = desk.armed(WRITE)
    assert dialog.focusWidget() is dialog.footer.deny
    qtbot.keyClick(QApplication.focusWidget(), key)
    assert desk.answers == [DENIED]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_rule_2_no_button_is_a_default(desk: Desk, qtbot: QtBot, key: Qt.Key) -> None:
    """Enter in the text of the arguments presses nothing."""
    dialog = desk.armed(WRITE)
    dialog.body.arguments.setFocus()
    qtbot.keyClick(dialog.body.arguments, key)
    assert desk.answers == []
    assert not any(button.isDefault() for button in dialog.findChildren(QPushButton))


def test_rule_2_allow_is_reached_by_tab(desk: Desk, qtbot: QtBot) -> None:
    """Tab walks to it, Enter presses it."""
    dialog = desk.armed(replace(COMMAND, why=""))
    for _ in range(2):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert desk.answers == [ALLOWED_ONCE]
    assert not dialog.isVisible()


def test_rule_2_allow_is_reached_by_its_mnemonic(desk: Desk, qtbot: QtBot) -> None:
    """Alt+A."""
    dialog = desk.armed(COMMAND)
    qtbot.keyClick(dialog, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: desk.answers == [ALLOWED_ONCE])  # Qt shows the press for 100 ms


@pytest.mark.parametrize("scope", [Scope.SESSION, Scope.ALWAYS])
def test_rule_2_the_scope_menu_says_what_the_grant_covers(desk: Desk, qtbot: QtBot, scope: Scope) -> None:
    """The entries are the question's own words, and choosing one is a yes of that reach."""
    dialog = desk.armed(WRITE)
    qtbot.mouseClick(dialog.footer.scope, LEFT)
    qtbot.waitUntil(dialog.footer.menu.isVisible)
    shown = [action.text().replace("&&", "&") for action in dialog.footer.menu.actions()]
    assert shown == [str(offer.words) for offer in WRITE.scopes]
    next(a for a in dialog.footer.menu.actions() if a.objectName().endswith(scope.value)).trigger()
    assert desk.answers == [Answer(Choice.ALLOW, scope)]


def test_rule_2_always_is_absent_where_the_question_does_not_offer_it(desk: Desk) -> None:
    """The dialog draws the scopes that the question carries, and no other."""
    only_session = desk.armed(AGENT)
    assert [a.objectName() for a in only_session.footer.menu.actions()] == ["permission_scope_session"]
    none = desk.armed(COMMAND)
    assert not none.footer.scope.isVisible()


@pytest.mark.parametrize(
    ("question", "danger"),
    [
        (COMMAND, False),
        (WRITE, False),
        (DELETE, False),
        (replace(DELETE, reversible=False), True),
        (replace(DELETE, reversible=False, to_trash=True), False),
        (replace(COMMAND, outside=True), True),
        (replace(COMMAND, risk=Risk.READS, outside=True), False),
    ],
)
def test_rule_2_allow_is_red_where_nothing_brings_it_back_and_for_a_command_outside(
    desk: Desk, question: Question, danger: bool
) -> None:
    """No button is painted in the accent; the danger colour is on Allow only where it belongs."""
    dialog = desk.armed(question)
    picture = dialog.grab().toImage()
    corner = dialog.footer.allow.mapTo(dialog, QPoint(0, dialog.footer.allow.height() // 2))
    border = picture.pixelColor(corner).name()
    assert border == (desk.theme.tokens.danger if danger else desk.theme.tokens.control_border)
    assert not any(button.property("primary") for button in dialog.findChildren(QPushButton))


# -- rule 1: what is shown ------------------------------------------------------------------------


@pytest.mark.parametrize("question", [COMMAND, WRITE, DELETE, LONG, AGENT])
def test_rule_1_everything_is_shown_complete(desk: Desk, question: Question) -> None:
    """Title, arguments, plain line and the model's words, labelled as such."""
    dialog = desk.armed(question)
    text = dialog.body.arguments.toPlainText().replace("\u2068", "").replace("\u2069", "")
    assert text == visible(question.arguments)
    assert label(dialog, "permission_title") == str(question.title)
    risk = label(dialog, "permission_risk")
    word = {Risk.CHANGES: "Modifies"}.get(question.risk, question.risk.value.capitalize())
    # What its sentence says first is not said before it, too.
    says_it = str(question.text).startswith(f"{word} ")
    assert risk.startswith(str(question.text) if says_it else f"{word} · {question.text}")
    assert ("Uses the network." in risk) is (question.network is NetworkUse.USES)
    if question.why:
        assert dialog.judgement.why is not None
        why = dialog.judgement.why.toPlainText()
        assert why.startswith("Why, in the words of ")
        assert question.why in why


def test_rule_1_a_single_file_is_named_once(desk: Desk) -> None:
    """With its size beside the caption; a second box with the same name would only look like more."""
    path = "/home/me/shop/notes.txt"
    dialog = desk.armed(replace(WRITE, arguments=path, files=(FileMatch(path, 420),)))
    assert label(dialog, "permission_arguments_label") == "Path · 420 bytes"
    assert dialog.body.files is None
    assert dialog.body.arguments.toPlainText() == path


@pytest.mark.parametrize(
    ("arguments", "folder", "is_once"),
    [
        ("notes.txt", "/home/me/shop", True),
        ("notes.txt", "/home/me/other", False),
        ("notes.txt", "", False),
        ("shop/notes.txt", "/home/me", True),
    ],
)
def test_rule_1_a_short_path_names_the_file_of_its_folder(
    desk: Desk, arguments: str, folder: str, is_once: bool
) -> None:
    """A chat names its files from its folder on; where that is another, both paths are shown."""
    files = (FileMatch("/home/me/shop/notes.txt", 420),)
    question = replace(WRITE, arguments=arguments, files=files, origin=Origin(1, folder=folder))
    assert (desk.armed(question).body.files is None) is is_once


def test_rule_1_the_files_of_a_chat_are_named_from_its_folder(desk: Desk) -> None:
    """Five of them are read at one glance, and with their whole paths were not."""
    dialog = desk.armed(replace(DELETE, origin=Origin(1, folder="/home/me/logs")))
    assert dialog.body.files is not None
    assert dialog.body.files.toPlainText().split("\n")[::2] == ["a.log  1.2 kB", "old  folder"]


def test_rule_1_hidden_characters_are_shown_in_every_place(desk: Desk) -> None:
    """A name with a bidi override, a zero-width space or an escape sequence deceives nowhere."""
    bad = "a\u202eb\u200bc\x1b[2K"
    question = replace(
        WRITE,
        title=spoken(f"Overwrite {bad}?"),
        text=spoken(f"Writes {bad}."),
        why=bad,
        warning=spoken(bad),
        diff=bad,
    )
    dialog = desk.armed(replace(question, arguments=bad, arguments_name=spoken(bad)))
    shown = [part.text() for part in dialog.findChildren(QLabel)]
    shown += [dialog.body.arguments.toPlainText(), dialog.accessibleName(), dialog.accessibleDescription()]
    assert dialog.body.diff is not None
    assert dialog.judgement.why is not None
    shown += [dialog.body.diff.toPlainText(), dialog.judgement.why.toPlainText()]
    assert [text for text in shown if "\u202e" in text or "\x1b" in text] == []
    assert dialog.accessibleName() == "Overwrite a\\u202eb\\u200bc\\x1b[2K?"


def test_rule_1_right_to_left_words_keep_their_place(desk: Desk) -> None:
    """Between two Hebrew words the text still runs from left to right, as it will be read by the shell."""
    dialog = desk.armed(replace(COMMAND, arguments="אב/12/גד x"))
    document = dialog.body.arguments.document()
    line = document.begin().layout().lineAt(0)
    text = document.toPlainText()
    places = [line.cursorToX(text.index(letter)) for letter in "/1x"]
    assert isinstance(places[0], tuple)
    first, number, last = (place[0] for place in places)
    slash_2 = line.cursorToX(text.rindex("/"))[0]
    assert first < number < slash_2 < last


def test_rule_1_long_arguments_scroll_within_40_percent_of_the_screen(desk: Desk) -> None:
    """All of it is there, nothing is cut, and the dialog says that there is more."""
    dialog = desk.armed(LONG)
    box = dialog.body.arguments
    assert box.height() <= 0.4 * dialog.screen().availableGeometry().height()
    bar = box.verticalScrollBar()
    assert bar.maximum() > 0
    assert box.horizontalScrollBar().maximum() == 0
    assert label(dialog, "permission_scroll_hint")
    box.moveCursor(box.textCursor().MoveOperation.End)
    margin = int(box.document().documentMargin())
    assert bar.value() >= bar.maximum() - margin, "the last line can be reached by keyboard"


@pytest.mark.parametrize(
    "arguments",
    ["abcdefgh " * 7282, "a\u200b" * 32768, "x" * 65536, "a  b\n" * 3000, "א/" * 16384],
    ids=["one line", "hidden", "one word", "many lines", "right to left"],
)
def test_rule_1_a_text_made_to_be_slow_is_shown_soon(desk: Desk, arguments: str) -> None:
    """64 KB of the worst kind do not freeze the window, and are shown complete all the same."""
    with processor_time() as spent:
        dialog = desk.show(replace(COMMAND, arguments=arguments))
    assert spent.at_rest_s < 5
    text = dialog.body.arguments.toPlainText().replace("\u2068", "").replace("\u2069", "")
    assert text == visible(arguments)


def test_rule_1_a_pattern_shows_its_files_with_sizes(desk: Desk) -> None:
    """How many, how large, and each by its visible name."""
    dialog = desk.armed(DELETE)
    assert dialog.body.files is not None
    assert label(dialog, "permission_files_label") == "2 files and 1 folder, 3.4 MB in all"
    assert dialog.body.files.toPlainText().split("\n") == [
        "/home/me/logs/a.log  1.2 kB",
        "/home/me/logs/b\\u202egol.exe  3.4 MB",
        "/home/me/logs/old  folder",
    ]


def test_rule_1_a_write_shows_its_diff_in_a_wider_dialog(desk: Desk) -> None:
    """560 px with a diff, 480 without."""
    assert desk.armed(WRITE).width() == 560
    assert desk.armed(COMMAND).width() == 480


WHOLE = replace(
    WRITE,
    arguments="path: notes.txt\ncontent:\n" + "    a line\n" * 80,
    diff="--- a\n+++ a\n@@ -1,40 +1,40 @@\n" + "-x = old\n" * 40 + "+x = new\n" * 40,
)


def test_a_write_shows_the_change_first_and_all_that_is_written_on_demand(desk: Desk) -> None:
    """How many lines in the caption, numbers and changed words in the lines, the rest behind one press."""
    dialog = desk.armed(WHOLE)
    body = dialog.body
    assert body.diff is not None
    assert body.fold is not None
    assert label(dialog, "permission_diff_label") == "Change · +40 −40"
    assert " 1 -x = old" in body.diff.toPlainText()
    assert not body.arguments.isVisible()
    body.fold.click()
    assert body.arguments.isVisible()
    assert body.arguments.y() > body.diff.y()
    body.fold.click()
    assert not body.arguments.isVisible()


@pytest.mark.parametrize(("zoom", "height"), [(100, 440), (150, 660), (100, 660)])
def test_the_change_is_in_sight_before_anything_is_scrolled(desk: Desk, zoom: int, height: int) -> None:
    """Also at 1280×720 and 150 %, by the system's scale or by ours: its caption and first changed lines."""
    desk.theme.set_zoom(zoom)
    dialog = desk.armed(WHOLE)
    dialog.resize(dialog.width(), height)
    QApplication.processEvents()
    diff, viewport = dialog.body.diff, dialog.body.viewport()
    assert diff is not None
    fourth = diff.document().findBlockByNumber(4)
    place = diff.cursorRect(QTextCursor(fourth))
    top, bottom = (
        diff.viewport().mapTo(viewport, point).y() for point in (place.topLeft(), place.bottomLeft())
    )
    assert 0 <= top < bottom <= viewport.height()
    assert diff.viewport().rect().contains(place)


# -- rule 3: closing, time, what to do instead ----------------------------------------------------


def test_rule_3_closing_the_window_denies(desk: Desk) -> None:
    """The close button is a no, and only one answer is given."""
    dialog = desk.armed(COMMAND)
    dialog.close()
    dialog.reject()
    assert desk.answers == [DENIED]


def test_rule_3_a_withdrawn_question_closes_without_an_answer(desk: Desk) -> None:
    """Stop, a time-out or a lost connection is not the user's no."""
    dialog = desk.armed(COMMAND)
    dialog.dismiss()
    assert not dialog.isVisible()
    assert desk.answers == []


def test_rule_3_the_time_is_shown_and_stands_still_while_attended(
    desk: Desk, window: QWidget, qtbot: QtBot
) -> None:
    """Focused or hovered it waits, and says so; left alone it counts."""
    dialog = desk.show(AGENT)
    attended: list[bool] = []
    dialog.attended_changed.connect(attended.append)
    dialog.set_left(272.2)
    assert label(dialog, "permission_time") == "Waiting for you, 4:33 left"
    window.activateWindow()
    qtbot.waitUntil(lambda: not dialog.isActiveWindow())
    assert label(dialog, "permission_time").endswith("Closes in 4:33; nothing is allowed then")
    QApplication.sendEvent(dialog, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: attended[-1:] == [False])  # told with the next turn of the loop


def test_rule_3_denying_can_say_what_to_do_instead(desk: Desk, qtbot: QtBot) -> None:
    """The words go to the model with the no; Enter in the field sends them."""
    dialog = desk.armed(COMMAND)
    qtbot.mouseClick(dialog.footer.instead, LEFT)
    assert dialog.focusWidget() is dialog.footer.field
    qtbot.keyClicks(dialog.footer.field, " use the newer file ")
    qtbot.keyClick(dialog.footer.field, Qt.Key.Key_Return)
    assert desk.answers == [Answer(Choice.DENY, instead="use the newer file")]


def test_rule_3_keys_of_an_input_method_answer_nothing(desk: Desk, qtbot: QtBot) -> None:
    """Esc and Enter that belong to a composition stay there; without one Esc denies."""
    dialog = desk.armed(COMMAND)
    dialog.footer.reveal_field()
    field = dialog.footer.field
    QApplication.sendEvent(field, QInputMethodEvent("にほ", []))
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_Return):
        qtbot.keyClick(field, key)
    assert desk.answers == []
    assert dialog.isVisible()
    QApplication.sendEvent(field, QInputMethodEvent("", []))
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert desk.answers == [DENIED]


# -- rule 5: the queue ----------------------------------------------------------------------------


def test_rule_5_the_count_is_shown_and_all_can_be_denied(desk: Desk, qtbot: QtBot) -> None:
    """ "Deny all (3)" is there only when others wait, and the buttons do not move when they come."""
    dialog = desk.armed(COMMAND)
    asked: list[bool] = []
    dialog.deny_all_requested.connect(lambda: asked.append(True))
    assert not dialog.footer.deny_all.isVisible()
    places = [button.mapToGlobal(QPoint(0, 0)) for button in (dialog.footer.deny, dialog.footer.allow)]
    dialog.set_waiting(3)
    QApplication.processEvents()
    assert places == [b.mapToGlobal(QPoint(0, 0)) for b in (dialog.footer.deny, dialog.footer.allow)]
    assert dialog.footer.deny_all.text() == "Deny all (3)"
    assert "2 more are waiting" in label(dialog, "permission_time")
    qtbot.mouseClick(dialog.footer.deny_all, LEFT)
    assert asked == [True]
    assert desk.answers == []


# -- rule 9: a native dialog that can be read aloud -----------------------------------------------


@pytest.mark.parametrize("question", [COMMAND, LONG, DELETE, WRITE])
def test_rule_9_a_screen_reader_speaks_title_line_and_arguments(desk: Desk, question: Question) -> None:
    """The name is the title, the description the plain line and everything that would be done."""
    dialog = desk.armed(question)
    interface = QAccessible.queryAccessibleInterface(dialog)
    assert interface.text(QAccessible.Text.Name) == str(question.title)
    said = interface.text(QAccessible.Text.Description)
    assert visible(" ".join(map(str, question.plain_sentences))) in said
    assert visible(question.arguments) in said
    assert all(visible(file.path) in said for file in question.files)


def test_rule_9_the_focus_goes_deny_arguments_why_allow_scope(desk: Desk, qtbot: QtBot) -> None:
    """In the order in which one decides, and round again; everything that is reached has a name."""
    dialog = desk.armed(WRITE)
    seen = []
    for _ in range(8):
        focused = QApplication.focusWidget()
        assert focused is not None
        assert QAccessible.queryAccessibleInterface(focused).text(QAccessible.Text.Name)
        seen.append(focused.objectName().removeprefix("permission_"))
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert seen == ["deny", "diff", "arguments", "why", "allow", "scope", "instead", "deny"]
    assert dialog.isVisible()


def test_rule_9_it_is_modal_to_the_asking_window_alone(desk: Desk, window: QWidget) -> None:
    """Opened, never run by a loop of its own."""
    dialog = desk.armed(COMMAND, window)
    assert dialog.windowModality() is Qt.WindowModality.WindowModal
    assert QGuiApplication.modalWindow() is dialog.windowHandle()
    assert dialog.parentWidget() is window
