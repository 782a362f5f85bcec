"""States of windows that something has to bring about, for the tests of all windows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QPoint
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from desktop.chat.context_use import ContextUse
from desktop.engine.requests import Metrics
from desktop.memory.item import NewItem
from desktop.models.gguf import read_facts
from desktop.models.library import InstalledModel
from desktop.ui.application import box_of
from desktop.ui.chat.info_windows import FactsDialog, TextViewer
from desktop.ui.memory.list import Tab
from desktop.ui.memory.page import MemoryPage
from desktop.ui.pages.backup import BackupGroup
from desktop.ui.pages.settings import SECTIONS, SettingsPage
from desktop.ui.region_picker import RegionPicker
from desktop.ui.shortcuts import ShortcutSheet, show_sheet
from desktop.ui.tray import TrayState
from tests.fakes.failures import failure
from tests.ui.every_window import TITLE, House, a_conversation
from tests.ui.models.conftest import tiny_gguf

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
    chat.controller.status.show_report("Steward closed unexpectedly yesterday 18:02")
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


def sections(made: House) -> Iterator[QWidget]:
    """Each section of the settings."""
    pages = made.desktop.pages
    pages.resize(1000, 760)
    pages.show_page("Settings")
    pages.show()
    made.settle()
    page = pages.page
    assert isinstance(page, SettingsPage)
    for section in SECTIONS:
        page.show_part(section.name)
        made.settle()
        yield pages


def memories(made: House) -> Iterator[QWidget]:
    """Each tab of the memory, with something to forget."""
    for text in (TITLE, "XQZ"):
        made.core.memory.store.add(NewItem(text))
    pages = made.desktop.pages
    pages.show_page("Memory")
    pages.show()
    made.settle()
    page = pages.page
    assert isinstance(page, MemoryPage)
    for tab in Tab:
        page.show_tab(tab)
        made.settle()
        yield pages
    pages.hide()


def the_palette(made: House) -> Iterator[QWidget]:
    """All there is to choose, then what a search leaves of it."""
    chat = made.desktop.chat
    chat.show()
    assert made.desktop.palette is not None
    palette = made.desktop.palette.open(chat)
    yield chat
    palette.field.setText("s")
    yield chat
    palette.leave()


def a_part_of_the_screen(made: House) -> Iterator[QWidget]:
    """The frame is still to be drawn."""
    picker = RegionPicker(QPixmap(1920, 1080), lambda _frame: None)
    made.qtbot.addWidget(picker)
    yield picker.open()
    picker.hide()


def first_run_to_its_end(made: House) -> Iterator[QWidget]:
    """The download, and the model that has arrived."""
    window = made.desktop.first_run
    window.pages.setCurrentWidget(window.progress_page)
    yield window
    path = made.core.paths.profile / "XQZ.gguf"
    path.write_bytes(tiny_gguf("XQZ"))
    model = InstalledModel("xqz", "XQZ", path, 0, "", read_facts(path), False, "")
    window.ready_page.show_model(model, None)
    window.pages.setCurrentWidget(window.ready_page)
    yield window
    window.pages.setCurrentWidget(window.choose_page)
    window.hide()


def a_menu(made: House) -> Iterator[QWidget]:
    """That of the settings, in the sidebar."""
    menu = made.desktop.chat.settings_menu
    menu.popup(QPoint(0, 0))
    yield menu
    menu.hide()


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
    sections,
    memories,
    the_palette,
    a_part_of_the_screen,
    first_run_to_its_end,
    a_menu,
)


def states(made: House) -> Iterator[tuple[str, QWidget]]:
    """All of them, shown, one after another, with a name for each."""
    made.desktop.chat.resize(1080, 760)
    for state in STATES:
        for number, window in enumerate(state(made)):
            window.show()
            made.settle()
            yield f"{state.__name__}-{number}", window


# Which face shows each kind of window but those of the list of pages, which all are walked.
SHOWN_BY = {
    "AgentQuestionDialog": "question of an agent",
    "ChatWindow": "chat, empty",
    "ChoosePage": "first run",
    "FactsDialog": "facts",
    "FirstRun": "first run",
    "Menu": "a_menu",
    "ModelManager": "models",
    "PagesWindow": "page Activity",
    "PermissionDialog": "question, overwrite",
    "PresetDialog": "presets",
    "ProgressPage": "first_run_to_its_end",
    "QuickAskWindow": "quick-ask",
    "ReadyPage": "first_run_to_its_end",
    "RegionPicker": "a_part_of_the_screen",
    "ResultWindow": "what came of a selection",
    "SendDialog": "question before sending",
    "SetupPage": "beside_the_model",
    "ShortcutSheet": "keys",
    "TextViewer": "a_text",
    "WaitPage": "first run, waiting for the chat",
}
