"""Every window of the program in every look, kept in test-artefacts/windows/: nothing is cut off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop.paths import Paths
from desktop.ui.theme import LEAST_CONTRAST, hint_contrast
from tests.ui.every_window import House, house
from tests.ui.looks import LOOKS, dress, spoken
from tests.ui.test_german import too_wide
from tests.ui.test_screens import ARTEFACTS, clipped
from tests.ui.window_states import states

pytestmark = pytest.mark.pictures


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
    found = (*clipped(window, 16), *too_wide(window), *faint_hints(window))
    return [f"{name}: {words}" for words in found]


def faint_hints(window: QWidget) -> list[str]:
    """Empty fields whose hint has less contrast than text must have."""
    fields = [
        each
        for kind in (QLineEdit, QPlainTextEdit, QTextEdit)
        for each in window.findChildren(kind)
        if each.isVisible() and each.isEnabled() and each.placeholderText()
    ]
    role = QPalette.ColorRole
    return [
        f"{each.objectName()}: a hint in {each.palette().color(role.PlaceholderText).name()}"
        for each in fields
        if hint_contrast(_on_its_ground(each)) < LEAST_CONTRAST
    ]


def _on_its_ground(field: QWidget) -> QPalette:
    """The palette of `field`, with that of the windows below it where it is transparent itself."""
    palette, base = QPalette(field.palette()), QPalette.ColorRole.Base
    if palette.brush(base).style() is Qt.BrushStyle.NoBrush or not palette.color(base).alpha():
        palette.setColor(base, QApplication.palette().color(base))
    return palette


def test_every_window(dressed: tuple[str, House]) -> None:
    """The faces that each window has by itself."""
    look, made = dressed
    cut = [words for name, window in made.windows() for words in looked_at(look, name, window)]
    assert not cut, "\n".join(cut)


def test_every_state(dressed: tuple[str, House]) -> None:
    """The states that something has to bring about."""
    look, made = dressed
    cut = [words for name, window in states(made) for words in looked_at(look, name, window)]
    assert not cut, "\n".join(cut)
