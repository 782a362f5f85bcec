"""Every window in a language that nobody speaks: each word goes through the translation, and has room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest
from PySide6.QtCore import QLocale, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QTabBar,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.models.catalogue import CatalogueEntry, load_catalogue
from desktop.paths import Paths
from desktop.reasons import ENGLISH, Reason
from tests.fakes.failures import Worded
from tests.fakes.pseudo_locale import PseudoLocale, pseudo, untranslated
from tests.ui.every_window import House, house
from tests.ui.test_screens import clipped

# Names, units and keys, the same in all languages; then what is data in these windows.
NAMES = """
    Steward Ctrl Shift Alt Enter Esc Del CPU GPU RAM CUDA Metal Vulkan GGUF JSON Qwen Coder Instruct SmolLM
    Llama llama cpp Gemma Granite Phi Mistral Hugging Face Claude Code Codex Gemini CLI OpenCode Apache MIT
    Granite Micro TinyLlama Chat LFM Tool Devstral Ministral Droid
    Space Python PySide Qt Linux GNU Wayland tok avx avx2 fma sse neon Deutsch English XQZ WRT PLK BRT VNM TXT
    Wrt Plk Brt
    Copilot Cursor bash cmd powershell sudo git push force chmod dd if image of dev sda find delete rm rf
    config steward rsync empty Droid offload add HOST
"""


_english = Reason.in_language


@contextmanager
def pseudo_windows(
    paths: Paths, qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Iterator[House]:
    """All windows, made while the pseudo-locale is in use; reasons and the catalogue speak it, too."""
    monkeypatch.setattr(Reason, "in_language", lambda self, _language: pseudo(_english(self, ENGLISH)))
    made_up = Worded.in_language  # the questions of these windows
    monkeypatch.setattr(Worded, "in_language", lambda self, _language: pseudo(made_up(self, ENGLISH)))
    monkeypatch.setattr(
        CatalogueEntry,
        "in_language",
        lambda self, _language: replace(
            self,
            name=pseudo(self.name),
            good_for=pseudo(self.good_for),
            licence_note=self.licence_note and pseudo(self.licence_note),
        ),
    )
    words = PseudoLocale()
    qapp.installTranslator(words)
    before = QLocale()
    try:
        with house(paths, qapp, qtbot) as made:
            yield made
    finally:
        qapp.removeTranslator(words)
        QLocale.setDefault(before)


@dataclass
class Walk:
    """What one walk through all windows finds."""

    walked: list[str] = field(default_factory=list)
    cut: set[str] = field(default_factory=set)
    words: set[tuple[str, str]] = field(default_factory=set)  # where, and what is seen or spoken there
    entries: set[str] = field(default_factory=set)  # of menus

    def look_at(self, name: str, window: QWidget) -> None:
        self.walked.append(name)
        self.cut |= {f"{name}: {text}" for text in clipped(window)}
        self.words |= {(f"{name}: {where}", text) for where, text in shown_words(window)}
        actions = window.findChildren(QAction)
        self.entries |= {each.text() for each in actions if not is_of_qt_action(each)}


@pytest.fixture(scope="module")
def walk(
    request: pytest.FixtureRequest, qapp: QApplication, tmp_path_factory: pytest.TempPathFactory
) -> Walk:
    """One for all tests: it takes seconds."""
    found, paths = Walk(), Paths.under(tmp_path_factory.mktemp("walk"))
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        pseudo_windows(paths, qapp, QtBot(request), monkeypatch) as made,
    ):
        for name, window in made.windows():
            found.look_at(name, window)
    assert len(found.walked) > 20
    return found


def shown_words(window: QWidget) -> Iterator[tuple[str, str]]:
    """Where and what of every text that a person sees, or a screen reader says, in a window."""
    yield "title", window.windowTitle()
    for widget in [window, *window.findChildren(QWidget)]:
        if not widget.isVisibleTo(window) or is_of_qt(widget):
            continue
        where = f"{type(widget).__name__} {widget.objectName()}"
        yield f"{where} name", widget.accessibleName()
        yield f"{where} description", widget.accessibleDescription()
        yield f"{where} tooltip", widget.toolTip()
        yield from ((where, text) for text in texts_of(widget))


def texts_of(widget: QWidget) -> Iterator[str]:
    """What a widget shows by itself."""
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(row) for row in range(widget.count()))
    elif isinstance(widget, QMenu):
        yield from (action.text() for action in widget.actions())
    elif isinstance(widget, QTableView):
        model = widget.model()
        yield from (
            str(model.headerData(column, Qt.Orientation.Horizontal) or "")
            for column in range(model.columnCount(QModelIndex()))
        )


def test_longer_words_have_room_in_every_window(walk: Walk) -> None:
    """With texts 40 % longer than English nothing is cut off."""
    assert not walk.cut, "\n".join(sorted(walk.cut))


def is_data(text: str) -> bool:
    """A file of this computer, or what people type as it stands."""
    return text.startswith("/") or text in ("steward agents install", "owner/name")


def without_catalogue(text: str, phrases: tuple[str, ...]) -> str:
    """What is left of a text without the words of the models' catalogue, which has its own languages."""
    for phrase in phrases:
        text = text.replace(phrase, "")
    return text


def catalogue_phrases() -> tuple[str, ...]:
    """Names and notes of all models, the longest first, without the full stop that a window may drop."""
    entries = load_catalogue().entries
    found = {words for each in entries for words in (each.name, each.good_for, each.licence_note) if words}
    return tuple(sorted((words.rstrip(".") for words in found), key=len, reverse=True))


def is_of_qt(widget: QWidget) -> bool:
    """Parts that Qt makes inside its own widgets; their words are Qt's."""
    # The arrows of a bar of tabs have names of their own.
    return widget.objectName().startswith("qt_") or isinstance(widget.parent(), QTabBar)


def test_every_word_of_every_window_goes_through_the_translation(walk: Walk) -> None:
    """No English word is left outside the brackets, neither seen nor spoken."""
    names, phrases = set(NAMES.split()), catalogue_phrases()
    left = {
        f"{where}: {text!r}"
        for where, text in walk.words
        if set(untranslated(without_catalogue(text, phrases))) - names and not is_data(text)
    }
    assert not left, "\n".join(sorted(left))


def test_menus_of_the_windows_go_through_the_translation(walk: Walk) -> None:
    """So do the entries of all menus and their shortcuts' names."""
    names = set(NAMES.split())
    assert walk.entries
    left = {text for text in walk.entries if set(untranslated(text)) - names}
    assert not left, "\n".join(sorted(left))


def is_of_qt_action(action: QAction) -> bool:
    """The clear button of a field and the like."""
    return action.objectName().startswith("_q_")


@pytest.mark.parametrize("text", ["Read {name}", "&Allow once", "Larger text\tCtrl++", "{count:,} lines"])
def test_fields_mnemonics_and_keys_survive(text: str) -> None:
    """The pseudo-locale changes words alone, so that what it finds is never its own doing."""
    changed = pseudo(text)
    assert untranslated(changed.partition("\t")[0]) == []
    for kept in ("{name}", "&A", "\tCtrl++", "{count:,}"):
        assert (kept in text) == (kept in changed)
