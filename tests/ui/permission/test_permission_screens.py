"""Every state of the permission dialog as a picture in test-artefacts/, and nothing cut, nameless or pale."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QPalette
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.asking import Question
from desktop.settings import Theme as Mode
from desktop.ui.permission.dialog import PermissionDialog
from desktop.ui.permission.queue import Entry, WaitingEntry
from desktop.ui.permission.shown_text import _COLOURS, PROGRAM
from desktop.ui.theme import Theme, contrast
from tests.fakes.failures import spoken
from tests.ui import looks
from tests.ui.permission.conftest import (
    AGENT,
    CHARACTERS,
    COMMAND,
    DELETE,
    HIDDEN,
    IN_PROJECT,
    LINES,
    LONG,
    ONE_LINE,
    SHELL,
    TEST_RUN,
    WRITE,
    Desk,
)

pytestmark = pytest.mark.pictures

ARTEFACTS = Path(__file__).resolve().parents[3] / "test-artefacts" / "permission"
LOOKS = [
    pytest.param(Mode.LIGHT, 100, None, id="light"),
    pytest.param(Mode.DARK, 100, None, id="dark"),
    pytest.param(Mode.LIGHT, 200, None, id="200"),
    pytest.param(Mode.DARK, 100, 320, id="narrow"),
]
STATES = [
    pytest.param(COMMAND, id="command"),
    pytest.param(WRITE, id="diff"),
    pytest.param(DELETE, id="delete"),
    pytest.param(LONG, id="long"),
    pytest.param(AGENT, id="agent"),
    pytest.param(SHELL, id="shell"),
    pytest.param(IN_PROJECT, id="project"),
    pytest.param(TEST_RUN, id="programs"),
    pytest.param(HIDDEN, id="shell-hidden"),
    pytest.param(LINES, id="shell-lines"),
    pytest.param(CHARACTERS, id="shell-characters"),
    pytest.param(ONE_LINE, id="shell-one-line"),
]


def keep(dialog: PermissionDialog, name: str) -> None:
    for _ in range(4):
        QApplication.processEvents()
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    assert dialog.grab().save(str(ARTEFACTS / f"{name}.png"))


def assert_sound(dialog: PermissionDialog) -> None:
    """Within the screen, nothing cut off sideways, every stop of Tab named, buttons whole."""
    assert dialog.screen().availableGeometry().size().expandedTo(dialog.size()) == (
        dialog.screen().availableGeometry().size()
    )
    for widget in (*dialog.findChildren(QLabel), *dialog.findChildren(QAbstractButton)):
        if not widget.isVisible():
            continue
        place = QRect(widget.mapTo(dialog, QPoint(0, 0)), widget.size())
        assert place.left() >= 0, widget.objectName()
        assert place.right() <= dialog.width(), widget.objectName()
        if isinstance(widget, QLabel) and widget.wordWrap():
            assert widget.height() >= widget.heightForWidth(widget.width()), widget.objectName()
        if isinstance(widget, QAbstractButton):
            assert widget.width() >= widget.minimumSizeHint().width(), widget.objectName()
            assert dialog.rect().contains(place), widget.objectName()
    for widget in dialog.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            assert widget.objectName() or isinstance(widget, QAbstractScrollArea)
            assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


@pytest.mark.parametrize("question", STATES)
@pytest.mark.parametrize(("mode", "zoom", "width"), LOOKS)
def test_states(
    desk: Desk, question: Question, mode: Mode, zoom: int, width: int | None, request: pytest.FixtureRequest
) -> None:
    """A command, a diff, a deletion, a long command and an agent's question, in every look."""
    desk.theme.set_mode(mode)
    desk.theme.set_zoom(zoom)
    dialog = desk.armed(question)
    if question in (DELETE, AGENT):
        dialog.set_waiting(3)
    if width is not None:
        dialog.resize(width, dialog.height())
    keep(dialog, request.node.callspec.id)
    assert_sound(dialog)


def test_what_to_do_instead(desk: Desk) -> None:
    """The field has room for words, and the dialog grows for it."""
    dialog = desk.armed(COMMAND)
    dialog.footer.reveal_field()
    dialog.footer.field.setText("Use git log instead")
    keep(dialog, "instead")
    assert_sound(dialog)
    assert dialog.footer.field.width() > 150


def test_before_the_arming(desk: Desk) -> None:
    """Allow is grey, Deny has the ring, and nothing moves when the half second is over."""
    dialog = desk.show(WRITE, arm_ms=300)
    keep(dialog, "unarmed")
    before = [child.geometry() for child in dialog.findChildren(QPushButton)]
    desk.qtbot.waitUntil(lambda: dialog.input_guard.armed)
    assert before == [child.geometry() for child in dialog.findChildren(QPushButton)]


def test_an_agent_that_nobody_has_clicked(desk: Desk, window: QWidget) -> None:
    """It says to click first, how long it stays, and that nothing is allowed afterwards."""
    dialog = desk.armed(AGENT)
    window.activateWindow()
    desk.qtbot.waitUntil(lambda: not dialog.isActiveWindow())
    dialog.set_waiting(12)
    dialog.set_left(272)
    keep(dialog, "agent-inactive")
    assert_sound(dialog)


def test_the_scope_menu(desk: Desk) -> None:
    """The words of the grants, beside Allow."""
    dialog = desk.armed(WRITE)
    dialog.footer.scope.click()
    desk.qtbot.waitUntil(dialog.footer.menu.isVisible)
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    assert dialog.footer.menu.grab().save(str(ARTEFACTS / "scopes.png"))


def test_long_names_break(desk: Desk) -> None:
    """A name without a space is broken, not cut."""
    name = "a" * 120 + "/" + "b" * 120 + ".txt"

    dialog = desk.armed(
        replace(WRITE, title=spoken(f"Overwrite {name}?"), text=spoken(f"Writes {name}."), arguments=name)
    )
    keep(dialog, "long-name")
    assert_sound(dialog)


@pytest.mark.parametrize("mode", [Mode.LIGHT, Mode.DARK])
def test_every_colour_in_the_boxes_can_be_read(desk: Desk, mode: Mode) -> None:
    """Marks, escapes and the lines of a diff reach 4.5 : 1 on their grounds."""
    desk.theme.set_mode(mode)
    tokens = desk.theme.tokens
    for ink in (tokens.text, tokens.secondary, tokens.success, tokens.danger, tokens.warning):
        assert contrast(ink, tokens.surface_1) >= 4.5
    for ink in (tokens.warning, tokens.secondary):
        assert contrast(ink, tokens.selection) >= 4.5
    for name in {name for _kind, name in _COLOURS} | {PROGRAM}:
        assert contrast(getattr(tokens, name), tokens.surface_1) >= 4.5


@pytest.mark.parametrize("question", [pytest.param(DELETE, id="delete"), pytest.param(SHELL, id="shell")])
def test_high_contrast(
    desk: Desk, question: Question, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Only the system's colours are painted, and Allow of a deletion is told by its words."""
    palette = QPalette(QColor("#000000"))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(role, QColor("#ffff00"))
    palette.setColor(QPalette.ColorRole.Base, QColor("#000000"))
    palette.setColor(QPalette.ColorRole.Highlight, QColor("#00ff00"))
    desk.theme._system_palette = palette
    monkeypatch.setattr(Theme, "high_contrast", property(lambda _self: True))
    desk.theme.apply()
    dialog = desk.armed(question)
    keep(dialog, f"high-contrast-{request.node.callspec.id}")
    image = dialog.grab().toImage()
    painted = {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(0, image.height(), 3)
    }
    assert "#b91c1c" not in painted
    assert "#ffff00" in painted


def test_mirrored(desk: Desk) -> None:
    """Under a right-to-left locale Deny stands on the right; commands still read from the left."""
    dialog = desk.armed(COMMAND)
    dialog.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    keep(dialog, "mirrored")
    assert dialog.footer.deny.x() > dialog.footer.allow.x()


def test_a_theme_that_changes_while_open(desk: Desk) -> None:
    """Colours and sizes follow at once, the dialog included."""
    dialog = desk.armed(WRITE)
    small = dialog.footer.deny.height()
    before = dialog.grab().toImage().pixelColor(3, 3)
    desk.theme.set_mode(Mode.DARK)
    desk.theme.set_zoom(150)
    for _ in range(3):
        QApplication.processEvents()
    assert dialog.footer.deny.height() > 1.3 * small
    assert dialog.grab().toImage().pixelColor(3, 3).lightnessF() < 0.2 < before.lightnessF()
    assert_sound(dialog)


def test_the_entry_at_the_top_of_a_chat(theme: Theme, window: QWidget, qtbot: QtBot) -> None:
    """It says what waits, leads to it, and is gone when nothing waits; it never takes the focus."""
    entry = WaitingEntry()
    layout = window.layout()
    assert layout is not None
    layout.addWidget(entry)
    opened: list[bool] = []
    entry.opened.connect(lambda: opened.append(True))
    before = QApplication.focusWidget()
    entry.show_question(replace(WRITE, title=spoken("Overwrite a\u202eb.txt?")))
    assert QApplication.focusWidget() is before
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    QApplication.processEvents()
    assert entry.grab().save(str(ARTEFACTS / "entry.png"))
    words = entry.findChild(QLabel, "waiting_words")
    assert words is not None
    assert words.text().replace("\u200b", "") == "Waiting for your answer: Overwrite a\\u202eb.txt?"
    qtbot.mouseClick(entry.button, Qt.MouseButton.LeftButton)
    assert opened == [True]
    entry.show_question(None)
    assert not entry.isVisible()


def queued(question: Question) -> list[Entry]:
    """Five questions of three agents and a chat, one of them about to end."""
    npm = replace(
        AGENT, arguments="npm run build -- --mode production && cp -r dist /srv/www/shop/releases/2026"
    )
    push = replace(AGENT, arguments="git push origin main", origin=replace(AGENT.origin, agent="Codex"))
    test = replace(push, arguments="pytest -x -q tests/unit\ncat log")
    return [
        Entry(question, 284.0),
        Entry(npm, 590.0),
        Entry(push, 42.0, is_new=True),
        Entry(COMMAND, None, is_new=True),
        Entry(test, 301.0, is_new=True),
    ]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    ("mode", "zoom"), [(Mode.LIGHT, 100), (Mode.DARK, 100), (Mode.LIGHT, 150), (Mode.DARK, 200)]
)
def test_the_queue(desk: Desk, mode: Mode, zoom: int, language: str, qapp: QApplication) -> None:
    """Every question in sight beside the open one or, without room, above it."""
    with looks.spoken(qapp, "german" if language == "de" else "light"):
        desk.theme.set_mode(mode)
        desk.theme.set_zoom(zoom)
        dialog = desk.armed(SHELL)
        dialog.set_queue(queued(SHELL))
        dialog.set_left(284)
        keep(dialog, f"queue-{mode.value}-{zoom}-{language}")
        assert_sound(dialog)
        assert dialog.queue.list.visualItemRect(dialog.queue.list.item(0)).height() > 0


@pytest.mark.parametrize(("mode", "zoom"), [(Mode.LIGHT, 100), (Mode.LIGHT, 150)])
@pytest.mark.parametrize(
    "question", [pytest.param(IN_PROJECT, id="project"), pytest.param(TEST_RUN, id="programs")]
)
def test_the_offers_in_german(
    desk: Desk, question: Question, mode: Mode, zoom: int, qapp: QApplication
) -> None:
    """What will not be asked again, in whole sentences, and with others in the queue."""
    with looks.spoken(qapp, "german"):
        desk.theme.set_mode(mode)
        desk.theme.set_zoom(zoom)
        dialog = desk.armed(question)
        dialog.set_queue(queued(question))
        keep(dialog, f"offer-{question.scopes[0].reach.value}-{zoom}-de")
        assert_sound(dialog)
