"""Every state of the model windows as a picture in test-artefacts/, and nothing clipped, nameless or mute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.engine.events import EngineState, EngineStatus
from desktop.errors import UserFacing
from desktop.models.progress import DownloadPhase, DownloadProgress
from desktop.models.reasons import ModelReason
from desktop.network import KEPT, NetworkReason
from desktop.network.failures import GOES_ON
from desktop.reasons import Reason
from desktop.settings import Theme as Mode
from desktop.ui.models.first_run import FirstRun
from desktop.ui.models.manager import ModelManager
from desktop.ui.widgets.focus_ring import FocusRing
from tests.ui.models.conftest import World

pytestmark = pytest.mark.pictures

ARTEFACTS = Path(__file__).resolve().parents[3] / "test-artefacts" / "models"
LOOKS = [
    pytest.param((Mode.LIGHT, 100, None), id="light"),
    pytest.param((Mode.DARK, 100, None), id="dark"),
    pytest.param((Mode.LIGHT, 200, None), id="200"),
    pytest.param((Mode.LIGHT, 100, 320), id="narrow"),
    pytest.param((Mode.DARK, 200, 640), id="dark-200-narrow"),
]
TOTAL = 1_117_320_768
WRONG_HASH = UserFacing(
    ModelReason.WRONG_HASH.of(
        name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        kept_at="/home/me/.local/share/steward/models/quarantine",
    )
)
Show = Callable[[QWidget], None]


@pytest.fixture(params=LOOKS)
def look(request: pytest.FixtureRequest, world: World) -> str:
    """The theme set to one of the looks; returns its name."""
    mode, zoom, width = request.param
    world.theme.set_mode(mode)
    world.theme.set_zoom(zoom)
    request.node.width = width
    return str(request.node.callspec.id)


def keep(window: QWidget, look: str, state: str) -> None:
    """Save the picture, and look at what it shows."""
    settle(window)
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    picture = window.grab()
    assert picture.save(str(ARTEFACTS / f"{state}-{look}.png"))
    assert_nothing_is_clipped(window)
    assert_everything_has_a_name(window)


def settle(window: QWidget) -> None:
    """Let nested layouts pass their heights on, one level for each turn of the event loop."""
    before = None
    while before != (now := [child.geometry() for child in window.findChildren(QWidget)]):
        before = now
        QApplication.processEvents()


def assert_nothing_is_clipped(window: QWidget) -> None:
    """Words have the height they need, buttons the width, and nothing leaves its parent sideways."""
    for label in window.findChildren(QLabel):
        if label.isVisible() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), f"{label.objectName()}: too low"
    for child in (*window.findChildren(QLabel), *window.findChildren(QPushButton)):
        if child.isVisible():
            place = QRect(child.mapTo(window, QPoint(0, 0)), child.size())
            assert place.left() >= 0, f"{child.objectName()}: cut at the left"
            assert place.right() <= window.width(), f"{child.objectName()}: cut at the right"
    for button in window.findChildren(QPushButton):
        if button.isVisible():
            assert button.width() >= button.minimumSizeHint().width(), f"{button.text()}: too narrow"


def assert_everything_has_a_name(window: QWidget) -> None:
    """What the keyboard reaches has a test hook and something to be called by a screen reader."""
    for widget in window.findChildren(QWidget):
        if isinstance(widget, QAbstractScrollArea) or not widget.isVisible():
            continue
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            interface = QAccessible.queryAccessibleInterface(widget)
            assert widget.objectName(), f"{widget} has no objectName"
            assert interface.text(QAccessible.Text.Name), f"{widget.objectName()} has no accessible name"


def sized(window: QWidget, request: pytest.FixtureRequest) -> None:
    if request.node.width:
        window.resize(request.node.width, 760)


def test_first_run_states(
    world: World, shown: Show, qtbot: QtBot, look: str, request: pytest.FixtureRequest
) -> None:
    """Choose, 43 %, paused, waiting, verifying, wrong hash and ready, as a user sees them."""
    window = world.first_run()
    sized(window, request)
    shown(window)
    keep(window, look, "choose")
    world.server.hold_after_bytes = 1000
    window.choose_page.download_button.click()
    download = world.downloads.all[0]
    qtbot.waitUntil(lambda: download.phase is DownloadPhase.DOWNLOADING)
    for state, progress in {
        "43-percent": (DownloadPhase.DOWNLOADING, 480_450_000, 4_200_000.0, 151.0, None),
        "paused": (DownloadPhase.PAUSED, 480_450_000, 0.0, None, None),
        "waiting": (
            DownloadPhase.WAITING,
            480_450_000,
            0.0,
            None,
            NetworkReason.STALLED.of(host="127.0.0.1", kept=KEPT, again=GOES_ON),
        ),
        "verifying": (DownloadPhase.VERIFYING, 900_000_000, 0.0, None, None),
    }.items():
        show_progress(window, download.model_id, *progress)
        keep(window, look, state)
    download.error, download.is_running = WRONG_HASH, False
    download.changed.emit()
    keep(window, look, "wrong-hash")
    download.error, download.is_running = None, True
    download.changed.emit()
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        world.server.go_on.set()
    keep(window, look, "ready")


def show_progress(
    window: FirstRun,
    model_id: str,
    phase: DownloadPhase,
    done: int,
    speed: float,
    left: float | None,
    failure: Reason | None,
) -> None:
    """Put the panel into a state that a real download passes through too quickly to be photographed."""
    again = ModelReason.TRYING_AGAIN.of(seconds=8) if failure is not None else None
    event = DownloadProgress(model_id, phase, done, TOTAL, speed, left, again, failure)
    window._downloads._on_progress(event)


def test_manager_states(
    world: World, shown: Show, qtbot: QtBot, look: str, request: pytest.FixtureRequest
) -> None:
    """Three models, one of them active; a delete question; a file that was refused."""
    models = [
        world.library.import_file(world.own_file(f"{number}.gguf", title))
        for number, title in enumerate(("Qwen2.5 Coder 1.5B Instruct", "TinyLlama 1.1B Chat", "SmolLM2 135M"))
    ]
    world.settings.change("model", "active", models[0].id)
    world.status = EngineStatus(EngineState.READY, models[0].id, models[0].name, "cpu")
    window = world.manager()
    sized(window, request)
    shown(window)
    assert len(window.installed.rows) == 3
    keep(window, look, "manager")
    window.installed.rows[models[1].id].delete_button.click()
    keep(window, look, "delete")
    bad = world.own_file("not a model.gguf")
    bad.write_bytes(b"PK\x03\x04" + bytes(60))
    window._import.add(bad)
    qtbot.waitUntil(lambda: window.findChild(QWidget, "error_card") is not None)
    keep(window, look, "refused-file")


def test_zoom_and_colours_follow_while_open(world: World, shown: Show) -> None:
    """Changing the theme redraws an open window: text grows, the background turns dark."""
    window: ModelManager = world.manager()
    shown(window)
    world.theme.set_zoom(100)
    world.theme.set_mode(Mode.LIGHT)
    QApplication.processEvents()
    label = window.findChild(QLabel, "import_hint")
    assert label is not None
    before, light = label.fontMetrics().height(), window.grab().toImage().pixelColor(2, 2)
    world.theme.set_zoom(200)
    world.theme.set_mode(Mode.DARK)
    QApplication.processEvents()
    assert label.fontMetrics().height() >= 1.8 * before
    assert window.grab().toImage().pixelColor(2, 2).lightnessF() < 0.2 < light.lightnessF()


def test_the_focus_is_visible_everywhere(world: World, shown: Show, qtbot: QtBot) -> None:
    """Tab goes round the window, and wherever it is the ring is drawn around it."""
    window = world.first_run()
    shown(window)
    ring = window.findChild(FocusRing)
    assert ring is not None
    seen: set[str] = set()
    for _ in range(6):
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.add(focused.objectName())
        qtbot.waitUntil(lambda: ring.isVisible() and ring.target is QApplication.focusWidget())
        middle = focused.mapTo(window, focused.rect().center())
        assert ring.geometry().contains(middle)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert seen == {"choice_model-2", "all_models", "download_button", "own_file_button", "skip_button"}


def test_what_has_the_focus_is_in_sight(world: World, shown: Show, qtbot: QtBot) -> None:
    """Arrow keys scroll the list along, and a delete question below the edge is scrolled to."""
    first_run = world.first_run()
    first_run.resize(400, 360)
    shown(first_run)
    for card in first_run.choose_page.list.cards[:-1]:
        qtbot.keyClick(card, Qt.Key.Key_Down)
        qtbot.waitUntil(lambda: is_in_sight(QApplication.focusWidget()))
    assert first_run.choose_page.list.cards[-1].hasFocus()
    first_run.close()
    for number in range(3):
        model = world.library.import_file(world.own_file(f"{number}.gguf"))
    manager = world.manager()
    manager.resize(400, 400)
    shown(manager)
    manager.installed.rows[model.id].delete_button.click()
    qtbot.waitUntil(lambda: is_in_sight(manager.findChild(QPushButton, "keep_button")))


def is_in_sight(widget: QWidget | None) -> bool:
    """Whether some of the widget's middle is really painted."""
    return widget is not None and widget.visibleRegion().contains(widget.rect().center())
