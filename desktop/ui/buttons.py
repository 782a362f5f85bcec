"""Small buttons with an icon, with the words that a screen reader and a tooltip need."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.ui.theme import SMALL_PX, Theme


class IconButton(QToolButton):
    """A flat button with an icon and, if `label`, words beside it. Follows the theme.

    Reached by Tab but not focused by a click, so that clicking it leaves the text cursor where it was.
    """

    def __init__(
        self,
        theme: Theme,
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
        self._theme = theme
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
        theme.changed.connect(self.restyle)
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
        self.setFont(self._theme.font(SMALL_PX))
        if self._icon:
            self.setIcon(self._theme.icon(self._icon, self._ink))
            side = self._theme.px(16 if self._size < 32 else 18)
            self.setIconSize(QSize(side, side))
        if self.text():
            self.setFixedHeight(max(self._theme.px(self._size), self.sizeHint().height()))
        else:
            self.setFixedSize(self._theme.px(self._size), self._theme.px(self._size))
