"""Buttons with words, an icon or both, and rows of them; a check box, a switch, a choice in our colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, TypeVar

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QKeyEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from desktop.ui import theme
from desktop.ui.permission.visible import plain_tip
from desktop.ui.widgets.layout import ANY_SIZE, FlowLayout, from_its_side, named

W = TypeVar("W", bound=QWidget)


def button(
    text: str,
    name: str,
    act: Callable[[], object] | None = None,
    *,
    primary: bool = False,
    described: str = "",
) -> QPushButton:
    """A push button with its test hook; `described` is spoken where the label alone says too little."""
    result = named(QPushButton(text), name, described or text.rstrip("…"))
    result.setProperty("primary", primary)
    result.setAutoDefault(True)  # Enter presses the button that has the focus, in a dialog too
    result.setDefault(primary)
    if act is not None:
        # Qt hands on whether a button is checked, which nobody here wants to know.
        result.clicked.connect(lambda _checked: act())
    return result


def action(
    text: str, name: str, act: Callable[[], object] | None = None, *, described: str = ""
) -> QPushButton:
    """The button of a page, a card or a row: small, and never what Enter presses from elsewhere."""
    return small(button(text, name, act, described=described))


def small(widget: W) -> W:
    """Give it the small size of letters; the style sheet knows how large that is. Returns it."""
    widget.setProperty("small", True)
    return widget


def relabel(made: QPushButton, text: str, described: str = "") -> None:
    """Another label for a button of `button`, seen and spoken."""
    made.setText(text)
    made.setAccessibleName(described or text.rstrip("…"))


class ActionRow(FlowLayout):
    """Buttons beside each other, below each other where letters are large or the window is narrow."""

    def __init__(self, *buttons: QWidget) -> None:
        super().__init__()
        for each in buttons:
            self.addWidget(each)


class EnterButton(QToolButton):
    """Pressed by Enter as by the space bar, on every system: Qt leaves that to the desktop. Where only the
    space bar pressed, Enter went on to the list or the message around the button.
    """

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        # With another key it means something else: Ctrl+Enter sends, or opens the chat window.
        if is_enter and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            if not event.isAutoRepeat():
                self.click()
        else:
            super().keyPressEvent(event)


class WordsButton(EnterButton):
    """An icon and words, as wide as both: Qt sets them close together and leaves two spaces at the end."""

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        if self.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly or not self.text():
            return hint
        spare = 1 if self._has_icon() else 2
        return QSize(hint.width() - spare * self.fontMetrics().horizontalAdvance(" "), hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        self.paint_in(QStylePainter(self), option)

    def paint_in(self, painter: QStylePainter, option: QStyleOptionToolButton) -> None:
        """Draw the button as `option` says, with its words a space away from the icon."""
        if self._has_icon():
            option.text = f" {from_its_side(self, option.text)}"
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)

    def _has_icon(self) -> bool:
        beside = self.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        return beside and not self.icon().isNull()


class IconButton(WordsButton):
    """A flat button with an icon and, once it is `labelled`, words beside it. Follows the theme.

    Reached by Tab but not focused by a click, so that clicking it leaves the text cursor where it was.
    """

    def __init__(
        self,
        icon: str,
        words: str,
        name: str,
        on_click: Callable[[], object] | None = None,
        *,
        size: int = 28,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._size = size
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_words(words)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        if on_click is not None:
            self.clicked.connect(lambda _checked=False: on_click())
        self.set_icon(icon)

    def set_words(self, words: str) -> None:
        """What the button does, for the tooltip and the screen reader."""
        self.setToolTip(plain_tip(words))
        self.setAccessibleName(words)

    def labelled(self, label: str) -> Self:
        """Show words beside the icon, or alone where there is none; returns the button."""
        self.setText(label)
        style = Qt.ToolButtonStyle
        has_icon = not self.icon().isNull()
        self.setToolButtonStyle(style.ToolButtonTextBesideIcon if has_icon else style.ToolButtonTextOnly)
        self.fit()
        return self

    def drop_down(self, menu: QMenu) -> None:
        """A press opens `menu`."""
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        # Once the menu is gone, and with it whatever a choice has opened.
        menu.aboutToHide.connect(lambda: QTimer.singleShot(0, self, self._end_hover))

    def _end_hover(self) -> None:
        """Qt does not tell a button that the pointer left it for the menu: it would stay grey."""
        pointer = self.mapFromGlobal(QCursor.pos())
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, self.rect().contains(pointer))
        self.update()

    def set_icon(self, icon: str, ink: str = "secondary") -> None:
        """Another icon, in the colour called `ink`."""
        if icon:
            self.setIcon(theme.icon(icon, ink))
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.fit()

    def fit(self) -> None:
        """Take the size that icon and words need now; what changes the words of a button calls it."""
        self.ensurePolished()  # the letters are those of the style sheet
        # As wide as it is without words it would stay, had it none when it was made.
        self.setMinimumSize(0, 0)
        self.setMaximumWidth(ANY_SIZE)
        side = theme.px(16 if self._size < 32 else 18)
        self.setIconSize(QSize(side, side))
        if self.text():
            self.setFixedHeight(max(theme.px(self._size), self.sizeHint().height()))
        else:
            self.setFixedSize(theme.px(self._size), theme.px(self._size))


BOX_PX, GAP_PX = 18, 10


class CheckBox(QCheckBox):
    """Something to choose before a button is pressed. What is so at once has a `Switch`. Main thread only."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_checked(self, on: bool) -> None:
        """Show what is so. It is nobody's wish: `toggled`, by which a wish is told, does not come."""
        self.blockSignals(True)
        self.setChecked(on)
        self.blockSignals(False)

    def sizeHint(self) -> QSize:
        self.ensurePolished()  # the letters are those of the style sheet
        px, metrics = theme.px, self.fontMetrics()
        width = px(BOX_PX) + px(GAP_PX) + metrics.horizontalAdvance(self.text()) + px(4)
        return QSize(width, max(px(BOX_PX) + 2, metrics.height()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = theme.px(BOX_PX)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        box = QRectF(self.width() - side if mirrored else 0, (self.height() - side) / 2, side, side)
        self._paint_box(painter, box)
        painter.setPen(theme.colour("text"))
        words = self.rect().adjusted(
            0 if mirrored else side + theme.px(GAP_PX), 0, -(side + theme.px(GAP_PX)) if mirrored else 0, 0
        )
        # Absolute: Qt would swap the sides once more where the whole program is mirrored.
        align = (
            Qt.AlignmentFlag.AlignVCenter
            | Qt.AlignmentFlag.AlignAbsolute
            | (Qt.AlignmentFlag.AlignRight if mirrored else Qt.AlignmentFlag.AlignLeft)
        )
        # A number at the beginning would go to the other end of the line.
        text = from_its_side(self, self.text())
        painter.drawText(words, align | Qt.TextFlag.TextShowMnemonic, text)
        painter.end()

    def _paint_box(self, painter: QPainter, box: QRectF) -> None:
        """Filled with a tick, or an empty frame: told by shape, not by colour alone."""
        on = self.isChecked()
        inner = box.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.colour("accent" if on else "control_border"), 1))
        painter.setBrush(theme.colour("accent") if on else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(inner, theme.px(4), theme.px(4))
        if on:
            margin = theme.px(2)
            area = box.toRect().adjusted(margin, margin, -margin, -margin)
            theme.icon("check", "on_accent").paint(painter, area)


SWITCH_PX = (36, 20)  # width and height of its track


class Switch(CheckBox):
    """On or off at once, at the end of a row, whose words stand at its beginning. Main thread only."""

    def __init__(self, name: str) -> None:
        super().__init__("", name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", SWITCH_PX[1] / 2)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(SWITCH_PX[0]), theme.px(SWITCH_PX[1]))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Told by where the knob stands and by whether the track is filled, not by colour alone."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on, usable = self.isChecked(), self.isEnabled()
        track = self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
        filled = theme.colour("accent" if usable else "control_border")
        painter.setPen(QPen(filled if on else theme.colour("control_border"), 1))
        painter.setBrush(filled if on else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(track, track.height() / 2, track.height() / 2)
        side = track.height() - 2 * theme.px(4)
        at_end = on != (self.layoutDirection() == Qt.LayoutDirection.RightToLeft)
        x = track.right() - theme.px(4) - side if at_end else track.left() + theme.px(4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("on_accent" if on else "secondary" if usable else "control_border"))
        painter.drawEllipse(QRectF(x, track.top() + theme.px(4), side, side))
        painter.end()


class AskingSwitch(Switch):
    """Shows what its owner says is so. A click or a key only asks, by `asked`: what the disk refuses is never
    shown as done. Main thread only.
    """

    asked = Signal(bool)

    def nextCheckState(self) -> None:
        self.asked.emit(not self.isChecked())


ARROW_PX = 14
COMBO_LEAST_PX = 140


class ComboBox(QComboBox):
    """With the arrow of our own icons: a style sheet takes the system's away. Main thread only."""

    def __init__(self, name: str, words: str) -> None:
        super().__init__()
        named(self, name, words)
        self.setToolTip(plain_tip(words))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # not by the wheel
        # On Linux Qt tells a screen reader the entry in place of the name, and leaves the name to a label.
        self._spoken = QLabel(words)
        self._spoken.setBuddy(self)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ParentChange:
            self._spoken.setParent(self.parentWidget())  # Qt looks for it beside the box, seen or not
            self._spoken.hide()
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the page; it chooses nothing on the way."""
        event.ignore()

    def minimumSizeHint(self) -> QSize:
        """A model may have a name that is longer than a page is wide."""
        wanted = super().minimumSizeHint()
        return QSize(min(wanted.width(), theme.px(COMBO_LEAST_PX)), wanted.height())

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """What does not fit ends with dots; the list shows it whole, and a screen reader says it."""
        super().initStyleOption(option)
        box, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(box, option, part, self).width()
        words = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
        option.currentText = words

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        side = theme.px(ARROW_PX)
        margin = theme.px(8)
        # In a script from the right the arrow stands at the left.
        left = margin if self.layoutDirection() == Qt.LayoutDirection.RightToLeft else None
        x = self.width() - side - margin if left is None else left
        painter = QPainter(self)
        theme.icon("chevron-down").paint(painter, QRect(x, (self.height() - side) // 2, side, side))
        painter.end()
