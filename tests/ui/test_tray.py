"""The tray icon: what it offers, and what happens where there is no tray.

The offscreen platform never has one; clicks and notifications on a real tray host are in tests/flows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction, QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop.settings import Notifications, TrayIcon
from desktop.settings import Theme as Mode
from desktop.ui.theme import Theme, contrast
from desktop.ui.tray import Tray, TrayState


@pytest.fixture
def tray(qapp: QApplication) -> Iterator[Tray]:
    Theme(qapp, Mode.LIGHT)
    tray = Tray(look_every_ms=1)
    yield tray
    tray.close()


def _entries(tray: Tray) -> dict[str, bool]:
    return {action.text(): action.isEnabled() for action in tray.menu.actions() if action.text()}


PANELS = ("#000000", "#353535", "#ffffff")  # dark panels of several desktops, and a light one


@pytest.mark.parametrize("state", list(TrayState))
@pytest.mark.parametrize("look", list(TrayIcon))
@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("side_px", [16, 22, 32])
def test_the_icon_stands_out_on_every_panel(
    tray: Tray, state: TrayState, look: TrayIcon, panel: str, side_px: int
) -> None:
    """What is 3 : 1 against the panel has the icon's size and shape, whichever tone was chosen."""
    tray.set_look(look)
    tray.set_state(state)
    picture = tray._picture().pixmap(side_px, side_px).toImage()
    # Painted: of what is half transparent only what reaches the eye counts.
    shown = QImage(picture.size(), QImage.Format.Format_RGB32)
    shown.fill(QColor(panel))
    painter = QPainter(shown)
    painter.drawImage(0, 0, picture)
    painter.end()
    places = [(x, y) for x in range(side_px) for y in range(side_px)]
    painted = [(x, y) for x, y in places if picture.pixelColor(x, y).alpha() > 127]
    seen = [(x, y) for x, y in painted if contrast(shown.pixelColor(x, y).name(), panel) >= 3]
    for axis in (0, 1):
        extent = max(p[axis] for p in seen) - min(p[axis] for p in seen)
        # An outline in the tone of the panel is not seen, and is a sixth of the size at 16 pixels.
        assert extent >= 0.65 * (max(p[axis] for p in painted) - min(p[axis] for p in painted))
    assert len(seen) >= 0.2 * len(painted)


def test_what_is_said_without_a_tray_is_told_once_that_is_certain(tray: Tray, qtbot: QtBot) -> None:
    """Nothing is lost while a panel may still come, and nothing is shown that is not wanted."""
    told: list[str] = []
    tray.said_to_nobody.connect(told.append)
    tray.say("These keys are taken", "Choose others.")
    assert told == []
    qtbot.waitUntil(lambda: not tray.is_available)
    assert told == ["These keys are taken: Choose others."]
    tray.set_notifications(Notifications.QUESTIONS)
    tray.say("Steward has answered", "")
    tray.say("A question waits", "", question=True)
    assert told[1:] == ["A question waits"]
    tray.say("These keys are taken.", "Choose others.", question=True)
    assert told[2:] == ["These keys are taken. Choose others."]


def test_what_others_write_is_written_out_and_shown_by_whoever_can(tray: Tray, qtbot: QtBot) -> None:
    """Nothing unseen reaches the desktop; where the speaker finds nobody, the icon is tried."""
    spoken: list[tuple[str, str]] = []
    told: list[str] = []
    tray.said_to_nobody.connect(told.append)
    tray.speak_through(lambda title, text, _opened, otherwise: (spoken.append((title, text)), otherwise())[1])
    tray.say("Codex says", "a\u202eb\nc\x1b[2J")
    assert spoken == [("Codex says", "a\\u202eb\nc\\x1b[2J")]
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["Codex says: a\\u202eb\nc\\x1b[2J"]


def test_the_ways_that_are_used_most_are_at_the_top(tray: Tray) -> None:
    """Quick-ask and Settings right below New chat, once somebody offers them."""
    assert not {"Quick-ask", "Settings…"} & {a.text() for a in tray.menu.actions() if a.isVisible()}
    tray.offer_pages()
    tray.offer_quick_ask()
    shown = [action.text() for action in tray.menu.actions() if action.isVisible()]
    assert shown[:4] == ["Open Steward", "New chat", "Quick-ask", "Settings…"]


def test_everything_is_in_the_menu_and_quit_is_last(tray: Tray) -> None:
    """On desktops where a click only opens the menu nothing is out of reach."""
    words = list(_entries(tray))
    assert words[0] == "Open Steward"
    assert tray.menu.defaultAction().text() == "Open Steward"
    assert tray.menu.defaultAction().font().bold()
    assert {"New chat", "Models…"} <= set(words)
    assert words[-1] == "Quit"


@pytest.mark.parametrize(
    ("entry", "signal"),
    [
        ("tray_open", "open_requested"),
        ("tray_new_chat", "new_chat_requested"),
        ("tray_models", "models_requested"),
        ("tray_quick_ask", "quick_ask_requested"),
        ("tray_settings", "settings_requested"),
        ("tray_activity", "activity_requested"),
        ("tray_memory", "memory_requested"),
        ("tray_permissions", "permissions_requested"),
        ("tray_question", "question_requested"),
        ("tray_resume", "resume_requested"),
        ("tray_quit", "quit_requested"),
    ],
)
def test_an_entry_asks_for_its_thing(tray: Tray, qtbot: QtBot, entry: str, signal: str) -> None:
    """Choosing an entry emits the signal of that name."""
    action = next(a for a in tray.menu.actions() if a.objectName() == entry)
    with qtbot.waitSignal(getattr(tray, signal), timeout=1000):
        action.trigger()


@pytest.mark.parametrize("state", list(TrayState))
def test_stop_is_offered_only_while_something_is_under_way(tray: Tray, state: TrayState) -> None:
    """An entry that would do nothing is grey."""
    tray.set_state(state)
    assert _entries(tray)["Stop the answer"] is (state is TrayState.BUSY)


def test_the_states_differ_in_picture_and_in_words() -> None:
    """No state is told by colour alone."""
    assert len({state.icon_name for state in TrayState}) == len(TrayState)
    assert len({state.words for state in TrayState}) == len(TrayState)


def test_where_no_tray_comes_it_is_said_once(qapp: QApplication, qtbot: QtBot) -> None:
    """After half a minute of looking the window is told, so that it never hides to nowhere."""
    Theme(qapp, Mode.LIGHT)
    tray = Tray(look_every_ms=1)
    heard: list[bool] = []
    tray.availability_changed.connect(heard.append)
    assert tray.is_available, "one may still come"
    qtbot.waitUntil(lambda: not tray.is_available)
    qtbot.wait(20)
    assert heard == [False]
    tray.close()


def _action(tray: Tray, name: str) -> QAction:
    return next(a for a in tray.menu.actions() if a.objectName() == name)


def test_what_is_not_there_is_not_offered(tray: Tray) -> None:
    """Activity, permissions, the pause and the question appear when somebody says that they exist."""
    names = ("tray_activity", "tray_memory", "tray_permissions", "tray_question", "tray_resume")
    assert not any(_action(tray, name).isVisible() for name in names)
    assert not next(a for a in tray.menu.actions() if a.text() == "Pause the gate").isVisible()
    tray.offer_pages()
    assert _action(tray, "tray_activity").isVisible()
    assert _action(tray, "tray_memory").isVisible()
    assert _action(tray, "tray_permissions").isVisible()


def test_before_the_other_windows_only_opening_and_quit_are_offered(tray: Tray) -> None:
    """While Steward itself is still being installed; afterwards everything is."""
    before = _offered(tray)
    tray.offer_only_opening(True)
    assert _offered(tray) == {"tray_open", "tray_quit", "tray_version"}
    tray.offer_only_opening(False)
    assert _offered(tray) == before


def _offered(tray: Tray) -> set[str]:
    names = {action.objectName() for action in tray.menu.actions() if action.isVisible()}
    return {name for name in names if name}


def test_undo_names_what_it_undoes(tray: Tray, qtbot: QtBot) -> None:
    """Grey without a change; with one it says which, short, and an & in a name stays an &."""
    undo = _action(tray, "tray_undo")
    assert (undo.text(), undo.isEnabled()) == ("Undo last change", False)
    tray.set_undo("write notes.txt")
    assert (undo.text(), undo.isEnabled()) == ("Undo: write notes.txt", True)
    with qtbot.waitSignal(tray.undo_requested, timeout=1000):
        undo.trigger()
    tray.set_undo(f"write a & b{'c' * 99}.txt")
    assert undo.text().startswith("Undo: write a && b")
    assert len(undo.text()) < 60
    tray.set_undo("write a\u202etxt.exe")
    assert "\u202e" not in undo.text()
    tray.set_undo("")
    assert not undo.isEnabled()


def test_the_waiting_question_is_in_the_menu(tray: Tray) -> None:
    """Where a click only opens the menu the question is reached from there."""
    question = _action(tray, "tray_question")
    tray.set_question("Overwrite notes.txt?")
    assert question.isVisible()
    assert question.text() == "Answer: Overwrite notes.txt?"
    tray.set_question("")
    assert not question.isVisible()


def test_the_gate_is_paused_for_a_time_and_resumed(tray: Tray) -> None:
    """Each entry carries its seconds; while it is paused the menu says until when and offers to go on."""
    asked: list[float] = []
    tray.pause_requested.connect(asked.append)
    tray.set_pause(None)
    pause = next(a for a in tray.menu.actions() if a.text() == "Pause the gate")
    assert pause.isVisible()
    menu = pause.menu()
    assert isinstance(menu, QMenu)
    for action in menu.actions():
        action.trigger()
    assert asked == [600.0, 3600.0, 14400.0]
    until = time.mktime((2026, 11, 20, 14, 30, 0, 0, 0, -1))
    tray.set_pause(until)
    assert not pause.isVisible()
    assert _action(tray, "tray_resume").text() == "Resume the gate (paused until 14:30)"
    tray.set_pause(None)
    assert not _action(tray, "tray_resume").isVisible()


def test_the_tooltip_says_that_nothing_is_asked(tray: Tray) -> None:
    """In words, beside the state, as long as it is so."""
    tray.set_unguarded(True)
    assert tray.tooltip == "Steward. It does not ask before it changes something."
    tray.set_state(TrayState.BUSY)
    assert tray.tooltip.startswith("Steward: working. It does not ask")
    tray.set_unguarded(False)
    assert tray.tooltip == "Steward: working"


def test_due_reminders_and_a_pause_are_told(tray: Tray) -> None:
    """Both stand in the tooltip, and what is due in the menu, as long as they last."""
    tray.set_due(2)
    assert _action(tray, "tray_due").text() == "2 reminders are due"
    assert _action(tray, "tray_due").isVisible()
    tray.set_pause(0.0)
    assert "The gate is paused until " in tray.tooltip
    assert tray.tooltip.endswith("2 reminders are due.")
    tray.set_due(0)
    tray.set_pause(None)
    assert not _action(tray, "tray_due").isVisible()
    assert tray.tooltip == "Steward"


@pytest.mark.parametrize(
    ("wanted", "plain", "question"),
    [
        (Notifications.ALL, True, True),
        (Notifications.QUESTIONS, False, True),
        (Notifications.NONE, False, False),
    ],
)
def test_the_setting_says_which_notifications_are_shown(
    tray: Tray, wanted: Notifications, plain: bool, question: bool
) -> None:
    """Questions of the assistant are a kind of their own."""
    tray.set_notifications(wanted)
    assert (tray.allows(), tray.allows(question=True)) == (plain, question)


def test_what_was_missed_is_in_the_menu_the_newest_first(tray: Tray, qtbot: QtBot) -> None:
    """Also what the setting kept from being shown; ten lines, and each opens the window."""
    tray.set_notifications(Notifications.NONE)
    recent = next(a for a in tray.menu.actions() if a.objectName() == "tray_recent")
    assert not recent.isVisible()
    for number in range(12):
        tray.say(f"Answer {number}", "is ready")
    assert recent.isVisible()
    lines = [action.text() for action in recent.menu().actions()]
    assert len(lines) == 10
    assert lines[0].endswith("Answer 11: is ready")
    with qtbot.waitSignal(tray.open_requested, timeout=1000):
        recent.menu().actions()[0].trigger()


def test_the_tray_counts_what_waits(tray: Tray) -> None:
    """The questions of agents too: in the menu, which leads to them, and in the tooltip."""
    asked = []
    tray.question_requested.connect(lambda: asked.append(True))
    entry = next(action for action in tray.menu.actions() if action.objectName() == "tray_question")
    tray.set_waiting(3)
    assert (entry.isVisible(), entry.text()) == (True, "3 questions are waiting")
    assert tray.tooltip == "Steward. 3 questions are waiting."
    assert tray.marked is TrayState.ATTENTION
    entry.trigger()
    assert asked == [True]
    tray.set_question("Overwrite notes.txt?")
    tray.set_waiting(1)
    assert entry.text() == "Answer: Overwrite notes.txt?"
    tray.set_waiting(0)
    assert (tray.marked, tray.tooltip) == (TrayState.IDLE, "Steward")
    tray.set_waiting(1)
    tray.set_question("")
    tray.set_waiting(0)
    assert not entry.isVisible()
    assert tray.tooltip == "Steward"
