"""One line that opens to a text: what a model thought, what a tool was told and said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from desktop.ui import theme
from desktop.ui.chat.rich_text import ProseView
from desktop.ui.language import tr
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import WordsButton
from desktop.ui.widgets.layout import named

OPEN, CLOSED = "⌄", "›"


class Content(Protocol):
    """What is shown in place of a text: a widget that knows its height."""

    def fitted(self, width: int) -> int: ...

    def setGeometry(self, x: int, y: int, width: int, height: int, /) -> None: ...

    def setVisible(self, visible: bool, /) -> None: ...


class Disclosure(QWidget):
    """Closed at first. The text is plain, drawn only while it is open, and scrolls beyond `tallest` px.

    Arranged by hand like the message that holds it. Main thread only.
    """

    toggled = Signal()

    def __init__(self, name: str, tip: str, area: str, tallest: int, parent: QWidget | None = None) -> None:
        """`name` is that of the button; `area` says what the open part holds."""
        super().__init__(parent)
        self._tallest = tallest
        self._tip = tip
        self.words = ""  # the whole line, also where the button has no room for it
        self.text = ""  # what is there when it is open
        self._beside = 0
        self._shows_open = False
        self._make_content: Callable[[], Content] | None = None
        self._content: Content | None = None
        self.button = WordsButton(self)
        self.button.setObjectName(name)
        self.button.setProperty("folding", True)
        self.button.setCheckable(True)
        self.button.setFont(theme.font(SMALL_PX))
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setToolTip(plain_tip(tip))
        self.button.toggled.connect(self._on_toggled)
        self.area = named(QScrollArea(self), f"{name}_area", area)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._text = ProseView(size=SMALL_PX, ink="secondary")
        self.area.setWidget(self._text)
        self.area.hide()

    @property
    def is_open(self) -> bool:
        return self.button.isChecked()

    def show_line(self, words: str, icon: str = "", ink: str = "secondary") -> None:
        """What the line says, with an icon of that name before it."""
        self.words = words
        if icon:
            side = theme.px(16)
            self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            self.button.setIconSize(QSize(side, side))
            self.button.setIcon(theme.icon(icon, ink))
        self._show_words(None)

    def show_text(self, text: str) -> None:
        """What is there when it is open."""
        # Thinking grows with every token; closed, it costs no layout at all.
        if text != self.text:
            self.text = text
            if self.is_open:
                self._text.set_plain(text)

    def use_content(self, make: Callable[[], Content]) -> None:
        """Open, it shows what `make` gives, once, in place of a text."""
        self._make_content = make

    def show_open(self, is_open: bool) -> None:
        """Only the sign at the end of the line, where what it opens stands elsewhere."""
        self._shows_open = is_open
        self._show_words(None)

    def arrange(self, width: int, beside: int = 0) -> int:
        """Place everything for `width`, return the height; the line leaves `beside` free at its end."""
        self._beside = beside
        self._show_words(width - beside)
        hint = self.button.sizeHint()
        room = min(hint.width(), width - beside + theme.px(6))
        # The button has six pixels of padding; its words stand in line with those of the message.
        left = width + theme.px(6) - room if self._is_mirrored else -theme.px(6)
        self.button.setGeometry(left, 0, room, hint.height())
        height = hint.height()
        if self.is_open and self._content is not None:
            tall = self._content.fitted(width)
            self._content.setGeometry(0, height, width, tall)
            height += tall
        elif self.is_open:
            text = self._text.arrange(width - theme.px(32))
            shown = min(theme.px(self._tallest), text)
            indent = 0 if self._is_mirrored else theme.px(12)
            self.area.setGeometry(indent, height + theme.px(4), width - theme.px(12), shown)
            height += shown + theme.px(4)
        self.resize(QSize(width, height))
        return height

    def has_selection(self) -> bool:
        return self._text.has_selection()

    @property
    def _is_mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    # -- inside -----------------------------------------------------------------------------------

    def _show_words(self, width: int | None) -> None:
        """As much of the line as `width` has room for; all of it without one."""
        sign = OPEN if self.is_open or self._shows_open else CLOSED
        shown = self.words if width is None else self._elided(width)
        # A single ampersand would become the underlined letter of a shortcut.
        self.button.setText(f"{shown} {sign}".replace("&", "&&"))
        tip = self._tip if shown == self.words else f"{self.words}\n{self._tip}"
        self.button.setToolTip(plain_tip(tip))
        state = tr("open") if sign == OPEN else tr("closed")
        # The sign at the end is read as a name of a character, so the state is said in words.
        self.button.setAccessibleName(f"{self.words.rstrip('…')}, {state}")

    def _elided(self, width: int) -> str:
        icon = 0 if self.button.icon().isNull() else theme.px(24)
        room = width - icon - theme.px(28)
        return self.button.fontMetrics().elidedText(self.words, Qt.TextElideMode.ElideRight, room)

    def _on_toggled(self, is_open: bool) -> None:
        if is_open and self._make_content is not None and self._content is None:
            self._content = self._make_content()
        if self._content is not None:
            self._content.setVisible(is_open)
        else:
            if is_open:
                self._text.set_plain(self.text)
            self.area.setVisible(is_open)
        self._show_words(self.width() - self._beside)
        self.toggled.emit()
