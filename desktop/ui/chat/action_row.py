"""What can be done with a message: a row of small buttons, there on hover and on keyboard focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from desktop.ui.buttons import IconButton
from desktop.ui.language import later, tr
from desktop.ui.mirroring import mirror
from desktop.ui.theme import CAPTION_PX, Theme

HELD = later("This chat is being answered. Wait for the answer or stop it first.")


class VersionSwitch(QWidget):
    """ "‹ 2/3 ›": which version of a message is shown, and the ways to the others."""

    step_wanted = Signal(int)  # -1: the version before, 1: the one after

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._number = self._count = 1
        self._held = False
        self.setObjectName("versions")
        self.previous = self._button("chevron-left", "version_previous", -1)
        self.next = self._button("chevron", "version_next", 1)
        self.label = QLabel(self)
        self.label.setFont(theme.font(CAPTION_PX))
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        palette = self.label.palette()
        palette.setColor(self.label.foregroundRole(), theme.colour("secondary"))
        self.label.setPalette(palette)
        self.hide()

    def show_version(self, number: int, count: int) -> None:
        """Version `number` of `count`; hidden where there is only one."""
        self._number, self._count = number, count
        self.label.setText(f"{number}/{count}")
        before = tr("Show the version before (this is {number} of {count})", number=number, count=count)
        after = tr("Show the version after (this is {number} of {count})", number=number, count=count)
        self.previous.set_words(before)
        self.next.set_words(after)
        self.hold(self._held)
        self._arrange()
        self.setVisible(count > 1)

    def hold(self, held: bool) -> None:
        """While `held` there is no way to another version, and the buttons say why."""
        self._held = held
        hold(self.previous, held, self._number > 1)
        hold(self.next, held, self._number < self._count)

    def focus_step(self, step: int) -> bool:
        """Give the focus to the button of a step, or to the other one where there is no further version."""
        wanted = (self.previous, self.next) if step < 0 else (self.next, self.previous)
        for button in wanted:
            if self.isVisible() and button.isEnabled():
                button.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return False

    def _button(self, icon: str, name: str, step: int) -> IconButton:
        return IconButton(
            self._theme, icon, "", name, lambda: self.step_wanted.emit(step), size=24, parent=self
        )

    def _arrange(self) -> None:
        side, row = self._theme.px(24), self._theme.px(28)
        above = (row - side) // 2
        words = self.label.sizeHint().width() + self._theme.px(4)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        self.previous.set_icon("chevron" if mirrored else "chevron-left")
        self.next.set_icon("chevron-left" if mirrored else "chevron")
        first, last = (self.next, self.previous) if mirrored else (self.previous, self.next)
        first.setGeometry(0, above, side, side)
        self.label.setGeometry(side, 0, words, row)
        last.setGeometry(side + words, above, side, side)
        self.setFixedSize(2 * side + words, row)


class ActionRow(QWidget):
    """The buttons under one message. Which there are the owner says with `offer`; all but the versions are
    hidden until `reveal`. Their room is always kept, so that nothing moves when they appear."""

    focus_left = Signal()  # one of the buttons has lost the keyboard

    def __init__(self, theme: Theme, parent: QWidget, copy_words: str) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("message_actions")
        make = IconButton
        self.copy_button = make(theme, "copy", copy_words, "copy_message", parent=self)
        self.edit_button = make(theme, "edit", tr("Edit this message"), "edit_message", parent=self)
        self.again_button = make(theme, "again", tr("Answer again"), "regenerate", parent=self)
        self.delete_button = make(
            theme, "trash", tr("Delete this message and what follows"), "delete_message", parent=self
        )
        self.versions = VersionSwitch(theme, self)
        self.caption = QLabel(self)
        self.caption.setFont(theme.font(CAPTION_PX))
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self._offered: tuple[QWidget, ...] = ()
        self._from_right = False
        for widget in self._all:
            widget.hide()
            widget.installEventFilter(self)
        for step in (self.versions.previous, self.versions.next):
            step.installEventFilter(self)

    @property
    def _all(self) -> tuple[QWidget, ...]:
        return (self.copy_button, self.edit_button, self.again_button, self.delete_button, self.caption)

    def offer(self, *widgets: QWidget) -> None:
        """Which of the row's widgets there are for this message."""
        self._offered = tuple(widget for widget in self._all if widget in widgets)
        self.arrange(self.width(), self._from_right)

    def reveal(self, shown: bool) -> None:
        """Show or hide what is only there on hover and focus."""
        for widget in self._all:
            widget.setVisible(shown and widget in self._offered)

    def hold(self, held: bool) -> None:
        """While `held` nothing that was said may change: the buttons for that are grey, and say why."""
        for button in (self.edit_button, self.again_button, self.delete_button):
            hold(button, held)
        self.versions.hold(held)

    def focus_first(self) -> bool:
        """Give the focus to the first action."""
        self.reveal(True)
        for widget in self._offered:
            if widget is not self.caption and widget.isEnabled():
                widget.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return False

    def arrange(self, width: int, from_right: bool = False) -> int:
        """Place everything within `width`; returns the height. The versions, which always show, stand at the
        edge."""
        px = self._theme.px
        self._from_right = from_right
        versions = () if self.versions.isHidden() else (self.versions,)
        shown = (*self._offered, *versions) if from_right else (*versions, *self._offered)
        wide = sum(self._width_of(widget) for widget in shown)
        x = max(width - wide, 0) if from_right else -px(6)
        for widget in shown:
            room = self._width_of(widget)
            gap = px(8) if widget is self.caption else 0
            widget.setGeometry(x + gap, 0, max(min(room, width - x) - gap, 0), px(28))
            x += room
        mirror(self, width, *shown)
        return px(28)

    def _width_of(self, widget: QWidget) -> int:
        if widget is self.caption:
            return widget.sizeHint().width() + self._theme.px(8)
        return widget.width()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Up and Down go from message to message also from here; Qt would go on to the next button."""
        if event.type() == QEvent.Type.FocusOut:
            self.focus_left.emit()
        vertical = (Qt.Key.Key_Up, Qt.Key.Key_Down)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in vertical:
            message = self.parentWidget()
            if message is not None:
                QApplication.sendEvent(message, event)
            return True
        return False


def hold(button: QWidget, held: bool, enabled: bool = True) -> None:
    """Grey while `held`, with the reason as its tooltip and for screen readers."""
    button.setEnabled(enabled and not held)
    button.setToolTip(tr(HELD) if held else button.accessibleName())
    button.setAccessibleDescription(tr(HELD) if held else "")
