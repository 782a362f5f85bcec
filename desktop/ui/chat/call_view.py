"""A tool card: one line that says what was called and what came of it, opens to all of it, and undoes it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop.chat.store import Message
from desktop.gate.undo_call import Standing
from desktop.ui.buttons import IconButton
from desktop.ui.chat.call_words import details_of, line_of, reason_of, state_of
from desktop.ui.chat.fix_button import FixButton
from desktop.ui.chat.fixes import FixOffers
from desktop.ui.chat.folding import Folding
from desktop.ui.chat.message import MessageView
from desktop.ui.error_card import ErrorCard
from desktop.ui.labels import Label
from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX, Theme
from desktop.ui.undoing import Undoing, UndoState, problem_card

TALLEST = 240


class CallView(MessageView):
    """Closed at first. The result is plain text, whatever it says."""

    group_toggled = Signal()  # the line above several cards was pressed

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, parent)
        self._undoing: Undoing | None = None
        self._undo_state = UndoState()
        self.problem: ErrorCard | None = None
        self._folded_away = False  # with the others of its group, behind the group's line
        self.folding = Folding(
            theme,
            "tool_card",
            tr("Show or hide what was called and what came back"),
            tr("Arguments and result"),
            TALLEST,
            self,
        )
        self.button = self.folding.button
        self.folding.toggled.connect(self.resized)
        self.group = Folding(theme, "tool_group", tr("Show or hide what was done"), "", 0, self)
        self.group.button.setCheckable(False)
        self.group.button.clicked.connect(lambda _checked: self.group_toggled.emit())
        self.group.hide()
        self.reason = Label(theme, "", SMALL_PX, colour="secondary", name="tool_reason", parent=self)
        self._fixes: FixOffers | None = None
        self.fix_button = FixButton(theme, self)
        self.fix_button.clicked.connect(lambda _checked: self._try_fix())
        self.undo_button = IconButton(
            theme, "undo", tr("Undo this change"), "tool_undo", self._undo, label=tr("Undo"), parent=self
        )
        self.undone = IconButton(
            theme, "check", tr("This change was undone"), "tool_undone", label=tr("Undone"), parent=self
        )
        self.undone.setEnabled(False)
        self.undone.hide()
        self.undo_button.hide()
        self._show()

    def show_message(self, message: Message) -> None:
        super().show_message(message)
        self._show()
        self._show_undo()
        self._show_fix()

    def use(self, undoing: Undoing) -> None:
        """Offer to undo what the call changed."""
        self._undoing = undoing
        undoing.changed.connect(self._on_undo_changed)
        self._show_undo()

    def use_fixes(self, fixes: FixOffers) -> None:
        """Offer what worked when such a call failed before."""
        self._fixes = fixes
        fixes.changed.connect(self._on_fix_changed)
        self._show_fix()

    def show_group(self, words: str, is_open: bool) -> None:
        """This card stands first of several: show their line above it; no words, no line."""
        self._folded_away = bool(words) and not is_open
        self.group.setVisible(bool(words))
        self.group.show_line(words, "check", "success")
        self.group.show_open(is_open)
        self.folding.setVisible(not self._folded_away)

    def arrange(self, width: int) -> int:
        px = self.theme.px
        height = self.group.arrange(width) if not self.group.isHidden() else 0
        if self._folded_away:
            self.resize(width, height)
            return height
        height += self._arrange_line(width, height)
        for extra in (self.reason, self.problem):
            if extra is not None and not extra.isHidden():
                inner = width - px(24)
                tall = extra.heightForWidth(inner)
                tall = tall if tall >= 0 else extra.sizeHint().height()
                indent = px(4) if self._is_mirrored else px(20)
                extra.setGeometry(indent, height + px(2), inner, tall)
                height += tall + px(4)
        if not self.fix_button.isHidden():
            size = self.fix_button.fit(width - px(24))
            left = width - px(20) - size.width() if self._is_mirrored else px(20)
            self.fix_button.setGeometry(left, height + px(4), size.width(), size.height())
            height += size.height() + px(8)
        self.resize(QSize(width, height))
        return height

    def has_selection(self) -> bool:
        return self.folding.has_selection()

    # -- inside -----------------------------------------------------------------------------------

    def _arrange_line(self, width: int, top: int) -> int:
        """The line, and what can be done about it beside it."""
        px = self.theme.px
        beside = next((w for w in (self.undo_button, self.undone) if not w.isHidden()), None)
        room = beside.sizeHint().width() + px(8) if beside is not None else 0
        self.folding.move(0, top)
        line = self.button.sizeHint().height()
        # Open, the text below has the whole width; the line itself leaves room for what stands beside it.
        height = self.folding.arrange(width, room)
        if beside is not None:
            size = beside.sizeHint()
            left = min(self.button.geometry().right() + px(8), width - size.width())
            if self._is_mirrored:
                left = max(self.button.x() - px(8) - size.width(), 0)
            beside.setGeometry(left, top + (line - size.height()) // 2, size.width(), size.height())
            beside.raise_()
        return height

    @property
    def _is_mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _show(self) -> None:
        state = state_of(self.message)
        self.folding.show_line(line_of(self.message), state.icon, state.ink)
        self.folding.show_text(details_of(self.message))
        self.reason.show_text(reason_of(self.message))

    def _show_fix(self) -> bool:
        """True when it looks another way than before."""
        return self.fix_button.show_fix(self._fixes.offer(self.message) if self._fixes is not None else None)

    def _on_fix_changed(self, call_id: str) -> None:
        if self.message.tool is not None and self.message.tool.call_id == call_id and self._show_fix():
            self.resized.emit()

    def _try_fix(self) -> None:
        if self._fixes is not None:
            self._fixes.try_it(self.message)

    @property
    def _changes(self) -> tuple[int, ...]:
        return self.message.tool.changes if self.message.tool is not None else ()

    def _undo(self) -> None:
        if self._undoing is not None:
            self._undoing.undo(self._changes)

    def _on_undo_changed(self) -> None:
        if self._changes and self._show_undo():
            self.resized.emit()

    def _show_undo(self) -> bool:
        """True when it looks another way than before."""
        state = self._undoing.state(self._changes) if self._undoing is not None else UndoState()
        if state == self._undo_state:
            return False
        self._undo_state = state
        self.undo_button.setVisible(state.is_offered)
        self.undo_button.set_words(tr("Undo: {line}", line=line_of(self.message)))
        self.undone.setVisible(state.standing is Standing.UNDONE)
        self._show_problem(state)
        return True

    def _show_problem(self, state: UndoState) -> None:
        if self.problem is not None:
            self.problem.hide()
            self.problem.deleteLater()
            self.problem = None
        if state.problem is not None and self._undoing is not None:
            self.problem = problem_card(self._undoing, self._changes, state.problem)
            self.problem.setParent(self)
            self.problem.show()
