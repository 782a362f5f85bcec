"""Small buttons: with an icon and the words that a tooltip needs, or with an icon and words beside it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOptionToolButton, QStylePainter, QToolButton, QWidget

from desktop.ui import theme
from desktop.ui.theme import SMALL_PX


class WordsButton(QToolButton):
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
            option.text = f" {option.text}"
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)

    def _has_icon(self) -> bool:
        beside = self.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        return beside and not self.icon().isNull()


class IconButton(WordsButton):
    """A flat button with an icon and, if `label`, words beside it. Follows the theme.

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
        label: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._size = size
        self._ink = "secondary"
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_words(words)
        self.setText(label)
        beside = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon if icon else Qt.ToolButtonStyle.ToolButtonTextOnly
        )
        self.setToolButtonStyle(beside if label else Qt.ToolButtonStyle.ToolButtonIconOnly)
        if on_click is not None:
            self.clicked.connect(lambda _checked=False: on_click())
        theme.current().changed.connect(self.restyle)
        self.restyle()

    def set_words(self, words: str) -> None:
        """What the button does, for the tooltip and the screen reader."""
        self.setToolTip(words)
        self.setAccessibleName(words)

    def set_icon(self, icon: str, ink: str = "secondary") -> None:
        """Another icon, in the colour called `ink`."""
        self._icon, self._ink = icon, ink
        self.restyle()

    def restyle(self) -> None:
        """Take sizes and colours from the theme again."""
        self.setMinimumSize(0, 0)
        self.setFont(theme.font(SMALL_PX))
        if self._icon:
            self.setIcon(theme.icon(self._icon, self._ink))
            side = theme.px(16 if self._size < 32 else 18)
            self.setIconSize(QSize(side, side))
        if self.text():
            self.setFixedHeight(max(theme.px(self._size), self.sizeHint().height()))
        else:
            self.setFixedSize(theme.px(self._size), theme.px(self._size))
