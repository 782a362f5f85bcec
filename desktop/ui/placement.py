"""Windows stay on the screen: at first, where they were left, and after screens or scale have changed.

Where a window was is kept as a small JSON file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import structlog
from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QStyle, QWidget

from desktop.paths import write_atomically
from desktop.state_file import put_aside, read_object

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class WindowState:
    """Sizes in logical pixels. `x` and `y` None: never placed."""

    x: int | None = None
    y: int | None = None
    width: int = 1080
    height: int = 760
    maximised: bool = False
    sidebar: bool = True
    page: str = ""  # of a window that has several


def load_window_state(path: Path) -> WindowState:
    """What `save` wrote; the default where there is nothing that can be read."""
    values = read_object(path, "The place of a window")
    try:
        return WindowState(
            **{key: _checked(key, values[key]) for key in values if key in WindowState.__annotations__}
        )
    except (ValueError, TypeError) as error:
        put_aside(path, "The place of a window", str(error))
        return WindowState()


def save_window_state(path: Path, state: WindowState) -> None:
    """Write `state`; a disk that refuses is logged, because nothing the user made is lost by it."""
    try:
        write_atomically(path, json.dumps(asdict(state)).encode())
    except OSError as error:
        log.warning("the window's place could not be kept", path=str(path), error=str(error))


def _checked(key: str, value: Any) -> Any:
    if key in ("maximised", "sidebar"):
        return bool(value)
    if key == "page":
        return str(value)
    if value is None and key in ("x", "y"):
        return None
    # Written by hand or half: a window a mile away would never be found.
    if not isinstance(value, int) or abs(value) > 100_000:
        raise ValueError(f"{key} is {value!r}")
    return value


NO_FRAME = QMargins()
PLACING = (QEvent.Type.Show, QEvent.Type.ScreenChangeInternal, QEvent.Type.Move)

FRAME_MS, FRAME_LOOKS = 50, 20  # how often is looked whether a shown window has its frame, and how many times
FIRST_SHARE = 0.9  # of the screen, at most, for a window that was never placed


def fitted(wanted: QRect, rooms: Sequence[QRect], frame: QMargins = NO_FRAME) -> QRect:
    """`wanted` inside the room that holds most of it, or inside the first; smaller only where it must be.

    `rooms` are what screens have for windows, at least one; `frame` is what the system draws around it.
    """
    room = max(rooms, key=lambda each: _area(each.intersected(wanted)))
    room = room.marginsRemoved(frame)
    size = wanted.size().boundedTo(room.size())
    left = min(max(wanted.left(), room.left()), room.left() + room.width() - size.width())
    top = min(max(wanted.top(), room.top()), room.top() + room.height() - size.height())
    return QRect(QPoint(left, top), size)


def first_size(wanted: QSize, room: QSize) -> QSize:
    """The size of a window that was never placed."""
    return wanted.boundedTo(room * FIRST_SHARE)


class Placement(QObject):
    """Keeps a top-level window on its screen. Main thread only."""

    rooms_changed = Signal()  # before the window is moved

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._guessed = False  # the frame, when the window was last kept in sight
        self._fresh = False  # never placed: where it stands is for the system to choose
        self._looks = 0  # for its frame that are left
        self._look = QTimer(self, singleShot=True, interval=FRAME_MS)
        self._look.timeout.connect(self._on_look)
        self._least = QSize()  # as `limit_minimum` was told; empty: as the window says
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.screenAdded.connect(self._on_screen_added)
        application.screenRemoved.connect(self._later)
        application.primaryScreenChanged.connect(self._later)
        for screen in QGuiApplication.screens():
            self._watch(screen)
        # A window knows its frame and its screen only once the system has shown it.
        window.installEventFilter(self)

    def restore(self, state: WindowState, first: QSize) -> None:
        """Place the window as it was left or, where it never was, give it the size `first`, if that fits."""
        self._fresh = state.x is None or state.y is None
        if state.x is None or state.y is None:
            self._window.resize(first_size(first, self.rooms()[0].size()))
            return
        # The screen it was left on may be gone, or smaller by now.
        wanted = QRect(state.x, state.y, state.width, state.height)
        self._window.setGeometry(fitted(wanted, self.rooms(), self._frame()))
        if state.maximised:
            self._window.setWindowState(Qt.WindowState.WindowMaximized)

    def limit_minimum(self, wanted: QSize) -> None:
        """The least size of the window; never more than its screen has. A zoom may have made it larger."""
        self._least = wanted
        self._limit()
        self._later()

    def _limit(self) -> None:
        room = self.rooms()[0]
        least = self._least.boundedTo(fitted(room, [room], self._frame()).size())
        if not self._least.isEmpty() and least != self._window.minimumSize():
            self._window.setMinimumSize(least)

    def keep(self) -> None:
        """Move and shrink the window to where it is in sight, if it is not."""
        window = self._window
        # The window manager keeps these in place by itself.
        if window.isMaximized() or window.isFullScreen():
            return
        self._guessed = not self._has_frame()
        self._limit()  # within a frame that was not known before
        place = fitted(window.geometry(), self.rooms(), self._frame())
        if place != window.geometry():
            window.setGeometry(place)

    def rooms(self) -> list[QRect]:
        """What the screens have for windows, that of the window's own screen first."""
        # Its own first: where nothing of a window is in sight, that is the screen the user looks for it on.
        own = self._window.screen()
        screens = [own, *(each for each in QGuiApplication.screens() if each is not own)]
        return [screen.availableGeometry() for screen in screens]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The kind first: of the last events of a window nothing is asked.
        if event.type() in PLACING and watched is self._window:
            if event.type() == QEvent.Type.Show:
                self._looks = FRAME_LOOKS
            if event.type() != QEvent.Type.Move:
                self._later()
            elif self._guessed and self._has_frame():
                self._guessed = False
                # The system drew the frame only now, and it may be thicker than thought. What is larger
                # than the screen without it was made so since.
                size = self._window.size()
                if size == size.boundedTo(self.rooms()[0].size()):
                    self._later()
        return False

    def _on_screen_added(self, screen: QScreen) -> None:
        self._watch(screen)
        self._later()

    def _watch(self, screen: QScreen) -> None:
        screen.availableGeometryChanged.connect(self._later)
        screen.logicalDotsPerInchChanged.connect(self._later)

    def _later(self) -> None:
        """Once what is under way is over: a screen's size and its scale change one after the other."""
        QTimer.singleShot(0, self, self._on_changed)

    def _on_changed(self) -> None:
        if self._window.isVisible():
            self.rooms_changed.emit()
            self._keep_once_framed()

    def _on_look(self) -> None:
        self._looks -= 1
        if self._window.isVisible():
            self._keep_once_framed()

    def _keep_once_framed(self) -> None:
        """A busy window manager places and frames a window some time after it was shown, and may do both
        without moving it, of which nobody hears."""
        if self._has_frame() or not self._looks:
            self._look.stop()
            self.keep()
            return
        # Until then a fresh one seems to stand in the corner: kept there, it would lose its place.
        if not self._fresh:
            self.keep()
        self._look.start()

    def _has_frame(self) -> bool:
        return self._window.geometry() != self._window.frameGeometry()

    def _frame(self) -> QMargins:
        """As it is, or a title bar as high as the style guesses, before there is one."""
        inner, outer = self._window.geometry(), self._window.frameGeometry()
        # No frame was drawn yet, or there is none; a guess that is too high costs a few pixels.
        if not self._has_frame():
            title_px = self._window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
            return QMargins(0, title_px, 0, 0)
        return QMargins(
            inner.left() - outer.left(),
            inner.top() - outer.top(),
            outer.right() - inner.right(),
            outer.bottom() - inner.bottom(),
        )


def _area(rect: QRect) -> int:
    return max(0, rect.width()) * max(0, rect.height())
