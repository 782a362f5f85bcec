"""The answers: Deny on the left with the focus, Allow on the right, further yeses in a menu beside it.

Above them stand the offers that spare questions to come. Project mode and grants for programs cover what
nobody has seen yet. So each says what it covers, with lines that it does and one that it does not, before its
buttons can be pressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSpacerItem, QVBoxLayout, QWidget

from desktop.asking import DENIED, Answer, Choice, Question, Reach, Scope, ScopeOffer
from desktop.ui import theme
from desktop.ui.language import tr, tr_noop, words_of
from desktop.ui.permission.judgement import FixedHeight
from desktop.ui.permission.visible import breakable, plain_tip, visible
from desktop.ui.permission.words import instead_hint, instead_words
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import CheckBox
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import FlowLayout, named, sized
from desktop.ui.widgets.menu import Menu

_UNTIL = {
    (Reach.PROJECT, Scope.TODAY): tr_noop("Today"),
    (Reach.PROJECT, Scope.WEEK): tr_noop("7 days"),
    (Reach.PROJECT, Scope.ALWAYS): tr_noop("Until I revoke it"),
    (Reach.PROGRAM, Scope.SESSION): tr_noop("This session"),
    (Reach.PROGRAM, Scope.WEEK): tr_noop("7 days"),
    (Reach.PROGRAM, Scope.ALWAYS): tr_noop("Always"),
}

IN_THE_PROJECT = tr_noop(
    "In this project, work without asking: commands change only this folder, which can be undone, and caches "
    "of their tools; they reach only this computer and package indexes."
)


def _about(offer: ScopeOffer) -> str:
    return offer.about if isinstance(offer.about, str) else words_of(offer.about)


class LastingOffer(FixedHeight):
    """One sentence, what it covers, and a button for each time. Only reports what was pressed."""

    pressed = Signal(object, object)  # Scope, Reach

    def __init__(self, offers: Sequence[ScopeOffer]) -> None:
        """`offers` have one reach, PROJECT or PROGRAM, and differ in their time."""
        super().__init__()
        first = offers[0]
        name = f"permission_{first.reach.value}"
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = theme.space(QVBoxLayout(self), 4, (12, 10, 12, 10))
        if first.reach is Reach.PROJECT:
            self._say(tr(IN_THE_PROJECT), f"{name}_words")
            self._add_captions((tr("The project is {folder}.", folder=visible(_about(first))),), name)
        else:
            self._say(tr("Do not ask again {words}", words=_about(first)), f"{name}_words")
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

    def _say(self, text: str, name: str) -> None:
        self._column.addWidget(Label(breakable(text), SMALL_PX, name=name))

    def _add_captions(self, texts: Sequence[str], name: str) -> None:
        for text in texts:
            caption = Label(breakable(text), CAPTION_PX, colour="secondary", name=f"{name}_caption")
            self._column.addWidget(caption)

    def _button(self, offer: ScopeOffer) -> QPushButton:
        made = named(
            QPushButton(tr(_UNTIL[offer.reach, offer.scope])),
            f"permission_{offer.reach.value}_{offer.scope.value}",
            visible(words_of(offer.words)),
        )
        # The label names only the time; what it covers stands above, and here once more for one button.
        made.setToolTip(plain_tip(words_of(offer.words)))
        made.setProperty("small", True)
        made.setAutoDefault(False)
        made.clicked.connect(lambda _checked: self.pressed.emit(offer.scope, offer.reach))
        return made


SCOPE_KEY = "Alt+L"


class Footer(QWidget):
    """Only reports what was pressed; who may press when is the arming's affair. Main thread only."""

    answered = Signal(object)  # Answer
    deny_all_requested = Signal()
    grew = Signal()

    def __init__(self, question: Question) -> None:
        super().__init__()
        deny, allow = tr("&Deny"), tr("&Allow once")
        self.deny = _button(deny, "permission_deny", tr("Deny"))
        self.allow = _button(allow, "permission_allow", tr("Allow once"))
        self.allow.setProperty("danger", question.is_dangerous)
        self.scope = _button("", "permission_scope", tr("Allow for longer"))
        self.scope.setIcon(theme.icon("chevron-down", "text"))
        sized(self.scope, icon=16)
        self.scope.setToolTip(tr("Allow for longer ({scope_key})", scope_key=SCOPE_KEY))
        self.lasting = self._make_lasting(question.scopes)
        self.menu = self._make_menu(question.scopes)
        keys = {self.deny: _key_of(deny), self.allow: _key_of(allow), self.scope: SCOPE_KEY}
        for button, key in keys.items():
            button.setShortcut(QKeySequence(key))  # also where the platform has no mnemonics
        words = instead_words(question)
        self.instead = _button(words, "permission_instead", words.replace("&", "").removesuffix("…"))
        self.instead.setProperty("flat", True)
        self.instead.setProperty("in_line", True)
        self.field = InsteadField(instead_hint(question))
        self.snapshot = CheckBox(tr("&Keep a copy of the files first"), "permission_snapshot")
        self.snapshot.setToolTip(tr("Undo can then bring the files back"))
        self.send = _button(tr("Deny and s&end"), "permission_send", tr("Deny and send"))
        self.time = Label("", CAPTION_PX, colour="secondary", name="permission_time")
        # The text changes every second; a screen reader is not to read it out each time.
        self.time.setAccessibleName(tr("Time left to answer"))
        self.deny_all = _button(tr("Deny all"), "permission_deny_all", tr("Deny all"))
        self.deny_all.setProperty("flat", True)
        self._lay_out()
        # Only now: what is shown without a parent is a window of its own, and takes the focus.
        self.scope.setVisible(bool(self.menu.actions()))
        self._show_lasting(next(iter(self.lasting), None))
        self._offer_copy(question)
        theme.current().rescaled.connect(self._hold_places)
        self._hold_places()
        self._connect()
        self.set_armed(False)

    def set_armed(self, armed: bool, waits_for_reading: bool = False) -> None:
        """A yes cannot be pressed before the arming, nor before all has been in sight; not even by a program
        that reads the screen."""
        self.allow.setToolTip(tr("First read to the end of what will be done"))
        if not waits_for_reading:
            self.allow.setToolTip(tr("Allow it this time"))
        armed = armed and not waits_for_reading
        self.allow.setEnabled(armed)
        # The menu holds yeses too.
        self.scope.setEnabled(armed)
        for offer in self.lasting.values():
            offer.set_armed(armed)

    def set_waiting(self, waiting: int, words: str) -> None:
        """With others behind this one all can be denied together."""
        self.deny_all.setText(tr("Deny all ({waiting})", waiting=waiting))
        self.deny_all.setAccessibleName(tr("Deny all {waiting}, {words}", waiting=waiting, words=words))
        self.deny_all.setVisible(waiting > 1)

    def _hold_places(self) -> None:
        # A layout counts the room below a widget also while that is hidden.
        self._after_snapshot.changeSize(0, 0 if self.snapshot.isHidden() else theme.px(4))
        # Two lines always: words that come and go must not move the buttons.
        self.time.setFixedHeight(2 * self.time.fontMetrics().lineSpacing())

    def _offer_copy(self, question: Question) -> None:
        """The tick is set where it can be: who takes it away sees Allow turn red."""
        can_snapshot = question.command is not None and question.command.can_snapshot
        self.snapshot.setVisible(can_snapshot)
        self.snapshot.setChecked(can_snapshot)
        self.snapshot.toggled.connect(lambda kept: self._show_danger(question.is_dangerous_if(kept)))

    def _show_danger(self, is_dangerous: bool) -> None:
        self.allow.setProperty("danger", is_dangerous)
        # Qt looks at a property of the style sheet only when it polishes.
        self.allow.style().unpolish(self.allow)
        self.allow.style().polish(self.allow)

    def reveal_field(self) -> None:
        """Room for a few words to the assistant."""
        self.instead.hide()
        self.field.show()
        self.send.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.grew.emit()

    # -- inside -------------------------------------------------------------------------------

    def _make_lasting(self, scopes: tuple[ScopeOffer, ...]) -> dict[Reach, LastingOffer]:
        """Project mode where it is on offer, and the programs; one of them is in sight."""
        made = {}
        for reach in (Reach.PROJECT, Reach.PROGRAM):
            offers = [offer for offer in scopes if offer.reach is reach]
            if offers:
                made[reach] = LastingOffer(offers)
                made[reach].pressed.connect(self._allow)
        return made

    def _show_lasting(self, reach: Reach | None) -> None:
        for each, offer in self.lasting.items():
            offer.setVisible(each is reach)

    def _turn_to(self, reach: Reach) -> None:
        """Show what that grant would cover; nothing is allowed by it."""
        self._show_lasting(reach)
        self.lasting[reach].buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)
        self.grew.emit()

    def _make_menu(self, scopes: tuple[ScopeOffer, ...]) -> Menu:
        menu = Menu(self, "permission_scopes")
        if len(self.lasting) > 1:
            words = tr("Only certain programs in this project…")
            menu.offer(words, "terminal", lambda: self._turn_to(Reach.PROGRAM), "permission_scope_programs")
        for offer in (each for each in scopes if each.reach is Reach.EXACT):
            words = visible(words_of(offer.words)).replace("&", "&&")
            allow = partial(self._allow, offer.scope)
            menu.offer(words, "shield", allow, f"permission_scope_{offer.scope.value}")
        return menu

    def _lay_out(self) -> None:
        self._column = theme.space(QVBoxLayout(self), 8, (4, 4, 4, 4))
        self._after_snapshot = QSpacerItem(0, 0)
        self._column.addWidget(self.snapshot)
        self._column.addItem(self._after_snapshot)
        for offer in self.lasting.values():
            self._column.addWidget(offer)
        rows = self._main_row, self._instead_row, self._last_row = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        self._instead_row.addWidget(self.instead)
        self._instead_row.addWidget(self.field, 1)
        self._instead_row.addWidget(self.send)
        self._instead_row.addStretch(0)
        self.field.hide()
        self.send.hide()
        self._main_row.addWidget(self.deny)
        self._main_row.addStretch(1)
        self._main_row.addWidget(self.allow)
        self._main_row.addWidget(self.scope)
        # Kept free while hidden: a button that moved as the queue grows could be hit by mistake.
        policy = self.deny_all.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.deny_all.setSizePolicy(policy)
        self.deny_all.hide()
        self._last_row.addWidget(self.time, 1)
        self._last_row.addWidget(self.deny_all)
        for row in rows:
            self._column.addLayout(theme.space(row, 8))
        theme.space(self._main_row, 8, (0, 4, 0, 0))  # the ring of Deny keeps away from a frame above it

    def _connect(self) -> None:
        self.deny.clicked.connect(lambda _checked: self.answered.emit(DENIED))
        self.allow.clicked.connect(lambda _checked: self._allow(Scope.ONCE))
        self.scope.clicked.connect(lambda _checked: self._open_menu())
        self.instead.clicked.connect(lambda _checked: self.reveal_field())
        self.send.clicked.connect(lambda _checked: self._send())
        self.field.returnPressed.connect(self._send)
        self.deny_all.clicked.connect(lambda _checked: self.deny_all_requested.emit())

    def _allow(self, scope: Scope, reach: Reach = Reach.EXACT) -> None:
        keep = self.snapshot.isVisibleTo(self) and self.snapshot.isChecked()
        self.answered.emit(Answer(Choice.ALLOW, scope, reach, snapshot=keep))

    def _open_menu(self) -> None:
        right = self.scope.mapToGlobal(QPoint(self.scope.width(), self.scope.height()))
        # Right edge under right edge: the button stands at that of the dialog, perhaps of the screen.
        self.menu.popup(right - QPoint(self.menu.sizeHint().width(), 0))

    def _send(self) -> None:
        if self.field.composing:
            return  # that Enter was the input method's
        self.answered.emit(Answer(Choice.DENY, instead=self.field.text().strip()))


class InsteadField(QLineEdit):
    """Why not, or what to do instead. Knows while an input method composes."""

    def __init__(self, hint: str) -> None:
        super().__init__()
        self.composing = False
        named(self, "permission_instead_text", hint)
        self.setPlaceholderText(hint)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        # Enter ends the composing of a word, and must not send it.
        self.composing = bool(event.preeditString())
        super().inputMethodEvent(event)


def _button(text: str, name: str, spoken: str) -> QPushButton:
    result = named(QPushButton(text), name, spoken)
    result.setAutoDefault(False)  # no button is pressed by Enter but the one that has the focus
    return result


def _key_of(words: str) -> str:
    """`Alt+D` for `&Deny`: the letter is another one in another language."""
    return f"Alt+{words.partition('&')[2][:1]}"
