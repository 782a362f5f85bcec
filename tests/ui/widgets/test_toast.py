"""The short message at the bottom: complete in every width, with one thing to do about it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui.theme import Theme, current
from desktop.ui.widgets.toast import Toast

SHORT = "Revoked."
LONG = "notes.txt, which was new, is gone again. 3 more changes were undone with it, and nothing else was."


@pytest.fixture
def toast(qapp: QApplication, qtbot: QtBot) -> Iterator[Toast]:
    theme = Theme(qapp, Mode.LIGHT)
    holder = QWidget()
    qtbot.addWidget(holder)
    holder.resize(800, 400)
    holder.show()
    yield Toast(holder)
    theme.set_zoom(100)


@pytest.mark.parametrize("width", [320, 480, 800])
@pytest.mark.parametrize("zoom", [100, 200])
@pytest.mark.parametrize(("words", "label"), [(SHORT, ""), (SHORT, "Undo"), (LONG, ""), (LONG, "Undo")])
def test_all_words_have_room(toast: Toast, width: int, zoom: int, words: str, label: str) -> None:
    """In a narrow window the words wrap; nothing reaches beyond the window."""
    holder = toast.parentWidget()
    assert holder is not None
    holder.resize(width * zoom // 100, 400)  # the smallest window grows with the text
    current().set_zoom(zoom)
    toast.offer(words, label, lambda: None)
    toast.layout().activate()
    assert toast.label.height() >= toast.label.heightForWidth(toast.label.width())
    assert holder.rect().contains(toast.geometry())
    assert toast.button.isVisible() is bool(label)


def test_the_button_does_it_and_the_toast_goes(toast: Toast, qtbot: QtBot) -> None:
    """Pressed once, it is done once."""
    done: list[int] = []
    toast.offer(SHORT, "Undo", lambda: done.append(1))
    qtbot.mouseClick(toast.button, Qt.MouseButton.LeftButton)
    assert done == [1]
    assert not toast.isVisible()


def test_what_is_written_in_stays_free(toast: Toast) -> None:
    """Over the box at the lower edge, and at that edge where there is none."""
    holder = toast.parentWidget()
    assert holder is not None
    box = QWidget(holder)
    box.setGeometry(0, holder.height() - 60, holder.width(), 60)
    box.show()
    above = Toast(holder, box)
    above.offer("Written.")
    assert above.geometry().bottom() < box.y()
    box.hide()
    above.place()
    assert above.geometry().bottom() > box.y()
