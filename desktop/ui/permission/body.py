"""What a permission question says, from the title to the model's reason."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.asking import Question
from desktop.ui.models.labels import Label, Sign
from desktop.ui.permission.shown_text import ShownText
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.permission.words import files_words, origin_words, risk_icon, risk_words, tool_icon, why_words
from desktop.ui.theme import BODY_PX, SMALL_PX, Theme

TITLE_PX = 17.0


class Header(QWidget):
    """The icon of the tool, the title and, for an agent, who asks."""

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
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(self._column, 1)

    def restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(4), 0, px(4), 0)
        self._row.setSpacing(px(12))
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(px(4))


class Body(QScrollArea):
    """Everything between the title and the buttons; scrolls where a screen is too small for it."""

    def __init__(self, theme: Theme, question: Question) -> None:
        super().__init__()
        self._theme = theme
        self._question = question
        self._wanted = QSize(1, 1)
        self._fitted = 0
        self.setObjectName("permission_body")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._captions: list[QVBoxLayout] = []
        self._add_warning()
        self.arguments = self._box("permission_arguments", question.arguments_name)
        self.arguments.show_text(question.arguments)
        self.scroll_hint = self._label("", SMALL_PX, "secondary", "permission_scroll_hint")
        self.diff = self._add_diff()
        self.files = self._add_files()
        self._add_risk()
        self.why = self._add_why()
        self._column.addStretch(1)
        self.setWidget(self._content)

    @property
    def boxes(self) -> list[ShownText]:
        return [box for box in (self.arguments, self.diff, self.files) if box is not None]

    @property
    def stops(self) -> list[QWidget]:
        """What Tab reaches, in reading order."""
        return [*self.boxes, *([self.why] if self.why is not None else [])]

    def sizeHint(self) -> QSize:
        return self._wanted

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(200), min(self._wanted.height(), self._theme.px(120)))

    def restyle(self) -> None:
        """Take sizes and colours from the theme again."""
        px = self._theme.px
        self._column.setContentsMargins(px(4), px(4), px(4), px(4))
        self._column.setSpacing(px(12))
        self._risk_row.setSpacing(px(8))
        for caption in self._captions:
            caption.setSpacing(px(4))
        for box in self.boxes:
            box.restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = self.viewport().width()
        if width != self._fitted:
            self.fit(width)

    def fit(self, width: int) -> None:
        """Give the boxes their heights for `width`, and ask for the height of everything."""
        self._fitted = width
        margins = self._column.contentsMargins()
        scrolls = [box.fit(width - margins.left() - margins.right()) for box in self.boxes]
        self.scroll_hint.show_text("Scroll in the box to read all of it." if any(scrolls) else "")
        self._column.invalidate()
        self._column.activate()
        self._wanted = QSize(width, self._column.totalHeightForWidth(width))
        self.updateGeometry()

    # -- inside -------------------------------------------------------------------------------

    def _label(self, text: str, size: float, colour: str, name: str, bold: bool = False) -> Label:
        label = Label(self._theme, breakable(text), size, bold, colour, name, self._content)
        label.setVisible(bool(text))
        self._column.addWidget(label)
        return label

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

    def _add_warning(self) -> None:
        if self._question.warning:
            self._column.addLayout(
                self._signed("warning", "warning", self._question.warning, "permission_warning")
            )

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
        box.show_files(files)
        return box

    def _add_risk(self) -> None:
        colour = "danger" if self._question.is_dangerous else "text"
        icon, words = risk_icon(self._question), risk_words(self._question)
        self._risk_row = self._signed(icon, colour, words, "permission_risk")
        self._column.addLayout(self._risk_row)

    def _signed(self, icon: str, colour: str, words: str, name: str) -> QHBoxLayout:
        """An icon in a colour beside words in that of the text."""
        row = QHBoxLayout()
        label = Label(self._theme, breakable(words), BODY_PX, name=name, parent=self._content)
        row.addWidget(Sign(self._theme, icon, colour, BODY_PX), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label, 1)
        return row

    def _add_why(self) -> Label | None:
        words = why_words(self._question)
        if not words:
            return None
        label = self._label(words, SMALL_PX, "secondary", "permission_why")
        label.setAccessibleName(words)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        label.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return label
