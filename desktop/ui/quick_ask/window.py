"""The window of Quick-ask: its frame, the field, what goes along, suggestions, the conversation, the keys.

It draws and tells what the user did; what happens is in `quick_ask.py`.
"""

from __future__ import annotations

import warnings

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QCloseEvent,
    QColor,
    QCursor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QSizePolicy, QWidget

from desktop.chat.attachments import Draft
from desktop.errors import UserFacing
from desktop.ui import theme
from desktop.ui.chat.composer import ComposerText, SendButton
from desktop.ui.chat.transcript import Transcript
from desktop.ui.language import tr, tr_noop
from desktop.ui.quick_ask.context import ChipRow
from desktop.ui.quick_ask.suggestions import Suggestions
from desktop.ui.shortcuts import bind, show_sheet
from desktop.ui.theme import CAPTION_PX
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.error_card import Action, ErrorCard, placed_card
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import from_its_side, let_go, named

RADIUS, SHADOW = 16, 20


class FramedWindow(QWidget):
    """Content belongs into `inner`. Without `composited` the corners are cut and there is no shadow."""

    def __init__(self, composited: bool) -> None:
        flags = Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(None, flags)
        self._composited = composited
        if composited:
            self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)

    @property
    def around(self) -> int:
        """The room for the shadow on each side."""
        return theme.px(SHADOW) if self._composited else 0

    @property
    def inner(self) -> QRect:
        """The visible frame, in the window's coordinates."""
        around = self.around
        return self.rect().adjusted(around, around, -around, -around)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._composited:
            self._paint_shadow(painter)
        inner = QRectF(self.inner).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = theme.px(RADIUS)
        painter.setPen(QPen(theme.colour("control_border"), 1))
        painter.setBrush(theme.colour("background"))
        painter.drawRoundedRect(inner, radius, radius)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._composited:
            self._cut_corners()

    def _paint_shadow(self, painter: QPainter) -> None:
        """Rings that grow fainter; a little lower than the window, as light from above throws it."""
        steps = self.around
        painter.setPen(Qt.PenStyle.NoPen)
        for step in range(steps, 0, -2):
            strength = (1 - step / steps) ** 2
            painter.setBrush(QColor(0, 0, 0, round(14 * strength)))
            grown = QRectF(self.inner).adjusted(-step, -step * 0.6, step, step)
            radius = theme.px(RADIUS) + step
            painter.drawRoundedRect(grown, radius, radius)

    def _cut_corners(self) -> None:
        path = QPainterPath()
        radius = theme.px(RADIUS)
        path.addRoundedRect(QRectF(self.rect()), radius, radius)
        self.setMask(QRegion(path.toFillPolygon().toPolygon()))


FIELD_PX = 18.0

ASK, FOLLOW_UP = tr_noop("Ask Steward…"), tr_noop("Ask a follow-up…")

MOST_LINES = 6


class QuickField(ComposerText):
    """The chat's text field with the keys of Quick-ask. Main thread only."""

    window_pressed = Signal()
    copy_pressed = Signal()
    new_pressed = Signal()
    moved = Signal(int)  # up or down among the suggestions

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        named(self, "quick_ask_text", tr("Question to Steward"))
        self.setPlaceholderText(from_its_side(self, tr(ASK)))
        # The row around it draws field and ring.
        self.setStyleSheet("border: none; background: transparent")
        self.setProperty("ring_on_parent", False)
        option = self.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # Hebrew stands at the right
        self.document().setDefaultTextOption(option)
        self.steps = False  # whether arrows choose among suggestions

    def tallest(self) -> int:
        """The height of as many lines as are shown at most."""
        return MOST_LINES * self.fontMetrics().lineSpacing() + 2

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._composing:
            super().keyPressEvent(event)
            event.accept()  # also an Esc that the text has no use for: the window must not hide of it
            return
        command = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if command and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.window_pressed.emit()
        elif command and event.key() == Qt.Key.Key_N:
            self.new_pressed.emit()
        elif event.matches(QKeySequence.StandardKey.Copy) and not self.textCursor().hasSelection():
            self.copy_pressed.emit()
        elif self.steps and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)


SAID_MS = 2_500


class Footer(QWidget):
    """Main thread only."""

    window_wanted = Signal()
    pinned = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._keys = ""
        self._said = QTimer(self, singleShot=True, interval=SAID_MS)
        self._said.timeout.connect(self._show_keys)
        self.setObjectName("quick_ask_footer")
        self.keys = Label("", CAPTION_PX, colour="secondary", name="quick_ask_keys")
        self.keys.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.pin = IconButton("pin", tr("Keep open when it loses focus"), "quick_ask_pin")
        self.pin.setCheckable(True)
        self.pin.toggled.connect(self._on_pinned)
        self.open = IconButton(
            "open", tr("Open in the window (Ctrl+Enter)"), "quick_ask_open", self.window_wanted.emit
        )
        row = QHBoxLayout(self)
        row.setSpacing(theme.px(4))
        row.addWidget(self.keys, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.pin)
        row.addWidget(self.open)
        row.setContentsMargins(0, 0, 0, 0)

    def show_state(self, busy: bool, has_answer: bool, waiting: str) -> None:
        """`waiting` is what an answer waits for, "Loading model 43 %"."""
        keys = [waiting] if waiting else []
        keys.append(tr("Esc stop") if busy else tr("Esc close"))
        keys.append(tr("Ctrl+Enter open in window"))
        if has_answer:
            keys.append(tr("Ctrl+C copy answer"))
        self._keys = " · ".join(keys)
        if not self._said.isActive():
            self.keys.setText(self._keys)

    def say(self, words: str) -> None:
        """A short remark in place of the keys, also for a screen reader."""
        self.keys.setText(words)
        # The keys come back by themselves; nobody should have to click a remark away.
        self._said.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _show_keys(self) -> None:
        self.keys.setText(self._keys)

    def height_for(self, width: int) -> int:
        text = self.keys.heightForWidth(max(1, width - 2 * theme.px(36)))
        return max(theme.px(28), text)

    def _on_pinned(self, pinned: bool) -> None:
        self.pin.set_icon("pin", "accent" if pinned else "secondary")
        self.pinned.emit(pinned)


WIDTH = 680
TALLEST_SHARE = 0.6
TOP_SHARE = 0.2  # of the screen, above the window
BLUR_MS = 120  # a dialog of ours that opens, or a panel that flickers, is not somebody leaving


class QuickAskWindow(FramedWindow):
    """Made once, hidden and shown. Main thread only."""

    send_wanted = Signal()
    escape_pressed = Signal()
    window_wanted = Signal()
    copy_wanted = Signal()
    new_wanted = Signal()
    text_changed = Signal()
    blurred = Signal()

    def __init__(self, composited: bool) -> None:
        super().__init__(composited)
        self._busy = False
        self._talking = False
        self._waiting = ""
        self.problem: ErrorCard | None = None
        self.setObjectName("quick_ask")
        self.setWindowTitle(tr("Quick-ask"))
        self.setAccessibleName(tr("Quick-ask"))
        self.row = QFrame(self)
        self.row.setObjectName("quick_ask_row")
        # As round as the row: the ring goes around it and not around the text.
        self.row.setProperty("ring_radius", 12)
        self.field = QuickField(self.row)
        self.field.setProperty("ring_on_parent", True)
        self.send_button = SendButton(self.row)
        self.suggestions = Suggestions(self)
        self.chips = ChipRow(self)
        self.transcript = Transcript(self)
        self.transcript.hide()
        self.footer = Footer(self)
        self.ring = FocusRing(self)
        self._blur_timer = QTimer(self, singleShot=True, interval=BLUR_MS)
        self._blur_timer.timeout.connect(self._on_blur_time)
        self._connect()
        bind(self, {"shortcuts": self._show_sheet})
        theme.current().changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    # -- what is shown ------------------------------------------------------------------------

    def show_busy(self, busy: bool) -> None:
        """While an answer comes the button stops it; sending then queues."""
        self._busy = busy
        self.transcript.set_held(busy)
        self.show_footer()

    def show_talk(self, talking: bool) -> None:
        """Whether there is a conversation under the field."""
        self._talking = talking
        self.transcript.setVisible(talking)
        self.field.setPlaceholderText(from_its_side(self.field, tr(FOLLOW_UP if talking else ASK)))
        self.show_footer()

    def show_waiting(self, words: str) -> None:
        """What an answer waits for; "" for nothing."""
        self._waiting = words
        self.transcript.set_waiting(words)
        self.show_footer()

    def show_footer(self) -> None:
        has_answer = self._talking and any(message.text for message in self.transcript.messages[1:])
        # Beside the dots of an answer it stands already.
        waiting = "" if self._busy and self._talking else self._waiting
        self.footer.show_state(self._busy, has_answer, waiting)
        self.send_button.show_state(self._busy, bool(self.draft()))
        self.fit()

    def show_problem(self, error: UserFacing | None, actions: tuple[Action, ...] = ()) -> None:
        """An error that belongs to no message; None takes it away."""
        if self.problem is not None:
            let_go(self.problem)
            self.problem = None
        if error is not None:
            closing = (tr("Close"), lambda: self.show_problem(None))
            self.problem = placed_card(error, (*actions, closing), self)
        self.fit()

    def draft(self) -> Draft:
        """What would be sent now."""
        return Draft(self.field.toPlainText().strip(), self.chips.attached)

    def clear(self) -> None:
        """An empty field, and nothing that goes along."""
        self.field.clear()
        self.chips.clear()

    def activate(self) -> None:
        """Ask for the focus, once it is shown."""
        self.activateWindow()
        # Shown again within a moment of being hidden, the platform never lost the focus, so it does not tell
        # the widgets, which have: without this the window has the keyboard and shows no cursor.
        if QGuiApplication.focusWindow() is self.windowHandle() and not self.isActiveWindow():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # Qt has no other call for this
                QApplication.setActiveWindow(self)

    # -- where it is --------------------------------------------------------------------------

    def place(self) -> None:
        """Place it on the screen of the pointer, in its upper part."""
        screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
        area = screen.availableGeometry()
        if self.screen() is not screen:
            self.setScreen(screen)
        self.fit(area)
        left = area.x() + (area.width() - self.width()) // 2
        lowest = area.bottom() + 1 - self.inner.height()
        top = min(area.y() + round(area.height() * TOP_SHARE), max(lowest, area.y()))
        self.move(left, top - self.around)

    def fit(self, area: QRect | None = None) -> None:
        """As high as its content, up to 60 % of the screen; more only for large text on a small one."""
        area = area or self.screen().availableGeometry()
        around = self.around
        width = min(theme.px(WIDTH), area.width() - theme.px(16))
        height = self._arrange(width, round(area.height() * TALLEST_SHARE))
        self.setFixedSize(width + 2 * around, height + 2 * around)
        lowest = area.bottom() + 1 - height - around
        if self.isVisible() and self.y() > max(lowest, area.y() - around):
            self.move(self.x(), max(lowest, area.y() - around))
        self.ring.raise_()

    def _arrange(self, width: int, tallest: int) -> int:
        """Place everything for the inner `width`; the inner height that it takes."""
        px, around = theme.px, self.around
        side = px(8)
        y = around + side
        y += self._arrange_row(around + side, y, width - 2 * side) + px(6)
        if self.suggestions.rows:
            height = self.suggestions.arrange(width - 2 * side)
            self.suggestions.setGeometry(around + side, y, width - 2 * side, height)
            y += height + px(4)
        if height := self.chips.height_for(width - 2 * px(16)):
            self.chips.setGeometry(around + px(16), y + px(2), width - 2 * px(16), height)
            y += height + px(8)
        y = self._arrange_problem(y, width)
        foot = self.footer.height_for(width - px(28))
        below = foot + px(12)
        if self._talking:
            y += px(5)
            y += self._arrange_talk(y, width, tallest + around - y - below)
        self.footer.setGeometry(around + px(18), y + px(4), width - px(28), foot)
        return y + below - around

    def _arrange_row(self, left: int, top: int, width: int) -> int:
        button = self.send_button.width()
        inside = width - theme.px(12) - button - theme.px(16)
        wanted, tallest = self.field.wanted_height(inside), self.field.tallest()
        tall = min(wanted, tallest)
        policy = Qt.ScrollBarPolicy
        self.field.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if wanted > tallest else policy.ScrollBarAlwaysOff
        )
        height = max(tall, button) + theme.px(12)
        self.row.setGeometry(left, top, width, height)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        at = theme.px(8) + button + theme.px(8) if mirrored else theme.px(12)
        self.field.setGeometry(at, (height - tall) // 2, inside, tall)
        x = theme.px(8) if mirrored else width - button - theme.px(8)
        self.send_button.move(x, height - button - theme.px(6))
        return height

    def _arrange_problem(self, y: int, width: int) -> int:
        if self.problem is None:
            return y
        inside = width - 2 * theme.px(16)
        height = self.problem.heightForWidth(inside)
        height = height if height >= 0 else self.problem.sizeHint().height()
        self.problem.setGeometry(self.around + theme.px(16), y, inside, height)
        return y + height + theme.px(8)

    def _arrange_talk(self, y: int, width: int, room: int) -> int:
        least = theme.px(96)
        inside = width - theme.px(4)
        left = self.around + theme.px(2)
        if self.transcript.width() != inside:
            self.transcript.resize(inside, max(self.transcript.height(), least))
        height = max(least, min(self.transcript.content_height, room))
        self.transcript.setGeometry(left, y, inside, height)
        return height

    # -- Qt -----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._talking:  # what scrolls ends at a line
            painter = QPainter(self)
            painter.setPen(QPen(theme.colour("hairline"), 1))
            inner, y = self.inner, self.transcript.y() - 1
            painter.drawLine(inner.left() + 1, y, inner.right() - 1, y)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """For what is not the field: there the same keys do the same."""
        command = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
        elif command and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.window_wanted.emit()
        elif command and event.key() == Qt.Key.Key_N:
            self.new_wanted.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The frame is what the window is moved by."""
        handle = self.windowHandle()
        if event.button() is Qt.MouseButton.LeftButton and handle is not None:
            handle.startSystemMove()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.escape_pressed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isVisible():
            self._blur_timer.stop() if self.isActiveWindow() else self._blur_timer.start()
        elif event.type() == QEvent.Type.LayoutDirectionChange:
            self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.ring.raise_()

    def _on_blur_time(self) -> None:
        """A menu, a dialog or a picker of ours keeps it open."""
        ours = (
            QApplication.activeWindow()
            or QApplication.activeModalWidget()
            or QApplication.activePopupWidget()
        )
        if self.isVisible() and not self.isActiveWindow() and ours is None:
            self.blurred.emit()

    # -- inside -------------------------------------------------------------------------------

    def _connect(self) -> None:
        field = self.field
        field.send_pressed.connect(self.send_wanted)
        field.escape_pressed.connect(self.escape_pressed)
        field.window_pressed.connect(self.window_wanted)
        field.copy_pressed.connect(self.copy_wanted)
        field.new_pressed.connect(self.new_wanted)
        field.moved.connect(self.suggestions.step)
        field.textChanged.connect(self._on_text_changed)
        self.send_button.clicked.connect(self._on_button)
        self.footer.window_wanted.connect(self.window_wanted)
        self.transcript.verticalScrollBar().rangeChanged.connect(self._on_range_changed)

    def _on_button(self) -> None:
        self.escape_pressed.emit() if self._busy else self.send_wanted.emit()

    def _on_text_changed(self) -> None:
        self.text_changed.emit()
        self.show_footer()

    def _on_range_changed(self) -> None:
        """Measured content is higher than what was guessed; not from within the placing of the messages."""
        if self._talking:
            QTimer.singleShot(0, self, self.fit)

    def _show_sheet(self) -> None:
        """A window of this one: this one stays while it is open, and has the keyboard again after it."""
        sheet = show_sheet(self)
        sheet.finished.connect(self._on_sheet_closed, Qt.ConnectionType.UniqueConnection)

    def _on_sheet_closed(self) -> None:
        if self.isVisible():
            self.activate()
            self.field.setFocus()

    def _on_theme_changed(self) -> None:
        self.field.set_font(theme.font(FIELD_PX))
        self.fit()
        self.update()
