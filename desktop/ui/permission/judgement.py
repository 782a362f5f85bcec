"""What stays in sight of a permission question: who asks for what, and what is to be thought of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.asking import CommandView, Question
from desktop.ui import theme
from desktop.ui.language import tr, words_of
from desktop.ui.permission.shown_text import ShownText
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.permission.words import (
    deciding_words,
    marks,
    opinion_words,
    origin_words,
    plain_words,
    reason_words,
    risk_icon,
    risk_words,
    tool_icon,
    why_words,
)
from desktop.ui.theme import BODY_PX, SMALL_PX
from desktop.ui.widgets.labels import Badge, Label, Sign
from desktop.ui.widgets.layout import FlowLayout

TITLE_PX = 17.0


class FixedHeight(QWidget):
    """A part that keeps the height which its words need."""

    def hold(self, width: int) -> None:
        """Take the height for `width`."""
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        self.setFixedHeight(layout.totalHeightForWidth(width))


class Header(FixedHeight):
    """The icon of the tool, the title, for an agent who asks, and what the user should be warned of."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._sign = Sign(tool_icon(question), "secondary", TITLE_PX)
        self.title = Label(
            breakable(words_of(question.title)), TITLE_PX, bold=True, name="permission_title", parent=self
        )
        self.origin = Label("", SMALL_PX, colour="secondary", name="permission_origin", parent=self)
        self.origin.show_text(breakable(origin_words(question)))
        column = theme.space(QVBoxLayout(), 4)
        column.addWidget(self.title)
        column.addWidget(self.origin)
        row = theme.space(QHBoxLayout(), 12)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        around = theme.space(QVBoxLayout(self), 12, (4, 0, 4, 0))
        around.addLayout(row)
        warning = SignedLine(
            "warning", "warning", words_of(question.warning) if question.warning else "", "permission_warning"
        )
        around.addWidget(warning)
        warning.setVisible(bool(question.warning))  # without a parent it would be a window


class Judgement(FixedHeight):
    """What it does, in a word and one plain line written by rule; then why, in the model's words."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        colour = "danger" if question.is_dangerous else "text"
        self.why: ShownText | None = None
        self._column = theme.space(QVBoxLayout(self), 8, (4, 0, 4, 0))
        if question.command is None:
            words = risk_words(question)
            self._column.addWidget(SignedLine(risk_icon(question), colour, words, "permission_risk"))
        else:
            self._judge_command(question, question.command)
        if words := why_words(question):
            self.why = ShownText("permission_why", tr("Why"), quiet=True)
            self.why.show_text(words)
            self._column.addWidget(self.why)

    @property
    def stops(self) -> list[QWidget]:
        """What Tab reaches."""
        return [self.why] if self.why is not None else []

    def _judge_command(self, question: Question, command: CommandView) -> None:
        """Chips, the reason with the part that decided, the plain line, and what the model thinks."""
        self._column.addWidget(Chips(command))
        self._column.addWidget(WhyAsked(question))
        is_final = question.reversible is False and not question.to_trash
        lasting = is_final or command.can_snapshot
        icon = "warning" if lasting else "again"
        self._column.addWidget(
            SignedLine(icon, "secondary", visible(plain_words(question)), "permission_risk")
        )
        if words := opinion_words(question):
            self._column.addWidget(SignedLine("model", "secondary", words, "permission_opinion"))

    def hold(self, width: int) -> None:
        if self.why is not None:
            self.why.fit(width - 2 * theme.px(4))
        super().hold(width)


class Chips(QWidget):
    """The class of a command line and what it touches, each with icon and word."""

    def __init__(self, command: CommandView) -> None:
        super().__init__()
        self.setObjectName("permission_chips")
        flow = FlowLayout(self)
        for mark in marks(command.classed, command.flags):
            name = f"permission_chip_{mark.word.lower().replace(' ', '_')}"
            flow.addWidget(Badge(mark.icon, tr(mark.word), tr(mark.sentence), mark.colour, name))


class WhyAsked(QWidget):
    """Why the gate asks, and below it the part of the line that decided."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        column = theme.space(QVBoxLayout(self), 2)
        reason = Label("", BODY_PX, name="permission_reason", parent=self)
        reason.show_text(breakable(reason_words(question)))
        decided = Label("", SMALL_PX, colour="secondary", name="permission_decided", parent=self)
        decided.show_text(breakable(deciding_words(question)))
        for label in (reason, decided):
            column.addWidget(label)
        if not (reason_words(question) or deciding_words(question)):
            self.hide()  # and never shown from here: without a parent it would be a window


class SignedLine(QWidget):
    """An icon in a colour beside words in that of the text."""

    def __init__(self, icon: str, colour: str, words: str, name: str) -> None:
        super().__init__()
        row = theme.space(QHBoxLayout(self), 8)
        row.addWidget(Sign(icon, colour, BODY_PX), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(Label(breakable(words), BODY_PX, name=name, parent=self), 1)
