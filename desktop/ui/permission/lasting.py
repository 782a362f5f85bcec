"""The offers that spare questions to come, in the dialog: what will not be asked again, and for how long.

Project mode and grants for programs cover what nobody has seen yet. So each says what it covers, with lines
that it does and one that it does not, before its buttons can be pressed.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout

from desktop.asking import Reach, Scope, ScopeOffer
from desktop.ui import theme
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label
from desktop.ui.language import later, told, tr
from desktop.ui.permission.judgement import Held
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.theme import CAPTION_PX, SMALL_PX

_UNTIL = {
    (Reach.PROJECT, Scope.TODAY): later("Today"),
    (Reach.PROJECT, Scope.WEEK): later("7 days"),
    (Reach.PROJECT, Scope.ALWAYS): later("Until I revoke it"),
    (Reach.PROGRAM, Scope.SESSION): later("This session"),
    (Reach.PROGRAM, Scope.WEEK): later("7 days"),
    (Reach.PROGRAM, Scope.ALWAYS): later("Always"),
}
IN_THE_PROJECT = later(
    "In this project, work without asking: everything stays inside the folder, can be undone, and has no "
    "network but package indexes."
)


class LastingOffer(Held):
    """One sentence, what it covers, and a button for each time. Only reports what was pressed."""

    pressed = Signal(object, object)  # Scope, Reach

    def __init__(self, offers: Sequence[ScopeOffer]) -> None:
        """`offers` have one reach, PROJECT or PROGRAM, and differ in their time."""
        super().__init__()
        first = offers[0]
        name = f"permission_{first.reach.value}"
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = QVBoxLayout(self)
        if first.reach is Reach.PROJECT:
            self._say(tr(IN_THE_PROJECT), f"{name}_words")
            self._add_captions((tr("The project is {folder}.", folder=visible(first.about)),), name)
        else:
            self._say(tr("Do not ask again {words}", words=told(first.about)), f"{name}_words")
            covered = " · ".join(map(visible, first.covered))
            captions = [tr("Not asked again: {lines}", lines=covered)] if covered else []
            if first.not_covered:
                captions.append(tr("Still asked: {line}", line=visible(first.not_covered)))
            self._add_captions(captions, name)
        self.buttons = [self._button(offer) for offer in offers]
        self._row = FlowLayout()
        for each in self.buttons:
            self._row.addWidget(each)
        self._column.addSpacing(theme.px(4))
        self._column.addLayout(self._row)

    def set_armed(self, armed: bool) -> None:
        """A yes cannot be pressed before the arming."""
        for each in self.buttons:
            each.setEnabled(armed)

    def restyle(self) -> None:
        """Take sizes from the theme again."""
        self._column.setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(10))
        self._column.setSpacing(theme.px(4))

    def _say(self, text: str, name: str) -> None:
        self._column.addWidget(Label(breakable(text), SMALL_PX, name=name))

    def _add_captions(self, texts: Sequence[str], name: str) -> None:
        for text in texts:
            caption = Label(breakable(text), CAPTION_PX, colour="secondary", name=f"{name}_caption")
            self._column.addWidget(caption)

    def _button(self, offer: ScopeOffer) -> QPushButton:
        made = QPushButton(tr(_UNTIL[offer.reach, offer.scope]))
        made.setObjectName(f"permission_{offer.reach.value}_{offer.scope.value}")
        made.setAccessibleName(visible(told(offer.words)))
        made.setToolTip(visible(told(offer.words)))
        made.setProperty("small", True)
        made.setAutoDefault(False)
        made.clicked.connect(lambda _checked: self.pressed.emit(offer.scope, offer.reach))
        return made
