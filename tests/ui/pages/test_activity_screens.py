"""Every state of the Activity page as a picture in test-artefacts/, and nothing cut, nameless or pale."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QPalette
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QWidget

from desktop.agents.action import HookChoice
from desktop.agents.events import DecidedBy, HookDecided, PauseChanged
from desktop.settings import Theme as Mode
from desktop.ui.pages.activity import ActivityPage
from desktop.ui.pages.activity_model import ANSWERS, WAITING, WHAT
from desktop.ui.permission.words import CLASSES, class_mark
from desktop.ui.theme import DARK, LIGHT, Theme, Tokens, contrast
from desktop.ui.widgets.focus_ring import FocusRing
from tests.shipped import redactor
from tests.ui.pages.activity_samples import ASKED, FIRST, READ, Hooks
from tests.ui.pages.conftest import World

pytestmark = pytest.mark.pictures

ARTEFACTS = Path(__file__).resolve().parents[3] / "test-artefacts" / "activity"
ROWS = (
    READ,
    replace(FIRST, id=2, changes=(7,)),
    replace(FIRST, id=3, agent="codex", text="npm install vitest", classed="UPDATE", choice=HookChoice.ALLOW),
    replace(
        READ,
        id=4,
        text="cat ~/.ssh/id_rsa",
        flags=("SECRET",),
        choice=HookChoice.NO_OPINION,
        by=DecidedBy.NOBODY,
    ),
    replace(
        FIRST, id=5, text="mkdir -p src/new", classed="CREATE", choice=HookChoice.ALLOW, by=DecidedBy.GRANT
    ),
    replace(
        FIRST,
        id=6,
        text="frob x\u202ey <b>hi</b>",
        classed="UNKNOWN",
        choice=HookChoice.ASK,
        by=DecidedBy.NOBODY,
    ),
    replace(READ, id=7, text="find . -name '*.py' -exec grep -n שלום {} + | sort | uniq -c | head -50"),
)


def many(count: int) -> tuple[HookDecided, ...]:
    return tuple(replace(ROWS[n % len(ROWS)], id=n, at=FIRST.at + 7 * n) for n in range(1, count + 1))


def shown(world: World, *recent: HookDecided, width: int = 760, height: int = 660) -> ActivityPage:
    hooks = Hooks(world.bus, recent)
    page = ActivityPage(hooks, world.relay, world.background, redactor())
    FocusRing(page)
    world.show(page, width, height)
    return page


def keep(page: ActivityPage, name: str) -> None:
    for _ in range(5):
        QApplication.processEvents()
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    assert page.grab().save(str(ARTEFACTS / f"{name}.png"))
    assert_sound(page)


def assert_sound(page: ActivityPage) -> None:
    """Nothing cut off sideways, no label too low for its words, every stop of Tab named."""
    for widget in (*page.findChildren(QLabel), *page.findChildren(QAbstractButton)):
        if not widget.isVisible() or not widget.text():
            continue
        place = QRect(widget.mapTo(page, QPoint(0, 0)), widget.size())
        assert place.left() >= 0, widget.objectName()
        assert place.right() <= page.width(), widget.objectName()
        if isinstance(widget, QLabel) and widget.wordWrap():
            assert widget.height() >= widget.heightForWidth(widget.width()), widget.objectName()
        if isinstance(widget, QAbstractButton):
            assert widget.width() >= widget.minimumSizeHint().width(), widget.objectName()
    for widget in page.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            name = QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
            assert name or isinstance(widget.parentWidget(), QAbstractItemView), widget.objectName()


@pytest.mark.parametrize(
    ("mode", "zoom", "width"),
    [
        pytest.param(Mode.LIGHT, 100, 760, id="light"),
        pytest.param(Mode.DARK, 100, 760, id="dark"),
        pytest.param(Mode.LIGHT, 100, 1200, id="wide"),
        pytest.param(Mode.DARK, 100, 400, id="narrow"),
        pytest.param(Mode.LIGHT, 200, 840, id="200"),
    ],
)
def test_states(world: World, mode: Mode, zoom: int, width: int, request: pytest.FixtureRequest) -> None:
    """Empty; a list with a waiting question; a chosen line with newer ones above; paused; nothing found."""
    world.theme.set_mode(mode)
    world.theme.set_zoom(zoom)
    look = request.node.callspec.id
    keep(shown(world, width=width), f"{look}-empty")
    page = shown(world, *many(60), width=width)
    world.bus.publish(ASKED)
    world.until(lambda: page.model.rowCount() == 61)
    keep(page, f"{look}-list")
    page.table.setFocus()
    page.table.setCurrentIndex(page.chosen.index(0, WHAT))
    keep(page, f"{look}-waiting")
    page.table.setCurrentIndex(page.chosen.index(6, WHAT))
    world.bus.publish(replace(READ, id=1000))
    world.until(page.newest.isVisible)
    keep(page, f"{look}-chosen")
    world.bus.publish(PauseChanged(time.time() + 599))
    world.until(page.bar.isVisible)
    keep(page, f"{look}-paused")
    page.filter.search.setText("nothing like it")
    world.until(lambda: not page.splitter.isVisible())
    keep(page, f"{look}-not-found")


def test_high_contrast(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the system's colours are painted; class and answer are told by icon and word."""
    palette = QPalette(QColor("#000000"))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(role, QColor("#ffff00"))
    palette.setColor(QPalette.ColorRole.Base, QColor("#000000"))
    palette.setColor(QPalette.ColorRole.Highlight, QColor("#00ff00"))
    palette.setColor(QPalette.ColorRole.HighlightedText, QColor("#000000"))
    world.theme._system_palette = palette
    monkeypatch.setattr(Theme, "high_contrast", property(lambda _self: True))
    world.theme.apply()
    page = shown(world, *many(20))
    page.table.setCurrentIndex(page.chosen.index(1, WHAT))
    keep(page, "high-contrast")
    image = page.grab().toImage()
    painted = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(0, 400, 3)}
    assert "#b91c1c" not in painted
    assert "#ffff00" in painted


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_every_colour_can_be_seen(tokens: Tokens) -> None:
    """The words of the pause reach 4.5 : 1, the icons of classes and answers 3 : 1 on their grounds."""
    assert contrast(tokens.text, tokens.warning_surface) >= 4.5
    colours = {class_mark(name).colour for name in CLASSES} | {said.colour for said in ANSWERS.values()}
    for name in colours | {WAITING.colour}:
        assert contrast(getattr(tokens, name), tokens.background) >= 3
    assert contrast(tokens.on_selection, tokens.selection) >= 4.5


def test_mirrored(world: World) -> None:
    """Under a right-to-left locale the columns begin at the right; commands still read from the left."""
    page = shown(world, *many(20))
    page.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    page.table.setCurrentIndex(page.chosen.index(1, WHAT))
    keep(page, "mirrored")
    assert page.table.columnViewportPosition(0) > page.table.columnViewportPosition(WHAT)
