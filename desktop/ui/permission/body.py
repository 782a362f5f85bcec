"""What a permission question says, from the title to the model's reason.

Title and judgement stay in sight, and between them what must be read exactly scrolls where it is long. Only
where a screen is too small for that do they scroll along.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.asking import CommandView, Question
from desktop.ui.badge import Badge
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label, Sign
from desktop.ui.permission.shown_text import ShownText
from desktop.ui.permission.verdict_words import marks
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.permission.words import (
    arguments_words,
    deciding_words,
    files_words,
    opinion_words,
    origin_words,
    plain_words,
    reason_words,
    risk_icon,
    risk_words,
    tool_icon,
    why_words,
)
from desktop.ui.theme import BODY_PX, SMALL_PX, Theme

TITLE_PX = 17.0
LEAST_OF_A_BOX = 120


class Held(QWidget):
    """A part that keeps the height which its words need."""

    def hold(self, width: int) -> None:
        """Take the height for `width`."""
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        self.setFixedHeight(layout.totalHeightForWidth(width))


class Header(Held):
    """The icon of the tool, the title, for an agent who asks, and what the user should be warned of."""

    def __init__(self, theme: Theme, question: Question) -> None:
        super().__init__()
        self._theme = theme
        self._sign = Sign(theme, tool_icon(question), "secondary", TITLE_PX)
        self.title = Label(
            theme, breakable(question.title), TITLE_PX, bold=True, name="permission_title", parent=self
        )
        self.origin = Label(theme, "", SMALL_PX, colour="secondary", name="permission_origin", parent=self)
        self.origin.show_text(breakable(origin_words(question)))
        self._column = QVBoxLayout()
        self._column.addWidget(self.title)
        self._column.addWidget(self.origin)
        self._row = QHBoxLayout()
        self._row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(self._column, 1)
        self._all = QVBoxLayout(self)
        self._all.addLayout(self._row)
        self._warning = SignedLine(theme, "warning", "warning", question.warning, "permission_warning")
        self._warning.setVisible(bool(question.warning))
        self._all.addWidget(self._warning)

    def restyle(self) -> None:
        """Take sizes from the theme again."""
        px = self._theme.px
        self._all.setContentsMargins(px(4), 0, px(4), 0)
        self._all.setSpacing(px(12))
        self._row.setSpacing(px(12))
        self._column.setSpacing(px(4))
        self._warning.restyle()


class Judgement(Held):
    """What it does, in a word and one plain line written by rule; then why, in the model's words."""

    def __init__(self, theme: Theme, question: Question) -> None:
        super().__init__()
        self._theme = theme
        colour = "danger" if question.is_dangerous else "text"
        self._lines: list[SignedLine | Chips | Reason] = []
        self.why: ShownText | None = None
        self._column = QVBoxLayout(self)
        if question.command is None:
            words = risk_words(question)
            self._add(SignedLine(theme, risk_icon(question), colour, words, "permission_risk"))
        else:
            self._judge_command(question, question.command)
        if words := why_words(question):
            self.why = ShownText(theme, "permission_why", "Why", quiet=True)
            self.why.show_text(words)
            self._column.addWidget(self.why)

    @property
    def stops(self) -> list[QWidget]:
        """What Tab reaches."""
        return [self.why] if self.why is not None else []

    def restyle(self) -> None:
        """Take sizes and colours from the theme again."""
        px = self._theme.px
        self._column.setContentsMargins(px(4), 0, px(4), 0)
        self._column.setSpacing(px(8))
        for line in self._lines:
            line.restyle()
        if self.why is not None:
            self.why.restyle()

    def _judge_command(self, question: Question, command: CommandView) -> None:
        """Chips, the reason with the part that decided, the plain line, and what the model thinks."""
        theme = self._theme
        self._add(Chips(theme, command))
        self._add(Reason(theme, question))
        icon = "warning" if question.reversible is False else "again"
        self._add(SignedLine(theme, icon, "secondary", visible(plain_words(question)), "permission_risk"))
        if words := opinion_words(question):
            self._add(SignedLine(theme, "model", "secondary", words, "permission_opinion"))

    def _add(self, line: SignedLine | Chips | Reason) -> None:
        self._lines.append(line)
        self._column.addWidget(line)

    def hold(self, width: int) -> None:
        if self.why is not None:
            self.why.fit(width - 2 * self._theme.px(4))
        super().hold(width)


class Chips(QWidget):
    """The class of a command line and what it touches, each with icon and word."""

    def __init__(self, theme: Theme, command: CommandView) -> None:
        super().__init__()
        self.setObjectName("permission_chips")
        self._flow = FlowLayout(self)
        for mark in marks(command.classed, command.flags):
            name = f"permission_chip_{mark.word.lower().replace(' ', '_')}"
            self._flow.addWidget(Badge(theme, mark.icon, mark.word, mark.sentence, mark.colour, name))

    def restyle(self) -> None:
        """Take sizes from the theme again; the chips do so by themselves."""
        self._flow.invalidate()


class Reason(QWidget):
    """Why the gate asks, and below it the part of the line that decided."""

    def __init__(self, theme: Theme, question: Question) -> None:
        super().__init__()
        self._theme = theme
        self._column = QVBoxLayout(self)
        reason = Label(theme, "", BODY_PX, name="permission_reason", parent=self)
        reason.show_text(breakable(reason_words(question)))
        decided = Label(theme, "", SMALL_PX, colour="secondary", name="permission_decided", parent=self)
        decided.show_text(breakable(deciding_words(question)))
        for label in (reason, decided):
            self._column.addWidget(label)
        self.setVisible(bool(reason_words(question) or deciding_words(question)))

    def restyle(self) -> None:
        """Take sizes from the theme again."""
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(self._theme.px(2))


class SignedLine(QWidget):
    """An icon in a colour beside words in that of the text."""

    def __init__(self, theme: Theme, icon: str, colour: str, words: str, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._row = QHBoxLayout(self)
        self._row.addWidget(Sign(theme, icon, colour, BODY_PX), 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(Label(theme, breakable(words), BODY_PX, name=name, parent=self), 1)

    def restyle(self) -> None:
        """Take sizes from the theme again."""
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(self._theme.px(8))


class Body(QScrollArea):
    """What must be read exactly: arguments, change, files. Scrolls where a screen is too small for it."""

    def __init__(self, theme: Theme, question: Question) -> None:
        super().__init__()
        self._theme = theme
        self._question = question
        self._wanted = QSize(1, 1)
        self._fitted = 0
        self.room: int | None = None  # the height that there is, where the dialog cannot give all
        self._held: list[Held] = []
        self.setObjectName("permission_body")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._captions: list[QVBoxLayout] = []
        self.arguments = self._box("permission_arguments", arguments_words(question))
        if question.command is None:
            self.arguments.show_text(question.arguments)
        else:
            self.arguments.show_command(question.arguments, question.command.shell, question.command.span)
        self.diff = self._add_diff()
        self.files = self._add_files()
        self.scroll_hint = Label(
            theme, "", SMALL_PX, colour="secondary", name="permission_scroll_hint", parent=self._content
        )
        self.leads = self._make_find()
        row = QHBoxLayout()
        row.addWidget(self.scroll_hint, 1)
        row.addWidget(self.leads)
        self._column.addLayout(row)
        self._column.addStretch(1)
        self.setWidget(self._content)

    @property
    def boxes(self) -> list[ShownText]:
        return [box for box in (self.arguments, self.diff, self.files) if box is not None]

    @property
    def stops(self) -> list[QWidget]:
        """What Tab reaches, in reading order."""
        return [self.arguments, self.leads, *self.boxes[1:]]

    def take_in(self, first: Held, last: Held) -> None:
        """Let the parts above and below scroll along, for want of room."""
        self._held = [first, last]
        self._column.insertWidget(0, first)
        self._column.insertWidget(self._column.count() - 1, last)

    def let_go(self) -> None:
        """The parts stand outside again; the owner places them."""
        self._held = []

    def sizeHint(self) -> QSize:
        return self._wanted

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(200), min(self._wanted.height(), self._theme.px(120)))

    def restyle(self) -> None:
        """Take sizes and colours from the theme again."""
        px = self._theme.px
        self._column.setContentsMargins(px(4), px(4), px(4), px(4))
        self._column.setSpacing(px(12))
        for caption in self._captions:
            caption.setSpacing(px(4))
        for box in self.boxes:
            box.restyle()
        self.leads.setFont(self._theme.font(SMALL_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = self.viewport().width()
        if width != self._fitted:
            self.fit(width)

    def fit(self, width: int) -> None:
        """Give the boxes their heights for `width`, and ask for the height of everything."""
        self._fitted = width
        margins = self._column.contentsMargins()
        inner = width - margins.left() - margins.right()
        scrolls = [box.fit(inner) for box in self.boxes]
        for part in self._held:
            part.hold(inner)
        self._ask_for(width, any(scrolls))
        if self.room is not None:
            self._squeeze(width, self.room, any(scrolls))
        self.updateGeometry()

    def _ask_for(self, width: int, scrolls: bool) -> None:
        self.scroll_hint.show_text("Scroll in the box to read all of it." if scrolls else "")
        self.leads.setVisible(scrolls and self.arguments.decides_below(self._theme.px(LEAST_OF_A_BOX)))
        self._column.invalidate()
        self._column.activate()
        self._wanted = QSize(width, self._column.totalHeightForWidth(width))

    def _squeeze(self, width: int, room: int, scrolls: bool) -> None:
        """Let the highest box scroll if all else then has room: one bar at the right is enough."""
        if self._wanted.height() <= room:
            return
        self._ask_for(width, True)
        highest = max(self.boxes, key=lambda box: box.height())
        left = highest.height() - (self._wanted.height() - room)
        if left >= self._theme.px(LEAST_OF_A_BOX):
            highest.setFixedHeight(left)
            scrolls = True
        self._ask_for(width, scrolls)

    # -- inside -------------------------------------------------------------------------------

    def _box(self, name: str, words: str) -> ShownText:
        """A box under a caption that names it."""
        caption = Label(self._theme, visible(words), SMALL_PX, colour="secondary", name=f"{name}_label")
        box = ShownText(self._theme, name, visible(words))
        caption.setBuddy(box)
        column = QVBoxLayout()
        column.addWidget(caption)
        column.addWidget(box)
        self._captions.append(column)
        self._column.addLayout(column)
        return box

    def _make_find(self) -> QPushButton:
        find = QPushButton("Show the &underlined part")
        find.setObjectName("permission_find")
        find.setAccessibleName("Show the underlined part")
        find.setProperty("flat", True)
        find.setAutoDefault(False)
        find.clicked.connect(lambda _checked: self.arguments.show_what_decided())
        find.hide()
        return find

    def _add_diff(self) -> ShownText | None:
        if not self._question.diff:
            return None
        box = self._box("permission_diff", "Change")
        box.show_diff(self._question.diff)
        return box

    def _add_files(self) -> ShownText | None:
        files = self._question.files
        if not files:
            return None
        box = self._box("permission_files", files_words(files))
        box.show_files(files, self._question.origin.folder)
        return box
