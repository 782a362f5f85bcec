"""The palette behind Ctrl+K: what it finds, in which order, and where each entry leads, by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.events import ConversationsChanged
from desktop.paths import Paths
from desktop.settings import Settings
from desktop.ui.pages.settings import SettingsPage
from desktop.ui.palette import AT_MOST, Group, Palette, PaletteEntry, ranked, score
from desktop.ui.shortcuts import keys_of
from tests.ui.every_window import ASKED, TITLE, House, a_conversation, house

CONTROL = Qt.KeyboardModifier.ControlModifier


def entry(words: str, group: Group = Group.COMMANDS, also: str = "") -> PaletteEntry:
    return PaletteEntry(group, words, "quick", lambda: None, also=also)


@pytest.mark.parametrize(
    ("words", "also", "typed", "worth"),
    [
        ("New chat", "", "new", 4),
        ("New chat", "", "NEW CH", 4),
        ("New chat", "", "chat", 3),
        ("New chat", "", "ch ne", 3),
        ("New chat", "", "hat", 2),
        ("Text size", "zoom_percent", "zoom", 1),
        ("Größe der Schrift", "", "grosse", 4),
        ("Größe der Schrift", "", "größe", 4),
        ("Crème brûlée", "", "creme", 4),
        ("New chat", "", "chat old", 0),
    ],
)
def test_a_beginning_counts_more_than_a_part(words: str, also: str, typed: str, worth: int) -> None:
    """The whole beginning, beginnings of words, parts, other names: in this order; no word may be missing."""
    assert score(entry(words, also=also), typed) == worth


def test_the_group_with_the_best_one_stands_first() -> None:
    """A command called so comes before settings that only mention it; no group floods the others."""
    many = [entry(f"Appearance: thing {n}", Group.SETTINGS, also="new") for n in range(AT_MOST + 5)]
    found = ranked([*many, entry("New chat")], "new")
    assert [group for group, _ in found] == [Group.COMMANDS, Group.SETTINGS]
    assert len(found[1][1]) == AT_MOST


@pytest.fixture
def made(qapp: QApplication, qtbot: QtBot, paths: Paths) -> Iterator[House]:
    with house(paths, qapp, qtbot) as built:
        yield built


def opened(made: House, window: QWidget) -> Palette:
    """By its keys, as a person does it."""
    window.show()
    window.activateWindow()
    made.qtbot.waitUntil(window.isActiveWindow)
    made.qtbot.keyClick(window, Qt.Key.Key_K, CONTROL)
    palette = window.findChild(Palette)
    assert isinstance(palette, Palette)
    assert palette.field.hasFocus()
    return palette


def shown(palette: Palette) -> list[str]:
    return [palette.list.item(row).text() for row in range(palette.list.count())]


def choose(made: House, palette: Palette, typed: str) -> None:
    made.qtbot.keyClicks(palette.field, typed)
    made.qtbot.keyClick(palette.field, Qt.Key.Key_Return)


def test_from_the_palette_to_a_setting_and_back_by_keyboard(made: House) -> None:
    """A setting is found by its name or help; Enter leads to its row, with the keyboard in it."""
    palette = opened(made, made.desktop.chat)
    choose(made, palette, "context tokens")
    page = made.desktop.pages.page
    assert isinstance(page, SettingsPage)
    row = page.rows["model.context_tokens"]
    made.qtbot.waitUntil(row.editor.control.hasFocus)
    assert row.isVisible()
    again = opened(made, made.desktop.pages)
    choose(made, again, "new chat")
    made.qtbot.waitUntil(made.desktop.chat.isActiveWindow)
    assert made.desktop.chat.pane.is_empty


def test_every_page_is_reachable_from_both_windows(made: House) -> None:
    """Each page of the window and the models, named as in its list."""
    for window in (made.desktop.chat, made.desktop.pages):
        palette = opened(made, window)
        titles = {each.words for each in palette._entries if each.group is Group.PAGES}
        assert titles == {title for title, _ in made.desktop.page_titles} | {"Models"}
        made.qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    choose(made, opened(made, made.desktop.chat), "extensions")
    page = made.desktop.pages.page
    assert page is not None
    assert page.title == "Extensions"


def test_every_setting_that_people_set_is_found(made: House) -> None:
    """By its key, whatever its words are in the language in use."""
    palette = opened(made, made.desktop.chat)
    keys = {each.also.split()[-1] for each in palette._entries if each.group is Group.SETTINGS}
    assert {"model.temperature", "window.theme", "network.offline"} <= keys
    assert all(key.partition(".")[0] in Settings.model_fields for key in keys)


def test_chats_are_found_by_title_and_by_what_was_said(made: House) -> None:
    """A title opens its chat; a message opens it there, and arrives while one types."""
    chat = made.desktop.chat
    conversation = a_conversation(made.core)
    made.core.bus.publish(ConversationsChanged())
    made.qtbot.waitUntil(lambda: bool(chat.sidebar.conversations), timeout=5000)
    choose(made, opened(made, chat), TITLE)
    assert chat.controller.current == conversation
    palette = opened(made, chat)
    made.qtbot.keyClicks(palette.field, ASKED)
    made.qtbot.waitUntil(lambda: "In the messages" in shown(palette))
    current = palette.current
    assert current is not None
    assert current.group is Group.MESSAGES


def test_keys_stand_beside_what_they_do_and_are_spoken(made: House) -> None:
    """New chat names its keys; a screen reader hears group, words and keys of what Enter would do."""
    palette = opened(made, made.desktop.chat)
    made.qtbot.keyClicks(palette.field, "new chat")
    assert palette.current is not None
    assert palette.current.keys == keys_of("new_chat")
    assert palette.field.accessibleDescription() == f"Commands: New chat ({keys_of('new_chat')})"


def test_escape_gives_the_keyboard_back_and_does_nothing(made: House) -> None:
    """Also when it is opened and closed by its keys, and when something else is clicked."""
    chat = made.desktop.chat
    palette = opened(made, chat)
    made.qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert chat.pane.composer.text.hasFocus()
    opened(made, chat)
    made.qtbot.keyClick(palette.field, Qt.Key.Key_K, CONTROL)
    assert not palette.isVisible()
    opened(made, chat)
    chat.pane.composer.text.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not palette.isVisible()


def test_arrows_pass_the_headings_and_go_round(made: House) -> None:
    """Down from the last is the first; no heading is ever chosen."""
    palette = opened(made, made.desktop.chat)
    first = palette.current
    rows = sum(1 for row in range(palette.list.count()) if palette.list.item(row).flags())
    for _ in range(rows):
        assert palette.current is not None
        made.qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.current is first
    made.qtbot.keyClicks(palette.field, "zzzz")
    assert palette.current is None
    assert palette.nothing.isVisible()
    made.qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    made.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
