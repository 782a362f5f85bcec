"""What must be read exactly of a permission question: it scrolls where it is long.

Title and judgement stay in sight above and below it; only where a screen is too small do they scroll along.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractSlider, QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.asking import Question
from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.permission.judgement import FixedHeight
from desktop.ui.permission.shown_text import ShownText, counts, read_change
from desktop.ui.permission.visible import visible
from desktop.ui.permission.words import arguments_words, files_words, names_its_file
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import FlowLayout, named

LEAST_OF_A_BOX = 120
MARGIN = 8  # below the last line of a box


class Body(QScrollArea):
    """What must be read exactly: change, arguments, files. Scrolls where a screen is too small for it.

    Of a change that can be shown line by line, the whole content is one press away. What is scrolled counts
    as seen once its end has been in sight, and stays seen.
    """

    unfolded = Signal()  # another height is wanted
    seen = Signal()  # all that has to be read has been in sight, down to its end

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._question = question
        self._wanted = QSize(1, 1)
        # Of the last fitting: heights follow from the width, and setting heights comes back as a resize.
        self._fitted = 0
        self._fitted_in = QSize()
        self.room: int | None = None  # the height that there is, where the dialog cannot give all
        self._held: list[FixedHeight] = []
        self._unseen: list[ShownText | None] = [None]  # None: the parts that scroll along
        self._looks = QTimer(self, singleShot=True, interval=0)  # once everything has its place
        self._looks.timeout.connect(self._look)
        self.setObjectName("permission_body")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # Tab goes to the boxes in it; this one would be a stop at which nothing can be done.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = QWidget()
        self._column = theme.space(QVBoxLayout(self._content), 12, (4, 4, 4, 4))
        self.diff = self._add_diff()
        self.fold = self._make_fold()
        self.arguments = self._box("permission_arguments", arguments_words(question))
        if question.command is None:
            self.arguments.show_text(question.arguments)
        else:
            # What decided is underlined in the very text that will run.
            self.arguments.show_command(question.arguments, question.command.shell, question.command.span)
        self._unfold(False)
        self.files = self._add_files()
        self.scroll_hint = Label(
            "", SMALL_PX, colour="secondary", name="permission_scroll_hint", parent=self._content
        )
        self.leads = self._make_find()
        self.more = self._make_more()
        self.scroll_hint.setWordWrap(False)  # a few words, beside the buttons where there is room
        row = FlowLayout()
        for each in (self.scroll_hint, self.more, self.leads):
            row.addWidget(each)
        self._column.addLayout(row)
        self._column.addStretch(1)
        self.setWidget(self._content)
        # What is folded says the same once more, and may stay so.
        self._unseen += self.boxes
        for area in (self, *self.boxes):
            bar = area.verticalScrollBar()
            bar.valueChanged.connect(lambda _value: self._looks.start())
            bar.rangeChanged.connect(lambda _least, _most: self._looks.start())

    @property
    def boxes(self) -> list[ShownText]:
        boxes = (self.diff, self.arguments, self.files)
        return [box for box in boxes if box is not None and not box.isHidden()]

    @property
    def stops(self) -> list[QWidget]:
        """What Tab reaches, in reading order."""
        stops = (self.diff, self.fold, self.arguments, self.leads, self.files, self.more)
        return [stop for stop in stops if stop is not None]

    @property
    def is_seen(self) -> bool:
        """Whether all that has to be read has been in sight, down to its end."""
        return not self._unseen

    @property
    def shows_hint(self) -> bool:
        """Whether the line under the box that says what is waited for is in sight."""
        hint = self.scroll_hint
        end = hint.mapTo(self.viewport(), QPoint(0, hint.height())).y()
        return bool(hint.text()) and hint.isVisible() and 0 < end <= self.viewport().height()

    def take_in(self, first: FixedHeight, last: FixedHeight) -> None:
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
        return QSize(theme.px(200), min(self._wanted.height(), theme.px(120)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (self.viewport().width(), self.maximumViewportSize()) != (self._fitted, self._fitted_in):
            self.fit_here()
        self._looks.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._looks.start()

    def fit_here(self) -> None:
        """Fit it to its own width. Only what is too high for that makes room for a bar: one that comes while
        the dialog finds its size would make lines wrap, and then be needed for what it has made higher.
        """
        room = self._fitted_in = self.maximumViewportSize()
        if not self._held:  # with these in it, it scrolls in any case
            self.fit(room.width())
        if self._held or self._wanted.height() > room.height():
            self.fit(self.viewport().width())

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
        self.scroll_hint.show_text(self._hint(scrolls))
        self.more.setVisible(scrolls and not self.is_seen)
        self.scroll_hint.setMinimumHeight(self.more.sizeHint().height())  # on one line with the buttons
        self.leads.setVisible(scrolls and self.arguments.decides_below(theme.px(LEAST_OF_A_BOX)))
        # Hidden and shown labels change the height with the next turn of the loop, which is too late.
        self._column.invalidate()
        self._column.activate()
        self._wanted = QSize(width, self._column.totalHeightForWidth(width))

    def _hint(self, scrolls: bool) -> str:
        if not scrolls:
            return ""
        return tr("You have reached the end.") if self.is_seen else tr("To allow it, read to the end.")

    def _squeeze(self, width: int, room: int, scrolls: bool) -> None:
        """Let the highest box scroll if all else then has room: one bar at the right is enough."""
        if self._wanted.height() <= room:
            return
        self._ask_for(width, True)
        highest = max(self.boxes, key=lambda box: box.height())
        left = highest.height() - (self._wanted.height() - room)
        if left >= theme.px(LEAST_OF_A_BOX):
            highest.setFixedHeight(left)
            scrolls = True
        self._ask_for(width, scrolls)

    # -- what has been in sight ---------------------------------------------------------------

    def _look(self) -> None:
        if not self._unseen or not self.isVisible():
            return
        self._unseen = [each for each in self._unseen if not self._shows_end_of(each)]
        if not self._unseen:
            if self.scroll_hint.text():
                self.scroll_hint.show_text(tr("You have reached the end."))
            self.more.hide()
            self.seen.emit()

    def _shows_end_of(self, box: ShownText | None) -> bool:
        if box is None:
            bar = self.verticalScrollBar()
            return not self._held or bar.value() >= bar.maximum()
        end = box.mapTo(self.viewport(), QPoint(0, box.height())).y()
        return box.shows_its_end and end <= self.viewport().height() + theme.px(MARGIN)

    def _read_on(self) -> None:
        """One page further in what has not been seen whole."""
        box = next((each for each in self._unseen if each is not None and not each.shows_its_end), None)
        if box is not None:
            self.ensureWidgetVisible(box)
            box.read_on()
        else:
            self.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderPageStepAdd)

    # -- inside -------------------------------------------------------------------------------

    def _box(self, name: str, words: str) -> ShownText:
        """A box under a caption that names it."""
        caption = Label(visible(words), SMALL_PX, colour="secondary", name=f"{name}_label")
        box = ShownText(name, visible(words))
        # A screen reader says the caption when the keyboard comes to the box.
        caption.setBuddy(box)
        column = theme.space(QVBoxLayout(), 4)
        column.addWidget(caption)
        column.addWidget(box)
        self._column.addLayout(column)
        return box

    def _make_fold(self) -> QPushButton | None:
        """Shows what the change already says in another way: all that will be written, letter by letter."""
        # A single line is read faster than it is unfolded.
        if not (self._question.diff and "\n" in self._question.arguments):
            return None
        fold = named(
            QPushButton(tr("Everything that will be written") + " ›"),
            "permission_fold",
            tr("Everything that will be written"),
        )
        fold.setCheckable(True)
        fold.setProperty("flat", True)
        fold.setProperty("in_line", True)
        # Enter anywhere in a dialog presses an automatic default; here it answers nothing.
        fold.setAutoDefault(False)
        fold.toggled.connect(self._on_fold)
        self._column.addWidget(fold, 0, Qt.AlignmentFlag.AlignLeft)
        return fold

    def _on_fold(self, shown: bool) -> None:
        self._unfold(shown)
        self.fit(self.viewport().width())
        self.unfolded.emit()

    def _unfold(self, shown: bool) -> None:
        if self.fold is None:
            return
        self.fold.setText(tr("Everything that will be written") + (" ⌄" if shown else " ›"))
        for part in (self.arguments, self._caption_of(self.arguments)):
            part.setVisible(shown)

    def _caption_of(self, box: ShownText) -> QWidget:
        found = self._content.findChild(Label, f"{box.objectName()}_label")
        assert found is not None
        return found

    def _make_find(self) -> QPushButton:
        find = named(
            QPushButton(tr("Show the &underlined part")), "permission_find", tr("Show the underlined part")
        )
        find.setProperty("flat", True)
        find.setProperty("in_line", True)
        find.setAutoDefault(False)
        find.clicked.connect(lambda _checked: self.arguments.show_what_decided())
        find.hide()
        return find

    def _make_more(self) -> QPushButton:
        more = named(QPushButton(tr("&Read on")), "permission_more", tr("Read on"))
        more.setProperty("flat", True)
        more.setProperty("in_line", True)
        more.setAutoDefault(False)
        more.clicked.connect(lambda _checked: self._read_on())
        more.hide()
        return more

    def _add_diff(self) -> ShownText | None:
        if not self._question.diff:
            return None
        lines = read_change(self._question.diff)
        added, removed = counts(lines)
        box = self._box("permission_diff", tr("Change · +{added} −{removed}", added=added, removed=removed))
        box.show_change(lines)
        return box

    def _add_files(self) -> ShownText | None:
        files = self._question.files
        # The only one is named above, letter by letter.
        if not files or names_its_file(self._question):
            return None
        box = self._box("permission_files", files_words(files))
        box.show_files(files, self._question.origin.folder)
        return box
