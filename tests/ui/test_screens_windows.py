"""Every window of the program in every look, kept in test-artefacts/windows/: nothing is cut off."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.context_use import ContextUse
from desktop.engine.requests import Metrics
from desktop.paths import Paths
from desktop.ui.application import box_of
from desktop.ui.chat.info_windows import FactsDialog, TextViewer
from desktop.ui.pages.backup import BackupGroup
from desktop.ui.shortcuts import ShortcutSheet, show_sheet
from desktop.ui.tray import TrayState
from tests.fakes.failures import failure
from tests.ui.every_window import TITLE, House, a_conversation, house
from tests.ui.looks import LOOKS, dress, spoken
from tests.ui.test_german import too_wide
from tests.ui.test_screens import ARTEFACTS, clipped

pytestmark = pytest.mark.pictures

FULL = ContextUse(4096, 160, 310, 40, 0, 1900, 1200, 512, is_estimate=False, questions=6)
TOOK = Metrics(0.0, 3.1, 1.4, 7.2, 4.6, 812, 640, 128, 2, "cpu")
NO_ROOM = failure("The disk is full.", "Your chats are as they were.", "Free some space and start again.")
State = Callable[[House], Iterator[QWidget]]


def searching(made: House) -> Iterator[QWidget]:
    """Something was found, then nothing."""
    chat = made.desktop.chat
    a_conversation(made.core)
    for words in (TITLE, "zzzz"):
        chat.sidebar.search.setText(words)
        made.qtbot.wait(150)
        yield chat
    chat.sidebar.search.clear()


def a_bad_day(made: House) -> Iterator[QWidget]:
    """Offline, after a crash, nearly full, with a note at the bottom."""
    chat = made.desktop.chat
    chat.open_conversation(a_conversation(made.core))
    made.core.settings.change("network", "offline", True)
    made.core.settings.change("permissions", "dangerously_skip_permissions", True)
    made.settle()
    made.qtbot.waitUntil(lambda: not chat.context._asked)
    chat.controller.show_report("Steward closed unexpectedly yesterday 18:02")
    chat.context._on_measured(chat.controller.current, FULL)
    chat.toast.offer("Deleted 4 messages.", "Undo", lambda: None)
    yield chat


def presets(made: House) -> Iterator[QWidget]:
    """What comes with Steward can only be read."""
    made.desktop.chat.presets.edit()
    dialog = made.desktop.chat.findChild(QWidget, "preset_dialog")
    assert dialog is not None
    yield dialog


def facts(made: House) -> Iterator[QWidget]:
    """What fills the context, and how long an answer took."""
    chat = made.desktop.chat
    chat.context._on_measured(chat.controller.current, FULL)
    chat.context.show_breakdown()
    chat.menus._metrics = TOOK
    chat.menus.show_timings()
    yield from chat.findChildren(FactsDialog)


def a_text(made: House) -> Iterator[QWidget]:
    """What went along with a message."""
    viewer = TextViewer(made.desktop.chat)
    viewer.show_text("minutes-of-the-harbour-board.pdf", "The board met at nine.\n" * 60, "≈ 526 tokens")
    yield viewer


def keys(made: House) -> Iterator[QWidget]:
    """All of them, then what a search leaves."""
    show_sheet(made.desktop.chat)
    sheet = made.desktop.chat.findChild(ShortcutSheet)
    assert sheet is not None
    yield sheet
    sheet.search.setText("Ctrl")
    yield sheet


def beside_the_model(made: House) -> Iterator[QWidget]:
    """Keys and folder, the second page of the first start."""
    window = made.desktop.first_run
    window.show()
    window._begin_setup()
    yield window


def restoring(made: House) -> Iterator[QWidget]:
    """The question before a backup takes the place of everything."""
    pages = made.desktop.pages
    pages.resize(1000, 760)
    pages.show_page("Settings")
    pages.show()
    made.settle()
    keeping = pages.findChild(BackupGroup)
    assert keeping is not None
    keeping._show_question("A backup of 12 November 2026 with 214 chats and 38 notes.")
    made.settle()
    yield pages


def a_full_menu(made: House) -> Iterator[QWidget]:
    """Everything that the tray's menu can have at once."""
    tray = made.tray
    tray.set_state(TrayState.BUSY)
    tray.offer_pages()
    tray.set_question("Delete 3 files?")
    tray.set_due(2)
    tray.set_undo("write notes.txt")
    tray.set_pause(time.time() + 600)
    tray.say("Reminder", "Call Anna")
    tray.menu.popup(made.desktop.chat.pos())
    yield tray.menu
    tray.menu.hide()


def no_start(made: House) -> Iterator[QWidget]:
    """A start that failed."""
    box = box_of(NO_ROOM)
    made.qtbot.addWidget(box)
    yield box


STATES: tuple[State, ...] = (
    searching,
    a_bad_day,
    presets,
    facts,
    a_text,
    keys,
    beside_the_model,
    restoring,
    a_full_menu,
    no_start,
)


@pytest.fixture(params=LOOKS)
def dressed(
    request: pytest.FixtureRequest,
    qapp: QApplication,
    qtbot: QtBot,
    paths: Paths,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[str, House]]:
    """All windows in one look, with its name."""
    with spoken(qapp, request.param), house(paths, qapp, qtbot) as made:
        dress(made.theme, request.param, monkeypatch)
        yield request.param, made
        made.theme.set_zoom(100)


def looked_at(look: str, name: str, window: QWidget) -> list[str]:
    """Keep the picture; what is cut off in it."""
    folder = ARTEFACTS / "windows"
    folder.mkdir(parents=True, exist_ok=True)
    file = f"{name.replace(', ', '-').replace(' ', '-').lower()}-{look}.png"
    assert window.grab().save(str(folder / file))
    return [f"{name}: {words}" for words in (*clipped(window, 16), *too_wide(window))]


def test_every_window(dressed: tuple[str, House]) -> None:
    """The faces that each window has by itself."""
    look, made = dressed
    cut = [words for name, window in made.windows() for words in looked_at(look, name, window)]
    assert not cut, "\n".join(cut)


def test_every_state(dressed: tuple[str, House]) -> None:
    """The states that something has to bring about."""
    look, made = dressed
    made.desktop.chat.resize(1080, 760)
    cut = []
    for state in STATES:
        for number, window in enumerate(state(made)):
            window.show()
            made.settle()
            cut += looked_at(look, f"{state.__name__}-{number}", window)
    assert not cut, "\n".join(cut)
